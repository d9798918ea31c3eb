"""The fields that are handed to Kustomize, in exactly this case: of kustomizations, and of the configurations that
Kustomize has built in. Upstream: kustomize 5.7 api/internal/builtins, kyaml/openapi.
"""

from __future__ import annotations

from dradsl.tree.kustomize.parts import shape
from dradsl.tree.kustomize.parts.shape import (
    ANY,
    ANY_PATCH,
    CONFIG_MAP,
    FIELD_SPECS,
    FILE,
    HELM_CHART,
    IMAGE,
    JSON_PATCH,
    METADATA,
    PAIRS,
    PATCH,
    REPLACEMENTS,
    REPLICA,
    SECRET,
    SELECTOR,
    Shape,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CONFIGURATIONS", "KUSTOMIZATION"]

_HELM_GLOBALS: Mapping[str, Shape] = {"chartHome": str}  # no configHome: it is that of another helm

KUSTOMIZATION: Mapping[str, Shape] = {
    **shape.KUSTOMIZATION,
    "openapi": {"path": FILE, "version": str},
    "helmGlobals": _HELM_GLOBALS,
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
}

_SPECS: Mapping[str, Shape] = {"fieldSpecs": FIELD_SPECS}
_HEAD: Mapping[str, Shape] = {"apiVersion": str, "kind": str, "metadata": METADATA}
_TRANSFORMERS: Mapping[str, Mapping[str, Shape]] = {
    "AnnotationsTransformer": {**_HEAD, "annotations": PAIRS, **_SPECS},
    "ImageTagTransformer": {**_HEAD, "imageTag": IMAGE, **_SPECS},
    "LabelTransformer": {**_HEAD, "labels": PAIRS, **_SPECS},
    "NamespaceTransformer": {
        **_HEAD,
        **_SPECS,
        "unsetOnly": bool,
        "setRoleBindingSubjects": str,
    },
    "PatchJson6902Transformer": {**_HEAD, **JSON_PATCH, "jsonOp": str},
    "PatchStrategicMergeTransformer": {**_HEAD, "paths": [PATCH], "patches": str},
    "PatchTransformer": {**_HEAD, **ANY_PATCH},
    "PrefixTransformer": {**_HEAD, "prefix": str, **_SPECS},
    "PrefixSuffixTransformer": {**_HEAD, "prefix": str, "suffix": str, **_SPECS},
    "SuffixTransformer": {**_HEAD, "suffix": str, **_SPECS},
    "ReplacementTransformer": {**_HEAD, "replacements": REPLACEMENTS},
    "ReplicaCountTransformer": {**_HEAD, "replica": REPLICA, **_SPECS},
    "ValueAddTransformer": {
        **_HEAD,
        "value": str,
        "targets": [{"selector": SELECTOR, "fieldPath": str, "filePathPosition": int}],
        "targetFilePath": FILE,
    },
}
CONFIGURATIONS: Mapping[str, Mapping[str, Mapping[str, Shape]]] = {
    "generators": {
        "ConfigMapGenerator": {**_HEAD, **CONFIG_MAP},
        "SecretGenerator": {**_HEAD, **SECRET},
        "HelmChartInflationGenerator": {**_HEAD, **_HELM_GLOBALS, **HELM_CHART},
    },
    "transformers": _TRANSFORMERS,
    "validators": _TRANSFORMERS,
}
"""The fields of the kinds that each list of a kustomization may name; IAMPolicyGenerator is left out."""
