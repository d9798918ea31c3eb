"""A recipe for a workload that is there: its file with the claims in the pod spec, and new objects behind it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dradsl.kube.pods.workloads import pod_specs
from dradsl.migrate.edits.operations import CannotEditError, edit_text
from dradsl.migrate.mapping.kind_table import row_of
from dradsl.migrate.output import between, rendered_objects, unread
from dradsl.records import dataclass
from dradsl.scaffolding.recipes import ScaffoldError, nearest
from dradsl.scaffolding.writing import pod_operations
from dradsl.tree.manifests.manifest import manifests_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.tree.manifests.manifest import Manifest
    from dradsl.values.json_types import JsonMapping

__all__ = [
    "ChoiceNeeded",
    "Target",
    "attached",
    "choose",
    "context_in",
    "targets_in",
    "with_objects",
]

_NAMED_GROUPS = ("resource.k8s.io", "resource.nvidia.com")  # classes, claims, ComputeDomains
_Path = tuple[str | int, ...]


class ChoiceNeeded(ScaffoldError):  # noqa: N818 - the call lacks something
    """A file has several workloads or containers: `key` of --set says which, one of `names`."""

    def __init__(self, key: str, names: Sequence[str]) -> None:
        super().__init__(f"several {key}s; add --set {key}=NAME: {', '.join(names)}")
        self.key = key
        self.names = names


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """A container in a file: its object, the paths of pod spec and container in the document, and its names."""

    manifest: Manifest
    pod: _Path
    container: _Path
    workload: str
    name: str
    resources: Mapping[str, object]


def targets_in(source: SourceText) -> list[Target]:
    """Every container of a file that can get devices.

    Raises:
        ScaffoldError: if the file cannot be read, or holds no workload.
    """
    if source.is_template:
        reason = "is the template of a chart: change what `helm template` prints, or the values"
        raise ScaffoldError(f"{source.name}: {reason}")
    for message in unread(source):
        raise ScaffoldError(message)
    manifests = list(manifests_of(source))
    found = [target for manifest in manifests for target in _targets(manifest)]
    if not found:
        kinds = ", ".join(dict.fromkeys(each.kind for each in manifests)) or "no object"
        raise ScaffoldError(f"{source.name}: no workload with containers (found: {kinds})")
    return found


def _targets(manifest: Manifest) -> Iterator[Target]:
    data: JsonMapping = manifest.data
    places = [(at.path, at.spec) for at in pod_specs(data)]
    if manifest.kind == "InferenceService":
        # A predictor with `model` is a pod spec without `containers`; KServe makes the container.
        predictor = (data.get("spec") or {}).get("predictor") or {}
        if isinstance(predictor.get("model"), dict):
            places = [*places, (("spec", "predictor"), predictor)]
    seen: set[_Path] = set()
    for path, spec in places:
        title = f"{manifest.kind}/{manifest.name}"
        if len({each for each, _ in places}) > 1:
            title += "/" + ".".join(str(step) for step in path if step not in ("spec", "template"))
        rows: list[tuple[_Path, str, JsonMapping]] = [
            (("containers", number), str(each.get("name")), each)
            for number, each in enumerate(spec.get("containers") or ())
            if isinstance(each, dict)
        ]
        if manifest.kind == "InferenceService" and isinstance(spec.get("model"), dict):
            rows.append((("model",), "model", spec["model"]))
        for below, name, container in rows:
            pod = (*manifest.prefix, *path)
            if (*pod, *below) not in seen:
                seen.add((*pod, *below))
                asked = container.get("resources")
                yield Target(manifest, pod, (*pod, *below), title, name, asked or {})


def choose(targets: Sequence[Target], workload: str | None, container: str | None) -> Target:
    """The target that is meant.

    Raises:
        ChoiceNeeded: if there are several.
        ScaffoldError: if none has these names.
    """
    for key, field, word in (
        ("workload", "workload", workload),
        ("container", "name", container),
    ):
        names = list(dict.fromkeys(str(getattr(target, field)) for target in targets))
        if word is None and len(names) > 1:
            raise ChoiceNeeded(key, names)
        if word is not None and word not in names:
            raise ScaffoldError(f"no {key} {word}; {nearest(word, names)}")
        chosen = word or names[0]
        targets = [target for target in targets if getattr(target, field) == chosen]
    return targets[0]


def attached(target: Target, wanted: JsonMapping, catalogue: Catalogue) -> tuple[str, list[str]]:
    """The text of the document with the pod's claims or limits, and notes.

    Raises:
        ScaffoldError: if the workload cannot have them.
    """
    notes = _notes(target.manifest) if wanted.get("claims") else []
    _expect_no_plugin(target, wanted, catalogue)
    document = target.manifest.document
    operations = pod_operations(document.data, target.pod, target.container, wanted)
    if not operations:
        return document.text, notes
    try:
        return edit_text(document.text, [operations]), notes
    except CannotEditError as error:
        raise ScaffoldError(f"{target.workload} cannot be changed: {error}") from error


def _notes(manifest: Manifest) -> list[str]:
    """What is to be known of a kind with claims.

    Raises:
        ScaffoldError: for a kind that drops them, or that is not known.
    """
    row = row_of(manifest.group, manifest.kind)
    kind = manifest.kind + (f" of {manifest.group}" if manifest.group else "")
    if row is None:
        what = "dradsl does not know whether its controller keeps resourceClaims"
        raise ScaffoldError(f"{kind}: {what}; the recipe extended-resource needs none")
    if row.verdict in ("drops", "rejects"):
        why = f" ({row.why})" if row.why else ""
        raise ScaffoldError(f"{kind} {row.verdict} resourceClaims{why}")
    if row.verdict == "varies":
        return [f"{kind}: {row.why or 'not every release keeps resourceClaims'}"]
    return [f"{kind} keeps resourceClaims from {row.since} on"] if row.since else []


def _expect_no_plugin(target: Target, wanted: JsonMapping, catalogue: Catalogue) -> None:
    """Reject a container that asks a device plugin, too."""
    known = [re.sub(r"<\w+>", ".+", re.escape(name)) for name in catalogue.index().resources]
    for part in ("limits", "requests"):
        asked = target.resources.get(part)
        for name in asked if isinstance(asked, dict) else ():
            plugin = any(re.fullmatch(each, str(name)) for each in known)
            if plugin and name not in wanted.get("limits", {}):
                raise ScaffoldError(
                    f"{target.workload}: container {target.name} asks for {name} already; "
                    "`dradsl migrate` turns that into a claim"
                )


def context_in(source: SourceText, objects: Sequence[JsonMapping]) -> list[JsonMapping]:
    """The objects of a file that its workloads name, without those that are written."""
    new = {(one["kind"], one["metadata"]["name"]) for one in objects}
    return [
        each.data
        for each in manifests_of(source)
        if each.group in _NAMED_GROUPS and (each.kind, each.name) not in new
    ]


def with_objects(
    source: SourceText, target: Target | None, text: str, objects: Iterable[JsonMapping]
) -> str:
    """The text of a file with the new text of a document, and behind it the objects that it lacks.

    Raises:
        ScaffoldError: if it has another object of that name.
    """
    stream = source.stream
    there = {(each.kind, each.namespace, each.name): each.data for each in manifests_of(source)}
    new = []
    for one in objects:
        metadata = one["metadata"]
        found = there.get((one["kind"], metadata.get("namespace"), metadata["name"]))
        if found is None:
            new.append(one)
        elif found != one and one["kind"] != "Namespace":
            what = f"{one['kind']} {metadata['name']} is already in {source.name}, and differs"
            raise ScaffoldError(f"{what}: remove it, or choose another --set name=NAME")
    whole = stream.text
    if target is not None:
        document = target.manifest.document
        whole = whole[: document.start] + text + whole[document.end :]
    if not new:
        return whole
    if whole.lstrip()[:1] in ("{", "["):
        raise ScaffoldError(f"{source.name} is JSON: name a file for new objects with -o FILE")
    added = rendered_objects(new)
    newline = "\r\n" if "\r\n" in whole else "\n"
    return whole + (between(whole, added) + added).replace("\n", newline)
