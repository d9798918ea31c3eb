"""Streams that the caller closed, a width without end, and memory that runs out: said as such."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BROKEN = str(ROOT / "examples/broken/class-name.yaml")
UNWRITTEN = "dradsl: the output cannot be written: Bad file descriptor\n"
UNREAD = "standard input: Bad file descriptor"

pytestmark = pytest.mark.skipif(
    os.name != "posix", reason="closes streams as a shell of POSIX does"
)


def run(words: str, closed: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", "-c", f'exec "$0" -m dradsl {words} {closed}', sys.executable],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={**{k: v for k, v in os.environ.items() if k != "DRADSL_DEBUG"}, **variables},
    )


@pytest.mark.parametrize(
    ("words", "closed", "code", "said"),
    [
        (f"lint --isolated {BROKEN}", ">&-", 2, UNWRITTEN),
        (f"lint --isolated {BROKEN}", "<&- >&-", 2, UNWRITTEN),
        (f"lint --isolated {BROKEN}", "2>&-", 1, ""),
        (f"lint --isolated {BROKEN}", "<&- >&- 2>&-", 2, ""),
        (f"lint --isolated {BROKEN}", "<&-", 1, ""),
        ("lint --isolated -", "<&-", 2, f"dradsl lint: {UNREAD}\n"),
        ("lint --isolated -", "<&- >&-", 2, f"dradsl lint: {UNREAD}\n"),
        ("--help", ">&-", 2, UNWRITTEN),
        ("rule", ">&-", 2, UNWRITTEN),
        ("cel check true", ">&-", 2, UNWRITTEN),
        ("lsp", "<&-", 2, f"dradsl lsp: {UNREAD}\n"),
        ("lsp", "<&- >&-", 2, f"dradsl lsp: {UNREAD}\n"),
        ("why -", "<&-", 2, f"Error: {UNREAD}\n"),
    ],
)
def test_a_closed_stream(words: str, closed: str, code: int, said: str) -> None:
    done = run(words, closed)
    assert (done.returncode, done.stderr) == (code, said)


def test_a_report_in_a_file_needs_no_standard_output(tmp_path: Path) -> None:
    file = tmp_path / "report.txt"
    done = run(f"lint --isolated --output {file} {BROKEN}", ">&-")
    assert (done.returncode, done.stderr) == (1, "")
    assert "DRA" in file.read_text("utf-8")


@pytest.mark.parametrize("columns", ["9" * 5000, "9" * 4301, "0" * 5000, "²", "-1"])
def test_a_width_that_is_none(columns: str) -> None:
    words = f"lint --isolated {BROKEN}"
    assert run(words, "", COLUMNS=columns).stdout == run(words, "", COLUMNS="").stdout


@pytest.mark.parametrize(
    ("place", "words", "code", "said"),
    [
        ("dradsl.cli.linting.run_lint", f"lint --isolated {BROKEN}", 2, "dradsl: not enough memory"),
        ("dradsl.lint.input.reading.load_named", f"lint --isolated {BROKEN}", 2, "the file was not checked: not enough memory"),
        ("dradsl.why.dump.Dump.__init__", f"devices {BROKEN}", 2, "not enough memory"),
    ],
)  # fmt: skip
def test_missing_memory(place: str, words: str, code: int, said: str) -> None:
    """It is no error of dradsl: nobody is asked to report it."""
    module, _, name = place.rpartition(".")
    owner, _, last = module.rpartition(".")
    is_class = last[:1].isupper()
    program = (
        "import importlib, sys\n"
        f"owner = importlib.import_module({(owner if is_class else module)!r})\n"
        f"owner = getattr(owner, {last!r}) if {is_class} else owner\n"
        "def full(*_, **__):\n    raise MemoryError\n"
        f"setattr(owner, {name!r}, full)\n"
        f"sys.argv = ['dradsl', *{words.split()!r}]\n"
        "from dradsl.cli import start\nstart()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == code, done.stderr
    assert said in done.stdout + done.stderr
    assert "report this" not in done.stdout + done.stderr
    assert "internal error" not in done.stdout + done.stderr


def test_what_was_read_is_freed_before_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message needs memory too."""
    import weakref

    from dradsl import cli

    class Large:
        pass

    held: list[weakref.ref[Large]] = []
    freed: list[bool] = []

    def run(*_: object) -> None:
        large = Large()
        held.append(weakref.ref(large))
        try:
            raise ValueError  # noqa: TRY301 - only what comes of it counts
        except ValueError:
            raise MemoryError  # noqa: B904 - as while an error is handled

    def said() -> int:
        freed.extend(each() is None for each in held)
        return 2

    monkeypatch.setattr(cli, "_run", run)
    monkeypatch.setattr(cli, "_without_memory", said)
    with pytest.raises(SystemExit):
        cli.main()
    assert freed == [True]
