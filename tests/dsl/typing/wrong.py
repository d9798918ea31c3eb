# pyright: reportDeprecated=error
"""What type checkers must reject: each marked line is an error for mypy and for pyright."""

import dradsl
from dradsl import (
    App,
    Device,
    DeviceClass,
    Fleet,
    Request,
    ResourceClaim,
    Toleration,
    any_of,
    same,
)
from dradsl.devices.dranet import nic
from dradsl.devices.nvidia import GpuConfig, TimeSlicing, gpu, mig

app = App()

gpu.memroy  # error
gpu.productname  # error
gpu.pcieBusID  # error
gpu.memory >= 1.5  # error
gpu.numaNode >= "0"  # error
gpu.driverVersion >= 550  # error
gpu.productName >= "NVIDIA"  # error
gpu.productName.startswith(3)  # error
gpu.productName.in_([1, 2])  # error
gpu.productName.or_else(3)  # error

DeviceClass("a", select=gpu.productName == 3)  # error
DeviceClass("a", select=gpu.driverVersion == 550)  # error
DeviceClass("a", select=gpu.memory >= True)  # error
DeviceClass("a", select=gpu.numaNode >= True)  # error
DeviceClass("a", select=nic.rdma == "true")  # error
DeviceClass("a", select=gpu & (gpu.productName == 3))  # error
DeviceClass("a", select=mig & "CEL")  # error
DeviceClass("a", selct=gpu)  # error
Request("a")  # error
Request("a", gpu, count="2")  # error
Request("a", gpu, allocation_mode="Some")  # error
ResourceClaim("a", requests=[gpu])  # error
same(gpu.memory)  # error
GpuConfig(sharing=TimeSlicing(interval="Forever"))  # error
GpuConfig(shraing=None)  # error
app.add({"kind": "Pod"})  # error

gpu & (gpu.architecture == "hopper")  # error
gpu & gpu.architecture.is_("hopper")  # error
gpu & gpu.numaNode.is_("0")  # error
DeviceClass("a", select=gpu.brand == "NVIDIA")  # error
gpu.architecture.in_(["Hopper", "Hoper"])  # error
gpu.addressingMode.or_else("none")  # error
Device("a", attributes={3: "x"})  # error
Device("a", capacity={gpu.memory: 1.5})  # error
Toleration.exists()  # error
Toleration.any(effect="Never")  # error
any_of(gpu, "CEL")  # error
Fleet.of("gpu.nvidia.com")  # error
dradsl.simulate(app, "slices.yaml")  # error
dradsl.lint(app, kube_version=1.36)  # error
app.lint(ignored=["DRA224"])  # error

# mypy reports what follows as unreachable, if it is asked to.
if gpu.memory >= "40Gi":  # error: pyright
    pass
not gpu  # error: pyright
mig if gpu.productName else gpu  # error: pyright
