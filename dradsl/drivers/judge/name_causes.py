"""Why a name that a selector reads is not there, most telling reason first: where is it, or what is meant?"""

from __future__ import annotations

from dradsl.cel.syntax.ast import Ident, Literal, Select, walk
from dradsl.drivers.abstract.explore import mentions
from dradsl.drivers.judge import selector_facts as facts
from dradsl.drivers.judge.reachable import class_of
from dradsl.drivers.judge.suspects import Otherwise, Suspect
from dradsl.drivers.schema import suggest
from dradsl.drivers.schema.model import AttributeSchema, name_pattern
from dradsl.drivers.schema.read import standard_attributes
from dradsl.drivers.schema.shapes import Standing, shapes_of
from dradsl.drivers.suggestions import names as spelling
from dradsl.observations import Observation, Replacement
from dradsl.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dradsl.drivers.abstract.observations import NameAccess
    from dradsl.drivers.judge.case import SelectorCase
    from dradsl.drivers.schema.model import CapacitySchema, DriverSchema
    from dradsl.drivers.schema.shapes import KindOfName, Name, Shape

__all__ = ["absent", "domain_with_slash", "dotted_domain", "foreign", "misspelt"]


def _suspect(
    case: SelectorCase,
    access: NameAccess,
    observation: Observation,
    otherwise: Otherwise = Otherwise.MISLEADS,
    *,
    guess: bool = False,
    lasting: bool = True,
) -> Suspect:
    """A name that cannot be right; wherever the selector reads it, it is one mistake."""
    key = ("name", access.name)
    said = replace(observation, fails=_fails(case, access))
    return Suspect(said, (access.node,), key, otherwise, guess, lasting)


def _fails(case: SelectorCase, access: NameAccess) -> bool:
    """Whether the lack of the name makes the selector fail."""
    return any(failure.node is access.node for _, failure in case.notes.failures)


# Domains ------------------------------------------------------------------------------------


def domain_with_slash(case: SelectorCase, access: NameAccess) -> Suspect:
    kind, domain, key = access.name
    right, _, name = domain.partition("/")
    name = name if key[:1].lower() + key[1:] in spelling.VALUE_FIELDS else key
    driver = case.catalogue.get(right)
    if driver is None:
        known = case.catalogue.index().mistaken
        driver = case.catalogue.get(known.get(domain) or known.get(right) or right)
        name = spelling.in_camel_case(name) if driver else name
    if driver is None and len(named := _named(case)) == 1:
        right = min(named)
    if driver is not None:
        right = driver.name
        name = spelling.in_camel_case(name) if "-" in name else name
        kind = "capacity" if _is_amount(driver, name) else kind
        renamed = driver.mistaken.attributes if kind == "attributes" else driver.mistaken.capacities
        name = renamed.get(name, name)
    known_names: dict[str, None] = {}
    if driver is not None and kind == "attributes":
        listed = [a for _, a in driver.attributes() if a.domain == right]
        if all(a.name != name for a in listed):
            known_names = {a.name: None for a in listed if a.lifetime.removed_in is None}
    meant: Name = (kind, right, name)
    same = kind == access.name[0] and not known_names  # else the comparison changes too
    fix = Replacement(*access.node.span, spelling.access_text(meant)) if same else None
    if not same and kind == "capacity" and driver is not None:
        fix = spelling.rewritten(case.tree, access, meant, case.shapes_of(driver))
    found = Observation(
        facts.DomainWithSlash(domain, meant, (*known_names,)), span=access.domain_span, fix=fix
    )
    return _suspect(case, access, found)


def _is_amount(driver: DriverSchema, name: str) -> bool:
    """Whether only a capacity of the driver is called so, or mistakenly called so."""
    if name in driver.mistaken.attributes or any(a.name == name for _, a in driver.attributes()):
        return False
    called = any(capacity.name == name for _, capacity in driver.capacities())
    return called or name in driver.mistaken.capacities


