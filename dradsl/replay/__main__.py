"""`python -m dradsl.replay SUBJECT [FILE] --release 1.36`: answers questions with our code."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from dradsl.releases import UnknownReleaseError, get_release, newest_release
from dradsl.replay.protocol import SUBJECTS, reply

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> int:
    """Reads questions from a file or standard input and writes the answers, in order."""
    parser = argparse.ArgumentParser(prog="python -m dradsl.replay", description=__doc__)
    parser.add_argument("subject", choices=sorted(SUBJECTS))
    parser.add_argument("file", nargs="?", default="-", help="JSON Lines; - is standard input")
    parser.add_argument("--release", default=newest_release().name, help="default: the newest")
    options = parser.parse_args(arguments)
    try:
        release = get_release(options.release)
        source = sys.stdin if options.file == "-" else Path(options.file).open(encoding="utf-8")
    except (UnknownReleaseError, OSError) as error:
        parser.error(str(error))
    with source:
        for line in source:
            if line.strip():
                sys.stdout.write("".join(f"{one}\n" for one in reply(options.subject, line, release)))
                sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
