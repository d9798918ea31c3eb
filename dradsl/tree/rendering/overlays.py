"""Overlays of a tree, built by kustomize of a copy: those that take in nothing but files of the tree.

Kustomize starts no helm. Charts are rendered before, as Kustomize would have them rendered. Upstream: kustomize 5.7
api/internal/builtins/HelmChartInflationGenerator.go, api/types/helmchartargs.go.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping

from dradsl.tree.kustomize.parts.files import TextFile
from dradsl.tree.nodes import KustomizeError, of
from dradsl.tree.rendering.charts import render_chart
from dradsl.tree.rendering.copying import ChartEntry, TreeCopy, copy_kustomization
from dradsl.tree.rendering.programs import NotRenderedError, Programs, RenderedText, run
from dradsl.values.limits import MOST_CHARTS_OF_A_BUILD
from dradsl.values.plain import list_at, string_at

__all__ = ["render_overlay"]

_BEHAVIOR = b"internal.config.kubernetes.io/"


def render_overlay(
    programs: Programs,
    folder: str,
    *,
    top: str,
    texts: Mapping[str, bytes] | None = None,
    seconds: float,
) -> RenderedText:
    """What kustomize builds of a folder of the tree `top`; `texts`, by real paths, go before what its files hold."""
    if programs.kustomize is None:
        return RenderedText(unknown="no kustomize was named")
    charts = _Charts(programs, TreeCopy(top, texts), time.monotonic() + seconds)
    home = tempfile.mkdtemp(prefix="dradsl-")
    try:
        start = charts.tree.place(".", os.path.realpath(folder))
        copied = copy_kustomization(charts.tree, start, home, charts.render)
        return run([programs.kustomize, "build", "--", copied], home, charts.seconds())
    except NotRenderedError as error:
        return RenderedText(unknown=str(error))
    except (OSError, ValueError, RecursionError) as error:
        return RenderedText(unknown=f"kustomize was not run: {error}")
    finally:
        shutil.rmtree(home, ignore_errors=True)


class _Charts:
    """The charts of one build."""

    def __init__(self, programs: Programs, tree: TreeCopy, end: float) -> None:
        self.tree = tree
        self._helm = programs.helm
        self._end = end
        self._left = MOST_CHARTS_OF_A_BUILD

    def seconds(self) -> float:
        return self._end - time.monotonic()

    def render(self, chart: ChartEntry) -> bytes:
        """The manifests of a chart.

        Raises:
            NotRenderedError: if it is not in the tree, and for what Kustomize or helm reject.
        """
        if self._helm is None:
            raise NotRenderedError("charts of kustomizations need a helm, and none was named")
        name = _text(chart, "name")
        if not name or os.path.basename(name) != name or name in (".", ".."):
            raise NotRenderedError(f"{name!r} is not the name of a chart")
        self._left -= 1
        if self._left < 0:
            raise NotRenderedError("the build takes in too many charts")
        home = chart.home
        if _text(chart, "version") and _text(chart, "repo"):
            home = os.path.join(home, f"{name}-{_text(chart, 'version')}")
        place = self.tree.place(os.path.join(home, name), chart.folder)
        if not os.path.isfile(os.path.join(place, "Chart.yaml")):
            raise NotRenderedError(f"the chart {name} is not in this tree")
        release = _text(chart, "releaseName")
        if release.startswith("-"):
            raise NotRenderedError(f"{release!r} is not the name of a release")
        # A template of a name may call what looks up names of machines.
        if _text(chart, "nameTemplate") or _text(chart, "valuesMerge") not in ("", "override"):
            raise NotRenderedError("nameTemplate and valuesMerge are not supported")
        rendered = render_chart(
            self._helm,
            place,
            top=self.tree.top,
            values=[*self._values(chart, os.path.join(home, name))],
            release=release or None,
            namespace=_text(chart, "namespace") or "default",
            kube_version=_text(chart, "kubeVersion") or None,
            api_versions=_texts(chart, "apiVersions"),
            flags=[flag for key, flag in _FLAGS if chart.fields.get(key)],
            texts=self.tree.texts,
            seconds=self.seconds(),
            complete=True,
        )
        if rendered.unknown is not None:
            raise NotRenderedError(f"the chart {name}: {rendered.unknown}")
        if _BEHAVIOR in rendered.text:
            raise NotRenderedError(f"the chart {name} has annotations of Kustomize's own")
        return rendered.text

    def _values(self, chart: ChartEntry, below: str) -> Iterator[bytes | Mapping[str, object]]:
        """The files of values that helm gets."""
        inline = chart.fields.get("valuesInline")
        entry = _text(chart, "valuesFile") or os.path.join(below, "values.yaml")
        if not isinstance(inline, dict) or not inline:
            yield self._file(entry, chart.folder)
        else:
            yield _merged(self._file(entry, chart.folder), inline)
        for each in _texts(chart, "additionalValuesFiles"):
            yield self._file(each, chart.folder)

    def _file(self, entry: str, folder: str) -> bytes:
        path = self.tree.place(entry, folder)
        if not path.startswith(folder.rstrip(os.sep) + os.sep):
            shown = self.tree.title(folder)
            raise NotRenderedError(f"{entry} is not in or below {shown}, as Kustomize requires")
        return self.tree.read(path)


_FLAGS = (("includeCRDs", "--include-crds"), ("skipTests", "--skip-tests"), ("skipHooks", "--no-hooks"))  # fmt: skip


def _merged(data: bytes, inline: Mapping[str, object]) -> Mapping[str, object]:
    """The values of a file, and over them those of a kustomization."""
    from dradsl.tree.kustomize.overlays.merge import merge

    try:
        documents = TextFile("values", data).documents()
        if not documents:
            raise NotRenderedError("valuesInline beside a values file without values")
        made = merge(documents[0], of(inline, None))
        plain = {} if made is None else made.plain()
    except KustomizeError as error:
        raise NotRenderedError(f"the values cannot be merged: {error}") from error
    if not isinstance(plain, dict):
        raise NotRenderedError("the values are not a mapping")
    return plain


def _text(chart: ChartEntry, key: str) -> str:
    return string_at(chart.fields, key) or ""


def _texts(chart: ChartEntry, key: str) -> list[str]:
    return [each for each in list_at(chart.fields, key) if isinstance(each, str)]
