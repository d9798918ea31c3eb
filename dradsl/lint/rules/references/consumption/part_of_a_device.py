"""DRA422: an amount of devices by class that is no whole number: the pod never binds.

The API server takes it: whatever is called kubernetes.io/ is native to it, and only amounts of other domains have to be
whole. The scheduler makes no request of it (createResourceRequestAndMappings of kubernetes
pkg/scheduler/framework/plugins/dynamicresources/extendeddynamicresources.go), and then fails to bind the pod.
"""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run
from dradsl.values.plain import mapping_at

CODE = "DRA422"
_IMPLICIT = "deviceclass.resource.kubernetes.io/"
WORDS = (_IMPLICIT,)


def check(run: Run) -> Iterator[RuleFinding]:
    if "DRAExtendedResource" not in run.features:
        return
    for pod in run.pods():
        for path, resources in pod.resources():
            for section in ("limits", "requests"):
                for name, amount in mapping_at(resources, section).items():
                    if isinstance(name, str) and name.startswith(_IMPLICIT) and _is_part(amount):
                        yield RuleFinding(
                            CODE,
                            pod.manifest,
                            (*path, "resources", section, name),
                            f"{amount} of a device: the scheduler takes whole numbers only, and the pod never "
                            "starts",
                            help="write a whole number; shares are asked for by a claim with capacity.requests",
                            upstream="nil or empty request mappings",
                        )


def _is_part(amount: object) -> bool:
    from dradsl.values.quantity import Quantity, QuantityError

    if not isinstance(amount, str | int | float) or isinstance(amount, bool):
        return False
    try:
        return Quantity.decode(amount).as_fraction().denominator != 1
    except QuantityError:
        return False
