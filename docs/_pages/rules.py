"""The index of rules, and a page for each, made of their documents under `rules/`."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from docs._pages.cells import cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.lint.pages.documents import RuleDocument

__all__ = ["rule_index", "rule_page", "server_messages"]

_RULE_FILE = re.compile(r"\((DRA\d{3})-[a-z0-9-]+\.md(#[a-z0-9-]+)?\)")
_FENCE = re.compile(r'^(?P<fence>`{3,})(?P<language>\w*) +(?P<attributes>[a-z][a-z-]*=".*)$')
_BAD = re.compile(r"^(`{3,})yaml +title=\"bad[^\n]*\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
_LONGEST, _MOST = 400, 3
_ATTRIBUTE = re.compile(r'([a-z][a-z-]*)="([^"]*)"')


def rule_index(documents: tuple[RuleDocument, ...]) -> Iterator[str]:
    """All rules by family; `assets/rules.js` adds filters, which read the cells."""
    from dradsl.lint.catalogue.rules import FAMILIES

    yield "# Rules\n"
    yield "A code never changes its meaning; its first digit is the family. `dradsl rule CODE` shows"
    yield "the same text on a terminal.\n"
    yield '<div id="rule-filter"></div>\n'
    for family, title in FAMILIES.items():
        members = [document for document in documents if document.family == family]
        if not members:
            continue
        yield f"## {family}xx: {title}\n"
        yield "| Code | Finds | Severity | Fix | Kubernetes | Name |"
        yield "| --- | --- | --- | --- | --- | --- |"
        for document in members:
            link = f"[{document.code}]({document.code}.md)"
            facts = f"{document.severity} | {document.fix} | {_span(document.releases)}"
            yield f"| {link} | {cell(document.title)} | {facts} | {document.name} |"
        yield ""
    yield '<script src="../assets/rules.js"></script>'


def _span(releases: tuple[str, ...]) -> str:
    """The releases in one word: "all", "1.37", "1.36–1.37"."""
    from dradsl.releases import RELEASES

    if releases == tuple(RELEASES):
        return "all"
    return releases[0] if len(releases) == 1 else f"{releases[0]}–{releases[-1]}"


def rule_page(document: RuleDocument) -> Iterator[str]:
    yield f"# {document.code} {document.name}: {document.title}\n"
    needs = ", ".join(document.needs) or "nothing but the manifests"
    yield "| Severity | Fix | Kubernetes | Needs |"
    yield "| --- | --- | --- | --- |"
    releases = ", ".join(document.releases)
    yield f"| {document.severity} | {document.fix} | {releases} | {needs} |\n"
    yield from _web_markdown(document.body)
    said = server_messages(document)
    if said:
        yield "\n## What Kubernetes says\n"
        yield "For the examples above:\n"
        for message in said:
            yield f"```text\n{message}\n```\n"
    yield f"\nUpstream: {document.source}"


def server_messages(document: RuleDocument) -> list[str]:
    """What the API server or the scheduler says of the bad examples: what people paste into a search."""
    import dradsl

    found: dict[str, None] = {}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "example.yaml")
        for example in _BAD.finditer(document.body):
            file.write_text(example[2], "utf-8")
            for finding in dradsl.lint(file).findings:
                if finding.code == document.code and finding.upstream:
                    found[" ".join(finding.upstream.split())] = None
    return [message for message in found if len(message) < _LONGEST][:_MOST]


def _web_markdown(body: str) -> Iterator[str]:
    """Captions for fences, which Markdown for the web knows no attributes on, and page links."""
    for line in body.split("\n"):
        fence = _FENCE.match(line)
        if fence is None:
            yield _RULE_FILE.sub(r"(\1.md\2)", line.replace("](../docs/", "](../"))
            continue
        attributes = dict(_ATTRIBUTE.findall(fence["attributes"]))
        title = attributes.pop("title", "").partition(":")
        options = ", ".join(f"{key} `{value}`" for key, value in attributes.items())
        caption = f"**{title[0].capitalize()}**{title[1]}{title[2]}"
        yield f"{caption} ({options})\n" if options else f"{caption}\n"
        yield f"{fence['fence']}{fence['language']}"
