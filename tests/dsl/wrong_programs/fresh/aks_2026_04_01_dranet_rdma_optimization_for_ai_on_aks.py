from dradsl import App, Request, ResourceClaimTemplate
from dradsl.devices.dranet import nic
from dradsl.devices.nvidia import gpu

app = App(for_release="1.36")

app.add(
    ResourceClaimTemplate(
        "1nic-unaligned",
        requests=[
            Request("gpu", gpu, select=gpu.pciBusID.unguarded == "0008:06:00.0", count=1),
            Request(
                "nic",
                "dranet.net",
                select=(nic.rdmaDevice.unguarded == "mlx5_2"),
                count=1,
            ),
        ],
    )
)
