"""An expression written as CEL, the drivers and the API server take it, as far as there is one way to write it."""

from __future__ import annotations

import re

from dradsl.cel.checker.advice import otherwise
from dradsl.cel.syntax.ast import Call, walk
from dradsl.cel.syntax.parse import CelSyntaxError, parse
from dradsl.drivers.abstract.texts import STEPS, TESTS
from dradsl.drivers.suggestions.domains import with_domain
from dradsl.drivers.suggestions.operators import METHODS, with_methods
from dradsl.drivers.suggestions.symbols import with_symbols
from dradsl.observations import Replacement, replaced
from dradsl.values.limits import ROUNDS_OF_EXPRESSIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.drivers.schema.model import DriverSchema

__all__ = ["written_right"]

_METHODS = (*TESTS, *STEPS, *METHODS)


def written_right(text: str, drivers: Sequence[DriverSchema], known: Catalogue) -> str:
    """The expression with other symbols, domains, methods, names and products, where those are not right."""
    for _ in range(ROUNDS_OF_EXPRESSIONS):
        new = replaced(text, _fixes(text, drivers, known))
        if new == text:
            break
        text = new
    if "//" not in text:  # the end of a line ends a comment
        text = re.sub(r"\s*\n\s*", " ", text)
    return text.strip()


def _fixes(text: str, drivers: Sequence[DriverSchema], known: Catalogue) -> Iterable[Replacement]:
    try:
        parse(text)
    except CelSyntaxError:
        return with_symbols(text)
    for found in (with_domain(text, drivers), with_methods(text, drivers), _called(text)):
        if fixes := (*found,):
            return fixes
    return _by_judge(text, drivers, known)


def _called(text: str) -> Iterator[Replacement]:
    """The methods of other languages, or in other letters."""
    for node in walk(parse(text)):
        if isinstance(node, Call) and node.target is not None and len(node.args) < 2:
            words = [text[slice(*each.span)] for each in (node.target, *node.args)]
            form = _form(node.function, has_argument=len(words) > 1)
            if form is not None:
                parts = {"a": words[0], "b": words[-1], '"b"': words[-1]}
                new = "".join(parts.get(each, each) for each in re.split(r'("b"|\b[ab]\b)', form))
                yield Replacement(*node.span, new)


def _form(method: str, *, has_argument: bool) -> str | None:
    """How CEL writes a method, with `a` for what has it and `b` for its argument; None if that is as it is written."""
    letters = method.replace("_", "").lower()
    meant = next((each for each in _METHODS if each.lower() == letters and each != method), None)
    form = otherwise().get(method) or (f"a.{meant}({'b' * has_argument})" if meant else "")
    fits = re.search(r"\ba\b", form) and bool(re.search(r"\bb\b", form)) is has_argument
    return form if fits else None


def _by_judge(
    text: str, drivers: Sequence[DriverSchema], known: Catalogue
) -> Iterator[Replacement]:
    """Names and values that none of these devices has, as they are called."""
    from dradsl.drivers.judge.case import SelectorContext
    from dradsl.drivers.judge.check import check_selector
    from dradsl.drivers.judge.selector_facts import Cause

    before = (f'device.driver == "{drivers[0].name}"',) if len(drivers) == 1 else ()
    for each in check_selector(text, known, SelectorContext(before=before)):
        if each.fix is not None and isinstance(each.facts, Cause):
            yield each.fix
