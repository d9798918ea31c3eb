"""Whether recorded objects have the types of the API, said with the field that has not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dradsl.kube.errors import DECODING
from dradsl.kube.structure import decode
from dradsl.releases import newest_release
from dradsl.text.paths import format_path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.kube.errors import FieldError

__all__ = ["device_type_problem", "type_problem"]

_DEVICE = ("spec", "devices", 0)


def type_problem(document: Mapping[str, Any]) -> str | None:
    """The first field of an object of resource.k8s.io that the API server could not decode.

    None also for objects of a version or kind that it does not know: nothing can be said of them.
    Amounts are left to those who read them.
    """
    for problem in decode(document, newest_release()).problems:
        if problem.reason == "wrong-type" and problem.type == DECODING:
            return f"{format_path(problem.path)}: {_words(problem)}"
    return None


def device_type_problem(device: Mapping[str, Any], at: str) -> str | None:
    """The same for a device in v1 shape, which stands at `at`."""
    slice_ = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "spec": {"devices": [device]},
    }
    for problem in decode(slice_, newest_release()).problems:
        if problem.reason == "wrong-type" and problem.path[: len(_DEVICE)] == _DEVICE:
            return f"{at}.{format_path(problem.path[len(_DEVICE) :])}: {_words(problem)}"
    return None


def _words(problem: FieldError) -> str:
    return f"not of type {problem.detail.rpartition(' of type ')[2]}"
