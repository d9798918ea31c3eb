"""Changes of the allocator: its switches, the tests on the way to a device, the constraints, the gates."""

from __future__ import annotations

import dataclasses
import functools
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from unittest import mock

from dradsl.allocator import switches
from dradsl.releases import RELEASES, scheduling
from dradsl.releases.scheduling import (
    AllocatorVariant,
    CounterScope,
    DistinctComparison,
    Plugin,
    PoolModel,
    SearchOrder,
)
from tests.replay.protocol import gates_of
from tests.verdicts.mutants import Mutant, other_values, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from contextlib import AbstractContextManager

    from dradsl.releases import Release

__all__ = ["allocator", "gates", "steps"]


# Allocator features that a switch has to do with: without those of `on`, or with those of `off`, the
# code that asks for the switch is not reached (dradsl/allocator, where the switch is read).
@dataclasses.dataclass(frozen=True)
class _Need:
    on: tuple[str, ...] = ()
    off: tuple[str, ...] = ()


_COUNTERS = _Need(("PartitionableDevices",))
_SHARED_COUNTERS = _Need(("PartitionableDevices", "ConsumableCapacity"))
_CAPACITY = _Need(("ConsumableCapacity",))
_ALTERNATIVES = _Need(("PrioritizedList",))
_NEEDS: Mapping[str, tuple[_Need, ...]] = MappingProxyType(
    {
        "counters": (_COUNTERS,),
        "shares_hold_counters": (_COUNTERS,),
        "second_share_free": (_SHARED_COUNTERS,),
        "share_is_in_use": (_SHARED_COUNTERS,),
        "leaks": (_COUNTERS, _CAPACITY),
        "checks_other_device": (_CAPACITY,),
        "static_all": (_CAPACITY,),
        "capacity_is_fatal": (_CAPACITY,),
        "step_format": (_CAPACITY,),
        # Without alternatives the sum is checked before the search begins.
        "reports_too_many": (_ALTERNATIVES,),
        "keeps_alternative": (_ALTERNATIVES,),
        "shifted_cache": (_ALTERNATIVES,),
        "checks_capacity_gate": (_Need(off=("ConsumableCapacity",)),),
        "subrequest_in_gate_text": (_Need(("PrioritizedList",), ("ConsumableCapacity",)),),
        "rejects_derived": (_Need(off=("DerivedAttributes",)),),
        "undoes_lists": (_Need(("ListTypeAttributes",)),),
        "every_taint_blocks": (_Need(("DeviceTaints",)),),
        "ignores_compatibility_groups": (_Need(off=("CompatibilityGroups",)),),
    }
)
_NEVER_ON = "the release never picks this implementation for the features that it takes"
_ANY_ORDER = "upstream may well visit pools and slices in that order"
_NO_ORDER = (
    "what it knows of devices fails in one order as in another, and its steps are not counted"
)
_ALIKE = "the implementation that is picked instead does the same"
_NOT_ASKED = "no implementation of the release asks"
_UNUSED = "nothing that dradsl answers depends on the gate"


def _features_of(release: Release) -> frozenset[str]:
    """What the allocator of a release can have on."""
    known = release.gates.keys()
    names = {name for name, need in switches.ALLOCATOR_FEATURES if all(g in known for g in need)}
    return frozenset(names)


def _can_be_picked(
    row: tuple[AllocatorVariant, ...], place: int, need: _Need, release: Release
) -> bool:
    """Whether a set of features exists with which the release picks the implementation."""
    all_features = _features_of(release)
    supported = all_features if place == len(row) - 1 else all_features & row[place].supports
    wanted = supported - set(need.off)
    # 1.34 goes to its last implementation as soon as the status of devices is on.
    statuses = place == len(row) - 1 and bool(row[place].supports - all_features)
    earlier = row[:place]
    return set(need.on) <= wanted and (
        statuses or not any(wanted <= variant.supports for variant in earlier)
    )


def _unseen(
    row: tuple[AllocatorVariant, ...], place: int, name: str, value: Any, release: Release
) -> str:
    """Why no question can notice that a switch of an implementation has another value."""
    variant = row[place]
    needs = _NEEDS.get(name, (_Need(),))
    if name != "supports" and not any(_can_be_picked(row, place, n, release) for n in needs):
        return _NEVER_ON
    if name == "subrequest_in_gate_text" and not variant.checks_capacity_gate:
        return _NOT_ASKED
    if name == "share_is_in_use" and not variant.second_share_free:
        return _NOT_ASKED
    if name == "combinations" and not variant.supports:
        return _NO_ORDER
    if name == "order" and variant.order is SearchOrder.CHANCE and value is not variant.order:
        return _ANY_ORDER
    pair = {value, getattr(variant, name)}
    if pair == {DistinctComparison.IDENTITY, DistinctComparison.LAST_OF_REQUEST}:
        # With list values the devices themselves are not compared, whatever the switch says.
        scalars = _Need(off=("ListTypeAttributes",))
        return "" if _can_be_picked(row, place, scalars, release) else _NEVER_ON
    if name == "supports":
        return _unseen_support(row, place, variant.supports - value)
    return ""


