"""What a finding says about CEL and YAML, for readers who wrote Python.

A remedy of lint names fields, CEL and options of the command line. For what a builder made it is put in other words:
fields become arguments, CEL becomes expressions, gates those of the app. Rules whose remedy is another one in Python, or
that offer none because their message says it all in YAML, have a text of their own.
"""

from __future__ import annotations

import importlib
import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from dradsl.dsl.checking.python_calls import argument_of, call_of
from dradsl.records import replace
from dradsl.text.paths import parse_path

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dradsl.diagnostics import Finding

__all__ = ["in_python"]

_SHOWN = "show it with context=... of dradsl.lint, or `dradsl build --context PATH`"

# Rule -> what to do in Python, whatever lint says of YAML.
_HELP: Mapping[str, str] = MappingProxyType(
    {
        "DRA012": "leave status= out: the scheduler and the driver write it",
        "DRA104": "split it over several items of select=[...]: all of them must hold",
        "DRA106": "a newer release takes it: App(for_release=...); see `dradsl rule DRA106`",
        "DRA203": 'use the handle of the driver from dradsl.devices, or driver("...") with its name',
        "DRA207": "compare through a handle, which writes the guard: gpu.x == ..., or "
        'driver("...").attributes["x"] == ...; without `.unguarded`',
        "DRA208": 'compare through a handle, which knows versions: gpu.driverVersion >= "550.54"',
        "DRA219": "name the schema that the handles were generated from: driver_schemas=... of dradsl.lint, "
        "`dradsl build --driver-schema FILE`, or driver-schema under [tool.dradsl]",
        "DRA227": "leave the constraint out, or compare another attribute: same(gpu.pcieRoot, request)",
        "DRA307": "spread them over several claims or alternatives",
        "DRA313": "constrain the request by that attribute too, or leave it out of derived_attributes=",
        "DRA315": 'label the Namespace: {"resource.kubernetes.io/admin-access": "true"}',
        "DRA319": "spread the devices over several ResourceClaims",
        "DRA320": 'give the class a selector that names its driver: select=driver("...")',
        "DRA324": "add the Namespace with this label to the app as a KubernetesObject, or "
        + _SHOWN,
        "DRA325": 'name the key: Toleration.exists("example.com/old"); for every taint Toleration.any()',
        "DRA329": "tolerate the key with Toleration.exists(key) in the place of its single values",
        "DRA330": "give it requests=[Request(...)], or leave the claim out",
        "DRA337": 'add a selector that names the driver: select=driver("...")',
        "DRA602": "give one of node_name=, all_nodes=True, "
        'other={"nodeSelector": ...} and other={"perDeviceNodeSelection": True}',
        "DRA605": "spread them over several ResourceSlices: pool=Pool(name, slices=2)",
        "DRA612": "say how many slices the pool has: pool=Pool(name, slices=...)",
        "DRA618": "give each slice of this generation their number: pool=Pool(name, slices=...)",
        "DRA619": "give all slices of a pool one generation: pool=Pool(name, generation=...)",
        "DRA620": 'add it to other={"sharedCounters": [...]} of a ResourceSlice of the pool',
        "DRA641": "say driver=, pool= or device= of the DeviceTaintRule",
        "DRA937": 'ask for one; ComputeDomain(..., allocation_mode="All") gives all channels',
    }
)

# Rules that offer nothing for YAML, where "change ARGUMENT of CALL" is too little.
_WITHOUT: Mapping[str, str] = MappingProxyType(
    {
        "DRA107": "change the constant: it is computed when a device is looked at",
        "DRA308": "give the Request itself in the place of its name: same(attribute, request)",
        "DRA606": "choose another name: letters, digits and _ after an optional domain and /",
        "DRA610": "give each Device of the slice a name of its own",
        "DRA704": "ask for fewer, or leave the constraint out",
        "DRA706": "ask for a count, or narrow select=",
        "DRA805": "give the Config the requests that it is for, or leave it out",
        "DRA850": "give a mapping: Opaque(driver, {...})",
    }
)

# Rules on what a pod says, which is plain data: `attach` writes all of it.
_OF_PODS: Mapping[str, str] = MappingProxyType(
    {
        "DRA401": "PodClaim(name, claim).attach(pod) writes the entry: a claim or a template, not both",
        "DRA403": "PodClaim(name, claim).attach(pod, container) writes the pod's entry and the container's",
        "DRA414": "PodClaim(name, claim).attach(pod, container, request=request) checks the request",
        "DRA415": "PodClaim(name, claim).attach(pod, container) writes both entries",
    }
)

_MISSING = re.compile(r"add the (\w+) to the manifests, or show .*--context PATH")
_VALUE = r'device\.(?P<source>attributes|capacity)\["(?P<domain>[^"]+)"\](?:\.(?P<name>\w+)|\["(?P<quoted>[^"]+)"\])'


def _as_handle(match: re.Match[str]) -> str:
    """What CEL reads, read through a handle: a shipped one if it knows the name."""
    domain, name = match["domain"], match["name"] or match["quoted"]
    handle = _handle_with(domain, name)
    if handle is not None:
        return f"{handle}.{name}"
    if domain.endswith("kubernetes.io"):  # of no driver: every handle has it by this name
        return f'{match["source"]}["{domain}/{name}"]'
    return f'driver("{domain}").{match["source"]}["{name}"]'


