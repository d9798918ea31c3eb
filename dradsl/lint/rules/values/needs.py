"""DRA953: what the documents of a driver ask of the cluster, and the values or the release do not give.

The rows stand in dradsl/charts/driver_needs.py.
"""

from __future__ import annotations

import re

from dradsl.lint.rules.neighbours.together import are_together
from dradsl.lint.rules.values.charts import all_values
from dradsl.lint.view.found import Found, RelatedField
from dradsl.lint.view.words import VALUES
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.charts.driver_needs import KernelNeed
    from dradsl.lint.rules.values.charts import ChartValues
    from dradsl.lint.view.view import Run

CODE = "DRA953"
WORDS = (("HelmRelease", "Application", VALUES),)
_OPERATOR = "NVIDIA's GPU operator"
_VERSION = pattern(r"v?(\d{1,4})(?:\.(\d{1,4}))?(?:\.(\d{1,4}))?(?![\d.])", re.ASCII)


def check(run: Run) -> Iterator[Found]:
    every = all_values(run)
    if not every:
        return
    for values in every:
        yield from _gates(run, values)
        yield from _old(values)
    yield from _kernel_drivers(every)


def _gates(run: Run, values: ChartValues) -> Iterator[Found]:
    """Features of a driver that need a gate of Kubernetes which is off in the release."""
    from dradsl.charts.driver_charts import value_at
    from dradsl.charts.driver_needs import GATES

    for need in GATES:
        if need.chart != values.chart.title or need.gate in run.features:
            continue
        if value_at(values.data, need.key) in need.values:
            name = need.key.rpartition(".")[2]
            yield Found(
                CODE,
                values.manifest,
                values.place(need.key),
                f"{name} needs the gate {need.gate} of Kubernetes, which is off in {run.release.name}: {need.what}",
                on_key=True,
                help=f"turn {need.gate} on in the cluster and pass --feature-gate {need.gate}=true, or leave {name} off",
            )


def _old(values: ChartValues) -> Iterator[Found]:
    """Keys that the version of the chart does not read yet."""
    from dradsl.charts.driver_needs import OLD_OPERATORS

    version = _version(values.version)
    for row in OLD_OPERATORS:
        if row.chart != values.chart.title or row.key not in values.data or version is None:
            continue
        if version[: len(row.since)] < row.since:
            since = ".".join(str(part) for part in row.since)
            yield Found(
                CODE,
                values.manifest,
                values.place(row.key),
                f"{values.chart.title} reads {row.key} from {since} on, and {values.version} is installed",
                on_key=True,
                help=f"install {since} or newer",
            )


def _kernel_drivers(every: Sequence[ChartValues]) -> Iterator[Found]:
    """A kernel driver that is older than what the DRA driver beside it needs: one finding for each."""
    from dradsl.charts.driver_charts import value_at
    from dradsl.charts.driver_needs import KERNEL_DRIVERS

    for values in every:
        if values.chart.title != _OPERATOR or value_at(values.data, "driver.enabled") is False:
            continue
        written = value_at(values.data, "driver.version")
        version = _version(written) if isinstance(written, str) else None
        if version is None:
            continue
        for need in KERNEL_DRIVERS:
            asking = next((each for each in every if _asks(need, each, values)), None)
            least = need.least
            if asking is None or version >= (_version(least) or version):
                continue
            other = asking.manifest is not values.manifest
            yield Found(
                CODE,
                values.manifest,
                values.place("driver.version"),
                f"{need.what} needs the kernel driver {least} or newer, by NVIDIA's documents; this is {written}",
                help=f"take {least} or newer",
                related=(RelatedField("what needs it", asking.manifest, asking.path),)
                if other
                else (),
            )
            break


def _asks(need: KernelNeed, asking: ChartValues, operator: ChartValues) -> bool:
    from dradsl.charts.driver_charts import MISSING, value_at

    if asking.chart.title != need.chart:
        return False
    if asking is not operator and not are_together(asking.manifest, operator.manifest):
        return False
    for key, wanted, default in need.wanted:
        value = value_at(asking.data, key)
        if value is MISSING:
            # A default counts where nothing else can have set it.
            if not asking.whole:
                return False
            value = default
        if value is not wanted:
            return False
    return True


def _version(text: str) -> tuple[int, ...] | None:
    match = _VERSION.match(text)
    return None if match is None else tuple(int(part or 0) for part in match.groups())
