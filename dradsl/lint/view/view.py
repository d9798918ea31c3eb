"""What a rule may look at: one release's view of every object of the run."""

from __future__ import annotations

import re
from bisect import bisect_left

from dradsl.kube import limits
from dradsl.kube.errors import STRICT_DECODING, FieldError
from dradsl.kube.fields import conversion
from dradsl.kube.server.api_server import Admission, ApiServer
from dradsl.records import cached, dataclass, field, once, replace
from dradsl.releases import Features, Release, newest_release
from dradsl.tree.manifests.manifest import RESOURCE_GROUP, Manifest
from dradsl.values.patterns import pattern
from dradsl.values.plain import find_at, mapping_at, mappings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Collection,
        Hashable,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )
    from typing import Any, Literal, TypeAlias, TypeVar

    from dradsl.diagnostics import FieldPath
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.lint.catalogue.rules import Rule
    from dradsl.lint.settings.config import LintConfig
    from dradsl.lint.view.before import PreviousObjects
    from dradsl.lint.view.index import ObjectIndex
    from dradsl.lint.view.pods import PodView
    from dradsl.releases.scheduling import AllocatorVariant
    from dradsl.tree.builds import Builds
    from dradsl.tree.inputs.sources import SourceText

    T = TypeVar("T")
    Memory: TypeAlias = Literal["run", "schemas", "recorded"]


__all__ = ["ClaimView", "RequestView", "Run"]

_FENCE = pattern(r"^[ >\t]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ ]+)*(?:`{3,}|~{3,})", re.MULTILINE)


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

    @property
    def class_name(self) -> str | None:
        """The DeviceClass that it names."""
        name = self.body.get("deviceClassName")
        return name if isinstance(name, str) else None


