"""Proof that a migration is sound: no request is left, no new lint errors, and devices of the same number and driver.

The devices are counted by simulating both sides on recorded slices: before, with classes that
answer the extended resources; after, with the claims.

KServe merges its runtimes and the services that name them into one pod. Follows kserve
pkg/controller/v1beta1/inferenceservice/utils/utils.go (MergeRuntimeContainers, MergePodSpec) @ aaac4e29: amounts are merged
key by key, the claims of a container are replaced, and those of the pod merged by name.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from dradsl.migrate.files import migrate_file
from dradsl.migrate.overlays.compare import as_file, lint_faults
from dradsl.migrate.places import is_extended
from dradsl.migrate.result import Outcome
from dradsl.migrate.targets.extended import answering_class
from dradsl.records import Record, dataclass, field, replace
from dradsl.text.documents import expand_list, load
from dradsl.tree.manifests.manifest import manifests_of
from dradsl.values.counted import first_of, plural
from dradsl.values.plain import mapping_at, member

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from dradsl.allocator.engine.plan import ClassRecord
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.result import (
        BuildPair,
        EditedTree,
        FileMigration,
        Item,
        Migrated,
        Migration,
    )
    from dradsl.migrate.survey import RunEvidence
    from dradsl.releases import Release
    from dradsl.simulate.attempts import Simulation
    from dradsl.simulate.plugin.verdicts import PodReport
    from dradsl.tree.inputs.sources import SourceText

__all__ = [
    "ProofResult",
    "placed",
    "asking_for",
    "prove",
    "simulation_of",
    "still_asked",
    "with_results",
    "without_half_pods",
    "without_open_requests",
]

_WITHDRAWN = "the proof failed, so nothing is changed: "
_INCOMPLETE = "too many folders to look for kustomizations in: some of them may patch these files"


def prove(migration: Migration, edited: EditedTree, survey: RunEvidence) -> Migration:
    """`migration` with its proofs and its faults.

    Results for a file that is a part of a build of Kustomize which was not compared are no proof.

    Raises:
        UnknownReleaseError: for a version that is not known.
        InventoryError: for recorded objects that cannot be read.
        TimeOverError: if the deadline comes first.
    """
    sides = edited.sides if migration.together or not edited.together else ()
    changed = [f for f in migration.files if f.changed and f.kind in ("manifests", "values")]
    if not changed and not sides:
        return migration
    plain = [file for file in changed if file.path not in edited.covered]
    result = _linted(plain, sides, survey)
    if survey.options.inventory:
        _simulate(result, sides, survey)
    if any(side.name in result.wrong for side in sides):
        # Files that are built together are all right, or none of them is.
        every = [fault for side in sides for fault in result.wrong.pop(side.name, ())]
        result.wrong |= dict.fromkeys(migration.together, every)
    return with_results(migration, result)


@dataclass(slots=True)
class ProofResult:
    """What was proven: sentences that prove, sentences on parts of builds, and faults by the file."""

    evidence: list[str] = field(default_factory=list)
    checks: list[str] = field(default_factory=list)
    wrong: dict[str, list[str]] = field(default_factory=dict)
    parts: tuple[FileMigration, ...] = ()
    whole: tuple[FileMigration, ...] = ()


def with_results(migration: Migration, result: ProofResult) -> Migration:
    """The migration with what was proven, and without the files that have faults."""
    wrong = result.wrong
    faults = tuple(dict.fromkeys(fault for found in wrong.values() for fault in found))
    return replace(
        migration,
        files=tuple(withdrawn(f, wrong[f.path]) if f.path in wrong else f for f in migration.files),
        evidence=(*migration.evidence, *result.evidence),
        faults=(*migration.faults, *faults),
        checks=(*migration.checks, *result.checks),
        together=migration.together - wrong.keys(),
    )


def _linted(
    files: Sequence[FileMigration], sides: Sequence[BuildPair], survey: RunEvidence
) -> ProofResult:
    """The files linted. The builds were, when they were compared."""
    result = ProofResult()
    release = survey.release.name
    for file in files:
        for fault in lint_faults(file, survey.options.kube_version, survey.options.deadline):
            result.wrong.setdefault(file.path, []).append(f"{file.path}: {fault}")
    good = [file for file in files if file.path not in result.wrong]
    result.parts = tuple(file for file in good if survey.tree.holds(file.path))
    result.whole = tuple(file for file in good if not survey.tree.holds(file.path))
    if sides:
        result.evidence += [_built_sentence(sides), _lint_sentence(len(sides), release, "build")]
    if result.whole:
        result.evidence.append(_lint_sentence(len(result.whole), release))
    if result.parts:
        stand = "as it is" if len(result.parts) == 1 else "as they are"
        said = f"{_lint_sentence(len(result.parts), release)} {stand}; not built with Kustomize"
        result.checks.append(said)
    if not survey.tree.complete:
        result.checks.append(_INCOMPLETE)
    return result


def _simulate(result: ProofResult, sides: Sequence[BuildPair], survey: RunEvidence) -> None:
    """Adds what the devices on the recorded nodes prove of files and builds."""
    for file in (*result.parts, *result.whole, *_as_files(sides)):
        if file.kind != "manifests":
            continue
        survey.options.deadline.check()
        good = result.checks if file in result.parts else result.evidence
        for ok, sentence in placed(file, survey):
            (good if ok else result.wrong.setdefault(file.path, [])).append(sentence)


def withdrawn(file: FileMigration, faults: Sequence[str]) -> FileMigration:
    """A file in its original state, since its migration has a fault."""
    items = tuple(
        replace(
            item,
            outcome=Outcome.REJECTED,
            after=None,
            doubt=None,
            proven=False,
            reason=_WITHDRAWN + faults[0],
        )
        if item.outcome is Outcome.TRANSLATED
        else item
        for item in file.items
    )
    return replace(file, text=file.before, items=items, added=(), workloads=(), patches=())


def _built_sentence(sides: Sequence[BuildPair]) -> str:
    names = first_of([side.name for side in sides])
    migrated = sum(side.migrated for side in sides)
    what = "folder" if any("of Argo CD" in side.name for side in sides) else "kustomization"
    return (
        f"{plural(len(sides), what)} built before and after ({names}): "
        f"the same objects, {migrated} of them with claims in the place of requests, and their templates"
    )


def _as_files(sides: Sequence[BuildPair]) -> list[FileMigration]:
    """Builds as files. Several objects may build the same, which is rendered once."""
    made: dict[tuple[int, int], FileMigration] = {}
    for side in sides:
        key = (id(side.before), id(side.after))
        if key not in made:
            made[key] = as_file(side)
    return [replace(made[id(s.before), id(s.after)], path=s.name) for s in sides]


def placed(file: FileMigration, survey: RunEvidence) -> Iterator[tuple[bool, str]]:
    """For each workload of a file: whether its devices on the recorded nodes are the same, and a sentence."""
    simulated = _Simulated(survey.release, survey.options.inventory, survey.catalogue)
    return simulated.compare(file)


def _lint_sentence(count: int, release: str, word: str = "file") -> str:
    return f"lint finds no new error in {plural(count, word)} (Kubernetes {release})"


class _Simulated(Record):
    """Simulations of both sides on one inventory."""

    release: Release
    inventory: tuple[Mapping[str, object], ...]
    catalogue: Catalogue

    def compare(self, file: FileMigration) -> Iterator[tuple[bool, str]]:
        """For each workload: whether the devices are the same, and a sentence that says so."""
        targets = [target for each in file.workloads for target in each.targets]
        classes = {t.resource: answering_class(t, self.catalogue) for t in targets}
        wanted = {_key(each) for each in file.workloads}
        before = self._run([*classes.values(), *_objects(file.before, classes.keys())], wanted)
        after = self._run([*_objects(file.text, frozenset()), *file.added], wanted)
        kinds = self._kinds()
        for each in file.workloads:
            if each.kind.startswith("values"):
                continue  # the pods that a chart makes of them are not known
            # A share of a device has no class that answers the extended resource.
            shares = any(not target.whole for target in each.targets)
            had = None if shares else _devices(before.get(_key(each)), kinds)
            report = after.get(_key(each))
            problem = _NO_PODS if report is None else report.problem
            yield _compared(each, had, _devices(report, kinds), problem)

    def _run(
        self, documents: Sequence[Mapping[str, object]], wanted: Collection[object]
    ) -> dict[object, PodReport]:
        """The result for the first pod of each wanted workload, if all devices are free."""
        from dradsl.simulate.pods import expand

        simulation = simulation_of(
            self.release,
            self.catalogue,
            ((each, "recording") for each in self.inventory),
            ((each, _origin(each)) for each in documents),
        )
        found: dict[object, PodReport] = {}
        for workload in simulation.cluster.workloads:
            key = (workload.origin, tuple(workload.at.path))
            if key in wanted:
                for pod in expand(workload, 1):
                    found[key] = simulation.fresh().place(pod)
        return found

    def _kinds(self) -> dict[tuple[str, str, str], str]:
        """The driver of each recorded device, and its type if it publishes one."""
        from dradsl.drivers.schema.recorded import recorded_devices

        slices = [dict(each) for each in self.inventory if each.get("kind") == "ResourceSlice"]
        found: dict[tuple[str, str, str], str] = {}
        for device in recorded_devices(slices):
            names = {key.rpartition("/")[2]: value for key, (_, value) in device.attributes.items()}
            kind = f"{device.driver} ({names['type']})" if "type" in names else device.driver
            found[device.driver, str(device.pool), device.name] = kind
        return found


def _origin(document: Mapping[str, object]) -> str:
    data = mapping_at(document, "metadata")
    name = data.get("name") or data.get("generateName")
    return f"{document.get('kind')} {data.get('namespace')}/{name}"


def _key(workload: Migrated) -> object:
    origin = f"{workload.kind} {workload.namespace}/{workload.name}"
    return origin, tuple(workload.path)


def _objects(text: str, resources: Collection[str]) -> list[Mapping[str, object]]:
    """The objects in a text, without requests for other extended resources than these: resources that stay with
    their device plugin are the same on both sides, and recordings seldom have them."""
    documents = load(text.encode("utf-8", "surrogatepass")).documents
    found = (obj for document in documents for _, obj in expand_list(document.data))
    return [asking_for(obj, resources) for obj in found if isinstance(obj, dict) and "kind" in obj]


def asking_for(value: Any, resources: Collection[str]) -> Any:
    """Plain data without requests for other extended resources than these."""
    if isinstance(value, list):
        return [asking_for(item, resources) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: {k: v for k, v in item.items() if k in resources or not is_extended(str(k))}
        if key in ("limits", "requests") and isinstance(item, dict)
        else asking_for(item, resources)
        for key, item in value.items()
    }


_NO_PODS = "the API server rejects it as it is written, or its pods are not known"


def _compared(
    workload: Migrated, had: Counter[str] | None, has: Counter[str] | None, problem: str | None
) -> tuple[bool, str]:
    title, wanted = workload.title, sum(workload.after.values())
    if has is None:
        if had is None and problem is not None:
            return True, f"{title}: not simulated, before or after: {problem}"
        if had is None:
            return True, f"{title}: no recorded node can run it, before or after"
        return False, f"{title}: runs on the recorded nodes before, but not after"
    # With admin access a pod gets whatever the node has.
    counted = all(target.mode != "admin" for target in workload.targets)
    if (counted and has.total() != wanted) or (had is not None and had != has):
        return False, f"{title}: gets {_text(had)} before, {_text(has)} after"
    if had is None:
        return True, f"{title}: gets {_text(has)} on the recorded nodes"
    return True, f"{title}: gets {_text(has)} on the recorded nodes, before and after"


def _devices(
    report: PodReport | None, kinds: Mapping[tuple[str, str, str], str]
) -> Counter[str] | None:
    """The devices of a placed pod by kind; None if it was not placed, or not by DRA."""
    if report is None or not report.fits or not report.allocations:
        return None
    return Counter(
        kinds.get((result["driver"], result["pool"], result["device"]), result["driver"])
        for allocation in report.allocations.values()
        for result in (allocation.get("devices") or {}).get("results") or ()
    )


def _text(devices: Counter[str] | None) -> str:
    if not devices:
        return "nothing"
    return ", ".join(
        f"{plural(count, 'device')} of {kind}" for kind, count in sorted(devices.items())
    )


def simulation_of(
    release: Release,
    catalogue: Catalogue,
    recorded: Iterable[tuple[Mapping[str, object], str]],
    documents: Iterable[tuple[Mapping[str, object], str]],
    *,
    nodes_known: bool = False,
) -> Simulation:
    """The simulation of a release, for recorded objects and manifests, each with its origin. Classes that are not among
    them are those of the drivers' charts."""
    from dradsl.allocator.engine.plan import ClassRecord
    from dradsl.allocator.engine.selectors import CelSelectors
    from dradsl.kube.server.api_server import ApiServer
    from dradsl.simulate.attempts import Simulation
    from dradsl.simulate.cluster import ClusterBuilder

    def known(name: str) -> ClassRecord | None:
        found = catalogue.device_class(name)
        return None if found is None else ClassRecord(name, tuple(found[1].selectors))

    gate = release.gates.get("DRAExtendedResource")
    features = release.features({} if gate is None or gate.locked else {gate.name: True})
    server = ApiServer(release, features)
    builder = ClusterBuilder(server, known_class=known, nodes_known=nodes_known)
    for each, origin in recorded:
        builder.add_recorded(dict(each), origin)
    for each, origin in documents:
        builder.add_manifest(dict(each), origin)
    return Simulation(builder.build(), release, features, CelSelectors(release, features))


