"""Recorded questions and upstream's answers: files, and what counts as the same answer.

A file is gzipped JSON Lines. Its first line says which modules answered: `{"recorded": {release:
{module: version}}, "note": …}`. Every other line is a question of the protocol (`id` and the fields
of its subject) plus `answers`: `[{"releases": […], "lines": […]}]`, where `lines` is what upstream
answers, or `possible` with several such answers per line, where upstream leaves it to chance.
"""

from __future__ import annotations

import gzip
import io
import itertools
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = [
    "FOLDER",
    "Case",
    "accept",
    "agree",
    "corpora",
    "known_differences",
    "known_entries",
    "names",
    "read_corpus",
    "read_header",
    "read_rows",
    "write_corpus",
]

FOLDER = Path(__file__).parent
_NO_KIND = re.compile(
    r"no kind \"|no matches for kind \"|Object '\w+' is missing|apiVersion not set"
)
_UNREAD = re.compile(r"yaml: |couldn't get version/kind")
_MADE_UP_NAME = re.compile(r"extended-resources-\d+")
_REJECTED = re.compile(r": ResourceClaim\S+ \S+ is invalid: \S+ (Duplicate value|Too many): .*")
_EMPTY: tuple[Any, ...] = (None, "", "0", 0, [], {})
_NOT_ASKED = ("answers", "note", "releases")
# Of these only the claims are ours.
_GROUP_KINDS = ("PodGroup", "Workload")
_CLAIMS = re.compile(r"\bspec\b.*\.resourceClaims\b")
# What else upstream has against a pod.
_NOT_OF_CLAIMS = (
    {
        "type": "FieldValueForbidden",
        "field": "spec.ephemeralContainers",
        "detail": "cannot be set on create",
    },
)


@dataclass(frozen=True, slots=True)
class Case:
    """A question with the answers of the releases that it was put to."""

    subject: str
    file: str
    question: Mapping[str, Any]
    answers: Mapping[str, tuple[tuple[Any, ...], ...]]
    note: str = ""

    @property
    def name(self) -> str:
        return f"{self.file}:{self.question['id']}"


def corpora(subject: str) -> list[Path]:
    """The corpus files of a subject."""
    return sorted((FOLDER / subject).glob("*.jsonl.gz"))


def names() -> list[str]:
    """Every corpus file, as commands name it: `cel/rules`."""
    found = sorted(FOLDER.glob("*/*.jsonl.gz"))
    return [f"{path.parent.name}/{path.name.removesuffix('.jsonl.gz')}" for path in found]


def read_corpus(path: Path, start: int = 0, step: int = 1) -> Iterator[Case]:
    """The cases of a file, in order: every `step`th from number `start` on."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in itertools.islice(lines, 1 + start, None, step):
            row = json.loads(line)
            answers = {
                release: tuple(
                    tuple(choices)
                    for choices in group.get("possible") or [[x] for x in group["lines"]]
                )
                for group in row["answers"]
                for release in group["releases"]
            }
            question = {key: value for key, value in row.items() if key not in _NOT_ASKED}
            yield Case(path.parent.name, path.name, question, answers, row.get("note", ""))


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a file as they are stored, without its first line."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        next(lines)
        return [json.loads(line) for line in lines]


def write_corpus(path: Path, header: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> None:
    """Writes a corpus; the same rows always give the same bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = io.StringIO()
    for row in (header, *rows):
        text.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")
    with path.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
        packed.write(text.getvalue().encode())


def agree(subject: str, expected: tuple[tuple[Any, ...], ...], ours: list[Any]) -> bool:
    """Whether our lines are what upstream answers, or one of what it may answer."""
    return len(expected) == len(ours) and all(
        _one_of(subject, choices, one) for choices, one in zip(expected, ours, strict=True)
    )


