from dradsl import App, Config, KubernetesObject, PodClaim, Request, ResourceClaim
from dradsl.devices.nvidia import MPS, GpuConfig, gpu

app = App(for_release="1.36")

gpu_claim = app.add(
    ResourceClaim(
        "gpu-claim",
        requests=[gpu_request := Request("gpu", gpu)],
        configs=[
            Config(
                GpuConfig(
                    sharing=MPS(
                        defaultActiveThreadPercentage=50, defaultPinnedDeviceMemoryLimit="15Gi"
                    )
                ),
                gpu_request,
            )
        ],
    )
)
gpu_devices = PodClaim("gpu", gpu_claim)
app.add(
    KubernetesObject(
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "vllm-gpu"},
            "spec": {
                "replicas": 2,
                "selector": {"matchLabels": {"app": "vllm-gpu"}},
                "template": {
                    "metadata": {"labels": {"app": "vllm-gpu"}},
                    "spec": {
                        "tolerations": [
                            {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
                        ],
                        "resourceClaims": [gpu_devices.to_dict()],
                        "containers": [
                            {
                                "name": "vllm-gpu",
                                "image": "vllm/vllm-openai:v0.21.0",
                                "command": ["python3", "-m", "vllm.entrypoints.openai.api_server"],
                                "args": [
                                    "--host=0.0.0.0",
                                    "--port=8000",
                                    "--model=google/gemma-3-1b-it",
                                    "--gpu-memory-utilization=0.35",
                                ],
                                "env": [
                                    {
                                        "name": "HF_TOKEN",
                                        "valueFrom": {
                                            "secretKeyRef": {
                                                "name": "hf-secret",
                                                "key": "hf_api_token",
                                            },
                                        },
                                    }
                                ],
                                "ports": [{"containerPort": 8000}],
                                "resources": {"claims": [gpu_devices.container()]},
                                "readinessProbe": {
                                    "tcpSocket": {"port": 8000},
                                    "initialDelaySeconds": 15,
                                    "periodSeconds": 10,
                                },
                                "volumeMounts": [{"name": "dshm", "mountPath": "/dev/shm"}],
                            }
                        ],
                        "volumes": [{"name": "dshm", "emptyDir": {"medium": "Memory"}}],
                    },
                },
            },
        }
    )
)
app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": "vllm-service"},
            "spec": {
                "selector": {"app": "vllm-gpu"},
                "type": "LoadBalancer",
                "ports": [{"name": "http", "protocol": "TCP", "port": 8000, "targetPort": 8000}],
            },
        }
    )
)
