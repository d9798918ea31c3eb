"""DRA953: features of a driver that the cluster or the version of the chart does not have, by the driver's documents.

The rows are in schemas/drivers/_charts.yaml.
"""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.rules.values.charts import ChartValues, all_values
from dradsl.lint.rules.values.kernel_drivers import version_of
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.triggers import VALUES
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
    from dradsl.drivers.charts import value_at

    for need in values.chart.needs:
        key, gate = f"{values.chart.gates}.{need.gate}", need.kubernetes
        if gate not in run.features and value_at(values.data, key) is True:
            yield RuleFinding(
                CODE,
                values.manifest,
                values.place(key),
                f"{need.gate} needs the gate {gate} of Kubernetes, which is off in {run.release.name}: {need.what}",
                on_key=True,
                help=f"turn {gate} on in the cluster and pass --feature-gates {gate}=true, or leave {need.gate} off",
            )


def _old(values: ChartValues) -> Iterator[RuleFinding]:
    """Keys that the version of the chart does not read yet."""
    version = version_of(values.version)
    for key, since in values.chart.since if version else ():
        if key in values.data and version < version_of(since)[: len(version)]:
            yield RuleFinding(
                CODE,
                values.manifest,
                values.place(key),
                f"{values.chart.title} reads {key} from {since} on, and {values.version} is installed",
                on_key=True,
                help=f"install {since} or newer",
            )
