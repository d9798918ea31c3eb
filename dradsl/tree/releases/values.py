"""Values of Helm releases put together: mappings merged, and single values written at a path.

Upstream: fluxcd/pkg runtime/transform, helm pkg/strvals/parser.go.
"""

from __future__ import annotations

import re

from dradsl.values.limits import MOST_LIST_INDEX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

__all__ = ["ValuesError", "merge_values", "set_value"]


class ValuesError(ValueError):
    """Values that are not known as a whole, or that cannot be put together; the message says why."""


def merge_values(under: dict[str, object], over: dict[str, object]) -> dict[str, object]:
    """Mapping merged of both: below equal keys mappings are merged, and anything else is that of `over`."""
    made = under.copy()
    for key, value in over.items():
        before = made.get(key)
        if isinstance(value, dict) and isinstance(before, dict):
            made[key] = merge_values(before, value)
        else:
            made[key] = value
    return made


_STEP = re.compile(r"((?:\\.|[^\\.\[\],=])*)((?:\[[0-9]+\])*)(\.|$)")


def set_value(
    values: dict[str, object],
    path: str,
    text: str,
    *,
    as_text: bool = False,
    wrap: Callable[[object], object] = lambda value: value,
) -> None:
    """Write a value at a path such as `a.b[0].c`, as `--set` does. `wrap` converts the value before it is stored.

    Raises:
        ValuesError: if path or value have a form that means several values, or lead through no mapping.
    """
    value = wrap(_value(text, as_text=as_text))
    steps: list[str | int] = []
    at = 0
    while at < len(path):
        step = _STEP.match(path, at)
        if step is None or step.end() == at:
            raise ValuesError(f"the path {path} cannot be read")
        name = re.sub(r"\\(.)", r"\1", step[1])
        if name or not steps:
            steps.append(name)
        steps += [int(each) for each in re.findall(r"\[([0-9]{1,9})\]", step[2])]
        at = step.end()
    if not steps:
        raise ValuesError("the path is empty")
    _write(values, steps, value, path, text_is_empty=not text)


def _write(
    values: Any, steps: Sequence[str | int], value: object, path: str, *, text_is_empty: bool
) -> None:
    if text_is_empty and any(isinstance(each, int) for each in steps):
        raise ValuesError(f"{path} gets no value")  # of which Helm writes a part
    above: Any = None
    before: str | int = ""
    here = values
    for step, following in zip(steps, [*steps[1:], None], strict=True):
        if isinstance(step, int):
            if not isinstance(here, list) or step > MOST_LIST_INDEX:
                raise ValuesError(f"{path} leads to no list")
            if step >= len(here):  # a longer list is another one: who shares the old one keeps it
                here = above[before] = [*here, *[None] * (step + 1 - len(here))]
            current = here[step]
            # What is in a list gives way to a mapping; nothing of it becomes a list.
            there = current is not None and (
                isinstance(following, int) or isinstance(current, dict)
            )
        else:
            if not isinstance(here, dict):
                raise ValuesError(f"{path} leads through no mapping")
            there = step in here  # null is a value that is no mapping
            current = here.get(step)
        if following is None:
            here[step] = value
            return
        if not there:
            current = here[step] = [] if isinstance(following, int) else {}
        above, before, here = here, step, current


def _value(text: str, *, as_text: bool) -> object:
    if text.startswith("{"):
        if not text.endswith("}") or "\\" in text or "}" in text[:-1]:
            raise ValuesError("the list does not end where the value ends")
        return [each if as_text else _typed(each) for each in text[1:-1].split(",")]
    if re.search(r"(?<!\\),", text):
        raise ValuesError("the value holds several")
    plain = re.sub(r"\\(.)", r"\1", text)
    return plain if as_text else _typed(plain)


def _typed(text: str) -> object:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if text.lower() == "null":
        return None
    if text == "0":
        return 0
    if re.fullmatch(r"[-+]?[0-9]{1,18}", text) and text[0] != "0":
        return int(text)
    return text
