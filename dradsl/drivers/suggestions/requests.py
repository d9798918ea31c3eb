"""The request of a claim that a constraint or config means by a name that no request has."""

from __future__ import annotations

from dradsl.values.plain import list_at, mappings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["requests_meant"]


def requests_meant(name: object, devices: object, beside: Sequence[object]) -> Sequence[str]:
    """The names that may be meant by `name`, which is listed `beside` others: one where that is known."""
    requests = [each for each in mappings(list_at(devices, "requests")) if "name" in each]
    for each in requests:
        for alternative in mappings(each.get("firstAvailable")):
            if alternative.get("name") == name:
                return [f"{each['name']}/{name}"]
    names = [str(each["name"]) for each in requests]
    left = [each for each in names if each not in beside]
    return left if len(left) == 1 and len(beside) > 1 else names
