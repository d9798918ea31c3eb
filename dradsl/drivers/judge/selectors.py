"""The CEL selectors in plain Kubernetes objects, with what filters devices before each of them."""

from __future__ import annotations

from dradsl.records import Record
from dradsl.values.plain import list_at, member

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["FoundSelector", "selectors_in"]


class FoundSelector(Record):
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
        str(member(each, "metadata", "name")): _texts(member(each, "spec", "selectors"))
        for each in every
        if each.get("kind") == "DeviceClass"
    }
    for each in every:
        name = f"{each.get('kind')} {member(each, 'metadata', 'name')}"
        if each.get("kind") == "DeviceClass":
            own = _texts(member(each, "spec", "selectors"))
            for index, text in enumerate(own):
                place = f"spec.selectors[{index}]"
                yield FoundSelector(text, name, place, own[:index], None, None, True)
        elif each.get("kind") == "ResourceClaim":
            yield from _requests(name, member(each, "spec"), "spec", classes)
        elif each.get("kind") == "ResourceClaimTemplate":
            yield from _requests(name, member(each, "spec", "spec"), "spec.spec", classes)


def _requests(
    name: str, spec: object, path: str, classes: Mapping[str, tuple[str, ...]]
) -> Iterator[FoundSelector]:
    for number, request in enumerate(list_at(spec, "devices", "requests")):
        place = f"{path}.devices.requests[{number}]"
        bodies = [(place, request), (f"{place}.exactly", member(request, "exactly"))]
        alternatives = list_at(request, "firstAvailable")
        bodies += [(f"{place}.firstAvailable[{i}]", each) for i, each in enumerate(alternatives)]
        for where, body in bodies:
            device_class = member(body, "deviceClassName")
            class_name = device_class if isinstance(device_class, str) else None
            own = _texts(member(body, "selectors"))
            for index, text in enumerate(own):
                yield FoundSelector(
                    text, name, f"{where}.selectors[{index}]", own[:index], class_name,
                    classes.get(class_name) if class_name is not None else None, False,
                )  # fmt: skip


def _texts(selectors: object) -> tuple[str, ...]:
    found = (member(each, "cel", "expression") for each in list_at(selectors))
    return tuple(text for text in found if isinstance(text, str))
