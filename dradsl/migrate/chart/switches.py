"""Charts among the files of a run that ask for devices: they get the switch, and their releases turn it on.

The switch is on where the files show a release: in its values. If they show none, it is on in the values of the chart,
unless others install that chart.
"""

from __future__ import annotations

import os
import posixpath
import re
from typing import TYPE_CHECKING

from dradsl.drivers.schema.catalogue import shipped_catalogue
from dradsl.drivers.schema.device_plugin import find_labels
from dradsl.migrate.chart.requests import ChartAmount
from dradsl.migrate.chart.switch import Chart, ChartPlaces, CountSaid, Switched, plan_switch
from dradsl.migrate.chart.template import UnclearError
from dradsl.migrate.cluster.releases import values_in_texts
from dradsl.migrate.detection.charts.folders import asked_of, chart_folders
from dradsl.migrate.detection.charts.installs import ChartInstall, installs_of, plain
from dradsl.migrate.edits.operations import CannotEditError, Put, edit_text
from dradsl.migrate.evidence import gather, hints_beside
from dradsl.migrate.mapping.resource import ANNOTATIONS
from dradsl.migrate.places import whole
from dradsl.migrate.planning.obstacles import ROUTES
from dradsl.migrate.result import Item, Outcome
from dradsl.records import Record, replace
from dradsl.tree.values.values import values_of
from dradsl.values.plain import mapping_at, member, string_at

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from dradsl.diagnostics import Span
    from dradsl.migrate.chart.requests import Becomes
    from dradsl.migrate.chart.switch import SwitchPlan
    from dradsl.migrate.detection.charts.folders import Asked, ChartFolders
    from dradsl.migrate.evidence import Evidence
    from dradsl.migrate.mapping.questions import Decisions
    from dradsl.migrate.mapping.resource import Hints
    from dradsl.text.documents import Document
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.tree.kustomize.surrounding import SurroundingKustomizations
    from dradsl.tree.manifests.manifest import Manifest

__all__ = ["plan_switches"]

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


def plan_switches(
    sources: Sequence[SourceText],
    decide: Callable[[str, str], Decisions],
    around: SurroundingKustomizations | None,
    failed: Mapping[str, str],
) -> ChartPlaces:
    """The switches of charts among these files, as far as the answers allow them. Charts that `failed` do not get a
    switch, for these reasons."""
    names = {plain(each.name): each for each in sources}
    folders = [
        posixpath.dirname(name) for name in names if posixpath.basename(name) == "Chart.yaml"
    ]
    if not folders:
        return ChartPlaces()
    known = chart_folders(sources)
    asked = {folder: tuple(_asked(sources, folder, known)) for folder in folders}
    wanted = [
        folder
        for folder in folders
        if asked[folder]
        or any(
            name.startswith(f"{_start(folder)}templates/") and _KEY.search(source.stream.text)
            for name, source in names.items()
        )
    ]
    if not wanted:
        return ChartPlaces()
    evidence = gather(sources, (), around)
    charts: dict[str, Switched] = {}
    said: dict[str, tuple[CountSaid, ...]] = {}
    for folder in wanted:
        # A file with releases of two charts gets both switches.
        given = {name: text for each in charts.values() for name, text in each.texts.items()}
        planner = _Planner(folder, names, decide, evidence, asked[folder], known, given)
        made, counts = planner.plan(failed.get(folder))
        charts |= made
        for name, each in counts.items():
            said[name] = (*said.get(name, ()), *each)
    return ChartPlaces(charts, said)


