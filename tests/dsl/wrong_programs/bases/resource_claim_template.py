from dradsl import App, Request, ResourceClaimTemplate
from dradsl.devices.dranet import nic
from dradsl.devices.nvidia import gpu

app = App()

app.add(
    ResourceClaimTemplate(
        "h100-4gpu-4nic-numa-aligned",
        requests=[
            Request(
                "gpu",
                gpu,
                select=gpu.pciBusID.unguarded.in_(
                    ["0001:00:00.0", "0002:00:00.0", "0003:00:00.0", "0008:00:00.0"]
                ),
                count=4,
            ),
            Request(
                "nic",
                "dranet.net",
                select=(nic.rdma.unguarded == True) & (nic.numaNode.unguarded == 0),
                count=4,
            ),
        ],
    )
)
app.add(
    ResourceClaimTemplate(
        "h100-4gpu-4nic-numa-unaligned",
        requests=[
            Request(
                "gpu",
                gpu,
                select=gpu.pciBusID.unguarded.in_(
                    ["0001:00:00.0", "0002:00:00.0", "0003:00:00.0", "0008:00:00.0"]
                ),
                count=4,
            ),
            Request(
                "nic",
                "dranet.net",
                select=(nic.rdma.unguarded == True) & (nic.numaNode.unguarded == 1),
                count=4,
            ),
        ],
    )
)
