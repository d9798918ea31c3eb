"""Checking and evaluating CEL selectors beside cel-python, on the same expressions and devices.

    python -m benchmarks cel

cel-python has no types to check, so its column of the first table is parsing and building alone.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import celpy

from benchmarks.measure import paired_calls
from dradsl.cel.dra import DeviceView, compile_selector, device_view

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

DRIVER = "gpu.example.com"
_ATTRIBUTES = f'device.attributes["{DRIVER}"]'

SELECTORS = {
    "driver": f'device.driver == "{DRIVER}"',
    "driver and model": f'device.driver == "{DRIVER}" && {_ATTRIBUTES}.model == "a100"',
    "string test": f'{_ATTRIBUTES}.productName.startsWith("NVIDIA A100")',
    "one of a list": f'{_ATTRIBUTES}.model in ["a100", "h100", "l40s"]',
    "has": f"has({_ATTRIBUTES}.index) && {_ATTRIBUTES}.index < 4",
    "macro": f'{_ATTRIBUTES}.exists(name, name == "index")',
    "arithmetic": f"({_ATTRIBUTES}.index + 3) * 7 % 5 == 2 || {_ATTRIBUTES}.index == 0",
}
"""What both can evaluate: nothing of Kubernetes' own libraries."""


def devices(count: int) -> list[dict[str, Any]]:
    """Devices of four models, each with its index."""
    models = ("a100", "h100", "l40s", "t4")
    return [
        {
            "attributes": {
                "model": {"string": models[number % 4]},
                "productName": {"string": f"NVIDIA {models[number % 4].upper()}-80GB"},
                "index": {"int": number % 8},
                "healthy": {"bool": True},
            }
        }
        for number in range(count)
    ]


def plain_values(device: dict[str, Any]) -> dict[str, Any]:
    """A device as other engines read it."""
    inner = {name: value for name, box in device["attributes"].items() for value in box.values()}
    return {"driver": DRIVER, "attributes": {DRIVER: inner}, "capacity": {}}


def peer_values(device: dict[str, Any]) -> dict[str, Any]:
    """The variables of cel-python for a device."""
    return {"device": celpy.adapter.json_to_cel(plain_values(device))}


def peer_compile(text: str) -> Any:
    """A selector, ready to run by cel-python."""
    environment = celpy.Environment()
    return environment.program(environment.compile(text))


def matching(match: Callable[[DeviceView], bool], views: Sequence[DeviceView]) -> int:
    """How many devices match."""
    return sum([match(view) for view in views])


def peer_matching(program: Any, values: Sequence[dict[str, Any]]) -> int:
    """The same by cel-python."""
    return sum([bool(program.evaluate(value)) for value in values])


def main() -> None:
    """Prints both tables and the time of a fleet."""
    _compilation()
    _evaluation()
    _fleet()


def _compilation() -> None:
    print(f"{'parse, check, cost, code':<26}{'dradsl':>12}{'cel-python':>14}{'ratio':>9}")
    for name, text in SELECTORS.items():
        ours, peer, ratio = paired_calls(
            partial(compile_selector, text, "1.36"), partial(peer_compile, text)
        )
        print(f"{name:<26}{ours * 1e6:>9.0f} µs{peer * 1e6:>11.0f} µs{1 / ratio:>8,.1f}x")


def _evaluation() -> None:
    recorded = devices(500)
    views = [device_view(DRIVER, device) for device in recorded]
    values = [peer_values(device) for device in recorded]
    print(f"\n{'evaluation, per device':<26}{'dradsl':>12}{'cel-python':>14}{'ratio':>9}")
    for name, text in SELECTORS.items():
        selector, program = compile_selector(text, "1.36"), peer_compile(text)
        if matching(selector.match, views) != peer_matching(program, values):
            raise AssertionError(f"{name}: not the same devices match")
        ours, peer, ratio = paired_calls(
            partial(matching, selector.match, views), partial(peer_matching, program, values)
        )
        each = 1e6 / len(views)
        print(f"{name:<26}{ours * each:>9.2f} µs{peer * each:>11.0f} µs{1 / ratio:>8,.1f}x")


def _fleet() -> None:
    """10,000 devices against 20 selectors, as an allocator without tricks would ask."""
    views = [device_view(DRIVER, device) for device in devices(10_000)]
    texts = [f"{list(SELECTORS.values())[i % 7]} || {i} == -1" for i in range(20)]

    def ours() -> int:
        return sum([matching(compile_selector(text, "1.36").match, views) for text in texts])

    seconds, _, _ = paired_calls(ours, int, runs=3)
    print(f"\n10,000 devices x 20 selectors, compiled anew: {seconds:.2f} s")


if __name__ == "__main__":
    main()
