"""DRA708, DRA709: no recorded node has the devices of all claims of a pod, or node selectors or taints exclude each.

Pods are tried on the recorded cluster by the simulator, every device free: as they are, and with less asked for.
"""

from __future__ import annotations

import json

from dradsl.lint.rules.references.lookup import claims_of_entry
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.records import Record, replace
from dradsl.values.limits import MOST_TRIED_PODS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from dradsl.kube.fields.typed_dicts import ResourceClaimDict, ResourceClaimSpecDict
    from dradsl.lint.view.pods import PodView
    from dradsl.lint.view.view import Run
    from dradsl.simulate.attempts import Simulation
    from dradsl.simulate.pod_claims import Key

_NO_COMMON_NODE = "DRA708"
_NO_OPEN_NODE = "DRA709"
_TOLERATES_ALL = ({"operator": "Exists"},)
_PLACES = ("nodeSelector", "affinity")


class UnplacedPod(Record):
    """A pod that no recorded node takes. `claims` are the documents of its claims, in order.

    `without_places`, `without_taints`: whether some node would if the pod asked for no nodes, or tolerated
    every taint of nodes; `without_both`; `apart`: whether each claim alone could be met then.
    """

    pod: PodView
    without_places: bool
    without_taints: bool
    without_both: bool
    apart: bool


def check(run: Run) -> Iterator[RuleFinding]:
    for trial in _trials(run):
        pod = trial.pod
        if not trial.without_both:
            if trial.apart:
                names = [str(entry.get("name")) for _, entry in pod.claims]
                yield RuleFinding(
                    _NO_COMMON_NODE,
                    pod.manifest,
                    (*pod.at.path, "resourceClaims"),
                    f"each of the claims {', '.join(names[:5])} can be met, but no recorded node meets all of "
                    "them, even with every device free",
                    help="`dradsl simulate` says what each node lacks; spread the work over several pods",
                    upstream="cannot allocate all claims",
                    on_key=True,
                )
            continue
        written = (each for each in _PLACES if pod.spec.get(each))
        field = next(written, "resourceClaims")
        if trial.without_places:
            text = f"spec.{field} excludes every recorded node that has the devices"
            helped = "select nodes that have them; the claim alone brings the pod to such a node"
        elif trial.without_taints:
            field = "tolerations" if pod.spec.get("tolerations") else "resourceClaims"
            text = "every recorded node that has the devices has a taint that the pod does not tolerate"
            helped = "add the toleration; `dradsl simulate` names the taint"
        else:
            text = "node selection and taints together exclude every recorded node that has the devices"
            helped = "`dradsl simulate` says of each node why"
        yield RuleFinding(
            _NO_OPEN_NODE, pod.manifest, (*pod.at.path, field), text, help=helped, on_key=True
        )


def _trials(run: Run) -> Iterator[UnplacedPod]:
    """The pods of the run that no recorded node takes."""
    wanted = [(pod, claims) for pod in run.pods if (claims := _claims(run, pod))]
    if not wanted:
        return
    simulation = _simulation(run, [claims for _, claims in wanted])
    seen: dict[str, bool] = {}
    for number, (pod, claims) in enumerate(wanted):
        key = json.dumps([_relevant(pod), claims], sort_keys=True, default=str)
        if key not in seen and len(seen) >= MOST_TRIED_PODS:
            return
        if key not in seen:
            seen[key] = _fits(simulation, pod, number, len(claims))
        if not seen[key]:
            found = _trial(simulation, pod, number, len(claims))
            if found is not None:
                yield found


def _trial(simulation: Simulation, pod: PodView, number: int, claims: int) -> UnplacedPod | None:
    def ask(places: bool = True, taints: bool = True, only: int | None = None) -> bool:
        return _fits(simulation, pod, number, claims, places=places, taints=taints, only=only)

    both = ask(places=False, taints=False)
    apart = both or all(ask(places=False, taints=False, only=index) for index in range(claims))
    if not both and not apart:
        return None  # a claim that no node meets: DRA701 to DRA706
    return UnplacedPod(pod, ask(places=False), ask(taints=False), both, apart)


def _claims(run: Run, pod: PodView) -> list[ResourceClaimSpecDict]:
    """The specs of the pod's claims; none if one of them is not known."""
    from dradsl.allocator.inventory.shape import pod_type_problem

    found: list[ResourceClaimSpecDict] = []
    if pod.manifest.is_patch or pod.manifest.build_context.holes or run.pod_errors(pod):
        return []
    if pod_type_problem(pod.spec) is not None:
        return []  # no server takes it, whatever the nodes have
    for _, entry in pod.claims:
        claims = claims_of_entry(run, pod, entry)
        if (
            len(claims) != 1
            or not claims[0].admission.accepted
            or claims[0].manifest.build_context.holes
        ):
            return []
        spec: Any = claims[0].spec  # of an object that the API server accepts
        found.append(spec)
    return found


def _relevant(pod: PodView) -> dict[str, object]:
    fields = (*_PLACES, "tolerations", "containers", "initContainers", "overhead", "resourceClaims")
    return {field: pod.spec.get(field) for field in fields}


def _simulation(run: Run, claims: Sequence[Sequence[ResourceClaimSpecDict]]) -> Simulation:
    import dataclasses

    from dradsl.allocator.engine.selectors import CelSelectors
    from dradsl.allocator.inventory.allocated import AllocatedState
    from dradsl.lint.rules.feasibility.recorded import recorded_cluster
    from dradsl.simulate.attempts import Simulation

    documents: dict[Key, ResourceClaimDict] = {
        ("default", name): {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceClaim",
            "metadata": {"name": name, "namespace": "default", "uid": name},
            "spec": spec.copy(),
        }
        for number, specs in enumerate(claims)
        for index, spec in enumerate(specs)
        for name in (_name(number, index),)
    }
    cluster = dataclasses.replace(
        recorded_cluster(run),
        claims=documents,
        templates={},
        workloads=[],
        running=[],
        state=AllocatedState.of_claims((), consumable="DRAConsumableCapacity" in run.features),
    )
    selectors = CelSelectors(run.release, run.features)
    return Simulation(cluster, run.release, run.features, selectors)


def _name(number: int, index: int) -> str:
    return f"claim-{number}-{index}"


def _fits(
    simulation: Simulation,
    pod: PodView,
    number: int,
    claims: int,
    *,
    places: bool = True,
    taints: bool = True,
    only: int | None = None,
) -> bool:
    """Whether some node takes the pod, or may: of its claims all, or the one of index `only`."""
    from dradsl.simulate.cluster import Workload
    from dradsl.simulate.pods import replica
    from dradsl.simulate.prospect import Prospect

    kept = range(claims) if only is None else (only,)
    entries = [
        {"name": entry.get("name"), "resourceClaimName": _name(number, index)}
        for index, entry in pod.claims
        if index in kept
    ]
    spec = {**pod.spec, "resourceClaims": entries}
    spec.pop("nodeName", None)
    if not places:
        spec = {field: value for field, value in spec.items() if field not in _PLACES}
    if not taints:
        spec["tolerations"] = list(_TOLERATES_ALL)
    workload = Workload("Pod", f"pod-{number}", "default", replace(pod.at, spec=spec), "")
    report = simulation.place(replica(workload, 0), commit=False)
    # What keeps the pod from being looked at is another mistake.
    return report.obstacle is not None or report.attempt.prospect is not Prospect.NEVER
