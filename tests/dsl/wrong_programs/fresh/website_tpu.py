from dradsl import App, KubernetesObject, PodClaim, Request, ResourceClaimTemplate
from dradsl.devices.google import tpu

app = App(for_release="1.36")

tpu_claim_template = app.add(
    ResourceClaimTemplate(
        "tpu-claim-template", requests=[Request("tpus", tpu, allocation_mode="All")]
    )
)
tpus = PodClaim("tpus", tpu_claim_template)
app.add(
    KubernetesObject(
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "vllm-dra-tpu"},
            "spec": {
                "replicas": 1,
                "selector": {"matchLabels": {"app": "vllm-dra-tpu"}},
                "template": {
                    "metadata": {"labels": {"app": "vllm-dra-tpu"}},
                    "spec": {
                        "tolerations": [
                            {"key": "google.com/tpu", "operator": "Exists", "effect": "NoSchedule"}
                        ],
                        "containers": [
                            {
                                "name": "vllm-tpu",
                                "image": "vllm/vllm-tpu:v0.19.0",
                                "command": ["python3", "-m", "vllm.entrypoints.openai.api_server"],
                                "args": [
                                    "--host=0.0.0.0",
                                    "--port=8000",
                                    "--model=google/gemma-3-1b-it",
                                    "--max-model-len=8192",
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
                                "resources": {"claims": [tpus.container()]},
                                "volumeMounts": [{"name": "dshm", "mountPath": "/dev/shm"}],
                            }
                        ],
                        "volumes": [{"name": "dshm", "emptyDir": {"medium": "Memory"}}],
                        "resourceClaims": [tpus.to_dict()],
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
            "metadata": {"name": "vllm-dra-tpu-service"},
            "spec": {
                "selector": {"app": "vllm-dra-tpu"},
                "type": "LoadBalancer",
                "ports": [{"name": "http", "protocol": "TCP", "port": 8000, "targetPort": 8000}],
            },
        }
    )
)
