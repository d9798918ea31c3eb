"""Expressions and the CEL that they become."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from dradsl import DeviceClass, Expression, Request, driver, raw_cel
from dradsl.devices.nvidia import gpu, mig
from dradsl.dsl.expressions.expression import facts_of_class, facts_where, to_cel
from dradsl.values.quantity import Quantity
from dradsl.values.semver import Semver

if TYPE_CHECKING:
    from collections.abc import Callable

A = 'device.attributes["gpu.nvidia.com"]'
C = 'device.capacity["gpu.nvidia.com"]'
GPU = f'device.driver == "gpu.nvidia.com" && {A}.type == "gpu"'
KNOWN = facts_where(gpu)
# The same, for what type checkers reject.
unchecked: Any = gpu


@pytest.mark.parametrize(
    ("expression", "cel"),
    [
        (gpu, GPU),
        (~gpu, f'device.driver != "gpu.nvidia.com" || {A}.type != "gpu"'),
        (driver("x.example.com"), 'device.driver == "x.example.com"'),
        # always published, once the device is known to be a gpu
        (gpu & (gpu.productName == "NVIDIA L4"), f'{GPU} && {A}.productName == "NVIDIA L4"'),
        # known to be there from the left
        (
            gpu.addressingMode.exists() & (gpu.addressingMode == "HMM"),
            f'has({A}.addressingMode) && {A}.addressingMode == "HMM"',
        ),
        (
            ~gpu.addressingMode.exists() | (gpu.addressingMode == "HMM"),
            f'!has({A}.addressingMode) || {A}.addressingMode == "HMM"',
        ),
        # guarded: it may be missing, and so is every value of a device of unknown kind
        (gpu.productName == "L4", f'has({A}.productName) && {A}.productName == "L4"'),
        # one guard is enough
        (
            (gpu.memory >= "40Gi") & (gpu.memory < "80Gi"),
            f'has({C}.memory) && {C}.memory.compareTo(quantity("40Gi")) >= 0'
            f' && {C}.memory.isLessThan(quantity("80Gi"))',
        ),
        # but not across the sides of an or
        (
            (gpu.memory > 1) | (gpu.memory < 1),
            f'has({C}.memory) && {C}.memory.isGreaterThan(quantity("1"))'
            f' || has({C}.memory) && {C}.memory.isLessThan(quantity("1"))',
        ),
        (gpu.memory.unguarded <= "1", f'{C}.memory.compareTo(quantity("1")) <= 0'),
    ],
)
def test_guards(expression: Expression, cel: str) -> None:
    assert str(expression) == cel


@pytest.mark.parametrize(
    ("expression", "cel"),
    [
        (gpu.productName == 'a "b" \\ é\n', f'{A}.productName == "a \\"b\\" \\\\ é\\n"'),
        (gpu.productName != "a", f'{A}.productName != "a"'),
        ("a" == gpu.productName, f'{A}.productName == "a"'),
        (gpu.productName.in_(["a", "b"]), f'{A}.productName in ["a", "b"]'),
        (gpu.productName.in_({"c", "a", "b"}), f'{A}.productName in ["a", "b", "c"]'),
        (gpu.productName.is_("a"), f'{A}.productName == "a"'),
        (~gpu.productName.in_(["a"]), f'!({A}.productName in ["a"])'),
        (gpu.productName.startswith("a"), f'{A}.productName.startsWith("a")'),
        (~gpu.productName.endswith("a"), f'!{A}.productName.endsWith("a")'),
        (gpu.productName.contains("a"), f'{A}.productName.contains("a")'),
        (gpu.productName.matches("^a+$"), f'{A}.productName.matches("^a+$")'),
        (gpu.driverVersion >= "550", f'{A}.driverVersion.compareTo(semver("550.0.0")) >= 0'),
        (gpu.driverVersion > "v1.2", f'{A}.driverVersion.isGreaterThan(semver("1.2.0"))'),
        (gpu.driverVersion == "580.126.09", f'{A}.driverVersion == semver("580.126.9")'),
        (
            gpu.driverVersion.in_(["1.0.0", Semver.parse("2.0.0")]),
            f'{A}.driverVersion in [semver("1.0.0"), semver("2.0.0")]',
        ),
        (~(gpu.driverVersion < "1"), f'{A}.driverVersion.compareTo(semver("1.0.0")) >= 0'),
    ],
)
def test_comparisons(expression: Expression, cel: str) -> None:
    assert to_cel(expression, known=KNOWN, width=None) == cel


@pytest.mark.parametrize(
    ("expression", "cel"),
    [
        (mig.memory == "1Gi", f'{C}.memory == quantity("1Gi")'),
        (mig.memory != "1Gi", f'!({C}.memory == quantity("1Gi"))'),
        (~(mig.memory == "1Gi"), f'!({C}.memory == quantity("1Gi"))'),
        (mig.memory >= Quantity.parse("1.5Gi"), f'{C}.memory.compareTo(quantity("1536Mi")) >= 0'),
        (mig.memory >= 8, f'{C}.memory.compareTo(quantity("8")) >= 0'),
        (mig.memory.in_(["1Gi", 2]), f'{C}.memory in [quantity("1Gi"), quantity("2")]'),
        ("1Gi" <= mig.memory, f'{C}.memory.compareTo(quantity("1Gi")) >= 0'),
    ],
)
def test_capacities(expression: Expression, cel: str) -> None:
    assert to_cel(expression, known=facts_where(mig), width=None) == cel


RDMA = gpu.attributes["dra.net/rdma"]
NET = 'device.attributes["dra.net"]'


@pytest.mark.parametrize(
    ("expression", "cel"),
    [
        (RDMA == True, f"has({NET}.rdma) && {NET}.rdma == true"),
        (gpu.attributes["slot"] >= 4, f"has({A}.slot) && {A}.slot >= 4"),
        (gpu.attributes["slot"] != -1, f"has({A}.slot) && {A}.slot != -1"),
        (gpu.attributes["x"].in_({3, 1}), f"has({A}.x) && {A}.x in [1, 3]"),
        (gpu.attributes["x"].in_(["a"]), f'has({A}.x) && {A}.x in ["a"]'),
        (
            gpu.attributes["fw"].version < "2",
            f'has({A}.fw) && {A}.fw.isLessThan(semver("2.0.0"))',
        ),
        (
            gpu.attributes["fw"] >= Semver.parse("2.0.0"),
            f'has({A}.fw) && {A}.fw.compareTo(semver("2.0.0")) >= 0',
        ),
        (gpu.attributes["x"].startswith("a"), f'has({A}.x) && {A}.x.startsWith("a")'),
        (gpu.capacity["x"] > 1, f'has({C}.x) && {C}.x.isGreaterThan(quantity("1"))'),
        # words that CEL keeps for itself
        (gpu.attributes["in"] == "a", f'"in" in {A} && {A}["in"] == "a"'),
    ],
)
def test_names_that_no_schema_has(expression: Expression, cel: str) -> None:
    assert str(expression) == cel


@pytest.mark.parametrize(
    ("expression", "cel"),
    [
        # the default fulfils the comparison, or it does not: known when it is written
        (
            gpu.addressingMode.or_else("None") == "None",
            f'!has({A}.addressingMode) || {A}.addressingMode == "None"',
        ),
        (
            gpu.addressingMode.or_else("None") == "HMM",
            f'has({A}.addressingMode) && {A}.addressingMode == "HMM"',
        ),
        (
            ~(gpu.addressingMode.or_else("None") == "HMM"),
            f'!has({A}.addressingMode) || {A}.addressingMode != "HMM"',
        ),
        (
            gpu.memory.or_else("40960Mi") >= "40Gi",
            f'!has({C}.memory) || {C}.memory.compareTo(quantity("40Gi")) >= 0',
        ),
        (
            gpu.attributes["x"].or_else("abc").matches("b+"),
            f'!has({A}.x) || {A}.x.matches("b+")',
        ),
        (gpu.attributes["x"].or_else(3) > 5, f"has({A}.x) && {A}.x > 5"),
    ],
)
def test_or_else(expression: Expression, cel: str) -> None:
    assert str(expression) == cel


a, b, c = (raw_cel(letter) for letter in "abc")


@pytest.mark.parametrize(
    ("expression", "cel"),
    [
        (a & b & c, "a && b && c"),
        (a & (b & c), "a && b && c"),
        (a | b & c, "a || b && c"),
        ((a | b) & c, "(a || b) && c"),
        (~(a | b), "!a && !b"),
        (~(a & ~b), "!a || b"),
        (~~a, "a"),
        (~(a & (b | ~c)), "!a || !b && c"),
        # text binds as it binds
        (raw_cel("x || y") & a, "(x || y) && a"),
        (raw_cel("x || y") | a, "x || y || a"),
        (raw_cel("x && y") | a, "x && y || a"),
        (raw_cel("x ? y : z") | a, "(x ? y : z) || a"),
        (~raw_cel("x == y") & a, "!(x == y) && a"),
        (
            ~raw_cel("x in y") & ~raw_cel("f(x)") & ~raw_cel("x.y[0]"),
            "!(x in y) && !f(x) && !x.y[0]",
        ),
        (~raw_cel("-x + y"), "!(-x + y)"),
        (~raw_cel("-x"), "!(-x)"),
        (~raw_cel("!x"), "!!x"),
        (raw_cel("x // why") & a, "(x // why\n) && a"),
        (raw_cel("x +") & a, "(x +) && a"),
        (gpu.allowMultipleAllocations & a, "device.allowMultipleAllocations && a"),
        (~gpu.allowMultipleAllocations, "!device.allowMultipleAllocations"),
    ],
)
def test_joining(expression: Expression, cel: str) -> None:
    assert str(expression) == cel


def test_bools_stand_for_themselves() -> None:
    from dradsl.devices.dranet import nic

    assert to_cel(nic.rdma) == f"has({NET}.rdma) && {NET}.rdma"
    assert to_cel(~nic.rdma) == f"has({NET}.rdma) && !{NET}.rdma"
    assert str(nic.rdma != True) == f"has({NET}.rdma) && {NET}.rdma != true"


def test_long_expressions_are_broken_at_operators() -> None:
    expression = (
        gpu
        & ((gpu.productName == "NVIDIA L4") | (gpu.memory >= "40Gi") | gpu.addressingMode.exists())
        & ~gpu.productName.startswith("Tesla")
    )
    assert to_cel(expression) == (
        'device.driver == "gpu.nvidia.com" &&\n'
        f'{A}.type == "gpu" &&\n'
        "(\n"
        f'  {A}.productName == "NVIDIA L4" ||\n'
        f"  has({C}.memory) &&\n"
        f'    {C}.memory.compareTo(quantity("40Gi")) >= 0 ||\n'
        f"  has({A}.addressingMode)\n"
        ") &&\n"
        f'!{A}.productName.startsWith("Tesla")'
    )


def test_a_device_class_spares_guards() -> None:
    named = Request("a", "mig.nvidia.com", select=mig.memory >= "4Gi")
    handle = Request("a", mig, select=mig.memory >= "4Gi")
    built = Request("a", DeviceClass("small", select=mig), select=mig.memory >= "4Gi")
    unknown = Request("a", "small", select=mig.memory >= "4Gi")

    plain = f'{C}.memory.compareTo(quantity("4Gi")) >= 0'
    assert [_cel(one) for one in (named, handle, built)] == [plain] * 3
    assert _cel(unknown) == f"has({C}.memory) &&\n{plain}"
    assert facts_of_class("small", [mig.memory >= 1]) == frozenset()


def test_selectors_know_those_before_them() -> None:
    request = Request("a", "any", select=[gpu, gpu.productName == "x"])
    cels = [one["cel"]["expression"] for one in request.to_dict()["exactly"]["selectors"]]
    assert cels == [
        'device.driver == "gpu.nvidia.com" &&\n' + f'{A}.type == "gpu"',
        f'{A}.productName == "x"',
    ]


def _cel(request: Request) -> str:
    [selector] = request.details()["selectors"]
    text: str = selector["cel"]["expression"]
    return text


def test_spelling_is_kept_if_it_says_the_same() -> None:
    text = "device.attributes['gpu.nvidia.com']['productName'] == 'x'"
    spelled = (gpu.productName.unguarded == "x").spelled(text)
    assert to_cel(spelled) == text
    wrong = (gpu.productName.unguarded == "y").spelled(text)
    with pytest.raises(ValueError, match="does not say"):
        to_cel(wrong)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: gpu.memory >= True, "is a quantity"),
        (lambda: unchecked.memory >= 1.5, "is a quantity"),
        (lambda: gpu.productName == 3, "is a string, not 3"),
        (lambda: gpu.productName == None, "is a string, not None"),
        (lambda: unchecked.productName > "a", "has no order"),
        (lambda: unchecked.attributes["x"] > "a", "has no order"),
        (lambda: gpu.attributes["x"] == None, "compared with a constant"),
        (lambda: gpu.numaNode == "0", "is an integer"),
        (lambda: gpu.numaNode == True, "is an integer"),
        (lambda: unchecked.driverVersion >= 550, "is a version"),
        (lambda: gpu.productName.in_("NVIDIA L4"), "takes a list"),
        (lambda: unchecked & "x", "CEL as text is raw_cel"),
        (lambda: unchecked | None, "joins two expressions"),
        (lambda: bool(gpu.productName == "x"), "no truth value"),
        (lambda: gpu and gpu.productName.exists(), "no truth value"),  # type: ignore[unreachable] # it raises
        (lambda: 1 if gpu.productName else 2, "no truth value"),
        (lambda: 1 <= gpu.numaNode <= 2, "no truth value"),
        (lambda: gpu.productName in ["a", "b"], "no truth value"),
        (lambda: "H100" in unchecked.productName, r"write \.contains\('H100'\)"),
    ],
)
def test_wrong_types_raise_at_once(wrong: Callable[[], Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        wrong()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: gpu.architecture == "hopper", 'did you mean "Hopper"'),
        (lambda: gpu.architecture.in_(["Ampere", "Ada"]), 'is never "Ada"'),  # type: ignore[list-item] # what is not known raises too
        (lambda: gpu.memory >= "40GiB", "is no quantity"),
        (lambda: gpu.driverVersion >= "latest", "is no version"),
        (lambda: gpu.numaNode > 2**63, "64 bits"),
        (lambda: gpu.productName.matches("(?=a)"), "no RE2 pattern"),
        (lambda: gpu.productName == "\ud800", "half a character"),
        (lambda: gpu.productName.in_([]), "would never hold"),
        (lambda: raw_cel("  "), "CEL expression as text"),
    ],
)
def test_wrong_values_raise_at_once(wrong: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        wrong()


def test_a_misspelt_member_is_explained() -> None:
    # What people write goes before spelling: lint says the same.
    with pytest.raises(AttributeError, match='no "model"; did you mean "productName"'):
        unchecked.model
    with pytest.raises(AttributeError, match='no "memroy"; did you mean "memory"'):
        unchecked.memroy


def test_a_gone_member_warns() -> None:
    with pytest.warns(DeprecationWarning, match="publishes no pcieBusID since v25.12"):
        gpu.pcieBusID


def test_deep_nesting_is_rejected_before_it_hurts() -> None:
    def nested(expression: Expression, depth: int) -> Expression:
        return nested((expression & b) | c, depth - 1) if depth else expression

    assert str(nested(a, 2)) == "(a && b || c) && b || c"
    with pytest.raises(ValueError, match="nested more than"):
        nested(a, 300)


def test_long_chains_are_no_nesting() -> None:
    expression: Expression = a
    for _ in range(2_000):
        expression = expression & b
    assert str(~expression).count("||") == 2_000
