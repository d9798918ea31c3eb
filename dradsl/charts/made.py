"""What charts make of values, as far as claims go: workloads with their pods, and objects that stand there.

A chart whose templates are known is put together as it would be; of others only lists of claims are known,
by their shape.
"""

from __future__ import annotations

from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dradsl.text.paths import FieldPath

__all__ = ["RELEASE_NAME", "Made", "made_of"]

RELEASE_NAME = "{{ .Release.Name }}"
"""Stands in names for that of a release which nobody knows."""

_SUBCHARTS = 2  # charts within charts have their values below a key


@dataclass(frozen=True, slots=True)
class Made:
    """One object that a chart makes of its values.

    `places` say where parts of `data` stand in the values; () is the object as a whole. A workload has no
    `names`; other objects have the likeliest name first. `used` are claims that other workloads of the same
    values use. `known` says that the templates of the chart are known, so that this is all that it makes.
    """

    title: str
    data: Mapping[str, object]
    places: Mapping[FieldPath, FieldPath]
    names: tuple[str, ...] = ()
    used: frozenset[str] = frozenset()
    known: bool = True


def made_of(values: object, release: str | None, chart: str | None) -> Iterator[Made]:
    """What a chart makes of its values; `release` and `chart` are names, None where they are not known.

    Values whose shape is that of a known chart are read as those of one, but it may be another chart with
    defaults of its own. So may a chart within a chart.
    """
    from dradsl.charts import app_template
    from dradsl.charts.claim_lists import made_by_shape

    roots = list(_roots(values, _SUBCHARTS))
    for path, data in roots:
        known = not path and chart == app_template.NAME
        yield from app_template.made_of(data, path, release if not path else None, known=known)
    yield from made_by_shape(values, tuple(path for path, _ in roots))


def _roots(values: object, depth: int) -> Iterator[tuple[FieldPath, Mapping[str, object]]]:
    from dradsl.charts.app_template import is_shaped

    if not isinstance(values, dict):
        return
    if is_shaped(values):
        yield (), values
    elif depth:
        for key, value in values.items():
            for path, found in _roots(value, depth - 1):
                yield (key, *path), found
