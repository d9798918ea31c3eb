from dradsl import App, KubernetesObject, PodClaim, Request, ResourceClaimTemplate
from dradsl.devices.nvidia import gpu

app = App(for_release="1.36")

gpu_claim_template = app.add(
    ResourceClaimTemplate(
        "gpu-claim-template", requests=[Request("single-gpu", gpu, allocation_mode="ExactCount")]
    )
)
# gang size
app.add(
    KubernetesObject(
        {
            "apiVersion": "batch.volcano.sh/v1alpha1",
            "kind": "Job",
            "metadata": {"name": "lavaflow-training"},
            "spec": {
                "minAvailable": 3,
                "schedulerName": "volcano",
                "queue": "default",
                "tasks": [
                    {
                        "name": "master",
                        "replicas": 1,
                        "template": {
                            "spec": {
                                "containers": [
                                    {
                                        "name": "master",
                                        "image": "busybox",
                                        "command": [
                                            "sh",
                                            "-c",
                                            "echo I am the lava master; sleep 10",
                                        ],
                                    }
                                ],
                                "restartPolicy": "Never",
                            },
                        },
                    },
                    {
                        "name": "worker",
                        "replicas": 2,
                        "template": {
                            "spec": {
                                "containers": [
                                    {
                                        "name": "worker",
                                        "image": "busybox",
                                        "command": [
                                            "sh",
                                            "-c",
                                            "echo I am a lava worker; sleep 10",
                                        ],
                                    }
                                ],
                                "restartPolicy": "Never",
                            },
                        },
                    },
                ],
            },
        }
    )
)
app.add(
    KubernetesObject(
        {
            "apiVersion": "autoscaling/v2",
            "kind": "HorizontalPodAutoscaler",
            "metadata": {"name": "gpu-intensive-app"},
            "spec": {
                "scaleTargetRef": {
                    "apiVersion": "apps/v1",
                    "kind": "Deployment",
                    "name": "gpu-intensive-app",
                },
                "minReplicas": 1,
                "maxReplicas": 10,
                "metrics": [
                    {
                        "type": "External",
                        "external": {
                            "metric": {"name": "dcgm_fi_prof_gr_engine_active"},
                            "target": {"type": "AverageValue", "averageValue": 50},
                        },
                    }
                ],
            },
        }
    )
)
single_gpu = PodClaim("single-gpu", gpu_claim_template)
app.add(
    KubernetesObject(
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "gpu-intensive-app"},
            "spec": {
                "replicas": 1,
                "selector": {"matchLabels": {"app": "gpu-intensive"}},
                "template": {
                    "metadata": {"labels": {"app": "gpu-intensive"}},
                    "spec": {
                        "containers": [
                            {
                                "name": "gpu-intensive-container",
                                "image": "k8s.gcr.io/cuda-vector-add:v0.1",
                                "command": ["/bin/bash", "-c"],
                                "args": ["while true; do ./vectorAdd; done"],
                                "resources": {"claims": [single_gpu.container()]},
                            }
                        ],
                        "resourceClaims": [single_gpu.to_dict()],
                        "tolerations": [
                            {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
                        ],
                    },
                },
            },
        }
    )
)
app.add(
    KubernetesObject(
        {
            "apiVersion": "monitoring.coreos.com/v1",
            "kind": "PrometheusRule",
            "metadata": {"name": "gpu-task-utilization"},
            "spec": {
                "groups": [
                    {
                        "name": "gpu-rule-group",
                        "rules": [
                            {
                                "record": "cuda_gpu",
                                "expr": "DCGM_FI_DEV_GPU_UTIL",
                                "labels": {
                                    "namespace": "default",
                                    "deployment": "gpu-intensive-app",
                                },
                            }
                        ],
                    }
                ],
            },
        }
    )
)
