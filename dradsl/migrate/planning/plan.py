"""What becomes of the uses of one pod: requests of one claim, or the reasons why not.

A pod is migrated as a whole or not at all: if half of its devices came from a claim and half from the
plugin, they would be counted twice, or not at all. A pod may have tolerated a taint only because of its request: follows
kubernetes plugin/pkg/admission/extendedresourcetoleration/admission.go, which some clouds enable (key of the resource,
operator Exists, effect NoSchedule).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dradsl.migrate.detection.values import all_pods
from dradsl.migrate.evidence import hints_for
from dradsl.migrate.mapping.labels import LabelPlan, plan_labels
from dradsl.migrate.mapping.resource import (
    BY_CLASS,
    FRACTIONS,
    KAI_PARTS,
    Hints,
    Rejection,
    Stays,
    Target,
    is_device,
    no_driver,
    target_of,
)
from dradsl.migrate.places import (
    ContainerAt,
    PodAt,
    Use,
    effective_amounts,
    is_passthrough,
    whole,
)
from dradsl.migrate.planning.obstacles import container_obstacle, drivers_of, pod_obstacle
from dradsl.records import Record, dataclass, field, replace
from dradsl.text.paths import values_named
from dradsl.values.plain import list_at, member
from dradsl.values.quantity import exact_amount

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.detection.values import RecipeBook
    from dradsl.migrate.evidence import Evidence
    from dradsl.migrate.mapping.questions import Decisions
    from dradsl.tree.manifests.manifest import Manifest

__all__ = [
    "MAX_DEVICES",
    "in_claims",
    "is_shared",
    "kept_apart",
    "Planner",
    "PodPlan",
    "UsePlan",
    "plan_pod",
    "toleration",
]

# resource.k8s.io AllocationResultsMaxSize.
MAX_DEVICES = 32


class UsePlan(Record):
    """One use and what becomes of it; `request` is the name of the request that it refers to."""

    container: ContainerAt
    use: Use
    result: Target | Rejection | Stays
    request: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class PodPlan:
    """The plan of a pod by the `decisions` for it: `requests` are those of its claim by their names; none if it is rejected. `tolerate` are the taints
    that it tolerated only because of its requests for the resources, each with the reason."""

    pod: PodAt
    decisions: Decisions
    uses: tuple[UsePlan, ...]
    requests: Mapping[str, Target] = field(default_factory=dict)
    labels: LabelPlan = field(default_factory=LabelPlan)
    notes: tuple[str, ...] = ()
    tolerate: tuple[tuple[str, str], ...] = ()

    @property
    def rejected(self) -> bool:
        return any(isinstance(use.result, Rejection) for use in self.uses)

    def devices(self) -> dict[str, int]:
        """The devices of the claim by the extended resource that they replace."""
        sums: dict[str, int] = {}
        for target in self.requests.values():
            sums[target.resource] = sums.get(target.resource, 0) + target.count
        return sums


def plan_pod(pod: PodAt, decisions: Decisions, evidence: Evidence, catalogue: Catalogue) -> PodPlan:
    """The plan of one pod under the decisions made for it."""
    uses = [
        UsePlan(container, use, _result(pod, container, use, decisions, evidence, catalogue))
        for container in pod.containers
        for use in container.uses
    ]
    if pod.off is not None:
        return PodPlan(pod, decisions, tuple(replace(use, result=Stays(pod.off)) for use in uses))
    translatable = any(isinstance(use.result, Target) for use in uses)
    if not translatable and pod.blocked is None:
        return PodPlan(pod, decisions, tuple(uses))
    obstacle = pod_obstacle(pod, decisions, evidence, catalogue)
    if not translatable:
        return PodPlan(pod, decisions, tuple(_spared(use, obstacle) for use in uses))
    if obstacle is not None:
        return PodPlan(pod, decisions, tuple(_reject(use, obstacle) for use in uses))
    named, requests = _requests(uses, decisions)
    plan = PodPlan(pod, decisions, tuple(named), requests)
    if decisions.init_containers is None and not _same_sums(plan):
        rejection = Rejection(_INIT, "init-containers")
        plan = replace(plan, uses=tuple(_reject(use, rejection) for use in plan.uses))
    targets = list(plan.requests.values())
    more = (
        _beyond_claims(plan, targets)
        or (_not_expressible_by_count(plan) if pod.chart_writes_template else None)
        or shared_obstacle(pod, targets)
    )
    if more is not None:
        plan = replace(plan, uses=tuple(_reject(use, more) for use in plan.uses))
    if plan.rejected:
        return replace(plan, requests={})
    plan = replace(
        plan, tolerate=tuple(tolerated(plan.pod, requested(plan.uses), decisions, evidence))
    )
    return _with_labels(plan, evidence, catalogue)


def in_claims(requests: Mapping[str, Target]) -> list[dict[str, Target]]:
    """The requests of each claim: as many claims as it takes, since one holds a limited number of devices."""
    groups: list[dict[str, Target]] = []
    for name, target in requests.items():
        room = MAX_DEVICES - target.count
        fits = (each for each in groups if sum(one.count for one in each.values()) <= room)
        group = next(fits, None)
        if group is None:
            groups.append(group := {})
        group[name] = target
    return groups


def _beyond_claims(plan: PodPlan, targets: Sequence[Target]) -> Rejection | None:
    """Why claims cannot hold the devices of a pod: one request is too large, or the pod can have one claim only."""
    one = (
        plan.pod.set_values
        or plan.pod.chart_writes_template
        or is_shared(targets)
        or plan.decisions.asks_by_name  # the scheduler makes one claim of all requests
    )
    counts = [sum(each.count for each in targets)] if one else [each.count for each in targets]
    if max(counts, default=0) <= MAX_DEVICES:
        return None
    return Rejection(f"a claim holds at most {MAX_DEVICES} devices")


def is_shared(targets: Iterable[Target]) -> bool:
    """Whether a pod of these targets names a claim that others name too."""
    return any(target.mode == "claim" for target in targets)


def shared_obstacle(pod: PodAt, targets: Sequence[Target]) -> Rejection | None:
    """Why a pod of these targets cannot name the claim of other pods."""
    if not is_shared(targets):
        return None
    others = [target.resource for target in targets if target.mode != "claim"]
    if others:
        return Rejection(
            f"the pod asks for {', '.join(others)} besides, which is not shared: a claim of its own "
            "beside the shared one must be written by hand",
            "sharing",
        )
    if pod.replicas is None:
        return Rejection(
            "pods of a DaemonSet run on all nodes, and those that name one claim on that of its device",
            "sharing",
        )
    if pod.set_values:
        return Rejection(
            "what the chart or operator has for claims takes the name of a claim template only",
            "sharing",
        )
    return None


def kept_apart(pod: PodAt) -> str | None:
    """The words of a pod's owner that one claim for several pods contradicts: it puts all of them on one node."""
    rules = member(pod.spec, "affinity", "podAntiAffinity")
    if "kubernetes.io/hostname" not in values_named(rules, "topologyKey"):
        return None
    path = (*pod.field_at("affinity"), "podAntiAffinity")[len(pod.manifest.prefix) :]
    return (
        f"podAntiAffinity keeps these pods on different nodes ({pod.manifest.path}:{pod.manifest.span(path).line}): one "
        "claim for all puts them on one node. A claim-name of its own for each workload does not"
    )


