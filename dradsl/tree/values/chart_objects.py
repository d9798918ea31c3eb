"""What charts make of the values among the files of a run: pods with claims, and objects that are in values.

Values are those of HelmReleases and of Argo CD's Applications, files of values, and texts in ConfigMaps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from dradsl.records import Record, replace
from dradsl.text import mentions
from dradsl.text.documents import Document, load
from dradsl.text.masking import unmasked
from dradsl.text.paths import FieldPath, value_at
from dradsl.text.splitting import has_marks
from dradsl.tree.charts.app_template import NAME as _APP_TEMPLATE
from dradsl.tree.charts.chart_objects import ChartObject
from dradsl.tree.charts.installed import NOTHING_FETCHED, Fetched, fetched_in, installed_by
from dradsl.tree.charts.plain_parts import plain_parts
from dradsl.tree.charts.recipes import find, is_values
from dradsl.tree.charts.values_objects import holds_whole_objects, objects_made_of
from dradsl.tree.inputs.sources import SourceText
from dradsl.tree.kustomize.kustomization import is_kustomization
from dradsl.tree.manifests.manifest import (
    BuildContext,
    EnclosingText,
    FromValues,
    Manifest,
    manifest_at,
    manifests_in,
    manifests_of,
)
from dradsl.tree.values.values import (
    INSTALLERS,
    NAMING,
    ValuesReference,
    namespace_in,
    releases_of_values_files,
)
from dradsl.tree.variables import Parts, evaluate, parse
from dradsl.values.limits import MOST_LEVELS
from dradsl.values.plain import list_at, mapping_at, member, string_at

__all__ = [
    "may_be_made",
    "objects_of_release",
    "objects_of_values",
]


class _Release(Record):
    """Who installs a chart: its name and the name of the chart, None where they are not known.

    `complete` says that there are no other values; `placed` that builds give the namespace.
    """

    name: str | None = None
    chart: str | None = None
    namespace: str | None = None
    complete: bool = False
    placed: bool = True


class _Values(Record):
    """Values at a place of a document, in the object `host` or in none."""

    source: SourceText
    document: Document
    path: FieldPath
    data: object
    release: _Release
    host: Manifest | None = None
    within: EnclosingText | None = None


def may_be_made(source: SourceText) -> bool:
    """Whether a file mentions claims, and may hold values that do."""
    return mentions.CLAIM_LISTS.is_in(source.stream.text)


def objects_of_values(
    sources: Sequence[SourceText], others: Sequence[SourceText]
) -> Iterator[Manifest]:
    """The objects that charts make of the values in some files, as far as they have to do with claims.

    `others` say which chart a release installs, and which files it takes values of.
    """
    charts = fetched_in(m.data for source in others for m in manifests_of(source))
    naming = [each for each in others if any(sign in each.stream.text for sign in NAMING)]
    named = releases_of_values_files(naming, [source.name for source in sources]) if naming else {}
    for source in sources:
        if may_be_made(source):
            release = _release_of_file(named.get(source.name, ()), charts)
            for values in _values_in(source, charts, release):
                for made in objects_made_of(values.data, values.release.name, values.release.chart):
                    yield _manifest(values, made)
                if values.within is None:
                    yield from _in_texts(values, values.data, ())


def _in_texts(values: _Values, data: object, path: FieldPath) -> Iterator[Manifest]:
    """The objects in texts below keys such as `extraObjects`, which charts give to `tpl`."""
    if isinstance(data, dict | list):
        for key, each in data.items() if isinstance(data, dict) else enumerate(data):
            if len(path) < MOST_LEVELS:
                yield from _in_texts(values, each, (*path, key))
        return
    if not (isinstance(data, str) and "apiVersion:" in data and holds_whole_objects(path)):
        return
    within = EnclosingText(values.document, (*values.path, *path))
    for parts in islice(plain_parts(data), 1):
        for read in load(parts.text.encode("utf-8", "surrogatepass")).documents:
            inner = replace(read, data=unmasked(read.data), masked=True)
            found = manifest_at(values.source, inner, (), inner.data, within)
            if found is not None:
                names = () if found.name is None else (found.name,)
                own = replace(values, document=inner, path=(), within=within)
                yield _manifest(
                    own, ChartObject("an object", found.data, {(): ()}, names, by_key=True)
                )


def objects_of_release(host: Manifest, charts: Fetched) -> Iterator[Manifest]:
    """The objects that the chart of one release makes of its values; `host` has all of them."""
    installer = INSTALLERS.get(f"{host.kind}.{host.group}")
    if installer is None:
        return
    for values in _of_host(host, installer, charts):
        for made in objects_made_of(values.data, values.release.name, values.release.chart):
            yield _manifest(values, made)


def _of_host(
    manifest: Manifest,
    installer: tuple[tuple[str, ...], tuple[str, ...]],
    charts: Fetched,
) -> Iterator[_Values]:
    """The values in an object by which Flux or Argo CD installs a chart."""
    if manifest.kind != "HelmRelease":
        yield from _of_argo_cd(manifest, *installer)
        return
    data = member(manifest.data, "spec", "values")
    if isinstance(data, dict):
        path = (*manifest.prefix, "spec", "values")
        own = _helm_release(manifest, charts)
        yield _Values(manifest.source, manifest.document, path, data, own, manifest)


def _release_of_file(names: Sequence[ValuesReference], charts: Fetched) -> _Release:
    """Of several releases with the same values that which they have in common."""
    found = [_release_by(each, charts) for each in names]
    if len(found) == 1:
        return replace(found[0], complete=False)
    only = {each.chart for each in found}
    return _Release(chart=only.pop() if len(only) == 1 else None)


def _release_by(naming: ValuesReference, charts: Fetched) -> _Release:
    manifest = naming.by
    if manifest.kind == "HelmRelease":
        return _helm_release(manifest, charts)
    places = INSTALLERS[f"{manifest.kind}.{manifest.group}"][1]
    return _argo_release(manifest, naming.path, namespace_in(manifest, places))


def _manifest(values: _Values, made: ChartObject) -> Manifest:
    host, release, data = values.host, values.release, made.data
    version, kind = string_at(data, "apiVersion"), string_at(data, "kind")
    namespace, placed = release.namespace, release.placed
    if version is not None and kind is not None:  # an object that is in the values
        own = string_at(data, "metadata", "namespace")
        if own is not None:
            namespace, placed = own, False
        name = made.names[0] if made.names else None
    elif host is None:
        version, kind = "", "values"
        name = values.source.name.rpartition("/")[2].rpartition(".")[0] or values.source.name
    else:
        version, kind, name = host.api_version, host.kind, host.name
    names = tuple(_parts(each) for each in made.names)
    return Manifest(
        source=values.source,
        document=values.document,
        prefix=(*values.path, *made.places[()]),
        data=data,
        api_version=version,
        group=version.partition("/")[0] if "/" in version else "",
        kind=kind,
        namespace=namespace,
        name=name,
        build_context=BuildContext(names=names)
        if len(names) > 1 or (name and has_marks(name))
        else BuildContext(),
        within=values.within,
        chart_output=FromValues(
            title=made.title,
            places={at: (*values.path, *place) for at, place in made.places.items()},
            host=host,
            known=made.known,
            by_key=made.by_key,
            complete=release.complete,
            used=made.used,
            placed=placed,
        ),
    )


def _parts(name: str) -> Parts:
    parsed = parse(name)
    return (name,) if parsed is None else evaluate(parsed, {}).parts


def _values_in(source: SourceText, charts: Fetched, release: _Release) -> Iterator[_Values]:
    """The values in a file; `release` takes those that are there alone."""
    name = source.name.replace("\\", "/").rpartition("/")[2]
    documents = source.stream.documents
    for document in documents:
        if is_kustomization(name):
            yield from _of_kustomize(source, document)
        elif is_values(document.data) and not _is_meant_as_object(document.data):
            yield _Values(source, document, (), document.data, release)
    for manifest in manifests_in(source, documents):
        installer = INSTALLERS.get(f"{manifest.kind}.{manifest.group}")
        if manifest.kind == "ConfigMap" and not manifest.group:
            for key in mapping_at(manifest.data, "data"):
                yield from _in_text(manifest, ("data", key), _Release(placed=False))
        elif installer is not None:
            yield from _of_host(manifest, installer, charts)


def _is_meant_as_object(data: object) -> bool:
    """Whether something looks like an object of which one of apiVersion and kind is missing."""
    found = mapping_at(data)
    return ("kind" in found or "apiVersion" in found) and ("spec" in found or "metadata" in found)


def _of_kustomize(source: SourceText, document: Document) -> Iterator[_Values]:
    """The charts that a kustomization inflates (kustomize api/types/helmchartargs.go)."""
    kustomization = mapping_at(document.data)
    for index, chart in enumerate(list_at(kustomization, "helmCharts")):
        values = member(chart, "valuesInline")
        if isinstance(values, dict):
            # Patches here and in kustomizations around may complete what the chart makes.
            release = _Release(
                string_at(chart, "releaseName"),
                string_at(chart, "name"),
                string_at(kustomization, "namespace") or string_at(chart, "namespace"),
            )
            path = ("helmCharts", index, "valuesInline")
            yield _Values(source, document, path, values, release)


def _in_text(host: Manifest, path: FieldPath, release: _Release) -> Iterator[_Values]:
    """The values in a text of an object."""
    try:
        text = value_at(host.data, path)
    except KeyError:
        return
    if not isinstance(text, str) or not mentions.CLAIM_LISTS.is_in(text):
        return
    within = EnclosingText(host.document, (*host.prefix, *path))
    for inner in load(text.encode("utf-8", "surrogatepass"), variables=True).documents:
        if is_values(inner.data):
            yield _Values(host.source, inner, (), inner.data, release, host, within)


def _helm_release(manifest: Manifest, charts: Fetched) -> _Release:
    """Fields and defaults: fluxcd/helm-controller api/v2/helmrelease_types.go (GetReleaseName,
    GetReleaseNamespace, ValuesFrom). Post-renderers may give pods the claims that they lack."""
    spec = mapping_at(manifest.data, "spec")
    target, name = string_at(spec, "targetNamespace"), manifest.name
    release = string_at(spec, "releaseName")
    if release is None and name is not None:
        release = name if target is None else f"{target}-{name}"
    chart = installed_by(manifest.data, (), charts).chart
    # What fetches it may not be among the files.
    guess = _APP_TEMPLATE if string_at(spec, "chartRef", "name") == _APP_TEMPLATE else None
    return _Release(
        release,
        chart or guess,
        target or manifest.namespace,
        complete=not (spec.get("valuesFrom") or spec.get("postRenderers") or values_files(spec)),
        placed=target is None,
    )


def values_files(spec: Mapping[str, object]) -> Sequence[object]:
    """The files of values that the spec of a HelmRelease names for its chart."""
    return list_at(spec, "chart", "spec", "valuesFiles")


def _of_argo_cd(
    manifest: Manifest, places: tuple[str, ...], namespaces: tuple[str, ...]
) -> Iterator[_Values]:
    """Fields: argoproj/argo-cd pkg/apis/application/v1alpha1/types.go (ApplicationSourceHelm)."""
    namespace = namespace_in(manifest, namespaces)
    for place in places:
        for path, helm in find(manifest.data, place.removesuffix(".valuesObject")):
            if not isinstance(helm, dict):
                continue
            release = _argo_release(manifest, path, namespace)
            data = helm.get("valuesObject")
            if isinstance(data, dict):
                at = (*manifest.prefix, *path, "valuesObject")
                yield _Values(manifest.source, manifest.document, at, data, release, manifest)
            else:  # of both the object counts
                yield from _in_text(manifest, (*path, "values"), release)


def _argo_release(manifest: Manifest, path: FieldPath, namespace: str | None) -> _Release:
    helm = mapping_at(value_at(manifest.data, path))
    is_set = manifest.kind == "ApplicationSet"  # its generators fill in the names
    others = ("valueFiles", "parameters", "fileParameters")
    return _Release(
        string_at(helm, "releaseName") or (None if is_set else manifest.name),
        installed_by(manifest.data, path, NOTHING_FETCHED).chart,
        namespace,
        complete=not any(helm.get(key) for key in others),
        placed=False,
    )
