"""Device requests in the sources of Helm templates: no YAML yet, so they are found as text."""

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

__all__ = ["scan_template"]

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
    return FileMigration(source.name, "template", text, text, tuple(_items(source, catalogue)))


def _items(source: SourceText, catalogue: Catalogue) -> Iterator[Item]:
    lines = source.stream.lines
    for found in _KEY.finditer(source.stream.text):
        resource = found["resource"]
        if not (is_extended(resource) and is_device(resource, catalogue)):
            continue
        if found["value"].strip() in ("", '""'):
            continue
        yield Item(
            source.name,
            lines.span(*found.span("name")),
            "Helm template",
            f"line {lines.position(found.start('name'))[0]}",
            f"{resource}: {found['value'].strip()}",
            Outcome.REFUSED,
            "this is the source of a Helm template: what it renders can be migrated, it cannot",
            routes=_ROUTES,
        )
