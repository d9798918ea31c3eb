"""Constants that cannot be computed, and the text that was probably meant; those that are none yet."""

from __future__ import annotations

import re

from dradsl.cel.syntax.ast import Call, Literal
from dradsl.values.quantity import Quantity, exact_amount
from dradsl.values.semver import Semver, SemverError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.cel.syntax.ast import Expr

__all__ = ["amounts", "has_variable", "plausible", "suggested_constants", "versions"]

_AMOUNT = re.compile(r"\s*([+-]?[0-9]+(?:[.][0-9]+)?)\s*([kKmMgGtTpPeE]?)([iI]?)[bB]?(?:ytes)?\s*")

_VARIABLE = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*(?:[^A-Za-z0-9_{}][^{}]*)?\}")


def has_variable(text: str) -> bool:
    """Whether a text holds `${NAME}` or `${NAME:=default}`, as envsubst and Flux replace them."""
    return "${" in text and _VARIABLE.search(text) is not None


def suggested_constants(node: Expr) -> tuple[Expr, tuple[str, ...]]:
    """The argument of a call that cannot be computed, and what may have been meant by it.

    The node itself and nothing, where that cannot be told.
    """
    if not isinstance(node, Call) or not node.args:
        return node, ()
    written = node.args[0]
    if not isinstance(written, Literal) or not isinstance(written.value, str):
        return node, ()
    meant: list[str] = []
    if node.function == "quantity":
        meant = amounts(written.value)
    elif node.function == "semver" and len(node.args) == 1:
        meant = versions(written.value)
    return (written, tuple(meant)) if meant else (node, ())


def amounts(text: str) -> list[str]:
    """Quantities that a text with a unit in another spelling may stand for."""
    matched = _AMOUNT.fullmatch(text)
    if matched is None:
        return []
    number, unit, binary = matched.groups()
    unit = unit.upper()
    small = {"K": "k"}.get(unit, unit)
    guesses = [f"{number}{unit}i"] if binary else [f"{number}{small}", f"{number}{unit}i"]
    if not unit:
        guesses = [number]
    return [each for each in guesses if exact_amount(each) is not None]


def versions(text: str) -> list[str]:
    """The version that a text without all three numbers, or with a `v`, stands for."""
    try:
        version = Semver.parse(text.strip().rstrip("."), normalize=True)
    except SemverError:
        return []
    return [str(version)]


def plausible(number: str, lowest: Quantity, highest: Quantity) -> str | None:
    """A bare number with the unit that makes it an amount that devices have, or None."""
    for unit in ("Gi", "Mi", "G", "M"):
        guess = f"{number}{unit}"
        if lowest <= Quantity.parse(guess) <= highest:
            return guess
    return None
