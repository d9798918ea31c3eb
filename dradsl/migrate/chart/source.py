"""A chart as texts: templates, values and schema."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.records import dataclass
from dradsl.tree.charts.template_pods import helpers_in, pods_in, takes_no_claims

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.tree.charts.template_pods import TemplatePod

__all__ = ["Chart"]


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart: the texts of its templates, values and schema by their names within its folder."""

    name: str
    templates: Mapping[str, str]
    values: str | None
    schema: str | None

    def pods(self) -> dict[str, list[TemplatePod]]:
        """The pods in the templates that make objects of a release and whose kinds may take claims; templates of tests are
        left out."""
        helpers = helpers_in(list(self.templates.values()))
        return {
            name: pods_in(text, helpers)
            for name, text in self.templates.items()
            if not (name.endswith(".tpl") or name.startswith("templates/tests/"))
            and not takes_no_claims(text)
        }
