"""Options of a command as a table: read without click where the call is plain, else made for click.

Importing click costs as much as half a lint run. So the calls that leave nothing to explain are
read here; every other one (help, a mistake, an option that names a file to check) is click's, which
is built from the same table and gives the same values.
"""

from __future__ import annotations

from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Literal, TypeAlias, TypeVar

    import click

    F = TypeVar("F", bound=Callable[..., Any])

__all__ = [
    "Option",
    "OptionValues",
    "click_option",
    "flag",
    "many",
    "option_decorator",
    "read_plainly",
    "text",
]

OptionValues: TypeAlias = "dict[str, Any]"
"""The values of a call by the names of its options: each has the type that its `Option.kind` tells."""

Kind: TypeAlias = "Literal['flag', 'text', 'many', 'choice', 'path', 'file']"


@dataclass(frozen=True, slots=True)
class Option:
    """One option: "flag", "text", "many" (repeatable text), "choice", "path" (or "file": no folder).

    `name` is its key among the values, `flags` are what is written, the long form last.
    """

    name: str
    flags: tuple[str, ...]
    kind: Kind
    help: str | None = None
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    default: str | None = None

    @property
    def unset(self) -> object:
        """The value where the option is not given."""
        if self.kind == "many":
            return ()
        return False if self.kind == "flag" else self.default


def flag(written: str, help_: str, *, short: str | None = None) -> Option:
    """An option without a value."""
    return Option(_name(written), (*filter(None, (short,)), written), "flag", help_)


def text(written: str, metavar: str, help_: str, default: str | None = None) -> Option:
    """An option with any text for a value."""
    return Option(_name(written), (written,), "text", help_, metavar, default=default)


def many(written: str, metavar: str, help_: str) -> Option:
    """An option that may be given several times, each with a text."""
    return Option(_name(written), (written,), "many", help_, metavar)


def _name(written: str) -> str:
    return written.removeprefix("--").replace("-", "_")


def read_plainly(words: Sequence[str], options: Sequence[Option]) -> OptionValues | None:
    """The values of a call, `paths` among them; None where click has to look at it."""
    by_flag = {each: option for option in options for each in option.flags}
    values: OptionValues = {option.name: option.unset for option in options}
    paths: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            paths += rest
            break
        if word == "-" or not word.startswith("-"):
            paths.append(word)
            continue
        written, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
        option = by_flag.get(written)
        if option is None or option.kind in ("path", "file"):
            return None
        if option.kind == "flag":
            if equals:
                return None
            values[option.name] = True
            continue
        if not equals:
            value = next(rest, "-")
            if value.startswith("-"):
                return None
        if option.choices and value not in option.choices:
            return None
        values[option.name] = (*values[option.name], value) if option.kind == "many" else value
    values["paths"] = tuple(paths)
    return values


def click_option(option: Option) -> click.Option:
    """The option as click knows it."""
    import click

    names, attributes = _for_click(option)
    return click.Option(names, **attributes)


def option_decorator(option: Option) -> Callable[[F], F]:
    """The option as a decorator, for commands that are written as click's functions."""
    import click

    names, attributes = _for_click(option)
    return click.option(*names, **attributes)


def _for_click(option: Option) -> tuple[list[str], OptionValues]:
    import click

    names = [*option.flags, option.name]
    if option.kind == "flag":
        return names, {"is_flag": True, "help": option.help}
    kind: click.ParamType[Any] | None = None
    if option.kind == "choice":
        kind = click.Choice(option.choices)
    elif option.kind in ("path", "file"):
        from pathlib import Path

        kind = click.Path(dir_okay=option.kind == "path", path_type=Path)
    default: OptionValues = {} if option.default is None else {"default": option.default}
    from dradsl.cli.completing import COMPLETED

    return names, {
        "type": kind,
        "multiple": option.kind == "many",
        "metavar": option.metavar,
        "help": option.help,
        "shell_complete": COMPLETED.get(option.name),
        **default,
    }
