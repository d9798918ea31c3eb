from dradsl import App, KubernetesObject, PodClaim, Request, ResourceClaim

app = App()

# This example illustrates a Pod consuming exclusive CPUs under Grouped CPU Device Mode (default).
# Driver Configuration:
# --cpu-device-mode: "grouped" (CPUs are grouped, e.g. by NUMA node, and exposed as consumable capacity).
# Note: The CPU requests specified in the ResourceClaim must be replicated in the container's
# standard resource requests (resources.requests.cpu) to ensure proper scheduling accounting and avoid double-booking.
# This replication is NOT needed when the driver publishes node allocatable mappings
# (driverConfig.publishNodeAllocatableResourceMapping) - see pod_with_resource_claim_node_allocatable.yaml.
claim_cpu_capacity_10 = app.add(
    ResourceClaim(
        "claim-cpu-capacity-10",
        requests=[Request("req-cpu-slice", "dra.cpu", capacity={"dra.cpu/cpu": "10"})],
    )
)
# Replicates the 10 CPUs requested in "pod-cpu-claim-ref"
# Replicates the 10 CPUs requested in "pod-cpu-claim-ref"
pod_cpu_claim_ref = PodClaim("pod-cpu-claim-ref", claim_cpu_capacity_10)
app.add(
    KubernetesObject(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "pod-cpu-dra-claim"},
            "spec": {
                "containers": [
                    {
                        "name": "workload-container",
                        "image": "registry.k8s.io/pause:3.9",
                        "resources": {
                            "requests": {"cpu": "10", "memory": "2Gi"},
                            "limits": {"cpu": "10", "memory": "2Gi"},
                            "claims": [pod_cpu_claim_ref.container()],
                        },
                    }
                ],
                "resourceClaims": [pod_cpu_claim_ref.to_dict()],
            },
        }
    )
)
