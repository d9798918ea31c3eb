from dradsl import App, FirstAvailable, KubernetesObject, PodClaim, Request, ResourceClaimTemplate
from dradsl.devices.intel import gaudi, gpu

app = App()

claim1 = app.add(
    ResourceClaimTemplate(
        "claim1",
        requests=[FirstAvailable("ai-accelerator", Request("gpu", gpu), Request("gaudi", gaudi))],
    )
)
resource = PodClaim("resource", claim1)
app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "test-inline-first-available"},
            "spec": {
                "restartPolicy": "Never",
                "containers": [
                    {
                        "name": "with-resource",
                        "image": "registry.k8s.io/e2e-test-images/busybox:1.29-2",
                        "command": ["sh", "-c", "ls -la /dev/dri/ && sleep 20"],
                        "resources": {"claims": [resource.container()]},
                    },
                    {
                        "name": "without-resource",
                        "image": "registry.k8s.io/e2e-test-images/busybox:1.29-2",
                        "command": ["sh", "-c", "ls -la /dev/ && sleep 20"],
                    },
                ],
                "resourceClaims": [resource.to_dict()],
            },
        }
    )
)
