"""DRA953: features of a driver that the cluster or the version of the chart does not have, by the driver's documents.

The rows stand in dradsl/tree/charts/driver_needs.py.
"""

from __future__ import annotations

from dradsl.lint.rules.values.charts import all_values
from dradsl.lint.rules.values.kernel_drivers import version_of
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.triggers import VALUES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.lint.rules.values.charts import ChartValues
    from dradsl.lint.view.view import Run

CODE = "DRA953"
WORDS = (("HelmRelease", "Application", VALUES),)


def check(run: Run) -> Iterator[RuleFinding]:
    every = all_values(run)
    if not every:
        return
    for values in every:
        yield from _gates(run, values)
        yield from _old(values)


def _gates(run: Run, values: ChartValues) -> Iterator[RuleFinding]:
    """Features of a driver that need a gate of Kubernetes which is off in the release."""
    from dradsl.tree.charts.driver_charts import value_at
    from dradsl.tree.charts.driver_needs import GATES

    for need in GATES:
        if need.chart != values.chart.title or need.gate in run.features:
            continue
        if value_at(values.data, need.key) in need.values:
            name = need.key.rpartition(".")[2]
            yield RuleFinding(
                CODE,
                values.manifest,
                values.place(need.key),
                f"{name} needs the gate {need.gate} of Kubernetes, which is off in {run.release.name}: {need.what}",
                on_key=True,
                help=f"turn {need.gate} on in the cluster and pass --feature-gate {need.gate}=true, or leave {name} off",
            )


def _old(values: ChartValues) -> Iterator[RuleFinding]:
    """Keys that the version of the chart does not read yet."""
    from dradsl.tree.charts.driver_needs import OLD_OPERATORS

    version = version_of(values.version)
    for row in OLD_OPERATORS:
        if row.chart != values.chart.title or row.key not in values.data or not version:
            continue
        if version < row.since[: len(version)]:
            since = ".".join(str(part) for part in row.since)
            yield RuleFinding(
                CODE,
                values.manifest,
                values.place(row.key),
                f"{values.chart.title} reads {row.key} from {since} on, and {values.version} is installed",
                on_key=True,
                help=f"install {since} or newer",
            )
