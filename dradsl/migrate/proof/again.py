"""A second look at a file after its migration: requests that are still there, although they were not rejected."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from dradsl.migrate.files import migrate_file
from dradsl.migrate.proof.prove import ProofResult, with_results
from dradsl.migrate.result import Outcome
from dradsl.records import replace
from dradsl.tree.manifests.manifest import manifests_of
from dradsl.values.plain import member

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.migrate.result import FileMigration, Item, Migration
    from dradsl.migrate.survey import RunEvidence
    from dradsl.tree.inputs.sources import SourceText

__all__ = ["still_asked", "without_half_pods", "without_open_requests"]


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
    known = Counter(map(_key, (i for i in first.items if i.outcome is not Outcome.TRANSLATED)))
    known += Counter(map(_key, (i for i in first.items if i.doubt is not None)))
    for item in second.items:
        if item.outcome is Outcome.LEFT:
            continue
        key = _key(item)
        if known[key] > 0:
            known[key] -= 1
        elif item.outcome is Outcome.REJECTED or second.text != second.before:
            if _key(item)[1].endswith((": null", ": 0")):
                continue  # removes a request of a base, or asks for no device
            yield (
                f"{first.path}: {item.object}, {item.where} still asks for {item.before} after the "
                "migration"
            )


def _key(item: Item) -> tuple[str, str]:
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
