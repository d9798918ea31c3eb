"""Who holds which device: claims, the pods that share them, and what is known of the devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.allocator.inventory.allocated import DeviceShare
from dradsl.allocator.inventory.slices import DeviceId
from dradsl.allocator.inventory.taints import tolerates
from dradsl.simulate.input.ailments import Published, results_of
from dradsl.simulate.pod_claims import claims_of
from dradsl.simulate.report.totals import model_of
from dradsl.values.plain import mapping_at, mappings_at
from dradsl.why.answer import DeviceUse
from dradsl.why.dump import conditions_of, key_of, spec_of, status_of, words_of
from dradsl.why.lives import leftovers_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from dradsl.allocator.inventory.slices import DeviceRecord, Inventory, TaintRecord
    from dradsl.kube.fields.typed_dicts import DeviceRequestAllocationResultDict, ResourceClaimDict
    from dradsl.why.dump import Document, Dump, Key

__all__ = ["above", "device_of", "devices_by_id", "held_of", "owners_of", "uses", "uses_of"]


def devices_by_id(
    inventory: Inventory, pools: Collection[tuple[str, ...]] | None = None
) -> dict[DeviceId, DeviceRecord]:
    """The devices of the newest generation of each pool, or of `pools` only."""
    found: dict[DeviceId, DeviceRecord] = {}
    for pool, slices in inventory.pools.items():
        if pools is not None and tuple(pool) not in pools:
            continue
        newest = max(entry.generation for entry in slices)
        for entry in slices:
            if entry.generation == newest:
                for device in entry.devices:
                    found[DeviceId(entry.driver, entry.pool, device.name)] = device
    return found


def uses(
    dump: Dump, inventory: Inventory, devices: Mapping[DeviceId, DeviceRecord] | None = None
) -> Iterator[DeviceUse]:
    """Every device that a claim of the dump holds."""
    known = devices_by_id(inventory) if devices is None else devices
    published = Published(inventory)
    for claim in dump.claims.values():
        yield from uses_of(claim, dump, published, known)


def uses_of(
    claim: ResourceClaimDict,
    dump: Dump,
    published: Published,
    devices: Mapping[DeviceId, DeviceRecord],
) -> Iterator[DeviceUse]:
    """The devices that a claim holds."""
    namespace, name = key_of(claim)
    consumers = mappings_at(claim, "status", "reservedFor")
    pods = tuple(
        f"{namespace}/{one.get('name')}" for one in consumers if one.get("resource") == "pods"
    )
    since = str(mapping_at(claim, "status", "allocation").get("allocationTimestamp") or "")
    leftover = leftovers_of(claim, dump)
    above = (owners_of(dump, (namespace, one.partition("/")[2]))[:1] for one in pods)
    owner = ", ".join(
        dict.fromkeys(f"{kind} {'/'.join(key)}" for one in above for kind, key in one)
    )
    for result in results_of(claim):
        device_id = device_of(result)
        device = devices.get(device_id)
        found = True if device is not None else published.has(device_id)
        consumed = mapping_at(result, "consumedCapacity")
        yield DeviceUse(
            *device_id,
            claim=f"{namespace}/{name}",
            request=str(result.get("request") or ""),
            pods=pods,
            since=since,
            share=str(result.get("shareID") or ""),
            admin=bool(result.get("adminAccess")),
            consumed=tuple((key, str(value)) for key, value in sorted(consumed.items())),
            model="" if device is None else model_of(device, with_profile=True),
            published=found,
            trouble=(
                *_reported(claim, device_id),
                *_by_kubelet(f"{namespace}/{name}", pods, device_id, dump),
            ),
            taints=() if device is None else tuple(_taints(device, result)),
            leftover=leftover,
            owner=owner,
        )


def owners_of(dump: Dump, pod: Key, *, every: bool = False) -> list[tuple[str, Key]]:
    """The controller of a pod, and what makes that one (a Deployment, a JobSet), with their kinds; or every owner above."""
    found: list[tuple[str, Key]] = []
    for one in above(dump, dump.get("Pod", pod) or {})[:4]:
        if every or not found or found[-1][0] in ("ReplicaSet", "StatefulSet", "Job"):
            found.append((str(one.get("kind")), (pod[0], key_of(one)[1])))
    return found


def above(dump: Dump, document: Document) -> list[Document]:
    """What owns an object, and what owns that, the nearest first; what the dump lacks has its kind and name only."""
    found: list[Document] = []
    while len(found) < 6 and (owners := mappings_at(document, "metadata", "ownerReferences")):
        kind, name = str(owners[0].get("kind")), str(owners[0].get("name"))
        keys = ((key_of(one)[0], name) for one in (document, {}))
        lacking: Document = {"kind": kind, "metadata": {"name": name}}
        document = next(filter(None, (dump.get(kind, key) for key in keys)), lacking)
        found.append(document)
    return found


def held_of(result: DeviceRequestAllocationResultDict) -> DeviceId | DeviceShare:
    """What a result holds: a device, or a share of one."""
    return DeviceShare.of(result) if result.get("shareID") else device_of(result)


def device_of(result: DeviceRequestAllocationResultDict) -> DeviceId:
    """The device of a result of an allocation."""
    return DeviceId(*(str(result.get(key) or "") for key in ("driver", "pool", "device")))


def _taints(device: DeviceRecord, result: DeviceRequestAllocationResultDict) -> Iterator[str]:
    """Taints that the claim does not tolerate. Those of NoExecute end pods that run.

    From NoExecute only a toleration saves that names this effect, although the allocator is content with one that names none.
    Upstream: claimEvictionTime (pkg/controller/devicetainteviction/device_taint_eviction.go), 1.34 to 1.37.
    """
    for taint in device.traits.taints:
        effects = (taint.effect,) if taint.effect == "NoExecute" else ("", None, taint.effect)
        tolerations = (
            one for one in result.get("tolerations") or () if one.get("effect") in effects
        )
        if not any(tolerates(one, taint) for one in tolerations):
            yield taint_text(taint)


def taint_text(taint: TaintRecord) -> str:
    value = f"={taint.value}" if taint.value else ""
    return f"{taint.key}{value}:{taint.effect}"


def _reported(claim: ResourceClaimDict, device: DeviceId) -> Iterator[str]:
    for entry in mappings_at(claim, "status", "devices"):
        if tuple(entry.get(key) for key in ("driver", "pool", "device")) != tuple(device):
            continue
        ready = conditions_of(entry, "conditions").get("Ready", {})
        if ready.get("status") == "False":
            told = words_of(ready)
            yield f"the driver reports it not to be ready{f' ({told})' if told else ''}"


def _by_kubelet(claim: str, pods: tuple[str, ...], device: DeviceId, dump: Dump) -> Iterator[str]:
    """Health that the kubelet reports for the pod's entry of this claim.

    It names a device by its CDI name, and only without one by driver, pool and device.
    """
    for name in pods:
        namespace, _, own = name.partition("/")
        pod: Document = dump.get("Pod", (namespace, own)) or {}
        entries = claims_of(spec_of(pod), namespace, own, status_of(pod))
        names = {f"claim:{entry.name}" for entry in entries if "/".join(entry.key) == claim}
        for container in mappings_at(pod, "status", "containerStatuses"):
            for resource in mappings_at(container, "allocatedResourcesStatus"):
                if str(resource.get("name") or "").partition("/")[0] not in names:
                    continue
                for one in mappings_at(resource, "resources"):
                    told, full = str(one.get("resourceID")), "/".join(device)
                    other = "/" in told and told.startswith(f"{device.driver}/") and told != full
                    if one.get("health") == "Unhealthy" and not other:
                        why = f" ({one['message']})" if one.get("message") else ""
                        yield f"the kubelet reports {told} of the pod as unhealthy{why}"
