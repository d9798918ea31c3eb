"""`python -m tests.replay SUBJECT [FILE] --release 1.36`: answers questions with our code."""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from dradsl.releases import UnknownReleaseError, get_release, newest_release
from tests.replay.protocol import SUBJECTS, reply

if TYPE_CHECKING:
    from dradsl.releases import Release

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> int:
    """Reads questions from a file or standard input and writes the answers, in order."""
    parser = argparse.ArgumentParser(prog="python -m tests.replay", description=__doc__)
    parser.add_argument("subject", choices=sorted(SUBJECTS))
    parser.add_argument("file", nargs="?", default="-", help="JSON Lines; - is standard input")
    parser.add_argument("--release", default=newest_release().name, help="default: the newest")
    options = parser.parse_args(arguments)
    try:
        release = get_release(options.release)
        with contextlib.ExitStack() as stack:
            source: TextIO = sys.stdin
            if options.file != "-":
                source = stack.enter_context(Path(options.file).open(encoding="utf-8"))
            _answer_all(source, options.subject, release)
    except (UnknownReleaseError, OSError) as error:
        parser.error(str(error))
    return 0


def _answer_all(source: TextIO, subject: str, release: Release) -> None:
    for line in source:
        if line.strip():
            sys.stdout.write("".join(f"{one}\n" for one in reply(subject, line, release)))
            sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
