"""A share of a GPU's memory: other claims get the rest (driver option ConsumableShares)."""

from dradsl import App, KubernetesObject, PodClaim, Request, ResourceClaimTemplate
from dradsl.devices.nvidia import gpu

app = App(for_release="1.36")

share = app.add(
    ResourceClaimTemplate(
        "ten-gigabytes",
        namespace="serving",
        requests=[Request("gpu", gpu, capacity={gpu.memory: "10Gi"})],
    )
)

claim = PodClaim("gpu", share)

app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "small-model", "namespace": "serving"},
            "spec": {
                "containers": [
                    {
                        "name": "server",
                        "image": "registry.example.com/server:1",
                        "resources": {"claims": [claim.container()]},
                    }
                ],
                "resourceClaims": [claim.to_dict()],
            },
        }
    )
)
