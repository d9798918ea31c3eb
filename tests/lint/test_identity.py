"""Objects whose apiVersion or kind is missing, or is no text."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dradsl.lint.engine.run import lint_text

SHAPE: dict[str, Any] = {"spec": {"devices": {"requests": []}}}
POD: dict[str, Any] = {
    "spec": {"resourceClaims": [{"name": "a", "resourceClaimName": "b"}], "containers": []}
}


def codes(obj: Any) -> list[str]:
    found = lint_text(json.dumps(obj), "x.yaml").findings
    return [f"{each.code} {each.field}" for each in found if each.code in ("DRA006", "DRA007")]


@pytest.mark.parametrize(
    "value", [["resource.k8s.io/v1"], {"a": "b"}, 7, 0, 0.5, True, False, [], {}]
)
def test_no_text(value: Any) -> None:
    assert codes({"apiVersion": value, "kind": "ResourceClaim"}) == ["DRA006 apiVersion"]
    assert codes({"apiVersion": "resource.k8s.io/v1", "kind": value}) == ["DRA006 kind"]
    assert codes({"apiVersion": "v1", "kind": value, **POD}) == ["DRA006 kind"]
    assert codes({"kind": value, **SHAPE}) == ["DRA006 kind"]
    both = {"apiVersion": value, "kind": value, **SHAPE}
    assert codes(both) == ["DRA006 apiVersion", "DRA006 kind"]
    listed = {"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": value, **SHAPE}]}
    assert codes(listed) == ["DRA006 items[0].apiVersion"]
    # What has nothing to do with devices is for others to judge.
    assert codes({"apiVersion": "v1", "kind": value, "spec": {}}) == []
    assert codes({"kind": value, "items": [{"kind": value}]}) == []


@pytest.mark.parametrize("value", [None, ""])
def test_missing(value: str | None) -> None:
    assert codes({"apiVersion": value, "kind": "ResourceClaim"}) == ["DRA007 apiVersion"]
    assert codes({"apiVersion": "resource.k8s.io/v1", "kind": value}) == ["DRA007 kind"]
    item = {"apiVersion": "resource.k8s.io/v1", "kind": value}
    assert codes({"apiVersion": "v1", "kind": "List", "items": [item]}) == ["DRA007 kind"]
