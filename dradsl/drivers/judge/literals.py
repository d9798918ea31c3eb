"""Constants that cannot be computed, and the text that was probably meant."""

from __future__ import annotations

import re

from dradsl.cel.syntax.ast import Call, Literal
from dradsl.drivers.judge import selector_facts as facts
from dradsl.drivers.schema.device_plugin import quote
from dradsl.observations import Observation, Replacement
from dradsl.values.quantity import Quantity, QuantityError
from dradsl.values.semver import Semver, SemverError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.cel.syntax.ast import Expr

__all__ = ["constant_fails"]

_AMOUNT = re.compile(r"\s*([+-]?[0-9]+(?:[.][0-9]+)?)\s*([kKMGTPE]?)(i?)[bB]?(?:ytes)?\s*")


def constant_fails(node: Expr, error: str) -> Observation:
    """What to say of a constant at `node` that fails with `error`."""
    function = node.function if isinstance(node, Call) else ""
    written = node.args[0] if isinstance(node, Call) and node.args else None
    meant: tuple[str, ...] = ()
    fix = None
    if isinstance(node, Call) and isinstance(written, Literal) and isinstance(written.value, str):
        if function == "quantity":
            meant = tuple(_amounts(written.value))
        elif function == "semver" and len(node.args) == 1:
            meant = tuple(_versions(written.value))
    if meant and written is not None:
        fix = Replacement(*written.span, quote(meant[0]))
    found = facts.ConstantFails(function, error, meant)
    place = written if meant and written is not None else node
    return Observation(found, span=place.span, fix=fix)


def _amounts(text: str) -> list[str]:
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
    return [each for each in guesses if _is_amount(each)]


def _is_amount(text: str) -> bool:
    try:
        Quantity.parse(text)
    except QuantityError:
        return False
    return True


def _versions(text: str) -> list[str]:
    """The version that a text without all three numbers, or with a `v`, stands for."""
    try:
        version = Semver.parse(text.strip().rstrip("."), normalize=True)
    except SemverError:
        return []
    return [str(version)]
