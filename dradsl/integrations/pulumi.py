"""Apps inside Pulumi: one component, or a resource for each object; claims attached to pod specs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pulumi
    import pulumi_kubernetes as k8s

    from dradsl.dsl.building.app import App
    from dradsl.dsl.objects.pods import PodClaim
    from dradsl.dsl.objects.requests import AnyRequest

__all__ = ["attach", "component", "resources"]


def component(
    name: str, app: App, options: pulumi.ResourceOptions | None = None
) -> k8s.yaml.v2.ConfigGroup:
    """The app as one component; Pulumi works out the order of its objects.

    Args:
        name: the component's name.
        app: the app.
        options: options of the resource.
    """
    import pulumi_kubernetes as k8s

    return k8s.yaml.v2.ConfigGroup(name, objs=app.to_dicts(), opts=options)


def resources(
    app: App, options: pulumi.ResourceOptions | None = None
) -> dict[str, pulumi.Resource]:
    """A resource for each object, so that others can depend on a single one; by `kind/namespace/name`.

    Args:
        app: the app.
        options: options of each resource.
    """
    import pulumi_kubernetes as k8s

    found: dict[str, pulumi.Resource] = {}
    for data in app.to_dicts():
        metadata = data["metadata"]
        parts = [data["kind"].lower(), metadata.get("namespace"), metadata["name"]]
        key = "/".join(part for part in parts if part)
        rest = {k: v for k, v in data.items() if k not in ("apiVersion", "kind", "metadata")}
        found[key] = k8s.apiextensions.CustomResource(
            key.replace("/", "-"),
            api_version=data["apiVersion"],
            kind=data["kind"],
            metadata=metadata,
            opts=options,
            **rest,
        )
    return found


def attach(
    spec: k8s.core.v1.PodSpecArgs,
    claim: PodClaim,
    *containers: str,
    request: AnyRequest | None = None,
) -> k8s.core.v1.PodSpecArgs:
    """Attach a claim to the pod spec of a workload, which is changed and returned.

    Args:
        spec: the pod spec as Pulumi's arguments; plain dicts take `claim.attach`.
        claim: the claim.
        containers: the containers that get the devices; all of them if none is named.
        request: only the devices of this request.

    Raises:
        ValueError: if there is no such container.
    """
    import pulumi_kubernetes as k8s

    entry, use = claim.to_dict(), claim.container(request)
    names = {
        "name": "name",
        "resourceClaimName": "resource_claim_name",
        "resourceClaimTemplateName": "resource_claim_template_name",
    }
    given: Any = spec.resource_claims or []
    made = k8s.core.v1.PodResourceClaimArgs(**{names[key]: value for key, value in entry.items()})
    spec.resource_claims = [*given, made]
    there: Any = spec.containers
    known = [one.name for one in there]
    for name in containers:
        if name not in known:
            raise ValueError(f"the pod has no container called {name} (its containers: {known})")
    for one in there:
        if containers and one.name not in containers:
            continue
        if one.resources is None:
            one.resources = k8s.core.v1.ResourceRequirementsArgs()
        claims: Any = one.resources.claims or []
        one.resources.claims = [*claims, k8s.core.v1.ResourceClaimArgs(**use)]
    return spec
