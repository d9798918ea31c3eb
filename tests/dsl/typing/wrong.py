# pyright: reportDeprecated=error
"""What type checkers must refuse: each marked line is an error for mypy and for pyright."""

from dradsl import App, DeviceClass, Request, ResourceClaim, same
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
