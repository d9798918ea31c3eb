"""What is in use, kept by pool while it changes, is what counting it anew gives."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from hypothesis import given, strategies as st

from dradsl.allocator.inventory.allocated import AllocatedState, DeviceShare
from dradsl.allocator.inventory.slices import DeviceId

devices = st.builds(
    DeviceId, st.just("gpu.example.com"), st.sampled_from("pq"), st.sampled_from("abc")
)
changes = st.lists(
    st.tuples(st.sampled_from(("take", "share", "consume", "free", "ask", "copy")), devices),
    max_size=30,
)


@given(changes)
def test_uses_by_pool(made: list[tuple[str, DeviceId]]) -> None:
    state = AllocatedState()
    for number, (change, device) in enumerate(made):
        before = state.by_pool() if number % 2 else {}
        kept = deepcopy(before)
        match change:
            case "take":
                state.take(device, "ns/one")
            case "share":
                state.share(device, f"share-{number}", {"memory": number} if number % 3 else None)
            case "consume":
                state.consume(device, {"memory": number})
            case "free":
                state.free(device)
            case "copy":
                state = state.copy()
        assert before == kept
        anew = AllocatedState(state.exclusive, state.shares, state.consumed)
        found = {pool: uses for pool, uses in state.by_pool().items() if uses}
        assert found == anew.by_pool()


def test_a_share_is_given_back_and_others_stay() -> None:
    def claim(name: str, share: str, amount: str) -> Any:
        result = {"driver": "d", "pool": "p", "device": "x", "shareID": share}
        results = [{**result, "request": "r", "consumedCapacity": {"memory": amount}}]
        allocation = {"allocation": {"devices": {"results": results}}}
        return {"metadata": {"name": name, "namespace": "n"}, "status": allocation}

    claims = [claim("a", "1", "3Gi"), claim("b", "2", "5Gi")]
    both = AllocatedState.of_claims(claims)
    first, second = (
        DeviceShare.of(each["status"]["allocation"]["devices"]["results"][0]) for each in claims
    )
    alone = AllocatedState.of_claims(claims[1:])
    left = both.without([first])
    assert (left.shares, left.consumed) == (alone.shares, alone.consumed)
    assert left.by_pool() == alone.by_pool()
    none = both.without([first, second])
    assert (none.shares, none.consumed) == ({}, {})
    assert both.shares == AllocatedState.of_claims(claims).shares, "the state before stays"
