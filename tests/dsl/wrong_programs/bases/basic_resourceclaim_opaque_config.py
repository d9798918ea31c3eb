from dradsl import App, Config, KubernetesObject, PodClaim, Request, ResourceClaimTemplate
from dradsl.devices.example import GpuConfig, SpacePartitioning, TimeSlicing, gpu

app = App()

multiple_gpus = app.add(
    ResourceClaimTemplate(
        "multiple-gpus",
        namespace="basic-resourceclaim-opaque-config",
        requests=[ts_gpu := Request("ts-gpu", gpu), sp_gpu := Request("sp-gpu", gpu)],
        configs=[
            Config(GpuConfig(sharing=TimeSlicing(interval="Long")), ts_gpu),
            Config(GpuConfig(sharing=SpacePartitioning(partitionCount=10)), sp_gpu),
        ],
    )
)
app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": "basic-resourceclaim-opaque-config"},
        }
    )
)
shared_gpus = PodClaim("shared-gpus", multiple_gpus)
app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"namespace": "basic-resourceclaim-opaque-config", "name": "pod0"},
            "spec": {
                "containers": [
                    {
                        "name": "ts-ctr0",
                        "image": "ubuntu:22.04",
                        "command": ["bash", "-c"],
                        "args": ["export; trap 'exit 0' TERM; sleep 9999 & wait"],
                        "resources": {"claims": [shared_gpus.container(ts_gpu)]},
                    },
                    {
                        "name": "ts-ctr1",
                        "image": "ubuntu:22.04",
                        "command": ["bash", "-c"],
                        "args": ["export; trap 'exit 0' TERM; sleep 9999 & wait"],
                        "resources": {"claims": [shared_gpus.container(ts_gpu)]},
                    },
                    {
                        "name": "sp-ctr0",
                        "image": "ubuntu:22.04",
                        "command": ["bash", "-c"],
                        "args": ["export; trap 'exit 0' TERM; sleep 9999 & wait"],
                        "resources": {"claims": [shared_gpus.container(sp_gpu)]},
                    },
                    {
                        "name": "sp-ctr1",
                        "image": "ubuntu:22.04",
                        "command": ["bash", "-c"],
                        "args": ["export; trap 'exit 0' TERM; sleep 9999 & wait"],
                        "resources": {"claims": [shared_gpus.container(sp_gpu)]},
                    },
                ],
                "resourceClaims": [shared_gpus.to_dict()],
            },
        }
    )
)
