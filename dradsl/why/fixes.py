"""What is done about devices that others hold, and how a change is made: commands and differences of objects."""

from __future__ import annotations

import difflib
import itertools
import json
import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dradsl.allocator.explain.node import show_amount
from dradsl.allocator.inventory.allocated import DeviceShare
from dradsl.simulate.input.ailments import results_of
from dradsl.values.counted import first_of
from dradsl.values.dump import dump_yaml
from dradsl.values.plain import mapping_at, mappings_at
from dradsl.values.quantity import exact_amount
from dradsl.why.answer import TriedChange
from dradsl.why.dump import key_of, label_of
from dradsl.why.holders import device_of, held_of, owners_of
from dradsl.why.lives import ENDED, consumers_of, deletion_of, foreign_of, leftovers_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from dradsl.allocator.inventory.slices import DeviceId
    from dradsl.kube.fields.typed_dicts import ResourceClaimDict
    from dradsl.simulate.pods import Pod
    from dradsl.simulate.relax import Relaxation
    from dradsl.why.dump import Document, Dump, Key
    from dradsl.why.world import RecordedCluster

__all__ = [
    "SCALED",
    "change_of_claims",
    "claim_patch",
    "difference",
    "either",
    "end_pods",
    "held_together",
    "more_quota",
    "priority_of",
]

# Upstream: checkRequest of staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go, 1.34 to 1.37
_QUOTA = re.compile(r"exceeded quota: ([^\s,]+), requested: (.+?), used: (.+?), limited: ([^\s;]+)")
# Upstream: SystemCriticalPriority of pkg/apis/scheduling/types.go
_SYSTEM = 2_000_000_000
_NODES = ("DaemonSet", "Node")  # what makes a pod for the node again
_RUN = (*_NODES, "Job", "CronJob")  # what is not scaled down
_MADE_AGAIN = {
    "DaemonSet": "makes again, unless its nodeSelector leaves the node out",
    "Job": "starts again unless it is suspended; once it is complete, the devices are free without this",
}
_OF_CLAIMS = re.compile(r"resourceclaims|deviceclass\.resource")
SCALED = ("Deployment", "StatefulSet", "Job")  # workloads that can want fewer pods
_AGAIN = (
    "# the spec of a claim cannot be changed: delete the pod and the claim, and create them again"
)


def more_quota(words: str, namespace: str, dump: Dump) -> TriedChange | None:
    """What a ResourceQuota has to allow so that it admits the object that it rejected, and claims that it counts and no
    pod uses; None if the words do not tell."""
    found = _QUOTA.search(words)
    if found is None:
        return None
    asked, used, limits = (
        dict(one.split("=", 1) for one in text.split(",") if "=" in one)
        for text in found.groups()[1:]
    )
    hard, texts = dict[str, str](), []
    for name, limit in limits.items():
        more, had, most = (exact_amount(one.get(name, "0")) for one in (asked, used, limits))
        if more is not None and had is not None and most is not None and more + had > most:
            hard[name] = show_amount(math.ceil((more + had) * 1000) * 10**6)
            texts.append(f"{name} from {limit} to {hard[name]} or more ({used.get(name)} in use)")
    patch = f"-p '{json.dumps({'spec': {'hard': hard}})}'"
    command = f"kubectl patch resourcequota {found[1]} -n {namespace} --type=merge {patch}"
    text = f"raise ResourceQuota {found[1]} of namespace {namespace}: {' and '.join(texts)}; or end what uses it"
    idle = _unused(dump, namespace) if any(map(_OF_CLAIMS.search, hard)) else []
    delete = [f"kubectl delete resourceclaim {name} -n {namespace}" for name in idle]
    text = f"delete claim {_some(idle)}, which no pod uses; or {text}" if idle else text
    return TriedChange(text, patch=(*delete, command), tried=False) if hard else None


def _unused(dump: Dump, namespace: str) -> list[str]:
    """The claims of a namespace that are of nobody, and that no pod names."""
    pods = [one for one in dump.all("Pod") if key_of(one)[0] == namespace]
    entries = [entry for one in pods for entry in mappings_at(one, "spec", "resourceClaims")]
    named = {entry.get("resourceClaimName") for entry in entries}
    own = [(name, one) for (space, name), one in dump.claims.items() if space == namespace]
    idle = (pair for pair in own if not mapping_at(pair[1], "status").get("reservedFor"))
    bare = [name for name, one in idle if "ownerReferences" not in mapping_at(one, "metadata")]
    return [name for name in bare if name not in named] if dump.has("Pod") else []


