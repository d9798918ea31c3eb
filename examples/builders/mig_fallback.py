"""A notebook that takes a MIG partition if there is one, and a whole small GPU otherwise."""

from dradsl import (
    App,
    Config,
    FirstAvailable,
    KubernetesObject,
    PodClaim,
    Request,
    ResourceClaimTemplate,
)
from dradsl.devices.nvidia import GpuConfig, TimeSlicing, gpu, mig

app = App(for_release="1.36")

slice_of_gpu = Request("mig", mig, select=mig.profile.in_(["2g.10gb", "3g.20gb"]))
# `~` keeps its word on devices that publish no memory or architecture: they do not match.
small_gpu = Request("small", gpu, select=(gpu.memory <= "24Gi") & ~(gpu.architecture == "Volta"))

notebook = app.add(
    ResourceClaimTemplate(
        "notebook-gpu",
        namespace="lab",
        requests=[FirstAvailable("gpu", slice_of_gpu, small_gpu)],
        # Only the whole GPU can be time-sliced.
        configs=[Config(GpuConfig(sharing=TimeSlicing(interval="Short")), small_gpu)],
    )
)

claim = PodClaim("gpu", notebook)

app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "notebook", "namespace": "lab"},
            "spec": {
                "containers": [
                    {
                        "name": "jupyter",
                        "image": "registry.example.com/jupyter:1",
                        "resources": {"claims": [claim.container()]},
                    }
                ],
                "resourceClaims": [claim.to_dict()],
            },
        }
    )
)
