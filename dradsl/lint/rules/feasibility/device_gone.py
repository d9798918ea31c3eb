"""DRA710: a claim holds a device that the slices of its pool do not publish any more."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run
from dradsl.values.plain import list_at, member

CODE = "DRA710"
_RESULTS = ("status", "allocation", "devices", "results")


def check(run: Run) -> Iterator[RuleFinding]:
    held = [each for each in run.claims if each.manifest.kind == "ResourceClaim"]
    held = [each for each in held if run.written_value(each.manifest, _RESULTS)]
    published = _published(run) if held else {}
    for claim in held:
        if not member(claim.manifest.data, "metadata", "uid"):
            continue  # what is being created has no allocation
        for index, result in enumerate(list_at(run.written_value(claim.manifest, _RESULTS))):
            if not isinstance(result, dict):
                continue
            devices = published.get((result.get("driver"), result.get("pool")))
            if devices is None or result.get("device") in devices:
                continue
            yield RuleFinding(
                CODE,
                claim.manifest,
                (*_RESULTS, index, "device"),
                f'the claim holds device "{result.get("device")}", which pool "{result.get("pool")}" of '
                f"{result.get('driver')} does not publish any more",
                help="delete the pods that use the claim: what the device took counts for nothing, and its "
                "driver may not be able to prepare it",
            )


def _published(run: Run) -> dict[tuple[object, object], frozenset[str]]:
    """The devices of each recorded pool whose newest slices are all there."""
    from dradsl.lint.rules.feasibility.recorded import recorded_cluster

    found: dict[tuple[object, object], frozenset[str]] = {}
    for pool, slices in recorded_cluster(run).inventory.pools.items():
        newest = max(each.generation for each in slices)
        current = [each for each in slices if each.generation == newest]
        if all(each.count == len(current) for each in current):
            names = (device.name for each in current for device in each.devices)
            found[pool.driver, pool.pool] = frozenset(names)
    return found
