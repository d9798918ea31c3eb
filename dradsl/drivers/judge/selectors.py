"""The CEL selectors in plain Kubernetes objects, with what filters devices before each of them."""

from __future__ import annotations

from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

__all__ = ["FoundSelector", "selectors_in"]


@dataclass(frozen=True, slots=True)
class FoundSelector:
    """A selector, where it stands, and the selectors before it in its own list.

    `class_selectors` are those of the request's class if the objects hold it.
    """

    text: str
    object: str
    place: str
    before: tuple[str, ...]
    class_name: str | None
    class_selectors: tuple[str, ...] | None
    is_class: bool


def selectors_in(objects: Iterable[object]) -> Iterator[FoundSelector]:
    """Every selector of the DeviceClasses, claims and templates among `objects`, in any API version."""
    every = [each for each in objects if isinstance(each, dict)]
    classes = {
        str(_at(each, "metadata", "name")): _texts(_at(each, "spec", "selectors"))
        for each in every
        if each.get("kind") == "DeviceClass"
    }
    for each in every:
        name = f"{each.get('kind')} {_at(each, 'metadata', 'name')}"
        if each.get("kind") == "DeviceClass":
            own = _texts(_at(each, "spec", "selectors"))
            for index, text in enumerate(own):
                place = f"spec.selectors[{index}]"
                yield FoundSelector(text, name, place, own[:index], None, None, True)
        elif each.get("kind") == "ResourceClaim":
            yield from _requests(name, _at(each, "spec"), "spec", classes)
        elif each.get("kind") == "ResourceClaimTemplate":
            yield from _requests(name, _at(each, "spec", "spec"), "spec.spec", classes)


def _requests(
    name: str, spec: object, path: str, classes: Mapping[str, tuple[str, ...]]
) -> Iterator[FoundSelector]:
    for number, request in enumerate(_list(_at(spec, "devices", "requests"))):
        place = f"{path}.devices.requests[{number}]"
        bodies = [(place, request), (f"{place}.exactly", _at(request, "exactly"))]
        alternatives = _list(_at(request, "firstAvailable"))
        bodies += [(f"{place}.firstAvailable[{i}]", each) for i, each in enumerate(alternatives)]
        for where, body in bodies:
            device_class = _at(body, "deviceClassName")
            class_name = device_class if isinstance(device_class, str) else None
            own = _texts(_at(body, "selectors"))
            for index, text in enumerate(own):
                yield FoundSelector(
                    text, name, f"{where}.selectors[{index}]", own[:index], class_name,
                    classes.get(class_name) if class_name is not None else None, False,
                )  # fmt: skip


def _texts(selectors: object) -> tuple[str, ...]:
    found = (_at(each, "cel", "expression") for each in _list(selectors))
    return tuple(text for text in found if isinstance(text, str))


def _at(value: object, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
