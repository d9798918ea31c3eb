"""`dradsl init`: write a first configuration from what is in the tree."""

from __future__ import annotations

import os
from pathlib import Path

import click

from dradsl.cli.commands import Command
from dradsl.cli.errors import InputError
from dradsl.cli.say import put, say
from dradsl.lint.settings.options import PRESETS

__all__ = ["command"]

_NAME = ".dradsl.yaml"


@click.command("init", cls=Command)
@click.argument(
    "folder", default=".", type=click.Path(exists=True, file_okay=False, path_type=Path)
)
@click.option("--preset", type=click.Choice(PRESETS), help="Write this preset into the file.")
@click.option("--dry-run", is_flag=True, help="Print the configuration. Write nothing.")
@click.option("--diff", is_flag=True, help="Print what would change. Write nothing.")
@click.option("--force", is_flag=True, help="Replace a configuration that exists.")
def command(folder: Path, preset: str | None, dry_run: bool, diff: bool, force: bool) -> None:
    """Write .dradsl.yaml in FOLDER from what is in the tree, with the files that name it.

    \b
    Exit codes:
      0  written or printed
      2  there is a configuration already, or the tree cannot be read
    """
    from dradsl.text.diff import unified_diff
    from dradsl.text.files import SETTINGS_BYTES, FileError
    from dradsl.tree.files import Tree
    from dradsl.tree.replacing import write_bytes

    target = folder / _NAME
    text = _text(folder, preset)
    tree = Tree.around(folder)
    if dry_run:
        put(text)
        return
    try:
        before = tree.read(target, SETTINGS_BYTES) if os.path.lexists(target) else b""
        if diff:
            put(*unified_diff(before.decode("utf-8", "replace"), text, str(target), str(target)))
            return
        _expect_none(folder, target, force=force)
        write_bytes(target, text.encode("utf-8", "replace"), expected=before, tree=tree)
    except FileError as error:
        raise InputError(str(error)) from error
    say(f"wrote {target}", err=True)


def _expect_none(folder: Path, target: Path, *, force: bool) -> None:
    """Refuse to hide or to replace a file that was written by hand."""
    from dradsl.lint.settings.config_file import tool_table
    from dradsl.lint.settings.problems import ConfigError

    if force:
        return
    if os.path.lexists(target):
        raise InputError(f"{target} is there already: --force writes over it, --diff shows how")
    project = folder / "pyproject.toml"
    try:
        if project.is_file() and tool_table(project) is not None:
            raise InputError(
                f"{project} has [tool.dradsl], which {_NAME} would hide: --force writes it all the same"
            )
    except ConfigError as error:
        raise InputError(str(error)) from error


def _text(folder: Path, preset: str | None) -> str:
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.lint.input.reading import read_paths
    from dradsl.lint.settings.config import LintConfig
    from dradsl.lint.settings.first_config import first_config
    from dradsl.records import replace
    from dradsl.text.files import relative
    from dradsl.tree.inputs.sources import UsageProblem

    plain = LintConfig(root=folder)
    try:
        reading = read_paths((str(folder),), lambda _name: plain, filtered=True)
    except UsageProblem as error:
        raise InputError(str(error)) from error
    sources = [replace(each, name=relative(each.name, folder)) for each in reading.sources]
    return first_config(sources, Catalogue(), preset)
