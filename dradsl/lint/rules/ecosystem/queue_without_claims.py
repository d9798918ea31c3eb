"""DRA907: a workload with claims goes through a queue that does not count them."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from dradsl.lint.rules.coexistence.devices import common_classes
from dradsl.lint.rules.ecosystem.kueue import configurations, mappings, queue_of
from dradsl.lint.rules.references.lookup import claims_of_entry
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import PodView, Run
from dradsl.tree.manifests.manifest import Manifest
from dradsl.values.plain import mapping_at

CODE = "DRA907"
_GATES = ("KueueDRAIntegration", "DynamicResourceAllocation")
WORDS = ("resourceClaims", ("kueue.x-k8s.io/queue-name", "batch.volcano.sh"))


def check(run: Run) -> Iterator[RuleFinding]:
    mapped = None
    for pod in run.pods():
        if not any(True for _ in pod.claims()):
            continue
        if queue_of(pod) is not None:
            if mapped is None:
                mapped = _mapped_classes(run)
            if configurations(run):  # else nothing is known of its mappings
                yield from _kueue(run, pod, mapped)
        elif pod.manifest.group == "batch.volcano.sh" and not _volcano_counts(run, pod):
            yield RuleFinding(
                CODE,
                pod.manifest,
                (*pod.at.path, "resourceClaims"),
                "Volcano's queues count what containers ask for under limits; claims they count from "
                "1.15 on, with the capacity plugin, where the queue has a quota for deviceclass/<class>",
                help="give the queue a quota for the class, or keep an eye on its share",
            )


def _volcano_counts(run: Run, pod: PodView) -> bool:
    """Whether the queue of a Volcano Job, as the run has it, has a quota for devices of a class."""
    name = mapping_at(pod.manifest.data, "spec").get("queue", "default")
    queues = [
        queue
        for queue in run.index.named("Queue", str(name))
        if queue.group == "scheduling.volcano.sh"
    ]
    return any("deviceclass/" in key for queue in queues for key in _quotas(queue))


def _quotas(queue: Manifest) -> Iterator[str]:
    spec = mapping_at(queue.data, "spec")
    for amounts in (spec.get("capability"), spec.get("deserved")):
        yield from mapping_at(amounts)


def _mapped_classes(run: Run) -> Collection[str]:
    """The DeviceClasses that Kueue's configurations count."""
    gates = [mapping_at(each, "featureGates") for each in configurations(run)]
    off = any(each.get(gate) is False for each in gates for gate in _GATES)
    return () if off else mappings(run).keys()


def _kueue(run: Run, pod: PodView, mapped: Collection[str]) -> Iterator[RuleFinding]:
    for index, entry in pod.claims():
        if entry.get("resourceClaimName"):
            continue  # rejected whatever is mapped: DRA920 says so
        claims = claims_of_entry(run, pod, entry)
        for name in common_classes(claims):
            if name not in mapped:
                yield RuleFinding(
                    CODE,
                    pod.manifest,
                    (*pod.at.path, "resourceClaims", index, "name"),
                    f"Kueue's configuration maps class {name} to no resource: the workload is never "
                    "admitted, or, where its gate for DRA is off, admitted without counting this claim",
                    help=f"add {name} to resources.deviceClassMappings of Kueue's configuration; "
                    "the gate KueueDRAIntegration (before 0.18: DynamicResourceAllocation) must "
                    "be on",
                )
