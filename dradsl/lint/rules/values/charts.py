"""DRA950 to DRA952: values of the charts that install drivers and device plugins, as the charts judge them.

Which chart rejects what is data: schemas/drivers/_charts.yaml.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dradsl.diagnostics import FieldPath, Severity
from dradsl.drivers.charts import (
    MISSING,
    ChartRow,
    Conflict,
    chart_of_values,
    named_chart,
    value_at,
)
from dradsl.lint.view.index import are_together
from dradsl.lint.view.rule_finding import RelatedField, RuleFinding
from dradsl.lint.view.triggers import VALUES
from dradsl.lint.view.view import Run
from dradsl.records import Record
from dradsl.tree.manifests.manifest import Manifest
from dradsl.tree.values.values import chart_beside, values_of
from dradsl.values.plain import mapping_at, member

__all__ = ["ChartValues", "all_values", "check"]

CODE_CONFLICT = "DRA950"
CODE_KEY = "DRA951"
CODE_BOTH = "DRA952"

_RELEASES = frozenset({"HelmRelease", "Application"})
_NVIDIA = "GPUs of NVIDIA"
WORDS = ((*_RELEASES, "ClusterPolicy", "GPUCluster", VALUES),)


class ChartValues(Record):
    """Values of a known chart: where they stand.

    `whole`: they are all that the chart gets. `is_last`: what they say holds, whatever else the chart gets.
    """

    chart: ChartRow
    manifest: Manifest
    path: FieldPath
    data: Mapping[str, object]
    whole: bool
    version: str = ""
    is_last: bool = False

    def place(self, key: str) -> FieldPath:
        return (*self.path, *key.split("."))


def check(run: Run) -> Iterator[RuleFinding]:
    every = all_values(run)
    for values in every:
        for conflict in values.chart.conflicts:
            yield from _conflict(values, conflict)
        yield from _keys(values)
    yield from _both(run, every)


def all_values(run: Run) -> tuple[ChartValues, ...]:
    """The values of known charts in the run."""
    return run.remember("values-of-charts", lambda: tuple(_read_values(run)))


def _read_values(run: Run) -> Iterator[ChartValues]:
    for manifest in run.manifests:
        if manifest.kind in _RELEASES and not manifest.is_patch:
            yield from _released(run, manifest)
    for source in run.sources:
        if not source.holds_values or source.is_template:
            continue
        for manifest in values_of(source):
            if manifest.kind == "values":
                chart = chart_of_values(manifest.data)
                if chart is not None and not _is_of_chart(run, source.name):
                    yield ChartValues(chart, manifest, (), manifest.data, whole=False)
                for key, below in manifest.data.items():  # of a chart that has others
                    chart = named_chart(key) if isinstance(below, dict) else None
                    if chart is not None and isinstance(below, dict):
                        yield ChartValues(chart, manifest, (key,), below, whole=False)


def _is_of_chart(run: Run, path: str) -> bool:
    """Whether a file holds values of the chart beside it, also where the run has this file alone."""
    beside = path.removesuffix(path.rpartition("/")[2]) + "Chart.yaml"
    return any(each.name == beside for each in run.sources) or chart_beside(path) is not None


def _released(run: Run, manifest: Manifest) -> Iterator[ChartValues]:
    """The values in an object by which Flux or Argo CD installs a known chart."""
    spec = mapping_at(manifest.data, "spec")
    sure = not manifest.build_context.completed and not manifest.build_context.holes
    if manifest.kind == "HelmRelease":
        name, version = _chart_of_release(run, manifest, spec)
        chart = named_chart(name)
        if chart is not None:
            values = mapping_at(spec, "values")
            is_last = sure and not (
                manifest.name and run.index.patches(manifest.kind, manifest.name)
            )
            whole = is_last and not spec.get("valuesFrom")
            yield ChartValues(chart, manifest, ("spec", "values"), values, whole, version, is_last)
        return
    several = spec.get("sources")
    rows: list[tuple[FieldPath, object]] = [(("spec", "source"), spec.get("source"))]
    if isinstance(several, list):
        rows += [(("spec", "sources", index), each) for index, each in enumerate(several)]
    for path, source in rows:
        chart = named_chart(str(member(source, "chart")))
        helm = mapping_at(source, "helm")
        if chart is not None:
            before = any(helm.get(key) for key in ("values", "valueFiles"))
            is_last = sure and not any(helm.get(key) for key in ("parameters", "fileParameters"))
            data = mapping_at(helm, "valuesObject")
            yield ChartValues(
                chart,
                manifest,
                (*path, "helm", "valuesObject"),
                data,
                is_last and not before,
                str(mapping_at(source).get("targetRevision", "")),
                is_last,
            )


def _chart_of_release(run: Run, manifest: Manifest, spec: Mapping[str, object]) -> tuple[str, str]:
    """The name and version of the chart that a HelmRelease installs; empty where they are not known."""
    inline = mapping_at(spec, "chart", "spec")
    name = inline.get("chart")
    if isinstance(name, str):
        return name.rpartition("/")[2], str(inline.get("version", ""))
    reference = mapping_at(spec, "chartRef")
    kind, name = reference.get("kind"), reference.get("name")
    if not isinstance(kind, str) or not isinstance(name, str):
        return "", ""
    found = [mapping_at(each.data, "spec") for each in run.index.meant(kind, name, manifest)]
    urls = {str(each.get("url")).rpartition("/")[2] for each in found}
    tags = {str(mapping_at(each, "ref").get("tag", "")) for each in found}
    return urls.pop() if len(urls) == 1 else "", tags.pop() if len(tags) == 1 else ""


def _conflict(values: ChartValues, conflict: Conflict) -> Iterator[RuleFinding]:
    if not all(test.holds(values.data) for test in conflict.tests):
        return
    if any(values.version.removeprefix("v").startswith(each) for each in conflict.not_in):
        return
    written = [
        test.key for test in conflict.tests if value_at(values.data, test.key) is not MISSING
    ]
    all_written = len(written) == len(conflict.tests)
    if not all_written and not values.whole and not written:
        return
    sure = values.whole or (all_written and values.is_last)
    severity = Severity.WARNING if all_written else Severity.INFO
    yield RuleFinding(
        CODE_CONFLICT,
        values.manifest,
        values.place(written[-1]) if written else values.path,
        f"{values.chart.title}: {conflict.message}"
        + ("" if sure else ", unless another file or --set says otherwise"),
        on_key=True,
        help=conflict.help,
        severity=None if sure else severity,
    )


def _keys(values: ChartValues) -> Iterator[RuleFinding]:
    """Keys that the chart does not read, where one that it reads is near; and such gates."""
    chart = values.chart
    for key in values.data:
        if isinstance(key, str) and key not in chart.keys and key != "global":
            near = _meant(key, chart.keys)
            if near is not None:
                yield _unknown(values, values.path, key, near, "the chart reads no key")
    gates = None
    if chart.gates is not None:
        gates = value_at(values.data, chart.gates)
    for name in mapping_at(gates):
        if isinstance(name, str) and name not in chart.known_gates:
            near = _meant(name, chart.known_gates)
            if near is not None:
                place = values.place(str(chart.gates))
                yield _unknown(values, place, name, near, "the driver has no gate")


def _unknown(values: ChartValues, path: FieldPath, key: str, near: str, what: str) -> RuleFinding:
    return RuleFinding(
        CODE_KEY,
        values.manifest,
        (*path, key),
        f'{values.chart.title}: {what} "{key}"',
        on_key=True,
        help=f'did you mean "{near}"?',
    )


def _meant(key: str, known: frozenset[str]) -> str | None:
    """The key that was meant: a very near one, or the one before a sign that is none of a path."""
    from difflib import get_close_matches

    for end, sign in enumerate(key):
        if sign in "-./_" and key[:end] in known:
            return f"{key[:end]}: {{{key[end + 1 :]}: …}}"
    return next(iter(get_close_matches(key, sorted(known), n=1, cutoff=0.8)), None)


class _Installed(Record):
    """Something that hands devices out on every node where it runs: what it is and where it is named."""

    what: str
    devices: str
    manifest: Manifest
    path: FieldPath


def _both(run: Run, every: Sequence[ChartValues]) -> Iterator[RuleFinding]:
    """A device plugin and the DRA driver for the same GPUs, in one run."""
    policies = [m for m in run.manifests if m.kind == "ClusterPolicy" and m.group == "nvidia.com"]
    clusters = [m for m in run.manifests if m.kind == "GPUCluster" and m.group == "nvidia.com"]
    for cluster in clusters:
        for policy in policies:
            if are_together(cluster, policy):
                yield RuleFinding(
                    CODE_BOTH,
                    cluster,
                    ("kind",),
                    f"{cluster.title} beside {policy.title}: the GPU operator, as of 26.7, sets up neither while both exist",
                    help="keep the GPUCluster for DRA, or the ClusterPolicy for the device plugin",
                    related=(RelatedField("the other one", policy, ("kind",)),),
                )
                break
    for policy in policies:
        yield from _policy(policy)
    plugins = [each for values in every for each in _plugins_of(values)]
    plugins += [each for policy in policies for each in _plugin_of_policy(policy)]
    drivers = [each for values in every for each in _drivers_of(values)]
    drivers += [_Installed("GPUCluster", _NVIDIA, m, ("kind",)) for m in clusters if not policies]
    for driver in drivers:
        for plugin in plugins:
            if plugin.devices != driver.devices or plugin.manifest is driver.manifest:
                continue
            if are_together(driver.manifest, plugin.manifest):
                yield RuleFinding(
                    CODE_BOTH,
                    driver.manifest,
                    driver.path,
                    f"{driver.what} beside {plugin.what}: where both run on a node they allocate the same {driver.devices}",
                    on_key=driver.path != ("kind",),
                    help="turn the device plugin off, or keep the two on different nodes",
                    related=(
                        RelatedField(
                            "the device plugin", plugin.manifest, plugin.path, on_key=True
                        ),
                    ),
                )
                break


def _policy(policy: Manifest) -> Iterator[RuleFinding]:
    """Both in one ClusterPolicy, as the operand that gpu-operator#1541 proposed would have them."""
    spec = mapping_at(policy.data, "spec")
    if member(spec, "devicePlugin", "enabled") is False or policy.is_patch:
        return
    if member(spec, "draDriver", "gpus", "enabled") is True:
        yield RuleFinding(
            CODE_BOTH,
            policy,
            ("spec", "draDriver", "gpus", "enabled"),
            "the DRA driver's GPUs beside the device plugin in one ClusterPolicy: the GPU operator takes only one of "
            "them; in its releases to 26.7 a GPUCluster has the DRA driver",
            help="turn the device plugin off, or the DRA driver's GPUs",
        )


