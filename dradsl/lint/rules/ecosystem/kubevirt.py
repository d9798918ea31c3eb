"""DRA930 to DRA932, and DRA403, DRA414 and DRA415 of virtual machines: the devices of a KubeVirt machine use its claims."""

from __future__ import annotations

from dradsl.diagnostics import Severity
from dradsl.lint.rules.ecosystem.versions import version_of
from dradsl.lint.rules.references.lookup import claims_of_entry
from dradsl.lint.rules.references.unknown_request import unknown_request
from dradsl.lint.view.rule_finding import RelatedField, RuleFinding
from dradsl.records import dataclass, replace
from dradsl.values.plain import mapping_at, member

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dradsl.kube.pods.workloads import PodSpecAt
    from dradsl.lint.view.view import PodView, Run
    from dradsl.text.paths import FieldPath
    from dradsl.tree.manifests.manifest import Manifest

CODE_REFUSED = "DRA930"
CODE_SEVERAL = "DRA931"
CODE_GATE = "DRA932"
UNKNOWN_CLAIM = "DRA403"
UNKNOWN_REQUEST = "DRA414"  # in the words of references.unknown_request
UNUSED_CLAIM = "DRA415"

# Where each kind has the spec of its machine.
_SPECS: Mapping[str, FieldPath] = {
    "VirtualMachineInstance": ("spec",),
    "VirtualMachine": ("spec", "template", "spec"),
    "VirtualMachineInstanceReplicaSet": ("spec", "template", "spec"),
    "VirtualMachinePool": ("spec", "virtualMachineTemplate", "spec", "template", "spec"),
}
_GATES = {
    "gpus": "GPUsWithDRA",
    "hostDevices": "HostDevicesWithDRA",
    "networks": "NetworkDevicesWithDRA",
}
_BETA = (1, 9, 0)  # from which on the first two are on by default, and the third exists
_NEXT = (1, 10, 0)  # nothing of it was read
_OPERATOR = "virt-operator"
WORDS = (tuple(_SPECS),)


@dataclass(frozen=True, slots=True)
class _Use:
    """A device or network of a machine: its list, its place, and the claim and request that it names."""

    kind: str
    path: FieldPath
    entry: Mapping[str, object]
    named: Mapping[str, object]

    @property
    def claim(self) -> str:
        return str(self.named.get("claimName") or "")

    @property
    def request(self) -> str:
        return str(self.named.get("requestName") or "")


def check(run: Run) -> Iterator[RuleFinding]:
    for manifest in run.manifests:
        if manifest.kind in _SPECS and manifest.group.endswith("kubevirt.io"):
            path = _SPECS[manifest.kind]
            spec = mapping_at(run.written_value(manifest, path))
            uses = tuple(_uses(spec, path))
            pod = _pod(manifest, path, spec)
            if uses or pod.claims():
                yield from _machine(run, pod, uses)


def _pod(manifest: Manifest, path: FieldPath, spec: Mapping[str, object]) -> PodView:
    """The machine as the pod that KubeVirt makes of it."""
    from dradsl.kube.pods.workloads import PodSpecAt
    from dradsl.lint.view.view import PodView

    at: PodSpecAt = PodSpecAt(path, spec, {})
    return PodView(manifest, at)


def _uses(spec: Mapping[str, object], path: FieldPath) -> Iterator[_Use]:
    devices = mapping_at(spec, "domain", "devices")
    for kind in ("gpus", "hostDevices"):
        for index, entry in _entries(devices.get(kind)):
            place = (*path, "domain", "devices", kind, index)
            yield _Use(kind, place, entry, {} if entry.get("deviceName") else entry)
    for index, entry in _entries(spec.get("networks")):
        named = entry.get("resourceClaim")
        if isinstance(named, dict):
            yield _Use("networks", (*path, "networks", index), entry, named)


def _entries(value: object) -> Iterator[tuple[int, Mapping[str, object]]]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, dict):
                yield index, item


def _machine(run: Run, pod: PodView, uses: Sequence[_Use]) -> Iterator[RuleFinding]:
    entries = {str(entry.get("name")): entry for _, entry in pod.claims()}
    seen: set[tuple[str, str]] = set()
    for use in uses:
        place = use.path if use.kind != "networks" else (*use.path, "resourceClaim")
        if not use.claim and not use.request:
            continue
        for field, value in (("claimName", use.claim), ("requestName", use.request)):
            if not value:
                yield _refused(pod, place, f"the device names a claim without {field}")
        if not use.claim or not use.request:
            continue
        if use.claim not in entries:
            yield RuleFinding(
                UNKNOWN_CLAIM,
                pod.manifest,
                (*place, "claimName"),
                f'the virtual machine has no claim "{use.claim}"',
                help="list it under resourceClaims of the machine's spec",
                upstream="vmi.spec.resourceClaims must specify all claims used in "
                "vmi.spec.domain.devices.gpus and vmi.spec.domain.devices.hostDevices",
            )
            continue
        if (use.claim, use.request) in seen:
            yield _refused(
                pod, place, f'two devices have request "{use.request}" of claim "{use.claim}"'
            )
        seen.add((use.claim, use.request))
        entry = entries[use.claim]
        for each in unknown_request(run, pod, (*place, "requestName"), use.request, entry):
            yield replace(each, code=UNKNOWN_REQUEST)
        yield from _several(run, pod, use, (*place, "requestName"), entry)
    yield from _mixed(run, pod, uses)
    yield from _gates(run, pod, uses)
    yield from _unused(pod, uses)


