"""Names that a selector reads: are they published, here, under this domain, by this version?"""

from __future__ import annotations

from dradsl.drivers.schema.model import AttributeSchema
from dradsl.drivers.schema.shapes import Standing
from dradsl.observations import Observation
from dradsl.values.later import Later

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.drivers.abstract.observations import NameAccess
    from dradsl.drivers.judge import selector_facts as facts
    from dradsl.drivers.judge.case import SelectorCase
    from dradsl.drivers.judge.suspects import Suspect
    from dradsl.drivers.schema.shapes import Name, Shape
else:
    facts = Later("dradsl.drivers.judge.selector_facts")

__all__ = ["judge_names", "missing_everywhere"]


def judge_names(case: SelectorCase) -> Iterator[Observation | Suspect]:
    """Findings on names, one for each place that reads a wrong one."""
    for access in case.notes.accesses.values():
        shapes = _concerned(access)
        if shapes and "/" not in access.name[1] and not missing_everywhere(access):
            yield from _misspelt(case, access, shapes)
            yield from _deprecated(access, shapes)
            yield from _list(access, shapes)
            continue
        from dradsl.drivers.judge import name_causes as causes

        if "/" in access.name[1]:
            yield causes.domain_with_slash(case, access)
        elif (dotted := causes.dotted_domain(case, access)) is not None:
            yield dotted
        elif not shapes:
            yield from causes.foreign(case, access)
        elif (driver := shapes[0].driver) is not None:
            yield from causes.absent(case, access, driver, shapes)


def missing_everywhere(access: NameAccess) -> bool:
    """Whether no device that comes here has the name."""
    shapes = _concerned(access)
    return bool(shapes) and all(access.standings[each] is Standing.NEVER for each in shapes)


def _concerned(access: NameAccess) -> tuple[Shape, ...]:
    """The known shapes that the place is about: those of the domain's own driver, if they come."""
    known = tuple(shape for shape in access.standings if shape.driver is not None)
    owners = tuple(
        shape for shape in known if shape.driver is not None and shape.driver.name == access.name[1]
    )
    return owners or known


def _misspelt(
    case: SelectorCase, access: NameAccess, shapes: tuple[Shape, ...]
) -> Iterator[Suspect]:
    """A name in an open domain that is gone, a known one but for its case, or a known confusion."""
    driver = shapes[0].driver
    unknown = all(access.standings[shape] is Standing.UNKNOWN for shape in shapes)
    if not unknown or driver is None or access.name[0] != "attributes":
        return
    from dradsl.drivers.judge import name_causes as causes

    yield from causes.misspelt(case, access, driver, shapes)


def _deprecated(access: NameAccess, shapes: tuple[Shape, ...]) -> Iterator[Observation]:
    kind, _, key = access.name
    for shape in shapes:
        entry = shape.entry(access.name)
        if not isinstance(entry, AttributeSchema) or not entry.deprecated or shape.driver is None:
            continue
        successor: Name | None = None
        if entry.lifetime.replaced_by is not None:
            domain, _, name = entry.lifetime.replaced_by.partition("/")
            successor = (kind, domain, name)
        found = facts.DeprecatedName(shape.driver.name, key, successor)
        yield Observation(found, span=access.name_span)
        return


def _list(access: NameAccess, shapes: tuple[Shape, ...]) -> Iterator[Observation]:
    """A name that every device which may have it has as a list."""
    entries = [
        (shape, entry) for shape in shapes if (entry := shape.entry(access.name)) is not None
    ]
    lists = all(
        isinstance(entry, AttributeSchema)
        and entry.types
        and all(each.is_list for each in entry.types)
        for _, entry in entries
    )
    driver = entries[0][0].driver if entries else None
    if lists and driver is not None and all(shape.driver is not None for shape in shapes):
        yield Observation(facts.ListName(driver.name, access.name[2]), span=access.name_span)