@dataclass(frozen=True, slots=True)
class ClaimView:
    """The claim spec of a ResourceClaim or ResourceClaimTemplate, in v1 shape."""

    manifest: Manifest
    admission: Admission
    spec: Mapping[str, object]
    path: FieldPath  # of the spec, in the v1 object
    devices: Mapping[str, object]
    like: ClaimView | None = None  # one with that very spec, at that path

    def written(self, path: FieldPath) -> FieldPath:
        """The path in the file of a path in the v1 object."""
        return conversion.path_from_v1(path, self.manifest.kind, self.manifest.api_version)

    def requests(self) -> Iterator[tuple[str, FieldPath, Mapping[str, object]]]:
        """The main requests: name, v1 path, body with `exactly` or `firstAvailable`."""
        for index, request in enumerate(mappings(self.devices.get("requests"))):
            name = request.get("name")
            yield (
                name if isinstance(name, str) else "",
                (*self.path, "devices", "requests", index),
                request,
            )

    def request_names(self) -> Collection[str]:
        """The names of the main requests, in order."""
        return self._names

    @cached
    def _names(self) -> Collection[str]:
        if self.like is not None:
            return self.like.request_names()
        return dict.fromkeys(name for name, _, _ in self.requests())

    @cached
    def bodies(self) -> Sequence[RequestView]:
        """What is asked for: each `exactly`, and each alternative of `firstAvailable`.

        Empty for a claim that is rejected for the number of its requests, whatever they are.
        """
        # Many rules ask.
        return tuple(self._read_bodies()) if self.like is None else self.like.bodies

    def named(self, names: object) -> Iterator[RequestView]:
        """What a constraint or a configuration is about: the requests and alternatives in its list, all if it has none."""
        listed = names if isinstance(names, list) else []
        for request in self.bodies:
            if not listed or request.reference in listed or request.parent in listed:
                yield request

    def _read_bodies(self) -> Iterator[RequestView]:
        requests = self.devices.get("requests")
        if isinstance(requests, list) and len(requests) > limits.MAX_REQUESTS:
            return
        for name, path, request in self.requests():
            exactly = request.get("exactly")
            if isinstance(exactly, dict):
                yield RequestView(name, None, exactly, (*path, "exactly"))
            alternatives = mappings(request.get("firstAvailable"))
            for index, body in enumerate(alternatives[: limits.MAX_ALTERNATIVES]):
                alternative = body.get("name")
                yield RequestView(
                    alternative if isinstance(alternative, str) else "",
                    name,
                    body,
                    (*path, "firstAvailable", index),
                )


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """One release's view of the run: the rules' only argument.

    What is derived (admissions, pod specs) is made when first asked for, and kept.
    """

    release: Release
    features: Features
    config: LintConfig
    manifests: Sequence[Manifest]  # those in which something is to be found
    index: ObjectIndex  # those and the `--context`
    previous: PreviousObjects | None = None  # the state before, for rules on updates
    inventory: tuple[Mapping[str, object], ...] = ()  # recorded objects, for rules on feasibility
    sources: tuple[SourceText, ...] = ()  # the files, for rules on what is no object (values)
    reported: Sequence[Manifest] = ()  # all that are reported on; of some nothing may be asked
    recheck: bool = False  # only whether something is found again counts: no fixes are made
    _kept: _Kept = field(default_factory=lambda: _Kept())

    def narrowed(self, manifests: Iterable[Manifest]) -> Run:
        """The same where what was found in these objects is looked for again."""
        return replace(self, manifests=tuple(manifests), recheck=True)

    def reuse_caches_of(self, run: Run, *, objects_changed: bool = False) -> None:
        """Use again what a run of the same release and configuration has worked out of the same objects.

        With `objects_changed` some of the objects are others.
        """
        kept, own = run._kept, self._kept
        own.server, own.newest = kept.server, kept.newest
        schemas = kept.schemas
        if not objects_changed or (
            schemas is not None
            and self._placeholders(schemas.every) == schemas.hidden
            and self._published_slices() == run._published_slices()
        ):
            own.schemas = schemas
        own.pods, own.of_objects = dict(kept.pods), dict(kept.of_objects)
        if self.same_namespaces(run):  # what is admitted depends on their labels
            own.admissions, own.claims = dict(kept.admissions), dict(kept.claims)

    def same_namespaces(self, run: Run) -> bool:
        """Whether both see the same Namespaces, and these are known."""
        namespaces = self.index.kind("Namespace")
        same = set(namespaces) == set(run.index.kind("Namespace"))
        return same and not any(each.build_context.holes for each in namespaces)

    def lacks(self, rule: Rule) -> str | None:
        """What is missing for the rule to run, in words; None if it can run."""
        if "inventory" in rule.needs and not self.inventory:
            return "no recorded slices (--slices)"
        return None

    @property
    def server(self) -> ApiServer:
        """The API server of the release. It knows no namespaces: those of one name may be several."""
        if self._kept.server is None:
            self._kept.server = ApiServer(self.release, self.features)
        return self._kept.server

    def admission(self, manifest: Manifest) -> Admission | None:
        """What the API server makes of an object; None for kinds outside resource.k8s.io."""
        if manifest.group != RESOURCE_GROUP:
            return None
        return once(self._kept.admissions, manifest, self._admit)

    def _admit(self, manifest: Manifest) -> Admission:
        labels = self.namespace_labels(manifest) or (None,)
        admissions = [self.admitted(manifest, each) for each in labels]
        return min(admissions, key=lambda each: len(each.problems))

    def admitted(self, manifest: Manifest, labels: Mapping[str, str] | None) -> Admission:
        """What the API server makes of an object in a namespace with these labels, of which None are not known."""
        if manifest.is_patch or manifest.build_context.holes:
            from dradsl.lint.view.partial import admit_known_part

            return admit_known_part(self.server, manifest, labels)
        return self.server.create(manifest.data, labels=labels)

    def namespace_labels(self, manifest: Manifest) -> Sequence[Mapping[str, str]]:
        """The labels of the namespace of an object: several where several Namespaces may be meant, none
        where they are not known."""
        found: list[Mapping[str, str]] = []
        for namespace in manifest.namespaces:
            labels = self.labels_of(namespace, manifest)
            if not labels:
                return ()
            found += [each for each in labels if each not in found]
        return found

    def labels_of(self, namespace: str, near: Manifest) -> Sequence[Mapping[str, str]]:
        """The labels of the Namespaces of a name, of which an object `near` means one; none where they are not known."""
        meant = self.index.meant("Namespace", namespace, near)
        may_have_more = any(e.build_context.holes or e.build_context.completed for e in meant)
        return () if may_have_more else [_labels(each) for each in meant]

    def variant(self) -> AllocatorVariant:
        """How the allocator of the release works, with its features."""
        from dradsl.allocator.switches import allocator_features, choose_variant, variants_of

        return choose_variant(variants_of(self.release.patch), allocator_features(self.features))

    def part_of(self, manifest: Manifest) -> tuple[str, int]:
        """What an object is shown with: its file, of a page its fenced block, which is an example of its own."""
        source = manifest.source
        if not source.is_markdown:
            return manifest.path, 0
        document = manifest.document if manifest.within is None else manifest.within.document
        starts = self.remember(
            ("fences", manifest.path),
            lambda: [m.start() for m in _FENCE.finditer(source.stream.text)],
        )
        return manifest.path, bisect_left(starts, document.start)

    def are_apart(self, one: Manifest, other: Manifest) -> bool:
        """Whether one of two objects is an example on a page that does not show the other."""
        on_page = one.source.is_markdown or other.source.is_markdown
        return on_page and self.part_of(one) != self.part_of(other)

    def compiles_later(self, expression: str) -> bool:
        """Whether the newest release takes an expression, at least once it is stored."""
        if self._kept.newest is None:
            newest = newest_release()
            self._kept.newest = ApiServer(newest, newest.features())
        return self._kept.newest.expression(expression, "stored").accepted

    @property
    def builds(self) -> Builds:
        """The service that builds kustomizations in the trees of the run's files."""
        from dradsl.tree.builds import Builds

        return self.remember(Builds, Builds)

    def remember(self, key: Hashable, make: Callable[[], T], by: Memory = "run") -> T:
        """What `make` gives, worked out once for equal keys.

        `by` says on what it depends, besides the key, and so which other runs know it too: on all of the `run`; on
        the driver `schemas` alone, as runs on other objects have them; or on the `recorded` objects alone, where later runs
        are given the same RecordedObjects.
        """
        results = self._kept.results
        if by == "schemas":
            results = self._schemas().results
        elif by == "recorded":
            from dradsl.lint.view.recorded import RecordedObjects

            if isinstance(self.inventory, RecordedObjects):
                results = self.inventory.kept
        if key not in results:
            results[key] = make()
        made: T = results[key]
        return made

    def remember_of(self, manifest: Manifest, make: Callable[[Manifest], T]) -> T:
        """As `remember`, of what depends on one object alone: each run on that object knows it too."""
        made: T = once(self._kept.of_objects, (make, manifest), lambda _: make(manifest))
        return made

    @property
    def drivers(self) -> Catalogue:
        """The driver schemas: the shipped ones and the user's, sharpened by recorded slices."""
        return self._schemas().meant

    def _schemas(self) -> _Schemas:
        kept = self._kept
        if kept.schemas is None:
            from dradsl.drivers.schema.catalogue import Catalogue

            own = self.config.driver_schema
            versions = {d: (v,) for d, v in self.config.driver_versions.items()}
            every = Catalogue(own, versions=versions, outside=self.config.outside)
            hidden = self._placeholders(every)
            drivers = every.without(hidden)
            if self.inventory and (own or self.config.isolated):
                # The files may change from run to run.
                drivers = self._sharpened(drivers)
            elif self.inventory:
                from dradsl.lint.view.recorded import RecordedObjects

                key = RecordedObjects.key_of_sharpened(self.config.driver_versions, tuple(hidden))
                drivers = self.remember(key, lambda: self._sharpened(every, hidden), by="recorded")
            elif written := self._published_slices():
                from dradsl.drivers.schema.sharpen import opened

                drivers = opened(drivers, written)
            kept.schemas = _Schemas(every, hidden, drivers)
        return kept.schemas

    def _sharpened(self, drivers: Catalogue, hidden: Collection[str] = ()) -> Catalogue:
        """The schemas without those that are hidden, as the recorded slices show their drivers."""
        from dradsl.drivers.schema.recorded import recorded_devices
        from dradsl.drivers.schema.sharpen import sharpened

        slices = [each for each in self.inventory if each.get("kind") == "ResourceSlice"]
        return sharpened(drivers.without(hidden), recorded_devices(slices))

    def _published_slices(self) -> list[object]:
        # They show what a driver published.
        return [m.data for m in self.index.kind("ResourceSlice") if m.is_recorded]

    def _placeholders(self, drivers: Catalogue) -> tuple[str, ...]:
        from dradsl.lint.view.placeholders import unused_placeholders

        settled = {name for name in drivers.names() if drivers.settled(name)}
        return unused_placeholders(drivers, settled, self.index, self.inventory)

    def installed_classes(self) -> Collection[str]:
        """The names of the DeviceClasses that known drivers install."""
        return self.drivers.index().classes.keys()

    def has_class(self, name: str, near: Manifest) -> bool:
        """Whether the run shows the DeviceClass that a reference of `near` names, or a known driver installs it."""
        held = self.index.holds("DeviceClass", name, near) or name in self.installed_classes()
        # Only now are the drivers of installed packages looked at.
        return held or self.drivers.device_class(name) is not None

    def written_value(self, manifest: Manifest, path: FieldPath) -> object:
        """The value at a path of the object as written; None where there is none."""
        return find_at(manifest.data, path)

    @cached
    def claims(self) -> Sequence[ClaimView]:
        """The claims and claim templates that are reported on and could be decoded."""
        views = [self.claim_of(m) for m in self.manifests if m.group == RESOURCE_GROUP]
        return tuple([view for view in views if view is not None])

    def claim_of(self, manifest: Manifest) -> ClaimView | None:
        """The claim spec of a claim or template, also one of the context."""
        return once(self._kept.claims, manifest, self._read_claim)

    def _read_claim(self, manifest: Manifest) -> ClaimView | None:
        admission = self.admission(manifest)
        if admission is None or not admission.decoded:
            return None
        spec = mapping_at(admission.spec)
        if manifest.kind == "ResourceClaim":
            path: FieldPath = ("spec",)
        elif manifest.kind == "ResourceClaimTemplate":
            spec, path = mapping_at(spec, "spec"), ("spec", "spec")
        else:
            return None
        # What is stored of equal claims has one spec in a long run: its requests are kept once as well.
        kept = self._kept.specs
        like = kept.get((id(spec), path))
        view = ClaimView(manifest, admission, spec, path, mapping_at(spec, "devices"), like)
        if like is None:
            kept[id(spec), path] = view
        return view

    def objects(self, kind: str) -> Iterator[tuple[Manifest, Admission]]:
        """The resource.k8s.io objects of a kind that are reported on and could be decoded."""
        for manifest in self.of_kind(kind):
            admission = self.admission(manifest)
            if admission is not None and admission.decoded:
                yield manifest, admission

    def of_kind(self, kind: str) -> Sequence[Manifest]:
        """The objects of a kind that are reported on."""
        return self._by_kind.get(kind, ())

    @cached
    def _by_kind(self) -> Mapping[str, Sequence[Manifest]]:
        found: dict[str, list[Manifest]] = {}
        for manifest in self.manifests:
            found.setdefault(manifest.kind, []).append(manifest)
        return found

    def of_other_groups(self, groups: Collection[str]) -> Iterable[Manifest]:
        """The objects that are reported on, in order, but for those of some groups."""
        return (each for each in self.reported if each.group not in groups)

    @cached
    def pods(self) -> Sequence[PodView]:
        """Every pod spec that is reported on."""
        found: list[PodView] = []
        for manifest in self.manifests:
            if manifest.group != RESOURCE_GROUP:
                found += self.pods_of(manifest)
        return tuple(found)

    def pods_of(self, manifest: Manifest) -> tuple[PodView, ...]:
        """The pod specs inside one object."""
        found = self._kept.pods.get(manifest)
        if found is None:
            from dradsl.lint.view.pods import pods_in

            found = self._kept.pods[manifest] = tuple(pods_in(manifest))
        return found

    def workload_errors(self, manifest: Manifest) -> list[FieldError]:
        """What the API server does not decode in an object of one of Kubernetes' own kinds with pods."""
        if not manifest.is_patch:
            return self.server.workload(manifest.data)
        from dradsl.lint.view.partial import without_directives

        errors = self.server.workload(without_directives(manifest.data))
        operation = manifest.operation
        if operation is None or operation.written:
            return errors
        return [error for error in errors if error.type == STRICT_DECODING]

    def workload_values(
        self, manifest: Manifest, decoded: Sequence[FieldError]
    ) -> list[FieldError]:
        """What the API server's validation rejects in a whole object of these kinds, of which `workload_errors` has
        `decoded`: nothing of a part of one, and of one that is no more what is written once it is built."""
        context = manifest.build_context
        if manifest.is_patch or manifest.chart_output is not None or context.changed:
            return []
        if not context.holes:
            return self.server.workload_values(manifest.data, decoded)
        from dradsl.lint.view.partial import known_workload_values

        return known_workload_values(self.server, manifest)

    def pod_errors(self, pod: PodView, decoded: Sequence[FieldError] = ()) -> list[FieldError]:
        """What the API server rejects in the claim-related parts of a pod spec, without what `workload_errors` has
        `decoded`."""
        errors = self.server.pod(pod.spec, pod.at.annotations, pod.at.path, decoded=decoded)
        if pod.manifest.is_patch:
            from dradsl.lint.view.partial import holds_for_patches

            operation = pod.manifest.operation
            if operation is not None and not operation.written:
                # It removes or tests what is at a path: all that it says are names of fields.
                return [error for error in errors if error.type == STRICT_DECODING]
            # Of a claim that is not in the patch there is more to say once names are compared.
            data = pod.manifest.data
            return [
                error
                for error in errors
                if error.reason == "unknown-pod-claim" or holds_for_patches(error, error.path, data)
            ]
        return errors


@dataclass(slots=True)
class _Kept:
    """What a run has worked out so far."""

    admissions: dict[Manifest, Admission] = field(default_factory=dict)
    server: ApiServer | None = None
    newest: ApiServer | None = None  # of the newest release, with its own gates
    claims: dict[Manifest, ClaimView | None] = field(default_factory=dict)
    specs: dict[tuple[int, FieldPath], ClaimView] = field(default_factory=dict)
    pods: dict[Manifest, tuple[PodView, ...]] = field(default_factory=dict)
    of_objects: dict[Hashable, Any] = field(default_factory=dict)
    schemas: _Schemas | None = None
    results: dict[Hashable, Any] = field(default_factory=dict)


@dataclass(slots=True)
class _Schemas:
    """The driver schemas of a run, and what was worked out by them.

    Of `every` one, those of drivers that are not meant are `hidden`.
    """

    every: Catalogue
    hidden: tuple[str, ...]
    meant: Catalogue
    results: dict[Hashable, Any] = field(default_factory=dict)


def _labels(namespace: Manifest) -> Mapping[str, str]:
    labels = mapping_at(namespace.data, "metadata", "labels")
    return {k: v for k, v in labels.items() if isinstance(k, str) and isinstance(v, str)}
