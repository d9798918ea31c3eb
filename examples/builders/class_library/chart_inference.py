"""The chart of the inference team."""

from platform_classes import INFERENCE
from workloads import add_pod

from dradsl import App, Request, ResourceClaimTemplate
from dradsl.devices.nvidia import gpu

app = App(for_release="1.36")

template = app.add(
    ResourceClaimTemplate(
        "inference",
        namespace="inference",
        requests=[Request("gpu", INFERENCE, select=gpu.driverVersion >= "550.54")],
    )
)

add_pod(app, "inference", template)
