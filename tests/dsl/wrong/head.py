"""What each of the wrong programs begins with."""

# ruff: noqa: F401

from typing import Any

import dradsl
from dradsl import (
    App,
    Config,
    Device,
    DeviceClass,
    FirstAvailable,
    Fleet,
    KubernetesObject,
    Opaque,
    PodClaim,
    Request,
    ResourceClaimTemplate,
    ResourceSlice,
    Taint,
    Toleration,
    all_of,
    any_of,
    cel_string,
    distinct,
    driver,
    raw_cel,
    same,
)
from dradsl.devices.amd import amdgpu_partition
from dradsl.devices.cpu import grouped
from dradsl.devices.dranet import nic
from dradsl.devices.nvidia import GpuConfig, TimeSlicing, gpu, mig
from dradsl.dsl.objects.requests import AnyRequest
from dradsl.testing import assert_lint_clean

app = App(for_release="1.36")
t = ResourceClaimTemplate("made", namespace="ml", requests=[Request("r", gpu)])


def claim(
    requests: AnyRequest | list[AnyRequest] | list[Request] | list[FirstAvailable], **more: Any
) -> None:
    """Add a template with the requests."""
    given: list[AnyRequest] = [*requests] if isinstance(requests, list) else [requests]
    app.add(ResourceClaimTemplate("t", namespace="ml", requests=given, **more))


def slice_of(*devices: Device) -> None:
    """Add a slice with the devices."""
    app.add(ResourceSlice("s", driver="gpu.nvidia.com", pool="n", node_name="n", devices=devices))
