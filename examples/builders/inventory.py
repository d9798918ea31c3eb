"""A small fleet as test data: what the drivers on its nodes would publish.

dradsl build inventory.py > inventory.yaml
dradsl build training_pair.py | dradsl simulate - --slices inventory.yaml
"""

from dradsl import App, Device, Pool, ResourceSlice
from dradsl.devices.dranet import nic
from dradsl.devices.google import tpu
from dradsl.devices.nvidia import gpu, mig

app = App(for_release="1.36")

DRIVER_VERSION = "580.126.9"


def full_gpu(index: int, product: str, memory: str, capability: str, architecture: str) -> Device:
    """A whole GPU; two neighbours share a PCIe root."""
    return Device(
        f"gpu-{index}",
        attributes={
            gpu.type: "gpu",
            gpu.uuid: f"GPU-{index}",
            gpu.productName: product,
            gpu.brand: "Nvidia",
            gpu.architecture: architecture,
            gpu.cudaComputeCapability: capability,
            gpu.driverVersion: DRIVER_VERSION,
            gpu.cudaDriverVersion: "13.0.0",
            gpu.pciBusID: f"0000:{index:02x}:00.0",
            gpu.pcieRoot: f"pci0000:{index // 2:02x}",
            gpu.numaNode: index // 4,
        },
        capacity={gpu.memory: memory},
    )


def partition(index: int, profile: str, memory: str) -> Device:
    """A MIG partition of an A100."""
    return Device(
        f"gpu-0-mig-{profile.replace('.', '-')}-{index}",
        attributes={
            mig.type: "mig",
            mig.parentUUID: "GPU-0",
            mig.profile: profile,
            mig.productName: "NVIDIA A100-SXM4-40GB",
            mig.brand: "Nvidia",
            mig.architecture: "Ampere",
            mig.cudaComputeCapability: "8.0.0",
            mig.driverVersion: DRIVER_VERSION,
            mig.cudaDriverVersion: "13.0.0",
        },
        capacity={
            mig.memory: memory,
            mig.multiprocessors: 14,
            mig.copyEngines: 1,
            mig.decoders: 0,
            mig.encoders: 0,
            mig.jpegEngines: 0,
            mig.ofaEngines: 0,
        },
    )


def interface(index: int) -> Device:
    """An RDMA interface behind the same PCIe root as two GPUs."""
    return Device(
        f"nic-{index}",
        attributes={
            nic.ifName: f"gpu{index}rdma0",
            nic.encapsulation: "ether",
            nic.rdma: True,
            nic.virtual: False,
            nic.pcieRoot: f"pci0000:{index:02x}",
        },
    )


def publish(driver: str, node: str, devices: list[Device]) -> None:
    """One slice that is the whole pool of a node."""
    app.add(
        ResourceSlice(
            f"{node}-{driver}", driver=driver, pool=Pool(node), node_name=node, devices=devices
        )
    )


H100 = ("NVIDIA H100 80GB HBM3", "81559Mi", "9.0.0", "Hopper")
L4 = ("NVIDIA L4", "23034Mi", "8.9.0", "Ada Lovelace")

publish("gpu.nvidia.com", "h100-1", [full_gpu(i, *H100) for i in range(8)])
publish("dra.net", "h100-1", [interface(i) for i in range(4)])
publish("gpu.nvidia.com", "l4-1", [full_gpu(i, *L4) for i in range(2)])
publish(
    "gpu.nvidia.com",
    "a100-1",
    [partition(0, "3g.20gb", "19968Mi"), partition(1, "1g.5gb", "4864Mi")],
)
publish(
    "tpu.google.com",
    "tpu-1",
    [
        Device(
            str(i),
            attributes={tpu.tpuGen: "v6e", tpu.uuid: f"tpu-{i}", tpu.index: i},
        )
        for i in range(4)
    ],
)
# A driver with ConsumableShares hands out parts of a GPU's memory.
publish(
    "gpu.nvidia.com",
    "shared-1",
    [
        Device(
            "gpu-0",
            attributes=full_gpu(0, *L4).attributes,
            capacity={
                gpu.memory: {
                    "value": "23034Mi",
                    "requestPolicy": {
                        "default": "0",
                        "validRange": {"min": "0", "max": "23034Mi", "step": "1Mi"},
                    },
                }
            },
            other={"allowMultipleAllocations": True},
        )
    ],
)
