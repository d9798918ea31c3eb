from dradsl import App, Config, KubernetesObject, PodClaim, Request, ResourceClaimTemplate
from dradsl.devices.nvidia import MPS, GpuConfig, gpu

app = App()

shared_gpu = app.add(
    ResourceClaimTemplate(
        "shared-gpu",
        namespace="gpu-test-mps",
        requests=[mps_gpu := Request("mps-gpu", gpu)],
        configs=[
            Config(
                GpuConfig(
                    sharing=MPS(
                        defaultActiveThreadPercentage=50, defaultPinnedDeviceMemoryLimit="10Gi"
                    )
                ),
                mps_gpu,
            )
        ],
    )
)
app.add(
    KubernetesObject(
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "gpu-test-mps"}}
    )
)
shared_gpu_devices = PodClaim("shared-gpu", shared_gpu)
app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"namespace": "gpu-test-mps", "name": "test-pod", "labels": {"app": "pod"}},
            "spec": {
                "containers": [
                    {
                        "name": "mps-ctr0",
                        "image": "nvcr.io/nvidia/k8s/cuda-sample:nbody-cuda11.6.0-ubuntu18.04",
                        "command": ["bash", "-c"],
                        "args": [
                            "trap 'exit 0' TERM; /tmp/sample --benchmark --numbodies=4226000 & wait"
                        ],
                        "resources": {"claims": [shared_gpu_devices.container(mps_gpu)]},
                    },
                    {
                        "name": "mps-ctr1",
                        "image": "nvcr.io/nvidia/k8s/cuda-sample:nbody-cuda11.6.0-ubuntu18.04",
                        "command": ["bash", "-c"],
                        "args": [
                            "trap 'exit 0' TERM; /tmp/sample --benchmark --numbodies=4226000 & wait"
                        ],
                        "resources": {"claims": [shared_gpu_devices.container(mps_gpu)]},
                    },
                ],
                "resourceClaims": [shared_gpu_devices.to_dict()],
                "tolerations": [
                    {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
                ],
            },
        }
    )
)
