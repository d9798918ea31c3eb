from dradsl import App, KubernetesObject, PodClaim, Request, ResourceClaim
from dradsl.devices.nvidia import gpu

app = App(for_release="1.36")

gang_gpu_claim_0 = app.add(
    ResourceClaim(
        "gang-gpu-claim-0",
        namespace="gang-scheduling-test",
        labels={"kai.scheduler/queue": "default-queue"},
        requests=[Request("gpu", gpu, count=1, allocation_mode="ExactCount")],
    )
)
gang_gpu_claim_1 = app.add(
    ResourceClaim(
        "gang-gpu-claim-1",
        namespace="gang-scheduling-test",
        labels={"kai.scheduler/queue": "default-queue"},
        requests=[Request("gpu", gpu, count=1, allocation_mode="ExactCount")],
    )
)
app.add(
    KubernetesObject(
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "gang-scheduling-test"}}
    )
)
app.add(
    KubernetesObject(
        {
            "apiVersion": "scheduling.run.ai/v2alpha2",
            "kind": "PodGroup",
            "metadata": {"name": "gang-test-group", "namespace": "gang-scheduling-test"},
            "spec": {"minMember": 2, "queue": "default-queue"},
        }
    )
)
gpu_devices = PodClaim("gpu", gang_gpu_claim_0)
app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": "gang-worker-0",
                "namespace": "gang-scheduling-test",
                "labels": {
                    "pod-group.scheduling.run.ai/name": "gang-test-group",
                    "pod-group.scheduling.run.ai/group-id": "gang-test-group",
                },
            },
            "spec": {
                "schedulerName": "kai-scheduler",
                "restartPolicy": "Never",
                "securityContext": {
                    "runAsNonRoot": False,
                    "seccompProfile": {"type": "RuntimeDefault"},
                },
                "tolerations": [{"operator": "Exists"}],
                "resourceClaims": [gpu_devices.to_dict()],
                "containers": [
                    {
                        "name": "worker",
                        "image": "nvidia/cuda:12.9.0-base-ubuntu24.04",
                        "command": [
                            "bash",
                            "-c",
                            "nvidia-smi && echo 'Gang worker 0 completed successfully'",
                        ],
                        "securityContext": {"allowPrivilegeEscalation": False},
                        "resources": {"claims": [gpu_devices.container()]},
                    }
                ],
            },
        }
    )
)
gpu_devices_2 = PodClaim("gpu", gang_gpu_claim_1)
app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": "gang-worker-1",
                "namespace": "gang-scheduling-test",
                "labels": {
                    "pod-group.scheduling.run.ai/name": "gang-test-group",
                    "pod-group.scheduling.run.ai/group-id": "gang-test-group",
                },
            },
            "spec": {
                "schedulerName": "kai-scheduler",
                "restartPolicy": "Never",
                "securityContext": {
                    "runAsNonRoot": False,
                    "seccompProfile": {"type": "RuntimeDefault"},
                },
                "tolerations": [{"operator": "Exists"}],
                "resourceClaims": [gpu_devices_2.to_dict()],
                "containers": [
                    {
                        "name": "worker",
                        "image": "nvidia/cuda:12.9.0-base-ubuntu24.04",
                        "command": [
                            "bash",
                            "-c",
                            "nvidia-smi && echo 'Gang worker 1 completed successfully'",
                        ],
                        "securityContext": {"allowPrivilegeEscalation": False},
                        "resources": {"claims": [gpu_devices_2.container()]},
                    }
                ],
            },
        }
    )
)
