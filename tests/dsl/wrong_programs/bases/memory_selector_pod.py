from dradsl import App, KubernetesObject, PodClaim, Request, ResourceClaimTemplate
from dradsl.devices.intel import gpu

app = App()

memory_selector_claim = app.add(
    ResourceClaimTemplate(
        "memory-selector-claim",
        namespace="intel-gpu-resource-driver",
        requests=[Request("gpu", gpu, select=gpu.memory >= "1Gi")],
    )
)
resource = PodClaim("resource", memory_selector_claim)
app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "memory-selector-test", "namespace": "intel-gpu-resource-driver"},
            "spec": {
                "restartPolicy": "Never",
                "containers": [
                    {
                        "name": "with-resource",
                        "image": "registry.k8s.io/e2e-test-images/busybox:1.29-2",
                        "command": [
                            "sh",
                            "-c",
                            "echo 'Testing GPU memory capacity selector' && ls -la /dev/dri/ && CARD_COUNT=$(ls -1 /dev/dri/card* 2>/dev/null | wc -l) && RENDER_COUNT=$(ls -1 /dev/dri/renderD[12][0-9][0-9] 2>/dev/null | wc -l) && echo \"Found $CARD_COUNT card device(s) and $RENDER_COUNT render device(s)\" && test $CARD_COUNT -eq 1 && test $RENDER_COUNT -eq 1 && echo 'SUCCESS: GPU allocated'",
                        ],
                        "resources": {"claims": [resource.container()]},
                    }
                ],
                "resourceClaims": [resource.to_dict()],
            },
        }
    )
)
