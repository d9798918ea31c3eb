from dradsl import App, KubernetesObject, PodClaim, Request, ResourceClaimTemplate
from dradsl.devices.example import gpu

app = App()

multiple_gpus = app.add(
    ResourceClaimTemplate(
        "multiple-gpus",
        namespace="basic-multiple-requests",
        requests=[Request("gpu-1", gpu), Request("gpu-2", gpu)],
    )
)
app.add(
    KubernetesObject(
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "basic-multiple-requests"}}
    )
)
gpus = PodClaim("gpus", multiple_gpus)
app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "namespace": "basic-multiple-requests",
                "name": "pod0",
                "labels": {"app": "pod"},
            },
            "spec": {
                "containers": [
                    {
                        "name": "ctr0",
                        "image": "ubuntu:22.04",
                        "command": ["bash", "-c"],
                        "args": ["export; trap 'exit 0' TERM; sleep 9999 & wait"],
                        "resources": {"claims": [gpus.container()]},
                    }
                ],
                "resourceClaims": [gpus.to_dict()],
            },
        }
    )
)
