"""A monitoring pod that looks at every GPU of its node, also at those in use and at sick ones."""

from dradsl import App, KubernetesObject, PodClaim, Request, ResourceClaimTemplate, Toleration
from dradsl.devices.nvidia import gpu

app = App(for_release="1.36")

app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {
                "name": "monitoring",
                # Without this label the API server rejects admin access.
                "labels": {"resource.kubernetes.io/admin-access": "true"},
            },
        }
    )
)

all_gpus = app.add(
    ResourceClaimTemplate(
        "all-gpus",
        namespace="monitoring",
        requests=[
            Request(
                "gpus",
                gpu,
                allocation_mode="All",
                admin_access=True,
                tolerations=[Toleration(operator="Exists")],
            )
        ],
    )
)

claim = PodClaim("gpus", all_gpus)

app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "gpu-exporter", "namespace": "monitoring"},
            "spec": {
                "containers": [
                    {
                        "name": "exporter",
                        "image": "registry.example.com/exporter:1",
                        "resources": {"claims": [claim.container()]},
                    }
                ],
                "resourceClaims": [claim.to_dict()],
            },
        }
    )
)
