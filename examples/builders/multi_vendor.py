"""Any accelerator with enough memory, the preferred vendor first."""

from dradsl import App, FirstAvailable, KubernetesObject, PodClaim, Request, ResourceClaimTemplate
from dradsl.devices import amd, intel, nvidia

app = App(for_release="1.36")

WANTED = "40Gi"

any_gpu = app.add(
    ResourceClaimTemplate(
        "any-gpu",
        namespace="batch",
        requests=[
            FirstAvailable(
                "gpu",
                Request("nvidia", nvidia.gpu, select=nvidia.gpu.memory >= WANTED),
                # The class gpu.amd.com holds partitions too: the handle asks for whole GPUs.
                Request("amd", "gpu.amd.com", select=amd.amdgpu & (amd.amdgpu.memory >= WANTED)),
                Request("intel", intel.gpu, count=2, select=intel.gpu.memory >= "20Gi"),
            )
        ],
    )
)

claim = PodClaim("gpu", any_gpu)

app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "render", "namespace": "batch"},
            "spec": {
                "containers": [
                    {
                        "name": "render",
                        "image": "registry.example.com/render:1",
                        "resources": {"claims": [claim.container()]},
                    }
                ],
                "resourceClaims": [claim.to_dict()],
            },
        }
    )
)
