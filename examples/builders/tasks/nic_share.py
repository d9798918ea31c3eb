"""A share of a network interface: other pods get the rest of its bandwidth.

The driver has to publish capacities of interfaces that several claims can have, as the example driver of
Kubernetes does. Of the other drivers that dradsl knows, none does.
"""

from dradsl import App, KubernetesObject, PodClaim, Request, ResourceClaimTemplate
from dradsl.devices.example import net

app = App(for_release="1.36")

share = app.add(
    ResourceClaimTemplate(
        "ten-gigabits",
        namespace="ml",
        requests=[
            Request("nic", net, capacity={net.egressBandwidth: "10G", net.ingressBandwidth: "10G"})
        ],
    )
)

pod = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "sender", "namespace": "ml"},
    "spec": {"containers": [{"name": "main", "image": "registry.example.com/sender:1"}]},
}
app.add(KubernetesObject(PodClaim("nic", share).attach(pod)))
