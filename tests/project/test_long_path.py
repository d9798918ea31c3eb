"""A bounded part of `python -m tests.fuzz` and `python -m tests.kills`, and proof that they find."""

from __future__ import annotations

import os
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.fuzz.__main__ import search, smaller
from tests.fuzz.cases import Case, Failure, judge
from tests.fuzz.reduce import reduced
from tests.fuzz.surfaces import SURFACES
from tests.kills.__main__ import CALLS, kill, undisturbed

# As many as take a second or two.
INPUTS = 120


@pytest.fixture(autouse=True)
def _no_debugging(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DRADSL_DEBUG", raising=False)


@pytest.mark.parametrize("part", range(2))
@pytest.mark.parametrize("surface", SURFACES)
def test_inputs(surface: str, part: int, tmp_path: Path) -> None:
    codes: Counter[int | None] = Counter()
    numbers = range(part, INPUTS, 2)
    assert search(surface, numbers, 7, tmp_path, codes) == {}
    assert codes.total() == len(numbers)
    assert codes[0] + codes[1] + codes[3] > len(numbers) // 20  # not all are rejected at the door


LINT = Case(("lint", "--isolated", "a.yaml"), {"a.yaml": b"a: 1\nb: 2\nc: 3\n"}, "a.yaml")


@pytest.mark.parametrize("kind", ["internal error", "hang", "control character", "exit code"])
def test_what_is_wrong_is_found_and_reduced(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dradsl.cli import linting

    plain = linting.run_lint

    def planted(options: dict[str, object]) -> None:
        if b"b" in Path("a.yaml").read_bytes():
            match kind:
                case "internal error":
                    raise KeyError("b")
                case "hang":
                    while True:
                        time.sleep(0)
                case "control character":
                    print("\x1b[31m")  # noqa: T201 - what a faulty command prints
                case _:
                    os.write(1, b"")
                    raise SystemExit(3)
        plain(options)

    if kind == "hang":  # the other kinds take what a busy machine takes
        monkeypatch.setattr("tests.fuzz.cases.SECONDS", 0.05)
    monkeypatch.setattr(linting, "run_lint", planted)
    found = judge(LINT, tmp_path)
    assert found is not None
    assert found.kind == {"internal error": "exception"}.get(kind, kind)
    assert smaller(LINT, found, tmp_path).content == b"b"


def test_a_rewriting_that_does_not_settle_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dradsl.cli import linting

    def planted(options: dict[str, object]) -> None:
        path = Path("a.yaml")
        path.write_bytes(path.read_bytes() + b"# more\n")
        raise SystemExit(0)

    monkeypatch.setattr(linting, "run_lint", planted)
    case = Case(LINT.words, LINT.files, LINT.target, rewrites=True)
    assert judge(case, tmp_path) == Failure("a second run rewrites again", "lint --isolated")


def test_reduction_ends() -> None:
    data = b"x\n" * 500 + b"needle" + b"\ny" * 500
    assert reduced(data, lambda text: b"needle" in text) == b"needle"
    asked = []

    def never(text: bytes) -> bool:
        asked.append(text)
        return False

    reduced(data, never, tries=10)
    assert len(asked) == 10


@pytest.mark.parametrize("call", CALLS)
def test_kills(call: str, tmp_path: Path) -> None:
    """One step and way for each call; the command takes all."""
    what = undisturbed(tmp_path / "a", call)
    assert what.before != what.after
    number = CALLS.index(call)
    how = ("SIGKILL", "SIGTERM", "full disk")[number % 3]
    assert kill(tmp_path / "b", call, what, 1 + number * 5 % what.steps, how) == []
