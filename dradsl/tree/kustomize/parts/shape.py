"""The fields of a kustomization and what each holds, and what Kustomize rejects of it.

Upstream: kustomize api/types/kustomization.go (Unmarshal, EnforceFields, CheckEmpty) and the types that it names,
kyaml/resid.
"""

from __future__ import annotations

from dradsl.text.nodes import ScalarNode
from dradsl.tree.nodes import OLD_WORDS, KustomizeError, ValueNode, mapping, of, sequence, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeAlias

__all__ = ["KUSTOMIZATION", "check_kustomization"]

Shape: TypeAlias = "type | str | list[Shape] | Mapping[str, Shape]"
"""`str`, `bool` or `int`; one of the names below; a list of one shape; or a mapping by names, in which `*` is any."""

ANY = "any"
"""A mapping of whatever."""
FILE = "file"
"""A path of a file in or below the folder."""
KEYED_FILE = "keyed file"
"""A path of a file, with or without `key=` before it."""
BASE = "base"
"""A path of a file or of the folder of a kustomization."""
COMPONENT = "component"
"""A path of the folder of a kustomization."""
PATCH = "patch"
"""A patch, or a path of a file with patches."""

PAIRS: Shape = {"*": str}
_KIND: Mapping[str, Shape] = {"group": str, "version": str, "kind": str}
_OBJECT: Mapping[str, Shape] = {**_KIND, "name": str, "namespace": str}
SELECTOR: Shape = {**_OBJECT, "annotationSelector": str, "labelSelector": str}
FIELD_SPECS: Shape = [{**_KIND, "path": str, "create": bool}]
METADATA: Shape = {"name": str, "namespace": str, "labels": PAIRS, "annotations": PAIRS}
_FIELD_OPTIONS: Shape = {"delimiter": str, "index": int, "encoding": str, "create": bool}
REPLACEMENTS: Shape = [
    {
        "source": {**_OBJECT, "fieldPath": str, "options": _FIELD_OPTIONS},
        "targets": [
            {
                "select": SELECTOR,
                "reject": [SELECTOR],
                "fieldPaths": [str],
                "options": _FIELD_OPTIONS,
            }
        ],
        "sourceValue": str,
        "path": FILE,
    }
]
JSON_PATCH: Mapping[str, Shape] = {"path": FILE, "target": SELECTOR}
ANY_PATCH: Mapping[str, Shape] = {**JSON_PATCH, "patch": str, "options": {"*": bool}}
IMAGE: Shape = {"name": str, "newName": str, "tagSuffix": str, "newTag": str, "digest": str}
REPLICA: Shape = {"name": str, "count": int}
_SORT: Shape = {
    "order": str,
    "legacySortOptions": {"orderFirst": [str], "orderLast": [str]},
}
_GENERATOR_OPTIONS: Shape = {
    "labels": PAIRS,
    "annotations": PAIRS,
    "disableNameSuffixHash": bool,
    "immutable": bool,
}
CONFIG_MAP: Mapping[str, Shape] = {
    "namespace": str,
    "name": str,
    "behavior": str,
    "literals": [str],
    "files": [KEYED_FILE],
    "envs": [FILE],
    "env": FILE,
    "options": _GENERATOR_OPTIONS,
}
SECRET: Mapping[str, Shape] = {**CONFIG_MAP, "type": str}
HELM_CHART: Mapping[str, Shape] = {
    "name": str,
    "version": str,
    "repo": str,
    "releaseName": str,
    "namespace": str,
    "additionalValuesFiles": [str],
    "valuesFile": str,
    "valuesInline": ANY,
    "valuesMerge": str,
    "includeCRDs": bool,
    "skipHooks": bool,
    "apiVersions": [str],
    "kubeVersion": str,
    "nameTemplate": str,
    "skipTests": bool,
    "debug": bool,
    "devel": bool,
}

