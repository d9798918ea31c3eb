"""What is found out about a pod, a claim or a workload: the step that stops it, and what belongs to it."""

from __future__ import annotations

import functools
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dradsl.data import text_beside
from dradsl.records import Record

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Answer", "DeviceUse", "ReadFact", "TriedChange", "steps"]


@functools.cache
def steps() -> Mapping[str, str]:
    """Where a pod can stop, and what that means; the last two are no stops."""
    found: Mapping[str, str] = json.loads(text_beside(__file__, "steps.json"))
    return found


class ReadFact(Record):
    """What a component wrote: the object and the part of it that holds it, and its words."""

    about: str
    text: str

    def __str__(self) -> str:
        return f"{self.about}: {self.text}"


class TriedChange(Record):
    """A change: in words, what is lost by it (empty: nothing), and how to make it, as commands and differences of
    objects. `tried`: it was tried on the dump; otherwise it follows from what a component wrote. `spec`: that of the pod
    with which it was tried, if the change is of the pod."""

    text: str
    gives_up: str = ""
    patch: tuple[str, ...] = ()
    tried: bool = True
    spec: Mapping[str, Any] | None = None

    def or_tried(self, other: TriedChange) -> TriedChange:
        """This change, and beside it one that was tried."""
        lost = f" (gives up {other.gives_up})" if other.gives_up else ""
        text = f"{self.text}; or, tried: {other.text}{lost}"
        return replace(self, text=text, patch=(*self.patch, *other.patch))


class DeviceUse(Record):
    """A device that a claim holds. `taints` are those that the claim does not tolerate; `trouble` is
    what a driver, the kubelet or the slices say against it; `leftover` for which pods that are gone
    or cannot end the claim is kept, and what releases it; `owner` the workload of its pods."""

    driver: str
    pool: str
    device: str
    claim: str
    request: str
    pods: tuple[str, ...] = ()
    since: str = ""
    share: str = ""
    admin: bool = False
    consumed: tuple[tuple[str, str], ...] = ()
    model: str = ""
    published: bool | None = None
    trouble: tuple[str, ...] = ()
    taints: tuple[str, ...] = ()
    leftover: tuple[str, ...] = ()
    owner: str = ""

    @property
    def name(self) -> str:
        return f"{self.driver}/{self.pool}/{self.device}"


class Answer(Record):
    """What stops one subject. `facts` are what components wrote about it, and `change` is what helps; `since` is when the subject was created, and `alike` are further subjects of which the same is
    true."""

    subject: str
    state: str
    step: str
    cause: str
    details: tuple[str, ...] = ()
    devices: tuple[DeviceUse, ...] = ()
    holders: tuple[DeviceUse, ...] = ()
    change: TriedChange | None = None
    facts: tuple[ReadFact, ...] = ()
    alike: tuple[str, ...] = ()
    since: str = ""

    @property
    def is_stopped(self) -> bool:
        return self.step != "none"
