"""What upstream tries before any evaluation is tried at once; all else compiles when it is evaluated."""

from __future__ import annotations

import pytest

from dradsl.cel.checker.instantiation import may_be_rejected
from dradsl.cel.compile import check_text, instantiate
from dradsl.cel.dra import compile_selector, device_environment
from tests.cel.expressions import Generator

ENVIRONMENT = device_environment("1.36", mode="stored")
TYPE = 'device.attributes["gpu.nvidia.com"].type'


@pytest.mark.parametrize(
    "text",
    [
        f'{TYPE} == "gpu"',
        f'{TYPE} != "gpu" && !(device.driver in ["a", "b"]) || device.allowMultipleAllocations',
        'device.capacity["d"].memory.compareTo(quantity("not one")) >= 0',
        'device.attributes["d"].exists(name, name.startsWith("x"))',
        "lists.range(3).size() == 3",
        'device.driver.matches("^gpu[.]") && matches(device.driver, ".*")',
    ],
)
def test_waits(text: str) -> None:
    assert not may_be_rejected(check_text(text, ENVIRONMENT))
    assert compile_selector(text, "1.36").error is None


@pytest.mark.parametrize(
    "text",
    [
        'int("x") == 1',
        'device.driver.find("(") == ""',
        f"type({TYPE}) == google.protobuf.Struct",
        'dyn({1.5: "a"})[1.5] == "a" && dyn(["a"])[null] == "a"',
    ],
)
def test_is_rejected_at_once(text: str) -> None:
    checked = check_text(text, ENVIRONMENT)
    assert may_be_rejected(checked)
    failure = compile_selector(text, "1.36").error
    assert failure is not None
    assert failure.type == "InternalError"


def test_nothing_that_waits_is_rejected_later() -> None:
    waited = 0
    for seed in range(2000):
        text = Generator(seed).expression()
        try:
            checked = check_text(text, ENVIRONMENT)
        except ValueError:
            continue
        if not may_be_rejected(checked):
            waited += 1
            assert callable(instantiate(text, checked, ENVIRONMENT).code)
    assert waited > 500