class _Outcome(Record):
    """What holds for all counts of a chart that could become claims: a `reason` why they stay, or where the switch is on.
    It `is_done` if nothing changes any more. `default` says why it is off in a chart that others install."""

    key: str
    where: str
    reason: str | None
    default: str | None
    allowed: bool
    is_done: bool

    @property
    def writes(self) -> bool:
        return self.reason is None and self.allowed and not self.is_done

    def said(self, amount: ChartAmount, becomes: Becomes, notes: tuple[str, ...]) -> CountSaid:
        """What becomes of an amount; `notes` are about its resource."""
        line, resource, target = amount.line, amount.resource, becomes.target
        if becomes.stays or self.reason is not None:
            if becomes.question and becomes.hint != resource and not self.allowed:
                # Both are asked in one round: the other one for the use that it is about.
                return CountSaid(line, resource, reason=_BOTH_WAYS, question="chart-places")
            reason = becomes.stays or f"the count stays: {self.reason}"
            return CountSaid(
                line, resource, reason=reason, question=becomes.question, hint=becomes.hint
            )
        off = None
        if self.default is not None:
            off = f"off by default: {self.default}. A release turns it on by {self.key}: true"
        if self.is_done:
            reason = off or f"the values {self.key}: true turn it off"
            return CountSaid(line, resource, reason=reason, off=True)
        if target is None:
            reason = f"the count stays: what {resource} becomes is not known"
            return CountSaid(line, resource, reason=reason)
        if not self.allowed:
            return CountSaid(line, resource, reason=_BOTH_WAYS, question="chart-places")
        after = f"a request of class {target.device_class} for as many, "
        after += (
            f"with values {self.key}: true in {self.where}"
            if off is None
            else f"in releases with {self.key}: true"
        )
        notes = (*target.notes, *notes, *filter(None, [off]))
        return CountSaid(line, resource, after, notes=notes)


