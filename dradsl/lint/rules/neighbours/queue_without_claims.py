"""DRA907: a workload with claims goes through a queue that does not count them."""

from __future__ import annotations

from dradsl.lint.rules.coexistence.devices import common_classes, mapping
from dradsl.lint.rules.neighbours.kueue import configurations, mappings, queue_of
from dradsl.lint.rules.references.lookup import claims_of_entry
from dradsl.lint.view.found import Found

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from dradsl.lint.view.view import PodView, Run

CODE = "DRA907"
_GATES = ("KueueDRAIntegration", "DynamicResourceAllocation")


def check(run: Run) -> Iterator[Found]:
    mapped = None
    for pod in run.pods():
        if not any(True for _ in pod.claims()):
            continue
        if queue_of(pod) is not None:
            if mapped is None:
                mapped = _mapped_classes(run)
            if configurations(run):  # else nothing is known of its mappings
                yield from _kueue(run, pod, mapped)
        elif pod.manifest.group == "batch.volcano.sh":
            yield Found(
                CODE,
                pod.manifest,
                (*pod.at.path, "resourceClaims"),
                "Volcano's queues count what containers ask for under limits; claims they count "
                "only where the capacity plugin is set up for DRA",
                help="set the capacity plugin up for the class, or keep an eye on the queue's share",
            )


def _mapped_classes(run: Run) -> Collection[str]:
    """The DeviceClasses that Kueue's configurations count."""
    gates = [mapping(each.get("featureGates")) for each in configurations(run)]
    off = any(each.get(gate) is False for each in gates for gate in _GATES)
    return () if off else mappings(run).keys()


def _kueue(run: Run, pod: PodView, mapped: Collection[str]) -> Iterator[Found]:
    for index, entry in pod.claims():
        if entry.get("resourceClaimName"):
            continue  # refused whatever is mapped: DRA920 says so
        claims = claims_of_entry(run, pod, entry)
        for name in common_classes(claims):
            if name not in mapped:
                yield Found(
                    CODE,
                    pod.manifest,
                    (*pod.at.path, "resourceClaims", index, "name"),
                    f"Kueue's configuration maps class {name} to no resource: the workload is never "
                    "admitted, or, where its gate for DRA is off, admitted without counting this claim",
                    help=f"add {name} to resources.deviceClassMappings of Kueue's configuration; "
                    "the gate KueueDRAIntegration (before 0.18: DynamicResourceAllocation) must "
                    "be on",
                )
