"""Remedies for readers who wrote Python: written by `python -m maintenance.rule_tables`.

Do not edit: change `python:` in the front matter of `rules/*.md` and run the command.
"""

from __future__ import annotations

from types import MappingProxyType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal, TypeAlias

    When: TypeAlias = Literal["always", "otherwise", "pods"]

__all__ = ["REMEDIES"]

# Code, when the remedy is given (whatever lint says, where lint says nothing, for pods of plain data), and its text.
# fmt: off
REMEDIES: Mapping[str, tuple[When, str]] = MappingProxyType({
    "DRA012": ("always", "leave status= out: the scheduler and the driver write it"),
    "DRA104": ("always", "split it over several items of select=[...]: all of them must hold"),
    "DRA106": ("always", "a newer release takes it: App(for_release=...); see `dradsl rule DRA106`"),
    "DRA107": ("otherwise", "change the constant: it is computed when a device is looked at"),
    "DRA203": ("always", "use the handle of the driver from dradsl.devices, or driver(\"...\") with its name"),
    "DRA207": ("always", "compare through a handle, which writes the guard: gpu.x == ..., or driver(\"...\").attributes[\"x\"] == ...; without `.unguarded`"),
    "DRA208": ("always", "compare through a handle, which knows versions: gpu.driverVersion >= \"550.54\""),
    "DRA219": ("always", "name the schema that the handles were generated from: driver_schemas=... of dradsl.lint, `dradsl build --driver-schema FILE`, or driver-schema under [tool.dradsl]"),
    "DRA227": ("always", "leave the constraint out, or compare another attribute: same(gpu.pcieRoot, request)"),
    "DRA307": ("always", "spread them over several claims or alternatives"),
    "DRA308": ("otherwise", "give the Request itself in the place of its name: same(attribute, request)"),
    "DRA313": ("always", "constrain the request by that attribute too, or leave it out of derived_attributes="),
    "DRA315": ("always", "label the Namespace: {\"resource.kubernetes.io/admin-access\": \"true\"}"),
    "DRA319": ("always", "spread the devices over several ResourceClaims"),
    "DRA320": ("always", "give the class a selector that names its driver: select=driver(\"...\")"),
    "DRA324": ("always", "add the Namespace with this label to the app as a KubernetesObject, or show it with context=... of dradsl.lint, or `dradsl build --context PATH`"),
    "DRA325": ("always", "name the key: Toleration.exists(\"example.com/old\"); for every taint Toleration.any()"),
    "DRA329": ("always", "tolerate the key with Toleration.exists(key) in the place of its single values"),
    "DRA330": ("always", "give it requests=[Request(...)], or leave the claim out"),
    "DRA337": ("always", "add a selector that names the driver: select=driver(\"...\")"),
    "DRA401": ("pods", "PodClaim(name, claim).attach(pod) writes the entry: a claim or a template, not both"),
    "DRA403": ("pods", "PodClaim(name, claim).attach(pod, container) writes the pod's entry and the container's"),
    "DRA414": ("pods", "PodClaim(name, claim).attach(pod, container, request=request) checks the request"),
    "DRA415": ("pods", "PodClaim(name, claim).attach(pod, container) writes both entries"),
    "DRA602": ("always", "give one of node_name=, all_nodes=True, other={\"nodeSelector\": ...} and other={\"perDeviceNodeSelection\": True}"),
    "DRA605": ("always", "spread them over several ResourceSlices: pool=Pool(name, slices=2)"),
    "DRA606": ("otherwise", "choose another name: letters, digits and _ after an optional domain and /"),
    "DRA610": ("otherwise", "give each Device of the slice a name of its own"),
    "DRA612": ("always", "say how many slices the pool has: pool=Pool(name, slices=...)"),
    "DRA618": ("always", "give each slice of this generation their number: pool=Pool(name, slices=...)"),
    "DRA619": ("always", "give all slices of a pool one generation: pool=Pool(name, generation=...)"),
    "DRA620": ("always", "add it to other={\"sharedCounters\": [...]} of a ResourceSlice of the pool"),
    "DRA641": ("always", "say driver=, pool= or device= of the DeviceTaintRule"),
    "DRA704": ("otherwise", "ask for fewer, or leave the constraint out"),
    "DRA706": ("otherwise", "ask for a count, or narrow select="),
    "DRA805": ("otherwise", "give the Config the requests that it is for, or leave it out"),
    "DRA850": ("otherwise", "give a mapping: Opaque(driver, {...})"),
    "DRA937": ("always", "ask for one; ComputeDomain(..., allocation_mode=\"All\") gives all channels"),
})
# fmt: on
