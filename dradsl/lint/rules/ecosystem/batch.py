"""DRA965, DRA966: claims under the queues of KAI."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.diagnostics import FieldPath
from dradsl.lint.rules.references.lookup import claims_of_entry
from dradsl.lint.view.rule_finding import RelatedField, RuleFinding
from dradsl.lint.view.view import ClaimView, PodView, Run
from dradsl.tree.manifests.manifest import Manifest
from dradsl.values.plain import mapping_at

CODE_LABEL = "DRA965"
CODE_COUNT = "DRA966"

_KAI = "kai-scheduler"
_KAI_QUEUE = "kai.scheduler/queue"
_GPU = (
    "gpu"  # pkg/common/resources/dra.go (IsGPUDeviceClass): by the letters in the name of the class
)
WORDS = (_KAI,)


def check(run: Run) -> Iterator[RuleFinding]:
    for pod in run.pods():
        kai = pod.claims() and pod.spec.get("schedulerName") == _KAI
        if kai and not pod.manifest.is_recorded:
            yield from _kai(run, pod)


def _kai(run: Run, pod: PodView) -> Iterator[RuleFinding]:
    labels = dict(mapping_at(pod.manifest.data, "metadata", "labels"))
    labels |= mapping_at(pod.at.metadata, "labels")
    queue = labels.get(_KAI_QUEUE)
    for index, entry in pod.claims():
        path = (*pod.at.path, "resourceClaims", index)
        claims = claims_of_entry(run, pod, entry)
        if not claims or not all(_is_gpu(claim) for claim in claims):
            continue
        claim = claims[0]
        if entry.get("resourceClaimName"):
            own = mapping_at(claim.manifest.data, "metadata", "labels").get(_KAI_QUEUE)
            known = not _has_unknown_queue(pod.manifest) and not _has_unknown_queue(claim.manifest)
            if known and (own is None or (isinstance(queue, str) and own != queue)):
                said = "has no" if own is None else f'has queue "{own}" in its'
                yield RuleFinding(
                    CODE_LABEL,
                    pod.manifest,
                    (*path, "resourceClaimName"),
                    f"{claim.manifest.title} {said} label {_KAI_QUEUE}: KAI, from 0.13 on, schedules no pod "
                    "with it",
                    help=f"set the label {_KAI_QUEUE} of the claim to the queue of its pods"
                    + (f', "{queue}"' if isinstance(queue, str) else ""),
                    related=(
                        RelatedField("the claim", claim.manifest, ("metadata",), on_key=True),
                    ),
                )
        for each in claim.bodies():
            if each.parent is None and each.body.get("allocationMode") == "All":
                yield _counted(pod, path, claim, (*each.path, "allocationMode"), "as one device")
        for _, place, request in claim.requests():
            if request.get("firstAvailable"):
                yield _counted(pod, path, claim, (*place, "firstAvailable"), "not at all")


def _has_unknown_queue(manifest: Manifest) -> bool:
    """Whether the queue of an object, or its labels, are unknown."""
    return any(
        _KAI_QUEUE in hole or hole[-1:] == ("labels",) for hole in manifest.build_context.holes
    )


def _is_gpu(claim: ClaimView) -> bool:
    names = [each.body.get("deviceClassName") for each in claim.bodies()]
    return any(isinstance(name, str) and _GPU in name.lower() for name in names)


def _counted(
    pod: PodView, path: FieldPath, claim: ClaimView, place: FieldPath, how: str
) -> RuleFinding:
    what = place[-1] if place[-1] != "allocationMode" else "allocationMode All"
    return RuleFinding(
        CODE_COUNT,
        pod.manifest,
        (*path, "name"),
        f"KAI's queues count a request with {what} {how}",
        help="ask for an exact count",
        related=(RelatedField("the request", claim.manifest, claim.written(place), on_key=True),),
    )
