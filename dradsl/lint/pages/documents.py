"""Rule documents: `rules/DRAnnn-name.md`, the specification, the test and the page of each rule."""

from __future__ import annotations

import re
from pathlib import Path
from types import MappingProxyType

from dradsl.data import data_folder
from dradsl.diagnostics import Severity
from dradsl.lint.catalogue.traits import CHOICES, ELSEWHERE, SCOPES, RuleTraits
from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal, TypeAlias

__all__ = [
    "DocumentError",
    "RuleDocument",
    "UnknownRuleError",
    "all_documents",
    "document_paths",
    "load_document",
    "parse_document",
]

FixKind: TypeAlias = "Literal['none', 'safe', 'unsafe']"

_FIXES: Mapping[str, FixKind] = MappingProxyType(
    {"none": "none", "safe": "safe", "unsafe": "unsafe"}
)

SECTIONS = ("What it finds", "Why it hurts", "How to fix", "Examples")

_FILE_NAME = re.compile(r"(DRA\d{3})-([a-z0-9]+(?:-[a-z0-9]+)*)\.md")
_MODULE = re.compile(r"dradsl(?:/[a-z0-9_]+)+\.py")
_KEYS = (
    "code", "name", "family", "severity", "releases", "fix", "needs", "source", "where", "traits",
)  # fmt: skip
_OPTIONAL = ("python", "follows")
_PYTHON = ("always", "otherwise", "pods")


class DocumentError(ValueError):
    """A rule document that does not follow the form; `str()` names the file and what is wrong."""


class UnknownRuleError(LookupError):
    """There is no document of this code or name."""


@dataclass(frozen=True, slots=True)
class RuleDocument:
    """A rule as people read it; `body` is the Markdown below the title, from `first_line` of the file on.

    `where` names the modules of dradsl that find the mistake, `source` what of upstream they follow. `python` is
    the remedy for who wrote Python: `always` that one, `otherwise` where lint has none, or for `pods` of plain data.
    `follows` names rules from whose findings those of this one follow, and where these stand: one of `SCOPES`.
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

    Raises:
        DocumentError: for a key, section or fence that is missing or not understood.
    """
    parts = text.split("---\n", 2)
    if len(parts) != 3 or parts[0]:
        raise DocumentError(f"{file_name}: does not start with front matter between --- lines")
    matter = _front_matter(parts[1], file_name)
    title, body = _title_and_body(parts[2], file_name)
    document = RuleDocument(
        code=str(matter["code"]),
        name=str(matter["name"]),
        family=int(str(matter["family"])),
        severity=_severity(matter, file_name),
        releases=_releases(matter, file_name),
        fix=_fix(matter, file_name),
        needs=_texts(matter, "needs", file_name),
        source=str(matter["source"]),
        where=_where(matter, file_name),
        traits=_traits(matter, file_name),
        python=_python(matter, file_name),
        follows=_follows(matter, file_name),
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


def _front_matter(text: str, file_name: str) -> dict[str, object]:
    import yaml

    try:
        matter = yaml.load(text, yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise DocumentError(f"{file_name}: front matter: {error}") from error
    if not isinstance(matter, dict) or set(matter) - set(_OPTIONAL) != set(_KEYS):
        raise DocumentError(f"{file_name}: front matter needs exactly {', '.join(_KEYS)}")
    if str(matter["family"]) != str(matter["code"])[3:4]:
        raise DocumentError(f"{file_name}: family is the first digit of the code")
    return matter


def _severity(matter: Mapping[str, object], file_name: str) -> Severity:
    try:
        return Severity(str(matter["severity"]))
    except ValueError as error:
        raise DocumentError(f"{file_name}: severity is error, warning or info") from error


def _releases(matter: Mapping[str, object], file_name: str) -> tuple[str, ...]:
    from dradsl.releases import RELEASES, UnknownReleaseError, parse_releases

    if matter["releases"] == "all":
        return tuple(RELEASES)
    try:
        return tuple(release.name for release in parse_releases(str(matter["releases"])))
    except UnknownReleaseError as error:
        raise DocumentError(f"{file_name}: releases: {error}") from error


def _fix(matter: Mapping[str, object], file_name: str) -> FixKind:
    fix = _FIXES.get(str(matter["fix"]))
    if fix is None:
        raise DocumentError(f"{file_name}: fix is {', '.join(_FIXES)}")
    return fix


def _texts(matter: Mapping[str, object], key: str, file_name: str) -> tuple[str, ...]:
    value = matter[key]
    if not isinstance(value, list):
        raise DocumentError(f"{file_name}: {key} is a list")
    return tuple(str(each) for each in value)


def _where(matter: Mapping[str, object], file_name: str) -> tuple[str, ...]:
    modules = _texts(matter, "where", file_name)
    if not modules or not all(_MODULE.fullmatch(module) for module in modules):
        raise DocumentError(
            f"{file_name}: where lists modules, such as dradsl/kube/validation/claim.py"
        )
    return modules


def _traits(matter: Mapping[str, object], file_name: str) -> RuleTraits:
    """All traits of a rule: none has a default, so that nobody forgets one."""
    given = matter["traits"]
    names = list(RuleTraits.__annotations__)
    if not isinstance(given, dict) or set(given) != set(names):
        raise DocumentError(f"{file_name}: traits needs exactly {', '.join(names)}")
    for name, choices in CHOICES.items():
        if given[name] not in choices:
            raise DocumentError(f"{file_name}: traits: {name} is {', '.join(choices)}")
    for name in ("patch", "ignore"):
        if not isinstance(given[name], bool):
            raise DocumentError(f"{file_name}: traits: {name} is yes or no")
    elsewhere = given["elsewhere"]
    if not isinstance(elsewhere, list) or not set(elsewhere) <= set(ELSEWHERE):
        raise DocumentError(f"{file_name}: traits: elsewhere lists {', '.join(ELSEWHERE)}")
    if given["about"] in ("absence", "lookup") and "patches" not in elsewhere:
        raise DocumentError(
            f"{file_name}: traits: what an object lacks or looks up may be elsewhere: in patches"
        )
    return RuleTraits(**{**given, "elsewhere": tuple(elsewhere)})


def _python(matter: Mapping[str, object], file_name: str) -> Mapping[str, str]:
    given = matter.get("python", {})
    if not isinstance(given, dict) or not set(given) <= set(_PYTHON):
        raise DocumentError(f"{file_name}: python takes {', '.join(_PYTHON)}")
    return MappingProxyType({str(key): str(text) for key, text in given.items()})


def _follows(matter: Mapping[str, object], file_name: str) -> tuple[tuple[str, str], ...]:
    given = _texts(matter, "follows", file_name) if "follows" in matter else ()
    rows = [(code, scope) for code, _, scope in (each.partition(" ") for each in given)]
    if any(scope not in SCOPES for _, scope in rows):
        raise DocumentError(f"{file_name}: follows lists a code and {', '.join(SCOPES)}")
    return tuple(rows)


def _title_and_body(text: str, file_name: str) -> tuple[str, str]:
    head, _, body = text.lstrip("\n").partition("\n")
    if not head.startswith("# "):
        raise DocumentError(f"{file_name}: the text starts with '# ' and the title")
    return head.removeprefix("# ").strip(), body.lstrip("\n")
