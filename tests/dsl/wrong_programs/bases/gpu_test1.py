from dradsl import App, KubernetesObject, PodClaim, Request, ResourceClaimTemplate
from dradsl.devices.nvidia import gpu

app = App()

single_gpu = app.add(
    ResourceClaimTemplate("single-gpu", namespace="gpu-test1", requests=[Request("gpu", gpu)])
)
app.add(
    KubernetesObject({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "gpu-test1"}})
)
gpu_devices = PodClaim("gpu", single_gpu)
app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"namespace": "gpu-test1", "name": "pod1", "labels": {"app": "pod"}},
            "spec": {
                "containers": [
                    {
                        "name": "ctr",
                        "image": "ubuntu:22.04",
                        "command": ["bash", "-c"],
                        "args": ["nvidia-smi -L; trap 'exit 0' TERM; sleep 9999 & wait"],
                        "resources": {"claims": [gpu_devices.container()]},
                    }
                ],
                "resourceClaims": [gpu_devices.to_dict()],
                "tolerations": [
                    {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
                ],
            },
        }
    )
)
gpu_devices_2 = PodClaim("gpu", single_gpu)
app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"namespace": "gpu-test1", "name": "pod2", "labels": {"app": "pod"}},
            "spec": {
                "containers": [
                    {
                        "name": "ctr",
                        "image": "ubuntu:22.04",
                        "command": ["bash", "-c"],
                        "args": ["nvidia-smi -L; trap 'exit 0' TERM; sleep 9999 & wait"],
                        "resources": {"claims": [gpu_devices_2.container()]},
                    }
                ],
                "resourceClaims": [gpu_devices_2.to_dict()],
                "tolerations": [
                    {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
                ],
            },
        }
    )
)