def _one_of(subject: str, choices: tuple[Any, ...], ours: dict[str, Any]) -> bool:
    if len(choices) > 1 and "results" in ours and all("results" in choice for choice in choices):
        # Devices are evaluated one by one, and chance has its way with each of them.
        columns = zip(*[choice["results"] for choice in choices], strict=True)
        rest = {**choices[0], "results": []}
        return _same(rest, {**ours, "results": []}) and all(
            any(_same(choice, one) for choice in column)
            for column, one in zip(columns, ours["results"], strict=True)
        )
    return any(
        _same(_comparable(subject, choice), _comparable(subject, _as_told(choice, ours)))
        for choice in choices
    )


def _as_told(upstream: dict[str, Any], ours: dict[str, Any]) -> dict[str, Any]:
    """Our line without the steps of the search, which not all of upstream's implementations count,
    and without the object that upstream rejects for what is not our business."""
    untold = {"steps"} if "steps" in ours and "steps" not in upstream else set()
    if ours.get("kind") in _GROUP_KINDS and "object" not in upstream:
        untold.add("object")
    return {key: value for key, value in ours.items() if key not in untold} if untold else ours


def _comparable(subject: str, line: dict[str, Any]) -> dict[str, Any]:
    """A line without what nobody promises: texts of a crash and of a YAML parser, the whole of a
    pod."""
    if line.get("errorKind") == "crash":
        return {key: value for key, value in line.items() if key != "error"}
    if subject == "alloc" and line.get("error"):
        return {**line, "error": _syntax_by_place(line["error"])}
    if subject == "yaml" and line.get("error"):
        return {"error": True}  # two parsers, two ways to put it
    if subject in ("pod", "validate"):
        return _comparable_verdict(subject, line)
    if subject == "schedule":
        return _comparable_schedule(line)
    if subject == "cel" and line.get("compileError"):
        error = line["compileError"]
        if "runtime error: " in error["detail"]:
            return {"errorKind": "crash"}  # our word for what crashes the request upstream
        return {**line, "compileError": {**error, "detail": _syntax_by_place(error["detail"])}}
    return line


def _comparable_schedule(line: dict[str, Any]) -> dict[str, Any]:
    """A pod's line without the numbers in made-up names, and with one wording of what the API server
    rejects; claims without what is empty."""
    shown: dict[str, Any] = json.loads(_MADE_UP_NAME.sub("extended-resources", json.dumps(line)))
    if "claims" in shown:
        shown["claims"] = [
            {key: value for key, value in claim.items() if value not in (None, [])}
            for claim in shown["claims"]
        ]
    if "reasons" in shown.get("preBind", ()):
        reasons = shown["preBind"]["reasons"]
        shown["preBind"]["reasons"] = [_REJECTED.sub(r": \1", one) for one in reasons]
    return shown


_SYNTAX = re.compile(r"ERROR: <input>:(\d+:\d+): Syntax error: ")


def _syntax_by_place(detail: str) -> str:
    """Of a syntax error only the place of the first: the words are those of a parser generator."""
    found = _SYNTAX.search(detail)
    return f"syntax error at {found[1]}" if found else detail


def _comparable_verdict(subject: str, line: dict[str, Any]) -> dict[str, Any]:
    """A verdict of the API server without order, repetition and what Go writes for absent fields.

    Upstream reports some errors twice and walks maps at random; an API server answers a kind that
    it does not know before the decoder that the oracle asks could.
    """
    shown = _of_claims(line) if line.get("kind") in _GROUP_KINDS else dict(line)
    errors = shown.pop("errors", ())
    if any("runtime error" in error["detail"] for error in errors):
        return {"errorKind": "crash"}  # our word for what crashes the request upstream
    unique = {
        json.dumps({**error, "detail": _syntax_by_place(error.get("detail", ""))}, sort_keys=True)
        for error in errors
        if subject != "pod" or error not in _NOT_OF_CLAIMS
    }
    if unique:
        shown["errors"] = sorted(unique)
    if "strictErrors" in shown:
        shown["strictErrors"] = sorted(shown["strictErrors"])
    if _NO_KIND.match(shown.get("decodeError", "")):
        shown["decodeError"] = "no such kind"
    if unread := _UNREAD.match(shown.get("decodeError", "")):
        shown["decodeError"] = unread[0]  # two parsers, two ways to put it
    if subject == "pod" and line.get("kind") == "Pod":
        shown.pop("object", None)
    elif isinstance(shown.get("object"), dict):
        shown["object"] = _without_empty(shown["object"])
        metadata = shown["object"].get("metadata", {})
        metadata.pop("generation", None)
        if "generateName" in metadata:
            metadata.pop("name", None)
    return shown


