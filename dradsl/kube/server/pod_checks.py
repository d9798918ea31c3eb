"""The checks of a run's pod specs: those that say the same of claims are checked once.

Whole pods are hardly ever alike; what the checks look at is, but for the names of the claims and
templates that are used, of which nothing is asked but that they are legal.
"""

from __future__ import annotations

import marshal

from dradsl.kube.pods.spec import MIRROR, of_concern, pod_spec_errors
from dradsl.kube.pods.workloads import PLACES
from dradsl.values.patterns import pattern
from dradsl.values.plain import list_at, mapping_at, member

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from dradsl.kube.errors import FieldError, Path
    from dradsl.releases import Features
    from dradsl.values.json_types import JsonObject

__all__ = ["PodChecks"]

_PLAIN = pattern(r"[a-z](?:[-a-z0-9]{0,40}[a-z0-9])?")  # legal as the name of a claim
_BLANK = ...  # no object holds this
_SOURCES = ("resourceClaimName", "resourceClaimTemplateName")
_CONTAINERS = ("containers", "initContainers", "ephemeralContainers")
_LOOKED_AT = ("resources", "claims", "resourceClaims")  # of a container
_FLAT = 2  # the version of marshal's form that is the same for equal values
_OF_JOBS = ("job-name", "controller-uid")  # labels with the name or UID of a Job
_MOST = 10_000  # contents remembered; what comes after is checked each time


class PodChecks:
    """The pod specs of one run, and the objects around them: the same features."""

    __slots__ = ("_clean", "_clean_wholes", "_features", "_last", "_taken")

    def __init__(self, features: Features) -> None:
        self._features = features
        self._clean: set[bytes] = set()
        self._taken: set[bytes] = set()
        self._clean_wholes: set[bytes] = set()
        self._last: tuple[object, bytes | None] = (None, None)

    def knows(self, obj: Mapping[str, Any]) -> bool:
        """Whether one that differs in nothing but plain names was taken as a whole."""
        if not self._taken:
            return False
        content = _without_names(obj)
        self._last = (obj, content)
        return content in self._taken

    def taken(self, obj: Mapping[str, Any]) -> None:
        """An object of one of the kinds of `PLACES` is right as a whole, or not looked at."""
        content = self._last[1] if self._last[0] is obj else _without_names(obj)
        if content is not None and len(self._taken) < _MOST:
            self._taken.add(content)

    def errors(
        self,
        spec: Mapping[str, object],
        annotations: Mapping[str, object],
        path: Path,
        *,
        defaulted: bool = False,
    ) -> list[FieldError]:
        """The `pod_spec_errors`; plain amounts, such as cpu, count in a spec that mentions claims."""
        whole = None if defaulted else self._whole_of(spec)
        if whole in self._clean_wholes:
            return []
        key = _looked_at(spec, annotations)
        if key in self._clean and not defaulted:
            if whole is not None:
                self._clean_wholes.add(whole)
            return []
        errors = pod_spec_errors(
            spec, self._features, annotations=annotations, path=path, defaulted=defaulted
        )
        # Errors name places: only their absence is used again.
        if key is not None and not (errors or defaulted) and len(self._clean) < _MOST:
            self._clean.add(key)
        return of_concern(errors, spec) if errors else errors

    def _whole_of(self, spec: Mapping[str, object]) -> bytes | None:
        """The content of the object that `knows` was asked of last, if this is its pod spec."""
        obj, content = self._last
        if content is None or not isinstance(obj, dict):
            return None
        return content if member(obj, *PLACES[obj["apiVersion"], obj["kind"]]) is spec else None


def _looked_at(spec: Mapping[str, object], annotations: Mapping[str, object]) -> bytes | None:
    """All that the checks look at, without the names of claims; None where it cannot be compared."""
    claims = spec.get("resourceClaims")
    if isinstance(claims, list):
        claims = [_nameless(entry) if isinstance(entry, dict) else entry for entry in claims]
    containers = [
        [
            [container.get(name, _BLANK) for name in _LOOKED_AT]
            for container in list_at(spec, part)
            if isinstance(container, dict)
        ]
        for part in _CONTAINERS
    ]
    whole = [claims, spec.get("claims"), spec.get("resources"), MIRROR in annotations]
    try:
        return marshal.dumps([whole, containers], _FLAT)
    except ValueError:  # a value of no plain type, or one too deep
        return None


def _nameless(entry: JsonObject) -> JsonObject:
    plain = {
        name: _BLANK
        for name in _SOURCES
        if isinstance(entry.get(name), str) and _PLAIN.fullmatch(entry[name])
    }
    return {**entry, **plain}


def _without_names(obj: Mapping[str, Any]) -> bytes | None:
    """An object without its plain name, those of its only container and of its claims, and the plain values of labels;
    None where it cannot be compared. A selector goes with the labels if it asks for these very values."""
    metadata = obj.get("metadata")
    *above, last = PLACES[str(obj["apiVersion"]), str(obj["kind"])]
    spec = member(obj, *above, last)
    if not (isinstance(metadata, dict) and isinstance(spec, dict) and _is_plain(metadata, "name")):
        return None
    own = {key: _BLANK for key in ("name", "namespace") if _is_plain(metadata, key)}
    found: JsonObject = {**obj, "metadata": {**metadata, **own, **_blank_labels(metadata)}}
    holder = found
    for step in above:
        holder[step] = holder = {**holder[step]}
    spec = holder[last] = {**spec}
    if isinstance(claims := spec.get("resourceClaims"), list):
        spec["resourceClaims"] = [_nameless(e) if isinstance(e, dict) else e for e in claims]
    if above and _is_plain(outer := found.get("spec", {}), "serviceName"):
        outer["serviceName"] = _BLANK  # of a StatefulSet
    if len(containers := list_at(spec, "containers")) == 1 and spec.keys().isdisjoint(
        _CONTAINERS[1:]
    ):
        only = containers[0]
        if isinstance(only, dict) and _is_plain(only, "name"):
            spec["containers"] = [{**only, "name": _BLANK}]
    inner, selector = holder.get("metadata"), member(found, "spec", "selector")
    if above and isinstance(inner, dict) and (blank := _blank_labels(inner)):
        wanted = mapping_at(selector, "matchLabels")
        if selector is None:
            holder["metadata"] = {**inner, **blank}
        elif selector == {"matchLabels": wanted} and wanted.items() <= inner["labels"].items():
            holder["metadata"] = {**inner, **blank}
            found["spec"]["selector"] = [*wanted]
    try:
        return marshal.dumps(found, _FLAT)
    except ValueError:
        return None


def _is_plain(metadata: Mapping[str, object], key: str) -> bool:
    name = metadata.get(key)
    return isinstance(name, str) and _PLAIN.fullmatch(name) is not None


def _blank_labels(metadata: Mapping[str, object]) -> dict[str, object]:
    """The labels without their values, if all of these are plain and none is of a Job."""
    labels = metadata.get("labels")
    if not isinstance(labels, dict) or not all(_is_plain(labels, key) for key in labels):
        return {}
    return {} if any(str(k).endswith(_OF_JOBS) for k in labels) else {"labels": [*labels]}
