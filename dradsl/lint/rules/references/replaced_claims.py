"""DRA441: a strategic merge patch lists claims, and Kustomize drops those of the object that containers still name.

Upstream: kustomize kyaml/openapi/kubernetesapi (v1_21_2): `resourceClaims` is not there, so it has no merge key;
kyaml/yaml/merge2/merge2.go replaces lists without one.
"""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.kube.pods.workloads import pod_specs
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.triggers import BUILT
from dradsl.lint.view.view import Run
from dradsl.values.plain import mappings_at

__all__ = ["CODE", "check"]

CODE = "DRA441"
WORDS = ("resourceClaims", BUILT)


def check(run: Run) -> Iterator[RuleFinding]:
    for pod in run.pods:
        before = pod.manifest.build_context.unpatched
        if before is None:
            continue
        lost = _dropped(before, pod.at.path, pod.spec)
        named = [entry.get("name") for _, entry in pod.container_claims]
        for name in lost:
            if name in named:
                yield RuleFinding(
                    CODE,
                    pod.manifest,
                    (*pod.at.path, "resourceClaims"),
                    f'the patch replaces all resourceClaims: the entry "{name}", which a container of '
                    "the result names, is gone",
                    help=f'repeat the entry "{name}" in the patch, or add the new one by a JSON patch: '
                    f"op: add, path: /{'/'.join(map(str, pod.at.path))}/resourceClaims/-",
                )


def _dropped(before: object, path: tuple[str | int, ...], spec: object) -> list[str]:
    old = next((each.spec for each in pod_specs(before) if each.path == path), None)
    kept = set(_names(spec))
    return [name for name in _names(old) if name not in kept]


def _names(spec: object) -> list[str]:
    names = [each.get("name") for each in mappings_at(spec, "resourceClaims")]
    return [name for name in names if isinstance(name, str)]
