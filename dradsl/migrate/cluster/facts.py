"""Facts about how devices are handed out, each with its place, and the conclusions from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from dradsl.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Cluster", "Fact", "Mig", "Subject", "both"]

# `replicas`: this many pods share a device of `resource` ("" where the number is not known); `mig-strategy`:
# that of the device plugin; `mig-layout`: the profile that GPUs are divided into, or `none`; `taint`: nodes have
# a taint by the name of `resource`.
Subject = Literal["replicas", "mig-strategy", "mig-layout", "taint"]


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact from one place of the run; `text` is a sentence that begins with file and line. `quiet` facts are
    defaults of a chart: they count if nothing is written. `file` is the name of the file that states the fact."""

    subject: Subject
    value: str
    text: str
    resource: str = ""
    quiet: bool = False
    file: str = ""


def both(facts: Sequence[Fact]) -> str:
    """The sentences of facts, one for each value."""
    first: dict[str, str] = {}
    for fact in facts:
        first.setdefault(fact.value, fact.text)
    return "; but ".join(first.values())


@dataclass(frozen=True, slots=True)
class Cluster:
    """The conclusions from the facts of a run."""

    facts: tuple[Fact, ...] = ()

    def sharing(self, resource: str) -> str | None:
        """Why devices of a resource are shared, or may be; sources that differ are all named."""
        found = self._about("replicas", resource)
        return both(found) if any(fact.value != "1" for fact in found) else None

    def sharers(self, resource: str) -> tuple[str, ...]:
        """The numbers of pods that share a device, each once."""
        found = dict.fromkeys(fact.value for fact in self._about("replicas", resource))
        return tuple(value for value in found if value not in ("", "1"))

    def unshared(self, resource: str) -> str | None:
        """The sentence that states explicitly that devices of a resource are not shared."""
        found = self._about("replicas", resource)
        return found[0].text if found and all(fact.value == "1" for fact in found) else None

    def taint(self, resource: str) -> str | None:
        """The sentence that nodes have a taint by the name of a resource."""
        return next((fact.text for fact in self._about("taint", resource)), None)

    def mig(self) -> Mig:
        """How GPUs are divided as far as the run says."""
        strategies = self._about("mig-strategy")
        strategies = [f for f in strategies if not f.quiet] or strategies
        layouts = self._about("mig-layout")
        divided = [fact for fact in layouts if fact.value != "none"]
        values = {fact.value for fact in strategies}
        if not values or (strategies[0].quiet and not divided):
            return Mig()
        profiles = {fact.value for fact in divided}
        profile = next(iter(profiles)) if len(profiles) == 1 else None
        if "single" not in values:
            return Mig(whole=both(strategies))
        if len(values) > 1:
            return Mig(differ=both(strategies), layout=profile)
        if layouts and not divided:
            return Mig(whole=layouts[0].text)
        single = strategies[0].text + (f"; {both(divided)}" if divided else "")
        return Mig(single=f"{single}: nvidia.com/gpu is a MIG device there", layout=profile)

    def _about(self, subject: Subject, resource: str | None = None) -> list[Fact]:
        return [
            fact
            for fact in self.facts
            if fact.subject == subject and resource in (None, fact.resource)
        ]


@dataclass(frozen=True, slots=True)
class Mig:
    """What nvidia.com/gpu is: the one field that is true has a sentence. `layout` is the profile of the layout
    that nodes have by default."""

    single: str | None = None
    whole: str | None = None
    differ: str | None = None
    layout: str | None = None
