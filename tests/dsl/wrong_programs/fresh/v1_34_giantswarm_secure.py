from dradsl import App, KubernetesObject, PodClaim, Request, ResourceClaimTemplate
from dradsl.devices.nvidia import gpu

app = App(for_release="1.36")

single_gpu = app.add(
    ResourceClaimTemplate("single-gpu", namespace="default", requests=[Request("gpu", gpu)])
)
gpu_devices = PodClaim("gpu", single_gpu)
app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "gpu-test-accessible", "namespace": "default"},
            "spec": {
                "restartPolicy": "Never",
                "runtimeClassName": "nvidia",
                "tolerations": [
                    {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
                ],
                "resourceClaims": [gpu_devices.to_dict()],
                "containers": [
                    {
                        "name": "cuda-container",
                        "image": "nvcr.io/nvidia/k8s/cuda-sample:vectoradd-cuda12.5.0",
                        "command": ["sleep", "3600"],
                        "resources": {"claims": [gpu_devices.container()]},
                    }
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
            "metadata": {"name": "gpu-test-pod1", "namespace": "default"},
            "spec": {
                "restartPolicy": "Never",
                "runtimeClassName": "nvidia",
                "tolerations": [
                    {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
                ],
                "resourceClaims": [gpu_devices_2.to_dict()],
                "containers": [
                    {
                        "name": "cuda-container",
                        "image": "nvcr.io/nvidia/k8s/cuda-sample:vectoradd-cuda12.5.0",
                        "command": ["sleep", "3600"],
                        "resources": {"claims": [gpu_devices_2.container()]},
                    }
                ],
            },
        }
    )
)
gpu_devices_3 = PodClaim("gpu", single_gpu)
app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "gpu-test-pod2", "namespace": "default"},
            "spec": {
                "restartPolicy": "Never",
                "runtimeClassName": "nvidia",
                "tolerations": [
                    {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
                ],
                "resourceClaims": [gpu_devices_3.to_dict()],
                "containers": [
                    {
                        "name": "cuda-container",
                        "image": "nvcr.io/nvidia/k8s/cuda-sample:vectoradd-cuda12.5.0",
                        "command": ["sleep", "3600"],
                        "resources": {"claims": [gpu_devices_3.container()]},
                    }
                ],
            },
        }
    )
)
# Note: no resourceClaims field, no runtimeClassName: nvidia
app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "gpu-test-unauthorized", "namespace": "default"},
            "spec": {
                "restartPolicy": "Never",
                "tolerations": [
                    {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
                ],
                "containers": [
                    {
                        "name": "cuda-container",
                        "image": "nvcr.io/nvidia/k8s/cuda-sample:vectoradd-cuda12.5.0",
                        "command": ["sleep", "3600"],
                    }
                ],
            },
        }
    )
)