def dotted_domain(case: SelectorCase, access: NameAccess) -> Suspect | None:
    """`device.attributes.gpu.nvidia.com.productName`: `gpu` is read as the domain, `nvidia` as the name.

    Only for domains that a driver of which the schema is known has, or Kubernetes itself.
    """
    first = access.node.operand if isinstance(access.node, Select) else None
    of = first.operand if isinstance(first, Select) else None
    if first is None or not isinstance(of, Select) or not isinstance(of.operand, Ident):
        return None
    kind, word, _ = access.name
    drivers = case.drivers()
    domains = {domain for driver in drivers for domain in driver.domains()}
    known = domains or {*case.catalogue.names(), *_standard_domains()}
    domain, last = word, first
    node = case.parents.get(first)
    while isinstance(node, Select) and node.operand is last:
        if domain in known:
            meant: Name = (kind, domain, node.field)
            fits = any(s.entry(meant) for driver in drivers for s in case.shapes_of(driver))
            fix = Replacement(of.span[1], last.span[1], f'["{domain}"]')
            said = facts.DottedDomain(meant)
            span = (access.domain_span[0], last.span[1])
            found = Observation(said, span=span, fix=fix if fits or not drivers else None)
            return replace(_suspect(case, access, found), nodes=(node,))
        domain, last, node = f"{domain}.{node.field}", node, case.parents.get(node)
    return None


def foreign(case: SelectorCase, access: NameAccess) -> Iterator[Suspect]:
    """A name read on devices of which nothing is known: only near misses of known names count."""
    kind, domain, key = access.name
    if spelling.is_name_as_domain(access):
        drivers = _named(case) or case.context.shown
        of: KindOfName = "capacity" if key.startswith("quantity") else kind
        name: Name | None = (of, min(drivers), domain) if len(drivers) == 1 else None
        read = spelling.rewritten(case.tree, access, name, ()) if name else None
        alone = Observation(facts.NameAsDomain(domain, name), span=access.domain_span, fix=read)
        yield _suspect(case, access, alone)
        return
    names = case.catalogue.names()
    if domain in names or _has_unknown_driver(case):
        return
    index = case.catalogue.index()
    standard = _standard_domains()
    if domain in standard:
        if domain == "resource.kubernetes.io" and kind == "attributes":
            yield from _not_standard(case, access)
        return
    meant = index.mistaken.get(domain) or suggest.near_domain(domain, (*names, *standard))
    if meant is not None:
        driver, amount = case.catalogue.get(meant), None
        if kind == "attributes" and driver is not None and _is_amount(driver, key):
            whole: Name = ("capacity", meant, driver.mistaken.capacities.get(key, key))
            amount = spelling.access_text(whole)
        fix: Replacement | None = Replacement(*access.domain_span, meant)
        if amount and driver is not None:
            fix = spelling.rewritten(case.tree, access, whole, shapes_of(driver, case.catalogue))
        said = facts.UnknownDomain(domain, meant, amount)
        found = Observation(said, span=access.domain_span, fix=fix)
        yield _suspect(case, access, found)


def _standard_domains() -> set[str]:
    return {key.partition("/")[0] for key in standard_attributes()}


def _not_standard(case: SelectorCase, access: NameAccess) -> Iterator[Suspect]:
    _kind, domain, key = access.name
    known = [each.partition("/")[2] for each in standard_attributes() if each.startswith(domain)]
    meant = suggest.closest(key, known)
    if key not in known and meant is not None:
        fix = Replacement(*access.name_span, meant)
        found = facts.NotStandard(f"{domain}/{key}", meant)
        yield _suspect(case, access, Observation(found, span=access.name_span, fix=fix))


def _has_unknown_driver(case: SelectorCase) -> bool:
    """Whether the selector asks for a driver of which no schema is known."""
    return not _named(case) <= {*case.catalogue.names()}


def _named(case: SelectorCase) -> set[str]:
    """The drivers that the selector, and what filters before, ask for."""
    return {name for _, name in mentions((*case.before, case.expr)).drivers}


# Names that no device has -----------------------------------------------------------------


