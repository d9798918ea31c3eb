"""Charts among the files of a run whose templates write counts: they get the switch, and their releases turn it on.

The switch is on where the files show a release: in its values. If they show none, it is on in the values of the chart.
"""

from __future__ import annotations

import os
import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dradsl.migrate.chart.hooks import counts_for
from dradsl.migrate.chart.scopes import UnclearError
from dradsl.migrate.chart.source import Chart
from dradsl.migrate.cluster.facts import Mig
from dradsl.migrate.detection.charts.folders import chart_folders, plain
from dradsl.migrate.detection.charts.values import asked_of
from dradsl.migrate.detection.helmfile import helmfile_values
from dradsl.migrate.edits.operations import Append, CannotEditError, Put, edit_text
from dradsl.migrate.evidence import find_sharing_hint, gather
from dradsl.migrate.mapping.hami import ANNOTATIONS
from dradsl.migrate.mapping.targets import Hints
from dradsl.migrate.places import whole
from dradsl.migrate.result import Item, Outcome
from dradsl.migrate.targets.text_values import values_in_texts
from dradsl.records import dataclass, field, replace
from dradsl.text.paths import value_at
from dradsl.tree.completed_releases import chart_paths, is_release
from dradsl.tree.kustomize.surrounding import top_of
from dradsl.tree.manifests.manifest import manifests_of
from dradsl.tree.nodes import of
from dradsl.tree.values.values import values_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from dradsl.diagnostics import Span
    from dradsl.migrate.chart.counts import CountLeft
    from dradsl.migrate.chart.hooks import SwitchPlan
    from dradsl.migrate.detection.charts.folders import ChartFolders
    from dradsl.migrate.detection.charts.values import Asked
    from dradsl.migrate.edits.operations import Operation
    from dradsl.migrate.evidence import Evidence
    from dradsl.migrate.mapping.questions import Decisions
    from dradsl.text.documents import Document
    from dradsl.text.paths import FieldPath
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.tree.kustomize.surrounding import SurroundingKustomizations
    from dradsl.tree.manifests.manifest import Manifest

__all__ = ["CountSaid", "Switched", "Switches", "plan_switches"]

_TEMPLATES = (".yaml", ".yml", ".tpl")
_KEY = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)+/[\w.-]+[\"']?\s*:")
# Labels and annotations that say that a device is a part of one: what a count becomes then depends on the pod.
_PARTS = re.compile(
    r"nvidia\.com/mig\.|nvidia\.com/gpu\.sharing|-SHARED\b|-MIG-|"
    + "|".join(map(re.escape, ANNOTATIONS))
)
_TEMPLATE_TITLE, _VALUES_TITLE = "Helm template", "values"
_PUBLISHES = re.compile(r"chart-releaser|helm (?:push|package)\b")
_GPU = "nvidia.com/gpu"
_BOTH_WAYS = (
    "the template writes this count: the chart can get both ways, by a switch in its values"
)
_BY_LIMITS = (
    "the template writes these resources whole, and the pod has no place for claims: the chart can get both ways, by a "
    "switch in its values"
)


