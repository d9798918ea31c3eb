"""What a question to the recorded devices needs of the other files: classes, claims and templates by their names."""

from __future__ import annotations

from dradsl.kube.pods.workloads import pod_specs
from dradsl.lsp.fleet.placing import PlacingQuestion
from dradsl.lsp.workspace.index import CLAIM, CLASS, TEMPLATE
from dradsl.text.paths import value_at
from dradsl.values.plain import list_at, member

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dradsl.lsp.fleet.recorded import Recorded
    from dradsl.lsp.texts.cursor import Cel
    from dradsl.lsp.workspace.driver_info import DriverInfo
    from dradsl.lsp.workspace.index import Mention
    from dradsl.tree.manifests.manifest import Manifest

__all__ = ["can_be_placed", "class_selectors", "question_of"]


def class_selectors(
    cel: Cel, mentions: Sequence[Mention], knowledge: DriverInfo, recorded: Recorded
) -> tuple[str, tuple[str, ...]] | None:
    """The class beside a selector of a request, and its own selectors; None if there is none, or it is not known."""
    try:
        holder = value_at(cel.manifest.data, cel.path[:-4])
    except (KeyError, IndexError, TypeError):
        return None
    name = member(holder, "deviceClassName")
    if not isinstance(name, str) or not name:
        return None
    defined = [each for each in mentions if each.kind == CLASS and each.defines]
    for data in (
        *(each.manifest.data for each in defined if each.name == name),
        *(each for each in recorded.objects if _is_class(each, name)),
    ):
        return name, tuple(_expressions(data))
    known = knowledge.drivers.device_class(name)
    return None if known is None else (name, tuple(known[1].selectors))


def _is_class(data: Mapping[str, object], name: str) -> bool:
    metadata = data.get("metadata")
    return data.get("kind") == CLASS and isinstance(metadata, dict) and metadata.get("name") == name


def _expressions(data: Mapping[str, object]) -> Iterator[str]:
    for each in list_at(data, "spec", "selectors"):
        text = member(each, "cel", "expression")
        if isinstance(text, str):
            yield text


def can_be_placed(manifest: Manifest) -> bool:
    """Whether the object is a claim or template with a name, or has pods."""
    if manifest.kind in (CLAIM, TEMPLATE):
        return bool(manifest.name)
    return bool(manifest.kind and next(iter(pod_specs(manifest.data)), None))


def question_of(
    manifest: Manifest, mentions: Sequence[Mention], knowledge: DriverInfo, recorded: Recorded
) -> PlacingQuestion:
    """The object, with the claims and templates that it names, and all classes."""
    others: dict[int, Mapping[str, object]] = {}
    named = {
        each.key
        for each in mentions
        if not each.defines and each.kind in (CLAIM, TEMPLATE) and each.manifest.key == manifest.key
    }
    for each in mentions:
        if each.defines and (each.kind == CLASS or each.key in named):
            others[id(each.manifest.data)] = each.manifest.data
    others.pop(id(manifest.data), None)
    return PlacingQuestion(
        manifest.data,
        tuple(others.values()),
        recorded.objects,
        knowledge.release,
        knowledge.features,
    )