def absent(
    case: SelectorCase, access: NameAccess, driver: DriverSchema, shapes: tuple[Shape, ...]
) -> Iterator[Suspect]:
    """Why no device that comes here has the name, most telling reason first."""
    kind, domain, key = access.name
    others = [s for s in case.shapes_of(driver) if s.standing(access.name) is not Standing.NEVER]
    fails = Otherwise.MISLEADS if _fails(case, access) else Otherwise.NOTHING
    if others:
        found = _other_type(case, access, shapes, others)
        yield _suspect(case, access, found, fails, lasting=False)
        return
    every = case.shapes_of(driver)
    gone = next((e for s in every if (e := s.entry_of_any_version(access.name))), None)
    if gone is not None:
        yield _suspect(case, access, _other_version(case, access, driver, gone), fails)
        return
    swapped: KindOfName = "capacity" if kind == "attributes" else "attributes"
    if any(s.entry((swapped, domain, key)) is not None for s in every):
        yield _suspect(case, access, _swapped_kind(case, access, driver, swapped))
    elif domain in driver.domains():
        unknown, meant = _unknown_name(case, access, driver, shapes)
        yield _suspect(case, access, unknown, guess=meant is None and not case.pinned(driver))
    else:
        yield _elsewhere(case, access, driver, shapes, fails)


def _elsewhere(
    case: SelectorCase,
    access: NameAccess,
    driver: DriverSchema,
    shapes: tuple[Shape, ...],
    fails: Otherwise,
) -> Suspect:
    """A name in a domain in which the driver publishes nothing."""
    domain = access.name[1]
    if spelling.is_name_as_domain(access):
        return _suspect(case, access, _name_as_domain(case, access, driver, shapes))
    found, near = _unknown_domain(case, access, driver)
    others = case.catalogue.get(domain) is not None  # guarded, it is for another driver's devices
    is_shared = "/".join(access.name[1:]) in standard_attributes()  # a later version may have it
    guess = (is_shared or (not near and not others)) and not case.pinned(driver)
    otherwise = Otherwise.MISLEADS if near and not others else fails
    return _suspect(case, access, found, otherwise, guess=guess)


def _other_type(
    case: SelectorCase,
    access: NameAccess,
    shapes: tuple[Shape, ...],
    others: list[Shape],
) -> Observation:
    here, there = _types(shapes), _types(others)
    if all(other in case.notes.outcomes for other in others):
        found = facts.NameOfOtherType(access.name, here, there)
        return Observation(found, span=access.name_span)
    class_name, classes = case.context.class_name, class_of(others, case.catalogue)
    hidden = facts.NameFilteredOut(access.name, here, there, class_name, classes)
    return Observation(hidden, span=access.name_span)


def _other_version(
    case: SelectorCase,
    access: NameAccess,
    driver: DriverSchema,
    gone: AttributeSchema | CapacitySchema,
) -> Observation:
    kind = access.name[0]
    versions = case.catalogue.versions(driver.name)
    newest = versions[-1] if versions else None
    lifetime = gone.lifetime
    removed = lifetime.removed_in
    is_gone = removed is not None and newest is not None and not driver.precedes(newest, removed)
    published = _names([s for s in access.standings if s.driver is driver], kind)
    domain, _, name = (lifetime.replaced_by or "").partition("/")
    successor: Name = (kind, domain, name)
    meant = successor if successor in published else None
    found = facts.NameNotInVersion(
        driver=driver.name,
        name=access.name,
        removed_in=removed if is_gone else None,
        since=None if is_gone else lifetime.since,
        pinned=tuple(versions) if case.catalogue.pinned(driver.name) else (),
        versions=tuple(driver.version_order),
        successor=meant,
        certain=case.pinned(driver),
        known=tuple(sorted(name for _, domain, name in published if domain == access.name[1])),
    )
    fix = (
        None
        if meant is None
        else spelling.rewritten(case.tree, access, meant, case.shapes_of(driver))
    )
    return Observation(found, span=access.name_span, fix=fix)


def _swapped_kind(
    case: SelectorCase, access: NameAccess, driver: DriverSchema, swapped: KindOfName
) -> Observation:
    _, domain, key = access.name
    meant: Name = (swapped, domain, key)
    found = facts.SwappedKind(driver.name, meant)
    fix = spelling.rewritten(case.tree, access, meant, case.shapes_of(driver))
    return Observation(found, span=access.name_span, fix=fix)


