"""Whether objects have the types of the API, said with the field that has not."""

from __future__ import annotations

import functools
import typing
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dradsl.kube.errors import DECODING, STRICT_DECODING, WrongType
from dradsl.kube.fields.decoding import decode, split_api_version
from dradsl.kube.fields.table import GROUP, VERSIONS
from dradsl.releases import newest_release

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dradsl.kube.errors import FieldError

__all__ = [
    "device_shape",
    "device_type_problem",
    "node_type_problem",
    "path_text",
    "pod_status_problem",
    "pod_type_problem",
    "type_problem",
]

_KNOWN = tuple((GROUP, version) for version in VERSIONS)
_DEVICE = ("spec", "devices", 0)
_V1_SLICE = {"apiVersion": f"{GROUP}/v1", "kind": "ResourceSlice"}

_AMOUNT = (str, int, float)
_AMOUNTS = {"*": _AMOUNT}


@functools.cache
def _wanted(type_: Any) -> Any:
    """What a value of a type is looked at for: a type, some types, the fields of an object ("*": any), or a list of items."""
    origin, arguments = typing.get_origin(type_), typing.get_args(type_)
    if type_ == str | int | float:
        return _AMOUNT
    if origin is typing.Required:
        return _wanted(arguments[0])
    if origin is Sequence:
        return [_wanted(arguments[0])]
    if origin is Mapping:
        return {"*": _wanted(arguments[1])}
    if typing.is_typeddict(type_):
        hints = typing.get_type_hints(type_)
        # Read for whether it is set, whatever it is: hostNetwork.
        return {name: _wanted(each) for name, each in hints.items() if name != "hostNetwork"}
    return type_


def type_problem(document: Mapping[str, object]) -> str | None:
    """The first field of an object of resource.k8s.io that the API server could not decode.

    An object of no known version is taken for one of v1, as those who read it do. Amounts are left
    to them.
    """
    if split_api_version(document.get("apiVersion")) not in _KNOWN:
        document = {**document, "apiVersion": f"{GROUP}/v1"}
    for problem in decode(document, newest_release()).problems:
        if problem.reason == "wrong-type" and problem.type == DECODING:
            return f"{path_text(problem.path)}: {_words(problem)}"
    return _null_item(document, ())


def device_type_problem(device: Mapping[str, object], at: str) -> str | None:
    """The same for a device in v1 shape, which is at `at`."""
    return device_shape(device, at)[0]


def device_shape(device: Mapping[str, Any], at: str) -> tuple[str | None, tuple[str, ...]]:
    """`device_type_problem`, and the fields within the device that v1 does not know.

    Such fields are not read: the API server drops them, or rejects the object.
    """
    slice_ = {**_V1_SLICE, "spec": {"devices": [device]}}
    unknown = []
    for problem in decode(slice_, newest_release()).problems:
        path = problem.path[len(_DEVICE) :]
        if problem.path[: len(_DEVICE)] != _DEVICE:
            continue
        if problem.type == STRICT_DECODING:
            unknown.append(path_text(path))
        elif problem.reason == "wrong-type":
            return f"{at}.{path_text(path)}: {_words(problem)}", ()
    wrong = _null_item(device, ())
    return None if wrong is None else f"{at}.{wrong}", tuple(unknown)


def node_type_problem(document: Mapping[str, object]) -> str | None:
    """The same for what a simulation reads of a Node."""
    from dradsl.kube.pods.typed_dicts import TaintDict

    wanted = {
        "metadata": {"name": str, "labels": {"*": str}},
        "spec": {"taints": [_wanted(TaintDict)], "unschedulable": bool},
        "status": {"allocatable": _AMOUNTS, "declaredFeatures": [str]},
    }
    found = (_mismatch(document.get(part), each, part) for part, each in wanted.items())
    return next((problem for problem in found if problem is not None), None)


def _null_item(value: object, path: tuple[object, ...]) -> str | None:
    """The first item of a list that is null: the API server takes it for an empty one, and never
    gives it out."""
    pending = [(value, path)]
    while pending:
        value, path = pending.pop()
        if isinstance(value, dict):
            pending += [(item, (*path, key)) for key, item in value.items()]
        elif isinstance(value, list):
            if None in value:
                return f"{path_text((*path, value.index(None)))}: null in a list"
            pending += [(item, (*path, index)) for index, item in enumerate(value)]
    return None


def pod_type_problem(spec: object) -> str | None:
    """The same for what a simulation reads of a pod spec."""
    from dradsl.kube.pods.typed_dicts import PodSpecDict

    return _mismatch(spec, _wanted(PodSpecDict), "spec")


def pod_status_problem(status: object) -> str | None:
    """The same for what a simulation reads of the status of a pod that runs."""
    from dradsl.kube.pods.typed_dicts import PodStatusDict

    return _mismatch(status, _wanted(PodStatusDict), "status")


def _mismatch(value: object, wanted: Any, at: str) -> str | None:
    if value is None:
        return None
    if isinstance(wanted, dict):
        if not isinstance(value, dict):
            return f"{at}: expected an object"
        parts = (
            (each, wanted.get(name, wanted.get("*")), f"{at}.{name}")
            for name, each in value.items()
        )
    elif isinstance(wanted, list):
        if not isinstance(value, list):
            return f"{at}: expected a list"
        if None in value:
            return f"{at}[{value.index(None)}]: null in a list"
        parts = ((each, wanted[0], f"{at}[{i}]") for i, each in enumerate(value))
    else:
        kinds = wanted if isinstance(wanted, tuple) else (wanted,)
        return None if type(value) in kinds else f"{at}: expected {_KINDS[kinds]}"
    found = (_mismatch(each, type_, place) for each, type_, place in parts if type_ is not None)
    return next((problem for problem in found if problem is not None), None)


_WANTED = {
    "text": "a string",
    "boolean": "true or false",
    "integer": "a whole number",
    "list": "a list",
    "mapping": "an object",
}
_KINDS = {(str,): "a string", (bool,): "true or false", _AMOUNT: "an amount"}


def path_text(path: Iterable[object]) -> str:
    """A path as text: spec.devices[0].name."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.lstrip(".")


def _words(problem: FieldError) -> str:
    data = problem.data
    return f"expected {_WANTED[data.wanted] if isinstance(data, WrongType) else 'another type'}"
