"""Charts whose values were migrated, and releases of charts in the tree: rendered by Helm before and after, compared.

A chart is rendered with its own values and with each file of values beside its Chart.yaml; a release with all of its
values. What could not be rendered proves nothing, and is reported. Each object must be as planned.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from dradsl.kube.pods.workloads import pod_specs
from dradsl.migrate.overlays.compare import (
    Expected,
    identity,
    is_claim,
    new_objects,
    problem_of,
    specs_of,
)
from dradsl.migrate.overlays.drafts import EditedFiles
from dradsl.migrate.overlays.original import expected_of, manifest_of
from dradsl.migrate.result import BuildPair, Outcome
from dradsl.records import Record, replace
from dradsl.text.documents import expand_list, load
from dradsl.tree.builds import GivenObjects, shown
from dradsl.tree.completed_releases import (
    Releases,
    chart_paths,
    is_release,
    namespace_of,
    node_of,
    values_at,
)
from dradsl.tree.kustomize.parts.files import Files
from dradsl.tree.kustomize.parts.outcome import BuiltObject
from dradsl.tree.kustomize.surrounding import top_of
from dradsl.tree.manifests.manifest import manifests_of
from dradsl.tree.nodes import of
from dradsl.values.limits import MOST_RENDERED
from dradsl.values.plain import mapping_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from dradsl.migrate.planning.plan import Planner
    from dradsl.migrate.result import Item, Migrated, Migration
    from dradsl.migrate.survey import RunEvidence
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.tree.manifests.manifest import Manifest
    from dradsl.tree.nodes import ValueNode
    from dradsl.tree.rendering.programs import RenderedText
    from dradsl.tree.rendering.renderer import Renderer

__all__ = ["ChartRuns", "Compared"]


class ObjectProof(Record):
    """A rendered object and what is there `after` the migration: `problem` says what differs from what is expected."""

    built: BuiltObject
    after: Any
    expected: Expected
    problem: str | None

    @property
    def title(self) -> str:
        return " ".join(identity(self.built.data)[1::2])

    @property
    def same(self) -> bool:
        """Whether the object did not change."""
        return bool(self.after == self.built.data)

    @property
    def is_random(self) -> bool:
        """Whether it differs where charts write a new value each time, or a value that depends on one."""
        before: Any = self.built.data
        if self.problem is None or self.after is None or self.same:
            return False
        if before.get("kind") == "Secret":
            return bool(before.get("metadata") == self.after.get("metadata"))
        return "checksum/" in self.problem


def compare_objects(
    old: Sequence[BuiltObject],
    new: Sequence[BuiltObject],
    claims: Sequence[Any],
    planner: Planner,
    check: Callable[[], None],
    *,
    file: str = "",
    namespace: str | None = None,
) -> Iterator[ObjectProof]:
    """Each object of the state before, which a `file` says how to migrate; `claims` are those that are not rendered."""
    specs = specs_of([*claims, *(e.data for e in new if is_claim(e.data))], namespace)
    others = {identity(each.data): each.data for each in new}
    for built in old:
        check()
        after = others.get(identity(built.data))
        manifest = manifest_of(built, file, namespace)
        expected = Expected(built.data) if manifest is None else expected_of(manifest, planner)
        if expected.rejection is None:
            problem = problem_of(built.data, after, expected, specs)
        else:
            problem = f"cannot be migrated: {expected.rejection.reason}"
        yield ObjectProof(built, after, expected, problem)


def rendered_objects(text: bytes) -> list[BuiltObject] | None:
    """The objects that Helm wrote; None if that cannot be read."""
    stream = load(text)
    if any(problem.fatal for problem in stream.all_problems()):
        return None
    return [
        BuiltObject(of(data, None), identity(data)[3], identity(data)[2])
        for document in stream.documents
        for _, data in expand_list(document.data)
        if isinstance(data, dict)
    ]


def source_templates(text: bytes) -> dict[object, str]:
    """The template of each rendered object within its chart, by the object's identity."""
    return {
        identity(data): document.source_comment.partition("/")[2]
        for document in load(text).documents
        if document.source_comment is not None
        for _, data in expand_list(document.data)
        if isinstance(data, dict)
    }


