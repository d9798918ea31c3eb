"""The fields of a kustomization and their types: what Kustomize refuses to read.

Upstream: kustomize api/types/kustomization.go (Unmarshal, EnforceFields, CheckEmpty).
"""

from __future__ import annotations

from dradsl.text.nodes import ScalarNode
from dradsl.tree.kustomize.parts.files import KustomizeError
from dradsl.tree.kustomize.parts.rewriting import OLD_WORDS
from dradsl.tree.nodes import ValueNode, mapping, of, sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["check_kustomization"]

# s: a string, m: strings by names, S: a list of strings, M: a list of mappings, o: a mapping.
_FIELDS: Mapping[str, str] = {
    "kind": "s",
    "apiVersion": "s",
    "metadata": "o",
    "openapi": "m",
    "namePrefix": "s",
    "nameSuffix": "s",
    "namespace": "s",
    "commonLabels": "m",
    "labels": "M",
    "commonAnnotations": "m",
    "patchesStrategicMerge": "S",
    "patchesJson6902": "M",
    "patches": "M",
    "images": "M",
    "imageTags": "M",
    "replacements": "M",
    "replicas": "M",
    "vars": "M",
    "sortOptions": "o",
    "resources": "S",
    "components": "S",
    "crds": "S",
    "bases": "S",
    "configMapGenerator": "M",
    "secretGenerator": "M",
    "helmGlobals": "o",
    "helmCharts": "M",
    "helmChartInflationGenerator": "M",
    "generatorOptions": "o",
    "configurations": "S",
    "generators": "S",
    "transformers": "S",
    "validators": "S",
    "buildMetadata": "S",
}
_BY_LOWER = {name.lower(): name for name in _FIELDS}
_ITEMS: Mapping[str, Mapping[str, str]] = {
    "patches": {"path": "s", "patch": "s", "target": "o", "options": "o"},
    "patchesJson6902": {"path": "s", "patch": "s", "target": "o", "options": "o"},
    "images": {"name": "s", "newName": "s", "tagSuffix": "s", "newTag": "s", "digest": "s"},
    "replicas": {"name": "s", "count": "i"},
    "vars": {"name": "s", "objref": "o", "fieldref": "o"},
    "labels": {
        "pairs": "m",
        "includeSelectors": "b",
        "includeTemplates": "b",
        "includeVolumeClaimTemplates": "b",
        "fields": "M",
    },
    "configMapGenerator": {
        "name": "s",
        "namespace": "s",
        "behavior": "s",
        "literals": "S",
        "files": "S",
        "envs": "S",
        "env": "s",
        "options": "o",
    },
    "secretGenerator": {
        "name": "s",
        "namespace": "s",
        "behavior": "s",
        "literals": "S",
        "files": "S",
        "envs": "S",
        "env": "s",
        "options": "o",
        "type": "s",
    },
}

_INNER: Mapping[str, Mapping[str, str]] = {
    "vars.objref": {
        "apiVersion": "s",
        "group": "s",
        "version": "s",
        "kind": "s",
        "name": "s",
        "namespace": "s",
    },
    "vars.fieldref": {"fieldPath": "s"},
    "patches.options": {"allowNameChange": "b", "allowKindChange": "b"},
}


def check_kustomization(node: ValueNode) -> ValueNode:
    """The kustomization with its fields by their proper names.

    Raises:
        KustomizeError: if Kustomize refuses it.
    """
    if not node.is_map:
        raise KustomizeError("invalid Kustomization: expected a mapping", node.at)
    made: dict[str, ValueNode] = {}
    for key, value in node.fields.items():
        name = _BY_LOWER.get(key.lower())
        if name is None:
            raise KustomizeError(f'invalid Kustomization: json: unknown field "{key}"', value.at)
        _check(value, _FIELDS[name], name)
        made[name] = value
    for name, fields in _ITEMS.items():
        if name in made and made[name].is_seq:
            items = [_item(item, name, fields) for item in made[name].items]
            made[name] = sequence(items, made[name].at)
    if not {key for key, value in made.items() if not value.is_null} - {"kind", "apiVersion"}:
        raise KustomizeError("kustomization.yaml is empty", node.at)
    kind = _text(made, "kind") or "Kustomization"
    version = _text(made, "apiVersion")
    if kind not in ("Kustomization", "Component"):
        raise KustomizeError("kind should be Kustomization or Component", node.at)
    wanted = (
        "kustomize.config.k8s.io/v1alpha1"
        if kind == "Component"
        else "kustomize.config.k8s.io/v1beta1"
    )
    if version and version != wanted:
        raise KustomizeError(f"apiVersion for {kind} should be {wanted}", node.at)
    return mapping(made, node.at)


def _item(item: ValueNode, name: str, fields: Mapping[str, str]) -> ValueNode:
    """An item of a list with its fields by their proper names."""
    if item.is_null:
        return item
    lowered = {each.lower(): each for each in fields}
    made: dict[str, ValueNode] = {}
    for key, value in item.fields.items():
        proper = lowered.get(key.lower())
        if proper is None:
            raise KustomizeError(f'invalid Kustomization: json: unknown field "{key}"', value.at)
        _check(value, fields[proper], f"{name}.{proper}")
        made[proper] = _switch(value) if fields[proper] == "b" else value
        inner = _INNER.get(f"{name}.{proper}")
        if inner is not None and value.is_map:
            made[proper] = _item(value, f"{name}.{proper}", inner)
    return mapping(made, item.at)


def _text(fields: Mapping[str, ValueNode], name: str) -> str:
    found = fields.get(name)
    return "" if found is None or found.is_null else found.text


def _old_word(node: ValueNode) -> str:
    """A word such as `n` or `yes` without quotes; "" for anything else. Kustomize reads objects by YAML 1.2, but its
    own file by sigs.k8s.io/yaml, for which that is true or false."""
    if node.at is None or not node.is_scalar or node.text not in OLD_WORDS:
        return ""
    written = node.at.written()
    if not isinstance(written, ScalarNode) or written.style != "" or written.tag is not None:
        return ""
    return node.text if written.text == node.text else ""


def _switch(node: ValueNode) -> ValueNode:
    """What is true or false as such."""
    word = _old_word(node)
    return of(word.lower() in ("y", "yes", "on"), node.at) if word else node


_TESTS: Mapping[str, str] = {"s": "str", "i": "int", "b": "bool"}


def _check(node: ValueNode, kind: str, name: str) -> None:
    if node.is_null:
        return
    if kind in _TESTS:
        tag = "bool" if _old_word(node) else node.tag
        fits = node.is_scalar and tag == _TESTS[kind]
    elif kind in "om":
        fits = node.is_map
        if kind == "m":
            for each in node.fields.values():
                _check(each, "s", name)
    else:
        fits = node.is_seq
        for each in node.items:
            _check(each, "s" if kind == "S" else "o", name)
    if not fits:
        words = {"s": "a string", "i": "a whole number", "b": "true or false", "o": "a mapping"}
        expected = words.get(kind, "a mapping" if kind == "m" else "a list")
        raise KustomizeError(f"invalid Kustomization: {name}: expected {expected}", node.at)
