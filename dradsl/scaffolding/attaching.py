"""A recipe for a workload that is there: its file with the claims in the pod spec, and new objects behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.drivers.schema.device_plugin import find_resources
from dradsl.kube.pods.workloads import pod_specs
from dradsl.migrate.detection.pods import container_at, containers_of
from dradsl.migrate.edits.operations import CannotEditError, edit_text
from dradsl.migrate.mapping.kind_table import row_of
from dradsl.migrate.output import between, rendered_objects, unread
from dradsl.migrate.places import PodAt
from dradsl.migrate.planning.obstacles import kind_notes
from dradsl.records import dataclass
from dradsl.scaffolding.recipes import ScaffoldError, nearest
from dradsl.scaffolding.writing import pod_operations
from dradsl.tree.manifests.manifest import manifests_in, manifests_of
from dradsl.values.plain import mapping_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.places import ContainerAt
    from dradsl.scaffolding.writing import Scaffold
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.tree.manifests.manifest import Manifest
    from dradsl.values.json_types import JsonMapping

__all__ = ["ChoiceNeeded", "PodContainer", "aim", "changed", "choose", "notes_on", "targets_in"]


class ChoiceNeeded(ScaffoldError):  # noqa: N818 - the call lacks something
    """A file has several workloads or containers: `key` of --set says which, one of `names`."""

    def __init__(self, key: str, names: Sequence[str]) -> None:
        super().__init__(f"several {key}s; add --set {key}=NAME: {', '.join(names)}")
        self.key = key
        self.names = names


@dataclass(frozen=True, slots=True, eq=False)
class PodContainer:
    """A container in a file, and the pod that it is in; `workload` and `name` are what it is called."""

    pod: PodAt
    container: ContainerAt
    workload: str
    name: str


def targets_in(source: SourceText, at: int | None = None) -> list[PodContainer]:
    """Every container of a file that can get devices; with `at` only in the document at that offset.

    Raises:
        ScaffoldError: if the file cannot be read, or holds no workload.
    """
    if source.is_template:
        reason = "is the template of a chart: change what `helm template` prints, or the values"
        raise ScaffoldError(f"{source.name}: {reason}")
    for message in unread(source):
        raise ScaffoldError(message)
    documents = source.stream.documents
    here = [each for each in documents if at is None or each.start <= at <= each.end]
    manifests = list(manifests_in(source, here))
    found = [target for manifest in manifests for target in _targets(manifest)]
    if not found:
        kinds = ", ".join(dict.fromkeys(each.kind for each in manifests)) or "no object"
        raise ScaffoldError(f"{source.name}: no workload with containers (found: {kinds})")
    return found


def _targets(manifest: Manifest) -> Iterator[PodContainer]:
    places = {at.path: at.spec for at in pod_specs(manifest.data)}
    predictor = mapping_at(manifest.data, "spec", "predictor")
    # KServe makes a container of `model`, in a pod spec without `containers`.
    model = predictor.get("model") if manifest.kind == "InferenceService" else None
    if isinstance(model, dict):
        places["spec", "predictor"] = predictor
    for path, spec in places.items():
        title = f"{manifest.kind}/{manifest.name}"
        if len(places) > 1:
            title += "/" + ".".join(str(step) for step in path if step not in ("spec", "template"))
        whole = (*manifest.prefix, *path)
        containers = [each for each in containers_of(spec, whole) if each.role == "main"]
        if isinstance(model, dict) and spec is predictor:
            containers.append(container_at({"name": "model", **model}, (*whole, "model"), "main"))
        pod = PodAt(manifest, whole, spec, {}, tuple(containers))
        for container in containers:
            yield PodContainer(pod, container, title, container.name)


def choose(
    targets: Sequence[PodContainer], workload: str | None, container: str | None
) -> PodContainer:
    """The target that is meant.

    Raises:
        ChoiceNeeded: if there are several.
        ScaffoldError: if none has these names.
    """
    given = (("workload", "workload", workload), ("container", "name", container))
    for key, field, word in given:
        names = list(dict.fromkeys(str(getattr(target, field)) for target in targets))
        if word is None and len(names) > 1:
            raise ChoiceNeeded(key, names)
        if word is not None and word not in names:
            raise ScaffoldError(f"no {key} {word}; {nearest(word, names)}")
        chosen = word or names[0]
        targets = [target for target in targets if getattr(target, field) == chosen]
    return targets[0]


def aim(scaffold: Scaffold, target: PodContainer) -> None:
    """Take the name and the namespace of the workload for the new objects.

    Raises:
        ScaffoldError: if there is none, or the one that was given is another.
    """
    manifest = target.pod.manifest
    metadata = manifest.data.get("metadata")
    own = metadata.get("name") if isinstance(metadata, dict) else None
    if not own and "name" not in scaffold.given:
        raise ScaffoldError(f"{target.workload} has no name yet: add --set name=NAME")
    scaffold.given.setdefault("name", str(own))
    there, wanted = manifest.namespace, scaffold.namespace
    if there and wanted not in (None, there):
        raise ScaffoldError(f"{target.workload} is in the namespace {there}, not {wanted}")
    scaffold.namespace = there or wanted
    if "namespace" in scaffold.recipe and not scaffold.namespace:
        raise ScaffoldError(f"{target.workload} names no namespace: add -n NAMESPACE")


def changed(scaffold: Scaffold, target: PodContainer) -> str:
    """The text of the file with what the recipe gives the workload.

    Raises:
        ScaffoldError: if the text cannot hold it, or has another object of that name.
    """
    return _with_objects(target, _attached(target, scaffold.pod()), scaffold.objects())


def notes_on(target: PodContainer, wanted: JsonMapping, catalogue: Catalogue) -> list[str]:
    """What is to be known of this kind of workload with claims.

    Raises:
        ScaffoldError: for a kind that drops claims or is not known, and for a container that asks a device plugin.
    """
    for use in target.container.uses:
        if use.resource not in wanted.get("limits", {}) and find_resources(use.resource, catalogue):
            asks = f"{target.workload}: container {target.name} asks for {use.resource} already"
            raise ScaffoldError(f"{asks}; `dradsl migrate` turns that into a claim")
    if not wanted.get("claims"):
        return []
    manifest = target.pod.manifest
    row = row_of(manifest.group, manifest.kind)
    kind = f"{manifest.kind} ({manifest.api_version})"
    if row is None:
        what = "dradsl does not know whether its controller keeps resourceClaims"
        raise ScaffoldError(f"{kind}: {what}; the recipe extended-resource needs none")
    if row.verdict in ("drops", "rejects"):
        raise ScaffoldError(f"{kind} {row.verdict} resourceClaims" + (row.why and f": {row.why}"))
    return list(kind_notes(target.pod))


def _attached(target: PodContainer, wanted: JsonMapping) -> str:
    """The text of the document with the claims or limits."""
    document = target.pod.manifest.document
    operations = pod_operations(document.data, target.pod.path, target.container.path, wanted)
    try:
        return edit_text(document.text, [operations]) if operations else document.text
    except CannotEditError as error:
        raise ScaffoldError(f"{target.workload} cannot be changed: {error}") from error


def _with_objects(target: PodContainer, text: str, objects: Iterable[JsonMapping]) -> str:
    """The text of the file with the new text of the document, and behind it the objects that it lacks."""
    manifest = target.pod.manifest
    name, document = manifest.source.name, manifest.document
    there = {
        (each.kind, each.namespace, each.name): each.data for each in manifests_of(manifest.source)
    }
    new = []
    for one in objects:
        metadata = one["metadata"]
        found = there.get((one["kind"], metadata.get("namespace"), metadata["name"]))
        if found is None:
            new.append(one)
        elif found != one and one["kind"] != "Namespace":
            what = f"{one['kind']} {metadata['name']} is already in {name}, and differs"
            raise ScaffoldError(f"{what}: remove it, or choose another --set name=NAME")
    whole = manifest.source.stream.text
    whole = whole[: document.start] + text + whole[document.end :]
    if new and whole.lstrip()[:1] in ("{", "["):
        raise ScaffoldError(f"{name} is JSON, which holds one object: write it as YAML")
    added = rendered_objects(new)
    newline = "\r\n" if "\r\n" in whole else "\n"
    return whole + (between(whole, added) + added).replace("\n", newline)
