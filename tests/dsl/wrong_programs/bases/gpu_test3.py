from dradsl import App, KubernetesObject, PodClaim, Request, ResourceClaim
from dradsl.devices.nvidia import gpu

app = App()

single_gpu = app.add(
    ResourceClaim("single-gpu", namespace="gpu-test3", requests=[Request("gpu", gpu)])
)
app.add(
    KubernetesObject({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "gpu-test3"}})
)
shared_gpu = PodClaim("shared-gpu", single_gpu)
app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"namespace": "gpu-test3", "name": "pod1", "labels": {"app": "pod"}},
            "spec": {
                "containers": [
                    {
                        "name": "ctr",
                        "image": "ubuntu:22.04",
                        "command": ["bash", "-c"],
                        "args": ["nvidia-smi -L; trap 'exit 0' TERM; sleep 9999 & wait"],
                        "resources": {"claims": [shared_gpu.container()]},
                    }
                ],
                "resourceClaims": [shared_gpu.to_dict()],
                "tolerations": [
                    {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
                ],
            },
        }
    )
)
shared_gpu_devices = PodClaim("shared-gpu", single_gpu)
app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"namespace": "gpu-test3", "name": "pod2", "labels": {"app": "pod"}},
            "spec": {
                "containers": [
                    {
                        "name": "ctr",
                        "image": "ubuntu:22.04",
                        "command": ["bash", "-c"],
                        "args": ["nvidia-smi -L; trap 'exit 0' TERM; sleep 9999 & wait"],
                        "resources": {"claims": [shared_gpu_devices.container()]},
                    }
                ],
                "resourceClaims": [shared_gpu_devices.to_dict()],
                "tolerations": [
                    {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
                ],
            },
        }
    )
)
