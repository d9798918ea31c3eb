from dradsl import App, KubernetesObject, PodClaim, Request, ResourceClaimTemplate
from dradsl.devices.nvidia import mig

app = App(for_release="1.36")

gpu_claim_template_prod = app.add(
    ResourceClaimTemplate(
        "gpu-claim-template-prod",
        requests=[
            Request(
                "gpu",
                mig,
                select=(mig.profile == "3g.40gb"),
            )
        ],
    )
)
gpu_claim_template_dev = app.add(
    ResourceClaimTemplate(
        "gpu-claim-template-dev",
        requests=[
            Request(
                "gpu",
                mig,
                select=(mig.profile == "1g.10gb"),
            )
        ],
    )
)
gpu = PodClaim("gpu", gpu_claim_template_prod)
app.add(
    KubernetesObject(
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "vllm-prod"},
            "spec": {
                "replicas": 1,
                "selector": {"matchLabels": {"app": "vllm-prod"}},
                "template": {
                    "metadata": {"labels": {"app": "vllm-prod"}},
                    "spec": {
                        "tolerations": [
                            {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
                        ],
                        "resourceClaims": [gpu.to_dict()],
                        "containers": [
                            {
                                "name": "vllm-gpu",
                                "image": "vllm/vllm-openai:v0.21.0",
                                "command": ["python3", "-m", "vllm.entrypoints.openai.api_server"],
                                "args": [
                                    "--host=0.0.0.0",
                                    "--port=8000",
                                    "--model=google/gemma-3-1b-it",
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
                                "resources": {"claims": [gpu.container()]},
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
            "metadata": {"name": "vllm-prod-service"},
            "spec": {
                "selector": {"app": "vllm-prod"},
                "type": "LoadBalancer",
                "ports": [{"name": "http", "protocol": "TCP", "port": 8000, "targetPort": 8000}],
            },
        }
    )
)
gpu_devices = PodClaim("gpu", gpu_claim_template_dev)
app.add(
    KubernetesObject(
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "vllm-dev"},
            "spec": {
                "replicas": 1,
                "selector": {"matchLabels": {"app": "vllm-dev"}},
                "template": {
                    "metadata": {"labels": {"app": "vllm-dev"}},
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
                                    "--max-model-len=2048",
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
            "metadata": {"name": "vllm-dev-service"},
            "spec": {
                "selector": {"app": "vllm-dev"},
                "type": "LoadBalancer",
                "ports": [{"name": "http", "protocol": "TCP", "port": 8000, "targetPort": 8000}],
            },
        }
    )
)
