"""Pages that mkdocs generates: one a rule, one a driver schema, the options table, the schemas."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs.structure.files import File

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

    from dradsl.drivers.schema.model import (
        AttributeSchema,
        CapacitySchema,
        DeviceTypeSchema,
        DriverSchema,
    )
    from dradsl.lint.pages.documents import RuleDocument

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # the pages describe this checkout, not an installed dradsl

_RULE_FILE = re.compile(r"\((DRA\d{3})-[a-z0-9-]+\.md(#[a-z0-9-]+)?\)")
_FILE = re.compile(r"<!-- file (?P<path>[\w./-]+) -->")
# A link to a file of the repository that is no page: in a checkout it leads there, on the site nowhere.
_OUTSIDE = re.compile(r"\[([^\]]+)\]\((?:\.\./)+(?:tests|examples|rules|dradsl|editors)/[^)]*\)")
_FENCE = re.compile(r'^(?P<fence>`{3,})(?P<language>\w*) +(?P<attributes>[a-z][a-z-]*=".*)$')
_ATTRIBUTE = re.compile(r'([a-z][a-z-]*)="([^"]*)"')


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The address of the site stands in one place, which may be unset: links are relative then."""
    from dradsl._version import __version__
    from dradsl.lint.report.places import PROJECT_URL

    config.copyright = f"dradsl {__version__}"
    config.site_url = "" if PROJECT_URL is None else f"{PROJECT_URL}/"
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages; mkdocs calls it once the files under docs/ are known."""
    _complete_nav(config.nav or [], [file.src_uri for file in files.documentation_pages()])
    for name, content in _generated():
        files.append(File.generated(config, name, content=content))
    return files


def _complete_nav(nav: list[Any], pages: list[str]) -> None:
    """Put pages that mkdocs.yml does not name at the end, those on the design into its group."""
    missing = [page for page in sorted(pages) if page not in set(_pages_of(nav))]
    design = next(group["Design"] for group in nav if isinstance(group, dict) and "Design" in group)
    design += [page for page in missing if page.startswith("design/")]
    nav += [page for page in missing if "/" not in page]


def _pages_of(nav: Any) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    for item in nav.values() if isinstance(nav, dict) else nav if isinstance(nav, list) else ():
        yield from _pages_of(item)


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001 - the signature is that of mkdocs
    """Fill what pages leave open: the table of options, files of the repository."""
    markdown = _FILE.sub(_shown_file, markdown)
    markdown = _OUTSIDE.sub(r"\1", markdown)
    if "<!-- options -->" in markdown:
        return markdown.replace("<!-- options -->", "\n".join(_options()))
    return markdown


def _shown_file(place: re.Match[str]) -> str:
    """A file of the repository as a block, without the comments at its top."""
    text = (ROOT / place["path"]).read_text(encoding="utf-8")
    lines = text.rstrip("\n").split("\n")
    first = next(number for number, line in enumerate(lines) if not line.startswith("#"))
    head = f'```yaml title="{place["path"]}" linenums="{first + 1}"'
    return "\n".join([head, *lines[first:], "```"])


def _generated() -> Iterator[tuple[str, str]]:
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.lint.pages.documents import all_documents

    documents = all_documents()
    yield "rules/index.md", "\n".join(_rule_index(documents))
    for document in documents:
        yield f"rules/{document.code}.md", "\n".join(_rule_page(document))
    catalogue = Catalogue()
    schemas = [schema for name in catalogue.names() if (schema := catalogue.get(name))]
    yield "drivers/index.md", "\n".join(_driver_index(schemas))
    for schema in schemas:
        yield f"drivers/{schema.name}.md", "\n".join(_driver_page(schema))
    # As `dradsl schema json` prints them, for editors that fetch theirs from a site.
    kubernetes = (ROOT / "schemas" / "kubernetes").rglob("*.json")
    for path in sorted([*(ROOT / "schemas").glob("*.schema.json"), *kubernetes]):
        relative = path.relative_to(ROOT / "schemas").as_posix()
        yield f"schemas/{relative}", path.read_text(encoding="utf-8")


# --- rules ---


def _rule_index(documents: tuple[RuleDocument, ...]) -> Iterator[str]:
    from dradsl.lint.catalogue.rules import FAMILIES

    yield "# Rules\n"
    yield "A code never changes its meaning; its first digit is the family. `dradsl rule CODE` shows"
    yield "the same text on a terminal.\n"
    for family, title in FAMILIES.items():
        members = [document for document in documents if document.family == family]
        if not members:
            continue
        yield f"## {family}xx: {title}\n"
        yield "| Code | Name | Severity | Fix | Finds |"
        yield "| --- | --- | --- | --- | --- |"
        for document in members:
            yield (
                f"| [{document.code}]({document.code}.md) | {document.name} "
                f"| {document.severity} | {document.fix} | {_cell(document.title)} |"
            )
        yield ""


def _rule_page(document: RuleDocument) -> Iterator[str]:
    yield f"# {document.code} {document.name}: {document.title}\n"
    needs = ", ".join(document.needs) or "nothing but the manifests"
    yield "| Severity | Fix | Kubernetes | Needs |"
    yield "| --- | --- | --- | --- |"
    releases = ", ".join(document.releases)
    yield f"| {document.severity} | {document.fix} | {releases} | {needs} |\n"
    yield from _web_markdown(document.body)
    yield f"\nUpstream: {document.source}"


def _web_markdown(body: str) -> Iterator[str]:
    """Captions for fences, which Markdown for the web knows no attributes on, and page links."""
    for line in body.split("\n"):
        fence = _FENCE.match(line)
        if fence is None:
            yield _RULE_FILE.sub(r"(\1.md\2)", line)
            continue
        attributes = dict(_ATTRIBUTE.findall(fence["attributes"]))
        title = attributes.pop("title", "").partition(":")
        options = ", ".join(f"{key} `{value}`" for key, value in attributes.items())
        caption = f"**{title[0].capitalize()}**{title[1]}{title[2]}"
        yield f"{caption} ({options})\n" if options else f"{caption}\n"
        yield f"{fence['fence']}{fence['language']}"


# --- drivers ---


def _driver_index(schemas: list[DriverSchema]) -> Iterator[str]:
    yield "# Drivers\n"
    yield "What dradsl knows about each DRA driver: the data behind rules 2xx and 8xx, behind the"
    yield "Python handles and behind the migration. `dradsl schema` shows it on a terminal.\n"
    yield "| Driver | Vendor | Devices | Known from |"
    yield "| --- | --- | --- | --- |"
    for schema in schemas:
        link = f"[{schema.name}]({schema.name}.md)"
        yield f"| {link} | {schema.vendor} | {_cell(schema.summary)} | {schema.completeness} |"


def _driver_page(schema: DriverSchema) -> Iterator[str]:
    yield f"# {schema.name}\n"
    yield f"{schema.vendor}: {schema.summary}.\n"
    if schema.note:
        yield f"{schema.note}\n"
    if schema.versions:
        yield f"Versions known: {', '.join(schema.version_order)}.\n"
    for kind in schema.device_types:
        yield from _device_type(kind)
    if schema.classes:
        yield "## Device classes that it installs\n"
        for known in schema.classes:
            selectors = ", ".join(f"`{selector}`" for selector in known.selectors)
            yield f"- `{known.name}`" + (f": {selectors}" if selectors else "")
        yield ""
    if schema.configs:
        yield "## Configuration that it takes\n"
        for config in schema.configs:
            version = f" ({config.api_version})" if config.api_version else ""
            yield f"- `{config.kind}`{version}" + (f": {config.note}" if config.note else "")
        yield ""
    if schema.uncertain:
        yield "## Not certain\n"
        yield from (f"- {text}" for text in schema.uncertain)
        yield ""
    yield "## Sources\n"
    for source in schema.sources:
        what = source.repository or source.document or source.note or ""
        yield f"- {what}" + (f" at `{source.commit}`" if source.commit else "")


def _device_type(kind: DeviceTypeSchema) -> Iterator[str]:
    yield f"## Device type {kind.name}\n"
    if kind.summary:
        yield f"{kind.summary[0].upper()}{kind.summary[1:]}.\n"
    if kind.discriminator:
        yield f"Told from the others by `{kind.discriminator}`.\n"
    if kind.attributes:
        yield "| Attribute | Type | Presence | Meaning |"
        yield "| --- | --- | --- | --- |"
        for attribute in kind.attributes.values():
            types = " or ".join(str(type_) for type_ in attribute.types)
            yield (
                f"| `{_cell(attribute.qualified)}` | {types} "
                f"| {_presence(attribute)} | {_meaning(attribute)} |"
            )
        yield ""
    if kind.capacities:
        yield "| Capacity | Unit | Presence | Meaning |"
        yield "| --- | --- | --- | --- |"
        for capacity in kind.capacities.values():
            yield (
                f"| `{_cell(capacity.qualified)}` | {capacity.unit or ''} "
                f"| {_presence(capacity)} | {_meaning(capacity)} |"
            )
        yield ""


def _presence(entry: AttributeSchema | CapacitySchema) -> str:
    parts = [str(entry.presence)]
    if entry.lifetime.since:
        parts.append(f"since {entry.lifetime.since}")
    if entry.lifetime.removed_in:
        parts.append(f"removed in {entry.lifetime.removed_in}")
    if entry.gate:
        parts.append(f"with {entry.gate}")
    return ", ".join(parts)


def _meaning(entry: AttributeSchema | CapacitySchema) -> str:
    parts = [entry.meaning, entry.note]
    values = getattr(entry, "values", None)
    if values:
        parts.append("one of " + ", ".join(f"`{value}`" for value in values))
    return _cell("; ".join(part for part in parts if part))


# --- configuration ---


def _options() -> Iterator[str]:
    schema = json.loads((ROOT / "schemas/config.schema.json").read_text(encoding="utf-8"))
    yield "| Option | Value | Meaning |"
    yield "| --- | --- | --- |"
    for key, described in schema["properties"].items():
        default = described.get("default")
        meaning = described["description"]
        if default is not None:
            meaning += f" Default: `{json.dumps(default)}`."
        yield f"| `{key}` | {_cell(_value(described))} | {_cell(meaning)} |"


def _value(described: dict[str, Any]) -> str:
    if "enum" in described:
        return " or ".join(f"`{value}`" for value in described["enum"])
    if isinstance(described.get("type"), list):
        return "number or text"
    if "oneOf" in described:
        return "text or list of texts"
    if described.get("type") == "object":
        return "table"
    return "path" if described.get("type") == "string" else "list of texts"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