@dataclass(frozen=True, slots=True)
class CountSaid:
    """What becomes of the count at a line (from 0) of a template or of values: `after`, or the reason why it stays. It is
    `off` if the values turn it off already. `now` is its line in values to which the switch was added, `item` its line
    in the report."""

    line: int
    resource: str = ""
    after: str | None = None
    reason: str = ""
    notes: tuple[str, ...] = ()
    question: str | None = None
    off: bool = False
    now: int | None = None
    item: Item | None = None


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
    around: SurroundingKustomizations | None,
    failed: Mapping[str, str],
) -> Switches:
    """The switches of charts among these files, as far as the answers allow them. Charts that `failed` do not get a
    switch, for these reasons."""
    names = {plain(each.name): each for each in sources}
    folders = [
        posixpath.dirname(name) for name in names if posixpath.basename(name) == "Chart.yaml"
    ]
    if not folders:
        return Switches()
    known = chart_folders(sources)
    asked = {folder: tuple(_asked(sources, folder, known)) for folder in folders}
    wanted = [
        folder
        for folder in folders
        if asked[folder]
        or any(
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
        planner = _Planner(folder, names, decide, evidence, asked[folder], known, given)
        made = planner.plan(failed.get(folder))
        for name, counts in made.said.items():
            said[name] = (*said.get(name, ()), *counts)
        charts |= made.charts
    return Switches(charts, said)


class _Planner:
    def __init__(
        self,
        folder: str,
        names: Mapping[str, SourceText],
        decide: Callable[[str, str], Decisions],
        evidence: Evidence,
        asked: Sequence[Asked],
        charts: ChartFolders,
        given: Mapping[str, str],
    ) -> None:
        self._folder, self._names, self._decide, self._evidence = folder, names, decide, evidence
        self._start = _start(folder)
        self._given = given
        self._asked, self._charts = asked, charts
        self._templates = {
            name.removeprefix(self._start): source
            for name, source in names.items()
            if name.startswith(f"{self._start}templates/") and name.endswith(_TEMPLATES)
        }
        self._releases = [
            each
            for source in names.values()
            for each in (*_releases(source, folder), *_of_helmfile(source, folder))
        ]
        self._own = f"{self._start}values.yaml"
        self._by_default = any(self._is_own(each) for each in asked)

    def plan(self, failed: str | None) -> Switches:
        chart = Chart(
            Path(self._folder),
            self._name(),
            {name: source.stream.text for name, source in self._templates.items()},
            self._text("values.yaml"),
            self._text("values.schema.json"),
        )
        wanted: dict[tuple[str, ...], frozenset[str]] = {}
        for each in self._asked:
            wanted[each.steps] = wanted.get(each.steps, frozenset()) | {each.use.resource}
        plan = counts_for(chart, self._of_template, self._hints, wanted, on=False)
        in_templates = bool(plan.guarded) or any(c.lines for p in plan.counted for c in p.counts)
        self._choose_releases(in_templates=in_templates)
        default = self._is_published()
        on = not self._releases and default is None and (in_templates or self._by_default)
        if on:
            plan = counts_for(chart, self._of_template, self._hints, wanted, on=True)
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
        reason, key = failed or self._differing() or self._uncounted(), plan.switch
        waiting = [each for each in self._releases if not each.is_on(key)]
        is_done = not plan.files and not waiting
        if on:
            is_done = not plan.files and self._is_on(key)
        classes: dict[tuple[tuple[str, ...], str], str | None] = {
            (count.whole, count.resource): count.target.device_class
            for pod in plan.counted
            for count in pod.counts
            if count.whole
        }
        classes |= {(s, r): c for s, each in plan.guarded_whole.items() for r, c in each.items()}
        if (found or classes) and reason is None and not is_done:
            try:
                texts = self._switched(key, waiting)
                if on and "values.yaml" not in plan.files and not self._is_on(key):
                    texts = self._with_default(key)
            except CannotEditError as error:
                reason = f"the values cannot be changed: {error}"
        where = ", ".join(dict.fromkeys(each.title for each in waiting)) or "values.yaml"
        allowed = all(self._of_template(each[0]).chart_places == "write" for each in found) and all(
            self._decide(each.manifest.source.name, _VALUES_TITLE).chart_places == "write"
            for each in self._asked
        )
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
        notes = (
            ()
            if default is None
            else (f"off by default: {default}. A release turns it on by {key}: true",)
        )
        told = _Told(key, where, reason, notes, allowed=allowed, is_done=is_done)
        writes = bool(found or classes) and not is_done and reason is None and allowed
        about = {
            (count.whole, count.resource): (*count.target.notes, *self._taint(count.resource))
            for pod in plan.counted
            for count in pod.counts
        }
        for name, counts in self._of_values(
            plan, classes, told, texts if writes else {}, about
        ).items():
            by_name[name] = (*by_name.get(name, ()), *counts)
        if not writes:
            return Switches({}, by_name)
        for inside, text in plan.files.items():
            source = self._names.get(self._start + inside)
            texts[self._start + inside if source is None else source.name] = text
        return Switches({self._folder: Switched(key, where, texts)}, by_name)

    def _is_own(self, asked: Asked) -> bool:
        """Whether the default values of the chart ask."""
        return not asked.below and plain(asked.manifest.source.name) == self._own

    def _choose_releases(self, *, in_templates: bool) -> None:
        """Leave the releases whose pods ask; values beside the chart, and of a chart around it, are such too."""
        if not in_templates and not self._by_default:
            self._releases = [
                each
                for each in self._releases
                if any(
                    asked.manifest.source is each.source
                    and each.start <= _outer(asked.manifest).start < each.end
                    for asked in self._asked
                )
            ]
        known = {(each.source.name, each.start) for each in self._releases}
        is_published = self._is_published() is not None
        for asked in self._asked:
            place = (asked.manifest.source.name, _outer(asked.manifest).start)
            beside = asked.is_own and not asked.below and not self._is_own(asked)
            if place in known or not (beside or asked.below):
                continue
            if beside and (self._by_default or is_published or self._releases):
                continue
            known.add(place)
            self._releases.append(_of_values_file(asked))

    def _is_published(self) -> str | None:
        """What shows that others install the chart; None if nothing does."""
        chart = self._names[f"{self._start}Chart.yaml"]
        if "artifacthub.io/" in chart.stream.text:
            return f"{chart.name} has annotations for Artifact Hub"
        listed = re.compile(rf"^  {re.escape(self._name())}:[ \t]*$", re.MULTILINE)
        for name, source in self._names.items():
            base, text = posixpath.basename(name), source.stream.text
            if base in ("artifacthub-repo.yml", "artifacthub-repo.yaml", "cr.yaml"):
                return f"{source.name} publishes charts"
            if base == "index.yaml" and "\nentries:" in f"\n{text}" and listed.search(text):
                return f"{source.name} lists the chart"
            if ".github/" in name and _PUBLISHES.search(text):
                return f"{source.name} publishes charts"
        return None

    def _of_values(
        self,
        plan: SwitchPlan,
        classes: Mapping[tuple[tuple[str, ...], str], str | None],
        told: _Told,
        texts: Mapping[str, str],
        about: Mapping[tuple[tuple[str, ...], str], tuple[str, ...]],
    ) -> dict[str, list[CountSaid]]:
        """What becomes of the requests in values."""
        made: dict[str, list[CountSaid]] = {}
        later: dict[str, list[Asked]] = {}
        before: dict[str, int] = {}
        for each in self._asked:
            name, resource = each.manifest.source.name, each.use.resource
            number = before[name] = before.get(name, -1) + 1
            if name in texts and name not in later:
                source = each.manifest.source
                changed = replace(source, stream=source.stream.reread(texts[name]))
                own = {asked.steps for asked in self._asked if asked.is_own}
                later[name] = list(_asked((changed,), self._folder, self._charts, own))
            span = _span_of(each)
            now = _span_of(later[name][number]) if name in later else span
            left, question = plan.left_whole.get(each.steps, (None, None))
            device_class = classes.get((each.steps, resource))
            if left is None and device_class is None:
                if each.steps not in plan.guarded_whole:
                    continue
                left = f"what {resource} becomes is not known"
            said = told.of(left, device_class)
            if question is not None:
                said = replace(said, question=question)
            if said.after is not None:
                said = replace(said, notes=(*about.get((each.steps, resource), ()), *said.notes))
            item = Item(
                name, span, "values" if each.manifest.kind == "values" else each.manifest.title,
                f"value {'.'.join(each.steps)}", each.use.text, Outcome.REFUSED, said.reason,
            )  # fmt: skip
            line = replace(said, line=span.line - 1, now=now.line - 1, resource=resource, item=item)
            made.setdefault(name, []).append(line)
        return made

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

    def _uncounted(self) -> str | None:
        """Why the templates of the chart cannot make requests of what the values ask for."""
        for each in self._asked:
            if whole(each.use.amount) is None:
                return f"{each.manifest.source.name} asks for {each.use.text}, which is no whole number"
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


@dataclass(frozen=True, slots=True)
class _Told:
    """What is said of every count in the values of a chart."""

    key: str
    where: str
    reason: str | None
    notes: tuple[str, ...]
    allowed: bool
    is_done: bool

    def of(self, left: str | None, device_class: str | None) -> CountSaid:
        if left is not None or self.reason is not None:
            return CountSaid(0, reason=f"the count stays: {left or self.reason}")
        if self.is_done:
            off = not self.notes
            return CountSaid(
                0,
                reason=f"the values {self.key}: true turn it off" if off else self.notes[0],
                off=off,
            )
        if not self.allowed:
            return CountSaid(0, reason=_BY_LIMITS, question="chart-places")
        after = f"a request of class {device_class} for as many, with values {self.key}: true in {self.where}"
        if self.notes:
            after = (
                f"a request of class {device_class} for as many, in releases with {self.key}: true"
            )
        return CountSaid(0, after=after, notes=self.notes)


def _asked(
    sources: Iterable[SourceText],
    folder: str,
    charts: ChartFolders,
    own: Collection[tuple[str, ...]] = (),
) -> Iterator[Asked]:
    """What values among the files ask for from a chart, if its templates write them whole. `own` is where the values
    of the chart ask, besides those in these files."""
    every = [
        asked
        for source in sources
        for manifest in (*values_of(source), *helmfile_values(source), *values_in_texts(source))
        for asked in asked_of(manifest, folder, charts)
    ]
    # Claims that a release names itself are in the release, under a name of its own.
    own = {*own, *(asked.steps for asked in every if asked.is_own)}
    yield from (asked for asked in every if not asked.has_place or asked.steps in own)


def _span_of(asked: Asked) -> Span:
    prefix = asked.manifest.prefix
    return asked.manifest.span(asked.use.path[len(prefix) :], on_key=True)


def _outer(manifest: Manifest) -> Document:
    return manifest.document if manifest.within is None else manifest.within.document


def _of_values_file(asked: Asked) -> _Release:
    """Values that get the switch themselves: those of a file beside the chart, or those for it in a chart around it."""
    manifest = asked.manifest
    path = (*manifest.prefix, *asked.below)
    document = _outer(manifest)

    def is_on(key: str) -> bool:
        return _at(document.data, (*path, key)) is True

    title = posixpath.basename(plain(manifest.source.name))
    return _Release(
        manifest.source, title, document.start, document.end, lambda key: Put((*path, key), True),
        document.text, is_on,
    )  # fmt: skip


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
