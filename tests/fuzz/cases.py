"""One input of a command, run in this process as the command line does, and what was wrong with it."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import signal
import sys
import traceback
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from types import FrameType

__all__ = ["CODES", "Case", "Failure", "Outcome", "is_control", "judge", "run"]

CODES = (0, 1, 2)
"""The exit codes that docs/lint.md and the help texts name."""

MORE_CODES = {"migrate": (3,)}
"""Those of one command alone."""

SECONDS = 5
"""What an input may take, of processor time; that the machine is busy is no fault of the input."""

_WAITING = 120  # seconds by the clock: nothing waits for anything
_INTERNAL = re.compile(r"internal error|DRA099|Traceback \(most recent")


@dataclass(frozen=True, slots=True)
class Case:
    """A call and the files it finds. `target` is the file that was changed; `quotes` says that standard
    output is made of the input as it is, `rewrites` that files are written."""

    words: tuple[str, ...]
    files: Mapping[str, bytes]
    target: str
    stdin: bytes = b""
    quotes: bool = False
    rewrites: bool = False

    def with_target(self, data: bytes) -> Case:
        """The case with other content of the changed file, or the changed word."""
        if self.target == "":
            text = data.decode("utf-8", "replace").replace("\0", "")
            return Case((*self.words[:-1], text), self.files, "", self.stdin, self.quotes)
        files = {**self.files, self.target: data}
        return Case(self.words, files, self.target, self.stdin, self.quotes, self.rewrites)

    @property
    def content(self) -> bytes:
        """What was changed."""
        if self.target == "":
            return self.words[-1].encode("utf-8", "surrogateescape")
        return self.files[self.target]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended; `error` is the exception that nobody expected, with its place."""

    code: int | None
    out: str
    err: str
    error: str | None


@dataclass(frozen=True, slots=True)
class Failure:
    """What was wrong. Two failures of one `kind` and `place` are taken for the same."""

    kind: str
    place: str


class Hang(BaseException):
    """The input takes too long; no part of dradsl catches this."""

    seen: ClassVar[str] = ""


def judge(case: Case, folder: Path, codes: Counter[int | None] | None = None) -> Failure | None:
    """Run a case in an empty `folder`; what was wrong, None if nothing. `codes` counts exit codes."""
    _fill(folder, case.files)
    first = run(case, folder)
    if codes is not None:
        codes[first.code] += 1
    found = _wrong(case, first)
    parsed = {name: _parses(data) for name, data in case.files.items()} if case.rewrites else {}
    if found is not None or not case.rewrites or first.code == 2 or not all(parsed.values()):
        return found
    before = _written(case, folder)
    for name, text in before.items():
        if text != case.files[name] and not _parses(text):
            return Failure("a rewritten file does not parse", name)
    again = run(case, folder)
    found = _wrong(case, again)
    if found is None and _written(case, folder) != before:
        return Failure("a second run rewrites again", " ".join(case.words[:2]))
    return found


def run(case: Case, folder: Path) -> Outcome:
    """The command line in `folder`, in this process."""
    outcome = _run(case, folder)
    if outcome.error is None and _INTERNAL.search(outcome.err + outcome.out):
        # Once more, so that it tells where.
        os.environ["DRADSL_DEBUG"] = "1"
        try:
            again = _run(case, folder)
        finally:
            del os.environ["DRADSL_DEBUG"]
        return Outcome(outcome.code, outcome.out, outcome.err, again.error)
    return outcome


