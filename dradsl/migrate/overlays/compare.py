"""Objects that are built or rendered, compared with their plan: each use must be replaced, and nothing else may change.

The plan for values and the plan for the object that they make may use different names. So claims, requests and
templates are compared by what they ask for, and by the pods that share them. Lint may find no error that was not there before.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from dradsl.diagnostics import Severity
from dradsl.kube.fields.defaulting import copy_plain
from dradsl.kube.pods.workloads import pod_specs
from dradsl.migrate.edits.operations import Put, Remove
from dradsl.migrate.output import rendered_objects
from dradsl.migrate.result import FileMigration
from dradsl.records import Record, replace
from dradsl.text.documents import load
from dradsl.text.paths import format_path, values_named
from dradsl.tree.charts.recipes import find
from dradsl.tree.inputs.sources import SourceText
from dradsl.tree.nodes import of
from dradsl.tree.values.values import INSTALLERS
from dradsl.values.plain import list_at, mapping_at, mappings_at, member

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dradsl.migrate.mapping.resource import Rejection
    from dradsl.migrate.result import BuildPair, Item, Migrated
    from dradsl.text.paths import FieldPath
    from dradsl.tree.kustomize.parts.outcome import BuiltObject
    from dradsl.values.deadline import Deadline
    from dradsl.values.json_types import JsonObject

__all__ = [
    "Expected",
    "as_file",
    "claims_beside",
    "differences",
    "generated_anew",
    "identity",
    "is_claim",
    "lint_faults",
    "named_alike",
    "named_templates",
    "new_objects",
    "problem_of",
    "specs_of",
    "under_old_names",
]


class Expected(Record):
    """What an object must become: its `data`, the claim templates of its pods, the lines of the report.
    `rejection` is why this is impossible; `pods` are the paths of the pods that get claims."""

    data: Any
    templates: tuple[JsonObject, ...] = ()
    items: tuple[Item, ...] = ()
    pods: tuple[FieldPath, ...] = ()
    workloads: tuple[Migrated, ...] = ()
    rejection: Rejection | None = None


def identity(data: object) -> tuple[str, str, str, str]:
    """What identifies an object among all of a build."""
    fields, metadata = mapping_at(data), mapping_at(data, "metadata")
    group = str(fields.get("apiVersion", "")).rpartition("/")[0]
    return (
        group,
        str(fields.get("kind")),
        str(metadata.get("namespace") or ""),
        str(metadata.get("name") or ""),
    )


def is_claim(data: object) -> bool:
    """Whether an object is a claim or a template of claims."""
    return isinstance(data, dict) and data.get("kind") in _KEYS.values()


def new_objects(before: Iterable[BuiltObject], after: Iterable[BuiltObject]) -> Iterator[str]:
    """Kind and name of the objects that are new and no claims."""
    known = {identity(each.data) for each in before}
    for each in after:
        if identity(each.data) not in known and not is_claim(each.data):
            yield " ".join(identity(each.data)[1::2])


def generated_anew(before: Iterable[BuiltObject], after: Iterable[BuiltObject]) -> dict[str, str]:
    """The generated objects that got another name because their content changed: the old names by the new ones."""
    names = {_generated(each): identity(each.data)[3] for each in before}
    found: dict[str, str] = {}
    for each in after:
        old, new = names.get(_generated(each)), identity(each.data)[3]
        if old is not None and old != new and identity(each.data)[1] in ("ConfigMap", "Secret"):
            found[new] = old
    return found


def _generated(built: BuiltObject) -> tuple[str, str, str]:
    _, kind, namespace, _ = identity(built.data)
    return kind, namespace, built.original_name


def under_old_names(built: BuiltObject, names: Mapping[str, str]) -> BuiltObject:
    """An object with its old name, in which references to other objects have old names too."""
    if not names:
        return built
    return replace(built, node=of(_with_names(built.data, names), built.node.at))


def _with_names(data: object, names: Mapping[str, str]) -> object:
    if isinstance(data, dict):
        return {key: _with_names(value, names) for key, value in data.items()}
    if isinstance(data, list):
        return [_with_names(value, names) for value in data]
    return names.get(data, data) if isinstance(data, str) else data


def claims_beside(data: object, objects: Iterable[Any]) -> list[Any]:
    """The claims among objects in the namespace of an object, and in those to which it installs a chart."""
    group, kind, namespace, _ = identity(data)
    places = INSTALLERS.get(f"{kind}.{group}")
    spaces = {namespace}.union(
        str(value) for key in (places[1] if places else ()) for _, value in find(data, key)
    )
    return [each for each in objects if is_claim(each) and identity(each)[2] in spaces]


_SECTIONS = ("limits", "requests", "resources")


def differences(has: object, wants: object, path: FieldPath = ()) -> Iterator[Put | Remove]:
    """The changes that make `wants` of `has`. Lists of the same named items are compared item by item, others are replaced as
    a whole. Empty mappings under `resources` count as absent."""
    if has == wants:
        return
    if isinstance(has, dict) and isinstance(wants, dict):
        for key, value in has.items():
            if key not in wants and not _is_nothing(key, value):
                # Remove only the amounts, not their mapping: it may get other keys later.
                inner = value if key in _SECTIONS and isinstance(value, dict) else None
                if inner is None:
                    yield Remove((*path, key))
                else:
                    yield from differences(inner, {}, (*path, key))
        for key, value in wants.items():
            if key in has:
                yield from differences(has[key], value, (*path, key))
            elif not _is_nothing(key, value):
                yield Put((*path, key), value)
        return
    if _same_items(has, wants):
        assert isinstance(has, list)  # noqa: S101 - _same_items says so
        assert isinstance(wants, list)  # noqa: S101 - the same
        for index, (one, other) in enumerate(zip(has, wants, strict=True)):
            yield from differences(one, other, (*path, index))
        return
    yield Put(path, wants)


def _is_nothing(key: str, value: object) -> bool:
    if key not in _SECTIONS or not isinstance(value, dict):
        return False
    return all(_is_nothing(name, each) for name, each in value.items())


def _same_items(has: object, wants: object) -> bool:
    """Whether both are lists of containers in the same order, or of other items with the same names."""
    if not (isinstance(has, list) and isinstance(wants, list) and len(has) == len(wants)):
        return False
    return bool(has) and all(
        isinstance(one, dict)
        and isinstance(other, dict)
        and "name" in one
        and one.get("name") == other.get("name")
        and "image" in other
        for one, other in zip(has, wants, strict=True)
    )


def named_alike(
    has: object, wants: object, specs: Mapping[str, object], planned: Mapping[str, object]
) -> Any:
    """`wants`, in which claims name the same templates as in `has` if the templates have the same spec.

    `specs` are the existing templates, `planned` those of `wants`, by name.
    """
    result: Any = copy_plain(wants)
    _align(has, result, specs, planned)
    return result


def _align(
    has: Any, wants: Any, specs: Mapping[str, object], planned: Mapping[str, object]
) -> None:
    if isinstance(has, dict) and isinstance(wants, dict):
        for key, value in wants.items():
            if key == "resourceClaimTemplateName" and isinstance(value, str):
                other = has.get(key)
                spec = planned.get(value)
                if isinstance(other, str) and spec is not None and specs.get(other) == spec:
                    wants[key] = other
            else:
                _align(has.get(key), value, specs, planned)
    elif isinstance(has, list) and isinstance(wants, list):
        for one, other in zip(has, wants, strict=False):
            _align(one, other, specs, planned)


_KEYS = {
    "resourceClaimTemplateName": "ResourceClaimTemplate",
    "resourceClaimName": "ResourceClaim",
}
_PARTS = ("initContainers", "containers", "ephemeralContainers")


def specs_of(objects: list[Any], namespace: str | None) -> dict[tuple[str, str], Any]:
    """The devices of claims and claim templates that pods of a namespace find, by kind and name. Those without a
    namespace go to the namespace of the pods. If `namespace` is not given, all are found."""
    found: dict[tuple[str, str], Any] = {}
    for data in objects:
        if not is_claim(data):
            continue
        metadata, spec = data.get("metadata"), data.get("spec")
        if not isinstance(metadata, dict) or not isinstance(spec, dict):
            continue
        own = metadata.get("namespace")
        if namespace is not None and own not in (None, "", namespace):
            continue
        inner = spec.get("spec") if data["kind"] == "ResourceClaimTemplate" else spec
        if isinstance(inner, dict):
            found[data["kind"], str(metadata.get("name"))] = inner.get("devices")
    return found


def problem_of(
    before: Any, after: Any, expected: Expected, specs: Mapping[tuple[str, str], Any]
) -> str | None:
    """What is wrong with an object after the migration, in a sentence without its name; None if it is as planned. `specs`
    are the claims that exist then in its namespace."""
    if after is None:
        return "is not there any more"
    planned = specs_of(list(expected.templates), None)
    # A claim that other pods name too may be built elsewhere, which is looked at apart.
    specs = {**{key: value for key, value in planned.items() if key[0] == "ResourceClaim"}, **specs}
    # Values may hold a claim template themselves, which their chart makes.
    held = {*named_templates(expected.data)} - {name for _, name in planned}
    known = {*(name for _, name in specs), *named_templates(before), *held}
    planned = {**specs, **planned}
    for name in named_templates(after):
        if name not in known:
            return f"names {name}, which is not there in its namespace"
    for change in _left(after, specs, expected.data, planned):
        path = change.path
        if "tolerations" in path and _tolerations(before) == _tolerations(after):
            continue  # values may have no place for written-out tolerations
        if isinstance(change, Remove) and len(path) > 1 and path[-2] in ("limits", "requests"):
            return f"still asks for {path[-1]} ({format_path(path[:-2])})"
        return f"would differ at {format_path(path)} from what was planned"
    return None


def _left(
    after: Any,
    specs: Mapping[tuple[str, str], Any],
    wants: Any,
    planned: Mapping[tuple[str, str], Any],
) -> Iterator[Put | Remove]:
    """What is left to change. Claims are compared by their content, also where values name them."""
    settled = _settled(after, specs), _settled(wants, planned)
    by_name = [
        {name: _whole(devices) for (_, name), devices in s.items()} for s in (specs, planned)
    ]
    return differences(settled[0], named_alike(*settled, *by_name))


def named_templates(data: object) -> Iterator[str]:
    """The claims and claim templates that an object names."""
    for key in _KEYS:
        yield from (each for each in values_named(data, key) if isinstance(each, str))


def _tolerations(data: Any) -> list[object]:
    return [at.spec.get("tolerations") for at in pod_specs(data)]


def _settled(data: Any, specs: Mapping[tuple[str, str], Any]) -> Any:
    """An object in which pods have the requests of their claims in the place of names."""
    copied = copy_plain(data)
    for at in pod_specs(copied):
        _settle(at.spec, specs)
    return copied


def _settle(spec: Any, specs: Mapping[tuple[str, str], Any]) -> None:
    entries = spec.get("resourceClaims")
    if not isinstance(entries, list):
        return
    ours: dict[str, list[tuple[str, object]]] = {}
    rest: list[Any] = []
    whole: list[Any] = []
    for entry in entries:
        read = _read_entry(entry, specs)
        if read is None:
            rest.append(entry)
            continue
        ours[str(entry.get("name"))], of_claim = read
        whole += of_claim
    numbers: dict[tuple[str, str], int] = {}
    order: list[Any] = []

    def number(claim: str, request: str, asked: Any) -> int:
        key = (claim, request)
        if key not in numbers:
            numbers[key] = len(numbers)
            order.append(asked)
        return numbers[key]

    for part in _PARTS:
        for container in mappings_at(spec, part):
            resources: Any = container.get("resources")
            claims = member(resources, "claims")
            if not isinstance(claims, list):
                continue
            found: list[Any] = []
            asked: list[tuple[str, str, Any]] = []
            for claim in claims:
                name = str(claim.get("name")) if isinstance(claim, dict) else ""
                if name not in ours:
                    found.append(claim)
                    continue
                one = claim.get("request")
                asked += [(name, *each) for each in ours[name] if one in (None, "", each[0])]
            # In the order of their requests: names and keys of mappings have no meaning.
            asked.sort(key=lambda each: _text(each[2]))
            resources["claims"] = [*found, *(number(*each) for each in asked)]
            for key in ("limits", "requests"):  # templates may leave the key without amounts
                if key in resources and not resources[key]:
                    del resources[key]
    idle = [
        what
        for name, requests in ours.items()
        for request, what in requests
        if (name, request) not in numbers
    ]
    if ours or rest:
        spec["resourceClaims"] = [
            *rest,
            *order,
            *sorted(idle, key=_text),
            *sorted(whole, key=_text),
        ]


def _read_entry(
    entry: Any, specs: Mapping[tuple[str, str], Any]
) -> tuple[list[tuple[str, object]], list[Any]] | None:
    """What the claim of an entry asks for, by the names of requests, and what holds for all of them; None if the claim
    is not known."""
    fields = mapping_at(entry)
    found = ((kind, str(fields[key])) for key, kind in _KEYS.items() if fields.get(key))
    named = next(found, None)
    devices = specs.get(named) if named is not None else None
    if named is None or not isinstance(devices, dict):
        return None
    kind, name = named
    shared = name if kind == "ResourceClaim" else None
    requests: list[tuple[str, object]] = [
        (str(each.get("name")), _asked(each, shared)) for each in mappings_at(devices, "requests")
    ]
    whole = [
        {**each, "requests": len(list_at(each, "requests"))}
        for each in mappings_at(devices, "constraints")
    ]
    return requests, [*whole, *mappings_at(devices, "config")]


def _asked(request: Any, shared: str | None) -> dict[str, object]:
    """What a request asks for, without its name."""
    plain: dict[str, object] = {key: value for key, value in request.items() if key != "name"}
    written = plain.get("exactly")
    if isinstance(written, dict):
        exactly: dict[str, object] = {"count": 1, "allocationMode": "ExactCount", **written}
        if exactly["allocationMode"] == "All":
            exactly.pop("count")
        plain["exactly"] = exactly
    return {**plain, "shared": shared}


def _whole(devices: Any) -> dict[str, object]:
    """The devices of a claim, in which each request says what holds where it says nothing."""
    requests = mappings_at(devices, "requests")
    asked = [{"name": each.get("name"), **_asked(each, None)} for each in requests]
    return {**mapping_at(devices), "requests": asked}


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def as_file(side: BuildPair) -> FileMigration:
    """A build as one file of manifests."""
    before, after = (
        rendered_objects([each.data for each in objects if isinstance(each.data, dict)])
        for objects in (side.before, side.after)
    )
    return FileMigration(side.name, "manifests", before, after, workloads=side.workloads)


def lint_faults(file: FileMigration, kube_version: str | None, deadline: Deadline) -> Iterator[str]:
    """The errors that lint finds in a file, and did not find before."""
    deadline.check()
    # In values, only the new objects are manifests.
    old, new = (file.before, file.text) if file.kind == "manifests" else ("", "")
    before = Counter(_lint_errors(old, (), file.path, kube_version))
    after = Counter(_lint_errors(new, file.added, file.path, kube_version))
    for code, message in after - before:
        yield f"{code} {message}"


def _lint_errors(
    text: str, added: Sequence[Mapping[str, object]], name: str, kube_version: str | None
) -> Iterator[tuple[str, str]]:
    from dradsl.lint.engine.run import lint_sources

    sources = [SourceText(name, load(text.encode("utf-8", "surrogatepass")))]
    if added:
        sources.append(SourceText("claims", load(rendered_objects(added).encode())))
    report = lint_sources(sources, (kube_version,) if kube_version else ())
    for finding in report.findings:
        if finding.severity is Severity.ERROR:
            # Lines move, so errors that differ only in a line number are the same.
            yield finding.code, re.sub(r"\bline [0-9]+", "a line", finding.message)
