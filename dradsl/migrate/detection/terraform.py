"""Device requests in Terraform: values and manifests in heredocs and templates, listed and refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.migrate.detection.texts import text_uses
from dradsl.migrate.result import FileMigration, Item, Outcome

if TYPE_CHECKING:
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.lint.input.sources import SourceText

__all__ = ["ENDINGS", "is_terraform", "scan_terraform"]

ENDINGS = (".tf", ".tfvars", ".hcl")
_WHY = "this is Terraform, which decides what is made of the text"
_ROUTES = (
    "what it renders (terraform output, helm template) can be piped to dradsl migrate -",
    "values in a file of their own, which Terraform reads with file(), can be migrated",
    "--strategy extended-resource keeps the request and lets a DeviceClass answer it",
)


def is_terraform(name: str) -> bool:
    """Whether a file belongs to Terraform, by its name."""
    return name.endswith(ENDINGS)


def scan_terraform(source: SourceText, catalogue: Catalogue) -> FileMigration:
    """The requests in a file of Terraform, all refused."""
    text, lines = source.stream.text, source.stream.lines
    found = list(text_uses(text, catalogue))
    items = tuple(
        Item(
            source.name,
            lines.span(use.start, use.end),
            "Terraform",
            "text",
            use.text,
            Outcome.REFUSED,
            _WHY,
            routes=_ROUTES,
        )
        for use in found
        if use.asks
    )
    return FileMigration(source.name, "template", text, text, items)
