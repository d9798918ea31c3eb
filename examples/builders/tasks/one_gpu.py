"""A class of one kind of GPU, and a pod that gets one."""

from dradsl import App, DeviceClass, KubernetesObject, PodClaim, Request, ResourceClaimTemplate
from dradsl.devices.nvidia import gpu

app = App(for_release="1.36")

l4 = app.add(DeviceClass("l4", select=gpu & (gpu.productName == "NVIDIA L4")))
one = app.add(ResourceClaimTemplate("one-l4", namespace="ml", requests=[Request("gpu", l4)]))

pod = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "notebook", "namespace": "ml"},
    "spec": {"containers": [{"name": "main", "image": "registry.example.com/notebook:1"}]},
}
app.add(KubernetesObject(PodClaim("gpu", one).attach(pod)))