class _Planner:
    """The switch of one chart. `asked` is what values ask for from it, `given` are files that other charts changed."""

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
        self._own = f"{self._start}values.yaml"
        self._by_default = any(self._is_own(each) for each in asked)
        real = os.path.realpath(folder or ".")
        self._releases = [
            each for source in names.values() for each in installs_of(source) if each.folder == real
        ]

    def plan(
        self, failed: str | None
    ) -> tuple[dict[str, Switched], dict[str, tuple[CountSaid, ...]]]:
        """The switch, if the chart can have it, and what is said of its counts."""
        plan = self._switch(on=False)
        in_templates = any(amount.file for amount in plan.claims)
        default = self._published()
        self._releases = list(self._asking(in_templates=in_templates, published=default))
        on = not self._releases and default is None and (in_templates or self._by_default)
        if on:
            plan = self._switch(on=True)
        waiting = [each for each in self._releases if not each.is_on(plan.key)]
        is_done = not plan.files and (self._is_on(plan.key) if on else not waiting)
        reason = failed or plan.obstacle or self._differing() or self._uncounted()
        texts: dict[str, str] = {}
        if plan.claims and reason is None and not is_done:
            try:
                texts = self._turned_on(plan, waiting, by_default=on)
            except CannotEditError as error:
                reason = f"the values cannot be changed: {error}"
        where = ", ".join(dict.fromkeys(each.title for each in waiting)) or "values.yaml"
        outcome = _Outcome(plan.key, where, reason, default, self._is_allowed(plan), is_done)
        if not plan.claims or not outcome.writes:
            return {}, self._said(plan, outcome, {})
        said = self._said(plan, outcome, texts)
        files = {self._named(inside): text for inside, text in plan.files.items()}
        return {self._folder: Switched(plan.key, texts | files)}, said

    def _named(self, inside: str) -> str:
        """The name of a file of the chart, as the run has it."""
        source = self._names.get(self._start + inside)
        return self._start + inside if source is None else source.name

    def _switch(self, *, on: bool) -> SwitchPlan:
        wanted: dict[tuple[str, ...], frozenset[str]] = {}
        for each in self._asked:
            wanted[each.steps] = wanted.get(each.steps, frozenset()) | {each.use.resource}
        chart = Chart(
            self._name(),
            {name: source.stream.text for name, source in self._templates.items()},
            self._text("values.yaml"),
            self._text("values.schema.json"),
        )
        return plan_switch(chart, self._of_template, self._hints, wanted, on=on)

    # Who installs the chart

    def _is_own(self, asked: Asked) -> bool:
        """Whether the default values of the chart ask."""
        return not asked.below and plain(asked.manifest.source.name) == self._own

    def _asking(self, *, in_templates: bool, published: str | None) -> Iterator[ChartInstall]:
        """The releases whose pods ask; values beside the chart, and of a chart around it, are such too."""
        known = set()
        for each in self._releases:
            if (
                in_templates
                or self._by_default
                or any(
                    asked.manifest.source is each.source
                    and each.document.start <= _outer(asked.manifest).start < each.document.end
                    for asked in self._asked
                )
            ):
                known.add((each.source.name, each.document.start))
                yield each
        has_releases = bool(known)
        for asked in self._asked:
            place = (asked.manifest.source.name, _outer(asked.manifest).start)
            beside = asked.is_own and not asked.below and not self._is_own(asked)
            if place in known or not (beside or asked.below):
                continue
            if beside and (self._by_default or published is not None or has_releases):
                continue
            known.add(place)
            yield _of_values(asked)

    def _published(self) -> str | None:
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

    # What is said

    def _said(
        self, plan: SwitchPlan, outcome: _Outcome, texts: Mapping[str, str]
    ) -> dict[str, tuple[CountSaid, ...]]:
        """What becomes of the counts in templates and in values, by file. `texts` are the values with the switch."""
        made: dict[str, list[CountSaid]] = {}
        for amount, becomes in plan.becomes.items():
            if amount.file:
                said = outcome.said(amount, becomes, self._taint(amount.resource))
                made.setdefault(self._templates[amount.file].name, []).append(said)
        later: dict[str, list[Asked]] = {}
        for name in {each.manifest.source.name for each in self._asked} & texts.keys():
            source = next(s for s in self._names.values() if s.name == name)
            changed = replace(source, stream=source.stream.reread(texts[name]))
            own = {asked.steps for asked in self._asked if asked.is_own}
            later[name] = list(_asked((changed,), self._folder, self._charts, own))
        for each in self._asked:
            name, resource = each.manifest.source.name, each.use.resource
            span = _span_of(each)
            now = _span_of(later[name].pop(0)) if name in later else span
            amount = ChartAmount(resource, values=each.steps)
            if amount not in plan.becomes:
                continue
            notes = (*self._taint(resource), *_labels(each))
            said = outcome.said(amount, plan.becomes[amount], notes)
            item = Item(
                name, span, "values" if each.manifest.kind == "values" else each.manifest.title,
                f"value {'.'.join(each.steps)}", each.use.text, Outcome.REJECTED, said.reason, routes=ROUTES,
            )  # fmt: skip
            said = replace(said, line=span.line - 1, now=now.line - 1, item=item)
            every = made.setdefault(name, [])
            every += [said] if said not in every else []
        return {name: tuple(each) for name, each in made.items()}

    def _is_allowed(self, plan: SwitchPlan) -> bool:
        """Whether the answers for all templates and values that ask allow the switch."""
        may = [a for a, each in plan.becomes.items() if each.question or not each.stays]
        templates = {amount.file for amount in may if amount.file}
        values = {amount.values for amount in may}
        return all(self._of_template(each).chart_places == "write" for each in templates) and all(
            self._decide(each.manifest.source.name, _VALUES_TITLE).chart_places == "write"
            for each in self._asked
            if each.steps in values
        )

    def _of_template(self, inside: str) -> Decisions:
        """The answers for a template; where it has none of its own, those for the values that ask."""
        own = self._decide(self._templates[inside].name, _TEMPLATE_TITLE)
        names = {each.manifest.source.name for each in self._asked}
        given = [self._decide(each, _VALUES_TITLE) for each in names]
        alike = given and all(each == given[0] for each in given)
        return given[0] if alike and own == self._decide("", "") else own

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

    def _hints(self, resource: str) -> list[Hints]:
        """What is said beside each release, or beside the chart if there is none."""
        texts = {each.source.name: each.document.text for each in self._releases}
        if self._own in self._names:
            texts[self._names[self._own].name] = self._names[self._own].stream.text
        every = [source.stream.text for source in self._templates.values()]
        part = next((m for t in (*texts.values(), *every) if (m := _PARTS.search(t))), None)
        if part is not None and resource == _GPU:
            raise UnclearError(f"the chart names {part[0]}: what the count means depends on that")
        beside = (texts or {self._own: ""}).items()
        return [hints_beside(name, text, resource, self._evidence) for name, text in beside]

    def _taint(self, resource: str) -> tuple[str, ...]:
        for each in self._releases:
            taint = self._evidence.cluster_of(each.source.name).taint(resource)
            if taint is not None:
                return (f"{taint}: the pod must tolerate it by itself, once the limit is gone",)
        return ()

    # The files

    def _name(self) -> str:
        documents = self._names[f"{self._start}Chart.yaml"].stream.documents
        name = string_at(documents[0].data, "name") if documents else None
        return name or posixpath.basename(self._folder)

    def _text(self, inside: str) -> str | None:
        source = self._names.get(self._start + inside)
        return None if source is None else self._given.get(source.name, source.stream.text)

    def _is_on(self, key: str) -> bool:
        source = self._names.get(self._own)
        documents = () if source is None else source.stream.documents
        return any(member(each.data, key) is True for each in documents)

    def _turned_on(
        self, plan: SwitchPlan, releases: Sequence[ChartInstall], *, by_default: bool
    ) -> dict[str, str]:
        """The files of the releases with the switch on; if it is on by default, values of the chart where it is off.

        Raises:
            CannotEditError: for one that cannot have it.
        """
        made: dict[str, str] = {}
        key, own = plan.key, self._names.get(self._own)
        if by_default and "values.yaml" not in plan.files and not self._is_on(key):
            if own is None:
                raise CannotEditError("there is no values.yaml")
            made[own.name] = edit_text(own.stream.text, [[Put((key,), True)]])
        by_document: dict[tuple[str, int], list[ChartInstall]] = {}
        for each in releases:
            by_document.setdefault((each.source.name, each.document.start), []).append(each)
        # From the end, since a change moves what follows.
        for (name, start), group in sorted(by_document.items(), reverse=True):
            if name in self._given:
                raise CannotEditError(f"{name} has releases of two such charts")
            text, end = made.get(name, group[0].source.stream.text), group[0].document.end
            operations = [[each.turn_on(key)] for each in group]
            made[name] = text[:start] + edit_text(text[start:end], operations) + text[end:]
        return made


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
        for manifest in (*values_of(source), *values_in_texts(source))
        for asked in asked_of(manifest, folder, charts)
    ]
    # Claims that a release names itself are in the release, under a name of its own.
    own = {*own, *(asked.steps for asked in every if asked.is_own)}
    yield from (asked for asked in every if not asked.has_place or asked.steps in own)


