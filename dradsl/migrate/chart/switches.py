"""Charts among the files of a run whose templates write counts: they get the switch, and their releases turn it on.

The switch is on where the files show a release: in its values. If they show none, it is on in the values of the chart.
"""

from __future__ import annotations

import os
import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dradsl.lint.engine.certainty.releases import is_release
from dradsl.lint.engine.certainty.rendered import chart_paths
from dradsl.lint.input.manifests import manifests_of
from dradsl.migrate.chart.hooks import counts_for
from dradsl.migrate.chart.scopes import UnclearError
from dradsl.migrate.chart.source import Chart
from dradsl.migrate.cluster.facts import Mig
from dradsl.migrate.detection.charts.folders import plain
from dradsl.migrate.edits.operations import Append, CannotEditError, Put, edit_text
from dradsl.migrate.evidence import find_sharing_hint, gather
from dradsl.migrate.mapping.hami import ANNOTATIONS
from dradsl.migrate.mapping.targets import Hints
from dradsl.records import dataclass, field
from dradsl.repository.build.nodes import of
from dradsl.repository.surrounding import top_of
from dradsl.text.paths import value_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from dradsl.lint.input.manifests import Manifest
    from dradsl.lint.input.sources import SourceText
    from dradsl.migrate.chart.counts import CountLeft
    from dradsl.migrate.edits.operations import Operation
    from dradsl.migrate.evidence import Evidence
    from dradsl.migrate.mapping.questions import Decisions
    from dradsl.repository.surrounding import SurroundingKustomizations
    from dradsl.text.paths import FieldPath

__all__ = ["CountSaid", "Switched", "Switches", "plan_switches"]

_TEMPLATES = (".yaml", ".yml", ".tpl")
_KEY = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)+/[\w.-]+[\"']?\s*:")
# Labels and annotations that say that a device is a part of one: what a count becomes then depends on the pod.
_PARTS = re.compile(
    r"nvidia\.com/mig\.|nvidia\.com/gpu\.sharing|-SHARED\b|-MIG-|"
    + "|".join(map(re.escape, ANNOTATIONS))
)
_TEMPLATE_TITLE = "Helm template"
_GPU = "nvidia.com/gpu"
_BOTH_WAYS = (
    "the template writes this count: the chart can get both ways, by a switch in its values"
)


@dataclass(frozen=True, slots=True)
class CountSaid:
    """What becomes of the count at a line (from 0) of a template: `after`, or the reason why it stays. It is `off` if the
    values turn it off already."""

    line: int
    resource: str = ""
    after: str | None = None
    reason: str = ""
    notes: tuple[str, ...] = ()
    question: str | None = None
    off: bool = False


