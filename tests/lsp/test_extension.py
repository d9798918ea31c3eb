"""The extension for VS Code as far as it can be read without Node.js: settings, snippets, the lock file."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from dradsl.lint.engine.run import lint
from dradsl.lint.engine.session import Session
from dradsl.lsp.linting.settings import Settings, read_settings
from maintenance.snippets import snippets_text

ROOT = Path(__file__).parents[2]
EXTENSION = ROOT / "editors" / "vscode"
PACKAGE: dict[str, Any] = json.loads((EXTENSION / "package.json").read_text())
SETTINGS: dict[str, Any] = PACKAGE["contributes"]["configuration"]["properties"]
SNIPPETS: dict[str, Any] = {
    **json.loads((EXTENSION / "snippets" / "dra.json").read_text()),
    **json.loads((EXTENSION / "snippets" / "recipes.json").read_text()),
}
# What the extension itself is asked, not the server.
OWN = {"path", "trace.server"}


def test_settings_are_those_of_the_server() -> None:
    names = {name.removeprefix("dradsl.") for name in SETTINGS} - OWN
    given = {name: SETTINGS[f"dradsl.{name}"]["default"] for name in names}
    assert read_settings(given) == (Settings(), ())
    # Each is read: a value of another type is told of.
    _, problems = read_settings({name: object() for name in names})
    assert {problem.partition(":")[0] for problem in problems} == names
    source = (EXTENSION / "src" / "server.ts").read_text()
    assert all(f'"{name}"' in source for name in names)
    for page in (ROOT / "docs" / "editors.md", EXTENSION / "README.md"):
        text = page.read_text(encoding="utf-8")
        assert [name for name in names if f"{name}`" not in text] == []


def test_commands_are_registered() -> None:
    source = (EXTENSION / "src" / "extension.ts").read_text()
    names = [each["command"] for each in PACKAGE["contributes"]["commands"]]
    assert [name for name in names if f'"{name}"' not in source] == []


def test_nothing_starts_in_folders_that_nobody_trusts() -> None:
    assert PACKAGE["capabilities"]["untrustedWorkspaces"]["supported"] is False


def test_the_lock_file_names_no_host() -> None:
    assert '"resolved"' not in (EXTENSION / "package-lock.json").read_text()


def expanded(body: list[str]) -> str:
    """A snippet with its suggestions taken."""
    text = re.sub(r"\$\{\d+:([^}]*)\}", r"\1", "\n".join(body))
    return re.sub(r"\$\d+", "", text)


def test_snippets_of_recipes_are_renewed() -> None:
    written = (EXTENSION / "snippets" / "recipes.json").read_text("utf-8")
    assert written == snippets_text(), "python -m maintenance.snippets"


@pytest.mark.parametrize("name", SNIPPETS)
def test_snippets_are_right(name: str, tmp_path: Path) -> None:
    """Objects as they are, parts of them within one."""
    text = expanded(SNIPPETS[name]["body"])
    indented = text.replace("\n", "\n      ")
    around = {
        "Claims of a pod": "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n"
        "  containers: [{name: c, image: x, resources: {claims: [{name: devices}]}}]\n  "
        + text.replace("\n", "\n  "),
        "Claims of a container": "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n"
        "  resourceClaims: [{name: devices, resourceClaimName: c}]\n"
        "  containers:\n    - name: c\n      image: x\n      " + indented,
        "Selector": "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: c}\nspec:\n"
        "  " + text.replace("\n", "\n  "),
    }
    (tmp_path / "a.yaml").write_text(around.get(name, text) + "\n")
    session = Session((str(tmp_path),), isolated=True)
    work = session.read()
    assert [source.name for source in work.sources] == [str(tmp_path / "a.yaml")]
    report = lint(work, session.config(), config_of=session.config_of)
    assert [each for each in report.findings if each.severity.value == "error"] == []