def without_open_requests(migration: Migration, survey: RunEvidence) -> Migration:
    """The migration, of which every changed file is read once more: a request that is still there, and was
    not rejected or left, is a fault."""
    by_name = {source.name: source for source in survey.sources}
    wrong: dict[str, list[str]] = {}
    for file in migration.files:
        source = by_name.get(file.path)
        if source is not None and file.text != file.before:
            after = replace(source, stream=source.stream.reread(file.text))
            found = list(still_asked(file, migrate_file(after, survey)))
            wrong |= {file.path: found} if found else {}
    return with_results(migration, ProofResult(wrong=wrong)) if wrong else migration


def still_asked(first: FileMigration, second: FileMigration) -> Iterator[str]:
    """Requests that are in a file after its migration, although the migration was to remove them or did not report
    them; `second` is a run over the result.

    Amounts that a chart still reads are found again, but change nothing.
    """
    known = Counter(map(_use_key, (i for i in first.items if i.outcome is not Outcome.TRANSLATED)))
    known += Counter(map(_use_key, (i for i in first.items if i.doubt is not None)))
    for item in second.items:
        if item.outcome is Outcome.LEFT:
            continue
        key = _use_key(item)
        if known[key] > 0:
            known[key] -= 1
        elif item.outcome is Outcome.REJECTED or second.text != second.before:
            if _use_key(item)[1].endswith((": null", ": 0")):
                continue  # removes a request of a base, or asks for no device
            yield (
                f"{first.path}: {item.object}, {item.where} still asks for {item.before} after the "
                "migration"
            )