def _unseen_support(row: tuple[AllocatorVariant, ...], place: int, lost: frozenset[str]) -> str:
    variant = row[place]
    if place == len(row) - 1:
        # The last one is picked whatever it knows, and all of them have code for the oldest four.
        features = switches.usable_features(variant, switches.AllocatorFeatures(lost))
        fewer = dataclasses.replace(variant, supports=variant.supports - lost)
        if features == switches.usable_features(fewer, switches.AllocatorFeatures(lost)):
            return _ALIKE
        return ""
    following = row[place + 1]
    same = dataclasses.replace(variant, name=following.name, supports=following.supports)
    return _ALIKE if same == following else ""


def allocator() -> Iterator[Mutant]:
    """Every switch of every implementation that a release may pick, and of the plugin."""
    for name, release in RELEASES.items():
        row = scheduling.recorded_variants()[name]
        for place, variant in enumerate(row):
            for field in dataclasses.fields(variant):
                if field.name == "name":
                    continue
                for value in other_values(getattr(variant, field.name)):
                    changed = list(row)
                    changed[place] = dataclasses.replace(variant, **{field.name: value})
                    rows = {**scheduling.recorded_variants(), name: tuple(changed)}
                    yield Mutant(
                        f"allocator {name} {variant.name}: {field.name} = {shown(value)}",
                        ("alloc",),
                        name,
                        _patched(scheduling, "recorded_variants", functools.partial(dict, rows)),
                        touches=functools.partial(_answered_by, release, variant.name),
                        group=variant.name,
                        unseen=_unseen(row, place, field.name, value, release),
                    )
        yield from _plugin(name)


def _plugin(name: str) -> Iterator[Mutant]:
    plugin = scheduling.recorded_plugins()[name]
    for field in dataclasses.fields(plugin):
        for value in other_values(getattr(plugin, field.name)):
            changed = dataclasses.replace(plugin, **{field.name: value})
            yield Mutant(
                f"plugin {name}: {field.name} = {shown(value)}",
                ("schedule",),
                name,
                _with_plugin(name, changed),
                unseen=_unseen_in_plugin(field.name, RELEASES[name]),
            )
    rules = plugin.node_rules
    if rules is None:
        return
    for field in dataclasses.fields(rules):
        for value in other_values(getattr(rules, field.name)):
            other = dataclasses.replace(rules, **{field.name: value})
            changed = dataclasses.replace(plugin, node_rules=other)
            yield Mutant(
                f"node resources {name}: {field.name} = {shown(value)}",
                ("schedule",),
                name,
                _with_plugin(name, changed),
                touches=functools.partial(_takes, RELEASES[name]),
                group="node resources",
            )


def _unseen_in_plugin(name: str, release: Release) -> str:
    known = name != "passes_lists" or "DRAListTypeAttributes" in release.gates
    return "" if known else "the release does not know DRAListTypeAttributes"


def _takes(release: Release, question: Mapping[str, Any]) -> bool:
    """Whether what devices take of nodes counts."""
    gates = gates_of(question, release)
    return "DRANodeAllocatableResources" in gates and "nodeAllocatable" in str(question["slices"])


def _answered_by(release: Release, variant: str, question: Mapping[str, Any]) -> bool:
    """Whether this implementation of the release answers."""
    enabled = switches.allocator_features(gates_of(question, release))
    named = question.get("impl") or "auto"
    row = switches.variants_of(release.name)
    picked = switches.choose_variant(row, enabled, None if named == "auto" else named)
    return picked.name == variant


def _patched(target: Any, name: str, value: Any) -> Callable[[], AbstractContextManager[Any]]:
    return functools.partial(mock.patch.object, target, name, value)


def _with_plugin(name: str, plugin: Plugin) -> Callable[[], AbstractContextManager[Any]]:
    plugins = {**scheduling.recorded_plugins(), name: plugin}
    return _patched(scheduling, "recorded_plugins", functools.partial(dict, plugins))


class _Anything:
    """A constraint that nothing can break."""

    def add(self, *_: Any) -> bool:
        return True

    def remove(self, *_: Any) -> None:
        return None

    def state(self) -> None:
        return None


