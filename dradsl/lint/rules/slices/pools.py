"""DRA617 to DRA621: pools that the scheduler leaves out, as a whole or in part, or counts together with others.

Only slices of one file are taken together: of others it is not known whether
they are of one cluster, and of one time.

What the scheduler does with a pool is in GatherPools of k8s.io/dynamic-resource-allocation structured/internal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dradsl.diagnostics import FieldPath, Severity
from dradsl.lint.view.rule_finding import RelatedField, RuleFinding
from dradsl.lint.view.view import Run
from dradsl.records import Record, cached
from dradsl.releases import RELEASES
from dradsl.tree.manifests.manifest import Manifest
from dradsl.values.plain import list_at, mapping_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.values.json_types import JsonMapping

_DUPLICATE_DEVICE = "DRA617"
_SLICE_COUNT = "DRA618"
_OLD_GENERATION = "DRA619"
_COUNTER_SET = "DRA620"
_SHARED_NAME = "DRA621"
WORDS = ("ResourceSlice",)


def check(run: Run) -> Iterator[RuleFinding]:
    seen: dict[tuple[str, str], PoolOfFile] = {}
    for pool in _pools(run):
        yield from _duplicate_devices(pool)
        yield from _slice_count(pool)
        yield from _old_generations(pool)
        if pool.whole:  # else a slice that is not here may have the set
            yield from _missing_counter_set(pool)
        if any(each.spec.get("sharedCounters") for each in pool.newest):
            other = seen.setdefault((pool.newest[0].manifest.path, pool.name), pool)
            if other is not pool:
                yield from _shared_name(run, pool, other)


class SliceAt(Record):
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

    def devices(self) -> Iterator[tuple[int, JsonMapping]]:
        """The devices with their index."""
        for index, device in enumerate(self.spec.get("devices") or ()):
            if isinstance(device, dict):
                yield index, device


class PoolOfFile(Record):
    """A pool of one driver, as far as one file holds it."""

    driver: str
    name: str
    slices: Sequence[SliceAt]

    @cached
    def newest(self) -> Sequence[SliceAt]:
        """The slices of the newest generation: the scheduler looks at no other."""
        newest = max(each.generation for each in self.slices)
        return tuple(each for each in self.slices if each.generation == newest)

    @cached
    def whole(self) -> bool:
        """Whether all slices that the newest ones announce are there."""
        newest = self.newest
        return all(each.pool.get("resourceSliceCount") == len(newest) for each in newest)


def _pools(run: Run) -> Iterator[PoolOfFile]:
    """The pools of every file that is reported on, of a page of every fenced block."""
    found: dict[tuple[tuple[str, int], str, str], dict[str, SliceAt]] = {}
    # A slice of which something is not known may be of any pool of its file.
    every = run.index.kind("ResourceSlice")
    unknown = {
        run.part_of(each)
        for each in every
        if each.build_context.holes or each.build_context.completed
    }
    decoded = tuple(run.objects("ResourceSlice"))
    # One of the wrong shape is there, whatever it holds.
    read = {manifest.key for manifest, _ in decoded}
    unknown |= {run.part_of(each) for each in every if each.key not in read}
    for manifest, admission in decoded:
        spec = admission.spec
        part = run.part_of(manifest)
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


def _duplicate_devices(pool: PoolOfFile) -> Iterator[RuleFinding]:
    seen: dict[str, tuple[SliceAt, int]] = {}
    for one in pool.newest:
        for index, device in one.devices():
            name = device.get("name")
            if not isinstance(name, str):
                continue
            first, place = seen.setdefault(name, (one, index))
            if first is one:
                continue  # twice in one slice: DRA610
            related = RelatedField(
                "the other one",
                first.manifest,
                first.written(("spec", "devices", place, "name")),
            )
            yield RuleFinding(
                _DUPLICATE_DEVICE,
                one.manifest,
                one.written(("spec", "devices", index, "name")),
                f'another slice of the pool publishes a device "{name}": the scheduler uses no '
                f'device of pool "{pool.name}"',
                help="a device is in one slice of its pool",
                upstream=f"duplicate device name {name}",
                related=(related,),
            )


def _slice_count(pool: PoolOfFile) -> Iterator[RuleFinding]:
    found = len(pool.newest)
    for one in pool.newest:
        announced = one.pool.get("resourceSliceCount")
        if isinstance(announced, int) and announced not in (0, found):
            verb = "is" if found == 1 else "are"
            yield RuleFinding(
                _SLICE_COUNT,
                one.manifest,
                one.written(("spec", "pool", "resourceSliceCount")),
                f'pool "{pool.name}" announces {announced} slices, and {found} {verb} here: the scheduler uses '
                "the pool only if the numbers agree",
                help="write the number of slices of this generation into each of them",
                # Others may be in files that are not shown; too many cannot go away.
                severity=Severity.INFO if announced > found else None,
            )
            return


def _old_generations(pool: PoolOfFile) -> Iterator[RuleFinding]:
    newest = pool.newest[0].generation
    for one in pool.slices:
        if one.generation != newest:
            yield RuleFinding(
                _OLD_GENERATION,
                one.manifest,
                one.written(("spec", "pool", "generation")),
                f'pool "{pool.name}" has slices of generation {newest}: the devices of this one, of '
                f"generation {one.generation}, are not used",
                help="give all slices of a pool one generation",
                # A driver that is at work writes its slices one after the other.
                severity=Severity.INFO if one.manifest.is_recorded else None,
            )


def _missing_counter_set(pool: PoolOfFile) -> Iterator[RuleFinding]:
    """A device takes from a counter set that no slice of its pool has: the pool is left out."""
    sets = dict(_sets(pool))
    for one in pool.newest:
        for path, use in _uses(one):
            name = use.get("counterSet")
            lacks = (
                _lacks(sets, name, mapping_at(use, "counters")) if isinstance(name, str) else None
            )
            if lacks is not None:
                at, text, upstream = lacks
                yield RuleFinding(
                    _COUNTER_SET,
                    one.manifest,
                    one.written((*path, *at)),
                    f'{text}: the scheduler uses no device of pool "{pool.name}"',
                    help="add it under sharedCounters of a slice of the pool",
                    upstream=upstream,
                )


def _sets(pool: PoolOfFile) -> Iterator[tuple[str, frozenset[str]]]:
    for one in pool.newest:
        for each in list_at(one.spec, "sharedCounters"):
            if isinstance(each, dict) and isinstance(each.get("name"), str):
                yield each["name"], frozenset(each.get("counters") or ())


def _uses(one: SliceAt) -> Iterator[tuple[tuple[str | int, ...], Mapping[str, object]]]:
    for index, device in one.devices():
        for number, use in enumerate(list_at(device, "consumesCounters")):
            if isinstance(use, dict):
                yield ("spec", "devices", index, "consumesCounters", number), use


def _lacks(
    sets: Mapping[str, frozenset[str]], name: str, counters: Mapping[str, object]
) -> tuple[tuple[str, ...], str, str] | None:
    if name not in sets:
        text = f'no slice of the pool has a counter set "{name}"'
        return ("counterSet",), text, f"counter set {name} not found"
    for each in counters:
        if each not in sets[name]:
            text = f'counter set "{name}" has no counter "{each}"'
            return ("counters", each), text, f"counter {each} not found in counter set {name}"
    return None


def _shared_name(run: Run, pool: PoolOfFile, other: PoolOfFile) -> Iterator[RuleFinding]:
    """Two drivers have pools of one name with counters, which older schedulers count together."""
    from dradsl.releases.scheduling import CounterScope

    if run.variant().counters is not CounterScope.POOL_NAME:
        return
    one, first, release = pool.newest[0], other.newest[0], run.release
    name = release.name if release == RELEASES[release.name] else release.patch
    yield RuleFinding(
        _SHARED_NAME,
        one.manifest,
        one.written(("spec", "pool", "name")),
        f'driver {other.driver} has a pool "{pool.name}" with counters too: Kubernetes '
        f"{name} adds up what is taken from both",
        help="use other pool names, or Kubernetes 1.36.4 or later",
        related=(
            RelatedField("the other pool", first.manifest, first.written(("spec", "pool", "name"))),
        ),
    )