@dataclass(frozen=True, slots=True)
class Switched:
    """A chart with its switch: the texts of its files and of those with its releases, by name; new ones too."""

    key: str
    where: str
    texts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Switches:
    """The charts that get a switch, by their folders, and what becomes of the counts of templates."""

    charts: Mapping[str, Switched] = field(default_factory=dict)
    said: Mapping[str, tuple[CountSaid, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Release:
    """A release of a chart: where its values get the switch."""

    source: SourceText
    title: str
    start: int  # of the document
    end: int
    change: Callable[[str], Operation]
    text: str
    is_on: Callable[[str], bool]


def plan_switches(
    sources: Sequence[SourceText],
    decide: Callable[[str, str], Decisions],
    taken: Iterable[str],
    around: SurroundingKustomizations | None,
    failed: Mapping[str, str],
) -> Switches:
    """The switches of charts among these files, as far as the answers allow them. Templates that are `taken` change
    otherwise; charts that `failed` do not get a switch, for these reasons."""
    names = {plain(each.name): each for each in sources}
    folders = [
        posixpath.dirname(name) for name in names if posixpath.basename(name) == "Chart.yaml"
    ]
    wanted = [
        folder
        for folder in folders
        if any(
            _KEY.search(names[each].stream.text)
            for each in names
            if each.startswith(_start(folder) + "templates/")
        )
    ]
    if not wanted:
        return Switches()
    evidence = gather(sources, (), around)
    charts: dict[str, Switched] = {}
    said: dict[str, tuple[CountSaid, ...]] = {}
    for folder in wanted:
        # A file with releases of two charts gets both switches.
        given = {name: text for each in charts.values() for name, text in each.texts.items()}
        made = _Planner(folder, names, decide, evidence, taken, given).plan(failed.get(folder))
        said |= made.said
        charts |= made.charts
    return Switches(charts, said)


class _Planner:
    def __init__(
        self,
        folder: str,
        names: Mapping[str, SourceText],
        decide: Callable[[str, str], Decisions],
        evidence: Evidence,
        taken: Iterable[str],
        given: Mapping[str, str],
    ) -> None:
        self._folder, self._names, self._decide, self._evidence = folder, names, decide, evidence
        self._start = _start(folder)
        self._given = given
        taken = {*taken}
        self._templates = {
            name.removeprefix(self._start): source
            for name, source in names.items()
            if name.startswith(f"{self._start}templates/")
            and name.endswith(_TEMPLATES)
            and source.name not in taken
        }
        self._releases = [
            each
            for source in names.values()
            for each in (*_releases(source, folder), *_of_helmfile(source, folder))
        ]

    def plan(self, failed: str | None) -> Switches:
        chart = Chart(
            Path(self._folder),
            self._name(),
            {name: source.stream.text for name, source in self._templates.items()},
            self._text("values.yaml"),
            self._text("values.schema.json"),
        )
        plan = counts_for(chart, self._of_template, self._hints, on=not self._releases)
        said: dict[str, list[CountSaid]] = {}
        for inside, left in plan.left.items():
            said[inside] = [_left(each) for each in left]
        found: list[tuple[str, int, str, str | None, tuple[str, ...]]] = [
            (pod.file, line, count.resource, count.target.device_class, count.target.notes)
            for pod in plan.counted
            for count in pod.counts
            for line in count.lines
        ]
        found += [(i, *each, ()) for i, lines in plan.guarded.items() for each in lines]
        texts: dict[str, str] = {}
        reason, key = failed or self._differing(), plan.switch
        waiting = [each for each in self._releases if not each.is_on(key)]
        is_done = not plan.counted and not waiting
        if not self._releases:
            is_done = not plan.counted and self._is_on(key)
        if found and reason is None and not is_done:
            try:
                texts = self._switched(key, waiting)
                if not plan.counted and not self._releases:
                    texts = self._with_default(key)
            except CannotEditError as error:
                reason = f"the values cannot be changed: {error}"
        where = ", ".join(dict.fromkeys(each.title for each in waiting)) or "values.yaml"
        allowed = all(self._of_template(each[0]).chart_places == "write" for each in found)
        for inside, line, resource, device_class, notes in found:
            after = f"a request of class {device_class}, with values {key}: true in {where}"
            notes = (*notes, *self._taint(resource))
            made = CountSaid(line, resource, after, notes=notes)
            if is_done:
                made = CountSaid(line, reason=f"the values {key}: true turn it off", off=True)
            elif reason is not None or device_class is None:
                made = CountSaid(line, reason=reason or f"what {resource} becomes is not known")
                reason = made.reason
            elif not allowed:
                made = CountSaid(line, reason=_BOTH_WAYS, question="chart-places")
            said.setdefault(inside, []).append(made)
        by_name = {self._templates[inside].name: tuple(each) for inside, each in said.items()}
        if not found or is_done or reason is not None or not allowed:
            return Switches({}, by_name)
        for inside, text in plan.files.items():
            source = self._names.get(self._start + inside)
            texts[self._start + inside if source is None else source.name] = text
        return Switches({self._folder: Switched(key, where, texts)}, by_name)

    def _is_on(self, key: str) -> bool:
        source = self._names.get(f"{self._start}values.yaml")
        return source is not None and any(
            _at(each.data, (key,)) is True for each in source.stream.documents
        )

    def _with_default(self, key: str) -> dict[str, str]:
        source = self._names.get(f"{self._start}values.yaml")
        if source is None:
            raise CannotEditError("there is no values.yaml")
        return {source.name: edit_text(source.stream.text, [[Put((key,), True)]])}

    def _name(self) -> str:
        documents = self._names[f"{self._start}Chart.yaml"].stream.documents
        data: Any = documents[0].data if documents else None
        name = data.get("name") if isinstance(data, dict) else None
        return str(name or posixpath.basename(self._folder))

    def _text(self, inside: str) -> str | None:
        source = self._names.get(self._start + inside)
        return None if source is None else self._given.get(source.name, source.stream.text)

    def _of_template(self, inside: str) -> Decisions:
        return self._decide(self._templates[inside].name, _TEMPLATE_TITLE)

    def _hints(self, resource: str) -> list[Hints]:
        """What is said beside each release, or beside the chart if there is none."""
        texts = {each.source.name: each.text for each in self._releases}
        own = f"{self._start}values.yaml"
        if own in self._names:
            texts[self._names[own].name] = self._names[own].stream.text
        every = [source.stream.text for source in self._templates.values()]
        part = next((m for t in (*texts.values(), *every) if (m := _PARTS.search(t))), None)
        if part is not None and resource == _GPU:
            raise UnclearError(f"the chart names {part[0]}: what the count means depends on that")
        made = []
        for name, text in (texts or {own: ""}).items():
            cluster = self._evidence.cluster_of(name)
            shared, mig = cluster.sharing(resource), Mig()
            if resource == _GPU:
                shared = shared or find_sharing_hint(text, name)
                mig = cluster.mig()
            unshared = cluster.unshared(resource)
            made.append(Hints(shared, unshared, mig, observed=self._evidence.observed))
        return made

    def _taint(self, resource: str) -> tuple[str, ...]:
        for each in self._releases:
            taint = self._evidence.cluster_of(each.source.name).taint(resource)
            if taint is not None:
                return (f"{taint}: the pod must tolerate it by itself, once the limit is gone",)
        return ()

    def _differing(self) -> str | None:
        """Why releases of the chart cannot have one switch: it has one class for all of them."""
        every = [self._of_template(inside) for inside in self._templates]
        for each in self._releases:
            found = self._decide(each.source.name, f"values of {each.title}")
            if any(_about_devices(found) != _about_devices(template) for template in every):
                return (
                    f"the answers for {each.title} differ from those for the templates of its chart, which has one "
                    "class for all releases"
                )
        return None

    def _switched(self, key: str, releases: Sequence[_Release]) -> dict[str, str]:
        """The files of the releases with the switch on.

        Raises:
            CannotEditError: for one that cannot have it.
        """
        made: dict[str, str] = {}
        by_file: dict[str, list[_Release]] = {}
        for each in releases:
            by_file.setdefault(each.source.name, []).append(each)
        for name, found in by_file.items():
            if name in self._given:
                raise CannotEditError(f"{name} has releases of two such charts")
            text = found[0].source.stream.text
            documents: dict[tuple[int, int], list[_Release]] = {}
            for each in found:
                documents.setdefault((each.start, each.end), []).append(each)
            for (start, end), group in sorted(documents.items(), reverse=True):
                operations = [[each.change(key)] for each in group]
                text = text[:start] + edit_text(text[start:end], operations) + text[end:]
            made[name] = text
        return made


def _about_devices(decisions: Decisions) -> tuple[object, ...]:
    return (
        decisions.mig_strategy,
        decisions.mig_profile,
        decisions.sharing,
        decisions.fraction_driver,
        tuple(sorted(decisions.classes.items())),
    )


def _left(left: CountLeft) -> CountSaid:
    return CountSaid(left.line, reason=left.text, question=left.question)


def _releases(source: SourceText, folder: str) -> Iterator[_Release]:
    """The releases of Flux and Argo CD in a file that install the chart of a folder."""
    text = source.stream.text
    if not ("HelmRelease" in text or "kind: Application" in text) or source.name.startswith("<"):
        return
    top = top_of(posixpath.dirname(os.path.realpath(source.name).replace("\\", "/")))
    wanted = os.path.realpath(folder or ".")
    for manifest in manifests_of(source):
        if manifest.within is not None or manifest.made is not None:
            continue
        if manifest.kind == "HelmRelease" and is_release(manifest):
            chart = _at(manifest.data, ("spec", "chart", "spec"))
            path, kind = _at(chart, ("chart",)), _at(chart, ("sourceRef", "kind"))
            if kind in ("GitRepository", "Bucket") and _is_at(path, top, wanted):
                yield _release(source, manifest, ("spec", "values"))
            continue
        inner: FieldPath = ()
        if manifest.kind == "ApplicationSet" and manifest.group == "argoproj.io":
            inner = ("spec", "template")
        elif not is_release(manifest):
            continue
        data = value_at(manifest.data, inner) if _at(manifest.data, inner) else {}
        if isinstance(data, dict):
            for path, way in chart_paths(of(data, None)):
                if _is_at(path, top, wanted):
                    yield _release(source, manifest, (*inner, "spec", *way))


def _is_at(path: object, top: str, wanted: str) -> bool:
    if not isinstance(path, str) or "{{" in path or "${" in path:
        return False
    return os.path.realpath(f"{top}/{path.lstrip('/')}") == wanted


def _release(source: SourceText, manifest: Manifest, way: FieldPath) -> _Release:
    """A release whose values are at a path within its object."""

    def change(key: str) -> Operation:
        path = (*manifest.prefix, *way)
        helm = _at(manifest.data, way[:-1])
        has_text = isinstance(helm, dict) and helm.get("values") and not helm.get("valuesObject")
        if has_text and way[-1] == "valuesObject":
            # An object would take the place of the text.
            return Append((*path[:-1], "parameters"), {"name": key, "value": "true"})
        return Put((*path, key), True)

    def is_on(key: str) -> bool:
        listed = _at(manifest.data, (*way[:-1], "parameters"))
        return _at(manifest.data, (*way, key)) is True or any(
            _at(each, ("name",)) == key and _at(each, ("value",)) == "true"
            for each in (listed if isinstance(listed, list) else ())
        )

    document = manifest.document
    return _Release(
        source, manifest.title, document.start, document.end, change, document.text, is_on
    )


def _of_helmfile(source: SourceText, folder: str) -> Iterator[_Release]:
    """The releases of a helmfile that install the chart of a folder."""
    if "releases:" not in source.stream.text or source.name.startswith("<"):
        return
    beside = posixpath.dirname(os.path.realpath(source.name).replace("\\", "/"))
    for document in source.stream.documents:
        data = document.data
        listed = data.get("releases") if isinstance(data, dict) else None
        for index, each in enumerate(listed if isinstance(listed, list) else ()):
            chart = _at(each, ("chart",))
            if not (isinstance(chart, str) and chart.startswith(".")):
                continue
            if os.path.realpath(f"{beside}/{chart}") != os.path.realpath(folder or "."):
                continue
            path = ("releases", index, "values")
            title = f"release {_at(each, ('name',))}"

            def change(key: str, path: FieldPath = path) -> Operation:
                return Append(path, {key: True})

            def is_on(key: str, values: object = _at(each, ("values",))) -> bool:
                listed = values if isinstance(values, list) else ()
                return any(_at(one, (key,)) is True for one in listed)

            yield _Release(
                source, title, document.start, document.end, change, document.text, is_on
            )


def _at(data: object, path: FieldPath) -> Any:
    for step in path:
        if isinstance(step, int):
            data = data[step] if isinstance(data, list) and step < len(data) else None
        else:
            data = data.get(step) if isinstance(data, dict) else None
    return data


def _start(folder: str) -> str:
    return f"{folder}/" if folder else ""
