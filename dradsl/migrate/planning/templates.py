"""The claim template of a pod's plan, under a name that stays the same and conflicts with no other, and claims that pods share."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from typing import TYPE_CHECKING

from dradsl.migrate.detection.charts.folders import BY_TEMPLATES
from dradsl.migrate.planning.plan import in_claims, is_shared
from dradsl.values.digits import whole_number
from dradsl.values.plain import list_at, member

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dradsl.migrate.mapping.resource import Target
    from dradsl.migrate.places import PodAt
    from dradsl.migrate.planning.plan import PodPlan
    from dradsl.values.json_types import JsonMapping

__all__ = [
    "claim_classes",
    "claim_entry",
    "claim_names",
    "claim_objects",
    "folder_apart",
]


def claim_classes(claim: JsonMapping) -> frozenset[str]:
    """The classes that a claim asks for."""
    requests = claim["spec"]["devices"]["requests"]
    return frozenset(each["exactly"]["deviceClassName"] for each in requests)


CLAIM_NAME = "devices"
_LABEL = 63
_VARIABLE = re.compile(r"\$\{[^{}]+\}")


def claim_objects(plan: PodPlan) -> tuple[dict[str, object], ...]:
    """The ResourceClaimTemplates of a plan in API version v1, one for as many requests as a claim holds, or the
    ResourceClaim that other pods name too."""
    if is_shared(plan.requests.values()):
        return (_shared_claim(plan),)
    return tuple(_template(plan, requests) for requests in in_claims(plan.requests))


def _template(plan: PodPlan, requests: Mapping[str, Target]) -> dict[str, object]:
    manifest, spec = plan.pod.manifest, {"spec": {"devices": _devices(requests)}}
    namespace = manifest.namespace or plan.pod.goes_to
    name, annotations = template_name(plan, spec), _as_hook(manifest.data)
    return _object("ResourceClaimTemplate", name, namespace, annotations, spec)


def _object(
    kind: str,
    name: str,
    namespace: str | None,
    annotations: Mapping[str, str],
    spec: Mapping[str, object],
) -> dict[str, object]:
    metadata: dict[str, object] = {"name": name}
    if namespace is not None:
        metadata["namespace"] = namespace
    if annotations:
        metadata["annotations"] = annotations
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": kind,
        "metadata": metadata,
        "spec": spec,
    }


def claim_entry(claim: str, obj: JsonMapping) -> dict[str, str]:
    """The entry of a pod's `resourceClaims` for a new object."""
    shared = obj["kind"] == "ResourceClaim"
    key = "resourceClaimName" if shared else "resourceClaimTemplateName"
    return {"name": claim, key: obj["metadata"]["name"]}


def _shared_claim(plan: PodPlan) -> dict[str, object]:
    """A claim by the name that was chosen, or by its content: all pods that ask for the same get the same name, but not
    those of values in folders of their own whose namespaces are not visible."""
    spec = {"devices": _devices(plan.requests)}
    name = plan.decisions.claim_name
    if name is None:
        folder = folder_apart(plan.pod)
        content = spec if folder is None else [spec, folder]
        digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:6]
        words = ["shared", next(iter(plan.requests))]
        if folder is not None:
            last = folder.rpartition("/")[2].lower()
            words.insert(1, re.sub(r"[^a-z0-9-]+", "-", last).strip("-"))
        base = "-".join(filter(None, words))
        name = f"{base[: _LABEL - len(digest) - 1].strip('-')}-{digest}"
    return _object("ResourceClaim", name, plan.pod.manifest.namespace, {}, spec)


# Helm and Argo CD create the objects of a hook before those of the release, in the order of a number.
_HOOKS = (
    ("helm.sh/hook", "helm.sh/hook-delete-policy", "helm.sh/hook-weight"),
    (
        "argocd.argoproj.io/hook",
        "argocd.argoproj.io/hook-delete-policy",
        "argocd.argoproj.io/sync-wave",
    ),
)


