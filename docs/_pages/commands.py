"""Pages of the command line, made of the commands themselves: usage, options with defaults, exit codes, examples."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["command_index", "command_names", "command_page"]

_EXIT_CODES = re.compile(r"\s*\bExit codes?:?\s(?:.|\n)*\Z")
# What is no link, and no code: paths, values and options in the prose of a help text.
_CODE = re.compile(
    r"(?<![\w`/])(--[a-z][\w-]*|\*\.[a-z]+|\.dradsl\.yaml|[a-z]+\.com/[a-z]+: \d+)(?![\w`])"
)
# What a help text says of a default at its end: "(text)." or "Default: text."
_SAID = re.compile(r"(?: \((\w+)\)| ?Default: (\w+))\.\Z")
_EVERYWHERE = (
    "Every command ends with 2 if the call or its input cannot be used, and with 128 and the number of the signal "
    "if a signal ended it."
)


def _program() -> click.Group:
    from dradsl.cli import _COMMANDS
    from dradsl.cli.group import group_of

    return group_of(_COMMANDS)


def command_names() -> list[str]:
    """The commands in the order of `dradsl --help`."""
    from dradsl.cli import _COMMANDS

    return list(_COMMANDS)


def _below(group: click.Group, context: click.Context, name: str) -> click.Command:
    command = group.get_command(context, name)
    if command is None:
        raise LookupError(name)
    return command


def command_index() -> Iterator[str]:
    """What commands there are."""
    from dradsl.cli import _COMMANDS

    yield "# Command line\n"
    yield "These pages are made of the commands of this version. A terminal shows the same: `dradsl COMMAND --help`.\n"
    yield "| Command | |"
    yield "| --- | --- |"
    for name, (_, about) in _COMMANDS.items():
        yield f"| [`dradsl {name}`]({name}.md) | {about} |"
    yield "\n## Exit codes\n"
    yield _EVERYWHERE + " The page of a command has the others.\n"
    yield "## `kubectl dra`\n"
    yield "The program `kubectl-dra` has the commands `why`, `devices`, `lint` and `simulate`, as a plugin "
    yield "of kubectl."


def command_page(name: str) -> Iterator[str]:
    """A command with those below it."""
    program = _program()
    with click.Context(program, info_name="dradsl") as context:
        yield f"# dradsl {name}\n"
        below = _below(program, context, name)
        yield from _described(below, click.Context(below, context, name), name, "##")


def _described(
    command: click.Command, context: click.Context, words: str, heading: str
) -> Iterator[str]:
    from dradsl.cli.commands import CommandGroup
    from dradsl.cli.texts import help_texts

    text = inspect.cleandoc(command.help or "")
    exit_codes = _EXIT_CODES.search(text)
    yield from _paragraphs(text[: exit_codes.start()] if exit_codes else text)
    yield f"```text\n{command.get_usage(context).removeprefix('Usage: ')}\n```\n"
    examples = help_texts().examples.get(words, ())
    if examples:
        yield f"{heading} Examples\n"
        yield "```sh"
        for number, (what, call) in enumerate(examples):
            yield ("\n" if number else "") + f"# {what}\n{call}"
        yield "```\n"
    yield from _options(command, context, help_texts().option_groups.get(words, {}), heading)
    if not isinstance(command, click.Group) or exit_codes:
        yield f"{heading} Exit codes\n"
        yield from _exit_codes(exit_codes.group().strip() if exit_codes else "")
    if isinstance(command, CommandGroup):
        for each in command.list_commands(context):
            below = command.context_of(each, _below(command, context, each), context)
            yield f"{heading} dradsl {words} {each}\n"
            yield from _described(below.command, below, f"{words} {each}", heading + "#")


def _options(
    command: click.Command,
    context: click.Context,
    groups: Mapping[str, tuple[str, ...]],
    heading: str,
) -> Iterator[str]:
    titles = {name: title for title, names in groups.items() for name in names}
    sections: dict[str, list[click.Option]] = {title: [] for title in groups}
    for parameter in command.get_params(context):
        if isinstance(parameter, click.Option) and not parameter.hidden:
            sections.setdefault(titles.get(parameter.name or "", "Options"), []).append(parameter)
    for title, options in sections.items():
        if options:
            yield f"{heading} {title}\n"
            for option in options:
                yield from _option(option, context)


def _option(option: click.Option, context: click.Context) -> Iterator[str]:
    """An option as a definition: its names, then what it does, its values and its default."""
    names = [*option.opts, *option.secondary_opts]
    value = ""
    if not option.is_flag and not option.count:
        value = f" {option.make_metavar(context)}"
        if isinstance(option.type, click.Choice):
            value = f" {'|'.join(map(str, option.type.choices))}"
    yield f"`{', '.join(names)}{value}`"
    about = _prose(option.help) if option.help else "When to colour the report."
    default, said = _default(option), _SAID.search(about)
    word = said and (said[1] or said[2])
    if said and isinstance(option.type, click.Choice) and word in option.type.choices:
        default, about = word, about[: said.start()]
        about = f"{about}." if about and not about.endswith(".") else about
    if default is not None and "Default: " not in about:
        about = f"{about} Default: `{default}`.".strip()
    if option.multiple and "epeatable" not in about:
        about += " Repeatable."
    yield f":   {about}\n"


def _default(option: click.Option) -> str | None:
    default = option.default
    if option.is_flag or option.multiple or not isinstance(default, (str, int)):
        return None
    return str(default)


def _exit_codes(text: str) -> Iterator[str]:
    """The codes that a help text names as a list, else its sentence; those of every command below."""
    rows = re.findall(r"^ +(\d+) {2,}(.*(?:\n {4,}\D.*)*)", text, re.MULTILINE)
    text = re.sub(r"\s+", " ", text)
    if not text:
        yield "0: done. " + _EVERYWHERE + "\n"
        return
    if not rows and not text.startswith("Exit codes: "):
        yield f"{_prose(text).rstrip('.')}; 0 otherwise. {_EVERYWHERE}\n"
        return
    if not rows:
        listed = text.removeprefix("Exit codes: ").rstrip(".")
        pairs = [each.partition(" ") for each in re.split(r"[,;] (?=\d )", listed)]
        rows = [(code, meaning) for code, _, meaning in pairs]
    for code, meaning in rows:
        yield f"- **{code}**: {_prose(' '.join(meaning.split()))}"
    yield ""


def _paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of a help text; those that click keeps as they are (behind a backspace) are blocks."""
    for each in re.split(r"\n\s*\n", text.strip()):
        if each.startswith("\b"):
            kept = each.removeprefix("\b").strip("\n")
            if kept.strip():
                yield f"```text\n{kept}\n```\n"
        elif each.strip():
            yield _prose(each) + "\n"


def _prose(text: str) -> str:
    """The text of a help as Markdown: paragraphs stay, options become code, nothing else is markup."""
    text = text.replace("<", "&lt;")
    return _CODE.sub(r"`\1`", text.replace("...", "…"))