def _handle_with(driver: str, name: str) -> str | None:
    """The shipped handle of a driver that has an attribute or capacity of that name."""
    from dradsl.dsl.data.modules import module_of
    from dradsl.dsl.expressions.attributes import Attribute, Capacity
    from dradsl.dsl.expressions.handle import Handle

    module = module_of(driver)
    if module is None or not name.isidentifier():
        return None
    for title, one in vars(importlib.import_module(f"dradsl.devices.{module}")).items():
        if isinstance(one, Handle) and one.__device__.driver == driver:
            value = vars(type(one)).get(name)
            if isinstance(value, Attribute | Capacity) and value.domain == driver:
                return title
    return None


# What stands in remedies -> the same in Python, in this order.
_CEL: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(rf"has\({_VALUE}\)"), lambda match: f"{_as_handle(match)}.exists()"),
    (re.compile(_VALUE), _as_handle),
    # Of a name that no shipped handle has, only one of the user's own knows that it is a version.
    (
        re.compile(r'driver\("[^"]*"\)\.attributes\["(\w+)"\](?=\.compareTo\(semver)'),
        r"handle.\1",
    ),
    (re.compile(r'\.compareTo\((?:quantity|semver)\(("[^"]*")\)\) ([<>=!]=?) 0'), r" \2 \1"),
    (re.compile(r'compareTo\((?:quantity|semver)\(("[^"]*")\)\)'), r">= \1"),
    (re.compile(r'(?:quantity|semver)\(("[^"]*")\)'), r"\1"),
    (re.compile(r'device\.driver == ("[^"]*")'), r"driver(\1)"),
    (re.compile(r"!\((.*)\)"), r"~(\1)"),
    (re.compile(r"\.startsWith\("), ".startswith("),
    (re.compile(r"\.endsWith\("), ".endswith("),
    (re.compile(r" ?&&"), " &"),
    (re.compile(r" ?\|\|"), " |"),
)  # fmt: skip
_LINT_FIX = " (`dradsl lint --fix` does it)"
_GATE = re.compile(r"(?:pass |say so to dradsl: )?--feature-gates? (\w+)=(true|false)")
_FIELDS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\ballocationMode:? (All|ExactCount)\b"), r'allocation_mode="\1"'),
    (re.compile(r"\beffect: (\w+)"), r'effect="\1"'),
    (re.compile(r"\boperator:? (Equal|Exists)\b"), r'operator="\1"'),
    (re.compile(r"\bcount:? (\d+)( each)?\b"), r"count=\1\2"),
    (re.compile(r"\bcapacity\.requests\.(\w+)"), r'capacity={"\1": ...}'),
    (re.compile(r"\btolerationSeconds\b"), "seconds="),
    (re.compile(r"\bextendedResourceName\b"), "extended_resource_name="),
    (re.compile(r"\bdeviceClassName\b"), "device_class"),
    (re.compile(r"\bfirstAvailable\b"), "FirstAvailable"),
    (
        re.compile(r"text from elsewhere must be quoted"),
        'quote text from elsewhere: raw_cel("...{}", text), cel_string(text)',
    ),
    (re.compile(r"\bunder driver-versions\b"), "under driver-versions of [tool.dradsl]"),
)  # fmt: skip


def in_python(finding: Finding, data: Mapping[str, object], *, built: bool) -> Finding:
    """The finding with a remedy in words of Python.

    Args:
        finding: what lint says of the YAML.
        data: the object that it is about.
        built: a builder made it; else it is plain data, with the fields of YAML.
    """
    help_ = _remedy(finding, data, built=built)
    return finding if help_ == finding.help else replace(finding, help=help_)


def _remedy(finding: Finding, data: Mapping[str, object], *, built: bool) -> str | None:
    said = finding.help
    if not built and finding.code in _OF_PODS:
        return _OF_PODS[finding.code]
    if said is not None and (missing := _MISSING.search(said)):
        add = f"add the {missing[1]} with app.add, or name the app that does: App(uses=[...])"
        return f"{add}; if others make it, {_SHOWN}"
    if not built:
        return None if said is None else _GATE.sub(_gate, said.replace(_LINT_FIX, ""))
    if finding.code in _HELP:
        return _HELP[finding.code]
    if said is None:
        return _WITHOUT.get(finding.code) or _change(finding, data)
    said = _GATE.sub(_gate, said)
    for pattern, by in (*_CEL, *_FIELDS):
        said = pattern.sub(by, said)
    return said


def _gate(match: re.Match[str]) -> str:
    return f'say so: App(feature_gates={{"{match[1]}": {match[2].title()}}})'


def _change(finding: Finding, data: Mapping[str, object]) -> str | None:
    """The call and the argument at which the field is to be changed."""
    if finding.field is None:
        return None
    call, below = call_of(data, parse_path(finding.field))
    argument = argument_of(call, below)
    return f"change {argument}= of {call}" if argument else f"change {call}"
