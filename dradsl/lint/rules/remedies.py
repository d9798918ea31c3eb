"""Remedies of what the API server rejects: the text to write, in the words of the object, and the edit if it is sure."""

from __future__ import annotations

import json
import re

from dradsl.diagnostics import Fix
from dradsl.kube.errors import WrongType
from dradsl.kube.fields.table import GROUP
from dradsl.lint.catalogue.server_words import wordings
from dradsl.lint.fixes.edits import WHOLE, node_at, rename_or_replace, replace_in_string
from dradsl.records import Record, replace
from dradsl.text.edits import as_item, under
from dradsl.text.nodes import MappingNode, ScalarNode
from dradsl.tree.manifests.manifest import RESOURCE_GROUP
from dradsl.values.names import legal_name
from dradsl.values.patterns import pattern
from dradsl.values.plain import list_at, member

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    from dradsl.diagnostics import FieldPath
    from dradsl.drivers.rewriting.objects import Meant
    from dradsl.kube.errors import FieldError
    from dradsl.lint.view.view import Run
    from dradsl.tree.manifests.manifest import Manifest

__all__ = ["Remedy", "remedy"]

_NAMES = frozenset(
    {
        "invalid-object-name",
        "invalid-claim-name",
        "invalid-dns-label",
        "invalid-driver-name",
        "invalid-subdomain",
    }
)
_LABELS = frozenset({"invalid-dns-label", "invalid-pod-claim-name"})
_ATTRIBUTES = frozenset({"attribute-without-domain", "invalid-attribute-name"})
_NAMED = frozenset({"requests", "firstAvailable", "resourceClaims", "claims"})
_V1_SHAPES = frozenset({"exactly-in-v1beta1", "device-field-outside-basic"})
_FIELD = pattern(r"([A-Za-z]+(?=:)|name(?= ))[: ]+(\S.*)")  # `name:gpu` and `name gpu`
_OLD_VERSIONS = ("unknown-api-version", "kind-not-served", "kind-removed")
_NOTHING = "remove it: the driver has no such parameters"
_SHAPED = ("devices", "exactly", "config")


class Remedy(Record):
    """What to do about a finding: a text for people, an edit for programs."""

    help: str
    fix: Fix | None = None


def remedy(
    run: Run, manifest: Manifest, problem: FieldError, path: FieldPath, *, is_own: bool
) -> Remedy | None:
    """The remedy of a problem at `path`; None if the words of its reason are all that there is to say.

    `is_own`: the words are those of the very field.
    """
    value = problem.value
    whole = _as_meant(run, manifest, problem, path)
    if whole is not None or is_own:
        return whole
    if isinstance(problem.data, WrongType) and isinstance(value, list | dict):
        return _other_shape(manifest, problem.data.wanted, value, path)
    if problem.reason == "kind-of-another-group":
        text = str(problem.suggestion)
        edit = rename_or_replace(manifest, ("apiVersion",), text, at_key=False)
        return Remedy(f"write apiVersion: {text}", Fix(f"write {text}", (edit,)) if edit else None)
    if not isinstance(value, str):
        return None
    if problem.reason == "cel-syntax" and not value:
        node = node_at(manifest, path)
        is_tag = isinstance(node, ScalarNode) and node.tag is not None
        quotes = "put the expression in quotes: its ! is a tag of YAML"
        return Remedy(quotes if is_tag else "write expression: …, with a condition")
    if problem.reason == "unknown-request-reference":
        return _requests(run, manifest, problem.suggestion, path)
    if re.fullmatch(r"\$\{?\w+\}?", value):
        return Remedy(f"write the value of {value}: kubectl fills in no variables, envsubst does")
    return _of_text(run, manifest, problem, value, path)


def _as_meant(run: Run, manifest: Manifest, problem: FieldError, path: FieldPath) -> Remedy | None:
    """What the author of an object wrote in the shape of v1, at the first field that v1 does not have."""
    reason = problem.reason
    if reason == "unknown-field" and manifest.group == RESOURCE_GROUP:
        if manifest.kind == "ResourceSlice" and len(path) > 3:
            from dradsl.drivers.rewriting.objects import typed_value

            text = typed_value(path, run.written_value(manifest, path))
            return None if text is None else Remedy(text)
        return _of_field(run, manifest, problem, path)
    if reason == "unknown-field" and not problem.suggestion:
        from dradsl.drivers.rewriting.objects import in_pod

        text = in_pod(manifest.data, path, run.drivers) if "resourceClaims" in path else None
        return None if text is None else Remedy(text)
    if reason == "wrong-type" and manifest.group == RESOURCE_GROUP and path[-1] in _SHAPED:
        return _of_field(run, manifest, problem, path)
    if reason not in _OLD_VERSIONS and reason not in _V1_SHAPES:
        return None
    found = _meant(run, manifest)
    if reason in _V1_SHAPES:
        is_of_v1 = found is not None and found.spec == manifest.data.get("spec")
        return _whole(run, manifest, found, "safe") if is_of_v1 else None
    if found is None or manifest.kind == "ResourceSlice":
        from dradsl.drivers.rewriting.objects import form

        text = form(manifest.kind, manifest.version)
        return Remedy(text) if text else None
    if found.is_converted:
        return Remedy(f"`dradsl convert` rewrites it in {GROUP}/v1")
    return _whole(run, manifest, found, "unsafe")


