"""The slices of a run by pool. Only those of one file are taken together: of others it is not known whether
they are of one cluster, and of one time.

What the scheduler does with a pool is in GatherPools of k8s.io/dynamic-resource-allocation structured/internal.
"""

from __future__ import annotations

from dradsl.lint.view.pages import part_of
from dradsl.records import cached, dataclass
from dradsl.values.plain import mapping_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dradsl.diagnostics import FieldPath
    from dradsl.lint.view.view import Run
    from dradsl.tree.manifests.manifest import Manifest
    from dradsl.values.json_types import JsonMapping

__all__ = ["PoolOfFile", "SliceAt", "current", "pools_of"]


@dataclass(frozen=True, slots=True)
class SliceAt:
    """A slice and its manifest; `spec` in v1 shape."""

    manifest: Manifest
    version: str
    spec: JsonMapping

    def written(self, path: FieldPath) -> FieldPath:
        """The path in the file of a path in the v1 object."""
        from dradsl.kube.fields.conversion import path_from_v1

        return path_from_v1(path, "ResourceSlice", self.version)

    @property
    def pool(self) -> Mapping[str, object]:
        return mapping_at(self.spec, "pool")

    @property
    def generation(self) -> int:
        found = self.pool.get("generation")
        return found if isinstance(found, int) else 0

    @property
    def recorded(self) -> bool:
        """Whether it was read from a cluster."""
        return self.manifest.is_recorded

    def devices(self) -> Iterator[tuple[int, JsonMapping]]:
        """The devices with their index."""
        for index, device in enumerate(self.spec.get("devices") or ()):
            if isinstance(device, dict):
                yield index, device


@dataclass(frozen=True, slots=True)
class PoolOfFile:
    """A pool of one driver, as far as one file holds it."""

    driver: str
    name: str
    slices: Sequence[SliceAt]

    @cached
    def newest(self) -> Sequence[SliceAt]:
        """The slices of the newest generation: the scheduler looks at no other."""
        return current(self.slices)

    @cached
    def whole(self) -> bool:
        """Whether all slices that the newest ones announce are there."""
        newest = self.newest
        return all(each.pool.get("resourceSliceCount") == len(newest) for each in newest)


def current(slices: Sequence[SliceAt]) -> Sequence[SliceAt]:
    """Those of the newest generation."""
    newest = max(each.generation for each in slices)
    return tuple(each for each in slices if each.generation == newest)


def pools_of(run: Run) -> Sequence[PoolOfFile]:
    """The pools of every file that is reported on, of a page of every fenced block."""
    return run.remember("pools-of-files", lambda: tuple(_pools(run)))


def _pools(run: Run) -> Iterator[PoolOfFile]:
    found: dict[tuple[tuple[str, int], str, str], dict[str, SliceAt]] = {}
    # A slice of which something is not known may be of any pool of its file.
    every = run.index.kind("ResourceSlice")
    unknown = {
        part_of(run, each)
        for each in every
        if each.build_context.holes or each.build_context.completed
    }
    decoded = tuple(run.objects("ResourceSlice"))
    # One of the wrong shape is there, whatever it holds.
    read = {manifest.key for manifest, _ in decoded}
    unknown |= {part_of(run, each) for each in every if each.key not in read}
    for manifest, admission in decoded:
        spec = (admission.object or {}).get("spec")
        part = part_of(run, manifest)
        if manifest.is_patch or part in unknown or not isinstance(spec, dict):
            continue
        one = SliceAt(manifest, admission.version, spec)
        driver, name = spec.get("driver"), one.pool.get("name")
        if isinstance(driver, str) and isinstance(name, str):
            # An object that is listed twice is one object in two states.
            listed = found.setdefault((part, driver, name), {})
            listed[manifest.name or f"#{len(listed)}"] = one
    for (_, driver, name), parts in found.items():
        yield PoolOfFile(driver, name, tuple(parts.values()))
