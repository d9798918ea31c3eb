"""What an object that is built must become: the plan of its pods, made on the object as it reaches the cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dradsl.migrate.detection.texts import names_device
from dradsl.migrate.edits.in_values import in_values
from dradsl.migrate.edits.operations import CannotEditError, on_data
from dradsl.migrate.mapping.resource import Rejection
from dradsl.migrate.planning.rewrite import items_of, operations_of
from dradsl.migrate.planning.templates import claim_object
from dradsl.migrate.targets.manifests import migrated
from dradsl.records import dataclass, replace
from dradsl.text.documents import load
from dradsl.text.render import render_block
from dradsl.tree.inputs.sources import SourceText
from dradsl.tree.manifests.manifest import Manifest
from dradsl.tree.values.values import is_installer, values_of

if TYPE_CHECKING:
    from dradsl.migrate.planning.planner import Planner
    from dradsl.migrate.result import Item, Migrated
    from dradsl.text.paths import FieldPath
    from dradsl.tree.kustomize.parts.outcome import BuiltObject
    from dradsl.values.json_types import JsonObject

__all__ = ["Expected", "expected_of", "manifest_of"]


@dataclass(frozen=True, slots=True)
class Expected:
    """What an object must become: its `data`, the claim templates of its pods, the lines of the report.
    `rejection` is why this is impossible; `pods` are the paths of the pods that get claims."""

    data: Any
    templates: tuple[JsonObject, ...] = ()
    items: tuple[Item, ...] = ()
    pods: tuple[FieldPath, ...] = ()
    workloads: tuple[Migrated, ...] = ()
    rejection: Rejection | None = None


def expected_of(manifest: Manifest, planner: Planner) -> Expected:
    """What an object must become; decisions are those for the file that it names."""
    file = manifest.path
    data: Any = manifest.data
    items: list[Item] = []
    templates: list[dict[str, object]] = []
    paths: list[FieldPath] = []
    workloads: list[Migrated] = []
    if not is_installer(data):
        if not any(True for _ in planner.pods(manifest)):
            return Expected(data)
    elif not (
        names_device(data, planner.catalogue) or planner.decide(file, manifest.title).classes
    ):
        return Expected(data)
    manifest = _with_document(manifest)
    inner = (replace(each, name=manifest.name) for each in values_of(manifest.source))
    for pod in (pod for each in (manifest, *inner) for pod in planner.pods(each)):
        planned = planner.plan(file, pod)
        plan, decisions = planned.plan, planned.decisions
        if plan.rejected:
            rejection = next(u.result for u in plan.uses if isinstance(u.result, Rejection))
            return Expected(data, rejection=rejection)
        items += items_of(plan, decisions)
        if not plan.requests:
            continue
        template = claim_object(plan, decisions)
        placed = [*in_values(pod, template)]
        try:
            data = on_data(data, [*operations_of(plan, template, decisions), *placed])
        except CannotEditError as error:
            return Expected(data, rejection=Rejection(f"the object cannot be changed: {error}"))
        if not pod.chart_writes_template and not placed:
            templates.append(template)
        paths.append(pod.path)
        workloads.append(migrated(plan))
    return Expected(data, tuple(templates), tuple(items), tuple(paths), tuple(workloads))


def manifest_of(built: BuiltObject, file: str, namespace: str | None) -> Manifest | None:
    """A built object in the form of a written one, under its original name."""
    data: Any = built.data
    if not isinstance(data, dict):
        return None
    api_version, kind = data.get("apiVersion"), data.get("kind")
    if not (isinstance(api_version, str) and isinstance(kind, str)):
        return None
    source = SourceText(file, _NOTHING)
    return Manifest(
        source=source,
        document=_NOTHING.documents[0],
        prefix=(),
        data=data,
        api_version=api_version,
        group=api_version.partition("/")[0] if "/" in api_version else "",
        kind=kind,
        namespace=namespace,
        name=built.original_name or None,
    )


_NOTHING = load(b"{}")


def _with_document(manifest: Manifest) -> Manifest:
    """The object with a text, so that its fields have positions."""
    text = render_block(manifest.data) + "\n"
    stream = load(text.encode("utf-8", "surrogatepass"))
    source = SourceText(manifest.path, stream)
    return replace(manifest, source=source, document=stream.documents[0])
