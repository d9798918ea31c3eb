"""One GPU that all replicas of a small model share: a claim with a life of its own."""

from dradsl import App, KubernetesObject, PodClaim, Request, ResourceClaim
from dradsl.devices.nvidia import MPS, GpuConfig, gpu

app = App(for_release="1.34")

shared = app.add(
    ResourceClaim(
        "embedding-gpu",
        namespace="serving",
        requests=[
            Request(
                "gpu",
                gpu,
                select=(gpu.memory >= "20Gi") & (gpu.cudaComputeCapability >= "8.0"),
            )
        ],
        configs=[GpuConfig(sharing=MPS(defaultActiveThreadPercentage=25))],
    )
)

claim = PodClaim("gpu", shared)

for replica in ("a", "b"):
    app.add(
        KubernetesObject(
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"name": f"embedding-{replica}", "namespace": "serving"},
                "spec": {
                    "containers": [
                        {
                            "name": "server",
                            "image": "registry.example.com/embedding:1",
                            "resources": {"claims": [claim.container()]},
                        }
                    ],
                    "resourceClaims": [claim.to_dict()],
                },
            }
        )
    )
