"""Small random fleets and claims in plain Python, for tests that count again what dradsl says.

What a request sees of a device is decided here by a few comparisons; nothing is shared with the
allocator but the objects that both are given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from dradsl.allocator.engine.plan import ClassRecord, read_class
from dradsl.allocator.inventory.allocated import AllocatedState
from dradsl.allocator.inventory.slices import DeviceId, Inventory, SliceReader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.kube.fields.typed_dicts import ResourceClaimDict

Json = dict[str, Any]

DRIVER = "gpu.example.com"
ROOT = f"{DRIVER}/root"
REJECTED = "z"
"""A kind of device that the class does not pick."""

_OWN = f'device.attributes["{DRIVER}"]'


@dataclass(frozen=True)
class Gpu:
    """A device.

    `root`: its PCIe root, None if not published. `slots` it takes of its node's counter, `memory`
    is its capacity. `held`: None free, 0 in use as a whole, else the memory that shares consume.
    """

    kind: str
    root: str | None
    slots: int = 0
    tainted: bool = False
    memory: int = 2
    shared: bool = False
    held: int | None = None


@dataclass(frozen=True)
class Wish:
    """A request, or one alternative. None: any kind, any index, All, no memory asked for."""

    kind: str | None
    below: int | None
    count: int | None
    tolerates: bool
    memory: int | None


Node = tuple[int, tuple[Gpu, ...]]
"""The slots of a node's counter, and its devices."""

Constraint = tuple[bool, tuple[int, ...]]
"""Whether roots must differ, and the requests covered."""


@dataclass(frozen=True)
class Case:
    nodes: tuple[Node, ...]
    requests: tuple[tuple[Wish, ...], ...]
    constraints: tuple[Constraint, ...]

    def wishes(self) -> Iterator[tuple[int, int, Wish]]:
        """Every alternative of every request, with the numbers of both."""
        for number, wanted in enumerate(self.requests):
            for place, wish in enumerate(wanted):
                yield number, place, wish


_roots = st.sampled_from(("r0", "r1", None))
_kinds = st.sampled_from(("a", "b", "b", REJECTED))
_seldom = st.sampled_from((False, False, False, True))
free_gpus = st.builds(
    Gpu, _kinds, _roots, st.sampled_from((0, 0, 0, 1, 3)), _seldom, st.integers(1, 3)
)
plain_gpus = st.builds(Gpu, st.sampled_from("ab"), st.sampled_from(("r0", "r1")))


@st.composite
def gpus(draw: st.DrawFn) -> Gpu:
    """Devices of which some are in use, as a whole or in part."""
    one = draw(free_gpus)
    shared = draw(st.booleans())
    held = draw(st.sampled_from((None, None, 0, 1, 2)))
    if held and not shared:
        held = 0
    return Gpu(one.kind, one.root, one.slots, one.tainted, one.memory, shared, held)


wishes = st.builds(
    Wish,
    st.sampled_from(("a", "b", None, None, "absent")),
    st.sampled_from((None, None, 1, 2, 4)),
    st.sampled_from((1, 1, 2, 2, 3, 4, None)),
    st.sampled_from((False, False, True)),
    st.sampled_from((None, None, 1, 2, 3)),
)
plain_wishes = st.builds(
    Wish,
    st.sampled_from(("a", "b", None)),
    st.none(),
    st.sampled_from((1, 2, 3, None)),
    st.just(False),
    st.none(),
)


@st.composite
def cases(
    draw: st.DrawFn,
    *,
    plain: bool = False,
    least: int = 1,
    most: int = 3,
    in_use: bool = False,
    size: int = 7,
) -> Case:
    """`plain` ones leave only constraints and limits to blame; `least` alternatives a request,
    `most` requests."""
    gpu, wish = (plain_gpus, plain_wishes) if plain else (gpus() if in_use else free_gpus, wishes)
    devices = st.lists(gpu, max_size=size).map(tuple)
    nodes = draw(st.lists(st.tuples(st.integers(1, 4), devices), min_size=1, max_size=3))
    wanted = st.lists(wish, min_size=least, max_size=1 if plain else 3).map(tuple)
    requests = draw(
        st.lists(wanted, min_size=1, max_size=min(most, 2 if plain or least > 1 else 3))
    )
    covered = st.sampled_from([tuple(range(len(requests))), (0,)])
    constraints = draw(st.lists(st.tuples(st.booleans(), covered), max_size=2))
    return Case(tuple(nodes), tuple(requests), tuple(constraints))


# What a wish sees of a device


def passes_class(gpu: Gpu) -> bool:
    return gpu.kind != REJECTED


