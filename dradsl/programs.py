"""Other programs: found where the user's PATH says, and never given room to fill the memory."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Mapping, Sequence
    from typing import IO

__all__ = ["ProgramOutput", "ProgramError", "ask", "ask_later", "find_program"]

_PIECE = 1 << 20  # bytes
_FAREWELL = 5.0  # seconds for a program that was killed to be gone
_KEPT_ERRORS = 1 << 16  # bytes of what a program says on standard error


class ProgramError(Exception):
    """A program that is not found, cannot be started or says too much; its text is not in the message."""


@dataclass(frozen=True, slots=True)
class ProgramOutput:
    """What a program said, and how it ended; of `errors` the first part."""

    code: int
    out: bytes
    errors: bytes


def find_program(name: str) -> str:
    """The program `name` of the user's PATH, never one of the working directory.

    An empty or relative entry of PATH, and on Windows every search, means that directory: it may be
    what is checked. A name with a folder in it is a path and stays as it is.

    Raises:
        ProgramError: if there is none.
    """
    if Path(name).name != name:
        return name
    file = f"{name}.exe" if os.name == "nt" and not name.lower().endswith(".exe") else name
    for folder in os.get_exec_path():
        path = Path(folder) / file
        if path.is_absolute() and path.is_file() and os.access(path, os.X_OK):
            return str(path)
    raise ProgramError(f"{name} is not found on the PATH")


def ask(
    words: Sequence[str],
    limit: int,
    *,
    seconds: float | None = None,
    environment: Mapping[str, str] | None = None,
    folder: str | None = None,
    memory: int | None = None,
) -> ProgramOutput:
    """Run a program to its end and take what it prints, at most `limit` bytes; it gets no input.

    It has `seconds`, with all that it starts; None: as long as it takes. It sees this `environment` and no
    more, works in this `folder`, and gets `memory` bytes at most where the system can hold it to that.

    Raises:
        ProgramError: if it cannot be started, prints more or takes longer; it is then stopped.
    """
    try:
        process = subprocess.Popen(  # noqa: S603 - no shell; the caller's own program
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=None if environment is None else dict(environment),
            cwd=folder,
            # A group of its own where it may be stopped: what it starts is stopped with it.
            start_new_session=seconds is not None,
        )
    except (OSError, ValueError) as error:  # ValueError: a null character in a word
        reason = error.strerror if isinstance(error, OSError) else None
        raise ProgramError(f"cannot be started: {reason or error}") from error
    if memory is not None:
        _hold(process.pid, memory)
    over = threading.Event()
    clock = None
    if seconds is not None:
        clock = threading.Timer(seconds, _end, (process, over))
        clock.daemon = True
        clock.start()
    with process:
        errors: list[bytes] = []
        # Beside standard output: a program whose errors are not read stops.
        stderr = _asked_for(process.stderr)
        listener = threading.Thread(target=_drain, args=(stderr, errors), daemon=True)
        listener.start()
        try:
            out = _taken(_asked_for(process.stdout), limit)
            listener.join()
            process.wait()
        finally:
            if clock is not None:
                clock.cancel()
            if process.returncode is None:
                _stop(process)
            listener.join()
    if over.is_set():
        raise ProgramError(f"takes longer than {seconds:g} s")
    return ProgramOutput(process.returncode, out, b"".join(errors))


async def ask_later(
    words: Sequence[str],
    *,
    seconds: float,
    environment: Mapping[str, str] | None = None,
    folder: str,
) -> ProgramOutput:
    """As `ask`, beside other tasks; of what the program prints only the errors are taken.

    It is stopped, with all that it starts, when the task is cancelled.

    Raises:
        ProgramError: if it cannot be started, or takes longer.
    """
    import asyncio

    try:
        process = await asyncio.create_subprocess_exec(
            *words,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            env=None if environment is None else dict(environment),
            cwd=folder,
            start_new_session=True,
        )
    except OSError as error:
        raise ProgramError(f"cannot be started: {error.strerror or error}") from error
    stderr = process.stderr
    try:
        errors = b"" if stderr is None else await asyncio.wait_for(_first(stderr), seconds)
        await asyncio.wait_for(process.wait(), seconds)
    except TimeoutError:
        raise ProgramError(f"takes longer than {seconds:g} s") from None
    finally:
        if process.returncode is None:
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.communicate(), _FAREWELL)
    return ProgramOutput(process.returncode or 0, b"", errors)


async def _first(stream: asyncio.StreamReader) -> bytes:
    """The first part of what a program says; all of it is read."""
    said = b""
    while piece := await stream.read(_PIECE):
        said += piece[: _KEPT_ERRORS - len(said)]
    return said


def _end(process: subprocess.Popen[bytes], over: threading.Event) -> None:
    over.set()
    _stop(process)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Stop a program that was not waited for yet, and what it started if it has a group of its own."""
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg") and os.getpgid(process.pid) == process.pid:
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()


def _hold(number: int, memory: int) -> None:
    """Keep a process from taking more memory; Linux only."""
    try:
        from resource import RLIMIT_DATA, prlimit
    except ImportError:
        return
    with contextlib.suppress(OSError, ValueError):
        prlimit(number, RLIMIT_DATA, (memory, memory))


def _asked_for(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise ProgramError("has no output")  # never: there is a pipe for it
    return stream


def _taken(stream: IO[bytes], limit: int) -> bytes:
    pieces: list[bytes] = []
    total = 0
    while piece := stream.read(_PIECE):
        total += len(piece)
        if total > limit:
            raise ProgramError(f"prints {total} bytes or more; the limit is {limit}")
        pieces.append(piece)
    return b"".join(pieces)


def _drain(stream: IO[bytes], kept: list[bytes]) -> None:
    """Read to the end, and keep the first part."""
    room = _KEPT_ERRORS
    with contextlib.suppress(OSError, ValueError):  # closed, as the program was stopped
        while piece := os.read(stream.fileno(), _KEPT_ERRORS):
            kept.append(piece[:room])
            room -= len(kept[-1])
