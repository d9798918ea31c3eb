"""Inside Pulumi: the whole app as one ConfigGroup, or each object as a resource of its own."""

import pulumi_kubernetes as k8s
from training_pair import app as dra


def all_at_once() -> None:
    """One component; Pulumi works out the order."""
    k8s.yaml.v2.ConfigGroup("dra", objs=dra.to_dicts())


def one_by_one() -> None:
    """A resource each, so that others can depend on a single one."""
    for obj in dra.objects:
        data = obj.to_dict()
        k8s.apiextensions.CustomResource(
            f"{data['kind'].lower()}-{data['metadata']['name']}",
            api_version=data["apiVersion"],
            kind=data["kind"],
            metadata=data["metadata"],
            spec=data["spec"],
        )


if __name__ == "__main__":
    all_at_once()