def _unknown_name(
    case: SelectorCase, access: NameAccess, driver: DriverSchema, shapes: tuple[Shape, ...]
) -> tuple[Observation, Name | None]:
    kind, domain, key = access.name
    every = case.shapes_of(driver)
    meant = _meant(case, access.name, driver, shapes)
    # Of a name that is known to be mistaken the value may be wrong too.
    is_known = meant and meant[0] == kind == "attributes" and key in driver.mistaken.attributes
    if meant and not is_known:
        meant = meant if spelling.is_comparable(case.tree, access.node, meant, every) else None
    reason = facts.UnknownAttribute if kind == "attributes" else facts.UnknownCapacity
    found = reason(
        driver=driver.name,
        name=access.name,
        types=_types(shapes),
        known=tuple(sorted({name[2] for name in _names(shapes, kind) if name[1] == domain})),
        meant=meant,
        is_counter=_is_counter(driver, key),
        newest=case.newest(driver),
    )
    fix = None if meant is None else spelling.rewritten(case.tree, access, meant, every)
    return Observation(found, span=access.name_span, fix=fix), meant


def _name_as_domain(
    case: SelectorCase, access: NameAccess, driver: DriverSchema, shapes: tuple[Shape, ...]
) -> Observation:
    """`device.attributes["model"].string`: the domain is missing, and the value has no field."""
    kind, word, _field = access.name
    every = case.shapes_of(driver)
    exact: Iterable[Name] = ((kind, domain, word) for domain in driver.domains())
    meant = next((each for each in exact if any(s.entry(each) is not None for s in every)), None)
    meant = meant or _meant(case, (kind, driver.name, word), driver, shapes)
    fix = None if meant is None else spelling.rewritten(case.tree, access, meant, every)
    return Observation(facts.NameAsDomain(word, meant), span=access.domain_span, fix=fix)


def _unknown_domain(
    case: SelectorCase, access: NameAccess, driver: DriverSchema
) -> tuple[Observation, bool]:
    """The finding, and whether it is plain which domain is meant."""
    kind, domain, key = access.name
    owned = [each for each in driver.domains() if _in_domain(case, driver, (kind, each, key))]
    meant = driver.mistaken.domains.get(domain) or (owned[0] if owned else None)
    meant = meant or suggest.near_domain(domain, driver.domains())
    is_class = domain in {known.name for known in driver.classes}
    domains = tuple(driver.domains())
    amount, fix = None, None if meant is None else Replacement(*access.domain_span, meant)
    if kind == "attributes" and meant is not None and _is_amount(driver, key):
        whole: Name = ("capacity", meant, driver.mistaken.capacities.get(key, key))
        amount = spelling.access_text(whole)
        fix = spelling.rewritten(case.tree, access, whole, case.shapes_of(driver))
    other = _class_of_domain(case, access, driver)
    if other is not None:
        fix = amount = meant = None
    domains = () if meant or other else domains
    found = facts.DomainNotOfDriver(driver.name, domain, is_class, domains, meant, amount, other)
    return Observation(found, span=access.domain_span, fix=fix), meant is not None


def _class_of_domain(case: SelectorCase, access: NameAccess, driver: DriverSchema) -> str | None:
    """The class of the devices that have the name, where the condition is about them and not about those at hand."""
    kind, domain, key = access.name
    other = case.catalogue.get(domain)
    if other is None or not case.context.class_name:
        return None
    having = [s for s in shapes_of(other, case.catalogue) if s.entry(access.name) is not None]
    texts = [
        node.value
        for node in walk(case.clause(access.node))
        if isinstance(node, Literal) and isinstance(node.value, str) and node.value != domain
    ]
    of_both = _in_domain(case, driver, (kind, driver.name, key))
    if of_both and (_known_to(driver, key, texts) or not _known_to(other, key, texts)):
        return None
    return class_of(having, case.catalogue)


def _known_to(driver: DriverSchema, key: str, texts: Sequence[str]) -> bool:
    """Whether a text is, or is in, a value that an attribute of the driver is known to have."""
    known = [
        str(value)
        for _, entry in driver.attributes()
        if entry.name == key
        for value in (*(entry.values or ()), *(entry.products.names if entry.products else ()))
    ]
    return any(text and text in each for text in texts for each in known)


