"""Programs that read manifests which are texts within objects, as far as they are in the run.

Argo Workflows hands `resource.manifest` to kubectl (argo-workflows workflow/executor/resource.go), and a pod that mounts
a ConfigMap may run `kubectl apply -f` on a file of it. Other readers of such a text (a controller with its
own pod template, a script that edits it first) may drop the fields of claims. The objects of the run do not show that.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dradsl.kube.pods.workloads import pod_specs
from dradsl.lint.input.manifests import manifests_of
from dradsl.migrate.cluster.walk import at
from dradsl.records import dataclass, field
from dradsl.text.paths import value_at
from dradsl.values.plain import list_at, mappings_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dradsl.lint.input.manifests import Manifest
    from dradsl.lint.input.sources import SourceText
    from dradsl.text.paths import FieldPath

__all__ = ["Consumers", "consumers_in"]

_WORKFLOWS = frozenset({"Workflow", "WorkflowTemplate", "ClusterWorkflowTemplate", "CronWorkflow"})
_ACTIONS = frozenset({"create", "apply", "replace"})
_KUBECTL = re.compile(r"\bkubectl\b([^\n;&|<>]*)")
_OTHERWISE = re.compile(
    r"(?:^|\s)(?:-n|--namespace|--context|--kubeconfig|--server|-s|--cluster|--dry-run|-k|--kustomize)(?:[\s=]|$)"
)
_FILES = re.compile(r"(?:^|\s)(?:-f|--filename)[\s=]+[\"']?([^\s\"']+)")


@dataclass(frozen=True, slots=True)
class Consumers:
    """The files of ConfigMaps that pods of the run give to kubectl, by namespace, name and key of the ConfigMap: what
    gives them. The key "" means all keys."""

    applied: Mapping[tuple[str | None, str, str], str] = field(default_factory=dict)

    def of(self, host: Manifest, path: FieldPath) -> str | None:
        """The program that creates objects from an unchanged text; None if it is not known."""
        if host.group == "argoproj.io" and host.kind in _WORKFLOWS:
            if path[-2:] != ("resource", "manifest"):
                return None
            action = at(value_at(host.data, path[:-1]), "action")
            return f"kubectl {action} of Argo Workflows" if action in _ACTIONS else None
        if host.kind == "ConfigMap" and not host.group and path[:1] == ("data",) and host.name:
            for key in (str(path[-1]), ""):
                found = self.applied.get((host.namespace, host.name, key))
                if found is not None:
                    return found
        return None


def consumers_in(sources: Iterable[SourceText]) -> Consumers:
    """The pods of a run that run kubectl on files of ConfigMaps."""
    applied: dict[tuple[str | None, str, str], str] = {}
    for source in sources:
        if "kubectl" not in source.stream.text:
            continue
        for manifest in manifests_of(source):
            for pod in pod_specs(manifest.data):
                for name, key in _applied(pod.spec):
                    applied.setdefault(
                        (manifest.namespace, name, key), f"kubectl of {manifest.title}"
                    )
    return Consumers(applied)


def _applied(spec: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """The ConfigMaps whose files containers of a pod apply, with their keys."""
    maps = {
        str(volume.get("name")): volume["configMap"]
        for volume in mappings_at(spec, "volumes")
        if isinstance(volume.get("configMap"), dict)
    }
    for container in (*mappings_at(spec, "containers"), *mappings_at(spec, "initContainers")):
        named = set(_files(container))
        for mount in mappings_at(container, "volumeMounts") if named else ():
            held = maps.get(str(mount.get("name")))
            base = str(mount.get("mountPath", "")).rstrip("/")
            name = held.get("name") if held is not None else None
            if held is None or not isinstance(name, str) or not base:
                continue
            if isinstance(mount.get("subPath"), str):
                keys = {base: mount["subPath"]}
            elif mappings_at(held, "items"):
                keys = {
                    f"{base}/{each.get('path')}": str(each.get("key"))
                    for each in mappings_at(held["items"])
                }
            else:
                keys = {
                    path: path[len(base) + 1 :] for path in named if path.startswith(f"{base}/")
                }
                if base in named:
                    yield name, ""
            for path, key in keys.items():
                if path in named and "/" not in key:
                    yield name, key


def _files(container: Mapping[str, object]) -> Iterator[str]:
    """The files from which kubectl creates objects, in the command and arguments of a container."""
    words = [str(word) for key in ("command", "args") for word in list_at(container, key)]
    for call in _KUBECTL.findall(" ".join(words)):
        if set(call.split()[:1]) & _ACTIONS and not _OTHERWISE.search(call):
            yield from (path.rstrip("/") for path in _FILES.findall(call))
