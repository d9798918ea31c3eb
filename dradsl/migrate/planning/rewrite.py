"""The changes that a pod's plan makes to its manifest and to fields beside it, and what each use's line in the report says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Literal

from dradsl.migrate.edits.operations import Append, Operation, Put, Remove
from dradsl.migrate.mapping.resource import Rejection, Target
from dradsl.migrate.places import is_passthrough, whole
from dradsl.migrate.planning.obstacles import VISIBLE, kind_notes, names_devices
from dradsl.migrate.planning.plan import in_claims, is_shared, kept_apart, toleration
from dradsl.migrate.planning.templates import (
    claim_entry,
    claim_names,
    folder_apart,
)
from dradsl.migrate.result import BY_RECIPE, Item, Outcome
from dradsl.text.paths import value_at
from dradsl.tree.charts.recipes import filled, find

if TYPE_CHECKING:
    from dradsl.migrate.places import PodAt
    from dradsl.migrate.planning.plan import PodPlan, UsePlan
    from dradsl.values.json_types import JsonMapping, JsonObject

__all__ = ["in_values", "items_of", "operations_of", "use_item"]


def operations_of(plan: PodPlan, objects: Sequence[JsonMapping]) -> list[Operation]:
    """Everything to change in the pod of a plan: claims are added, amounts and labels removed. New objects in
    the values of a chart are apart (`in_values`)."""
    pod = plan.pod
    if pod.set_values:
        return list(_own_fields(plan, objects[0]))
    names = dict(zip(claim_names(pod.spec), objects, strict=False))
    claims = {
        request: claim
        for claim, group in zip(names, in_claims(plan.requests), strict=True)
        for request in group
    }
    entries = [claim_entry(claim, obj) for claim, obj in names.items()]
    operations: list[Operation] = list(_into_list(pod, "resourceClaims", entries))
    machine = [use for use in plan.uses if use.request is not None and is_passthrough(use.use)]
    for use in machine:
        here = use.container.path
        claim = claims[str(use.request)]
        operations += [Put((*here, "claimName"), claim), Put((*here, "requestName"), use.request)]
        operations.append(Remove((*here, "deviceName"), ()))
    rest = [use for use in plan.uses if use not in machine]
    places = [
        ((*use.container.path, *use.container.resources, "claims"), use.request)
        for use in rest
        if use.request is not None
    ]
    for place, request in dict.fromkeys(places):
        operations.append(Append(place, {"name": claims[request], "request": request}))
    for use in plan.uses:
        if isinstance(use.result, Target):
            operations += _amounts_out(use, pod.keep_zero_limits)
    operations += plan.labels.removals
    operations += _variables_out(plan)
    node = pod.spec.get("nodeName")
    if node:  # as the controller of a DaemonSet names a node
        named = {"key": "metadata.name", "operator": "In", "values": [node]}
        must = "requiredDuringSchedulingIgnoredDuringExecution"
        affinity = {must: {"nodeSelectorTerms": [{"matchFields": [named]}]}}
        at = (*pod.field_at("affinity"), "nodeAffinity")
        operations += [Remove(pod.field_at("nodeName"), ()), Put(at, affinity)]
    if plan.tolerate:
        added: list[dict[str, object]] = [{**toleration(resource)} for resource, _ in plan.tolerate]
        operations += _into_list(pod, "tolerations", added)
    return operations + list(companions(plan))


def _own_fields(plan: PodPlan, template: JsonMapping) -> Iterator[Operation]:
    """Changes in the fields of an operator or a chart, instead of claims in a pod."""
    names = {"template": template["metadata"]["name"]}
    for path, value in plan.pod.set_values:
        place = (*plan.pod.path, *path.removesuffix("[]").split("."))
        kind = Append if path.endswith("[]") else Put
        yield kind(place, filled(value, names))
    # Amounts in limits are removed; the chart still reads amounts in its own keys.
    for use in plan.uses:
        if isinstance(use.result, Target):
            yield from _amounts_out(use, plan.pod.keep_zero_limits)


def _into_list(pod: PodAt, name: str, items: list[JsonObject]) -> Iterator[Append]:
    """Items for a list of the pod, after those that it would otherwise have from defaults."""
    place = pod.field_at(name)
    for item in (*pod.inherited(name), *items):
        yield Append(place, item)


_SECTIONS = ("requests", "limits")


def _amounts_out(use: UsePlan, zero: tuple[str, ...] = ()) -> Iterator[Put | Remove]:
    resources = (*use.container.path, *use.container.resources)
    written = use.container.written
    # From the last one to the first: an alias comes after its anchor.
    for section in reversed([each for each in written if each in _SECTIONS]):
        found = written.get(section)
        if isinstance(found, Mapping) and use.use.resource in found:
            path = (*resources, section, use.use.resource)
            # In requests too: values that are merged into the container may have the amount there, and limits must not be less.
            if use.use.resource in zero and use.use.limit is not None:
                yield Put(path, 0)
                continue
            yield Remove(path, ((*resources, section), resources))


def _variables_out(plan: PodPlan) -> Iterator[Remove]:
    if plan.decisions.visible_devices != "remove":
        return
    done: set[tuple[str | int, ...]] = set()
    for use in plan.uses:
        env = use.container.data.get("env")
        if use.request is None or use.container.path in done or not isinstance(env, list):
            continue
        done.add(use.container.path)
        for index in reversed(range(len(env))):
            if isinstance(env[index], dict) and env[index].get("name") in VISIBLE:
                path = (*use.container.path, "env")
                yield Remove((*path, index), (path,))


def items_of(plan: PodPlan, failure: str | None = None) -> Iterator[Item]:
    """A line of the report for each use; `failure` is why the text could not be edited."""
    blocked = plan.rejected or failure is not None
    for use in plan.uses:
        notes = () if blocked else tuple(_written_notes(plan, use))
        yield use_item(plan, use, blocked=blocked, failure=failure, notes=notes)


def use_item(
    plan: PodPlan,
    use: UsePlan,
    *,
    blocked: bool,
    failure: str | None = None,
    notes: tuple[str, ...] = (),
) -> Item:
    """The line of the report for one use; the whole pod may be `blocked`."""
    pod, result = plan.pod, use.result
    base: dict[str, Any] = {
        "path": pod.manifest.path,
        "span": pod.manifest.span(use.use.path[len(pod.manifest.prefix) :], on_key=True),
        "object": pod.title,
        "where": _where(use),
        "before": use.use.text,
    }
    if isinstance(result, Target) and not blocked:
        notes = (
            *result.notes,
            *plan.notes,
            *pod.notes,
            *kind_notes(pod),
            *notes,
        )
        return Item(
            **base,
            outcome=Outcome.TRANSLATED,
            reason=f"{use.use.resource} is served by {result.served_by}",
            after=_after(plan, use, result),
            notes=notes,
            doubt=_doubt(plan),
        )
    if isinstance(result, Target):
        reason = failure or "another use in the same pod is rejected: a pod is migrated as a whole"
        return Item(**base, outcome=Outcome.REJECTED, reason=reason)
    if isinstance(result, Rejection):
        apart = kept_apart(pod) if result.question == "sharing" else None
        return Item(
            **base,
            outcome=Outcome.REJECTED,
            reason=result.reason,
            question=result.question,
            hint=result.hint,
            routes=result.routes,
            against=() if apart is None else (("shared-claim", apart),),
        )
    none = whole(use.use.amount) == 0
    about: Literal["use", "setting"] = "setting" if none else "use"
    return Item(**base, outcome=Outcome.LEFT, reason=result.reason, about=about)


def _doubt(plan: PodPlan) -> str | None:
    """The doubt about values of a chart that no test of their recipe rendered."""
    pod = plan.pod
    if not pod.manifest.kind.startswith("values") or (pod.match is not None and pod.match.tested):
        return None
    return BY_RECIPE


def _where(use: UsePlan) -> str:
    """The container, or the keys of a value that describes one."""
    container = use.container
    keys = use.use.path[len(container.path) :]
    if container.resources and keys and keys[0] != "resources":
        return f"value {'.'.join(map(str, keys))}".removesuffix(f".{use.use.resource}")
    kind = "init container" if container.role == "init" else "container"
    return f"{kind} {container.name}" if container.name else f"the {kind}"


def _after(plan: PodPlan, use: UsePlan, target: Target) -> str:
    if use.request is None:
        return f"a capacity of the request for {target.device_class}"
    target = plan.requests[use.request]
    amount = "all (adminAccess)" if target.mode == "admin" else target.count
    parts = [f"{amount} x {target.device_class}"]
    parts += [f"where {selector}" for selector in target.selectors]
    parts += [f"with {amount} of {name}" for name, amount in target.capacity.items()]
    if target.mode == "claim":
        parts.append("in a ResourceClaim that others name too")
    return f"request {use.request}: {', '.join(parts)}"


def _written_notes(plan: PodPlan, use: UsePlan) -> Iterator[str]:
    decisions = plan.decisions
    one_claim = is_shared(plan.requests.values())
    apart = kept_apart(plan.pod) if one_claim and decisions.claim_name is None else None
    if apart is not None:
        yield apart
    if one_claim and folder_apart(plan.pod):
        yield "the namespace of these values is not visible here: " + (
            "pods of values in other folders get a claim of their own"
            if decisions.claim_name is None
            else f"pods that name {decisions.claim_name} must all be in the namespace of that claim"
        )
    if use.use.limit is None:
        yield "the amount stood in requests alone, which the API server rejects"
    if use.use.resource in plan.pod.keep_zero_limits and use.use.limit is not None:
        yield f"{use.use.resource}: 0 stays in the limits, where the key is looked for"
    if plan.pod.spec.get("runtimeClassName"):
        yield f"runtimeClassName {plan.pod.spec['runtimeClassName']} is kept; CDI does without it"
    why = dict(plan.tolerate).get(use.use.resource)
    if why is not None:
        yield f"a toleration for {use.use.resource} is written out: {why}"
    if decisions.visible_devices == "keep":
        for name in VISIBLE:
            if names_devices(use.container, name):
                yield f"{name} stays, as answered: it may show devices that the claim does not hold"
    if use.container.role == "init" and plan.pod.spec:
        shared = [u for u in plan.uses if u.request == use.request and u is not use]
        if shared:
            yield f"shares the devices of container {shared[0].container.name}, which runs later"


_RAY_GROUPS = ("headGroupSpec", "workerGroupSpecs")


def _is_gpu(resource: str) -> bool:
    """Whether Ray counts a resource as GPUs (ray-project/kuberay common/pod.go)."""
    return resource.endswith("gpu") or resource.startswith("nvidia.com/mig-")


def _count_fields(plan: PodPlan) -> Iterator[Put]:
    """Fields of a chart for the number of devices, unless the values set them already."""
    pod = plan.pod
    count = sum(
        target.count
        for target in plan.requests.values()
        if any(fnmatchcase(target.resource, each) for each in pod.count_resources)
    )
    for path, text in pod.count_fields if count else ():
        if not any(find(pod.spec, path)):
            yield Put((*pod.path, *path.split(".")), text.replace("{count}", str(count)))


def companions(plan: PodPlan) -> Iterator[Put]:
    """Fields for a number that a controller read from the limit before, such as Ray's number of GPUs."""
    pod = plan.pod
    yield from _count_fields(plan)
    in_group = pod.path[-2:] == ("template", "spec") and {*_RAY_GROUPS} & {*pod.path}
    if pod.manifest.group != "ray.io" or not in_group:
        return
    group = pod.path[:-2]  # <group>.template.spec
    data: object = value_at(pod.manifest.document.data, group)
    parameters = data.get("rayStartParams") if isinstance(data, Mapping) else None
    gpus = sum(t.count for t in plan.requests.values() if _is_gpu(t.resource))
    own = data.get("resources") if isinstance(data, Mapping) else None
    if isinstance(own, Mapping) and own:
        # KubeRay rejects a group that has its resources both here and in rayStartParams.
        if gpus and not any(_is_gpu(str(key).lower()) for key in own):
            yield Put((*group, "resources", "GPU"), str(gpus))
    elif gpus and not (isinstance(parameters, Mapping) and "num-gpus" in parameters):
        yield Put((*group, "rayStartParams", "num-gpus"), str(gpus))


def in_values(pod: PodAt, objects: Sequence[JsonMapping]) -> Iterator[Put]:
    """The changes that put objects into the values of the pod's chart, if they have a place for them.

    A claim that other releases name too does not belong to one release.
    """
    for obj in objects if pod.objects is not None else ():
        if pod.objects is None or obj["kind"] != "ResourceClaimTemplate":
            return
        names = {key: obj[key] for key in ("apiVersion", "kind", "spec")}
        names["name"] = obj["metadata"]["name"]
        steps = [filled(step, names) for step in pod.objects.at.split(".")]
        yield Put((*pod.root, *map(str, steps)), filled(pod.objects.form, names))
