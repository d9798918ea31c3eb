"""What the three charts share: a pod with one claim."""

from dradsl import App, KubernetesObject, PodClaim, ResourceClaimTemplate


def add_pod(app: App, name: str, template: ResourceClaimTemplate) -> None:
    """Add a pod called `name` whose only container gets the devices of `template`."""
    claim = PodClaim("devices", template)
    container = {
        "name": "main",
        "image": f"registry.example.com/{name}:1",
        "resources": {"claims": [claim.container()]},
    }
    app.add(
        KubernetesObject(
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"name": name, "namespace": template.namespace},
                "spec": {"containers": [container], "resourceClaims": [claim.to_dict()]},
            }
        )
    )
