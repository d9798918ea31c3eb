"""Unknown driver names, and the driver that was meant: near misses and known confusions."""

from __future__ import annotations

from dradsl.cel.syntax.ast import Call, ListExpr, walk
from dradsl.drivers.abstract.explore import mentions
from dradsl.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dradsl.cel.syntax.ast import Expr, Literal
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.drivers.schema.model import DriverSchema

__all__ = ["MistakenDriver", "drivers_read", "mistaken_drivers", "of_driver"]


class MistakenDriver(Record):
    """An unknown driver name at `literal`; `test` is the comparison around it."""

    literal: Literal
    test: Expr
    name: str
    meant: str


def mistaken_drivers(expressions: Iterable[Expr], catalogue: Catalogue) -> Iterator[MistakenDriver]:
    """The driver names in `expressions` that stand for another one."""
    for root in expressions:
        found = mentions((root,)).drivers
        if not found:
            continue
        names = catalogue.names()
        index = catalogue.index()
        tests: dict[Expr, Expr] | None = None
        for literal, name in found:
            if name in names:
                continue
            from dradsl.drivers.schema.suggest import near_domain

            meant = index.mistaken.get(name) or near_domain(name, names)
            if meant is not None and catalogue.get(meant) is not None:
                tests = _tests(root) if tests is None else tests
                yield MistakenDriver(literal, tests[literal], name, meant)


def drivers_read(expressions: Iterable[Expr], catalogue: Catalogue) -> set[str]:
    """The drivers that expressions ask for; else those in whose domains they read."""
    found, mistaken = mentions(expressions), catalogue.index().mistaken
    drivers = {name for _, name in found.drivers}
    return drivers or {each for each in found.domains if "." in each or each in mistaken}


def _tests(root: Expr) -> dict[Expr, Expr]:
    """Each operand of a comparison, and each element of a list there, with the comparison."""
    found: dict[Expr, Expr] = {}
    for node in walk(root):
        if isinstance(node, Call) and node.function in ("_==_", "_!=_", "@in"):
            for operand in node.args:
                for each in operand.elements if isinstance(operand, ListExpr) else (operand,):
                    found[each] = node
    return found


def of_driver(help_: str, driver: DriverSchema) -> str:
    """A remedy that names no driver, with the only one that there can be."""
    amount, _, rest = help_.replace("DRIVER", driver.name).partition(", with the name")
    if (rest and "device.capacity[" in amount) or not driver.device_types:
        return amount
    from dradsl.drivers.schema.suggest import listed

    entries = (each for kind in driver.device_types for each in kind.attributes.values())
    own = (each for each in entries if each.domain == driver.name)
    names = {each.name: None for each in own if not each.lifetime.removed_in}
    read = f'write device.attributes["{driver.name}"]'
    return f"{read}, with a name that it publishes: {listed(names, 16)}" if names else help_