def held_together(dump: Dump) -> list[list[frozenset[DeviceId | DeviceShare]]]:
    """The devices and shares that become free together once the pods of a claim end, in lists by what is lost: first what
    no pod runs with, then by priority; the newest pods first, those of a DaemonSet last, and none of the system."""
    found: dict[float, list[tuple[str, int, frozenset[DeviceId | DeviceShare]]]] = {}
    for claim in dump.claims.values():
        held = frozenset(held_of(one) for one in results_of(claim) if not one.get("adminAccess"))
        heads = [mapping_at(dump.get("Pod", key), "metadata") for key in _pods_of(claim)]
        rank: float = priority_of(dump, claim)
        if not held or key_of(claim)[0] == "kube-system" or rank >= _SYSTEM:
            continue
        if all(one.get("deletionTimestamp") for one in heads) or leftovers_of(claim, dump):
            rank = -math.inf
        makers = (owners_of(dump, key)[:1] for key in _pods_of(claim))
        rank = math.inf if any(kind in _NODES for one in makers for kind, _ in one) else rank
        born = max((str(one.get("creationTimestamp") or "") for one in heads), default="")
        found.setdefault(rank, []).append((born, -len(held), held))
    lists = (sorted(found[rank], key=lambda one: one[:2], reverse=True) for rank in sorted(found))
    return [[one for _, _, one in some] for some in lists] or [[]]


def _pods_of(claim: Mapping[str, Any]) -> Iterator[Key]:
    for one in mappings_at(claim, "status", "reservedFor"):
        if one.get("resource") == "pods" and not one.get("apiGroup"):
            yield key_of(claim)[0], str(one.get("name") or "")


def priority_of(dump: Dump, claim: ResourceClaimDict) -> int:
    """The highest priority of the pods that a claim is reserved for."""
    pods = [dump.get("Pod", key) for key in _pods_of(claim)]
    values = [mapping_at(pod or {}, "spec").get("priority") for pod in pods]
    return max((one for one in values if isinstance(one, int)), default=0)


def change_of_claims(world: RecordedCluster, pod: Pod, found: Relaxation) -> TriedChange:
    """A change of claims, or of who holds devices, that was tried."""
    if not found.devices:
        if rule := _rule_of(world.dump, found.text):
            text = f"{found.node}: delete DeviceTaintRule {rule}, or tolerate its taint"
            command = f"kubectl delete devicetaintrule {rule}"
            return TriedChange(text, "the taint that it sets on all its devices", (command,))
        lines = tuple(claim_patch(world, pod, found.claims))
        first = "see first what the driver reports, which sets the taint; once the device is in order, restart its plugin there; or "
        text = f"{first if found.text.startswith('tolerate taint ') else ''}{found.text}"
        return TriedChange(f"{found.node}: {text}", " and ".join(found.gives_up), lines)
    changes = list(_freeing(world, found, (pod.namespace, pod.name)))
    text = "; and ".join(one.text for one in changes) or found.text
    lost = " and ".join(one.gives_up for one in changes if one.gives_up)
    lines = tuple(line for one in changes for line in one.patch)
    return TriedChange(f"{found.node}: {text}", lost, lines)


def _freeing(world: RecordedCluster, found: Relaxation, asked: Key) -> Iterator[TriedChange]:
    """What frees devices for a pod: reservations of dead pods end, claims of no pod are deleted, pods end."""
    dump, claims = world.dump, list(_claims_of(world.dump, set(found.devices)))
    dead = [claim for claim in claims if leftovers_of(claim, dump)]
    others = [claim for claim in claims if claim not in dead]
    unused = [key_of(claim) for claim in others if not consumers_of(claim, dump)]
    ended = dict.fromkeys(key for claim in others for key in _pods_of(claim))
    foreign = [claim for claim in others if foreign_of(claim)]
    if dead:
        yield _release(world, found, dead)
    free = _freed([one for one in found.devices if one not in world.leftover])
    if unused:
        names = _some(map("/".join, unused))
        text = f"delete claim {names}, which is reserved for no pod{free}"
        commands = (f"kubectl delete resourceclaim {name} -n {space}" for space, name in unused)
        yield TriedChange(text, f"claim {names}", tuple(commands))
    if foreign:
        names = _some("/".join(key_of(claim)) for claim in foreign)
        text = f"let who has written them remove the entries that are no pods from status.reservedFor of claim {names}{free}"
        yield TriedChange(text, patch=tuple(itertools.chain(*map(_without_foreign, foreign))))
    yield from _awaited_or_ended(dump, ended, asked, free)


