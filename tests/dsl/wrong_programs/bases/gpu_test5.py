from dradsl import App, Config, KubernetesObject, PodClaim, Request, ResourceClaimTemplate
from dradsl.devices.nvidia import MPS, GpuConfig, TimeSlicing, gpu

app = App()

multiple_gpus = app.add(
    ResourceClaimTemplate(
        "multiple-gpus",
        namespace="gpu-test5",
        requests=[ts_gpu := Request("ts-gpu", gpu), mps_gpu := Request("mps-gpu", gpu)],
        configs=[
            Config(GpuConfig(sharing=TimeSlicing(interval="Long")), ts_gpu),
            Config(
                GpuConfig(
                    sharing=MPS(
                        defaultActiveThreadPercentage=50, defaultPinnedDeviceMemoryLimit="10Gi"
                    )
                ),
                mps_gpu,
            ),
        ],
    )
)
app.add(
    KubernetesObject({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "gpu-test5"}})
)
shared_gpus = PodClaim("shared-gpus", multiple_gpus)
app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"namespace": "gpu-test5", "name": "pod0"},
            "spec": {
                "containers": [
                    {
                        "name": "ts-ctr0",
                        "image": "nvcr.io/nvidia/k8s/cuda-sample:nbody-cuda11.6.0-ubuntu18.04",
                        "command": ["bash", "-c"],
                        "args": [
                            "trap 'exit 0' TERM; /tmp/sample --benchmark --numbodies=4226000 & wait"
                        ],
                        "resources": {"claims": [shared_gpus.container(ts_gpu)]},
                    },
                    {
                        "name": "ts-ctr1",
                        "image": "nvcr.io/nvidia/k8s/cuda-sample:nbody-cuda11.6.0-ubuntu18.04",
                        "command": ["bash", "-c"],
                        "args": [
                            "trap 'exit 0' TERM; /tmp/sample --benchmark --numbodies=4226000 & wait"
                        ],
                        "resources": {"claims": [shared_gpus.container(ts_gpu)]},
                    },
                    {
                        "name": "mps-ctr0",
                        "image": "nvcr.io/nvidia/k8s/cuda-sample:nbody-cuda11.6.0-ubuntu18.04",
                        "command": ["bash", "-c"],
                        "args": [
                            "trap 'exit 0' TERM; /tmp/sample --benchmark --numbodies=4226000 & wait"
                        ],
                        "resources": {"claims": [shared_gpus.container(mps_gpu)]},
                    },
                    {
                        "name": "mps-ctr1",
                        "image": "nvcr.io/nvidia/k8s/cuda-sample:nbody-cuda11.6.0-ubuntu18.04",
                        "command": ["bash", "-c"],
                        "args": [
                            "trap 'exit 0' TERM; /tmp/sample --benchmark --numbodies=4226000 & wait"
                        ],
                        "resources": {"claims": [shared_gpus.container(mps_gpu)]},
                    },
                ],
                "resourceClaims": [shared_gpus.to_dict()],
                "tolerations": [
                    {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
                ],
            },
        }
    )
)
