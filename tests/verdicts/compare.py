"""Compares our answers with the recorded ones: `python -m tests.verdicts.compare [SUBJECT …]`.

Prints the agreement per subject and release; `--show N` prints the first disagreements, `--out DIR`
writes all of them as JSON Lines (question, release, upstream's answer, ours).
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dradsl.releases import RELEASES
from tests.replay import SUBJECTS, answer_or_failure
from tests.verdicts import corpus

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Outcome", "main", "outcomes"]

Outcome = tuple[corpus.Case, str, Any, bool]


def ours(case: corpus.Case, release: str) -> list[dict[str, Any]]:
    """Our answer to a case; what we reject to answer is an answer too, and where we fail as well."""
    return answer_or_failure(case.subject, case.question, RELEASES[release])


def outcomes(subject: str, only: str = "") -> Iterator[Outcome]:
    """Every case of a subject with our answer and whether it is upstream's."""
    for path in corpus.corpora(subject):
        if only and not path.name.startswith(only):
            continue
        for case in corpus.read_corpus(path):
            for release, expected in case.answers.items():
                found = ours(case, release)
                yield case, release, found, corpus.agree(case.subject, expected, found)


def main(arguments: list[str] | None = None) -> int:
    """Compares and reports."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("subjects", nargs="*", default=sorted(SUBJECTS))
    parser.add_argument("--file", default="", help="only corpora whose name starts so")
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--accept", metavar="REASON", help="make the differences known ones")
    options = parser.parse_args(arguments)
    for subject in options.subjects:
        asked: Counter[str] = Counter()
        agreed: Counter[str] = Counter()
        wrong: list[dict[str, Any]] = []
        start = time.monotonic()
        for case, release, found, same in outcomes(subject, options.file):
            asked[release] += 1
            agreed[release] += same
            if not same:
                wrong.append(
                    {
                        "case": case.name,
                        "release": release,
                        "question": dict(case.question),
                        "upstream": case.answers[release],
                        "ours": found,
                    }
                )
        seconds = time.monotonic() - start
        for release in asked:
            sys.stdout.write(f"{subject} {release}: {agreed[release]} of {asked[release]}\n")
        sys.stdout.write(f"{subject}: {seconds:.1f} s\n")
        for one in wrong[: options.show]:
            sys.stdout.write(json.dumps(one, ensure_ascii=False)[:3000] + "\n")
        if options.accept:
            corpus.accept(subject, [(one["case"], one["release"]) for one in wrong], options.accept)
        if options.out:
            options.out.mkdir(parents=True, exist_ok=True)
            lines = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in wrong)
            (options.out / f"{subject}.jsonl").write_text(lines, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
