from dradsl import App, KubernetesObject, PodClaim, Request, ResourceClaimTemplate, Toleration
from dradsl.devices.example import gpu

app = App()

# ResourceClaimTemplate without toleration
single_gpu_without_toleration = app.add(
    ResourceClaimTemplate(
        "single-gpu-without-toleration",
        namespace="basic-resourceclaimtemplate",
        requests=[Request("gpu", gpu)],
    )
)
# ResourceClaimTemplate with toleration
single_gpu_with_toleration = app.add(
    ResourceClaimTemplate(
        "single-gpu-with-toleration",
        namespace="basic-resourceclaimtemplate",
        requests=[
            Request(
                "gpu",
                gpu,
                tolerations=[
                    Toleration(
                        key="gpu.example.com/unhealthy",
                        operator="Equal",
                        value="true",
                        effect="NoExecute",
                    )
                ],
            )
        ],
    )
)
app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": "basic-resourceclaimtemplate"},
        }
    )
)
# Pod using the resourceclaimtemplate without toleration
gpu_devices = PodClaim("gpu", single_gpu_without_toleration)
app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "namespace": "basic-resourceclaimtemplate",
                "name": "pod-without-toleration",
                "labels": {"app": "pod-without-toleration"},
            },
            "spec": {
                "containers": [
                    {
                        "name": "ctr0",
                        "image": "ubuntu:22.04",
                        "command": ["bash", "-c"],
                        "args": ["export; trap 'exit 0' TERM; sleep 9999 & wait"],
                        "resources": {"claims": [gpu_devices.container()]},
                    }
                ],
                "resourceClaims": [gpu_devices.to_dict()],
            },
        }
    )
)
# Pod using the resourceclaimtemplate with toleration
gpu_devices_2 = PodClaim("gpu", single_gpu_with_toleration)
app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "namespace": "basic-resourceclaimtemplate",
                "name": "pod-with-toleration",
                "labels": {"app": "pod-with-toleration"},
            },
            "spec": {
                "containers": [
                    {
                        "name": "ctr0",
                        "image": "ubuntu:22.04",
                        "command": ["bash", "-c"],
                        "args": ["export; trap 'exit 0' TERM; sleep 9999 & wait"],
                        "resources": {"claims": [gpu_devices_2.container()]},
                    }
                ],
                "resourceClaims": [gpu_devices_2.to_dict()],
            },
        }
    )
)
