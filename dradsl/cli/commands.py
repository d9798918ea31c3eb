"""Commands and groups as ours print them: options in groups, examples below, a hint for what is mistyped."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from dradsl.cli.say import in_manner, say_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["BranchingCommand", "Command", "CommandGroup", "Explained", "near"]


def near(word: str, known: Iterable[str]) -> str | None:
    """The known word that `word` most likely means; only one that is close."""
    from difflib import get_close_matches

    lower = {name.lower(): name for name in known}
    found = get_close_matches(word.lower()[:100], lower, n=1, cutoff=0.7)
    return lower[found[0]] if found else None


def _words(ctx: click.Context) -> str:
    """The words of a command behind the name of the program: "schema show"."""
    words: list[str] = []
    here: click.Context | None = ctx
    while here is not None and here.parent is not None:
        words.insert(0, here.info_name or "")
        here = here.parent
    return " ".join(words)


def _groups(words: str) -> tuple[Mapping[str, Sequence[str]], Sequence[str]]:
    """The groups of a command's options, and those that are left out of a short help."""
    if not words:  # the program itself: its help is asked for most
        return {}, ()
    from dradsl.cli.texts import help_texts

    texts = help_texts()
    return texts.option_groups.get(words, {}), texts.less_used.get(words, ())


def _show_all(ctx: click.Context, _parameter: click.Parameter, given: bool) -> None:
    if given and not ctx.resilient_parsing:
        ctx.meta[_SHOWS_ALL] = True
        say_lines(ctx.get_help())
        ctx.exit()


_SHOWS_ALL = "dradsl.help-all"


class Explained(click.Command):
    """What a command and a group have in common: the texts come from `texts`, when help is asked for."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        every = {"is_flag": True, "is_eager": True, "expose_value": False, "hidden": True}
        option = click.Option(["--help-all"], callback=_show_all, **every)  # type: ignore[arg-type]
        return [*super().get_params(ctx), option]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        words = _words(ctx)
        of_group, less_used = _groups(words)
        hidden = () if ctx.meta.get(_SHOWS_ALL) else less_used
        titles = {name: title for title, names in of_group.items() for name in names}
        sections: dict[str, list[tuple[str, str]]] = {title: [] for title in of_group}
        for parameter in self.get_params(ctx):
            record = None if parameter.name in hidden else parameter.get_help_record(ctx)
            if record is not None and any(record[1:]):  # an argument: the usage line shows it
                title = titles.get(parameter.name or "", "Options")
                sections.setdefault(title, []).append(record)
        for title, rows in sections.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)
        if hidden:
            formatter.write_paragraph()
            formatter.write(f"`dradsl {words} --help-all` shows {len(hidden)} more options.\n")

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from dradsl.cli.texts import help_texts

        rows = help_texts().examples.get(_words(ctx), ())
        if not rows:
            return
        program = ctx.find_root().info_name or "dradsl"
        with formatter.section("Examples"):
            for what, call in rows:
                shown = call.replace("dradsl ", f"{program} ") if program != "dradsl" else call
                formatter.write(f"{'':>{formatter.current_indent}}# {what}\n")
                formatter.write(f"{'':>{formatter.current_indent}}{shown}\n")


class _Alike(click.Command):
    """What works alike in every command: options that it does not have by itself are added and carried out here."""

    def __init__(self, *args: Any, **attributes: Any) -> None:
        from dradsl.cli.cluster_options import COLOR, OUTPUT, QUIET
        from dradsl.cli.options import click_option
        from dradsl.cli.time_limit import TIMEOUT

        super().__init__(*args, **attributes)
        own = {each.name for each in self.params}
        shared = [one for one in (COLOR, QUIET, TIMEOUT, OUTPUT) if one.name not in own]
        self.shared = [one.name for one in shared]
        self.params += map(click_option, shared)

    def invoke(self, ctx: click.Context) -> object:
        from dradsl.cli.errors import InputError
        from dradsl.cli.named_paths import missing_path
        from dradsl.cli.time_limit import deadline_of, limited

        if ctx.command is not self:
            return ctx.command.invoke(ctx)
        if str(ctx.params.get("output")) == "-":
            ctx.params["output"] = None
        if (missing := missing_path(ctx.params)) is not None:
            raise InputError(missing)
        given = {name: ctx.params.pop(name) for name in self.shared}
        timeout = given.pop("timeout", None)
        with in_manner(**given), limited(deadline_of(timeout), f"dradsl {_words(ctx)}"):
            try:
                return click.Command.invoke(self, ctx)
            except click.exceptions.Exit as end:
                sys.exit(end.exit_code)


class Command(_Alike, Explained):
    """A command with examples."""


class CommandGroup(Explained, click.Group):
    """A group of such commands, which suggests one for a word that is none."""

    command_class = Command
    meant: Mapping[str, str] = {}
    """Words of other programs, and what does the same here."""

    def context_of(self, name: str, command: click.Command, here: click.Context) -> click.Context:
        """The context in which help of a command below this one is made."""
        return click.Context(command, info_name=name, parent=here)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # By ourselves: click before 8.2 prints this to standard output, and ends with 0.
        if not args and self.no_args_is_help and not ctx.resilient_parsing:
            say_lines(ctx.get_help(), err=True)
            ctx.exit(2)
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        Explained.format_options(self, ctx, formatter)
        self.format_commands(ctx, formatter)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        word = args[0]
        if (
            not ctx.resilient_parsing
            and not word.startswith("-")
            and self.get_command(ctx, word) is None
        ):
            close = self.meant.get(word) or near(word, self.list_commands(ctx))
            hint = f"; did you mean {close}?" if close else ""
            ctx.fail(f"no such command: {word}{hint}")
        return super().resolve_command(ctx, args)


class BranchingCommand(_Alike, CommandGroup):
    """A command that does something by itself, and has commands below it: `rule DRA201`, and `rule test`."""

    allow_interspersed_args = True  # as a command has it: options may follow its arguments

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes, invoke_without_command=True, subcommand_metavar="")

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        below = self.commands.get(args[0]) if args else None
        if below is None:
            return super().make_context(info_name, args, parent, **extra)
        return below.make_context(f"{info_name} {args.pop(0)}", args, parent, **extra)

    def context_of(self, name: str, command: click.Command, here: click.Context) -> click.Context:
        return click.Context(command, info_name=f"{here.info_name} {name}", parent=here.parent)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        has_arguments = any(isinstance(each, click.Argument) for each in self.params)
        if args and not args[0].startswith("-") and not has_arguments:
            self.resolve_command(ctx, args)  # it fails, and suggests one
        return click.Command.parse_args(self, ctx, args)