def _of_claims(line: dict[str, Any]) -> dict[str, Any]:
    """A verdict on a PodGroup or Workload without what is not of its claims: errors elsewhere, and of
    the object all but its lists of claims."""
    shown = dict(line)
    if "errors" in line:
        shown["errors"] = [one for one in line["errors"] if _CLAIMS.search(one["field"])]
    strict = [
        one
        for one in line.get("strictErrors", ())
        if not one.startswith("unknown field ") or _CLAIMS.search(one)
    ]
    shown.pop("strictErrors", None)
    if strict:
        shown["strictErrors"] = strict
    if isinstance(line.get("object"), dict):
        shown["object"] = dict(_claims_in(line["object"].get("spec"), "spec"))
    return shown


def _claims_in(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Every list of claims with its path."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key == "resourceClaims":
                yield f"{path}.{key}", item
            else:
                yield from _claims_in(item, f"{path}.{key}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _claims_in(item, f"{path}[{index}]")


def _without_empty(value: Any) -> Any:
    if isinstance(value, dict):
        pruned = {key: _without_empty(item) for key, item in value.items()}
        return {key: item for key, item in pruned.items() if item not in _EMPTY or item is False}
    if isinstance(value, list):
        return [_without_empty(item) for item in value]
    return value


def _same(upstream: object, ours: object) -> bool:
    """Equality of JSON values: numbers by value, booleans never as numbers."""
    if isinstance(upstream, dict) and isinstance(ours, dict):
        return upstream.keys() == ours.keys() and all(
            _same(value, ours[key]) for key, value in upstream.items()
        )
    if isinstance(upstream, list) and isinstance(ours, list | tuple):
        return len(upstream) == len(ours) and all(
            _same(a, b) for a, b in zip(upstream, ours, strict=True)
        )
    if isinstance(upstream, bool) or isinstance(ours, bool):
        return upstream is ours
    if isinstance(upstream, int | float) and isinstance(ours, int | float):
        # Go writes large floats without an exponent, so that they read as integers.
        floats = isinstance(upstream, float) or isinstance(ours, float)
        return float(upstream) == float(ours) if floats else upstream == ours
    return upstream == ours


def known_entries() -> list[dict[str, Any]]:
    """Differences that are not to be fixed, with their reasons (known.json)."""
    path = FOLDER / "known.json"
    return list(json.loads(path.read_text("utf-8"))) if path.exists() else []


def known_differences() -> dict[tuple[str, str, str], str]:
    """Those differences by (subject, case, release)."""
    return {
        (entry["subject"], case, release): entry["reason"]
        for entry in known_entries()
        for case in entry["cases"]
        for release in entry["releases"]
    }


def read_header(path: Path) -> dict[str, Any]:
    """The first line of a file: which modules answered."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return dict(json.loads(next(lines)))


def accept(subject: str, differences: Iterable[tuple[str, str]], reason: str) -> None:
    """Adds differences (case, release) to known.json; those known for another reason stay so."""
    known = known_differences()
    by_case: dict[str, list[str]] = {}
    for case, release in differences:
        if (subject, case, release) not in known:
            by_case.setdefault(case, []).append(release)
    groups: dict[tuple[str, ...], list[str]] = {}
    for case, releases in by_case.items():
        groups.setdefault(tuple(releases), []).append(case)
    entries = known_entries() + [
        {"subject": subject, "releases": list(releases), "reason": reason, "cases": cases}
        for releases, cases in groups.items()
    ]
    (FOLDER / "known.json").write_text(
        json.dumps(entries, indent=1, ensure_ascii=False) + "\n", "utf-8"
    )
