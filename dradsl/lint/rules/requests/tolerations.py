"""DRA325 to DRA329: tolerations of device taints that do more or less than they seem to.

Follows ToleratesTaint of k8s.io/dynamic-resource-allocation resourceclaim/devicetoleration.go, 1.34 to 1.37, and
claimEvictionTime of kubernetes pkg/controller/devicetainteviction/device_taint_eviction.go, 1.36 and 1.37: only
tolerations that write `effect: NoExecute` delay an eviction, those without an effect do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dradsl.diagnostics import FieldPath
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import ClaimView, RequestView, Run
from dradsl.values.plain import list_at

_ANY_KEY = "DRA325"
_NO_EFFECT = "DRA326"
_EVERY_TAINT = "DRA327"
_SECONDS_IGNORED = "DRA328"
_MANY = "DRA329"
_DOCUMENTED = 16  # DeviceTolerationsMaxLength
WORDS = ("tolerations",)


def check(run: Run) -> Iterator[RuleFinding]:
    for claim in run.claims:
        for request in claim.bodies:
            path = (*request.path, "tolerations")
            listed = list_at(request.body, "tolerations")
            if len(listed) > _DOCUMENTED:
                yield RuleFinding(
                    _MANY,
                    claim.manifest,
                    claim.written(path),
                    f"{len(listed)} tolerations; the API documents at most {_DOCUMENTED}, which a later "
                    "release may enforce",
                    help="tolerate a key with operator Exists in the place of its single values",
                    on_key=True,
                )
            for index, each in enumerate(listed):
                if isinstance(each, dict):
                    yield from _of_one(claim, request, (*path, index), each)


def _of_one(
    claim: ClaimView, request: RequestView, path: FieldPath, toleration: Mapping[str, object]
) -> Iterator[RuleFinding]:
    effect, operator = toleration.get("effect"), toleration.get("operator", "Equal")
    if effect == "None":
        yield RuleFinding(
            _NO_EFFECT,
            claim.manifest,
            claim.written((*path, "effect")),
            "taints with the effect None keep no pod away: there is nothing to tolerate",
            help="leave the toleration out, or name the effect that is meant",
        )
    if claim.manifest.is_patch:
        return
    # Who watches over devices wants the broken ones too.
    watches = request.body.get("adminAccess") is True
    if not toleration.get("key") and operator == "Equal":
        value = toleration.get("value") or ""
        what = f'the value "{value}"' if value else "an empty value"
        yield RuleFinding(
            _ANY_KEY,
            claim.manifest,
            claim.written((*path, "value") if value else path),
            f"without a key, every taint with {what} is tolerated, whatever its key",
            help="write operator: Exists" if watches and not value else "name the key of the taint",
        )
    if not toleration.get("key") and operator == "Exists" and effect != "None" and not watches:
        what = f"every {effect} taint" if effect else "every taint"
        yield RuleFinding(
            _EVERY_TAINT,
            claim.manifest,
            claim.written((*path, "operator")),
            f"{what} is tolerated: the pod also gets devices that are broken or being drained",
            help="name the key of the taint that is meant",
        )
    if toleration.get("tolerationSeconds") is not None and effect != "NoExecute":
        why = f"the effect is {effect}" if effect else "no effect is written"
        yield RuleFinding(
            _SECONDS_IGNORED,
            claim.manifest,
            claim.written((*path, "tolerationSeconds")),
            f"tolerationSeconds is ignored: {why}, and only effect: NoExecute delays an eviction",
            help="write effect: NoExecute, or leave tolerationSeconds out",
            on_key=True,
        )
