"""DRA338, DRA339: amounts under capacity.requests that no device can give, or that the driver's policy rounds up.

The API server looks neither at their sign nor at their names. Where the device has no policy for the capacity, an amount
below zero ends the scheduler's attempt from 1.37 on; before, it fits and is subtracted from what others use. A policy
rounds it up to its least amount. Follows CmpRequestOverCapacity of k8s.io/dynamic-resource-allocation
structured/internal. To how much amounts are rounded up, the allocator says.
"""

from __future__ import annotations

from dradsl.diagnostics import Severity
from dradsl.lint.rules.drivers.classes import drivers_of_class
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.values.plain import mapping_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from dradsl.diagnostics import FieldPath
    from dradsl.drivers.schema.model import CapacitySchema, RequestPolicy
    from dradsl.kube.fields.typed_dicts import (
        CapacityRequestPolicyDict,
        DeviceCapacityDict,
    )
    from dradsl.lint.view.view import ClaimView, RequestView, Run

_INVALID = "DRA338"
_ROUNDED = "DRA339"
_PLAUSIBLE = 16  # what grows more lacks its unit: DRA217
WORDS = ("capacity", "requests")


def check(run: Run) -> Iterator[RuleFinding]:
    for claim in run.claims:
        for request in claim.bodies:
            for name, amount in mapping_at(request.body, "capacity", "requests").items():
                path = claim.written((*request.path, "capacity", "requests", name))
                yield from _invalid(run, claim, path, name, amount)
                rounded = _amounts_taken(run, request, name, amount)
                if len(rounded) != 1 or None in rounded:
                    continue  # of several kinds of devices each rounds in its own way
                yield RuleFinding(
                    _ROUNDED,
                    claim.manifest,
                    path,
                    f'{amount} of "{name}" is rounded up to {next(iter(rounded))}',
                    help="write the amount that is taken, or a smaller one that the driver gives",
                )


def _invalid(
    run: Run, claim: ClaimView, path: FieldPath, name: str, amount: object
) -> Iterator[RuleFinding]:
    """An amount below zero, or a key that no device can have."""
    if not run.remember(("capacity-name", name), lambda: _server_accepts(run, name)):
        yield RuleFinding(
            _INVALID,
            claim.manifest,
            path,
            f'no device can have a capacity called "{name}": the API server rejects such slices',
            help="write the name as the driver publishes it",
            on_key=True,
        )
    elif _is_negative(amount):
        # Whether it is an error of the release's allocator (errNegativeCapacity).
        fatal = run.variant().capacity_is_fatal
        does = "the scheduler gives up" if fatal else "others get more than there is"
        yield RuleFinding(
            _INVALID,
            claim.manifest,
            path,
            f'{amount} of "{name}" is below zero: where the driver does not round it up, {does}',
            help="ask for an amount above zero, or leave it out",
            upstream=f'capacity "{name}": capacity value is negative' if fatal else None,
            severity=Severity.WARNING,
        )


def _is_negative(amount: object) -> bool:
    from dradsl.values.quantity import exact_amount

    return (exact_amount(amount) or 0) < 0


def _server_accepts(run: Run, name: str) -> bool:
    """Whether the API server takes a device that has a capacity of this name."""
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


def _amounts_taken(
    run: Run, request: RequestView, name: str, amount: object
) -> frozenset[str | None]:
    """What each kind of device that the request may take gives for an amount; None for the amount itself."""
    drivers = drivers_of_class(run, request.class_name)
    if not drivers or not isinstance(amount, str | int | float):
        return frozenset()

    def taken() -> frozenset[str | None]:
        return frozenset([_rounded(run, amount, each) for each in _policies(run, drivers, name)])

    return run.remember(("rounded", drivers, name, type(amount), amount), taken, by="schemas")


def _policies(run: Run, drivers: Iterable[str], name: str) -> list[RequestPolicy | None]:
    """How each kind of device of some drivers gives that capacity away."""
    schemas = [run.drivers.get(driver) for driver in drivers]
    found: list[CapacitySchema] = []
    for schema in schemas:
        if schema is not None:
            spelt = (name, f"{schema.name}/{name}")
            found += [each for _, each in schema.capacities() if each.qualified in spelt]
    return [each.request_policy for each in found]


def _rounded(run: Run, amount: str | float, policy: RequestPolicy | None) -> str | None:
    """What is taken for an amount, if that is more; None if it is as much, or not known."""
    from dradsl.allocator.engine.capacity import CapacityFaultError, Demand, demand_of
    from dradsl.values.quantity import Quantity, QuantityError

    if policy is None or policy.gate is not None:
        return None
    entry: DeviceCapacityDict = {"value": "1Ei", "requestPolicy": _published(policy)}
    fractional = "DRAFractionalCapacityRange" in run.features
    try:
        asked = Quantity.decode(amount)
        demand = demand_of(
            {"it": amount}, {"it": entry}, fractional=fractional, strict=True, step_format=True
        )
        if not isinstance(demand, Demand) or asked.sign() <= 0:
            return None
        text = dict(demand.consumed)["it"]
        times = Quantity.decode(text).as_fraction() / asked.as_fraction()
    except (QuantityError, CapacityFaultError):
        return None
    return text if 1 < times < _PLAUSIBLE else None


def _published(policy: RequestPolicy) -> CapacityRequestPolicyDict:
    if policy.valid_values:
        return {"validValues": list(policy.valid_values)}
    limits = {"min": policy.minimum, "max": policy.maximum, "step": policy.step}
    given: Any = {key: value for key, value in limits.items() if value is not None}
    return {"validRange": given}
