"""HAMi's annotations about which cards a pod wants, as conditions on devices.

HAMi compares card types by part and without regard to case, each item of a comma-separated list on its own
(Project-HAMi/HAMi pkg/device/nvidia/device.go, `checkGPUtype`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.drivers.schema.device_plugin import quote

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ANNOTATIONS", "annotation_selectors", "unknown_mode"]

ANNOTATIONS = (
    "nvidia.com/use-gputype",
    "nvidia.com/nouse-gputype",
    "nvidia.com/use-gpuuuid",
    "nvidia.com/nouse-gpuuuid",
    "nvidia.com/vgpu-mode",
)
_MODE = "nvidia.com/vgpu-mode"
_PLAIN_MODES = ("hami-core", "")


def annotation_selectors(annotations: Mapping[str, object], driver: str) -> tuple[str, ...]:
    """CEL for the cards that the annotations allow, on a driver with productName and uuid."""
    selectors = []
    for name in ANNOTATIONS:
        words = [word.strip() for word in str(annotations.get(name, "")).split(",")]
        words = [word for word in words if word]
        if not words or name == _MODE:
            continue
        if name.endswith("gputype"):
            access = f"device.attributes[{quote(driver)}].productName.lowerAscii()"
            parts = [f"{access}.contains({quote(word.lower())})" for word in words]
        else:
            access = f"device.attributes[{quote(driver)}].uuid"
            parts = [f"{access} == {quote(word)}" for word in words]
        any_of = parts[0] if len(parts) == 1 else f"({' || '.join(parts)})"
        selectors.append(f"!({' || '.join(parts)})" if "/nouse-" in name else any_of)
    return tuple(selectors)


def unknown_mode(annotations: Mapping[str, object]) -> str | None:
    """The way of sharing that a pod requires, if a claim cannot request it."""
    mode = str(annotations.get(_MODE, ""))
    return None if mode in _PLAIN_MODES else mode
