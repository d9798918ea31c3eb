"""DRA907: a workload with claims goes through a queue that does not count them."""

from __future__ import annotations

from dradsl.lint.rules.coexistence.devices import common_classes, mapping
from dradsl.lint.rules.references.lookup import claims_of_entry
from dradsl.lint.view.found import Found

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dradsl.lint.view.view import PodView, Run

CODE = "DRA907"
_QUEUE = "kueue.x-k8s.io/queue-name"
_GATES = ("KueueDRAIntegration", "DynamicResourceAllocation")


def check(run: Run) -> Iterator[Found]:
    configurations = list(_configurations(run))
    mapped = _mapped_classes(configurations)
    for pod in run.pods():
        if not any(True for _ in pod.claims()):
            continue
        labels = mapping(mapping(pod.manifest.data.get("metadata")).get("labels"))
        if _QUEUE in labels:
            if configurations:  # else nothing is known of its mappings
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


def _mapped_classes(configurations: list[Any]) -> set[str]:
    """The DeviceClasses that Kueue's configurations count."""
    mapped: set[str] = set()
    for configuration in configurations:
        gates = mapping(configuration.get("featureGates"))
        if any(gates.get(gate) is False for gate in _GATES):
            continue
        items = mapping(configuration.get("resources")).get("deviceClassMappings")
        for item in items if isinstance(items, list) else ():
            names = mapping(item).get("deviceClassNames")
            mapped.update(map(str, names) if isinstance(names, list) else ())
    return mapped


def _kueue(run: Run, pod: PodView, mapped: set[str]) -> Iterator[Found]:
    for index, entry in pod.claims():
        claims = claims_of_entry(run, pod, entry)
        for name in common_classes(claims):
            if name not in mapped:
                yield Found(
                    CODE,
                    pod.manifest,
                    (*pod.at.path, "resourceClaims", index, "name"),
                    f"Kueue's configuration maps class {name} to no resource: the queue's quota "
                    "does not count this claim",
                    help=f"add {name} to resources.deviceClassMappings of Kueue's configuration; "
                    "the gate KueueDRAIntegration (before 0.18: DynamicResourceAllocation) must "
                    "be on",
                )


def _configurations(run: Run) -> Iterator[Any]:
    """Kueue's configurations in the run, those within ConfigMaps too."""
    for manifest in run.index.kind("Configuration"):
        if manifest.group == "config.kueue.x-k8s.io":
            yield manifest.data
    for manifest in run.index.kind("ConfigMap"):
        for text in mapping(manifest.data.get("data")).values():
            if isinstance(text, str) and "config.kueue.x-k8s.io" in text:
                from dradsl.text.documents import load

                for document in load(text.encode("utf-8", "replace")).documents:
                    if mapping(document.data).get("kind") == "Configuration":
                        yield document.data
