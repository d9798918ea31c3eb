"""Two GPUs of one pod: on one, processes share by MPS, on the other they take turns."""

from dradsl import App, Config, KubernetesObject, PodClaim, Request, ResourceClaimTemplate
from dradsl.devices.nvidia import MPS, GpuConfig, TimeSlicing, gpu

app = App(for_release="1.36")

mps, turns = Request("mps", gpu), Request("turns", gpu)
shared = app.add(
    ResourceClaimTemplate(
        "shared-gpus",
        namespace="serving",
        requests=[mps, turns],
        configs=[
            Config(GpuConfig(sharing=MPS(defaultActiveThreadPercentage=50)), mps),
            Config(GpuConfig(sharing=TimeSlicing(interval="Long")), turns),
        ],
    )
)

pod = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "servers", "namespace": "serving"},
    "spec": {
        "containers": [
            {"name": "small", "image": "registry.example.com/small:1"},
            {"name": "large", "image": "registry.example.com/large:1"},
        ]
    },
}
claim = PodClaim("gpus", shared)
pod = claim.attach(pod, "small", request=mps)
pod = claim.attach(pod, "large", request=turns)
app.add(KubernetesObject(pod))