def _awaited_or_ended(
    dump: Dump, pods: Collection[Key], asked: Key, free: str
) -> Iterator[TriedChange]:
    """To wait for pods that end already, and to end those that run."""
    left = [
        one for one in pods if mapping_at(dump.get("Pod", one), "status").get("phase") not in ENDED
    ]
    if going := [
        one for one in left if mapping_at(dump.get("Pod", one), "metadata").get("deletionTimestamp")
    ]:
        yield TriedChange(f"wait for pod {_some(map('/'.join, going))}, which ends already{free}")
    if left := [one for one in left if one not in going]:
        yield _ending(dump, left, asked, free)


def _without_foreign(claim: Mapping[str, Any]) -> Iterator[str]:
    """The commands that take the consumers out of a claim that are no pods, the last first."""
    some = list(enumerate(mappings_at(claim, "status", "reservedFor")))
    for number, one in reversed(some):
        if foreign_of({**claim, "status": {"reservedFor": [one]}}):
            where = json.dumps([{"op": "remove", "path": f"/status/reservedFor/{number}"}])
            space, name = key_of(claim)
            yield f"kubectl patch resourceclaim {name} -n {space} --subresource=status --type=json -p '{where}'"


def _freed(devices: Sequence[DeviceId | DeviceShare]) -> str:
    """The end of a sentence: which devices are free then."""
    shares = {f"a share of {one.device}" for one in devices if isinstance(one, DeviceShare)}
    names = sorted(shares | {one.device for one in devices if not isinstance(one, DeviceShare)})
    return f": {_some(names)} {'is' if len(names) == 1 else 'are'} free then" if names else ""


def _ending(dump: Dump, pods: Collection[Key], asked: Key, free: str) -> TriedChange:
    """That pods end; of the workload of the pod in question, that it has fewer pods, or ends older ones first."""
    above, others = owners_of(dump, asked), [owners_of(dump, key) for key in pods]
    kind, (space, name) = above[-1] if above else ("", asked)
    if kind not in SCALED or any(one[-1:] != above[-1:] for one in others):
        change = end_pods(dump, pods)
        return replace(change, text=f"{change.text}{free}")
    if all(one == above for one in others):
        placed = [one for one in dump.all("Pod") if mapping_at(one, "spec").get("nodeName")]
        having = sum(owners_of(dump, key_of(one)) == above for one in placed)
        field = "parallelism" if kind == "Job" else "replicas"
        patch = f"-p '{json.dumps({'spec': {field: having}})}'"
        command = f"kubectl patch {kind.lower()} {name} -n {space} {patch}"
        up = " (and maxReplicas, if autoscaled)" if dump.has("HorizontalPodAutoscaler") else ""
        text = (
            f"set spec.{field} of {kind} {name} to {having}{up}, as its own pods have the devices"
        )
        wanted = mapping_at(dump.get(kind, (space, name)) or {}, "spec").get(field) or "all"
        return TriedChange(text, f"the pods above {having} of {wanted}", (command,))
    text = f"let older pods of Deployment {name} end before new ones start (spec.strategy.type: Recreate, or rollingUpdate with maxSurge: 0 and maxUnavailable: 1){free}"
    strategy = '{"spec":{"strategy":{"type":"Recreate","rollingUpdate":null}}}'
    command = f"kubectl patch deployment {name} -n {space} -p '{strategy}'"
    return TriedChange(text, f"pod {_some(map('/'.join, pods))}", (command,))


def _release(
    world: RecordedCluster, found: Relaxation, dead: Collection[ResourceClaimDict]
) -> TriedChange:
    """That reservations of pods that are gone, or cannot end, are taken back."""
    names = _some("/".join(key_of(claim)) for claim in dead)
    devices = _some(one.device for one in found.devices if one in world.leftover)
    text = f"release {devices}, held for pods that are gone, ended or cannot end (claim {names})"
    kept = (line for claim in dead for line in deletion_of(claim, world.dump))
    text = "; ".join(
        (text, *(line for line in kept if line.endswith("until its owner removes it")))
    )
    commands = [one.command for claim in dead for one in consumers_of(claim, world.dump)]
    keys = [key_of(claim) for claim in dead if not deletion_of(claim, world.dump)]
    delete = (f"kubectl delete resourceclaim {name} -n {space}" for space, name in keys)
    return TriedChange(text, patch=tuple(filter(None, dict.fromkeys(commands))) or tuple(delete))


