"""Inside Pulumi: the whole app as one ConfigGroup, or each object as a resource of its own."""

import pulumi_kubernetes as k8s
from training_pair import app as dra

# Everything at once; Pulumi works out the order.
k8s.yaml.v2.ConfigGroup("dra", objs=dra.to_dicts())

# Or one by one, to depend on single objects.
for data in dra.to_dicts():
    metadata = data["metadata"]
    k8s.apiextensions.CustomResource(
        f"{data['kind'].lower()}-{metadata['name']}",
        api_version=data["apiVersion"],
        kind=data["kind"],
        metadata=metadata,
        others={"spec": data["spec"]},
    )
