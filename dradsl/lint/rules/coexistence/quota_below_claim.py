"""DRA909: a ResourceQuota allows fewer devices of a class than a claim of its namespace asks for.

Follows claimEvaluator.Usage of kubernetes pkg/quota/v1/evaluator/core/resource_claims.go, 1.36 and 1.37: All counts
as 32 devices, and of alternatives the most of each class. A quota with scopes does not match claims.
"""

from __future__ import annotations

from dradsl.diagnostics import Severity
from dradsl.lint.rules.coexistence.devices import mapping
from dradsl.lint.view.found import Found, RelatedField
from dradsl.lint.view.index import is_elsewhere

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.lint.input.manifests import Manifest
    from dradsl.lint.view.view import ClaimView, Run
    from dradsl.text.paths import FieldPath

CODE = "DRA909"
_SUFFIX = ".deviceclass.resource.k8s.io/devices"
_IMPLICIT = "requests.deviceclass.resource.kubernetes.io/"


def check(run: Run) -> Iterator[Found]:
    quotas = [each for each in run.index.kind("ResourceQuota") if not each.group]
    for claim in run.claims() if quotas else ():
        used = _usage(claim)
        for quota in quotas:
            if not _holds_for(quota, claim.manifest):
                continue
            for key, class_name, most in _limits(run, quota):
                if class_name not in used or used[class_name][0] <= most:
                    continue
                count, path, every = used[class_name]
                what = "All counts as 32" if every else f"the claim counts as {count}"
                yield Found(
                    CODE,
                    claim.manifest,
                    claim.written(path),
                    f'{what} devices of class "{class_name}", and the quota "{quota.name}" allows {most}: '
                    "the claim is refused",
                    help="raise the quota, or ask for less",
                    upstream=f"exceeded quota: {quota.name}",
                    severity=None if _is_near(quota, claim.manifest) else Severity.WARNING,
                    related=(RelatedField("the quota", quota, ("spec", "hard", key), on_key=True),),
                )


def _holds_for(quota: Manifest, claim: Manifest) -> bool:
    """Whether the quota is of the claim's namespace, for all that is known."""
    if is_elsewhere(quota, claim) or quota.about.holes:
        return False
    if quota.spaces or claim.spaces:
        return len(quota.spaces) == 1 and quota.spaces == claim.spaces
    return quota.path == claim.path


def _is_near(quota: Manifest, claim: Manifest) -> bool:
    """Whether both surely go to one cluster: files of other folders may be of another one."""
    if not quota.builds.isdisjoint(claim.builds):
        return True
    return quota.path.rpartition("/")[0] == claim.path.rpartition("/")[0]


def _limits(run: Run, quota: Manifest) -> Iterator[tuple[str, str, int]]:
    """The keys of a quota that count devices of a class, with the class and the limit."""
    spec = mapping(quota.data.get("spec"))
    if spec.get("scopes") or spec.get("scopeSelector"):
        return
    extended = "DRAExtendedResource" in run.features
    for key, amount in mapping(spec.get("hard")).items():
        most = _number(amount)
        if most is None:
            continue
        if key.endswith(_SUFFIX):
            yield key, key.removesuffix(_SUFFIX), most
        elif extended and key.startswith(_IMPLICIT):
            yield key, key.removeprefix(_IMPLICIT), most


def _number(amount: object) -> int | None:
    from dradsl.values.quantity import Quantity, QuantityError

    if not isinstance(amount, str | int | float) or isinstance(amount, bool):
        return None
    try:
        found = Quantity.decode(amount).as_fraction()
    except QuantityError:
        return None
    return found.numerator // found.denominator


def _usage(claim: ClaimView) -> dict[str, tuple[int, FieldPath, bool]]:
    """What the claim counts as, by class: the number, where most of it stands, and whether that is All."""
    from dradsl.kube.limits import MAX_RESULTS

    worst: dict[tuple[FieldPath, str], tuple[int, FieldPath, bool]] = {}
    for request in claim.bodies():
        name, count = request.body.get("deviceClassName"), request.body.get("count")
        every = request.body.get("allocationMode") == "All"
        number = MAX_RESULTS if every else count if isinstance(count, int) else 0
        if not isinstance(name, str):
            continue
        owner = request.path[: request.path.index("requests") + 2]
        field = "allocationMode" if every else "count" if number > 1 else "deviceClassName"
        mine = number, (*request.path, field), every
        worst[owner, name] = max(mine, worst.get((owner, name), mine), key=lambda each: each[0])
    found: dict[str, tuple[int, FieldPath, bool]] = {}
    for (_, name), (number, path, every) in worst.items():
        before = found.get(name)
        if before is None:
            found[name] = number, path, every
        else:
            found[name] = before[0] + number, before[1], False
    return found
