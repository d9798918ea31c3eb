"""DRA905: a container with a claim sets the variable that shows devices around it."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from dradsl.lint.rules.coexistence.devices import drivers_of_pod
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run
from dradsl.values.plain import list_at, member

CODE = "DRA905"
_VARIABLES = {
    "NVIDIA_VISIBLE_DEVICES": "gpu.nvidia.com",
    "AMD_VISIBLE_DEVICES": "gpu.amd.com",
    "HABANA_VISIBLE_DEVICES": "gaudi.intel.com",
}
_NONE = ("", "none", "void")
WORDS = ("resourceClaims", tuple(_VARIABLES))


def check(run: Run) -> Iterator[RuleFinding]:
    for pod in run.pods():
        drivers: Collection[str] | None = None
        for path, container in pod.containers():
            if not member(container, "resources", "claims"):
                continue
            for index, item in enumerate(list_at(container, "env")):
                name, value = member(item, "name"), member(item, "value")
                driver = _VARIABLES.get(str(name))
                if driver is None or value in _NONE:
                    continue
                if drivers is None:
                    drivers = drivers_of_pod(run, pod)
                if driver not in drivers:
                    continue
                yield RuleFinding(
                    CODE,
                    pod.manifest,
                    (*path, "env", index, "name"),
                    f"{name} makes the container runtime show devices that the claim does not hold",
                    help="take the variable out: the claim says which devices are visible",
                )
