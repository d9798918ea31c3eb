"""What the next release answers differently: `python -m tests.upstream.preview 1.38` (needs its oracle).

A pre-release of which only some modules are published answers some subjects. It is asked every recorded
question of those, and `preview.jsonl` keeps where it differs from the newest release that dradsl knows:
the list of what is to be done. A first line says which modules answered and how many questions there were.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dradsl.releases import newest_release
from tests.oracle import client
from tests.verdicts import corpus

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tests.verdicts.corpus import Case

__all__ = ["FILE", "SUBJECTS", "UNKNOWN", "main", "read", "section"]

FILE = Path(__file__).with_name("preview.jsonl")

# What staging modules alone can answer; of CEL the expressions of policies.
SUBJECTS = ("cel", "quantity", "semver", "yaml")
UNKNOWN = ("alloc", "pod", "schedule", "validate", "CEL of devices")


def main(arguments: list[str] | None = None) -> int:
    """Ask and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("release")
    release = parser.parse_args(arguments).release
    known = newest_release().name
    counts: dict[str, int] = {}
    rows: list[dict[str, Any]] = []
    for subject in SUBJECTS:
        cases = list(_cases(subject, known))
        counts[subject] = len(cases)
        answers = client.ask(subject, release, [case.question for case in cases])
        for case, lines in zip(cases, answers, strict=True):
            if not corpus.agree(subject, case.answers[known], lines):
                before = [choices[0] for choices in case.answers[known]]
                rows.append(_row(subject, case.question, before, lines))
    header = {
        "release": release,
        "known": known,
        "modules": client.versions(release),
        "asked": counts,
    }
    text = [json.dumps(each, ensure_ascii=False, sort_keys=True) for each in (header, *rows)]
    FILE.write_text("\n".join(text) + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(rows)} of {sum(counts.values())} answers differ\n")
    return 0


def _row(
    subject: str, question: Mapping[str, Any], before: list[Any], now: list[Any]
) -> dict[str, Any]:
    """The question, as far as it is short, and what differs: where, before, now."""
    # One line answers one question, in these subjects.
    (first,), (second,) = before, now
    old, new = dict(_leaves(first, "")), dict(_leaves(second, ""))
    asked = {key: value for key, value in question.items() if isinstance(value, str | bool)}
    differs = {
        path: [old.get(path), new.get(path)]
        for path in sorted({*old, *new})
        if old.get(path) != new.get(path)
    }
    return {"subject": subject, "question": asked, "differs": differs}


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    pairs: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, dict):
        pairs = value.items()
    elif isinstance(value, list):
        pairs = enumerate(value)
    else:
        yield path, value
    for key, inner in pairs:
        yield from _leaves(inner, f"{path}.{key}".lstrip("."))


def _cases(subject: str, release: str) -> Iterator[Case]:
    for path in corpus.corpora(subject):
        for case in corpus.read_corpus(path):
            policy = case.question.get("env") == "admission"
            if release in case.answers and (subject != "cel" or policy):
                yield case


def read() -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The first line, and where the pre-release differs."""
    header, *rows = map(json.loads, FILE.read_text(encoding="utf-8").splitlines())
    return header, rows


def section() -> str:
    """What docs/exactness.md says of the next release."""
    header, rows = read()
    release, known, modules = header["release"], header["known"], header["modules"]
    version = modules["k8s.io/apiserver"].removeprefix("v0.")
    lines = [
        f"## The next release: {release}",
        "",
        f"dradsl does not know Kubernetes {release} yet, and does not judge for it. Some modules of "
        f"1.{version} are published and answer the recorded questions of these subjects (`python -m "
        f"tests.upstream.preview {release}`). dradsl answers as {known} does. "
        "`tests/upstream/preview.jsonl` lists each question with another answer. dradsl will follow them "
        "when the release comes.",
        "",
        f"| subject | questions | as {known} | differ |",
        "| --- | --- | --- | --- |",
    ]
    for subject, asked in header["asked"].items():
        differ = sum(row["subject"] == subject for row in rows)
        name = "cel (policies)" if subject == "cel" else subject
        lines.append(f"| {name} | {asked:,} | {asked - differ:,} | {differ:,} |")
    missing = ", ".join(f"`{name}`" if " " not in name else name for name in UNKNOWN)
    lines += [
        "",
        f"Not known for {release} yet: {missing}. Validation, the plugin of the scheduler and the allocator are in "
        "`k8s.io/kubernetes` and `k8s.io/dynamic-resource-allocation`. No pre-release of them with changes is "
        "published.",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