def _in_domain(case: SelectorCase, driver: DriverSchema, name: Name) -> bool:
    return any(shape.entry(name) is not None for shape in case.shapes_of(driver))


def _is_counter(driver: DriverSchema, key: str) -> bool:
    names = {
        name
        for kind in driver.device_types
        for name in (kind.counters.names if kind.counters is not None else ())
    }
    return any(key == name or name_pattern(name)(key) for name in names)


def _meant(
    case: SelectorCase, name: Name, driver: DriverSchema, shapes: tuple[Shape, ...]
) -> Name | None:
    """The name that was probably meant: of the types at hand first, then of all."""
    kind, domain, key = name
    mistaken = driver.mistaken.attributes if kind == "attributes" else driver.mistaken.capacities
    every = case.shapes_of(driver)
    if key in mistaken:
        meant = _meant_by(driver, kind, mistaken[key], every)
        if meant is not None:
            return meant
    for group in (shapes, every):
        names = _names(group, kind)
        here = [name[2] for name in names if name[1] == domain]
        elsewhere = [name for name in names if name[1] != domain and name[2] == key]
        if elsewhere:
            return elsewhere[0]
        found = suggest.closest(key, here)
        if found is not None:
            return (kind, domain, found)
        around = {name[2]: name for name in names}
        found = suggest.closest(key, around)
        if found is not None:
            return around[found]
        swapped: KindOfName = "capacity" if kind == "attributes" else "attributes"
        other = {name[2]: name for name in _names(group, swapped)}
        found = suggest.closest(
            key, other, driver.mistaken.capacities if swapped == "capacity" else None
        )
        if found is not None and found in other:
            return other[found]
    confused = suggest.closest(key, mistaken)
    return (
        None
        if confused is None or confused == key
        else _meant_by(driver, kind, mistaken[confused], every)
    )


def _meant_by(
    driver: DriverSchema, kind: KindOfName, named: str, shapes: Iterable[Shape]
) -> Name | None:
    """The name that a list of known confusions gives, if it is published."""
    in_domain, slash, name = named.partition("/")
    meant: Name = (kind, in_domain, name) if slash else (kind, driver.name, named)
    return meant if any(shape.entry(meant) is not None for shape in shapes) else None


def _names(shapes: Iterable[Shape], kind: KindOfName) -> list[Name]:
    """Every name that devices of those shapes publish."""
    found: dict[Name, None] = {}
    for shape, of in ((each, each.device_type) for each in shapes if each.device_type):
        for entry in (of.attributes if kind == "attributes" else of.capacities).values():
            if shape.exists(entry.lifetime):
                found[(kind, entry.domain, entry.name)] = None
    return list(found)


def misspelt(
    case: SelectorCase, access: NameAccess, driver: DriverSchema, shapes: tuple[Shape, ...]
) -> Iterator[Suspect]:
    """A name in an open domain that is gone, a known one but for its case, or a known confusion."""
    kind, domain, key = access.name
    gone = next((e for s in shapes if (e := s.entry_of_any_version(access.name))), None)
    if gone is not None:
        if not access.guarded:
            yield _suspect(case, access, _other_version(case, access, driver, gone))
        return
    right = driver.mistaken.domains.get(domain)
    if right is not None:
        found = facts.MistakenDomain(driver.name, domain, right)
        fix = Replacement(*access.domain_span, right)
        yield _suspect(case, access, Observation(found, span=access.domain_span, fix=fix))
        return
    names = [name for name in _names(shapes, kind) if name[1] == domain]
    bare = key.replace("_", "").lower()
    meant = next((name for name in names if name[2].replace("_", "").lower() == bare), None)
    if meant is None and domain == driver.name:
        named = driver.mistaken.attributes.get(key)
        meant = next((name for name in names if name[2] == named), None)
    if meant is not None:
        named_so = facts.MistakenAttribute(driver.name, access.name, meant[2], driver.open_reason)
        fix = Replacement(*access.name_span, meant[2])
        yield _suspect(case, access, Observation(named_so, span=access.name_span, fix=fix))


# Places ---------------------------------------------------------------------------------------


def _types(shapes: Iterable[Shape]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(shape.label for shape in shapes))