def _changes() -> Iterator[tuple[str, Any, str, Any, Callable[[AllocatorVariant], bool] | None]]:
    """Tests on the way to a device, taken out: name, where it is, what stands there instead, and
    which implementations make the test at all (None: all)."""
    from dradsl.allocator.engine import (
        capacity,
        constraints,
        eligibility,
        ledger,
        problem,
        signatures,
    )
    from dradsl.allocator.inventory import nodes, pools

    def whole(variant: AllocatorVariant) -> bool:
        return variant.pools is PoolModel.WHOLE

    def knows(feature: str) -> Callable[[AllocatorVariant], bool]:
        return lambda variant: feature in variant.supports

    def never(*_: Any, **__: Any) -> bool:
        return False

    def always(*_: Any, **__: Any) -> bool:
        return True

    def nothing(*_: Any, **__: Any) -> None:
        return None

    taking = ledger.Ledger
    yield "no taint blocks", signatures, "blocking_taint", nothing, None
    yield "constraints always hold", ledger, "make_constraint", lambda **_: _Anything(), None
    yield "an attribute is never found", problem, "lookup", nothing, None
    yield "node selectors match everything", nodes.ParsedNodeSelector, "matches", always, None
    yield "slices reach every node", pools.PoolGatherer, "_reaches", always, None
    yield "devices reach every node", pools.PoolGatherer, "device_reaches", always, None
    yield "no slice is hidden by a gate", pools.PoolGatherer, "_hidden", never, None
    yield "duplicate devices are fine", pools, "_duplicate_device", nothing, None
    yield "pools are the same on all nodes", pools, "_differs_between_nodes", never, _carries
    yield "counters need no definition", pools, "_wrong_counters", nothing, whole
    yield "binding conditions change no order", pools, "_has_conditions", never, _orders_conditions
    yield "every selector holds", eligibility.Eligibility, "of", always, None
    yield "capacity is never rounded", capacity, "_steps", lambda *_: 0, None
    yield "policies reject nothing", capacity._Rules, "violation", nothing, None
    yield "there is always capacity", taking, "has_capacity", always, None
    yield "counters are not charged", taking, "_reserve_counters", always, None
    yield "allocated devices hold no counters", problem.ProblemBuilder, "_holds", never, None
    groups = knows("CompatibilityGroups")
    yield "compatibility groups always agree", ledger, "_compatible", always, groups
    yield "scalars always match", constraints._MatchScalar, "add", always, None
    lists = knows("ListTypeAttributes")
    yield "lists always match", constraints._MatchList, "add", always, lists
    yield "values always differ", constraints, "_differs", always, _distinguishes
    yield "lists are no values", constraints, "_LIST_OF", {}, lists
    for kind in ("int", "bool", "string", "version"):
        yield f"{kind} attributes are no values", constraints, "value_of", _blind(kind), None


def _blind(kind: str) -> Callable[..., Any]:
    from dradsl.allocator.engine.constraints import value_of

    def value(attribute: Any, lists: bool) -> Any:
        return (
            None if attribute is not None and attribute[0] == kind else value_of(attribute, lists)
        )

    return value


def _orders_conditions(variant: AllocatorVariant) -> bool:
    return variant.order is not SearchOrder.CHANCE


def _carries(variant: AllocatorVariant) -> bool:
    return variant.counters is not CounterScope.SLICE


def _distinguishes(variant: AllocatorVariant) -> bool:
    return variant.distinct is not DistinctComparison.UNKNOWN


def steps() -> Iterator[Mutant]:
    """Every test on the way to taking a device, taken out; every kind of constraint, met always."""
    from dradsl.allocator.engine import problem

    for name in RELEASES:
        for text, target, attribute, replacement, asks in _changes():
            asked = asks is None or any(map(asks, switches.variants_of(name)))
            where = problem if attribute == "value_of" else target
            yield Mutant(
                f"allocator {name}: {text}",
                ("alloc",),
                name,
                _patched(where, attribute, replacement),
                unseen="" if asked else _NOT_ASKED,
            )


def gates() -> Iterator[Mutant]:
    """The default of every DRA gate."""
    for name, release in RELEASES.items():
        for gate in release.gates.values():
            if not gate.name.startswith("DRA"):
                continue
            changed = dataclasses.replace(gate, default=not gate.default)
            row = dataclasses.replace(
                release, gates=MappingProxyType({**release.gates, gate.name: changed})
            )
            subjects = ("schedule", "alloc", "validate", "pod", "cel")
            yield Mutant(
                f"gate {name}: {gate.name}",
                subjects,
                name,
                row=row,
                touches=functools.partial(_told_apart, release, row),
                unseen="" if _is_named(gate.name) else _UNUSED,
            )


def _told_apart(release: Release, row: Release, question: Mapping[str, Any]) -> bool:
    """Whether the gates of a question depend on the default."""
    return gates_of(question, release) != gates_of(question, row)


@functools.cache
def _sources() -> str:
    from pathlib import Path

    import dradsl

    root = Path(dradsl.__file__).parent
    return "".join(
        path.read_text("utf-8")
        for path in sorted(root.rglob("*.py"))
        if path.parent.name != "releases" and "replay" not in path.parts
    )


def _is_named(gate: str) -> bool:
    """Whether any module besides the table of releases asks for a gate."""
    return gate in _sources()
