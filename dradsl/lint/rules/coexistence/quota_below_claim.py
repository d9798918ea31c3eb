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
    from collections.abc import Iterator, Mapping, Sequence

    from dradsl.lint.input.manifests import Manifest
    from dradsl.lint.view.view import ClaimView, Run
    from dradsl.text.paths import FieldPath

CODE = "DRA909"
_MOST = 20  # quotas of one class in one namespace
_SUFFIX = ".deviceclass.resource.k8s.io/devices"
_IMPLICIT = "requests.deviceclass.resource.kubernetes.io/"
WORDS = ("ResourceQuota",)


def check(run: Run) -> Iterator[Found]:
    quotas = _quotas(run)
    for claim in run.claims() if quotas else ():
        used = _usage(claim)
        manifest = claim.manifest
        for class_name, (count, path, every) in used.items():
            # One that is too small is enough, and of very many nobody reads more.
            listed = quotas.get((manifest.spaces or manifest.path, class_name), ())
            for quota, key, most in listed[:_MOST]:
                if count <= most or is_elsewhere(quota, manifest):
                    continue
                what = "All counts as 32" if every else f"the claim counts as {count}"
                yield Found(
                    CODE,
                    manifest,
                    claim.written(path),
                    f'{what} devices of class "{class_name}", and the quota "{quota.name}" allows {most}: '
                    "the claim is refused",
                    help="raise the quota, or ask for less",
                    upstream=f"exceeded quota: {quota.name}",
                    severity=None if _is_near(quota, manifest) else Severity.WARNING,
                    related=(RelatedField("the quota", quota, ("spec", "hard", key), on_key=True),),
                )
                break


def _quotas(run: Run) -> Mapping[tuple[object, str], Sequence[tuple[Manifest, str, int]]]:
    """The quotas on a class, by namespace (by file where none is known), the smallest first."""
    found: dict[tuple[object, str], list[tuple[Manifest, str, int]]] = {}
    for quota in run.index.kind("ResourceQuota"):
        if quota.group or quota.about.holes or len(quota.spaces) > 1:
            continue
        for key, class_name, most in _limits(run, quota):
            place = quota.spaces or quota.path
            found.setdefault((place, class_name), []).append((quota, key, most))
    for listed in found.values():
        listed.sort(key=lambda each: each[2])
    return found


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
