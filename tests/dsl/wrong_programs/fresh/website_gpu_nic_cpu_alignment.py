from dradsl import App, KubernetesObject, PodClaim, Request, ResourceClaim, distinct, same
from dradsl.devices.dranet import nic
from dradsl.devices.nvidia import gpu

app = App(for_release="1.36")

# Request 4 exclusive CPU cores from the aligned NUMA domain
# Align GPU and NIC to the same PCIe root complex
# Align CPU and NIC to the same NUMA node
aligned_resource_claim = app.add(
    ResourceClaim(
        "aligned-resource-claim",
        namespace="default",
        requests=[
            gpu_req := Request("gpu-req", gpu),
            nic_req := Request("nic-req", "mrdma.google.com"),
            cpu_req := Request("cpu-req", "dra.cpu", capacity={"dra.cpu/cpu": "4"}),
        ],
        constraints=[same(gpu.pcieRoot, gpu_req, nic_req), same(nic.numaNode, cpu_req, nic_req)],
    )
)
# Request 4 exclusive CPU cores
# GPU and NIC share the same PCIe root switch
# FORCE host CPU to land on a DIFFERENT NUMA socket than the NIC
misaligned_resource_claim = app.add(
    ResourceClaim(
        "misaligned-resource-claim",
        namespace="default",
        requests=[
            gpu_req_request := Request("gpu-req", gpu),
            nic_req_request := Request("nic-req", "mrdma.google.com"),
            cpu_req_request := Request("cpu-req", "dra.cpu", capacity={"dra.cpu/cpu": "4"}),
        ],
        constraints=[
            same(gpu.pcieRoot, gpu_req_request, nic_req_request),
            distinct(nic.numaNode, cpu_req_request, nic_req_request),
        ],
    )
)
# Standard request matching claim request
aligned_devices = PodClaim("aligned-devices", aligned_resource_claim)
app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "aligned-gpu-nic-cpu-pod", "namespace": "default"},
            "spec": {
                "tolerations": [
                    {
                        "key": "nvidia.com/gpu",
                        "operator": "Equal",
                        "value": "present",
                        "effect": "NoSchedule",
                    }
                ],
                "containers": [
                    {
                        "name": "workload-container",
                        "image": "nvidia/cuda:12.6.0-devel-ubuntu22.04",
                        "command": ["/bin/sh", "-c"],
                        "args": [
                            'set -e\napt-get update && apt-get install -y git cmake libboost-program-options-dev numactl\ngit clone https://github.com/NVIDIA/nvbandwidth.git\ncd nvbandwidth\ncmake .\nmake\necho "NVBANDWIDTH BUILD COMPLETE. SLEEPING..."\nsleep infinity\n'
                        ],
                        "resources": {
                            "claims": [aligned_devices.container()],
                            "requests": {"cpu": "4", "memory": "8Gi"},
                            "limits": {"cpu": "4", "memory": "8Gi"},
                        },
                    }
                ],
                "resourceClaims": [aligned_devices.to_dict()],
            },
        }
    )
)
misaligned_devices = PodClaim("misaligned-devices", misaligned_resource_claim)
app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "misaligned-gpu-nic-cpu-pod", "namespace": "default"},
            "spec": {
                "tolerations": [
                    {
                        "key": "nvidia.com/gpu",
                        "operator": "Equal",
                        "value": "present",
                        "effect": "NoSchedule",
                    }
                ],
                "containers": [
                    {
                        "name": "workload-container",
                        "image": "nvidia/cuda:12.6.0-devel-ubuntu22.04",
                        "command": ["/bin/sh", "-c"],
                        "args": [
                            'set -e\napt-get update && apt-get install -y git cmake libboost-program-options-dev numactl\ngit clone https://github.com/NVIDIA/nvbandwidth.git\ncd nvbandwidth\ncmake .\nmake\necho "NVBANDWIDTH BUILD COMPLETE. SLEEPING..."\nsleep infinity\n'
                        ],
                        "resources": {
                            "claims": [misaligned_devices.container()],
                            "requests": {"cpu": "4", "memory": "8Gi"},
                            "limits": {"cpu": "4", "memory": "8Gi"},
                        },
                    }
                ],
                "resourceClaims": [misaligned_devices.to_dict()],
            },
        }
    )
)
