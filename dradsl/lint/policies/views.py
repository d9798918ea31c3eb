"""What a rule of a team sees of an object: the object that a policy in the cluster would be asked about.

Objects of resource.k8s.io are seen as the API server holds them: in v1, with defaults, without fields of gates
that are off. Others are seen as written. A template is also the claim or the pod that is made of it: policies
see those, whoever makes them.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Mapping

from dradsl.cel.runtime.values import Value
from dradsl.diagnostics import FieldPath
from dradsl.lint.policies.partly import UNKNOWN, PartlyKnownMap, value_of
from dradsl.lint.view.view import Run
from dradsl.records import Record
from dradsl.tree.manifests.manifest import RESOURCE_GROUP, Manifest
from dradsl.values.plain import mapping_at

__all__ = ["PolicyObject", "views_of"]

# Objects without a namespace; of kinds that are not listed and not known it cannot be told.
_CLUSTER_SCOPED = frozenset(
    {
        "APIService", "CertificateSigningRequest", "ClusterRole", "ClusterRoleBinding", "CSIDriver",
        "CSINode", "CustomResourceDefinition", "DeviceClass", "DeviceTaintRule", "FlowSchema",
        "IngressClass", "MutatingWebhookConfiguration", "Namespace", "Node", "PersistentVolume",
        "PriorityClass", "PriorityLevelConfiguration", "ResourcePoolStatusRequest", "ResourceSlice",
        "RuntimeClass", "StorageClass", "ValidatingAdmissionPolicy",
        "ValidatingAdmissionPolicyBinding", "ValidatingWebhookConfiguration", "VolumeAttachment",
    }
)  # fmt: skip
_OUR_GROUPS = ("", "apps", "batch", "autoscaling", "policy", "networking.k8s.io", RESOURCE_GROUP)
_BUILDERS = ("kustomize.toolkit.fluxcd.io/", "argoproj.io/")
_KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
# What of a kustomization, or of what builds one, gives objects labels and annotations that they lack.
_ADD_LABELS = ("abels", "nnotations", "ommonMetadata", "ransformers", "omponents", "eplacements")


class PolicyObject(Record):
    """An object as a policy sees it, and where its fields are in the file."""

    manifest: Manifest
    api_version: str
    kind: str
    values: tuple[Value, ...]  # one for each namespace that it goes to
    from_template: bool
    written: Callable[[FieldPath], FieldPath]


def views_of(run: Run, manifest: Manifest) -> Iterator[PolicyObject]:
    """What there is to see of a manifest; nothing of patches, and of what charts make of values."""
    if manifest.is_patch or manifest.chart_output is not None:
        return
    if manifest.group == RESOURCE_GROUP:
        yield from _of_resource(run, manifest)
        return
    yield _view(run, manifest, manifest.data, (), lambda path: path)
    if manifest.kind == "Pod":
        return
    for pod in run.pods_of(manifest):
        path = pod.at.path
        if path[-1:] != ("spec",) or "containers" not in pod.spec:
            continue
        data = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {**pod.at.metadata, "name": UNKNOWN},
            "spec": pod.spec,
        }
        above = path[:-1]
        yield _view(run, manifest, data, above, functools.partial(_below, above))


def _below(above: FieldPath, path: FieldPath) -> FieldPath:
    return (*above, *path)


def _of_resource(run: Run, manifest: Manifest) -> Iterator[PolicyObject]:
    admission = run.admission(manifest)
    if admission is None or admission.object is None:
        return  # what cannot be decoded is said elsewhere
    data = admission.object

    def written(path: FieldPath) -> FieldPath:
        from dradsl.kube.fields.conversion import path_from_v1

        return path_from_v1(path, manifest.kind, manifest.api_version)

    yield _view(run, manifest, data, (), written)
    spec = data.get("spec")
    if manifest.kind == "ResourceClaimTemplate" and isinstance(spec, dict):
        metadata = spec.get("metadata")
        claim = {
            "apiVersion": data.get("apiVersion"),
            "kind": "ResourceClaim",
            "metadata": {**(metadata if isinstance(metadata, dict) else {}), "name": UNKNOWN},
            "spec": spec.get("spec"),
        }
        yield _view(run, manifest, claim, ("spec",), lambda path: written(("spec", *path)))


def _view(
    run: Run,
    manifest: Manifest,
    data: Mapping[str, object],
    above: FieldPath,
    written: Callable[[FieldPath], FieldPath],
) -> PolicyObject:
    context = manifest.build_context
    reached = context.origin is not None and bool(context.origin.uses)
    has_unknown_labels = reached and (
        context.completed or run.remember("policies.labels", lambda: _adds_labels(run))
    )

    def unknown(path: FieldPath) -> bool:
        return bool(context.holes) and manifest.is_unknown(written(path))

    def has_unknown_keys(path: FieldPath) -> bool:
        if context.completed:
            return True
        if context.holes:
            here = written(path)
            # Keys that are not known stand for any.
            if any(hole[:-1] == here and _is_key(manifest, hole) for hole in context.holes):
                return True
        return has_unknown_labels and path in (("metadata", "labels"), ("metadata", "annotations"))

    own = dict(mapping_at(data, "metadata"))
    for key in ("labels", "annotations") if has_unknown_labels else ():
        own.setdefault(key, {})
    values = []
    for namespace in _namespaces(manifest):
        if namespace is not None:
            own["namespace"] = namespace
        else:
            own.pop("namespace", None)
        value = value_of({**data, "metadata": own}, unknown, has_unknown_keys)
        if _has_unknown_scope(manifest) and "namespace" not in own:
            value = _with_maybe(value)
        values.append(value)
    kind = str(data.get("kind"))
    version = str(data.get("apiVersion")) if above else manifest.api_version
    return PolicyObject(manifest, version, kind, tuple(values), bool(above), written)


def _is_key(manifest: Manifest, hole: FieldPath) -> bool:
    """Whether a hole is the name of a field, and not its value."""
    parts = manifest.build_context.holes[hole]
    return len(parts) == 1 and not isinstance(parts[0], str) and parts[0].text == str(hole[-1])


def _namespaces(manifest: Manifest) -> tuple[object, ...]:
    """The namespaces of an object: each one that it goes to, UNKNOWN, or None where there is none."""
    if manifest.group in _OUR_GROUPS and manifest.kind in _CLUSTER_SCOPED:
        return (None,)
    if manifest.namespaces:
        return manifest.namespaces
    return (None,) if _has_unknown_scope(manifest) else (UNKNOWN,)


def _has_unknown_scope(manifest: Manifest) -> bool:
    """Whether it is unknown if objects of the kind are namespaced."""
    return manifest.group not in _OUR_GROUPS


def _with_maybe(value: Value) -> Value:
    metadata = value.get("metadata") if isinstance(value, dict) else None
    if not isinstance(metadata, dict):
        return value
    if not isinstance(metadata, PartlyKnownMap):
        metadata = PartlyKnownMap(metadata)
    metadata.maybe = frozenset({"namespace"})
    value["metadata"] = metadata
    return value


def _adds_labels(run: Run) -> bool:
    texts = [
        source.stream.text
        for source in run.sources
        if os.path.basename(source.name) in _KUSTOMIZATIONS
        or any(group in source.stream.text for group in _BUILDERS)
    ]
    return not texts or any(sign in text for text in texts for sign in _ADD_LABELS)