def _span_of(asked: Asked) -> Span:
    prefix = asked.manifest.prefix
    return asked.manifest.span(asked.use.path[len(prefix) :], on_key=True)


def _labels(asked: Asked) -> Iterator[str]:
    """The node labels of device plugins beside resources in values: they stay, as nothing says who else reads them."""
    below = (*map(str, asked.below), *asked.steps[:-1], "nodeSelector")
    for key, value in mapping_at(asked.manifest.data, *below).items():
        if next(iter(find_labels(str(key), shipped_catalogue())), None) is not None:
            yield f"node label {key}: {value} stays; without feature discovery nobody keeps this label up to date"


def _outer(manifest: Manifest) -> Document:
    return manifest.document if manifest.within is None else manifest.within.document


def _of_values(asked: Asked) -> ChartInstall:
    """Values that get the switch themselves: those of a file beside the chart, or those for it in a chart around it."""
    manifest, below = asked.manifest, tuple(map(str, asked.below))
    title = posixpath.basename(plain(manifest.source.name))
    if manifest.within is not None:
        place = manifest.within.path
        return ChartInstall(
            manifest.source, manifest.within.document, title, "", place, below=below
        )
    return ChartInstall(manifest.source, manifest.document, title, "", (*manifest.prefix, *below))


def _about_devices(decisions: Decisions) -> tuple[object, ...]:
    return (
        decisions.mig_strategy,
        decisions.mig_profile,
        decisions.sharing,
        decisions.fraction_driver,
        tuple(sorted(decisions.classes.items())),
    )


def _start(folder: str) -> str:
    return f"{folder}/" if folder else ""