def _spared(use: UsePlan, obstacle: Rejection | None) -> UsePlan:
    """A use without its question if the answer would change nothing."""
    result = use.result
    if obstacle is None or obstacle.question is not None or not isinstance(result, Rejection):
        return use
    return use if result.question in (None, "accept") else replace(use, result=obstacle)


def requested(uses: Iterable[UsePlan]) -> tuple[str, ...]:
    """The extended resources that requests replace."""
    return tuple(dict.fromkeys(use.use.resource for use in uses if use.request is not None))


def reject_plan(plan: PodPlan, rejection: Rejection) -> PodPlan:
    """The plan with every use rejected for the same reason, open questions too, except those that are left anyway."""
    uses = (
        use if isinstance(use.result, Stays) else UsePlan(use.container, use.use, rejection)
        for use in plan.uses
    )
    return PodPlan(plan.pod, plan.decisions, tuple(uses))


def _result(
    pod: PodAt,
    container: ContainerAt,
    use: Use,
    decisions: Decisions,
    evidence: Evidence,
    catalogue: Catalogue,
) -> Target | Rejection | Stays:
    named = use.resource in decisions.classes
    if use.resource in KAI_PARTS:
        return target_of(use.resource, 1, decisions, Hints(), catalogue)
    if not named and is_passthrough(use):
        return Rejection(
            _PASSTHROUGH, routes=(f"--set class={use.resource}=CLASS names the class",)
        )
    if not named and not is_device(use.resource, catalogue):
        return Stays(no_driver(use.resource))
    obstacle = container_obstacle(container, use, decisions)
    if obstacle is not None:
        return obstacle
    amount = whole(use.amount)
    # A name or a variable that a script puts a number in for: GPU_COUNT, ${GPUS}, <N>.
    filled_in = exact_amount(use.amount) is None and " " not in str(use.amount)
    if filled_in and decisions.asks_by_name:
        amount = 1  # a class answers any number
    if amount is None:
        ways = BY_CLASS if filled_in else ()
        return Rejection(f"{use.amount!r} is no whole number of devices", routes=ways)
    if amount == 0:
        return Stays("it asks for no device")
    hints = hints_for(pod, container, use.resource, evidence)
    if named:
        drivers = (
            drivers_of(
                decisions.classes[use.resource].partition("/")[0],
                evidence,
                catalogue,
                pod.manifest.path,
            )
            or ()
        )
        hints = replace(hints, class_driver="".join(drivers) if len(drivers) == 1 else "")
    if use.resource in FRACTIONS:
        return _fraction(container, use, hints, decisions, catalogue)
    return target_of(use.resource, amount, decisions, hints, catalogue)


