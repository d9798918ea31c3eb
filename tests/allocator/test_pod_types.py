"""What is looked at when pods are read are the types that checkers see."""

from __future__ import annotations

from dradsl.allocator.inventory import shape
from dradsl.kube.pods import typed_dicts

_AMOUNTS = {"*": (str, int, float)}
_CLAIM = {"name": str, "request": str}


def test_types_are_looked_at() -> None:
    assert shape._wanted(typed_dicts.ContainerDict) == {
        "name": str,
        "restartPolicy": str,
        "resources": {"limits": _AMOUNTS, "requests": _AMOUNTS, "claims": [_CLAIM]},
    }


def test_what_is_read_for_whether_it_is_set_may_be_of_any_type() -> None:
    assert shape.pod_type_problem({"hostNetwork": "yes"}) is None
    assert shape.pod_type_problem({"nodeName": 1}) == "spec.nodeName: expected a string"
