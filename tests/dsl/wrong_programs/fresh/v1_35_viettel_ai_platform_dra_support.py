from dradsl import App, KubernetesObject, PodClaim, Request, ResourceClaimTemplate
from dradsl.devices.nvidia import gpu

app = App(for_release="1.36")

single_gpu = app.add(
    ResourceClaimTemplate(
        "single-gpu",
        namespace="dra-test",
        requests=[Request("req-0", gpu, count=1, allocation_mode="ExactCount")],
    )
)
app.add(
    KubernetesObject({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "dra-test"}})
)
single_gpu_devices = PodClaim("single-gpu", single_gpu)
app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "dra-test-pod", "namespace": "dra-test"},
            "spec": {
                "containers": [
                    {
                        "name": "test",
                        "image": "ubuntu:22.04",
                        "command": ["/bin/sh", "-c", "while true; do sleep 30; done"],
                        "resources": {"claims": [single_gpu_devices.container()]},
                    }
                ],
                "resourceClaims": [single_gpu_devices.to_dict()],
                "restartPolicy": "Never",
            },
        }
    )
)
