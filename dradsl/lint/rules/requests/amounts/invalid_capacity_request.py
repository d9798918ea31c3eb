"""DRA338: an amount below zero, or a key that no device can have, under capacity.requests.

The API server looks at neither. Where the device has no policy for the capacity, an amount below zero ends the
scheduler's attempt from 1.37 on; before, it fits and is subtracted from what others use. A policy rounds it up
to its least amount. Follows CmpRequestOverCapacity of k8s.io/dynamic-resource-allocation structured/internal.
"""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.diagnostics import Severity
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run
from dradsl.values.plain import mapping_at

CODE = "DRA338"
WORDS = ("capacity", "requests")


def check(run: Run) -> Iterator[RuleFinding]:
    rejected: bool | None = None
    for claim in run.claims():
        for request in claim.bodies():
            for name, amount in mapping_at(request.body, "capacity", "requests").items():
                path = claim.written((*request.path, "capacity", "requests", name))
                if not _is_valid_name(run, name):
                    yield RuleFinding(
                        CODE,
                        claim.manifest,
                        path,
                        f'no device can have a capacity called "{name}": the API server rejects such slices',
                        help="write the name as the driver publishes it",
                        on_key=True,
                    )
                elif _is_negative(amount):
                    if rejected is None:
                        rejected = _ends_the_attempt(run)
                    yield RuleFinding(
                        CODE,
                        claim.manifest,
                        path,
                        f'{amount} of "{name}" is below zero: where the driver does not round it up, '
                        + (
                            "the scheduler gives up"
                            if rejected
                            else "others get more than there is"
                        ),
                        help="ask for an amount above zero, or leave it out",
                        upstream=f'capacity "{name}": capacity value is negative'
                        if rejected
                        else None,
                        severity=Severity.WARNING,
                    )


def _ends_the_attempt(run: Run) -> bool:
    """Whether an amount below zero is an error of the release's allocator (errNegativeCapacity)."""
    from dradsl.allocator.switches import allocator_features, choose_variant, variants_of

    variants = variants_of(run.release.patch)
    return choose_variant(variants, allocator_features(run.features)).capacity_is_fatal


def _is_valid_name(run: Run, name: str) -> bool:
    """Whether the API server takes a device that has a capacity of this name."""
    return run.remember(("capacity-name", name), lambda: _server_accepts(run, name))


def _server_accepts(run: Run, name: str) -> bool:
    device = {"name": "device", "capacity": {name: {"value": "1"}}}
    pool = {"name": "node", "generation": 1, "resourceSliceCount": 1}
    spec = {"driver": "example.com", "nodeName": "node", "pool": pool, "devices": [device]}
    document = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": "slice"},
        "spec": spec,
    }
    return run.server.create(document).accepted


def _is_negative(amount: object) -> bool:
    from dradsl.values.quantity import exact_amount

    return (exact_amount(amount) or 0) < 0
