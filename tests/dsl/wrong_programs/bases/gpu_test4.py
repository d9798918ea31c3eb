from dradsl import App, KubernetesObject, PodClaim, Request, ResourceClaimTemplate, same
from dradsl.devices.nvidia import mig

app = App()

mig_devices = app.add(
    ResourceClaimTemplate(
        "mig-devices",
        namespace="gpu-test4",
        requests=[
            mig_1g_5gb_0 := Request("mig-1g-5gb-0", mig, select=mig.profile == "1g.5gb"),
            mig_1g_5gb_1 := Request("mig-1g-5gb-1", mig, select=mig.profile == "1g.5gb"),
            mig_2g_10gb := Request("mig-2g-10gb", mig, select=mig.profile == "2g.10gb"),
            mig_3g_20gb := Request("mig-3g-20gb", mig, select=mig.profile == "3g.20gb"),
        ],
        constraints=[same(mig.parentUUID)],
    )
)
app.add(
    KubernetesObject({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "gpu-test4"}})
)
mig_devices_devices = PodClaim("mig-devices", mig_devices)
app.add(
    KubernetesObject(
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {
                "namespace": "gpu-test4",
                "name": "pod",
                "labels": {"app": "gpu-test4-pod"},
            },
            "spec": {
                "replicas": 4,
                "selector": {"matchLabels": {"app": "pod"}},
                "template": {
                    "metadata": {"labels": {"app": "pod"}},
                    "spec": {
                        "resourceClaims": [mig_devices_devices.to_dict()],
                        "containers": [
                            {
                                "name": "ctr0",
                                "image": "ubuntu:22.04",
                                "command": ["bash", "-c"],
                                "args": ["nvidia-smi -L; trap 'exit 0' TERM; sleep 9999 & wait"],
                                "resources": {
                                    "claims": [mig_devices_devices.container(mig_1g_5gb_0)],
                                },
                            },
                            {
                                "name": "ctr1",
                                "image": "ubuntu:22.04",
                                "command": ["bash", "-c"],
                                "args": ["nvidia-smi -L; trap 'exit 0' TERM; sleep 9999 & wait"],
                                "resources": {
                                    "claims": [mig_devices_devices.container(mig_1g_5gb_1)],
                                },
                            },
                            {
                                "name": "ctr2",
                                "image": "ubuntu:22.04",
                                "command": ["bash", "-c"],
                                "args": ["nvidia-smi -L; trap 'exit 0' TERM; sleep 9999 & wait"],
                                "resources": {
                                    "claims": [mig_devices_devices.container(mig_2g_10gb)],
                                },
                            },
                            {
                                "name": "ctr3",
                                "image": "ubuntu:22.04",
                                "command": ["bash", "-c"],
                                "args": ["nvidia-smi -L; trap 'exit 0' TERM; sleep 9999 & wait"],
                                "resources": {
                                    "claims": [mig_devices_devices.container(mig_3g_20gb)],
                                },
                            },
                        ],
                        "tolerations": [
                            {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
                        ],
                    },
                },
            },
        }
    )
)
