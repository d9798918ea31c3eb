"""Counts and claims of a chart rendered both ways and compared: each count must become a request, and nothing else may change."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeAlias

from dradsl.kube.fields.defaulting import copy_plain
from dradsl.kube.pods.workloads import pod_specs
from dradsl.migrate.places import whole
from dradsl.text.documents import load
from dradsl.values.plain import list_at, mapping_at, mappings_at, member, string_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dradsl.migrate.chart.requests import PodRequests

    _Objects: TypeAlias = "dict[tuple[str, str, str], tuple[str, Any]]"

__all__ = ["counts_that_differ", "enabling_values", "template_names"]

_SOURCE = re.compile(r"^# Source: [^/\n]+/(.+?)\s*$", re.MULTILINE)
_PATH = re.compile(r"\.Values((?:\.\w+)+)$")
_TEMPLATE = "ResourceClaimTemplate"


def enabling_values(pods: Sequence[PodRequests], values: Mapping[str, Any]) -> dict[str, Any]:
    """Values that make the templates write the counts: plain conditions are true, plain counts are 2 if the chart has none."""
    made: dict[str, Any] = {}
    for request in (each for pod in pods for each in pod.requests):
        for condition in request.conditions:
            found = _PATH.fullmatch(condition)
            steps = [] if found is None else found[1].split(".")[1:]
            if steps and member(values, *steps) in (None, False):
                _set(made, steps, True)
        found = _PATH.fullmatch(request.number)
        number = [] if found is None else found[1].split(".")[1:]
        if request.values:
            number = [*request.values, "limits", request.resource]
        if number and not whole(member(values, *number)):
            _set(made, number, 2)
    return made


def template_names(text: bytes) -> frozenset[tuple[str, str]]:
    """The claim templates of a release, by namespace and name."""
    return frozenset((space, name) for kind, space, name in _objects(text) if kind == _TEMPLATE)


def counts_that_differ(
    off: bytes, on: bytes, pods: Sequence[PodRequests]
) -> tuple[list[str], dict[str, int]]:
    """What is wrong with the side with claims, and the counts that became requests, by template."""
    before, after = _objects(off), _objects(on)
    classes = {
        (pod.file, each.resource): each.target.device_class for pod in pods for each in pod.requests
    }
    wrong: list[str] = []
    done: dict[str, int] = {}
    used: set[tuple[str, str, str]] = set()
    for key, (file, data) in before.items():
        there = after.get(key)
        if there is None:
            wrong.append(f"{' '.join(filter(None, key))} is gone")
            continue
        replaced = _Replaced(file, key[1], classes, after)
        wrong += [f"{key[0]} {key[2]}: {each}" for each in replaced.wrong(data, there[1])]
        used |= replaced.used
        if replaced.done:
            done[file] = done.get(file, 0) + replaced.done
    for key in after.keys() - before.keys() - used:
        wrong.append(f"{' '.join(filter(None, key))} is new, and no pod names it")
    return wrong, done


class _Replaced:
    """One object without and with claims."""

    def __init__(
        self,
        file: str,
        space: str,
        classes: Mapping[tuple[str, str], str],
        after: _Objects,
    ) -> None:
        self._file, self._space, self._classes, self._after = file, space, classes, after
        self.used: set[tuple[str, str, str]] = set()
        self.done = 0

    def wrong(self, off: Any, on: Any) -> Iterator[str]:
        """What is wrong."""
        off, on = copy_plain(off), copy_plain(on)
        changed = False
        for one, other in zip(pod_specs(off), pod_specs(on), strict=False):
            asked: list[tuple[str, str, int]] = []
            for container in _containers(one.spec):
                for resource, number in self._counts(container):
                    asked.append((str(container.get("name")), resource, number))
            if not any(number for _, _, number in asked):
                continue
            changed = True
            if any(n for c in _containers(other.spec) for _, n in self._counts(c)):
                yield "it still asks for devices by counts"
            got = list(self._requests(other.spec))
            expected = sorted((c, self._classes[self._file, r], n) for c, r, n in asked if n)
            if sorted(got) != expected:
                yield f"expected the requests {expected}, found {sorted(got)}"
            self.done += len(expected)
        if changed or off != on:
            for side in (off, on):
                for at in pod_specs(side):
                    for container in _containers(at.spec):
                        for _ in self._counts(container):
                            pass
            if _full(off) != _full(on):
                yield "more differs than the counts"

    def _counts(self, container: Any) -> Iterator[tuple[str, int]]:
        """The counts of a container that become requests. They are removed from it."""
        found: dict[str, int] = {}
        for part in ("limits", "requests"):
            amounts: Any = mapping_at(container, "resources", part)
            for name in [*amounts]:
                if (self._file, name) in self._classes:
                    found[name] = whole(amounts.pop(name)) or 0
        yield from found.items()

    def _requests(self, spec: Any) -> Iterator[tuple[str, str, int]]:
        """The requests that containers have by the new claim, which is removed: container, class and count."""
        entries = list_at(spec, "resourceClaims")
        named = [each for each in entries if member(each, "name") == "devices"]
        if len(named) != 1:
            return
        entries.remove(named[0])
        key = (_TEMPLATE, self._space, str(named[0].get("resourceClaimTemplateName")))
        self.used.add(key)
        _, template = self._after.get(key, ("", None))
        devices = mappings_at(template, "spec", "spec", "devices", "requests")
        by_name = {each["name"]: each["exactly"] for each in devices}
        for container in _containers(spec):
            claims = list_at(container, "resources", "claims")
            for claim in [*claims]:
                if claim.get("name") != "devices":
                    continue
                claims.remove(claim)
                exactly = by_name.pop(claim.get("request"), None) or {}
                yield (
                    str(container.get("name")),
                    str(exactly.get("deviceClassName")),
                    exactly.get("count", 1),
                )
        for name in by_name:
            yield "", f"request {name}", 0


def _containers(spec: Any) -> Sequence[Any]:
    return mappings_at(spec, "containers")


def _full(data: Any) -> Any:
    """The data without empty lists and mappings, since removals may leave them without items."""
    if isinstance(data, dict):
        made = {key: _full(value) for key, value in data.items()}
        return {key: value for key, value in made.items() if value not in ({}, [], None)}
    return [_full(each) for each in data] if isinstance(data, list) else data


def _objects(text: bytes) -> _Objects:
    """The objects by kind, namespace and name, each with its template."""
    found: _Objects = {}
    for part in re.split(r"^---\s*$", text.decode(errors="replace"), flags=re.MULTILINE):
        source = _SOURCE.search(part)
        for document in load(part.encode()).documents:
            data: Any = document.data
            if mapping_at(data, "metadata"):
                space = string_at(data, "metadata", "namespace") or ""
                key = (str(data.get("kind")), space, str(member(data, "metadata", "name")))
                found[key] = (source[1] if source is not None else "", data)
    return found


def _set(data: dict[str, Any], steps: Sequence[str], value: Any) -> None:
    for step in steps[:-1]:
        data = data.setdefault(step, {})
    if isinstance(data, dict):
        data[steps[-1]] = value
