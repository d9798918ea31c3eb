"""Options of a command as a table: read without click where the call is plain, else made for click.

Importing click costs as much as half a lint run. So the calls that leave nothing to explain are
read here; every other one (help, a mistake, an option that names a file to check) is click's, which
is built from the same table and gives the same values.
"""

from __future__ import annotations

from dradsl.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Literal, TypeAlias, TypeVar

    import click

    F = TypeVar("F", bound=Callable[..., Any])

__all__ = [
    "Option",
    "OptionValues",
    "choice",
    "click_option",
    "integer",
    "file",
    "flag",
    "folder",
    "many",
    "options_decorator",
    "read_plainly",
    "string",
]

OptionValues: TypeAlias = "dict[str, Any]"
"""The values of a call by the names of its options: each has the type that its `Option.kind` tells."""

Kind: TypeAlias = "Literal['flag', 'text', 'many', 'choice', 'count', 'file', 'folder']"


class Option(Record):
    """One option: "flag", "text", "many" (repeatable text), "choice", "count" (a number that is `least` or more),
    or one that is a "file" or a "folder".

    `name` is its key among the values, `flags` are what is written, the long form last.
    """

    name: str
    flags: tuple[str, ...]
    kind: Kind
    help: str | None = None
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    default: str | int | None = None
    least: int = 0

    @property
    def unset(self) -> object:
        """The value where the option is not given."""
        if self.kind == "many":
            return ()
        return False if self.kind == "flag" else self.default


def flag(written: str, help_: str, *, short: str | None = None) -> Option:
    """An option without a value."""
    return _option(written, "flag", help_, short=short)


def string(
    written: str,
    metavar: str,
    help_: str,
    *,
    default: str | None = None,
    short: str | None = None,
) -> Option:
    """An option with any text for a value."""
    return _option(written, "text", help_, metavar, short=short, default=default)


def many(written: str, metavar: str, help_: str, *, name: str | None = None) -> Option:
    """An option that may be given several times, each with a text."""
    return _option(written, "many", help_, metavar, name=name)


def choice(
    written: str,
    choices: tuple[str, ...],
    help_: str,
    *,
    default: str | None = None,
    name: str | None = None,
) -> Option:
    """An option with one of several values."""
    return _option(written, "choice", help_, choices=choices, default=default, name=name)


def integer(written: str, help_: str, *, least: int, default: int | None = None) -> Option:
    """An option with a number that is `least` or more."""
    return _option(written, "count", help_, least=least, default=default)


def file(written: str, help_: str, *, name: str | None = None, short: str | None = None) -> Option:
    """An option that names a file, which need not be there."""
    return _option(written, "file", help_, "FILE", name=name, short=short)


def folder(written: str, help_: str, *, short: str | None = None) -> Option:
    """An option that names a folder, which need not be there."""
    return _option(written, "folder", help_, "DIR", short=short)


def _option(
    written: str,
    kind: Kind,
    help_: str,
    metavar: str | None = None,
    *,
    name: str | None = None,
    short: str | None = None,
    **more: Any,
) -> Option:
    flags = (written,) if short is None else (short, written)
    own = written.removeprefix("--").replace("-", "_")
    return Option(name or own, flags, kind, help_, metavar, **more)


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
        if option is None or option.kind in ("count", "file", "folder"):
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


def options_decorator(options: Sequence[Option]) -> Callable[[F], F]:
    """Options as a decorator, for commands that are written as click's functions; help shows them in their order."""
    import click

    def decorate(function: F) -> F:
        for option in reversed(options):
            names, attributes = _for_click(option)
            function = click.option(*names, **attributes)(function)
        return function

    return decorate


def _for_click(option: Option) -> tuple[list[str], OptionValues]:
    import click

    names = [*option.flags, option.name]
    if option.kind == "flag":
        return names, {"is_flag": True, "help": option.help}
    kind: click.ParamType[Any] | None = None
    if option.kind == "choice":
        kind = click.Choice(option.choices)
    elif option.kind == "count":
        kind = click.IntRange(option.least)
    elif option.kind in ("file", "folder"):
        from pathlib import Path

        is_file, is_folder = option.kind == "file", option.kind == "folder"
        kind = click.Path(file_okay=not is_folder, dir_okay=not is_file, path_type=Path)
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
