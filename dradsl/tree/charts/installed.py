"""Which chart a release installs, and in which version: Flux, Argo CD and Kustomize, as plain data.

Fields: fluxcd/helm-controller api/v2/helmrelease_types.go, fluxcd/source-controller api/v1/ocirepository_types.go
and helmchart_types.go, argoproj/argo-cd pkg/apis/application/v1alpha1/types.go, kubernetes-sigs/kustomize
api/types/helmchartargs.go.
"""

from __future__ import annotations

from dradsl.records import Record, field
from dradsl.values.patterns import pattern
from dradsl.values.plain import mapping_at, string_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

__all__ = [
    "NOTHING_FETCHED",
    "UNKNOWN",
    "Fetched",
    "Installed",
    "chart_of",
    "fetched_in",
    "installed_by",
    "is_before",
    "name_in_url",
]

_EXACT = pattern(
    r"v?([0-9]{1,18})\.([0-9]{1,18})\.([0-9]{1,18})(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?"
)
_FLUX = "source.toolkit.fluxcd.io"


class Installed(Record):
    """A chart by its name, and its version if it is given exactly; None if it is not given."""

    chart: str | None = None
    version: str | None = None
    candidates: tuple[str, ...] = ()
    """The exact versions that are possible, where objects of one name give several."""

    @property
    def text(self) -> str:
        """The chart's name in messages."""
        version = self.version or " or ".join(self.candidates)
        return " ".join(each for each in (self.chart or "the chart", version) if each)


UNKNOWN = Installed()


class Fetched(Record):
    """The charts that objects of Flux fetch, by kind and name of the object."""

    charts: Mapping[tuple[str, str], Installed] = field(default_factory=dict)


NOTHING_FETCHED = Fetched()


def fetched_in(objects: Iterable[Mapping[str, object]]) -> Fetched:
    """The charts that OCIRepositories and HelmCharts among some objects fetch.

    Of several objects with one name, only what they have in common is known, and the versions that they give.
    """
    found: dict[tuple[str, str], Installed] = {}
    for data in objects:
        name = string_at(data, "metadata", "name")
        kind, spec = str(data.get("kind")), mapping_at(data, "spec")
        if name is None or not str(data.get("apiVersion")).startswith(f"{_FLUX}/"):
            continue
        if kind == "OCIRepository":
            url, reference = string_at(spec, "url"), mapping_at(spec, "ref")
            # A range takes precedence over the tag.
            version = None if reference.get("semver") else _exact(reference.get("tag"))
            made = Installed(None if url is None else name_in_url(url), version)
        elif kind == "HelmChart":
            chart = string_at(spec, "chart")
            made = Installed(
                None if chart is None else name_in_url(chart), _exact(spec.get("version"))
            )
        else:
            continue
        before = found.get((kind, name), made)
        found[kind, name] = before if made == before else _either(before, made)
    return Fetched(found)


def _either(one: Installed, other: Installed) -> Installed:
    """What is known of a chart that is one of these two."""
    if one.chart != other.chart:
        return UNKNOWN
    versions = [one.candidates or (one.version,), (other.version,)]
    every = dict.fromkeys(each for group in versions for each in group)
    known = tuple(each for each in every if each is not None)
    return Installed(one.chart, candidates=known if len(known) == len(every) else ())


def installed_by(
    data: Mapping[str, object], path: tuple[str | int, ...], fetched: Fetched
) -> Installed:
    """The chart whose values are at `path` of a release; an Application may have several."""
    spec = mapping_at(data, "spec")
    if data.get("kind") == "HelmRelease":
        own = mapping_at(spec, "chart", "spec")
        chart = string_at(own, "chart")
        if chart is not None:
            return Installed(name_in_url(chart), _exact(own.get("version")))
        reference = mapping_at(spec, "chartRef")
        key = (str(reference.get("kind")), str(reference.get("name")))
        return fetched.charts.get(key, UNKNOWN)
    above: Any = data
    for step in path:
        if isinstance(above, dict) and step in ("helm", "valuesInline"):
            break
        try:
            above = above[step]
        except (KeyError, IndexError, TypeError):
            return UNKNOWN
    source = mapping_at(above)
    if path[-1:] == ("valuesInline",):
        return chart_of(source)
    chart, url = string_at(source, "chart"), string_at(source, "repoURL")
    if chart is None and url is not None and url.startswith("oci://"):
        chart = url
    return Installed(
        None if chart is None else name_in_url(chart), _exact(source.get("targetRevision"))
    )


def chart_of(entry: Mapping[str, object]) -> Installed:
    """The chart that an item of `helmCharts`, or of the `dependencies` of a chart, names."""
    return Installed(string_at(entry, "name"), _exact(entry.get("version")))


def is_before(version: str, other: str) -> bool:
    """Whether a version of a chart comes before another one in the order of semantic versions."""
    return _order(version) < _order(other)


def _order(version: str) -> tuple[int, int, int, bool, str]:
    found = _EXACT.fullmatch(version)
    if found is None:
        raise ValueError(version)
    # A version with a suffix comes before the one without.
    return int(found[1]), int(found[2]), int(found[3]), found[4] is None, found[4] or ""


def _exact(value: object) -> str | None:
    """The exact version in a text, without the `v`; None for a range."""
    text = string_at(value)
    found = None if text is None else _EXACT.fullmatch(text.strip())
    return None if found is None else found[0].removeprefix("v")


def name_in_url(url: str) -> str:
    """The name of a chart: the last step of its URL or path."""
    return url.rstrip("/").rpartition("/")[2]
