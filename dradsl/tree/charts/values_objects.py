"""What charts make of values, as far as claims are concerned.

For a chart with known templates the objects are made as the chart makes them. For others only lists of claims are
found, by their shape.
"""

from __future__ import annotations

from dradsl.tree.charts import app_template
from dradsl.tree.charts.claim_lists import objects_by_shape
from dradsl.values.limits import LEVELS_OF_SUBCHARTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dradsl.text.paths import FieldPath
    from dradsl.tree.charts.chart_objects import ChartObject

__all__ = ["objects_made_of"]


def objects_made_of(
    values: object, release: str | None, chart: str | None
) -> Iterator[ChartObject]:
    """What a chart makes of its values; `release` and `chart` are names, None where they are not known.

    Values whose shape is that of a known chart are read as that chart's, but their chart may be another one with
    other defaults. The same holds for a chart within a chart.
    """
    roots = list(_roots(values, LEVELS_OF_SUBCHARTS))
    for path, data in roots:
        known = not path and chart == app_template.NAME
        yield from app_template.objects_made_of(
            data, path, release if not path else None, known=known
        )
    yield from objects_by_shape(values, tuple(path for path, _ in roots))


def _roots(values: object, depth: int) -> Iterator[tuple[FieldPath, Mapping[str, object]]]:
    if not isinstance(values, dict):
        return
    if app_template.is_shaped(values):
        yield (), values
    if depth:
        for key, value in values.items():
            for path, found in _roots(value, depth - 1):
                yield (key, *path), found