def _use_key(item: Item) -> tuple[str, str]:
    return item.object, item.before


_GROUP = "serving.kserve.io"


def without_half_pods(migration: Migration, sources: Sequence[SourceText]) -> Migration:
    """The migration without runtimes that got claims while a service that names them still asks: its pods would have
    both. In the opposite case the service's amounts of 0 take effect."""
    rejected = {
        item.object
        for item in migration.items()
        if item.outcome is Outcome.REJECTED and item.object.startswith("InferenceService ")
    }
    halves = {
        runtime: title
        for source in (sources if rejected else ())
        for title, runtime in _services(source)
        if title in rejected
    }
    wrong: dict[str, list[str]] = {}
    for file in migration.files if halves else ():
        for each in file.workloads:
            service = halves.get((each.kind, each.namespace, str(each.name)))
            if service is not None:
                wrong.setdefault(file.path, []).append(
                    f"{service} names {each.title} and still asks: KServe would give its pods both"
                )
    return with_results(migration, ProofResult(wrong=wrong)) if wrong else migration


def _services(source: SourceText) -> Iterator[tuple[str, tuple[str, str | None, str]]]:
    """The services in a file by their titles, with the kind, namespace and name of the runtime that each names."""
    for manifest in manifests_of(source):
        if manifest.kind != "InferenceService" or manifest.group != _GROUP:
            continue
        for part in ("model", "sklearn", "xgboost", "pytorch", "tensorflow", "triton", "onnx"):
            name = member(manifest.data, "spec", "predictor", part, "runtime")
            if isinstance(name, str):
                yield manifest.title, ("ServingRuntime", manifest.namespace, name)
                yield manifest.title, ("ClusterServingRuntime", None, name)
