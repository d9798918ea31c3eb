"""The examples: what their commands write is what is beside them, and it lints."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from dradsl.cli.migrate import command
from dradsl.lint.engine.run import lint_text
from dradsl.lint.settings.config import LintConfig
from tests.golden import check_golden

ROOT = Path(__file__).parents[2] / "examples"
EXAMPLES = sorted(path.parent for path in ROOT.glob("migrations/*/command"))


def files(folder: Path) -> dict[str, str]:
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in found}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_example(example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = (
        tmp_path / "migrations" / example.name
    )  # as in the repository: the commands name their neighbours
    shutil.copytree(example / "before", work / "before")
    if (example / "answers.yaml").is_file():
        shutil.copy(example / "answers.yaml", work)
    (tmp_path / "inventory").symlink_to(ROOT / "inventory")
    monkeypatch.chdir(work)
    words = shlex.split((example / "command").read_text())
    assert words[:2] == ["dradsl", "migrate"]
    result = CliRunner().invoke(command, words[2:], catch_exceptions=False)
    assert result.exit_code in (0, 1), result.output
    (work / "exit-code").write_text(f"{result.exit_code}\n")
    written = {name: text for name, text in files(work).items() if not name.startswith("before")}
    for name, text in written.items():
        check_golden(example / name, text)
        if name.startswith("after/"):
            report = lint_text(text, name, LintConfig(root=tmp_path))
            assert [f for f in report.findings if f.severity == "error"] == []
    assert files(example).keys() == {*written, *files(example / "before"), "command"} - {
        *files(example / "before")
    } | {f"before/{name}" for name in files(example / "before")}


def test_there_are_enough() -> None:
    assert len(EXAMPLES) >= 6


def test_the_post_renderer_of_helm_3() -> None:
    """The script is what helm runs: manifests in, migrated manifests out."""
    script = ROOT / "migrations" / "post-render" / "helm-3" / "dradsl-post-render.sh"
    text = (ROOT / "migrations" / "deployment" / "before" / "server.yaml").read_text()
    done = subprocess.run(
        ["/bin/sh", str(script)],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "kind: ResourceClaimTemplate" in done.stdout
