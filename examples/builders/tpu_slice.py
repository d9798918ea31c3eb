"""All TPU chips of a node for one worker of a multi-host job."""

from dradsl import App, KubernetesObject, PodClaim, Request, ResourceClaimTemplate
from dradsl.devices.google import tpu

app = App(for_release="1.35")

chips = app.add(
    ResourceClaimTemplate(
        "v6e-host",
        namespace="ml",
        requests=[
            Request("chips", tpu, allocation_mode="All", select=tpu.tpuGen.startswith("v6e")),
        ],
    )
)

claim = PodClaim("chips", chips)

app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "worker-0", "namespace": "ml"},
            "spec": {
                "containers": [
                    {
                        "name": "worker",
                        "image": "registry.example.com/jax:1",
                        "resources": {"claims": [claim.container()]},
                    }
                ],
                "resourceClaims": [claim.to_dict()],
            },
        }
    )
)
