"""DRA960: a recorded node hands the same devices out by a device plugin and by DRA."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dradsl.diagnostics import FieldPath
from dradsl.lint.rules.coexistence.devices import plugin_drivers
from dradsl.lint.rules.drivers.classes import drivers_of_class
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.triggers import RECORDED
from dradsl.lint.view.view import Run
from dradsl.tree.manifests.manifest import Manifest
from dradsl.values.plain import mapping_at, member

CODE = "DRA960"
WORDS = (("Node", RECORDED),)


def check(run: Run) -> Iterator[RuleFinding]:
    for manifest in run.manifests:
        if manifest.kind == "Node" and not manifest.group and manifest.name:
            yield from _node(run, manifest, manifest.name)
    twice = run.remember("served-twice", lambda: _recorded(run))
    if not twice:
        return
    seen: set[str] = set()
    for claim in run.claims():
        for request in claim.bodies():
            name = request.body.get("deviceClassName")
            drivers = drivers_of_class(run, name) if isinstance(name, str) else frozenset()
            for driver in sorted(drivers & twice.keys() - seen):
                seen.add(driver)
                node, resource = twice[driver]
                yield RuleFinding(
                    CODE,
                    claim.manifest,
                    claim.written((*request.path, "deviceClassName")),
                    _message(node, resource, driver),
                    help=_HELP,
                )
    for pod in run.pods():
        for _, resource, path in pod.extended_resources():
            for driver in sorted(plugin_drivers(run, resource) & twice.keys() - seen):
                seen.add(driver)
                node, found = twice[driver]
                yield RuleFinding(
                    CODE, pod.manifest, path, _message(node, found, driver), on_key=True, help=_HELP
                )


_HELP = (
    "turn the device plugin off on the node, or the driver's devices; lint the nodes of both apart"
)


def _message(node: str, resource: str, driver: str) -> str:
    return (
        f"recorded node {node} has {resource} of a device plugin and devices of {driver}: both hand out the "
        "same ones"
    )


def _recorded(run: Run) -> Mapping[str, tuple[str, str]]:
    """Driver -> the first node, and its resource, where the recorded objects show both."""
    if not run.inventory:
        return {}
    nodes, slices = {}, []
    for each in run.inventory:
        if each.get("kind") == "Node":
            name = member(each, "metadata", "name")
            allocatable = mapping_at(each, "status", "allocatable")
            nodes[str(name)] = {key: str(value) for key, value in allocatable.items()}
        elif each.get("kind") == "ResourceSlice":
            slices += list(_of_slice(each))
    return _first(run, nodes, slices)


def _of_slice(data: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    spec = mapping_at(data, "spec")
    if spec.get("devices") and isinstance(spec.get("nodeName"), str):
        yield str(spec.get("nodeName")), str(spec.get("driver"))


def _first(
    run: Run, nodes: Mapping[str, Mapping[str, str]], slices: list[tuple[str, str]]
) -> Mapping[str, tuple[str, str]]:
    from dradsl.drivers.served_twice import served_twice

    found: dict[str, tuple[str, str]] = {}
    for node, resource, driver in served_twice(nodes, slices, run.drivers):
        found.setdefault(driver, (node, resource))
    return found


def _node(run: Run, manifest: Manifest, name: str) -> Iterator[RuleFinding]:
    """A Node among the manifests, beside slices of it: a dump that is linted itself."""
    allocatable = mapping_at(manifest.data, "status", "allocatable")
    if not any("/" in key for key in allocatable):
        return
    slices = [pair for m in run.index.kind("ResourceSlice") for pair in _of_slice(m.data)]
    amounts = {key: str(value) for key, value in allocatable.items()}
    for driver, (node, resource) in _first(run, {name: amounts}, slices).items():
        path: FieldPath = ("status", "allocatable", resource)
        yield RuleFinding(CODE, manifest, path, _message(node, resource, driver), help=_HELP)
