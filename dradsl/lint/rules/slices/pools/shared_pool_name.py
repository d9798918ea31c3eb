"""DRA621: two drivers have pools of one name with counters, which older schedulers count together."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.rules.slices.pools.listed import PoolOfFile, pools_of
from dradsl.lint.view.rule_finding import RelatedField, RuleFinding
from dradsl.lint.view.view import Run
from dradsl.releases import RELEASES

CODE = "DRA621"
WORDS = ("ResourceSlice", "sharedCounters")


def check(run: Run) -> Iterator[RuleFinding]:
    seen: dict[tuple[str, str], PoolOfFile] = {}
    for pool in pools_of(run):
        if not any(each.spec.get("sharedCounters") for each in pool.newest):
            continue
        one = pool.newest[0]
        other = seen.setdefault((one.manifest.path, pool.name), pool)
        if other is pool or not _counts_by_name(run):
            continue
        first = other.newest[0]
        release = run.release
        name = release.name if release == RELEASES[release.name] else release.patch
        yield RuleFinding(
            CODE,
            one.manifest,
            one.written(("spec", "pool", "name")),
            f'driver {other.driver} has a pool "{pool.name}" with counters too: Kubernetes '
            f"{name} adds up what is taken from both",
            help="use other pool names, or Kubernetes 1.36.4 or later",
            related=(
                RelatedField(
                    "the other pool", first.manifest, first.written(("spec", "pool", "name"))
                ),
            ),
        )


def _counts_by_name(run: Run) -> bool:
    """Whether the allocator of the release keeps the sums by the pool's name alone."""
    from dradsl.allocator.switches import allocator_features, choose_variant, variants_of
    from dradsl.releases.scheduling import CounterScope

    variant = choose_variant(variants_of(run.release.patch), allocator_features(run.features))
    return variant.counters is CounterScope.POOL_NAME
