from dradsl import App, KubernetesObject, PodClaim, Request, ResourceClaimTemplate
from dradsl.devices.nvidia import vfio

app = App()

single_gpu = app.add(
    ResourceClaimTemplate("single-gpu", namespace="gpu-test-vfio", requests=[Request("gpu", vfio)])
)
app.add(
    KubernetesObject(
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "gpu-test-vfio"}}
    )
)
gpu = PodClaim("gpu", single_gpu)
app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"namespace": "gpu-test-vfio", "name": "pod1", "labels": {"app": "pod"}},
            "spec": {
                "containers": [
                    {
                        "name": "ctr",
                        "image": "ubuntu:22.04",
                        "command": ["bash", "-c"],
                        "args": ["sleep 9999 & wait"],
                        "resources": {"claims": [gpu.container()]},
                    }
                ],
                "resourceClaims": [gpu.to_dict()],
            },
        }
    )
)
