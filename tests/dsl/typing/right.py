"""What type checkers must accept."""

from pathlib import Path
from typing import assert_type

import dradsl
from dradsl import (
    App,
    Config,
    Device,
    DeviceClass,
    Expression,
    FirstAvailable,
    Fleet,
    Request,
    ResourceClaim,
    Toleration,
    all_of,
    any_of,
    raw_cel,
    same,
)
from dradsl.devices.cpu import grouped
from dradsl.devices.dranet import nic
from dradsl.devices.nvidia import GpuConfig, TimeSlicing, gpu, mig
from dradsl.values.quantity import Quantity
from dradsl.values.semver import Semver

app = App(for_release="1.36")

assert_type(gpu.productName == "a", Expression)
assert_type(gpu.memory >= "40Gi", Expression)
assert_type(gpu.memory >= 8, Expression)
assert_type(gpu.memory >= Quantity.parse("8"), Expression)
assert_type(gpu.driverVersion >= "550", Expression)
assert_type(gpu.driverVersion >= Semver.parse("550.0.0"), Expression)
assert_type(gpu.numaNode >= 1, Expression)
assert_type(gpu.numaNode == 1, Expression)
assert_type(gpu & nic.rdma | ~(gpu.memory > 1), Expression)
assert_type(gpu.attributes["x"] >= 1, Expression)
assert_type(gpu.attributes["x"] == True, Expression)
assert_type(gpu.attributes["x"].version >= "1", Expression)
assert_type(gpu.capacity["x"] >= "1", Expression)
assert_type(gpu.productName.or_else("a").in_(["a"]), Expression)

big = app.add(DeviceClass("big", select=gpu & (gpu.memory >= "70Gi"), configs=[GpuConfig()]))
assert_type(big, DeviceClass)
best = Request("best", big, count=2, select=["has(device.attributes)", raw_cel("true")])
rest = Request("rest", mig, allocation_mode="All", capacity={mig.memory: "1Gi"})
claim = ResourceClaim(
    "claim",
    requests=[choice := FirstAvailable("gpu", best, rest)],
    constraints=[
        same(gpu.pcieRoot, choice, rest),
        same("dra.net/numaNode"),
        same(grouped.pcieRoot),
    ],
    configs=[
        Config(GpuConfig(sharing=TimeSlicing(interval="Long")), best),
        GpuConfig(),
    ],
)

# Known values are complete where the driver adds none, and examples elsewhere.
DeviceClass("a", select=gpu & (gpu.architecture == "Hopper"))
DeviceClass("a", select=gpu & gpu.productName.in_(["NVIDIA L4", "of next year"]))
Device("a", attributes={gpu.productName: "x", "index": 0, "l": ["a", "b"]})
PUBLISHED = {gpu.productName: "x"}
Device("b", attributes=PUBLISHED, capacity={gpu.memory: "1Gi", "n": 3})
Request("a", gpu, select=None, tolerations=[Toleration.any(), Toleration.equal("k", "v")])
FOUND: dradsl.LintResult = dradsl.lint(app, {"kind": "Pod", "apiVersion": "v1"}, "folder", Path())
FITS: bool = dradsl.simulate(app, Fleet.of(gpu, attributes=PUBLISHED)).fits
CODES: tuple[str, ...] = app.lint().codes
SOME: dradsl.Expression = all_of([gpu, gpu.memory >= "1Gi"]) | any_of(gpu, mig)