def _claims_of(dump: Dump, devices: set[DeviceId | DeviceShare]) -> Iterator[ResourceClaimDict]:
    """The claims that hold one of these devices or shares."""
    for claim in dump.claims.values():
        results = (one for one in results_of(claim) if not one.get("adminAccess"))
        if any(not devices.isdisjoint((device_of(one), held_of(one))) for one in results):
            yield claim


def _rule_of(dump: Dump, text: str) -> str:
    """The DeviceTaintRule whose taint a change tolerates, if this is the whole change."""
    for rule in dump.all("DeviceTaintRule"):
        taint = mapping_at(rule, "spec", "taint")
        if text.startswith(f"tolerate taint {taint.get('key')}:{taint.get('effect')} in request "):
            return "" if " and " in text else key_of(rule)[1]
    return ""


def end_pods(dump: Dump, pods: Collection[Key]) -> TriedChange:
    """To end pods, with the workloads that would start them again."""
    names = ["/".join(key) for key in pods]
    owners = [one for key in pods for one in owners_of(dump, key)[:1]]
    lost = f"{'pod' if len(names) == 1 else 'pods'} {_some(names)}"
    if owners:
        some = _some(f"{kind} {name}" for kind, (_, name) in owners)
        kinds = "".join({kind for kind, _ in owners})
        lost += f", which {some} {_MADE_AGAIN.get(kinds, 'starts again unless it is scaled down')}"
    commands = (f"kubectl delete pod {name} -n {namespace}" for namespace, name in pods)
    top = {f"{k} {n}" for key in pods for k, (_, n) in owners_of(dump, key)[-1:] if k not in _RUN}
    by = f", by scaling down or stopping {first_of(sorted(top))}" if top else ""
    return TriedChange(f"end pod {_some(names)}{by}", lost, tuple(commands))


def either(one: TriedChange, other: TriedChange) -> TriedChange:
    """Two changes of which each helps, the better one first."""
    lost = f"{one.gives_up or 'nothing'}, or {other.gives_up or 'nothing'}"
    lost = lost if one.gives_up or other.gives_up else ""
    patch = (*one.patch, f"# or, instead: {other.text}", *other.patch)
    return TriedChange(f"{one.text}; or {other.text}", lost, patch, spec=one.spec)


def claim_patch(
    world: RecordedCluster, pod: Pod, claims: Iterable[ResourceClaimDict]
) -> Iterator[str]:
    for changed in claims:
        key = key_of(changed)
        before = world.simulation.claims.get(key)
        if before is None or before.get("spec") == changed.get("spec"):
            continue
        name = next((one.name for one in pod.claims if one.key == key), "")
        entries = (e for e in mappings_at(pod.spec, "resourceClaims") if e.get("name") == name)
        template = next((str(one.get("resourceClaimTemplateName")) for one in entries), "")
        if stored := world.dump.get("ResourceClaimTemplate", (pod.namespace, template)):
            spec = {**mapping_at(stored, "spec"), "spec": before.get("spec")}
            after = {**spec, "spec": changed.get("spec")}
            yield from difference({**stored, "spec": spec}, {**stored, "spec": after})
        else:
            yield from difference(dict(before), dict(changed))
        yield _AGAIN


def difference(before: Document, after: Document) -> Iterator[str]:
    """The change of an object as a unified difference of its YAML."""
    name = label_of(before)
    yield from difflib.unified_diff(
        _text(before), _text(after), f"a/{name}", f"b/{name}", lineterm=""
    )


def _text(document: Document) -> list[str]:
    """The YAML of an object as a person writes it, without what the cluster adds."""
    metadata = mapping_at(document, "metadata")
    short = {key: metadata[key] for key in ("name", "namespace") if key in metadata}
    shown = {key: value for key, value in document.items() if key != "status"}
    return dump_yaml({**shown, "metadata": short}, width=2**31).splitlines()


def _some(names: Iterable[str]) -> str:
    """The first names, and how many more there are."""
    return first_of(list(dict.fromkeys(names)))
