"""The shipped schema files: valid, indexed, and read into what they say."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from dradsl.data import data_path
from dradsl.drivers.schema.catalogue import Catalogue, build_index
from dradsl.drivers.schema.model import AttributeType, Presence, SchemaError
from dradsl.drivers.schema.parsed import load_shipped
from dradsl.drivers.schema.read import read_plain, validate_plain
from dradsl.drivers.schema.yaml_data import load_yaml
from dradsl.tree.charts.recipes import read_recipe, shipped_recipes
from maintenance.driver_schemas import RECIPES, parsed_form, write_parsed

FOLDER = Path(data_path("schemas", "drivers"))
FILES = sorted(path for path in FOLDER.glob("*.yaml") if not path.name.startswith("_"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_file_is_valid_and_named_after_its_driver(path: Path) -> None:
    plain = read_plain(path)
    validate_plain(plain, path.name)
    schema = Catalogue().get(path.stem)
    assert schema is not None
    assert schema.name == path.stem


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_references_inside_a_file_lead_somewhere(path: Path) -> None:
    schema = Catalogue().get(path.stem)
    assert schema is not None
    attributes = {attribute.qualified for _, attribute in schema.attributes()}
    types = {kind.name for kind in schema.device_types}
    for _, attribute in schema.attributes():
        if attribute.lifetime.replaced_by is not None:
            assert attribute.lifetime.replaced_by in attributes
        for value in (*(attribute.values or ()), *attribute.examples):
            assert isinstance(value, {"int": int, "bool": bool}.get(attribute.type.value, str))
    for config in schema.configs:
        assert set(config.device_types) <= types
    for resource in schema.device_plugin.resources:
        assert resource.device_class is not None or resource.why or resource.capacity


def test_the_index_is_what_the_files_say() -> None:
    catalogue = Catalogue()
    schemas = [schema for name in catalogue.names() if (schema := catalogue.get(name))]
    recorded = json.loads((FOLDER / "_index.json").read_text(encoding="utf-8"))
    assert json.loads(json.dumps(asdict(build_index(schemas)))) == recorded


@pytest.mark.parametrize(
    "path", sorted([*FOLDER.glob("*.yaml"), *RECIPES.glob("*.yaml")]), ids=lambda path: path.stem
)
def test_the_parsed_form_is_what_the_file_says(path: Path) -> None:
    """After a change: python -m maintenance.driver_schemas."""
    name = path.name.removesuffix(".yaml")
    recorded = (path.parent / "_parsed" / f"{name}.json").read_text(encoding="utf-8")
    assert recorded == parsed_form(path)


def test_recipes_are_read_alike_from_both_forms() -> None:
    paths = sorted(RECIPES.glob("*.yaml"))
    assert shipped_recipes() == tuple(map(read_recipe, paths))


def test_a_stale_parsed_form_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "a.b.yaml"
    path.write_text("driver: a.b\n", encoding="utf-8")
    write_parsed(tmp_path)
    assert load_shipped(path) == {"driver": "a.b"}
    (tmp_path / "_parsed" / "a.b.json").write_text(
        (tmp_path / "_parsed" / "a.b.json").read_text().replace("a.b", "recorded")
    )
    assert load_shipped(path) == {"driver": "recorded"}
    path.write_text("driver: c.d\n", encoding="utf-8")
    assert load_shipped(path) == {"driver": "c.d"}
    (tmp_path / "_parsed" / "a.b.json").write_text("{")
    assert load_shipped(path) == {"driver": "c.d"}


def test_standard_attributes_give_type_and_meaning() -> None:
    schema = Catalogue().get("gpu.nvidia.com")
    assert schema is not None
    gpu = schema.device_type("gpu")
    assert gpu is not None
    root = gpu.attribute("resource.kubernetes.io", "pcieRoot")
    assert root is not None
    assert (root.type, root.presence) == (AttributeType.STRING, Presence.USUAL)
    assert root.meaning


def test_numbered_names_are_found() -> None:
    schema = Catalogue().get("gpu.nvidia.com")
    assert schema is not None
    mig = schema.device_type("mig")
    assert mig is not None
    assert mig.capacity("gpu.nvidia.com", "memorySlice7") is not None
    assert mig.capacity("gpu.nvidia.com", "memorySlice") is None


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("v25.8", "v25.8"),
        ("25.8.1", "v25.8"),
        ("v25.12.3", "v25.12"),
        ("0.4.1", "v0.4"),
        ("v2", None),
        ("v25.1", None),
    ],
)
def test_versions_are_found_by_tag_or_prefix(text: str, version: str | None) -> None:
    schema = Catalogue().get("gpu.nvidia.com")
    assert schema is not None
    assert schema.find_version(text) == version


def test_versions_in_use_are_resolved_and_unknown_ones_rejected() -> None:
    catalogue = Catalogue(versions={"gpu.nvidia.com": ("25.8.1",)})
    assert catalogue.versions("gpu.nvidia.com") == ("v25.8",)
    both = Catalogue(versions={"gpu.nvidia.com": ("v25.8, 0.4.1",)})
    assert both.versions("gpu.nvidia.com") == ("v25.8", "v0.4")
    assert Catalogue().versions("gpu.nvidia.com") == ("v0.5",)
    assert Catalogue().versions("gpu.amd.com") == ("v1.0.1", "develop")
    with pytest.raises(SchemaError, match="has no version 'v99'"):
        Catalogue(versions={"gpu.nvidia.com": ("v99",)})


def test_a_user_schema_replaces_or_extends_the_shipped_one(tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text(
        "driver: gpu.example.com\nvendor: us\nsummary: ours\ncompleteness: inferred\nsources: []\n"
        "deviceTypes: {gpu: {attributes: {color: {type: string}}}}\n"
    )
    replaced = Catalogue([own]).get("gpu.example.com")
    assert replaced is not None
    assert [a.name for _, a in replaced.attributes()] == ["color"]
    own.write_text(own.read_text().replace("vendor: us", "vendor: us\nextends: true"))
    extended = Catalogue([own]).get("gpu.example.com")
    assert extended is not None
    assert {"color", "model"} <= {a.name for _, a in extended.attributes()}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [", "not YAML"),
        ("- 1", "no `driver`"),
        ("driver: x\nvendor: x\n", "'summary' is a required property"),
        (
            "driver: x\nvendor: x\nsummary: x\ncompleteness: full\nsources: []\n"
            "deviceTypes: {a: {attributes: {b: {}}}}\n",
            "attribute b has no type",
        ),
        (
            "driver: x\nvendor: x\nsummary: x\ncompleteness: full\nsources: []\nversions: []\n"
            "deviceTypes: {a: {attributes: {b: {type: int, since: v9}}}}\n",
            "version 'v9' is not in `versions`",
        ),
    ],
)
def test_bad_user_schemas_are_rejected_with_their_place(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises(SchemaError, match=r"bad\.yaml") as caught:
        Catalogue([path])
    assert message in str(caught.value)


def test_scalars_are_read_as_yaml_1_2() -> None:
    plain = load_yaml("{a: yes, b: 2026-08-07, c: 010, d: 1.0.0, e: true, f: ~}", "here")
    assert plain == {"a": "yes", "b": "2026-08-07", "c": "010", "d": "1.0.0", "e": True, "f": None}
