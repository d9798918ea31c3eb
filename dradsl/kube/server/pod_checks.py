"""The checks of a run's pod specs: those that say the same of claims are checked once.

Whole pods are hardly ever alike; what the checks look at is, but for the names of the claims and
templates that are used, of which nothing is asked but that they are legal.
"""

from __future__ import annotations

import marshal

from dradsl.kube.pods.spec import MIRROR, of_concern, pod_spec_errors
from dradsl.values.patterns import pattern

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
_MOST = 10_000  # contents remembered; what comes after is checked each time


class PodChecks:
    """The pod specs of one run: the same features."""

    __slots__ = ("_clean", "_features")

    def __init__(self, features: Features) -> None:
        self._features = features
        self._clean: set[bytes] = set()

    def errors(
        self,
        spec: Mapping[str, object],
        annotations: Mapping[str, object],
        path: Path,
        *,
        defaulted: bool = False,
    ) -> list[FieldError]:
        """As `pods.validate_pod_spec`."""
        key = _looked_at(spec, annotations)
        if key in self._clean and not defaulted:
            return []
        errors = pod_spec_errors(
            spec, self._features, annotations=annotations, path=path, defaulted=defaulted
        )
        # Errors name places: only their absence is used again.
        if key is not None and not (errors or defaulted) and len(self._clean) < _MOST:
            self._clean.add(key)
        return of_concern(errors, spec) if errors else errors


def _looked_at(spec: Mapping[str, object], annotations: Mapping[str, object]) -> bytes | None:
    """All that the checks look at, without the names of claims; None where it cannot be compared."""
    claims = spec.get("resourceClaims")
    if isinstance(claims, list):
        claims = [_nameless(entry) if isinstance(entry, dict) else entry for entry in claims]
    containers = [
        [
            [container.get(name, _BLANK) for name in _LOOKED_AT]
            for container in _items(spec, part)
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


def _items(spec: Mapping[str, object], part: str) -> list[Any]:
    items = spec.get(part)
    return items if isinstance(items, list) else []
