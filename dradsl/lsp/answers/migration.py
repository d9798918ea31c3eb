"""Migrate the device requests of a file as `dradsl migrate` does: an edit where the migration is proven, else why not."""

from __future__ import annotations

import difflib

from lsprotocol import types

from dradsl.drivers.schema.device_plugin import find_resources
from dradsl.kube.pods.workloads import pod_specs
from dradsl.lsp.texts.cursor import source_of
from dradsl.records import dataclass
from dradsl.tree.manifests.manifest import manifests_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.lsp.texts.places import Places
    from dradsl.lsp.workspace.driver_info import DriverInfo
    from dradsl.migrate.result import FileMigration, Migration
    from dradsl.text.documents import Stream
    from dradsl.values.deadline import Deadline

__all__ = ["MigratedText", "line_edits", "migrated", "uses_at"]

_LISTS = ("containers", "initContainers")


@dataclass(frozen=True, slots=True)
class MigratedText:
    """The text of a file with claims, or the reason why there is none."""

    text: str | None
    reason: str


def uses_at(
    path: str, stream: Stream, at: tuple[int, int], catalogue: Catalogue
) -> tuple[str, ...]:
    """The extended resources of device plugins that the objects of a part of a file ask for."""
    if "/" not in stream.text or "limits" not in stream.text:
        return ()
    found: dict[str, None] = {}
    for manifest in manifests_of(source_of(path, stream)):
        if manifest.document.start <= at[1] and manifest.document.end >= at[0]:
            for pod in pod_specs(manifest.data):
                found.update(dict.fromkeys(_resources(pod.spec)))
    return tuple(name for name in found if find_resources(name, catalogue))


def _resources(spec: Mapping[str, object]) -> Iterator[str]:
    for field in _LISTS:
        containers = spec.get(field)
        for container in containers if isinstance(containers, list) else ():
            resources = container.get("resources") if isinstance(container, dict) else None
            for part in ("limits", "requests"):
                amounts = resources.get(part) if isinstance(resources, dict) else None
                for name in amounts if isinstance(amounts, dict) else ():
                    if isinstance(name, str) and "/" in name:
                        yield name


def migrated(
    path: str,
    stream: Stream,
    knowledge: DriverInfo,
    inventory: Sequence[Mapping[str, object]],
    deadline: Deadline,
) -> MigratedText:
    """What `dradsl migrate` makes of a file.

    Raises:
        TimeOverError: if the deadline comes first.
    """
    from dradsl.migrate.run import Options, migrate
    from dradsl.tree.kustomize.surrounding import look_around

    options = Options(
        kube_version=knowledge.release.name,
        inventory=tuple(inventory),
        around=look_around([path]),
        deadline=deadline,
    )
    made = migrate([source_of(path, stream)], options, knowledge.drivers)
    for _, error in made.failed:
        return MigratedText(None, str(error))
    reason = _why_not(path, made)
    if reason:
        return MigratedText(None, reason)
    (file,) = (each for each in made.files if each.path == path)
    text = _with_added(file)
    return (
        MigratedText(None, "nothing here can be migrated")
        if text == stream.text
        else MigratedText(text, "; ".join(made.evidence))
    )


def _why_not(path: str, made: Migration) -> str:
    """Why the result is not to be used; empty if it is."""
    if made.faults:
        return made.faults[0]
    for item in made.items():
        if item.outcome == "refused":
            return f"line {item.span.line}, {item.object}: {item.reason}"
        if item.doubt is not None:
            return f"line {item.span.line}, {item.object}: {item.doubt}"
    if all(file.path != path for file in made.files):
        return "nothing here can be migrated"
    if any(file.changed and file.path != path for file in made.files):
        return "other files have to change too: run dradsl migrate"
    if any(file.patches and not file.text for file in made.files):
        return "the file is built by others: run dradsl migrate"
    return ""


def _with_added(file: FileMigration) -> str:
    """The text with the objects that belong in a file of their own."""
    if not file.added:
        return file.text
    from dradsl.dsl.objects.yaml_text import to_yaml

    return f"{file.text.rstrip()}\n---\n{to_yaml(file.added)}"


def line_edits(before: str, after: str, places: Places) -> list[types.TextEdit]:
    """Edits of whole lines that make one text of another."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [
        types.TextEdit(places.range(starts[i], starts[j]), "".join(new[k:m]))
        for tag, i, j, k, m in matcher.get_opcodes()
        if tag != "equal"
    ]