def _meant(run: Run, manifest: Manifest) -> Meant | None:
    from dradsl.drivers.rewriting.objects import as_v1

    def named(kind: str, name: str) -> Mapping[str, object] | None:
        found = run.index.find(kind, name, manifest)
        return None if found is None else found.data

    def beside() -> list[Mapping[str, object]]:
        return [each.data for each in run.index.in_file(manifest)]

    return run.remember(
        ("meant", manifest), lambda: as_v1(manifest.data, run.drivers, named, beside)
    )


def _of_field(run: Run, manifest: Manifest, problem: FieldError, path: FieldPath) -> Remedy | None:
    """The remedy of a field that v1 does not have: the object is written out at the first one.

    Those that are near a known one have a remedy of their own, where it is not written out for others.
    """
    from dradsl.drivers.rewriting.meant import is_of_shape

    admission = run.admission(manifest)
    shaped = [
        each.written
        for each in (admission.problems if admission is not None else ())
        if is_of_shape(each.error, each.written)
        and not _is_near(run, manifest, each.error, each.written)
    ]
    near = _is_near(run, manifest, problem, path)
    of_claim = manifest.kind != "ResourceSlice" and path[:1] != ("status",)  # which nobody writes
    found = _meant(run, manifest) if of_claim and (shaped or not near) else None
    if found is None or not is_of_shape(problem, path):
        return None
    if found.is_left(path):
        return Remedy(_NOTHING) if problem.reason == "wrong-type" else None
    first = next((each for each in shaped if not found.is_left(each)), path)
    if first != path:
        return Remedy(f"it is in what is to be written for {first[-1]}")
    return None if near else _whole(run, manifest, found, "unsafe")


def _is_near(run: Run, manifest: Manifest, problem: FieldError, path: FieldPath) -> bool:
    """Whether another name is all that a field needs: `request: {…}` needs to be a list as well."""
    near = problem.suggestion or ""
    return bool(near) and not (
        near.endswith("s") and isinstance(run.written_value(manifest, path), dict)
    )


def _whole(
    run: Run, manifest: Manifest, found: Meant | None, sure: Literal["safe", "unsafe"]
) -> Remedy | None:
    admission = run.admission(manifest)
    problems = admission.problems if admission is not None else ()
    own = {e.written for e in problems if e.error.reason in ("unknown-field", "wrong-type")}
    text = found.text(own, wordings()["unknown-field"].of_fields) if found is not None else ""
    edits = found.edits(manifest.node) if found is not None else ()
    return Remedy(text, Fix(WHOLE, edits, sure) if edits else None) if text else None


def _of_text(
    run: Run, manifest: Manifest, problem: FieldError, value: str, path: FieldPath
) -> Remedy | None:
    """The remedy of a text that is rejected."""
    if isinstance(problem.data, WrongType) and problem.data.wanted == "mapping":
        found = _FIELD.fullmatch(value)
        if found is not None:
            return Remedy(f"write {found[1]}: {found[2]}, with a blank after the colon")
    if problem.reason in _NAMES | _LABELS:
        driver = run.drivers.index().mistaken.get(value) if path[-1] == "driver" else None
        meant = driver or legal_name(value, dots=problem.reason not in _LABELS)
        return Remedy(f"write {meant or f'{path[-1]}: …'}") if meant or not value else None
    if problem.reason == "invalid-device-class-name":
        from dradsl.drivers.schema.device_plugin import class_advice

        text = class_advice(value, run.drivers, run.installed_classes())
        return None if text is None else Remedy(text)
    if problem.reason == "unknown-kind" and problem.suggestion:
        return replace(
            _in_place(manifest, path, value, problem.suggestion),
            help=f"did you mean {problem.suggestion}?",
        )
    if problem.reason == "unknown-allocation-mode" and value.lower() == "all":
        has_count = member(run.written_value(manifest, path[:-1]), "count") is not None
        return Remedy(f"write All{', and remove count: All takes none' if has_count else ''}")
    if problem.reason in _ATTRIBUTES:
        return _attribute(run, manifest, value, path)
    if problem.reason == "invalid-quantity":
        from dradsl.drivers.suggestions.literals import amounts

        quantities = amounts(value)  # with the unit of 1024, as drivers count memory
        return _in_place(manifest, path, value, quantities[-1]) if quantities else None
    if isinstance(problem.data, WrongType) and "selectors" in path[-3:-1]:
        return _expression(manifest, path)
    return None


