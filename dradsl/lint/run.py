"""What a rule may look at: one release's view of every object of the run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dradsl.lint.found import Found
from dradsl.lint.manifests import RESOURCE_GROUP, Manifest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dradsl.kube.admission import Admission
    from dradsl.kube.workloads import PodSpecAt
    from dradsl.lint.index import Index
    from dradsl.releases import Features, Release
    from dradsl.text.paths import FieldPath

__all__ = ["ClaimView", "PodView", "RequestView", "Run"]


@dataclass(frozen=True, slots=True)
class RequestView:
    """A request or an alternative of one, in v1 shape, with its path in the v1 object."""

    name: str
    parent: str | None  # the request's name, for an alternative of `firstAvailable`
    body: Mapping[str, object]
    path: FieldPath

    @property
    def reference(self) -> str:
        """How constraints and configs name it: `R` or `R/S`."""
        return self.name if self.parent is None else f"{self.parent}/{self.name}"


@dataclass(frozen=True, slots=True)
class ClaimView:
    """The claim spec of a ResourceClaim or ResourceClaimTemplate, in v1 shape."""

    manifest: Manifest
    admission: Admission
    spec: Mapping[str, object]
    path: FieldPath  # of the spec, in the v1 object

    def written(self, path: FieldPath) -> FieldPath:
        """The path in the file of a path in the v1 object."""
        return self.admission.written_path(path)

    def devices(self) -> Mapping[str, object]:
        return _mapping(self.spec.get("devices"))

    def requests(self) -> Iterator[tuple[str, FieldPath, Mapping[str, object]]]:
        """The main requests: name, v1 path, body with `exactly` or `firstAvailable`."""
        for index, request in enumerate(_mappings(self.devices().get("requests"))):
            name = request.get("name")
            yield (
                name if isinstance(name, str) else "",
                (*self.path, "devices", "requests", index),
                request,
            )

    def bodies(self) -> Iterator[RequestView]:
        """What is asked for: each `exactly`, and each alternative of `firstAvailable`."""
        for name, path, request in self.requests():
            exactly = request.get("exactly")
            if isinstance(exactly, dict):
                yield RequestView(name, None, exactly, (*path, "exactly"))
            for index, body in enumerate(_mappings(request.get("firstAvailable"))):
                alternative = body.get("name")
                yield RequestView(
                    alternative if isinstance(alternative, str) else "",
                    name,
                    body,
                    (*path, "firstAvailable", index),
                )


@dataclass(frozen=True, slots=True)
class PodView:
    """A pod spec inside any object."""

    manifest: Manifest
    at: PodSpecAt

    @property
    def spec(self) -> Mapping[str, object]:
        return self.at.spec

    @property
    def namespace(self) -> str | None:
        return self.manifest.namespace

    def claims(self) -> Iterator[tuple[int, Mapping[str, object]]]:
        """The entries of `resourceClaims` with their index."""
        yield from enumerate(_mappings(self.spec.get("resourceClaims")))

    def containers(self) -> Iterator[tuple[FieldPath, Mapping[str, object]]]:
        """Init and main containers, with their paths in the manifest."""
        for part in ("initContainers", "containers"):
            for index, container in enumerate(_mappings(self.spec.get(part))):
                yield (*self.at.path, part, index), container

    def container_claims(self) -> Iterator[tuple[FieldPath, Mapping[str, object]]]:
        """The entries of `resources.claims` of every container, with their paths."""
        for path, container in self.containers():
            resources = _mapping(container.get("resources"))
            for index, entry in enumerate(_mappings(resources.get("claims"))):
                yield (*path, "resources", "claims", index), entry


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """One release's view of the run: the rules' only argument."""

    release: Release
    features: Features
    manifests: tuple[Manifest, ...]  # those that are reported on
    index: Index  # those and the `--context`
    admissions: Mapping[Manifest, Admission]  # of every resource.k8s.io object in the index
    pod_views: Mapping[Manifest, tuple[PodView, ...]]
    _claim_cache: dict[Manifest, ClaimView | None] = field(default_factory=dict)

    def claims(self) -> Iterator[ClaimView]:
        """The claims and claim templates that are reported on and could be decoded."""
        for manifest in self.manifests:
            view = self.claim_of(manifest)
            if view is not None:
                yield view

    def claim_of(self, manifest: Manifest) -> ClaimView | None:
        """The claim spec of a claim or template, also one of the context."""
        if manifest not in self._claim_cache:
            self._claim_cache[manifest] = self._read_claim(manifest)
        return self._claim_cache[manifest]

    def _read_claim(self, manifest: Manifest) -> ClaimView | None:
        if manifest.group != RESOURCE_GROUP:
            return None
        admission = self.admissions.get(manifest)
        if admission is None or admission.object is None:
            return None
        spec = _mapping(admission.object.get("spec"))
        if manifest.kind == "ResourceClaim":
            return ClaimView(manifest, admission, spec, ("spec",))
        if manifest.kind == "ResourceClaimTemplate":
            return ClaimView(manifest, admission, _mapping(spec.get("spec")), ("spec", "spec"))
        return None

    def objects(self, kind: str) -> Iterator[tuple[Manifest, Admission]]:
        """The resource.k8s.io objects of a kind that are reported on and could be decoded."""
        for manifest in self.manifests:
            if manifest.kind == kind and manifest.group == RESOURCE_GROUP:
                admission = self.admissions.get(manifest)
                if admission is not None and admission.object is not None:
                    yield manifest, admission

    def pods(self) -> Iterator[PodView]:
        """Every pod spec that is reported on."""
        for manifest in self.manifests:
            yield from self.pod_views.get(manifest, ())

    def found(
        self, claim: ClaimView, path: FieldPath, code: str, message: str, **more: object
    ) -> Found:
        """A `Found` at a path of the claim's v1 object."""
        return Found(code, claim.manifest, claim.written(path), message, **more)  # type: ignore[arg-type]


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _mappings(value: object) -> list[Mapping[str, object]]:
    return [v if isinstance(v, dict) else {} for v in value] if isinstance(value, list) else []
