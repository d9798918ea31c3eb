"""Which files go to which cluster, as far as the tree shows: settings of one cluster's operator are no evidence for another.

Every file is traced to the roots from which it is built: the object of Flux or Argo CD that nothing else builds, or
the outermost folder. Two roots are in different clusters if Argo CD sends them to different destinations, or if both have an
object that a cluster can have only once: the same Kustomization or Application, or the same workload. A file that
cannot be traced may be in any cluster.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from dradsl.kube.pods.workloads import pod_specs
from dradsl.text.files import is_below
from dradsl.text.paths import value_at
from dradsl.tree.applied.repository import BuiltBy, Repository
from dradsl.tree.argo_cd.application_sets import filled
from dradsl.tree.manifests.manifest import manifests_of
from dradsl.values.limits import MOST_BUILDERS_ABOVE
from dradsl.values.plain import member

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.text.documents import Stream
    from dradsl.tree.applied.repository import FolderUse
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.tree.kustomize.surrounding import SurroundingKustomizations
    from dradsl.tree.manifests.manifest import Manifest

__all__ = ["Clusters"]

# What a root is, and what identifies it.
Root: TypeAlias = "tuple[str, str]"
# Kind, namespace and name of an object that a cluster has once.
_Identity: TypeAlias = "tuple[str, str, str]"

_IN_CLUSTER = frozenset({"https://kubernetes.default.svc", "in-cluster"})
_CONTROLLERS = frozenset({"kustomize.toolkit.fluxcd.io", "argoproj.io"})
_KINDS = frozenset({"Kustomization", "Application", "ApplicationSet"})


class Clusters:
    """The files of a run by the clusters that they go to; computed on demand."""

    def __init__(
        self, sources: Sequence[SourceText], around: SurroundingKustomizations | None
    ) -> None:
        self._sources = sources
        self._around = around
        self._repository: Repository | None = None
        self._roots: dict[str, frozenset[Root] | None] = {}
        self._open: set[str] = set()
        self._hosts: dict[Root, set[Root]] = {}
        self._apart: set[frozenset[Root]] | None = None
        self._split: set[tuple[str, str]] = set()

    def may_share(self, one: str, other: str) -> bool:
        """Whether the objects of two files of the run may go to the same cluster."""
        if one == other or len(self._sources) < 2:
            return True
        ours, theirs = self.roots(one), self.roots(other)
        if not ours or not theirs:
            return True
        return not all(self._differ(a, b) for a in ours for b in theirs)

    def roots(self, name: str) -> frozenset[Root] | None:
        """The roots from which a file is built; None where that is not known."""
        if name.startswith("<") or "\0" in name:
            return None
        return self._of(os.path.realpath(name))

    # Roots

    @property
    def repository(self) -> Repository:
        """The files with the kustomizations and builders among and around them."""
        if self._repository is None:
            around = self._around
            found: Sequence[tuple[str, Stream]] = (
                around.kustomizations if around is not None else ()
            )
            others = [(f"{folder}/kustomization.yaml", stream) for folder, stream in found]
            tops = around.roots if around is not None else ()
            files = [(source.name, source.stream) for source in self._sources]
            self._repository = Repository(files, others, tops)
        return self._repository

    def _of(self, path: str) -> frozenset[Root] | None:
        if path not in self._roots:
            self._open.add(path)
            self._roots[path] = self._worked_out(path)
            self._open.discard(path)
        return self._roots[path]

    def _worked_out(self, path: str) -> frozenset[Root] | None:
        uses = self.repository.uses_of(path)
        if uses is None or len(self._open) > MOST_BUILDERS_ABOVE:
            return None
        found: set[Root] = set()
        for use in uses:
            roots = self._root_of(path, use)
            if roots is None:
                return None
            found |= roots
        return frozenset(found) if uses else frozenset({("file", path)})

    def _root_of(self, path: str, use: FolderUse) -> frozenset[Root] | None:
        by = self.repository.builder_of(use)
        if by is None:
            chain, outermost = use.through, path
            while chain is not None:
                outermost, chain = chain
            return frozenset({("folder", outermost)})
        own: Root = ("object", f"{by.path}#{by.document}{by.prefix}")
        ring = by.path == path or by.path in self._open  # it builds itself, as Flux does
        hosts = frozenset({own}) if ring else self._of(by.path)
        remote = self._destination(by)
        if remote == "":
            return hosts
        if remote is None:
            return None
        root: Root = ("remote", remote)
        self._hosts.setdefault(root, set()).update(hosts or ())
        return frozenset({root})

    def _destination(self, by: BuiltBy) -> str | None:
        """The cluster that an object builds for, "" for its own; None if that is not known."""
        stream = self.repository.files.get(by.path)
        documents = stream.documents if stream is not None else ()
        document = next((d for d in documents if d.index == by.document), None)
        if document is None:
            return ""
        data: Any = value_at(document.data, by.prefix)
        if data.get("kind") == "Kustomization":
            secret = member(data, "spec", "kubeConfig", "secretRef", "name")
            return "" if member(data, "spec", "kubeConfig") is None else f"secret {secret}"
        spec: Any = member(data, "spec")
        if data.get("kind") == "ApplicationSet":
            spec = member(spec, "template", "spec")
            if by.parameters is not None and isinstance(spec, dict):
                spec = filled(spec, by.parameters)
        for key in ("server", "name"):
            found = member(spec, "destination", key)
            if isinstance(found, str) and found:
                if "{{" in found or "${" in found:
                    return None
                return "" if found.rstrip("/") in _IN_CLUSTER else f"{key} {found.rstrip('/')}"
        return ""

    # What differs

    def _differ(self, one: Root, other: Root) -> bool:
        if one == other:
            return False
        if one[0] == other[0] == "remote":
            # A URL and a name may refer to the same cluster.
            return one[1].split(" ")[0] == other[1].split(" ")[0]
        for remote, host in ((one, other), (other, one)):
            if remote[0] == "remote":
                return host in self._hosts.get(remote, ())
        if self._apart is None:
            self._apart = set()
            self._find_doubles()
        if frozenset((one, other)) in self._apart:
            return True
        return one[0] == other[0] == "file" and any(
            is_below(one[1], a) and is_below(other[1], b) for a, b in self._split
        )

    def _find_doubles(self) -> None:
        """Roots with an object that one cluster has once."""
        seen: dict[_Identity, dict[Root, tuple[str, object]]] = {}
        for source in self._sources:
            for manifest in manifests_of(source):
                for identity, roots in self._identities(manifest):
                    for root in roots:
                        known = seen.setdefault(identity, {})
                        known.setdefault(root, (os.path.realpath(source.name), manifest.data))
        assert self._apart is not None  # noqa: S101 - made by the caller
        for identity, found in seen.items():
            entries = list(found.items())
            for index, (one, (path, data)) in enumerate(entries):
                for other, (second, more) in entries[index + 1 :]:
                    if identity[0] in _KINDS and data == more:
                        continue
                    self._apart.add(frozenset((one, other)))
                    if one[0] == other[0] == "file" and identity[0] in _KINDS:
                        a, b = _parted(path, second)
                        self._split |= {(a, b), (b, a)}

    def _identities(self, manifest: Manifest) -> Iterator[tuple[_Identity, frozenset[Root]]]:
        """An object that a cluster has once, as it is applied to the cluster, with the roots; none if its namespace is
        not known."""
        controls = manifest.group in _CONTROLLERS and manifest.kind in _KINDS
        if manifest.name is None or not (controls or any(True for _ in pod_specs(manifest.data))):
            return
        path = os.path.realpath(manifest.path)
        uses = self.repository.uses_of(path) or ()
        for use in uses:
            space = use.namespace or manifest.namespace or use.fallback
            roots = self._root_of(path, use)
            name = f"{use.prefix}{manifest.name}{use.suffix}"
            is_known = not any("$" in text or "{{" in text for text in (space or "$", name))
            if space and roots and is_known:
                yield (manifest.kind, space, name), roots
        if not uses and controls and manifest.namespace:
            yield (manifest.kind, manifest.namespace, manifest.name), frozenset({("file", path)})


def _parted(one: str, other: str) -> tuple[str, str]:
    """The first folders in which the paths of two files differ."""
    ways = Path(one).parts, Path(other).parts
    number = next(i for i, (a, b) in enumerate(zip(*ways, strict=False)) if a != b)
    return str(Path(*ways[0][: number + 1])), str(Path(*ways[1][: number + 1]))
