"""The chart of the training team."""

from platform_classes import TRAINING
from workloads import add_pod

from dradsl import App, Request, ResourceClaimTemplate, same
from dradsl.devices.nvidia import gpu

app = App(for_release="1.36")

template = app.add(
    ResourceClaimTemplate(
        "training",
        namespace="training",
        requests=[gpus := Request("gpus", TRAINING, count=4)],
        constraints=[same(gpu.numaNode, gpus)],
    )
)

add_pod(app, "training", template)
