"""Rule documents: `rules/DRAnnn-name.md`, the specification, the test and the page of each rule."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from dradsl.data import data_folder
from dradsl.diagnostics import Severity
from dradsl.errors import DradslError
from dradsl.lint.catalogue.traits import RuleTraits
from dradsl.records import Record

__all__ = [
    "DocumentError",
    "RuleDocument",
    "UnknownRuleError",
    "all_documents",
    "document_paths",
    "load_document",
    "parse_document",
]

FixKind = Literal["none", "safe", "unsafe"]

SECTIONS = ("What it finds", "Why it hurts", "How to fix", "Examples")

_FILE_NAME = re.compile(r"(DRA\d{3})-([a-z0-9]+(?:-[a-z0-9]+)*)\.md")


class DocumentError(DradslError, ValueError):
    """A rule document that does not follow the form; `str()` names the file and what is wrong."""


class UnknownRuleError(DradslError, LookupError):
    """There is no document of this code or name."""


class RuleDocument(Record):
    """A rule as people read it; `body` is the Markdown below the title, from `first_line` of the file on.

    `where` names the modules of dradsl that find the mistake, `source` what of upstream they follow. `python` is
    the remedy for who wrote Python: `always` that one, `otherwise` where lint has none, or for `pods` of plain data.
    `follows` names rules from whose findings those of this one follow, and where these stand.
    """

    code: str
    name: str
    family: int
    severity: Severity
    releases: tuple[str, ...]
    fix: FixKind
    needs: tuple[str, ...]
    source: str
    where: tuple[str, ...]
    traits: RuleTraits
    python: Mapping[str, str]
    follows: tuple[tuple[str, str], ...]
    title: str
    body: str
    first_line: int

    def section(self, heading: str) -> str:
        """The Markdown of one of `SECTIONS`, without its heading; empty where it is missing."""
        start = re.search(rf"^## {re.escape(heading)}\n", self.body, re.MULTILINE)
        if start is None:
            return ""
        rest = self.body[start.end() :]
        end = re.search(r"^## ", rest, re.MULTILINE)
        return rest[: end.start() if end else None].strip()


def document_paths(folder: Path | None = None) -> dict[str, Path]:
    """Code -> file, by code. Only the folder is read, not the files.

    Raises:
        DocumentError: for a file name that is not DRAnnn-name.md, or a code that has two.
    """
    paths: dict[str, Path] = {}
    for path in sorted(Path(folder or data_folder("rules")).glob("*.md")):
        match = _FILE_NAME.fullmatch(path.name)
        if match is None:
            raise DocumentError(f"{path.name}: a rule document is called DRAnnn-name.md")
        if match[1] in paths:
            raise DocumentError(f"{path.name}: {paths[match[1]].name} has the same code")
        paths[match[1]] = path
    return paths


def load_document(rule: str, folder: Path | None = None) -> RuleDocument:
    """The document of a code or a name, in whatever case.

    Raises:
        UnknownRuleError: if there is none.
        DocumentError: if it does not follow the form.
    """
    paths = document_paths(folder)
    path = paths.get(rule.upper())
    if path is None:
        named = (p for p in paths.values() if p.stem.partition("-")[2] == rule.lower())
        path = next(named, None)
    if path is None:
        raise UnknownRuleError(rule)
    return parse_document(path.read_text(encoding="utf-8"), path.name)


def all_documents(folder: Path | None = None) -> tuple[RuleDocument, ...]:
    """Every document, by code."""
    return tuple(
        parse_document(path.read_text(encoding="utf-8"), path.name)
        for path in document_paths(folder).values()
    )


def parse_document(text: str, file_name: str) -> RuleDocument:
    """Read a document; its file name must repeat code and name.

    Its front matter is as `schemas/rule.schema.json` says: `maintenance.rule_tables` checks that, and tests do.

    Raises:
        DocumentError: for a section that is missing.
    """
    import yaml

    from dradsl.releases import RELEASES, parse_releases

    parts = text.split("---\n", 2)
    if len(parts) != 3 or parts[0]:
        raise DocumentError(f"{file_name}: does not start with front matter between --- lines")
    matter: dict[str, Any] = yaml.load(parts[1], yaml.SafeLoader)
    title, body = _title_and_body(parts[2], file_name)
    releases = matter["releases"]
    named = RELEASES if releases == "all" else [each.name for each in parse_releases(releases)]
    document = RuleDocument(
        code=matter["code"],
        name=matter["name"],
        family=matter["family"],
        severity=Severity(matter["severity"]),
        releases=tuple(named),
        fix=matter["fix"],
        needs=tuple(matter["needs"]),
        source=matter["source"],
        where=tuple(matter["where"]),
        traits=RuleTraits(
            **{**matter["traits"], "elsewhere": tuple(matter["traits"]["elsewhere"])}
        ),
        python=matter.get("python", {}),
        follows=tuple((*each.split(" "),) for each in matter.get("follows", ())),
        title=title,
        body=body,
        first_line=text.count("\n", 0, len(text) - len(body)) + 1,
    )
    if file_name != f"{document.code}-{document.name}.md":
        raise DocumentError(f"{file_name}: holds {document.code}-{document.name}")
    for heading in SECTIONS:
        if not document.section(heading):
            raise DocumentError(f"{file_name}: the section {heading!r} is missing or empty")
    return document


def _title_and_body(text: str, file_name: str) -> tuple[str, str]:
    head, _, body = text.lstrip("\n").partition("\n")
    if not head.startswith("# "):
        raise DocumentError(f"{file_name}: the text starts with '# ' and the title")
    return head.removeprefix("# ").strip(), body.lstrip("\n")