_PASSTHROUGH = "KubeVirt hands this device to the machine as a whole: which DeviceClass has it is not known from its name"


def _fraction(
    container: ContainerAt, use: Use, hints: Hints, decisions: Decisions, catalogue: Catalogue
) -> Target | Rejection | Stays:
    """The target of HAMi's amounts, which say how much of each nvidia.com/gpu beside them a container gets."""
    beside = next((whole(u.amount) for u in container.uses if u.resource == "nvidia.com/gpu"), None)
    if beside is None:
        return Rejection(
            "how many GPUs the amount is of is not written here: HAMi adds a number from its own "
            "configuration (add nvidia.com/gpu to say it)"
        )
    result = target_of("nvidia.com/gpu", beside, decisions, hints, catalogue)
    if isinstance(result, Target):
        # Part of the request for nvidia.com/gpu: no devices of its own.
        return replace(result, resource=use.resource, count=0)
    return result


def _reject(use: UsePlan, rejection: Rejection) -> UsePlan:
    return replace(use, result=rejection) if isinstance(use.result, Target) else use


def _requests(uses: list[UsePlan], decisions: Decisions) -> tuple[list[UsePlan], dict[str, Target]]:
    """A request for each container and resource; init containers share that of a container."""
    requests: dict[str, Target] = {}
    placed = [*uses]
    containers = {use.container.path for use in uses if isinstance(use.result, Target)}
    shared: dict[tuple[str, int], str] = {}
    pooled: dict[tuple[object, ...], str] = {}
    # Containers first: init containers share their devices.
    order = sorted(range(len(uses)), key=lambda index: uses[index].container.role == "init")
    for index in order:
        use = uses[index]
        target = use.result
        if not isinstance(target, Target) or target.count == 0:
            continue
        if target.pooled:
            common = (target.resource, target.device_class, target.selectors, target.mode)
            if common not in pooled:
                pooled[common] = request_name(use.use.resource, taken=requests)
                requests[pooled[common]] = target
            placed[index] = replace(use, request=pooled[common])
            continue
        key = (use.use.resource, target.count)
        if use.container.role == "init":
            planned = _for_init(use, key, shared, uses, decisions)
            if planned is not None:
                placed[index] = planned
                continue
        owner = use.container.name if len(containers) > 1 else ""
        name = request_name(use.use.resource, owner, requests)
        if use.container.role != "sidecar":  # a sidecar goes on while init containers run
            shared.setdefault(key, name)
        requests[name] = target
        placed[index] = replace(use, request=name)
    return placed, requests


def _for_init(
    use: UsePlan,
    key: tuple[str, int],
    shared: Mapping[tuple[str, int], str],
    uses: list[UsePlan],
    decisions: Decisions,
) -> UsePlan | None:
    """An init container's use if it shares a container's devices or is rejected; None if it has its own devices."""
    if key in shared:
        return replace(use, request=shared[key])
    others = [
        other
        for other in uses
        if other.use.resource == key[0]
        and isinstance(other.result, Target)
        and (other.container.role == "main" or other.result.count != key[1])
    ]
    if not others or decisions.init_containers == "separate":
        return None
    return replace(use, result=Rejection(_INIT, "init-containers"))


