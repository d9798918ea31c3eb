"""DRA935 to DRA937: ComputeDomains of NVIDIA's driver, and claims for their channels."""

from __future__ import annotations

from dradsl.lint.rules.drivers.classes import selectors_of_class
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.values.patterns import pattern
from dradsl.values.plain import list_at, mapping_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import TypeAlias

    from dradsl.diagnostics import FieldPath
    from dradsl.lint.view.view import ClaimView, Run
    from dradsl.tree.manifests.manifest import Manifest

    Fields: TypeAlias = Mapping[str, "Fields | None"]

CODE_FIELD = "DRA935"
CODE_DOMAIN = "DRA936"
CODE_CHANNELS = "DRA937"

_GROUP = "resource.nvidia.com"
_DRIVER = "compute-domain.nvidia.com"
_CLASS = "compute-domain-default-channel.nvidia.com"
_CONFIGS = frozenset({"ComputeDomainChannelConfig", "ComputeDomainDaemonConfig"})
# The CRD's schema of `spec`: deployments/helm/dra-driver-nvidia-gpu/crds/resource.nvidia.com_computedomains.yaml, v0.5.
_FIELDS: Fields = {
    "numNodes": None,
    "channel": {"resourceClaimTemplate": {"name": None}, "allocationMode": None},
}
_REQUIRED: tuple[FieldPath, ...] = (
    ("channel",),
    ("channel", "resourceClaimTemplate"),
    ("channel", "resourceClaimTemplate", "name"),
)
_MODES = ("Single", "All")
_UID = pattern(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
WORDS = (("ComputeDomain", _DRIVER, _CLASS),)


def check(run: Run) -> Iterator[RuleFinding]:
    for manifest in run.manifests:
        if manifest.kind == "ComputeDomain" and manifest.group == _GROUP and not manifest.is_patch:
            spec = mapping_at(manifest.data, "spec")
            unknown = list(_unknown(manifest, spec, _FIELDS, ("spec",)))
            yield from unknown
            if not unknown:  # else it may be what is missing
                yield from _missing(manifest, spec)
            yield from _mode(manifest, mapping_at(spec, "channel"))
    for claim in run.claims:
        yield from _configs(claim)
        yield from _channels(run, claim)


def _unknown(
    manifest: Manifest, value: Mapping[str, object], fields: Fields, path: FieldPath
) -> Iterator[RuleFinding]:
    for name, item in value.items():
        below = fields.get(name)
        if name in fields:
            if below is not None:
                yield from _unknown(manifest, mapping_at(item), below, (*path, name))
            continue
        from difflib import get_close_matches

        near = next(iter(get_close_matches(str(name), list(fields), n=1)), None)
        help_ = f'did you mean "{near}"?' if near else f"its fields: {', '.join(fields)}"
        if str(name).startswith("resourceClaimTemplate"):
            named = item if isinstance(item, str) else "…"
            help_ = f"write channel: {{resourceClaimTemplate: {{name: {named}}}}}"
        yield RuleFinding(
            CODE_FIELD,
            manifest,
            (*path, name),
            f'a ComputeDomain has no field "{name}" here',
            on_key=True,
            help=help_,
            upstream=f'strict decoding error: unknown field "{".".join(map(str, (*path, name)))}"',
        )


def _missing(manifest: Manifest, spec: Mapping[str, object]) -> Iterator[RuleFinding]:
    for path in _REQUIRED:
        value: object = spec
        for key in path:
            value = mapping_at(value).get(str(key))
        if value is None:
            yield RuleFinding(
                CODE_FIELD,
                manifest,
                ("spec", *path[:-1]),
                f"a ComputeDomain needs {'.'.join(map(str, path))}",
                on_key=True,
                help="write channel: {resourceClaimTemplate: {name: …}}, the template that the controller is to make",
                upstream=f"spec.{'.'.join(map(str, path))}: Required value",
            )
            return


def _mode(manifest: Manifest, channel: Mapping[str, object]) -> Iterator[RuleFinding]:
    mode = channel.get("allocationMode")
    if isinstance(mode, str) and mode not in _MODES:
        yield RuleFinding(
            CODE_FIELD,
            manifest,
            ("spec", "channel", "allocationMode"),
            f'allocationMode "{mode}" is not one of {", ".join(_MODES)}',
            help="Single for one channel, All for all of the domain",
        )


def _configs(claim: ClaimView) -> Iterator[RuleFinding]:
    """A domainID that is no UID: the plugin finds the ComputeDomain by that alone."""
    for index, config in enumerate(list_at(claim.devices, "config")):
        opaque = mapping_at(config, "opaque")
        parameters = mapping_at(opaque, "parameters")
        uid = parameters.get("domainID")
        if opaque.get("driver") != _DRIVER or str(parameters.get("kind")) not in _CONFIGS:
            continue
        path = (*claim.path, "devices", "config", index, "opaque", "parameters", "domainID")
        if isinstance(uid, str) and uid and _UID.fullmatch(uid) is None:
            place = claim.written(path)
            if not claim.manifest.is_unknown(place):
                yield RuleFinding(
                    CODE_DOMAIN,
                    claim.manifest,
                    place,
                    f'domainID "{uid}" is not the UID of a ComputeDomain',
                    help="name the ResourceClaimTemplate that the ComputeDomain's controller makes, "
                    "instead of writing one",
                )


def _channels(run: Run, claim: ClaimView) -> Iterator[RuleFinding]:
    """More than one device of the class that stands for channel 0, of which each node has one."""
    total = 0
    for request in claim.bodies:
        body = request.body
        if body.get("deviceClassName") != _CLASS or request.parent is not None:
            continue
        count = body.get("count", 1)
        if body.get("allocationMode", "ExactCount") != "ExactCount" or not isinstance(count, int):
            continue
        total += count
        if total > 1 and _stands_for_one(run):
            yield RuleFinding(
                CODE_CHANNELS,
                claim.manifest,
                claim.written((*request.path, "count" if count > 1 else "deviceClassName")),
                f"{total} devices of {_CLASS}: each node has one, and no other node's can be added",
                help="ask for one; channel.allocationMode: All of the ComputeDomain gives all channels",
            )
            return


def _stands_for_one(run: Run) -> bool:
    """Whether the class is the one of the driver's chart, which selects channel 0."""
    selectors = selectors_of_class(run, _CLASS)
    known = run.drivers.device_class(_CLASS)
    return selectors is None or (known is not None and selectors == tuple(known[1].selectors))
