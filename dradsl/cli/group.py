"""The command `dradsl` as click knows it: a group whose commands are imported on use."""

from __future__ import annotations

import contextlib
import importlib
from typing import TYPE_CHECKING

import click

from dradsl._version import __version__
from dradsl.cli.commands import CommandGroup
from dradsl.cli.say import COLORS, WHEN_COLORED, in_manner, say_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["group_of"]


# Words that other programs have for it.
_MEANT: Mapping[str, str] = {
    "check": "lint", "validate": "lint", "verify": "lint", "fix": "lint --fix", "explain": "rule",
    "describe": "why", "version": "--version", "claims": "devices --by claim",
}  # fmt: skip

_TASKS = (
    ("lint deploy/", "find mistakes before you apply manifests"),
    ("why ml/train --from-cluster", "see why a pod is pending"),
    ("simulate pods.yaml --from-cluster", "see which nodes and devices pods get"),
    ("migrate --diff deploy/", "replace device plugin requests by claims"),
    ("new gpu", "write a claim and a workload from a recipe"),
)


def _tasks(program: str) -> str:
    """What a call without a command shows."""
    wide = max(len(call) for call, _ in _TASKS)
    lines = [f"  {program} {call:<{wide}}  {what}" for call, what in _TASKS]
    start = f"Start with `{program} lint .` in a folder with manifests."
    return "\n".join([*lines, "", f"{start} `{program} --help` lists all commands."])


@contextlib.contextmanager
def _escaping() -> Iterator[None]:
    """What click says of a mistake may quote the call or a file: nothing in it is obeyed."""
    try:
        yield
    except click.ClickException as error:
        from dradsl.values.printable import printable

        # The attribute is final for type checkers; nothing else is asked for the text.
        vars(error)["message"] = printable(error.message)
        raise


class _LazyGroup(CommandGroup):
    """A group whose commands live in modules of their own, imported on use; and `help`."""

    rows: Mapping[str, tuple[str, str]] = {}
    meant = _MEANT

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.rows)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        row = self.rows.get(cmd_name)
        if row is None:
            return _HELP if cmd_name == "help" else None
        command: click.Command = importlib.import_module(row[0]).command
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # The plugin of kubectl has other tasks, and shows its help.
        if not args and "migrate" in self.rows and not ctx.resilient_parsing:
            say_lines(_tasks(ctx.info_name or "dradsl"), err=True)
            ctx.exit(2)
        with _escaping():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        with _escaping():
            return super().invoke(ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # The overview comes from the table: no command module is imported to print it.
        with formatter.section("Commands"):
            formatter.write_dl([(name, row[1]) for name, row in self.rows.items()])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_paragraph()
        formatter.write(
            f"`{ctx.info_name} help COMMAND` shows options and examples of a command.\n"
        )


@click.command("help", add_help_option=False)
@click.argument("words", nargs=-1, metavar="[COMMAND]...")
@click.pass_context
def _HELP(context: click.Context, words: tuple[str, ...]) -> None:  # noqa: N802 - a constant
    """Show the help of a command."""
    here = context.find_root()
    for word in words:
        if not isinstance(here.command, CommandGroup):
            context.fail(f"{here.command_path} has no commands of its own")
        _, command, _ = here.command.resolve_command(here, [word])
        if command is not None:
            here = here.command.context_of(word, command, here)
    say_lines(here.get_help())


def group_of(rows: Mapping[str, tuple[str, str]]) -> click.Group:
    """The group of commands: name -> (module that holds `command`, one line for the overview)."""

    @click.group(
        cls=_LazyGroup,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    @click.version_option(__version__, "-V", "--version", prog_name="dradsl")
    @click.option("--color", type=click.Choice(COLORS), help=WHEN_COLORED)
    @click.pass_context
    def dradsl(context: click.Context, color: str | None) -> None:
        """Lint, write, migrate and simulate Kubernetes Dynamic Resource Allocation manifests."""
        context.with_resource(in_manner(color))

    dradsl.rows = rows
    if "migrate" not in rows:
        dradsl.help = "See what holds devices and what stops pods, in the cluster of kubectl."
    return dradsl
