"""Every recipe with every kind: linted, accepted by the API server, and placed on a recording."""

from __future__ import annotations

import functools
import json
from collections import defaultdict
from pathlib import Path

import jsonschema
import pytest
import yaml

import dradsl
from dradsl import Fleet
from dradsl.drivers.schema.catalogue import Catalogue
from dradsl.kube.server.api_server import ApiServer
from dradsl.migrate.mapping.kind_table import row_of
from dradsl.releases import get_release
from dradsl.scaffolding.recipes import recipe_named, recipe_names, workloads
from dradsl.scaffolding.values import checked
from dradsl.scaffolding.writing import Scaffold
from dradsl.values.quantity import Quantity
from tests.scaffolding.every_recipe import Written, every_recipe, main

SCHEMAS = Path(__file__).parents[2] / "schemas"
RELEASES = ("1.34", "1.35", "1.36", "1.37")


@functools.cache
def written() -> dict[str, list[Written]]:
    by_recipe: dict[str, list[Written]] = defaultdict(list)
    for one in every_recipe():
        by_recipe[one.recipe["recipe"]].append(one)
    return by_recipe


def releases(one: Written) -> tuple[str, ...]:
    return RELEASES[RELEASES.index(one.recipe["since"]) :]


@pytest.mark.parametrize("name", recipe_names())
def test_files_follow_the_schema(name: str) -> None:
    plain = yaml.safe_load((SCHEMAS / "recipes" / f"{name}.yaml").read_text("utf-8"))
    schema = json.loads((SCHEMAS / "recipe.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(plain)
    assert plain["recipe"] == name
    assert set(plain.get("kinds", [])) <= set(workloads())


@pytest.mark.parametrize("name", recipe_names())
def test_parameters_are_those_of_the_drivers(name: str) -> None:
    recipe, catalogue = recipe_named(name), Catalogue()
    own_classes = {
        str(one["metadata"]["name"]) for one in recipe["objects"] if one["kind"] == "DeviceClass"
    }
    for device, rows in recipe["devices"].items():
        for row in rows:
            schema = catalogue.get(row["driver"])
            assert schema is not None
            kind = schema.device_type(row["type"])
            assert kind is not None
            known = schema.device_class(row["class"])
            if known is None:
                assert f"{{{device}.class}}" in own_classes
            versions = {config.api_version for config in schema.configs}
            assert row.get("config") in (None, *versions)
        for parameter in recipe["parameters"].values():
            if parameter.get("of") == device and parameter["type"] != "config":
                names = {
                    full.rpartition("/")[2]
                    for row in rows
                    if (schema := catalogue.get(row["driver"]))
                    and (kind := schema.device_type(row["type"]))
                    for full in (*kind.attributes, *kind.capacities)
                }
                assert parameter["name"] in names


@pytest.mark.parametrize("name", recipe_names())
def test_lint_finds_nothing_above_info(name: str) -> None:
    for one in written()[name]:
        for release in (one.recipe["since"], RELEASES[-1]):
            result = dradsl.lint(*one.objects, kube_version=release, isolated=True)
            assert result.ok, f"{one.name} on {release}: {result}"


@pytest.mark.parametrize("name", recipe_names())
def test_the_api_server_accepts_them(name: str) -> None:
    """Nothing is rejected, no field dropped, from the first release that the recipe names."""
    for one in written()[name]:
        for release in map(get_release, releases(one)):
            server = ApiServer(release, release.features())
            for data in one.objects:
                if data["kind"] == "Namespace":
                    server.add_namespace(data)
            for data in one.objects:
                if data["apiVersion"].startswith("resource.k8s.io/"):
                    answer = server.create(data)
                    place = f"{one.name} on {release.name}"
                    assert (place, answer.problems, answer.dropped) == (place, (), ())
                assert server.workload(data) == []


def test_earlier_releases_lack_something() -> None:
    """`since` is no later than it must be: the release before drops a field, or has no devices for it."""
    for name in recipe_names():
        one = written()[name][0]
        if one.recipe["since"] != RELEASES[0]:
            before = RELEASES[RELEASES.index(one.recipe["since"]) - 1]
            assert dradsl.lint(*one.objects, kube_version=before, isolated=True).errors, name


@pytest.mark.parametrize("name", recipe_names())
def test_pods_get_devices_of_a_recording(name: str) -> None:
    for one in written()[name]:
        fleet = Fleet.from_file(*one.recordings)
        result = dradsl.simulate(one.objects, fleet, pods_for_claims=False, replicas=1)
        assert result.fits, f"{one.name}: {result}"
        (pod,) = (each for each in result if each.devices)
        assert pod.fitting == len(fleet.nodes) == 1
        drivers = {row["driver"] for rows in one.recipe["devices"].values() for row in rows}
        others = {each.driver for each in pod.devices} - drivers
        assert others <= {"compute-domain.nvidia.com"}


_SIZES = ("large", "small")


@pytest.mark.parametrize("name", recipe_names())
def test_every_driver_with_every_parameter(name: str) -> None:
    """All that can be given at once, for each driver: lint finds no error, and accepts what is offered."""
    recipe = recipe_named(name)
    for driver in recipe["parameters"].get("driver", {}).get("choices", [None]):
        given = {} if driver is None else {"driver": driver}
        scaffold = Scaffold(recipe, given, Catalogue())
        for key, parameter in recipe["parameters"].items():
            offer = scaffold.offer(key)
            if offer is not None and offer.values and parameter["type"] != "choice":
                for value in offer.values:
                    checked(key, parameter, str(value), offer)
                # The last alternative asks for the least.
                least = (
                    sorted(map(str, offer.values), key=Quantity.parse)
                    if key in _SIZES
                    else offer.values
                )
                given[key] = str(least[-1] if key == "large" else least[0])
        scaffold.check()
        objects = [*scaffold.objects(), scaffold.workload()]
        # With one size to offer, the last alternative asks for no less than the first.
        alike = ["DRA331"] if given.get("large") == given.get("small") else []
        result = dradsl.lint(*objects, isolated=True, ignore=alike)
        assert result.ok, f"{name} {given}: {result}"


@pytest.mark.parametrize("name", recipe_names())
def test_objects_become_python_and_back(name: str) -> None:
    for one in written()[name]:
        app = dradsl.App(for_release=one.recipe["since"])
        app.extend(dradsl.from_dict(data) for data in one.objects)
        assert app.to_dicts() == one.objects


def test_kinds_keep_claims() -> None:
    for kind, row in workloads().items():
        group, _, version = str(row["object"]["apiVersion"]).rpartition("/")
        found = row_of(group, kind)
        assert version
        assert found is not None
        assert found.verdict == "keeps", kind


def test_the_command_writes_them_into_a_folder(tmp_path: Path) -> None:
    main(str(tmp_path / "out"))
    names = {one.name for rows in written().values() for one in rows}
    assert {path.stem for path in (tmp_path / "out").iterdir()} == names
    assert len(names) == sum(map(len, written().values())) > 60
    text = (tmp_path / "out" / "gpu--0--Pod.yaml").read_text("utf-8")
    assert list(yaml.safe_load_all(text)) == written()["gpu"][0].objects
