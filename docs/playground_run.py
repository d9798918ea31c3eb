"""What the playground runs in the browser: one call of the command line, its exit code and its output."""

from __future__ import annotations

import contextlib
import io
import tempfile
from pathlib import Path

__all__ = ["run"]

FLEETS = Path(__file__).parent / "fleets"


def run(task: str, text: str, release: str, fleet: str) -> tuple[int, str]:
    """Lint or simulate a manifest, or check a selector."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        if task == "cel":
            Path("selector.cel").write_text(text, "utf-8")
            return _called(["cel", "check", "selector.cel", "--kube-version", release])
        Path("manifest.yaml").write_text(text, "utf-8")
        words = ["lint", "--isolated", "manifest.yaml"]
        if task == "simulate":
            words = ["simulate", "manifest.yaml", "--slices", str(FLEETS / Path(fleet).name)]
        return _called([*words, "--kube-version", release])


def _called(words: list[str]) -> tuple[int, str]:
    from dradsl.cli import _COMMANDS
    from dradsl.cli.group import group_of

    written = io.BytesIO()
    out = io.TextIOWrapper(written, encoding="utf-8", write_through=True)
    code: object = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            group_of(_COMMANDS)(words, prog_name="dradsl")
        except SystemExit as end:
            code = end.code
    return (code if isinstance(code, int) else 0), written.getvalue().decode("utf-8", "replace")
