"""Device requests in files that are not YAML, mostly the sources of templates: found as text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dradsl.migrate.detection.texts import asks_for_device
from dradsl.migrate.result import FileMigration, Item, Outcome
from dradsl.text.splitting import speaks_of_helm
from dradsl.tree.charts.go_template import actions_in
from dradsl.tree.charts.template_pods import can_get_places
from dradsl.tree.values.values import chart_beside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.tree.inputs.sources import SourceText

__all__ = ["scan_broken", "scan_template", "title_and_routes"]

_KEY = re.compile(
    r"""(?:^[ \t-]*|(?<!\{)[{,][ \t]*)(?P<name>["']?(?P<resource>[a-z0-9-]+(?:\.[a-z0-9-]+)+/[A-Za-z0-9._-]+)["']?)"""
    r"""[ \t]*:[ \t]*(?P<value>(?:\{\{[^{}\r\n]*\}\}|[^\r\n#,{}])*)""",
    re.MULTILINE,
)
_RESOURCE = re.compile(r"""["']([a-z0-9-]+(?:\.[a-z0-9-]+)+/[A-Za-z0-9._-]+)["']""")
_OWN = re.compile(r"\{\{- define \"[^\"]*\.deviceClaims\.")
_OF_HELM = (
    "helm template ... | dradsl migrate - shows what it would become",
    "dradsl migrate --post-render migrates what helm renders, at every install and upgrade",
)
_OF_OTHERS = (
    "render it with the program that it is for (Ansible, envsubst), then: dradsl migrate --diff RENDERED.yaml",
)


def scan_template(source: SourceText, catalogue: Catalogue) -> FileMigration:
    """The uses in a template, all rejected, since it is not known what it renders."""
    text = source.stream.text
    title, routes = title_and_routes(source)
    reason = f"this is the source of a {title}: what it renders can be migrated, it cannot"
    routes = (*routes, *(_own_chart(source.name, text) if routes == _OF_HELM else ()))
    items = tuple(_items(source, catalogue, (0, len(text)), title, reason, routes))
    return FileMigration(source.name, "template", text, text, items)


def title_and_routes(source: SourceText) -> tuple[str, tuple[str, ...]]:
    """What a template is called, and how to migrate what it renders. Other programs have folders `templates`, too: only
    Helm's objects, or a chart around the file, show that it is Helm's."""
    chart, below, _ = source.name.replace("\\", "/").rpartition("templates/")
    if speaks_of_helm(source.stream.text) or (below and chart_beside(f"{chart}values.yaml")):
        return "Helm template", _OF_HELM
    return "template", _OF_OTHERS


def _own_chart(name: str, text: str) -> Iterator[str]:
    """Advice for the author of the chart, if the template has a pod that can get claims: templates are in their own
    folder."""
    chart, below, _ = name.replace("\\", "/").rpartition("templates/")
    if below and (not chart or chart.endswith("/")) and can_get_places(text):
        yield f"dradsl migrate --set chart-places=write {chart.rstrip('/') or '.'} makes claims of counts, by a switch"


def scan_broken(source: SourceText, catalogue: Catalogue) -> Iterator[Item]:
    """The uses in documents that cannot be read, rejected with the reason for that."""
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
    for start, end, before in sorted(_uses(source.stream.text, place, catalogue)):
        yield Item(
            source.name,
            lines.span(start, end),
            title,
            f"line {lines.position(start)[0]}",
            before,
            Outcome.REJECTED,
            reason,
            routes=routes,
        )


def _uses(
    text: str, place: tuple[int, int], catalogue: Catalogue
) -> Iterator[tuple[int, int, str]]:
    """Start, end and text of each use: keys of a mapping, and names that an action works with."""
    for found in _KEY.finditer(text, *place):
        value = found["value"].strip()
        is_label = value.strip("\"'") in ("", "true", "false")
        if not is_label and asks_for_device(found["resource"], catalogue):
            yield *found.span("name"), f"{found['resource']}: {value}"
    for action in actions_in(text, *place):
        if action.is_comment or action.word in ("if", "with", "else"):
            continue  # it only reads the amounts, it does not request
        if _OWN.search(text, text.rfind("{{- define ", 0, action.at), action.at):
            continue  # claims for what the values ask
        first = len(action.inner.partition(" ")[0])
        for found in _RESOURCE.finditer(text, action.at + first, action.end):
            if asks_for_device(found[1], catalogue):
                yield (
                    *found.span(),
                    f"{found[1]} in {{{{ {action.inner} }}}}",
                )
