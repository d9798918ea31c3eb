from dradsl import App, KubernetesObject, PodClaim, Request, ResourceClaimTemplate
from dradsl.devices.nvidia import gpu

app = App(for_release="1.36")

single_gpu = app.add(
    ResourceClaimTemplate(
        "single-gpu",
        namespace="testing",
        requests=[Request("req-0", gpu, count=1, allocation_mode="ExactCount")],
    )
)
app.add(
    KubernetesObject({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "testing"}})
)
single_gpu_devices = PodClaim("single-gpu", single_gpu)
app.add(
    KubernetesObject(
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "test-app", "namespace": "testing"},
            "spec": {
                "replicas": 1,
                "selector": {"matchLabels": {"app": "test-app"}},
                "template": {
                    "metadata": {"labels": {"app": "test-app"}},
                    "spec": {
                        "containers": [
                            {
                                "name": "test-app",
                                "image": "registry.eccd.local:5000/httpd:${IMAGE_TAG}",
                                "command": ["/bin/sh", "-c"],
                                "args": ["while true; do\n  sleep 30\ndone\n"],
                                "resources": {"claims": [single_gpu_devices.container()]},
                            }
                        ],
                        "resourceClaims": [single_gpu_devices.to_dict()],
                    },
                },
            },
        }
    )
)