def clauses(wish: Wish) -> list[str]:
    """The clauses of a wish's selector, in order."""
    found = [] if wish.kind is None else [f'{_OWN}.kind == "{wish.kind}"']
    return found if wish.below is None else [*found, f"{_OWN}.index < {wish.below}"]


def failed_clauses(wish: Wish, gpu: Gpu, place: int) -> list[str]:
    by_kind = wish.kind is not None and wish.kind != gpu.kind
    by_index = wish.below is not None and place >= wish.below
    return [text for text in clauses(wish) if (by_kind if ".kind " in text else by_index)]


def selected(wish: Wish, gpu: Gpu, place: int) -> bool:
    return passes_class(gpu) and not failed_clauses(wish, gpu, place)


# As objects


def slices(case: Case) -> list[Json]:
    found = []
    for number, (slots, devices) in enumerate(case.nodes):
        name = f"node-{number}"
        pool = {"name": name, "generation": 1, "resourceSliceCount": 2}
        base: Json = {"driver": DRIVER, "nodeName": name, "pool": pool}
        listed = [_device(gpu, place) for place, gpu in enumerate(devices)]
        counters = [{"name": "board", "counters": {"slots": {"value": str(slots)}}}]
        found.append({"metadata": {"name": f"{name}-0"}, "spec": base | {"devices": listed}})
        found.append(
            {"metadata": {"name": f"{name}-1"}, "spec": base | {"sharedCounters": counters}}
        )
    return found


def _device(gpu: Gpu, place: int) -> Json:
    device: Json = {
        "name": f"gpu-{place}",
        "attributes": {"kind": {"string": gpu.kind}, "index": {"int": place}},
        "capacity": {"memory": {"value": str(gpu.memory)}},
    }
    if gpu.root is not None:
        device["attributes"]["root"] = {"string": gpu.root}
    if gpu.slots:
        device["consumesCounters"] = [
            {"counterSet": "board", "counters": {"slots": {"value": str(gpu.slots)}}}
        ]
    if gpu.tainted:
        device["taints"] = [{"key": "broken", "effect": "NoSchedule"}]
    if gpu.shared:
        device["allowMultipleAllocations"] = True
    return device


def claim(case: Case) -> ResourceClaimDict:
    requests: list[Any] = []
    for number, wanted in enumerate(case.requests):
        if len(wanted) == 1:
            requests.append({"name": f"r{number}", "exactly": _ask(wanted[0])})
        else:
            parts = [{"name": f"s{i}", **_ask(wish)} for i, wish in enumerate(wanted)]
            requests.append({"name": f"r{number}", "firstAvailable": parts})
    constraints: list[Any] = [
        {
            "distinctAttribute" if distinct else "matchAttribute": ROOT,
            "requests": [f"r{number}" for number in covered],
        }
        for distinct, covered in case.constraints
    ]
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "claim", "namespace": "ns"},
        "spec": {"devices": {"requests": requests, "constraints": constraints}},
    }


def _ask(wish: Wish) -> Json:
    found: Json = {"deviceClassName": "gpu", "allocationMode": "All"}
    if wish.count is not None:
        found |= {"allocationMode": "ExactCount", "count": wish.count}
    if clauses(wish):
        found["selectors"] = [{"cel": {"expression": " && ".join(clauses(wish))}}]
    if wish.tolerates:
        found["tolerations"] = [{"key": "broken", "operator": "Exists"}]
    if wish.memory is not None:
        found["capacity"] = {"requests": {"memory": str(wish.memory)}}
    return found


def class_document() -> Json:
    texts = (f'device.driver == "{DRIVER}"', f'{_OWN}.kind != "{REJECTED}"')
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": "gpu"},
        "spec": {"selectors": [{"cel": {"expression": text}} for text in texts]},
    }


def classes() -> dict[str, ClassRecord]:
    return {"gpu": read_class(class_document())}


def inventory(case: Case) -> Inventory:
    reader = SliceReader()
    return Inventory([reader.read(one) for one in slices(case)])


def name_of(number: int, place: int) -> DeviceId:
    return DeviceId(DRIVER, f"node-{number}", f"gpu-{place}")


def state(case: Case) -> AllocatedState:
    """What is in use, by claims that are not otherwise known."""
    found = AllocatedState()
    for number, (_, devices) in enumerate(case.nodes):
        for place, gpu in enumerate(devices):
            if gpu.held:
                found.share(name_of(number, place), "s", {"memory": gpu.held * 10**9}, "ns/other")
            elif gpu.held == 0:
                found.take(name_of(number, place), "ns/other")
    return found
