"""A GPU and an RDMA interface behind one PCIe root, from two drivers."""

from dradsl import (
    App,
    Config,
    DeviceClass,
    KubernetesObject,
    PodClaim,
    Request,
    ResourceClaimTemplate,
    same,
)
from dradsl.devices.dranet import Interface, NetworkConfig, nic
from dradsl.devices.nvidia import gpu

app = App(for_release="1.36")

# dra.net ships no class of its own.
rdma = app.add(DeviceClass("rdma-nic", select=nic & nic.rdma & ~nic.virtual))

aligned = app.add(
    ResourceClaimTemplate(
        "gpu-nic",
        namespace="hpc",
        requests=[
            one_gpu := Request("gpu", gpu),
            one_nic := Request("nic", rdma, select=nic.encapsulation.or_else("ether") == "ether"),
        ],
        constraints=[same(gpu.pcieRoot, one_gpu, one_nic)],
        configs=[Config(NetworkConfig(interface=Interface(name="rdma0", mtu=9000)), one_nic)],
    )
)

claim = PodClaim("gpu-nic", aligned)

app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "rank-0", "namespace": "hpc"},
            "spec": {
                "containers": [
                    {
                        "name": "rank",
                        "image": "registry.example.com/nccl:1",
                        "resources": {"claims": [claim.container()]},
                    },
                    {
                        "name": "metrics",
                        "image": "registry.example.com/metrics:1",
                        # This container sees the interface alone.
                        "resources": {"claims": [claim.container(one_nic)]},
                    },
                ],
                "resourceClaims": [claim.to_dict()],
            },
        }
    )
)
