"""The fields of kustomizations and of the configurations that Kustomize has built in, and what each holds.

Only these are handed to Kustomize, in exactly this case. Upstream: kustomize 5.7 api/types (kustomization.go and the
types that it names), kyaml/resid, api/internal/builtins, kyaml/openapi.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeAlias

__all__ = [
    "ANY",
    "BASE",
    "COMPONENT",
    "CONFIGURATIONS",
    "FILE",
    "KEYED_FILE",
    "KUSTOMIZATION",
    "PATCH",
    "Shape",
]

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

_PAIRS: Shape = {"*": str}
_KIND: Mapping[str, Shape] = {"group": str, "version": str, "kind": str}
_OBJECT: Mapping[str, Shape] = {**_KIND, "name": str, "namespace": str}
_SELECTOR: Shape = {**_OBJECT, "annotationSelector": str, "labelSelector": str}
_FIELD_SPECS: Shape = [{**_KIND, "path": str, "create": bool}]
_METADATA: Shape = {"name": str, "namespace": str, "labels": _PAIRS, "annotations": _PAIRS}
_FIELD_OPTIONS: Shape = {"delimiter": str, "index": int, "encoding": str, "create": bool}
_REPLACEMENTS: Shape = [
    {
        "source": {**_OBJECT, "fieldPath": str, "options": _FIELD_OPTIONS},
        "targets": [
            {
                "select": _SELECTOR,
                "reject": [_SELECTOR],
                "fieldPaths": [str],
                "options": _FIELD_OPTIONS,
            }
        ],
        "sourceValue": str,
        "path": FILE,
    }
]
_JSON_PATCH: Mapping[str, Shape] = {"path": FILE, "target": _SELECTOR}
_ANY_PATCH: Mapping[str, Shape] = {**_JSON_PATCH, "patch": str, "options": {"*": bool}}
_IMAGE: Shape = {"name": str, "newName": str, "tagSuffix": str, "newTag": str, "digest": str}
_REPLICA: Shape = {"name": str, "count": int}
_SORT: Shape = {
    "order": str,
    "legacySortOptions": {"orderFirst": [str], "orderLast": [str]},
}
_GENERATOR_OPTIONS: Shape = {
    "labels": _PAIRS,
    "annotations": _PAIRS,
    "disableNameSuffixHash": bool,
    "immutable": bool,
}
_CONFIG_MAP: Mapping[str, Shape] = {
    "namespace": str,
    "name": str,
    "behavior": str,
    "literals": [str],
    "files": [KEYED_FILE],
    "envs": [FILE],
    "env": FILE,
    "options": _GENERATOR_OPTIONS,
}
_SECRET: Mapping[str, Shape] = {**_CONFIG_MAP, "type": str}
_HELM_GLOBALS: Mapping[str, Shape] = {"chartHome": str}  # no configHome: it is that of another helm
_HELM_CHART: Mapping[str, Shape] = {
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
    "metadata": _METADATA,
    "openapi": {"path": FILE, "version": str},
    "namePrefix": str,
    "nameSuffix": str,
    "namespace": str,
    "commonLabels": _PAIRS,
    "labels": [
        {
            "pairs": _PAIRS,
            "includeSelectors": bool,
            "includeTemplates": bool,
            "fields": _FIELD_SPECS,
        }
    ],
    "commonAnnotations": _PAIRS,
    "patchesStrategicMerge": [PATCH],
    "patchesJson6902": [_ANY_PATCH],
    "patches": [_ANY_PATCH],
    "images": [_IMAGE],
    "imageTags": [_IMAGE],
    "replacements": _REPLACEMENTS,
    "replicas": [_REPLICA],
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
    "configMapGenerator": [_CONFIG_MAP],
    "secretGenerator": [_SECRET],
    "helmGlobals": _HELM_GLOBALS,
    "helmCharts": [_HELM_CHART],
    "helmChartInflationGenerator": [
        {
            "chartName": str,
            "chartVersion": str,
            "chartRepoUrl": str,
            "chartHome": str,
            "chartRepoName": str,
            "values": str,
            "valuesLocal": ANY,
            "valuesMerge": str,
            "releaseName": str,
            "releaseNamespace": str,
        }
    ],
    "generatorOptions": _GENERATOR_OPTIONS,
    "configurations": [FILE],
    "generators": [str],
    "transformers": [str],
    "validators": [str],
    "buildMetadata": [str],
}

_SPECS: Mapping[str, Shape] = {"fieldSpecs": _FIELD_SPECS}
_HEAD: Mapping[str, Shape] = {"apiVersion": str, "kind": str, "metadata": _METADATA}
_TRANSFORMERS: Mapping[str, Mapping[str, Shape]] = {
    "AnnotationsTransformer": {**_HEAD, "annotations": _PAIRS, **_SPECS},
    "ImageTagTransformer": {**_HEAD, "imageTag": _IMAGE, **_SPECS},
    "LabelTransformer": {**_HEAD, "labels": _PAIRS, **_SPECS},
    "NamespaceTransformer": {
        **_HEAD,
        **_SPECS,
        "unsetOnly": bool,
        "setRoleBindingSubjects": str,
    },
    "PatchJson6902Transformer": {**_HEAD, **_JSON_PATCH, "jsonOp": str},
    "PatchStrategicMergeTransformer": {**_HEAD, "paths": [PATCH], "patches": str},
    "PatchTransformer": {**_HEAD, **_ANY_PATCH},
    "PrefixTransformer": {**_HEAD, "prefix": str, **_SPECS},
    "PrefixSuffixTransformer": {**_HEAD, "prefix": str, "suffix": str, **_SPECS},
    "SuffixTransformer": {**_HEAD, "suffix": str, **_SPECS},
    "ReplacementTransformer": {**_HEAD, "replacements": _REPLACEMENTS},
    "ReplicaCountTransformer": {**_HEAD, "replica": _REPLICA, **_SPECS},
    "ValueAddTransformer": {
        **_HEAD,
        "value": str,
        "targets": [{"selector": _SELECTOR, "fieldPath": str, "filePathPosition": int}],
        "targetFilePath": FILE,
    },
}
CONFIGURATIONS: Mapping[str, Mapping[str, Mapping[str, Shape]]] = {
    "generators": {
        "ConfigMapGenerator": {**_HEAD, **_CONFIG_MAP},
        "SecretGenerator": {**_HEAD, **_SECRET},
        "HelmChartInflationGenerator": {**_HEAD, **_HELM_GLOBALS, **_HELM_CHART},
    },
    "transformers": _TRANSFORMERS,
    "validators": _TRANSFORMERS,
}
"""The fields of the kinds that each list of a kustomization may name; IAMPolicyGenerator is left out."""
