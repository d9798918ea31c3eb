"""Editor schemas and pydantic models against the field table, and on real objects."""

from __future__ import annotations

import inspect
import typing
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pydantic import BaseModel, ValidationError

from dradsl.data import data_path
from dradsl.kube.fields import models
from dradsl.kube.fields.conversion import from_v1, to_v1
from dradsl.kube.fields.table import KINDS, Category, Field, FieldType, fields_of
from dradsl.kube.schemas import schema, schema_files
from dradsl.releases import RELEASES, Served
from maintenance import field_types
from tests.kube.mutations import bases

FILES = dict(schema_files())


@pytest.mark.parametrize("name", list(FILES))
def test_file_is_up_to_date(name: str) -> None:
    path = Path(data_path("schemas", "kubernetes")) / name
    assert path.read_text() == FILES[name], "run python -m dradsl.kube.schemas"


@pytest.mark.parametrize("name", ["typed_dicts.py"])
def test_generated_module_is_up_to_date(name: str) -> None:
    path = Path(models.__file__).with_name(name)
    assert path.read_text() == field_types.files()[name], "run python -m maintenance.field_types"


def test_no_file_is_left_over() -> None:
    folder = Path(data_path("schemas", "kubernetes"))
    assert {p.relative_to(folder).as_posix() for p in folder.rglob("*.json")} == set(FILES)


def test_versions_without_kinds_have_no_schema() -> None:
    assert schema("v1alpha3", RELEASES["1.34"]) is not None
    assert schema("v2", RELEASES["1.34"]) is None


def _objects() -> list[Any]:
    return [
        pytest.param(release.name, row["object"], id=f"{release.name}-{index}")
        for release in RELEASES.values()
        for index, row in enumerate(bases())
        if release.serves(row["object"]["apiVersion"].rpartition("/")[2], row["object"]["kind"])
        is not Served.NO
    ]


@pytest.mark.parametrize(("release", "obj"), _objects())
def test_schema_agrees_with_strict_decoding(release: str, obj: Any) -> None:
    """What the decoder of a release rejects in shape, its schema rejects, and the reverse."""
    from dradsl.kube.fields.decoding import decode

    version = obj["apiVersion"].rpartition("/")[2]
    found = schema(version, RELEASES[release])
    assert found is not None
    rejected = bool(decode(obj, RELEASES[release]).problems)
    errors = list(jsonschema.Draft202012Validator(found).iter_errors(obj))
    assert bool(errors) == rejected


def test_flat_request_is_rejected_in_v1() -> None:
    obj = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "a"},
        "spec": {"devices": {"requests": [{"name": "r", "deviceClassName": "c"}]}},
    }
    found = schema("v1", RELEASES["1.36"])
    assert found is not None
    validator = jsonschema.Draft202012Validator(found)
    assert not validator.is_valid(obj)
    obj["apiVersion"] = "resource.k8s.io/v1beta1"
    older = schema("v1beta1", RELEASES["1.36"])
    assert older is not None
    assert jsonschema.Draft202012Validator(older).is_valid(obj)


# --- models ---

MODELS = {
    name: cls
    for name, cls in vars(models).items()
    if inspect.isclass(cls) and issubclass(cls, models.Model) and cls is not models.Model
}


def _fields(name: str) -> dict[str, Field]:
    """The v1 fields of a type in any release."""
    found: dict[str, Field] = {}
    for release in RELEASES:
        found.update(fields_of(name, "v1", release))
    # Only DeviceTaintRule of v1alpha3 ever had these.
    return {key: field for key, field in found.items() if field.until != "1.34"}


def _plain(annotation: Any) -> Any:
    """An annotation without None and without checks."""
    if typing.get_origin(annotation) is typing.Annotated:
        return _plain(typing.get_args(annotation)[0])
    arguments = [a for a in typing.get_args(annotation) if a is not type(None)]
    if type(None) in typing.get_args(annotation) and len(arguments) == 1:
        return _plain(arguments[0])
    return annotation


def _matches(annotation: Any, type_: FieldType) -> bool:
    annotation = _plain(annotation)
    category, item = type_.category, type_.item
    if category is Category.RAW:
        return annotation is Any
    if category is Category.LIST and item is not None:
        return typing.get_origin(annotation) is tuple and _matches(
            typing.get_args(annotation)[0], item
        )
    if category is Category.MAP and item is not None:
        return "Mapping" in str(annotation) and _matches(typing.get_args(annotation)[1], item)
    if category is Category.STRUCT:
        return annotation is MODELS[type_.name]
    wanted = {Category.BOOL: bool, Category.INT32: int, Category.INT64: int}.get(category, str)
    return annotation is wanted


@pytest.mark.parametrize("name", list(MODELS))
def test_model_equals_table(name: str) -> None:
    table, model = _fields(name), MODELS[name]
    by_alias = {field.alias: (key, field) for key, field in model.model_fields.items()}
    assert set(by_alias) == set(table)
    hints = typing.get_type_hints(model, include_extras=True)
    for alias, (key, field) in by_alias.items():
        row = table[str(alias)]
        if not (alias in ("apiVersion", "kind") and name in KINDS):
            assert _matches(hints[key], row.type), alias
            assert field.is_required() == (row.required and row.required_until is None), alias


def test_models_of_all_v1_types() -> None:
    needed = {k for k in KINDS if k != "ResourcePoolStatusRequest"}
    assert needed <= set(MODELS)


_V1 = [row["object"] for row in bases() if row["object"]["apiVersion"].endswith("v1")]


@pytest.mark.parametrize("obj", _V1, ids=lambda obj: obj["kind"])
def test_model_round_trip(obj: Any) -> None:
    model = MODELS[obj["kind"]].model_validate(obj)
    assert isinstance(model, BaseModel)
    again = MODELS[obj["kind"]].model_validate(model.model_dump(exclude_none=True))
    assert again == model


def test_models_take_what_conversion_gives() -> None:
    for row in bases():
        obj = row["object"]
        if obj["kind"] in MODELS:
            MODELS[obj["kind"]].model_validate(to_v1(from_v1(to_v1(obj), "v1")))


def test_models_reject_unknown_fields_and_wrong_types() -> None:
    with pytest.raises(ValidationError, match="devcieClassName"):
        models.ExactDeviceRequest.model_validate({"deviceClassName": "a", "devcieClassName": "b"})
    with pytest.raises(ValidationError, match="count"):
        models.ExactDeviceRequest.model_validate({"deviceClassName": "a", "count": "1"})
    with pytest.raises(ValidationError, match="quantities must match"):
        models.Counter.model_validate({"value": "lots"})
    assert models.Counter.model_validate({"value": 1000}).value == "1k"


def test_models_are_frozen() -> None:
    counter = models.Counter(value="1")
    with pytest.raises(ValidationError, match="frozen"):
        counter.value = "2"
