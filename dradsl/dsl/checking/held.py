"""What checks need to know of an app, and which apps of this process hold an object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol
from weakref import WeakSet

if TYPE_CHECKING:
    from dradsl.dsl.objects.manifest import Manifest
    from dradsl.values.json_types import JsonObject

__all__ = ["BuiltApp", "is_held", "register"]


class BuiltApp(Protocol):
    """The objects of an app, and what they are for."""

    feature_gates: dict[str, bool]

    @property
    def for_release(self) -> str | None:
        """The Kubernetes release that the objects are for."""

    @property
    def objects(self) -> tuple[Manifest, ...]:
        """The objects."""

    @property
    def uses(self) -> tuple[BuiltApp, ...]:
        """The apps that it relies on."""

    def to_dicts(self) -> list[JsonObject]:
        """The objects as plain data."""

    def to_yaml(self) -> str:
        """The objects as YAML."""

    def __hash__(self) -> int: ...


_APPS: WeakSet[BuiltApp] = WeakSet()


def register(app: BuiltApp) -> None:
    """Remember an app as long as it lives."""
    _APPS.add(app)


def is_held(obj: Manifest) -> bool:
    """Whether some app of this process holds that very object."""
    return any(one is obj for app in _APPS for one in app.objects)
