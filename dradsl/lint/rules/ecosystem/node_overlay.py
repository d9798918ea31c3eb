"""DRA948: a NodeOverlay of Karpenter has capacity by the name of a DeviceClass, which no claim looks at."""

from __future__ import annotations

from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.values.plain import mapping_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.lint.view.view import Run

CODE = "DRA948"
WORDS = ("NodeOverlay",)
_GROUP = "karpenter.sh"
_QUOTA = ".deviceclass.resource.k8s.io/devices"


def check(run: Run) -> Iterator[RuleFinding]:
    for manifest in run.of_kind("NodeOverlay"):
        if manifest.group != _GROUP:
            continue
        capacity = mapping_at(manifest.data, "spec", "capacity")
        for key in capacity:
            name = key.removesuffix(_QUOTA)
            if name == key and not _is_class(run, key):
                continue
            yield RuleFinding(
                CODE,
                manifest,
                ("spec", "capacity", key),
                f'"{key}" is not an extended resource: Karpenter does not count the devices of class "{name}" by it',
                on_key=True,
                help="the devices of an instance type come from the cloud provider; an overlay adds extended resources, "
                "such as the one that a class carries (extendedResourceName)",
            )


def _is_class(run: Run, key: str) -> bool:
    if "/" in key:
        return False
    return run.index.find("DeviceClass", key) is not None or key in run.installed_classes()
