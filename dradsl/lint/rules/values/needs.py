"""DRA953: what a driver needs, by its documents: features of the cluster, versions of its chart, a kernel driver.

A kernel driver is installed by the values of the GPU operator, a ClusterPolicy or an NVIDIADriver (NVIDIA/gpu-operator at a22dbf67,
api/nvidia/v1/clusterpolicy_types.go and api/nvidia/v1alpha1). The rows are in schemas/drivers/_charts.yaml.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from dradsl.diagnostics import FieldPath, Severity
from dradsl.drivers.charts import MISSING, KernelNeed, driver_charts, value_at
from dradsl.lint.rules.values.charts import ChartValues, all_values
from dradsl.lint.view.index import are_together
from dradsl.lint.view.rule_finding import RelatedField, RuleFinding
from dradsl.lint.view.triggers import VALUES
from dradsl.lint.view.view import Run
from dradsl.records import Record
from dradsl.tree.manifests.manifest import Manifest
from dradsl.values.patterns import pattern
from dradsl.values.plain import mapping_at

__all__ = ["check", "version_of"]

CODE = "DRA953"
WORDS = (("HelmRelease", "Application", "ClusterPolicy", "NVIDIADriver", VALUES),)
_OPERATOR = "NVIDIA's GPU operator"
_GROUP = "nvidia.com"
_VERSION = pattern(r"v?(\d{1,4})(?:\.(\d{1,4}))?(?:\.(\d{1,4}))?(?![\d.])", re.ASCII)


class _KernelDriver(Record):
    """A kernel driver that is installed: where its version is written; `on_some` if on chosen nodes only."""

    manifest: Manifest
    path: FieldPath
    written: str
    on_some: bool = False


class _Asking(Record):
    """What needs a kernel driver, and where it is named."""

    need: KernelNeed
    manifest: Manifest
    path: FieldPath


def check(run: Run) -> Iterator[RuleFinding]:
    every = all_values(run)
    for values in every:
        yield from _gates(run, values)
        yield from _old(values)
    installed = [*_by_values(every), *_by_objects(run)]
    if not installed:
        return
    asking = [*_asking_values(every), *_asking_objects(run)]
    for driver in installed:
        found = next(_too_old(driver, asking), None)
        if found is not None:
            yield found


def _by_values(every: Sequence[ChartValues]) -> Iterator[_KernelDriver]:
    for values in every:
        if values.chart.title != _OPERATOR or value_at(values.data, "driver.enabled") is False:
            continue
        written = value_at(values.data, "driver.version")
        if isinstance(written, str):
            yield _KernelDriver(values.manifest, values.place("driver.version"), written)


def _by_objects(run: Run) -> Iterator[_KernelDriver]:
    for manifest in run.manifests:
        if manifest.group != _GROUP or manifest.is_patch:
            continue
        spec = mapping_at(manifest.data, "spec")
        if manifest.kind == "NVIDIADriver":
            path: FieldPath = ("spec", "version")
            written = spec.get("version")
            used = spec.get("driverType") == "gpu"
        elif manifest.kind == "ClusterPolicy":
            driver = mapping_at(spec, "driver")
            written, path = driver.get("version"), ("spec", "driver", "version")
            used = (
                driver.get("enabled") is not False and driver.get("useNvidiaDriverCRD") is not True
            )
        else:
            continue
        if used and isinstance(written, str):
            yield _KernelDriver(manifest, path, written, bool(spec.get("nodeSelector")))


def _asking_values(every: Sequence[ChartValues]) -> Iterator[_Asking]:
    for need in driver_charts().kernel_drivers:
        for values in every:
            if values.chart.title == need.chart and _is_wanted(need, values):
                yield _Asking(need, values.manifest, values.path)


def _asking_objects(run: Run) -> Iterator[_Asking]:
    """A GPUCluster asks for as much as the values that make one."""
    need = next(need for need in driver_charts().kernel_drivers if need.chart == _OPERATOR)
    for manifest in run.manifests:
        if manifest.kind == "GPUCluster" and manifest.group == _GROUP:
            yield _Asking(need, manifest, ("kind",))


def _too_old(driver: _KernelDriver, asking: Sequence[_Asking]) -> Iterator[RuleFinding]:
    version = version_of(driver.written)
    for each in asking if version else ():
        least = version_of(each.need.least)
        # Of a branch ("570") it is not known which release of it is installed.
        if version >= least[: len(version)]:
            continue
        other = each.manifest is not driver.manifest
        if other and not are_together(each.manifest, driver.manifest):
            continue
        where = " on the nodes that it selects" if driver.on_some else ""
        yield RuleFinding(
            CODE,
            driver.manifest,
            driver.path,
            f"{each.need.what} needs the kernel driver {each.need.least} or newer, by NVIDIA's documents; this is "
            f"{driver.written}{where}",
            help=f"take {each.need.least} or newer"
            + (", or keep the DRA driver off these nodes" if driver.on_some else ""),
            severity=Severity.INFO if driver.on_some else None,
            related=(RelatedField("what needs it", each.manifest, each.path),) if other else (),
        )


def _is_wanted(need: KernelNeed, asking: ChartValues) -> bool:
    # A default counts where nothing else can have set it.
    return all(
        test.holds(asking.data) and (asking.whole or value_at(asking.data, test.key) is not MISSING)
        for test in need.tests
    )


def version_of(text: str) -> tuple[int, ...]:
    """The numbers of a version as far as they are written; none if it does not begin with one."""
    match = _VERSION.match(text)
    return () if match is None else tuple(int(part) for part in match.groups() if part)


def _gates(run: Run, values: ChartValues) -> Iterator[RuleFinding]:
    """Features of a driver that need a gate of Kubernetes which is off in the release."""
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
