"""KServe's runtimes and the services that name them: KServe merges both into one pod.

Follows kserve pkg/controller/v1beta1/inferenceservice/utils/utils.go (MergeRuntimeContainers, MergePodSpec) @ aaac4e29:
amounts are merged key by key, the claims of a container are replaced, and those of the pod merged by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.migrate.proof.prove import ProofResult, with_results
from dradsl.migrate.result import Outcome
from dradsl.tree.manifests.manifest import manifests_of
from dradsl.values.plain import member

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.migrate.result import Migration
    from dradsl.tree.inputs.sources import SourceText

__all__ = ["without_half_pods"]

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
