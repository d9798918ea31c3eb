"""Overlays of a tree, built by kustomize: those that take in nothing but files of the tree.

Everything that a build would take in is looked at first: what names another machine, leads out of the tree or
runs a function is not built. Upstream: kustomize api/internal/target/kusttarget.go, api/loader/fileloader.go,
api/internal/builtins/HelmChartInflationGenerator.go.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile

from dradsl.repository.build.parts.files import Files, is_remote
from dradsl.repository.kustomization import NAMES
from dradsl.repository.rendering.charts import MissingDependencyError, copy_chart
from dradsl.repository.rendering.programs import RenderedText, run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dradsl.repository.rendering.programs import Programs

__all__ = ["render_overlay", "strange"]

_MOST = 2_000  # kustomizations of one build
_ADDRESS = re.compile(r"(?:[^\s=]*=)?\s*(?:[A-Za-z][A-Za-z0-9+.-]*://|git@|git::)")
_LOOPBACK = re.compile(r"(?i)localhost|127\.|\[|://0|^0")  # what no proxy is asked for
# Texts that are handed on and lead nowhere.
_TEXTS = frozenset(
    ("literals", "annotations", "commonAnnotations", "labels", "commonLabels", "patch", "valuesInline")
)  # fmt: skip
_FOLDERS = ("resources", "bases", "components")
_CONFIGURED = ("generators", "transformers", "validators")
_FILES = ("crds", "configurations", "patchesStrategicMerge")
_OWN_FILES = ("patches", "patchesJson6902", "replacements")
_GENERATED = ("configMapGenerator", "secretGenerator")
_RUNNING = ("config.kubernetes.io/function", "://", "HelmChartInflationGenerator")


def render_overlay(programs: Programs, folder: str, *, top: str, seconds: float) -> RenderedText:
    """What kustomize builds of a folder of the tree `top`."""
    if programs.kustomize is None:
        return RenderedText(unknown="no kustomize was named")
    files = Files([top])
    real = files.real(folder)
    reason, charts = strange(files, real)
    if reason is not None:
        return RenderedText(unknown=reason)
    words = [programs.kustomize, "build"]
    if charts:
        if programs.helm is None:
            return RenderedText(unknown="charts of kustomizations need a helm, and none was named")
        words += ["--enable-helm", "--helm-command", programs.helm]
    home = tempfile.mkdtemp(prefix="dradsl-")
    try:
        for index, chart in enumerate(charts):  # what may not be copied may not be read
            copy_chart(chart, os.path.join(home, f"chart-{index}"), top)
        return run([*words, "--", real], home, seconds)
    except MissingDependencyError as error:
        return RenderedText(unknown=str(error))
    except (OSError, RecursionError) as error:
        return RenderedText(unknown=f"kustomize was not run: {error}")
    finally:
        shutil.rmtree(home, ignore_errors=True)


def strange(files: Files, folder: str) -> tuple[str | None, list[str]]:
    """Why a folder may not be built by a program, or None; and the folders of charts that it takes in."""
    look = _Look(files)
    try:
        look.at_folder(folder)
    except _StrangeError as error:
        return str(error), []
    return None, list(look.charts)


class _StrangeError(Exception):
    """Something that only another machine, another tree or another program has."""


class _Look:
    """All kustomizations that a build takes in, each looked at once."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._seen: set[str] = set()
        self.charts: dict[str, None] = {}

    def at_folder(self, start: str) -> None:
        waiting = [start]
        while waiting:
            folder = waiting.pop()
            if folder in self._seen:
                continue
            self._seen.add(folder)
            if len(self._seen) > _MOST:
                raise _StrangeError("the build takes in too many kustomizations")
            waiting += self._kustomization(folder)

    def _kustomization(self, folder: str) -> Iterator[str]:
        found = [
            text
            for name in NAMES
            if (text := self._files.text(self._files.real(os.path.join(folder, name)))) is not None
        ]
        for text in found:
            if any(problem.fatal for problem in text.stream.all_problems()):
                raise _StrangeError("a kustomization cannot be read")
            for document in text.stream.documents:
                data = document.data
                if isinstance(data, dict):
                    yield from self._entries(data, folder)

    def _entries(self, data: Mapping[str, object], folder: str) -> Iterator[str]:
        for address in _addresses(data):
            raise _StrangeError(f"{address} is not of this tree")
        for entry in _texts(data, *_FOLDERS):
            path = self._inside(entry, folder)
            if os.path.isdir(path):
                yield path
        for entry in _texts(data, *_CONFIGURED):
            if "\n" in entry:
                _expect_plain(entry, "a configuration in the kustomization")
                continue
            path = self._inside(entry, folder)
            if os.path.isdir(path):
                yield path
                continue
            _expect_plain((self._files.read(path) or b"").decode("utf-8", "replace"), entry)
        for entry in (*_texts(data, *_FILES), *_paths(data)):
            if "\n" not in entry:
                self._inside(entry, folder)
        if data.get("helmChartInflationGenerator"):
            raise _StrangeError("helmChartInflationGenerator fetches charts")
        self._take_charts(data, folder)

    def _take_charts(self, data: Mapping[str, object], folder: str) -> None:
        settings = data.get("helmGlobals")
        general = settings if isinstance(settings, dict) else {}
        for each in _mappings(data.get("helmCharts")):
            self._take_chart(each, general, folder)

    def _take_chart(
        self, chart: Mapping[str, object], general: Mapping[str, object], folder: str
    ) -> None:
        """A chart that is there, so that kustomize fetches none, and that gives helm no words of its own."""
        name, version, address = str(chart.get("name")), chart.get("version"), chart.get("repo")
        for key in ("configHome", "chartHome"):
            if chart.get(key) or (key == "configHome" and general.get(key)):
                raise _StrangeError(f"the chart {name} has a {key} of its own")
        if any(each.startswith("-") for each in _scalars(chart)):
            raise _StrangeError(f"the chart {name} has a value that begins with -")
        if isinstance(address, str) and _LOOPBACK.search(address):
            raise _StrangeError(f"{address} is not of this tree")
        below = os.path.join(str(general.get("chartHome") or "charts"))
        if version and address:
            below = os.path.join(below, f"{name}-{version}")
        found = self._inside(os.path.join(below, name), folder)
        if not os.path.isfile(os.path.join(found, "Chart.yaml")):
            raise _StrangeError(f"the chart {name} is not in this tree")
        self.charts[found] = None
        for key in ("valuesFile", "additionalValuesFiles"):
            for entry in _texts({key: _listed(chart.get(key))}, key):
                self._inside(entry, folder)

    def _inside(self, entry: str, folder: str) -> str:
        if is_remote(entry):
            raise _StrangeError(f"{entry} is not of this tree")
        path = self._files.real(os.path.join(folder, entry))
        if not self._files.is_inside(path) or ".git" in path.split(os.sep):
            raise _StrangeError(f"{entry} is outside of the tree")
        return path