def _refused(pod: PodView, path: FieldPath, message: str) -> RuleFinding:
    return RuleFinding(
        CODE_REFUSED,
        pod.manifest,
        path,
        f"{message}: KubeVirt refuses the machine",
        help="name one claim and one request of it for each device",
    )


def _mixed(run: Run, pod: PodView, uses: Sequence[_Use]) -> Iterator[RuleFinding]:
    """GPUs of a device plugin beside those of claims (pkg/dra/admitter/dra_admitter.go, v1.9.0)."""
    gpus = [use for use in uses if use.kind == "gpus"]
    plugin = [use for use in gpus if use.entry.get("deviceName")]
    version = version_of(run, _OPERATOR, "kubevirt")
    if version is not None and version < _BETA:
        return
    if plugin and any(use.claim for use in gpus):
        yield RuleFinding(
            CODE_REFUSED,
            pod.manifest,
            (*plugin[0].path, "deviceName"),
            "GPUs of a device plugin beside GPUs of claims in one machine: KubeVirt refuses it from 1.9 on",
            help="take all GPUs of the machine by claims, or none",
            severity=Severity.WARNING if version is None else None,
        )


def _several(
    run: Run, pod: PodView, use: _Use, path: FieldPath, entry: Mapping[str, object]
) -> Iterator[RuleFinding]:
    """Requests for several devices, of which KubeVirt passes none on (pkg/dra/utils.go, v1.8.0)."""
    claims = claims_of_entry(run, pod, entry)
    bodies = [
        body
        for claim in claims
        for body in claim.bodies()
        if use.request == (body.parent or body.name) and _is_several(body.body)
    ]
    if claims and len(bodies) >= len(claims):
        claim = claims[0]
        yield RuleFinding(
            CODE_SEVERAL,
            pod.manifest,
            path,
            f'request "{use.request}" is for several devices; KubeVirt passes one device of a request on',
            help="write a request for each device of the machine",
            related=(RelatedField("the request", claim.manifest, claim.written(bodies[0].path)),),
        )


def _is_several(body: Mapping[str, object]) -> bool:
    count = body.get("count")
    return isinstance(count, int) and not isinstance(count, bool) and count > 1


def _gates(run: Run, pod: PodView, uses: Sequence[_Use]) -> Iterator[RuleFinding]:
    """Devices by claims where the KubeVirt object of the run does not turn the feature on."""
    installed = [m for m in run.index.kind("KubeVirt") if m.group == "kubevirt.io"]
    if len(installed) != 1 or installed[0].build_context.holes:
        return
    developer = mapping_at(installed[0].data, "spec", "configuration", "developerConfiguration")
    on, off = developer.get("featureGates"), developer.get("disabledFeatureGates")
    version = version_of(run, _OPERATOR, "kubevirt")
    for kind in dict.fromkeys(use.kind for use in uses if use.claim):
        gate = _GATES[kind]
        if isinstance(on, list) and gate in on:
            continue
        is_off = isinstance(off, list) and gate in off
        later = kind != "networks" and not is_off
        if later and version is not None and version >= _BETA:
            continue
        sure = is_off or (version is not None and version < (_BETA if later else _NEXT))
        first = next(use for use in uses if use.kind == kind and use.claim)
        yield RuleFinding(
            CODE_GATE,
            pod.manifest,
            (*first.path, "resourceClaim") if kind == "networks" else (*first.path, "claimName"),
            f"{installed[0].title} does not turn {gate} on"
            + (
                ""
                if sure
                else " (on by default from KubeVirt 1.9 on)"
                if later
                else " (KubeVirt 1.9: off by default)"
            ),
            help=f"add {gate} to featureGates of its developerConfiguration",
            severity=Severity.ERROR if sure else None,
        )


def _unused(pod: PodView, uses: Sequence[_Use]) -> Iterator[RuleFinding]:
    if "instancetype" in mapping_at(pod.manifest.data, "spec"):
        return  # it brings devices of its own
    used = {use.claim for use in uses} | {
        str(member(use.entry, "claimName")) for use in uses if use.entry.get("claimName")
    }
    for index, entry in pod.claims():
        name = entry.get("name")
        if isinstance(name, str) and name and name not in used:
            yield RuleFinding(
                UNUSED_CLAIM,
                pod.manifest,
                (*pod.at.path, "resourceClaims", index, "name"),
                f'no GPU, host device or network of the machine uses the claim "{name}": its devices '
                "are allocated, and the machine sees none",
                help="name it as claimName of a device, with a requestName",
            )
