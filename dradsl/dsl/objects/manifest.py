"""What every Kubernetes object of the DSL has: metadata, plain data, YAML, and a place in Python.

A builder holds the v1 form of an object in typed fields. Two objects are equal if their manifests
are, however they were written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from dradsl.dsl.data.foreign import Model, is_client_model, plain_data
from dradsl.dsl.data.fragment import (
    FieldPath,
    Fragment,
    ManifestError,
    Plain,
    check_name,
    set_field,
    without_none,
)
from dradsl.dsl.data.frozen import freeze, thaw
from dradsl.dsl.data.places import PythonPlace, note_made, place_of_caller
from dradsl.dsl.objects.yaml_text import read_yaml, to_yaml
from dradsl.errors import DradslError
from dradsl.values.plain import mapping_at

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Self

    from pydantic import BaseModel

    from dradsl.releases import ReleaseName
    from dradsl.values.json_types import JsonObject

__all__ = [
    "GROUP",
    "DroppedFieldsError",
    "KubernetesObject",
    "Manifest",
    "Metadata",
    "describe",
    "read_metadata",
    "reject_dropped",
]

GROUP = "resource.k8s.io"
_PARAMETERS = ("name", "namespace", "labels", "annotations")
"""The fields of metadata that builders take as parameters."""


class DroppedFieldsError(DradslError, ValueError):
    """The release would silently drop fields of the object; `fields` are their paths."""

    def __init__(self, what: str, release: str, fields: Mapping[str, tuple[str, ...]]) -> None:
        self.fields: tuple[str, ...] = tuple(fields)
        each = "; ".join(
            f"{path} (feature gate {' and '.join(gates)})" for path, gates in fields.items()
        )
        super().__init__(f"Kubernetes {release} drops from {what}: {each}")


class Manifest(Fragment):
    """A whole Kubernetes object: something with a kind that becomes one YAML document."""

    __slots__ = ()

    place: PythonPlace | None
    kind: ClassVar[str] = ""
    """The kind of the objects that the class builds; empty for one that takes several."""

    def _v1(self) -> dict[str, object]:
        """The object in the newest API version of its kind."""
        raise NotImplementedError

    @property
    def key(self) -> tuple[str, str, str, str]:
        """API group, kind, namespace and name, which no two objects of a cluster share."""
        data = self._v1()
        metadata = mapping_at(data, "metadata")
        group, _, _ = str(data["apiVersion"]).rpartition("/")
        namespace, name = (str(metadata.get(key) or "") for key in ("namespace", "name"))
        return group, str(data["kind"]), namespace, name

    def model(self) -> BaseModel:
        """The object as a pydantic model of `dradsl.kube.fields.models`; its `model_dump()` equals `to_dict()`.

        Raises:
            ManifestError: for an object of another API group.
            pydantic.ValidationError: for a wrong type, or a field that the API does not have.
        """
        try:
            from dradsl.kube.fields import models
        except ModuleNotFoundError as error:
            raise ManifestError("model() needs pydantic, which is not installed") from error

        data = self._v1()
        kind: type[BaseModel] | None = getattr(models, str(data["kind"]), None)
        if kind is None or not str(data["apiVersion"]).startswith(f"{GROUP}/"):
            raise ManifestError(f"{describe(data)} is no object of {GROUP}")
        return kind.model_validate(data)

    def _check_shape(self) -> None:
        """Raise ManifestError for wrong types and unknown fields.

        What is missing is another matter in metadata and status: servers fill it in, and
        recordings leave it out.
        """
        from dradsl.kube.fields.shape import shape_problems

        problems = list(shape_problems(self._v1()))
        if problems:
            raise ManifestError(f"{self!r}: {'; '.join(problems)}")

    def parts(self) -> Iterator[tuple[FieldPath, PythonPlace | None]]:
        """The field paths whose data other objects gave, and where those were built."""
        return iter(())

    def to_dict(
        self, api_version: str | None = None, for_release: ReleaseName | None = None
    ) -> JsonObject:
        """The object as plain data, for JSON or any tool that takes dicts.

        Args:
            api_version: "v1" (the default), "v1beta2" or "v1beta1", with or without the group.
            for_release: a Kubernetes release that is to keep every field, such as "1.34".

        Raises:
            DroppedFieldsError: if `for_release` would drop a field.
        """
        obj = self._v1()
        if not str(obj["apiVersion"]).startswith(f"{GROUP}/"):
            return obj
        if for_release is not None:
            reject_dropped(obj, for_release)
        if api_version is None:
            return obj
        from dradsl.kube.fields.conversion import from_v1, to_v1
        from dradsl.kube.fields.table import VERSIONS

        if api_version.removeprefix(f"{GROUP}/") not in VERSIONS:
            known = ", ".join(VERSIONS)
            raise ValueError(f"{GROUP} has no version {api_version!r} (known: {known})")
        return from_v1(to_v1(obj), api_version)

    def to_yaml(
        self, api_version: str | None = None, for_release: ReleaseName | None = None
    ) -> str:
        """The object as YAML, long CEL as a block; arguments and errors as of `to_dict`."""
        return to_yaml([self.to_dict(api_version, for_release)])

    @classmethod
    def read(cls, obj: Plain) -> Self:
        """The builder of what is in a v1 object of its kind; fails in many ways if it is malformed."""
        raise NotImplementedError

    @classmethod
    def holding(cls, plain: KubernetesObject) -> Self | None:
        """The builder of this class that says the same as `plain`; None if there is none."""
        from dradsl.kube.fields.conversion import to_v1

        obj = plain.to_dict()
        if obj["kind"] != cls.kind or not obj["apiVersion"].startswith(f"{GROUP}/"):
            return None
        try:
            v1 = to_v1(obj)
            built = cls.read(v1)
        except (ValueError, TypeError, LookupError, AttributeError):
            return None  # malformed in one of countless ways; lint says in which
        return built if built.to_dict() == _without_empty(v1) else None

    @classmethod
    def from_dict(cls, data: Plain) -> Self:
        """The object in `data`, of any API version.

        Raises:
            ManifestError: if `data` is of another kind, or holds what no field of this class takes.
        """
        plain = KubernetesObject(data)
        built = cls.holding(plain)
        if built is None:
            raise ManifestError(f"{plain!r} is nothing that {cls.__name__} can hold")
        return built

    @classmethod
    def from_yaml(cls, text: str) -> Self:
        """The one object in `text`; errors as of `from_dict`, and if there are more or none."""
        objects = list(read_yaml(text))
        if len(objects) != 1:
            raise ManifestError(
                f"{len(objects)} objects where one is expected; see dradsl.from_yaml"
            )
        return cls.from_dict(objects[0])

    def __repr__(self) -> str:
        return f"<{describe(self._v1())}>"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class KubernetesObject(Manifest):
    """Any object as plain data: a Pod, a Deployment, or one that no builder can express.

    Args:
        data: the object as the API has it: a dict, or a model of kubernetes, lightkube, cdk8s or pydantic.
    """

    data: Plain
    place: PythonPlace | None = field(default_factory=place_of_caller, init=False)

    if TYPE_CHECKING:

        def __init__(self, data: Plain | Model) -> None: ...

    def __post_init__(self) -> None:
        try:
            data = freeze(plain_data(self.data), "the object")
        except (TypeError, ValueError) as error:
            raise ManifestError(str(error)) from error
        for key in ("apiVersion", "kind"):
            if not isinstance(data, Mapping) or not isinstance(data.get(key), str):
                hint = (
                    "; the client leaves it out unless you set it"
                    if is_client_model(self.data)
                    else ""
                )
                raise ManifestError(f"a Kubernetes object needs {key}, a string{hint}")
        set_field(self, "data", data)
        note_made(self)

    @classmethod
    def holding(cls, plain: KubernetesObject) -> KubernetesObject:
        """`plain` itself: any object can be held as plain data."""
        return plain

    def _v1(self) -> dict[str, object]:
        data: dict[str, object] = thaw(self.data)
        return data


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Metadata:
    """`metadata` of an object.

    Args:
        name: the object's name.
        labels: its labels.
        annotations: its annotations.
        metadata: any other field, such as `ownerReferences`.
    """

    name: str = field(kw_only=False)
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    metadata: Plain = field(default_factory=dict)
    place: PythonPlace | None = field(default_factory=place_of_caller, init=False, repr=False)

    def _freeze_metadata(self, kind: str) -> None:
        check_name("dns1123_subdomain", self.name, f"the name of a {kind}")
        for part in ("labels", "annotations", "metadata"):
            set_field(self, part, freeze(getattr(self, part), part))
        for key in self.metadata:
            if key in _PARAMETERS:
                raise ValueError(
                    f"metadata of {kind} {self.name} holds {key}: give the parameter {key}=..."
                )
        note_made(self)

    def _metadata(self, namespace: str | None = None) -> dict[str, object]:
        named: dict[str, object] = {
            "name": self.name,
            "namespace": namespace,
            "labels": thaw(self.labels) or None,
            "annotations": thaw(self.annotations) or None,
        }
        rest: dict[str, object] = thaw(self.metadata)
        return without_none(named) | rest


def _without_empty(v1: dict[str, object]) -> dict[str, object]:
    """An object without empty lists of requests, which say as much as none: all requests."""
    spec = v1.get("spec")
    inner = spec.get("spec", spec) if isinstance(spec, dict) else None
    devices = inner.get("devices") if isinstance(inner, dict) else None
    if isinstance(devices, dict):
        for part in ("constraints", "config"):
            for one in devices.get(part) or ():
                if isinstance(one, dict) and one.get("requests") == []:
                    del one["requests"]
    return v1


def read_metadata(metadata: Plain) -> dict[str, Any]:
    """The arguments that `Metadata` and `namespace` take, from the metadata of an object."""
    rest = dict(metadata)
    named: JsonObject = {key: rest.pop(key) for key in _PARAMETERS if key in rest}
    return {**named, "metadata": rest}


def reject_dropped(
    obj: dict[str, object], release_name: str, gates: Mapping[str, bool] | None = None
) -> None:
    """Raise DroppedFieldsError if the release drops a field of the v1 object `obj`.

    `gates` override the release's defaults.
    """
    from dradsl.kube.server.api_server import ApiServer
    from dradsl.releases import get_release
    from dradsl.text.paths import format_path

    release = get_release(release_name)
    dropped = ApiServer(release, release.features(gates)).dropped(obj)
    if dropped:
        fields = {format_path(one.path): one.gates for one in dropped}
        raise DroppedFieldsError(describe(obj), release.name, fields)


def describe(data: Plain) -> str:
    """Kind and name of an object, for messages."""
    metadata = mapping_at(data, "metadata")
    name = "/".join(str(metadata[key]) for key in ("namespace", "name") if metadata.get(key))
    return f"{data.get('kind')} {name}".rstrip()
