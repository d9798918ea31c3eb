from dradsl import App, Request, ResourceClaimTemplate
from dradsl.devices.intel import gpu

app = App()

app.add(
    ResourceClaimTemplate(
        "claim1", namespace="intel-gpu-resource-driver", requests=[Request("gpu", gpu)]
    )
)