_INIT = (
    "the device plugin lets containers take over the devices of init containers; requests of a "
    "claim add up, and the sums are not the same"
)


def _same_sums(plan: PodPlan) -> bool:
    """Whether the claim holds as many devices as the scheduler counted for the pod before."""
    after = plan.devices()
    before = effective_amounts(plan.pod.containers)
    shares = {each.resource for each in plan.requests.values() if not each.whole}
    return all(before[name] == after[name] or name in shares for name in after)


def _not_expressible_by_count(plan: PodPlan) -> Rejection | None:
    """Why a claim template that a chart writes by the number of devices is not enough."""
    if len(plan.requests) > 1:
        return Rejection("the chart writes the claim template itself, with one request in it")
    for target in plan.requests.values():
        more = [f"selector {text}" for text in target.selectors]
        more += [f"capacity {name}" for name in target.capacity]
        if more:
            return Rejection(
                "the chart writes the claim template itself, by class and count alone: "
                f"{', '.join(more)} must be put into its values by hand"
            )
    return None


def request_name(resource: str, container: str = "", taken: Container[str] = ()) -> str:
    """A name for a request that no other of the claim has: what its resource is (gpu, tpu, mig-1g-5gb), behind the name of
    a `container` if there are several."""
    short = resource.rpartition("/")[2].removesuffix(".shared")
    short = "gpu" if short in ("i915", "xe", "dri") or resource in FRACTIONS else short
    name = re.sub(r"[^a-z0-9-]+", "-", f"{container}-{short}".lower()).strip("-")
    found = name = name[:58].strip("-") or "devices"
    number = 2
    while found in taken:
        found, number = f"{name}-{number}", number + 1
    return found


def _with_labels(plan: PodPlan, evidence: Evidence, catalogue: Catalogue) -> PodPlan:
    """The requests narrowed down by what the pod demands of its node's labels."""
    drivers = dict.fromkeys(target.driver for target in plan.requests.values())
    if not plan.pod.pod_fields:
        return plan
    # A demand of one pod alone must not give it another claim than the other pods that name the same one.
    one = is_shared(plan.requests.values())
    keep = plan.decisions.node_labels == "keep" or one
    notes: list[str] = []
    found = LabelPlan()
    requests = dict(plan.requests)
    for driver in drivers:
        labels = plan_labels(plan.pod, driver, catalogue, evidence.observed, keep=keep)
        found = LabelPlan(found.selectors + labels.selectors, found.removals + labels.removals, ())
        notes += labels.notes
        requests |= {
            name: replace(target, selectors=target.selectors + labels.selectors)
            for name, target in requests.items()
            if target.driver == driver
        }
    return replace(plan, requests=requests, labels=found, notes=(*plan.notes, *notes))


def toleration(resource: str) -> dict[str, str]:
    """What the admission plugin adds for a resource."""
    return {"key": resource, "operator": "Exists", "effect": "NoSchedule"}


def tolerated(
    pod: PodAt, resources: Iterable[str], decisions: Decisions, evidence: Evidence
) -> Iterator[tuple[str, str]]:
    """The resources whose taint the pod must tolerate in its own spec, each with the reason."""
    if decisions.tolerations == "leave" or not pod.pod_fields:
        return
    mine = [each for each in (list_at(pod.spec, "tolerations")) if isinstance(each, dict)]
    keys = {each.get("key") for each in mine if each.get("effect") in (None, "", "NoSchedule")}
    if None in keys:
        return  # tolerates everything
    for resource in resources:
        why = evidence.cluster_of(pod.manifest.path).taint(resource)
        if decisions.tolerations == "add":
            why = why or "an admission plugin may have added it because of the request"
        if resource not in keys and why is not None:
            yield resource, why


class Planner(Record):
    """Plans pods by the answers (`decide`, for a file and a workload by its title) and the evidence of the run."""

    decide: Callable[[str, str], Decisions]
    evidence: Evidence
    catalogue: Catalogue
    recipes: RecipeBook

    def pods(self, manifest: Manifest) -> Iterator[PodAt]:
        """The pods of an object or of values that use devices."""
        return all_pods(manifest, self.catalogue, self.recipes)

    def plan(self, file: str, pod: PodAt, rejection: Rejection | None = None) -> PodPlan:
        """The plan of a pod of a file; with a `rejection` that for all of its uses."""
        plan = plan_pod(pod, self.decide(file, pod.title), self.evidence, self.catalogue)
        return plan if rejection is None else reject_plan(plan, rejection)
