"""Device requests in what is no YAML, the sources of Helm templates above all: found as text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dradsl.migrate.mapping import is_device
from dradsl.migrate.places import is_extended
from dradsl.migrate.result import FileMigration, Item, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.drivers.catalogue import Catalogue
    from dradsl.lint.sources import SourceText

__all__ = ["scan_broken", "scan_template"]

_KEY = re.compile(
    r"""^[ \t-]*(?P<name>["']?(?P<resource>[a-z0-9-]+(?:\.[a-z0-9-]+)+/[A-Za-z0-9._-]+)["']?)"""
    r"""[ \t]*:[ \t]*(?P<value>[^\r\n#]*)""",
    re.MULTILINE,
)
_ROUTES = (
    "helm template ... | dradsl migrate - shows what it would become",
    "dradsl migrate --post-render migrates what helm renders, at every install and upgrade",
)


def scan_template(source: SourceText, catalogue: Catalogue) -> FileMigration:
    """The uses in a template, all refused: what helm makes of it is not known here."""
    text = source.stream.text
    reason = "this is the source of a Helm template: what it renders can be migrated, it cannot"
    items = _items(source, catalogue, (0, len(text)), "Helm template", reason, _ROUTES)
    return FileMigration(source.name, "template", text, text, tuple(items))


def scan_broken(source: SourceText, catalogue: Catalogue) -> Iterator[Item]:
    """The uses in documents that cannot be read, refused with the reason for that."""
    for document in source.stream.documents:
        problem = next((each for each in document.problems if each.fatal), None)
        if problem is not None:
            place = (document.start, document.end)
            reason = f"the document cannot be read: {problem.message}"
            yield from _items(source, catalogue, place, "document", reason, ())


def _items(
    source: SourceText,
    catalogue: Catalogue,
    place: tuple[int, int],
    title: str,
    reason: str,
    routes: tuple[str, ...],
) -> Iterator[Item]:
    lines = source.stream.lines
    for found in _KEY.finditer(source.stream.text, *place):
        resource = found["resource"]
        if not (is_extended(resource) and is_device(resource, catalogue)):
            continue
        if found["value"].strip() in ("", '""'):
            continue
        yield Item(
            source.name,
            lines.span(*found.span("name")),
            title,
            f"line {lines.position(found.start('name'))[0]}",
            f"{resource}: {found['value'].strip()}",
            Outcome.REFUSED,
            reason,
            routes=routes,
        )
