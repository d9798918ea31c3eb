"""The claim for a pod's extended resources in its first form."""

from __future__ import annotations

from dradsl.simulate.extended import ExtendedClaim, extended_claim

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.kube.pods.typed_dicts import ContainerDict


def _container(name: str, *resources: str) -> ContainerDict:
    return {"name": name, "resources": {"requests": dict.fromkeys(resources, "1")}}


def test_requests_stand_by_resource_and_their_mappings_by_container() -> None:
    containers = [_container("k0", "example.com/b"), _container("k1", "example.com/a")]
    classes = {"example.com/a": "class-a", "example.com/b": "class-b"}
    claim = extended_claim({"containers": containers}, "pod", "ns", classes, {}, first_form=True)
    assert isinstance(claim, ExtendedClaim)
    requests = claim.document["spec"]["devices"]["requests"]
    assert [one["name"] for one in requests] == ["container-1-request-0", "container-0-request-0"]
    assert [one["containerName"] for one in claim.mappings] == ["k0", "k1"]