def _plugins_of(values: ChartValues) -> Iterator[_Installed]:
    data, chart = values.data, values.chart
    if not chart.plugin or _is_placed(data):
        return
    off = ("devicePlugin.enabled", "clusterPolicy.deployCR")
    if any(_is_off_or_unknown(value_at(data, key)) for key in off):
        return
    written = [
        key
        for key in ("devicePlugin.enabled", "devicePlugin")
        if value_at(data, key) is not MISSING
    ]
    if written or values.manifest.kind in _RELEASES:
        path = values.place(written[0]) if written else values.path
        yield _Installed(chart.title, chart.devices, values.manifest, path)


def _plugin_of_policy(policy: Manifest) -> Iterator[_Installed]:
    plugin = member(policy.data, "spec", "devicePlugin")
    if member(plugin, "enabled") is not False and not policy.is_patch:
        path: FieldPath = ("spec", "devicePlugin") if plugin is not None else ("spec",)
        yield _Installed(f"the device plugin of {policy.title}", _NVIDIA, policy, path)


def _drivers_of(values: ChartValues) -> Iterator[_Installed]:
    data, chart = values.data, values.chart
    if chart.plugin or not chart.devices or _is_placed(data):
        return
    if chart.devices != _NVIDIA:  # its chart alone has GPUs off as it comes
        if values.manifest.kind in _RELEASES:
            yield _Installed(chart.title, chart.devices, values.manifest, values.path)
        return
    if _is_off_or_unknown(value_at(data, "resources.gpus.enabled")):
        return
    if value_at(data, "gpuResourcesEnabledOverride") is True:
        path = values.place("gpuResourcesEnabledOverride")
        yield _Installed(chart.title, chart.devices, values.manifest, path)


def _is_off_or_unknown(value: object) -> bool:
    """Whether a switch is off, or a text: such a value is filled in elsewhere."""
    return value is False or isinstance(value, str)


def _is_placed(data: Mapping[str, object]) -> bool:
    """Whether values choose nodes: then the two may be on different ones."""
    chosen = (data, mapping_at(data, "daemonsets"), mapping_at(data, "kubeletPlugin"))
    return any(
        each.get("nodeSelector") or each.get("affinity") or each.get("node_selector_enabled")
        for each in chosen
    )