def _requests(run: Run, manifest: Manifest, meant: str | None, path: FieldPath) -> Remedy | None:
    """The names that a constraint or config may have of the requests of its claim."""
    if meant:
        legal = legal_name(meant, dots=False)
        is_legal = legal == meant or "/" in meant
        return None if is_legal else Remedy(f"write {legal}, as the request is to be called")
    from dradsl.drivers.suggestions.requests import requests_meant

    devices = run.written_value(manifest, path[: path.index("devices") + 1])
    beside = list_at(run.written_value(manifest, path[:-1]))
    names = requests_meant(run.written_value(manifest, path), devices, beside)
    of = "a request of this claim: " if len(names) > 1 else ""
    return Remedy(f"write {of}{', '.join(names)}") if names else None


def _other_shape(manifest: Manifest, wanted: str, value: Any, path: FieldPath) -> Remedy | None:
    """A list in place of its one entry, or the reverse."""
    first = next(iter(value), None)
    if isinstance(value, dict):
        if wanted == "text" and len(value) == 1 and isinstance(value[first], str):
            return Remedy(f"write {path[-1]}: {value[first]}")
        if wanted != "list" or first is None:
            return None
        is_name = (
            path[-1] in _NAMED and "name" not in value and isinstance(value[first], dict | int)
        )
        if first == "expression":
            return Remedy("write - cel: {expression: '…'}")
        is_entry = path[-1] in ("selectors", "constraints", "config") or "name" in value
        node = node_at(manifest, path) if is_entry else None
        fix = Fix("write a dash", tuple(as_item(node))) if isinstance(node, MappingNode) else None
        return Remedy(
            f"{path[-1]} is a list: write - name: {first} in place of {first}:, with its fields beside name"
            if is_name and first not in ("exactly", "firstAvailable")
            else f"{path[-1]} is a list: write a dash before {first}, and indent what is below it as far",
            fix,
        )
    if len(value) != 1:
        return None
    if wanted == "text" and isinstance(first, str):
        return Remedy(f"write {path[-1]}: {first}")
    return Remedy(f"remove the dash: {path[-1]} is one mapping") if wanted == "mapping" else None


def _attribute(run: Run, manifest: Manifest, value: str, path: FieldPath) -> Remedy | None:
    """The name with its domain: one that Kubernetes defines, or that a driver of the requests publishes."""
    from dradsl.drivers.suggestions.names import attribute_names

    below = run.written_value(manifest, path)
    if isinstance(below, dict) and isinstance(next(iter(below.values()), None), dict):
        each = f"write {value}/{next(iter(below))}: …, and so on"
        return Remedy(f"{each}: only CEL groups attributes by domain")
    whole = str(below if isinstance(below, str) else path[-1])
    names = attribute_names(value, whole, _published(run, manifest, value, path))
    if len(names) == 1:
        return _in_place(manifest, path, str(below) if "constraints" in path else value, names[0])
    return Remedy(f"write {' or '.join(names)}") if names else None


def _published(run: Run, manifest: Manifest, value: str, path: FieldPath) -> set[str]:
    from dradsl.drivers.schema.read import standard_attributes
    from dradsl.drivers.suggestions.names import attributes_called
    from dradsl.lint.rules.drivers.classes import drivers_of_class

    bare = re.sub("[-_]", "", re.split("[./]", value)[-1]).lower()
    whole = f"resource.kubernetes.io/{bare if len(bare) > 3 else f'{bare} '}"
    standard = {each for each in standard_attributes() if each.lower().startswith(whole)}
    if standard or "constraints" not in path:
        return standard
    devices = run.written_value(manifest, path[: path.index("constraints")])
    classes = re.findall(r'"deviceClassName": "([^"]+)"', json.dumps(devices, default=str))
    drivers = {driver for name in classes for driver in drivers_of_class(run, name)}
    schemas = [schema for each in sorted(drivers) if (schema := run.drivers.get(each)) is not None]
    return attributes_called(bare, schemas)


def _in_place(manifest: Manifest, path: FieldPath, value: str, text: str) -> Remedy:
    """Another text in place of a value."""
    edit = replace_in_string(manifest, path, 0, len(value), text)
    return Remedy(f"write {text}", Fix(f"write {text}", (edit,), "unsafe") if edit else None)


def _expression(manifest: Manifest, path: FieldPath) -> Remedy | None:
    """An expression that is where the mapping with it belongs."""
    node, around = node_at(manifest, path), node_at(manifest, path[:-1])
    key, fix = getattr(node, "start", 0), None
    entry = around.entry("cel") if isinstance(around, MappingNode) else None
    if isinstance(node, ScalarNode) and node.span.line == node.span.end_line:
        edit = under(node, key if entry is None else entry.key.start, "expression")
        if entry is None:
            edit = replace(edit, new_text=f"cel:{edit.new_text}")
        is_block = not getattr(around, "flow", True)
        fix = Fix("move under expression", (edit,)) if is_block else None
    return Remedy(
        "write the text under cel.expression"
        if entry is not None
        else "write cel: {expression: '…'} around it",
        fix,
    )