def _as_hook(data: Mapping[str, object]) -> dict[str, str]:
    """Annotations that create the claim template of a hook before the hook runs. Otherwise the template
    comes with the release: the pods wait for the template, and the release waits for the pods."""
    written = member(data, "metadata", "annotations")
    found: dict[str, str] = {}
    for hook, policy, weight in _HOOKS:
        if not isinstance(written, dict) or not written.get(hook):
            continue
        found |= {key: str(written[key]) for key in (hook, policy) if written.get(key)}
        number = whole_number(str(written.get(weight) or 0).strip())
        found[weight] = str(-1 if number is None else number - 1)
    return found


def template_name(plan: PodPlan, spec: Mapping[str, object]) -> str:
    """`<workload>-<role>-<hash>`: the hash is that of the content.

    The spec of a template cannot be changed: a template with another spec needs another name, or
    the next `helm upgrade` fails.
    """
    manifest = plan.pod.manifest
    text = json.dumps([spec, manifest.kind, manifest.api_version, plan.pod.role], sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()[:6]
    words = [_of_values(plan) or manifest.name or manifest.kind, plan.pod.role]
    if manifest.name is not None and _VARIABLE.search(manifest.name):
        # Two apps may share the file: the variable gives each its own name.
        return "-".join(filter(None, (manifest.name, plan.pod.role.lower(), digest)))
    base = re.sub(r"[^a-z0-9-]+", "-", "-".join(filter(None, words)).lower()).strip("-")
    if not base or not base[0].isalpha():
        base = f"claim-{base}".strip("-")
    return f"{base[: _LABEL - len(digest) - 1].strip('-')}-{digest}"


def folder_apart(pod: PodAt) -> str | None:
    """The folder of a file of values whose namespace is not visible: that of another folder may be another one."""
    manifest = pod.manifest
    if manifest.kind != "values" or manifest.namespace is not None or pod.goes_to is not None:
        return None
    return manifest.source.name.replace("\\", "/").rpartition("/")[0] or None


def _of_values(plan: PodPlan) -> str | None:
    """A name that distinguishes values from those of other charts, which may go to the same namespace: the name of
    their chart, or of the folder of a `values.yaml`."""
    manifest, match = plan.pod.manifest, plan.pod.match
    if manifest.kind != "values" or manifest.name != "values":
        return None
    if match is not None and match.recipe == BY_TEMPLATES:
        return match.installed.chart
    *above, _ = manifest.source.name.replace("\\", "/").split("/")
    return above[-1] if above else None


def claim_names(spec: Mapping[str, object]) -> Iterator[str]:
    """The names that claims of the pod can have: `devices`, and the next ones that are free."""
    taken = [
        entry.get("name") for entry in list_at(spec, "resourceClaims") if isinstance(entry, dict)
    ]
    numbered = (f"{CLAIM_NAME}-{number}" for number in itertools.count(2))
    return (each for each in itertools.chain([CLAIM_NAME], numbered) if each not in taken)


def _devices(requests: Mapping[str, Target]) -> dict[str, object]:
    devices: dict[str, object] = {
        "requests": [_request(name, target) for name, target in requests.items()]
    }
    constraints = [
        {"requests": [name], "distinctAttribute": target.distinct}
        for name, target in requests.items()
        if target.distinct is not None
    ]
    if constraints:
        devices["constraints"] = constraints
    return devices


def _request(name: str, target: Target) -> dict[str, object]:
    exactly: dict[str, object] = {"deviceClassName": target.device_class}
    if target.mode == "admin":
        exactly |= {"allocationMode": "All", "adminAccess": True}
    elif target.count != 1:
        exactly["count"] = target.count
    if target.selectors:
        exactly["selectors"] = [{"cel": {"expression": text}} for text in target.selectors]
    if target.capacity:
        exactly["capacity"] = {"requests": dict(target.capacity)}
    return {"name": name, "exactly": exactly}
