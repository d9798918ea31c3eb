"""DRA615, DRA616: names in slices: of a driver in capitals, from 1.35 on with a warning, and of values that stand twice.

A device publishes one name with and without its driver's domain, and the values differ. CEL has one place for both, which the scheduler fills in the order of a Go map. Follows DeviceMatches
of dynamic-resource-allocation cel/compile.go, 1.34 to 1.37.
"""

from __future__ import annotations

from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.values.plain import mapping_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.lint.view.view import Run
    from dradsl.values.json_types import JsonMapping

_UPPER_CASE = "DRA615"
_TWICE = "DRA616"
_KINDS = {"attributes": "attribute", "capacity": "capacity"}
WORDS = ("ResourceSlice",)


def check(run: Run) -> Iterator[RuleFinding]:
    from dradsl.kube.fields.conversion import path_from_v1

    for manifest, admission in run.objects("ResourceSlice"):
        spec = mapping_at(admission.spec)
        driver = spec.get("driver")
        if isinstance(driver, str) and driver != driver.lower():
            yield RuleFinding(
                _UPPER_CASE,
                manifest,
                ("spec", "driver"),
                f'the driver name "{driver}" has upper-case letters',
                help=f'write "{driver.lower()}", everywhere: CEL compares names exactly',
            )
        for index, device in enumerate(spec.get("devices") or ()):
            for field, kind in _KINDS.items():
                for name in _twice(device.get(field) or {}, f"{driver}/"):
                    path = ("spec", "devices", index, field, name)
                    short = name.rpartition("/")[2]
                    yield RuleFinding(
                        _TWICE,
                        manifest,
                        path_from_v1(path, "ResourceSlice", admission.version),
                        f'the device {device.get("name")} publishes the {kind} "{short}" twice with'
                        f' different values, as "{short}" and "{name}": selectors see one of them, by chance',
                        help="publish the name once, or rename one of the two",
                    )


def _twice(published: JsonMapping, domain: str) -> Iterator[str]:
    """The names with the driver's domain that stand without it as well, with another value."""
    for name, value in published.items():
        if name.startswith(domain):
            other = published.get(name.removeprefix(domain))
            if other is not None and not _equal(value, other):
                yield name


def _equal(left: JsonMapping, right: JsonMapping) -> bool:
    if "value" not in left or "value" not in right:
        return left == right
    from dradsl.values.quantity import exact_amount

    amounts = exact_amount(left["value"]), exact_amount(right["value"])
    return None in amounts or amounts[0] == amounts[1]  # None: a mistake of another kind
