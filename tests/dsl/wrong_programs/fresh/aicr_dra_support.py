from dradsl import App, KubernetesObject, PodClaim, Request, ResourceClaim
from dradsl.devices.nvidia import gpu

app = App(for_release="1.36")

gpu_claim = app.add(
    ResourceClaim(
        "gpu-claim",
        namespace="dra-test",
        requests=[Request("gpu", gpu, count=1, allocation_mode="ExactCount")],
    )
)
app.add(
    KubernetesObject({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "dra-test"}})
)
gpu_devices = PodClaim("gpu", gpu_claim)
app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "dra-gpu-test", "namespace": "dra-test"},
            "spec": {
                "restartPolicy": "Never",
                "securityContext": {
                    "runAsNonRoot": False,
                    "seccompProfile": {"type": "RuntimeDefault"},
                },
                "tolerations": [{"operator": "Exists"}],
                "resourceClaims": [gpu_devices.to_dict()],
                "containers": [
                    {
                        "name": "gpu-test",
                        "image": "nvidia/cuda:12.9.0-base-ubuntu24.04",
                        "command": [
                            "bash",
                            "-c",
                            "ls /dev/nvidia* && echo 'DRA GPU allocation successful'",
                        ],
                        "securityContext": {"allowPrivilegeEscalation": False},
                        "resources": {"claims": [gpu_devices.container()]},
                    }
                ],
            },
        }
    )
)