def _addresses(value: object, level: int = 0) -> Iterator[str]:
    """Texts that lead to other machines; a chart's repository counts only where the chart is not there."""
    if isinstance(value, str):
        if "\n" not in value and _ADDRESS.match(value) is not None:
            yield value
    elif isinstance(value, dict) and level < 100:
        for key, each in value.items():
            if key not in _TEXTS and not (key == "repo" and "name" in value):
                yield from _addresses(each, level + 1)
    elif isinstance(value, list) and level < 100:
        for each in value:
            yield from _addresses(each, level + 1)


def _expect_plain(text: str, title: str) -> None:
    """A configuration of transformers may name a function, a file elsewhere or a chart."""
    if any(sign in text for sign in _RUNNING) or "\\" in text:
        raise _StrangeError(f"{title} may run something, or lead elsewhere")


def _texts(data: Mapping[str, object], *keys: str) -> Iterator[str]:
    for key in keys:
        found = data.get(key)
        for each in found if isinstance(found, list) else ():
            if isinstance(each, str) and each:
                yield each


def _paths(data: Mapping[str, object]) -> Iterator[str]:
    """The paths of files in entries that are mappings."""
    for key in _OWN_FILES:
        for each in _mappings(data.get(key)):
            yield from _texts({"path": _listed(each.get("path"))}, "path")
    for each in _mappings(data.get("openapi")):
        yield from _texts({"path": _listed(each.get("path"))}, "path")
    for key in _GENERATED:
        for each in _mappings(data.get(key)):
            for name in ("files", "envs", "env"):
                for entry in _texts({name: _listed(each.get(name))}, name):
                    yield entry.partition("=")[2] or entry


def _scalars(chart: Mapping[str, object]) -> Iterator[str]:
    """The texts of an entry that become words of a call, its values not."""
    for key, value in chart.items():
        if key not in _TEXTS:
            yield from (str(each) for each in _listed(value) if isinstance(each, str))


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _mappings(value: object) -> Iterator[Mapping[str, object]]:
    return (each for each in _listed(value) if isinstance(each, dict))