class Compared(Record):
    """One unit that was rendered: both sides, the names of its files, and the errors."""

    side: BuildPair
    files: tuple[str, ...]
    faults: tuple[str, ...] = ()


class _Unit(Record):
    """A unit of rendering: a chart with values, before and after. `items` are the lines of the report about its
    values, `pods` how many pods these give claims to, `counts` those about counts in its templates. `unknown` says why
    it cannot be rendered."""

    title: str
    folder: str
    top: str
    values: tuple[Sequence[Mapping[str, object]], Sequence[Mapping[str, object]]]
    release: str
    namespace: str | None
    files: tuple[str, ...]
    items: tuple[Item, ...]
    pods: int
    unknown: str | None = None
    counts: tuple[Item, ...] = ()


class ChartRuns:
    """The migrated values of charts in the tree, to be rendered. `sides` are the builds that were compared, `switches` the
    keys of values that turn the claims of charts on, by their folders."""

    def __init__(
        self,
        migration: Migration,
        sides: Sequence[BuildPair],
        survey: RunEvidence,
        renderer: Renderer,
        switches: Mapping[str, str],
    ) -> None:
        self._switches = {os.path.realpath(folder): key for folder, key in switches.items()}
        self._asked: dict[str, set[str]] = {}
        self._templates: Mapping[object, str] = {}  # of what is compared
        self._files = {file.path: file for file in migration.files}
        self._sides = sides
        self._planner = survey.of_builds
        self._renderer = renderer
        self._check = survey.options.deadline.check
        self._sources = [each for each in survey.sources if each.name in self._files]
        changed = {n: file.text for n, file in self._files.items() if file.text != file.before}
        self._after = [
            replace(each, stream=each.stream.reread(changed[each.name]))
            if each.name in changed
            else each
            for each in self._sources
        ]
        on_disk = [each for each in self._sources if not each.name.startswith("<")]
        self._names = {os.path.realpath(each.name): each.name for each in on_disk}
        self._texts = {
            os.path.realpath(each.name): each.stream.encode(changed[each.name])
            for each in on_disk
            if each.name in changed
        }

    def run(self) -> tuple[list[Compared], list[str], frozenset[tuple[str, int, int]]]:
        """Render each chart and release, and compare both sides: the units that were compared, what was untried in sentences,
        and the items that are proven, by the names of their files and places."""
        compared: list[Compared] = []
        untried: list[str] = []
        proven: set[tuple[str, int, int]] = set()
        doubted: set[tuple[str, int, int]] = set()
        units = [*self._charts(), *self._releases()][: MOST_RENDERED + 1]
        for unit in units[:MOST_RENDERED]:
            self._check()
            places = {*map(_place, unit.items)}
            made = self._one(unit)
            if isinstance(made, str):
                untried.append(f"{unit.title} is not rendered: {made}")
                doubted |= places
                continue
            result, pods = made
            compared.append(result)
            if result.faults:
                continue
            if pods < unit.pods:
                untried.append(
                    f"{unit.title} renders {pods} of the {unit.pods} pods that its values give claims to"
                )
                doubted |= places
            else:
                proven |= places
                # A rendered pod asked for what a template writes, and has it by claims.
                proven |= {
                    _place(item)
                    for item in unit.counts
                    if item.before.partition(":")[0]
                    in self._asked.get(os.path.realpath(item.path), ())
                }
        if len(units) > MOST_RENDERED:
            untried.append(f"only {MOST_RENDERED} charts and releases are rendered")
            proven.clear()
        return compared, list(dict.fromkeys(untried)), frozenset(proven - doubted)

    # What is rendered

    def _charts(self) -> Iterator[_Unit]:
        """Charts with files of values that changed."""
        for source in self._sources:
            file = self._files[source.name]
            real = os.path.realpath(source.name)
            folder = os.path.dirname(real)
            if real not in self._texts or file.kind != "values" or not _is_chart(folder):
                continue
            base = os.path.basename(real)
            both: list[list[dict[str, object]]] = []
            for data in (source.stream.documents, load(self._texts[real]).documents):
                found = data[0].data if len(data) == 1 else None
                both.append([found] if isinstance(found, dict) and base != "values.yaml" else [])
            pods = sum(each.kind.startswith("values") for each in file.workloads)
            title = f"chart {shown(folder)}" + ("" if base == "values.yaml" else f" with {base}")
            yield _Unit(
                title, folder, top_of(folder), (both[0], both[1]), "release-name", None,
                self._of_chart(folder, source.name), _translated(file.items), pods, counts=self._counts(folder),
            )  # fmt: skip

    def _of_chart(self, folder: str, *more: str) -> tuple[str, ...]:
        """The changed files that belong to a chart, and more."""
        below = folder + os.sep
        inside = [
            self._names[path]
            for path in self._texts
            if path.startswith(below)
            # Values beside Chart.yaml count where they are asked for.
            and (
                os.path.dirname(path) != folder
                or os.path.basename(path) == "values.yaml"
                or self._files[self._names[path]].kind != "values"
            )
        ]
        return tuple(dict.fromkeys((*more, *inside)))

    def _releases(self) -> Iterator[_Unit]:
        if self._renderer.programs.helm is None or not self._texts:
            return
        before, after = self._state(self._sources), self._state(self._after)
        releases = Releases(before), Releases(after)
        later = {_written(each): each for each in after.manifests}
        built = {
            (each.node.at.origin.file, each.node.at.origin.document.index)
            for side in self._sides
            for each in side.before
            if each.node.at is not None
        }
        for side in self._sides:
            others = {identity(each.data): each.node for each in side.after}
            for one in side.before:
                name = self._names.get("" if one.node.at is None else one.node.at.origin.file, "")
                manifest = manifest_of(one, name, identity(one.data)[2] or None)
                other = others.get(identity(one.data))
                if manifest is not None and other is not None and is_release(manifest):
                    yield from self._of_release(
                        manifest, (one.node, other), (side.before, side.after), releases
                    )
        for manifest in before.manifests:
            other_manifest = later.get(_written(manifest))
            if not is_release(manifest) or manifest.is_patch or other_manifest is None:
                continue
            at = (os.path.realpath(manifest.source.name), manifest.document.index)
            nodes = node_of(manifest), node_of(other_manifest)
            if at in built or nodes[0] is None or nodes[1] is None:
                continue
            yield from self._of_release(manifest, (nodes[0], nodes[1]), ((), ()), releases)

    def _state(self, sources: Sequence[SourceText]) -> GivenObjects:
        found = tuple(each for source in sources for each in manifests_of(source))
        return GivenObjects(found, tuple(sources))

    def _of_release(
        self,
        manifest: Manifest,
        nodes: tuple[ValueNode, ValueNode],
        built: tuple[Sequence[BuiltObject], Sequence[BuiltObject]],
        releases: tuple[Releases, Releases],
    ) -> Iterator[_Unit]:
        place = nodes[0].at
        if place is None:
            return
        top = top_of(os.path.dirname(place.origin.file))
        disk = Files([top])
        files = disk, EditedFiles(disk, self._texts)
        space = nodes[0].get("metadata", "namespace")
        namespace = (manifest.namespace or "") if space is None else space.text
        for (path, way), (_, other_way) in zip(
            chart_paths(nodes[0]), chart_paths(nodes[1]), strict=False
        ):
            folder = disk.real(os.path.join(top, path.lstrip("/")))
            if not disk.is_inside(folder) or not _is_chart(folder):
                continue
            whole = [
                release.completed(node, namespace, objects, each, top)
                for release, node, objects, each in zip(releases, nodes, built, files, strict=True)
            ]
            touched, items, pods = self._concerned(manifest, place.origin.file, nodes[0])
            every = self._of_chart(folder, *touched)
            title = f"{manifest.kind} {identity(nodes[0].plain())[3]}"
            if whole[0] is None or whole[1] is None:
                if every:
                    yield _Unit(
                        title, folder, top, ((), ()), "", None, every, items, pods,
                        "not all of its values are known",
                    )  # fmt: skip
                return
            values = values_at(whole[0], way), values_at(whole[1], other_way)
            switch = self._switches.get(folder)
            if switch is not None:
                # The key is new: the chart as it was may not allow it.
                before = [{k: v for k, v in each.items() if k != switch} for each in values[0]]
                values = before, values[1]
            if not pods and values[0] != values[1] and switch is None:
                continue  # values of an operator: the result is expected to differ
            if values[0] != values[1] or self._of_chart(folder):
                yield _Unit(
                    title, folder, top, values, manifest.name or "release-name",
                    namespace_of(whole[0]) or namespace or "default", every, items, pods,
                    counts=self._counts(folder),
                )  # fmt: skip

    def _counts(self, folder: str) -> tuple[Item, ...]:
        """The lines of the report about counts that the templates of a chart with a switch write."""
        if folder not in self._switches:
            return ()
        start = os.path.join(folder, "templates") + os.sep
        files = (f for n, f in self._files.items() if os.path.realpath(n).startswith(start))
        return tuple(item for file in files for item in _translated(file.items))

    def _concerned(
        self, manifest: Manifest, path: str, node: ValueNode
    ) -> tuple[list[str], tuple[Item, ...], int]:
        """The files with values of a release, the lines of the report about them, and the pods with claims."""
        spec = node.get("spec", "valuesFrom")
        listed = (each.get("name") for each in (spec.items if spec is not None else ()))
        names = {each.text for each in listed if each is not None}
        touched: list[str] = []
        items: list[Item] = []
        pods = 0
        for source in self._sources:
            file = self._files[source.name]
            if os.path.realpath(source.name) not in self._texts:
                continue
            for each in manifests_of(source):
                is_release = os.path.realpath(source.name) == path and each.kind == manifest.kind
                if not (
                    (is_release and each.name == manifest.name)
                    or (each.kind == "ConfigMap" and each.name in names)
                ):
                    continue
                touched.append(source.name)
                first = source.stream.lines.position(each.document.start)[0]
                last = source.stream.lines.position(each.document.end)[0]
                inside = [i for i in file.items if first <= i.span.line <= last]
                items += _translated(tuple(inside))
                pods += sum(
                    w.kind.startswith("values") and w.name == each.name for w in file.workloads
                )
        return touched, tuple(items), pods

    # The comparison

    def _one(self, unit: _Unit) -> tuple[Compared, int] | str:
        """Both sides compared, and how many pods got claims; or why that is not known."""
        if unit.unknown is not None:
            return unit.unknown
        before = self._rendered(unit, unit.values[0], {})
        after = self._rendered(unit, unit.values[1], self._texts)
        if before.unknown is not None:
            return before.unknown
        fault = self._differs_when_off(unit, before)
        if after.unknown is not None:
            fault = f"after the migration it is not rendered: {after.unknown}"
        if fault is not None:
            side = BuildPair(unit.title, (), (), ())
            return Compared(side, unit.files, (f"{unit.title}: {fault}",)), 0
        old, new = rendered_objects(before.text), rendered_objects(after.text)
        if old is None or new is None:
            return "what it renders cannot be read"
        self._templates = source_templates(before.text)
        return self._compared(unit, old, new)

    def _differs_when_off(self, unit: _Unit, before: RenderedText) -> str | None:
        """What is wrong with a chart that got a switch and renders something else without it."""
        if unit.folder not in self._switches:
            return None
        start = os.path.join(unit.folder, "templates") + os.sep
        texts = {path: text for path, text in self._texts.items() if path.startswith(start)}
        off = self._rendered(unit, unit.values[0], texts)
        if off.text == before.text or self._rendered(unit, unit.values[0], {}).text != before.text:
            return None  # the same to the byte, or a chart that renders the time
        return "without the switch something else is rendered"

    def _rendered(
        self, unit: _Unit, values: Sequence[Mapping[str, object]], texts: Mapping[str, bytes]
    ) -> RenderedText:
        return self._renderer.chart(
            unit.folder,
            top=unit.top,
            values=values,
            release=unit.release,
            namespace=unit.namespace or "default",
            texts=texts,
        )

    def _compared(
        self, unit: _Unit, old: list[BuiltObject], new: list[BuiltObject]
    ) -> tuple[Compared, int] | str:
        file = unit.files[0] if unit.files else ""
        every = list(
            compare_objects(
                old, new, [*self._claims()], self._planner_of(unit), self._check, file=file, namespace=unit.namespace,
            )
        )  # fmt: skip
        for each in every:
            rejection = each.expected.rejection
            # A switch has one answer for all pods of a chart: a question that is open for one is a fault.
            if rejection is not None and not each.same and rejection.question and not unit.counts:
                return f"{each.title}: {rejection.reason}"
            if each.is_random:
                return f"{each.title} holds what may differ each time"
        start = f"{unit.title}, rendered:"
        wrong = [each for each in every if each.problem]
        faults = [f"{start} {each.title} {each.problem}" for each in wrong if not each.same]
        faults += [f"{start} {each} is new" for each in new_objects(old, new)]
        workloads: list[Migrated] = []
        for each in every:
            if each.problem is None:
                self._note(unit, each.built, each.expected)
                _, _, space, name = identity(each.built.data)
                workloads += [
                    replace(one, namespace=space or unit.namespace, name=name)
                    for one in each.expected.workloads
                ]
        if len(workloads) < unit.pods and not self._has_rejected(unit):
            # Others may ask by other values than those that were migrated.
            asking = [each for each in wrong if each.same and each.expected.rejection is None]
            faults += [f"{start} {each.title} {each.problem}" for each in asking]
        sides = [
            tuple(_within(each, unit.namespace) for each in objects)
            for objects in (old, [*new, *self._beside(new)])
        ]
        side = BuildPair(unit.title, sides[0], sides[1], tuple(workloads))
        return Compared(side, unit.files, tuple(faults)), len(workloads)

    def _note(self, unit: _Unit, built: BuiltObject, expected: Expected) -> None:
        """Notes which resources the pods of a template asked for, and got by claims."""
        comment = self._templates.get(identity(built.data))
        if comment is not None:
            template = os.path.join(unit.folder, *comment.split("/"))
            asked = {name for each in expected.workloads for name in each.before}
            self._asked.setdefault(template, set()).update(asked)

    def _planner_of(self, unit: _Unit) -> Planner:
        """The planner for the rendered objects, with the answers for the values from which they are made."""
        decide = self._planner.decide
        items = unit.items or unit.counts
        every = [decide(*each) for each in {(item.path, item.object) for item in items}]
        if not every or any(each != every[0] for each in every):
            return self._planner
        return replace(self._planner, decide=lambda _file, _title: every[0])

    def _has_rejected(self, unit: _Unit) -> bool:
        return any(
            item.outcome is not Outcome.TRANSLATED
            for name in unit.files
            for item in self._files[name].items
        )

    def _claims(self) -> Iterator[Any]:
        """The claims and templates in files beside what is rendered."""
        for source in self._after:
            yield from (each.data for each in manifests_of(source) if is_claim(each.data))
        for file in self._files.values():
            yield from file.added
            if file.kind == "claims":
                yield from (d.data for d in load(file.text.encode()).documents)
        for side in self._sides:
            yield from (each.data for each in side.after if is_claim(each.data))

    def _beside(self, rendered: list[BuiltObject]) -> Iterator[BuiltObject]:
        """The templates in these files that a rendered object names."""
        names = {identity(each.data)[3] for each in rendered if is_claim(each.data)}
        for data in self._claims():
            name = identity(data)[3]
            if name not in names and any(name in str(each.data) for each in rendered):
                names.add(name)
                yield BuiltObject(of(data, None), name, "")


def _within(built: BuiltObject, namespace: str | None) -> BuiltObject:
    """An object with the namespace that its release gives it, as far as it has pods or claims."""
    data: Any = built.data
    if namespace is None or identity(data)[2]:
        return built
    if not (is_claim(data) or any(True for _ in pod_specs(data))):
        return built
    metadata = {**mapping_at(data, "metadata"), "namespace": namespace}
    return replace(built, node=of({**data, "metadata": metadata}, None))


def _translated(items: Sequence[Item]) -> tuple[Item, ...]:
    return tuple(item for item in items if item.outcome is Outcome.TRANSLATED)


def _place(item: Item) -> tuple[str, int, int]:
    return item.path, item.span.line, item.span.column


def _written(manifest: Manifest) -> tuple[object, ...]:
    """An object by its file and name: new objects in the file move the documents behind them."""
    return manifest.source.name, manifest.group, manifest.kind, manifest.namespace, manifest.name


def _is_chart(folder: str) -> bool:
    return os.path.isfile(os.path.join(folder, "Chart.yaml"))