KUSTOMIZATION: Mapping[str, Shape] = {
    "apiVersion": str,
    "kind": str,
    "metadata": METADATA,
    "openapi": PAIRS,
    "namePrefix": str,
    "nameSuffix": str,
    "namespace": str,
    "commonLabels": PAIRS,
    "labels": [
        {
            "pairs": PAIRS,
            "includeSelectors": bool,
            "includeTemplates": bool,
            "includeVolumeClaimTemplates": bool,
            "fields": FIELD_SPECS,
        }
    ],
    "commonAnnotations": PAIRS,
    "patchesStrategicMerge": [PATCH],
    "patchesJson6902": [ANY_PATCH],
    "patches": [ANY_PATCH],
    "images": [IMAGE],
    "imageTags": [IMAGE],
    "replacements": REPLACEMENTS,
    "replicas": [REPLICA],
    "vars": [
        {
            "name": str,
            "objref": {**_OBJECT, "apiVersion": str},
            "fieldref": {"fieldPath": str},
        }
    ],
    "sortOptions": _SORT,
    "resources": [BASE],
    "components": [COMPONENT],
    "crds": [FILE],
    "bases": [BASE],
    "configMapGenerator": [CONFIG_MAP],
    "secretGenerator": [SECRET],
    "helmGlobals": {"chartHome": str, "configHome": str},
    "helmCharts": [HELM_CHART],
    "helmChartInflationGenerator": [ANY],
    "generatorOptions": _GENERATOR_OPTIONS,
    "configurations": [FILE],
    "generators": [str],
    "transformers": [str],
    "validators": [str],
    "buildMetadata": [str],
}


def check_kustomization(node: ValueNode) -> ValueNode:
    """The kustomization with its fields by their proper names.

    Raises:
        KustomizeError: if Kustomize rejects it.
    """
    if not node.is_map:
        raise KustomizeError("invalid Kustomization: expected a mapping", node.at)
    made = _fields(node, KUSTOMIZATION, "")
    if not {key for key, value in made.items() if not value.is_null} - {"kind", "apiVersion"}:
        raise KustomizeError("kustomization.yaml is empty", node.at)
    kind = text_of(made.get("kind")) or "Kustomization"
    version = text_of(made.get("apiVersion"))
    if kind not in ("Kustomization", "Component"):
        raise KustomizeError("kind should be Kustomization or Component", node.at)
    wanted = f"kustomize.config.k8s.io/{'v1alpha1' if kind == 'Component' else 'v1beta1'}"
    if version and version != wanted:
        raise KustomizeError(f"apiVersion for {kind} should be {wanted}", node.at)
    return mapping(made, node.at)


def _fields(node: ValueNode, shapes: Mapping[str, Shape], name: str) -> dict[str, ValueNode]:
    """The fields of a mapping by their proper names: case does not count, and of equal ones the last is taken."""
    lowered = {each.lower(): each for each in shapes}
    made: dict[str, ValueNode] = {}
    for key, value in node.fields.items():
        proper = key if "*" in shapes else lowered.get(key.lower())
        if proper is None:
            raise KustomizeError(f'invalid Kustomization: json: unknown field "{key}"', value.at)
        below = name if "*" in shapes else f"{name}.{proper}".lstrip(".")
        made[proper] = _checked(value, shapes.get("*") or shapes[proper], below)
    return made


_NAMES = {str: "a string", int: "a whole number", bool: "true or false"}
_TAGS = {str: "str", int: "int", bool: "bool"}


def _checked(node: ValueNode, shape: Shape, name: str) -> ValueNode:
    """A value of that shape; null is the absence of any."""
    if node.is_null:
        return node
    if isinstance(shape, list):
        fits, expected = node.is_seq, "a list"
    elif isinstance(shape, type | str) and shape != ANY:
        kind = shape if isinstance(shape, type) else str
        word = _old_word(node)
        fits = node.is_scalar and ("bool" if word else node.tag) == _TAGS[kind]
        expected = _NAMES[kind]
        if fits and word:
            node = of(word.lower() in ("y", "yes", "on"), node.at)
    else:
        fits, expected = node.is_map, "a mapping"
    if not fits:
        raise KustomizeError(f"invalid Kustomization: {name}: expected {expected}", node.at)
    if isinstance(shape, list):
        return sequence([_checked(each, shape[0], name) for each in node.items], node.at)
    if isinstance(shape, dict) and shape:
        return mapping(_fields(node, shape, name), node.at)
    return node


def _old_word(node: ValueNode) -> str:
    """A word such as `n` or `yes` without quotes; "" for anything else. Kustomize reads objects by YAML 1.2, but its
    own file by sigs.k8s.io/yaml, for which that is true or false."""
    if node.at is None or not node.is_scalar or node.text not in OLD_WORDS:
        return ""
    written = node.at.written()
    if not isinstance(written, ScalarNode) or written.style != "" or written.tag is not None:
        return ""
    return node.text if written.text == node.text else ""