def _run(case: Case, folder: Path) -> Outcome:
    from dradsl.cli import main

    out, err = io.BytesIO(), io.BytesIO()
    code: int | None = None
    error = None
    Hang.seen = ""
    with _streams(case.stdin, out, err), contextlib.chdir(folder), _limit():
        sys.argv = ["dradsl", *case.words]
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        except Hang:
            error = f"hang {Hang.seen}"
        except Exception as raised:  # noqa: BLE001 - any of them is what is looked for
            error = f"{type(raised).__name__} {_place(raised)}"
        else:
            code = 0
        with contextlib.suppress(ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
    return Outcome(
        code,
        out.getvalue().decode("utf-8", "surrogateescape"),
        err.getvalue().decode("utf-8", "surrogateescape"),
        error,
    )


def _wrong(case: Case, outcome: Outcome) -> Failure | None:
    if outcome.error is not None:
        return Failure("hang" if outcome.error.startswith("hang") else "exception", outcome.error)
    if outcome.code not in (*CODES, *MORE_CODES.get(case.words[0], ())):
        return Failure("exit code", str(outcome.code))
    given = b"".join(
        (*case.files.values(), *(word.encode("utf-8", "replace") for word in case.words))
    )
    said = _INTERNAL.search(outcome.err + outcome.out)
    if said is not None and said[0].encode() not in given:
        return Failure("internal error", said[0])
    if outcome.code == 2 and not outcome.err.strip() and "DRA003" not in outcome.out:
        return Failure("exit code 2 without a word", " ".join(case.words[:2]))
    texts = {"standard error": outcome.err} | (
        {} if case.quotes else {"standard output": outcome.out}
    )
    for name, text in texts.items():
        control = next((each for each in text if is_control(each)), None)
        if control is not None:
            return Failure("control character", f"{name} of {' '.join(case.words[:2])}")
    return None


def is_control(character: str) -> bool:
    """Whether a terminal obeys a character: controls, line separators, marks of direction."""
    if character in "\n\t" or (character.isascii() and character >= " " and character != "\x7f"):
        return False
    return unicodedata.category(character) in ("Cc", "Zl", "Zp", "Cs") or (
        "\u202a" <= character <= "\u202e" or "\u2066" <= character <= "\u2069"
    )


def _parses(data: bytes) -> bool:
    from dradsl.text.documents import load

    stream = load(data)
    return not any(problem.fatal for problem in stream.all_problems())


def _written(case: Case, folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in case.files}


def _fill(folder: Path, files: Mapping[str, bytes]) -> None:
    for each in folder.iterdir():
        if each.is_dir() and not each.is_symlink():
            shutil.rmtree(each)
        else:
            each.unlink()
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _place(error: BaseException) -> str:
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__) if "/dradsl/" in frame.filename
    ]
    if not frames:
        return "?"
    last = frames[-1]
    return f"dradsl/{last.filename.rpartition('/dradsl/')[2]} {last.name}"


@contextlib.contextmanager
def _streams(stdin: bytes, out: io.BytesIO, err: io.BytesIO) -> Iterator[None]:
    kept = sys.stdin, sys.stdout, sys.stderr, sys.argv
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    sys.stdout = io.TextIOWrapper(_Open(out), encoding="utf-8", errors="replace")
    sys.stderr = io.TextIOWrapper(_Open(err), encoding="utf-8", errors="replace")
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr, sys.argv = kept


class _Open(io.BufferedIOBase):
    """Passes what is written on, and does not close what it writes to."""

    def __init__(self, to: io.BytesIO) -> None:
        self._to = to

    def writable(self) -> bool:
        return True

    def write(self, data: bytes, /) -> int:  # type: ignore[override] # bytes, as a raw stream takes
        return self._to.write(data)


@contextlib.contextmanager
def _limit() -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        while frame is not None and "/dradsl/" not in frame.f_code.co_filename:
            frame = frame.f_back
        if frame is not None:
            code = frame.f_code
            Hang.seen = f"dradsl/{code.co_filename.rpartition('/dradsl/')[2]} {code.co_name}"
        raise Hang

    signals = (signal.SIGPROF, signal.SIGALRM)
    kept = {each: signal.signal(each, stop) for each in signals}
    others = {
        each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    }
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    signal.setitimer(signal.ITIMER_REAL, _WAITING)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in (*kept.items(), *others.items()):
            signal.signal(number, handler)
