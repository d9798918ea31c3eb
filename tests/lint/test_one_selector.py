"""`dradsl cel check` says of a selector what lint says of it in an object."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from click.testing import CliRunner

from dradsl.cli.cel import command
from dradsl.drivers.schema.catalogue import Catalogue
from dradsl.lint.engine.run import lint_text
from dradsl.lint.settings.config import LintConfig
from tests.lint.test_rule_examples import PAIRS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from maintenance.rule_examples import Example

SCHEMAS = [Catalogue().get(name) for name in Catalogue().names()]
CLASSES = {one.name for schema in SCHEMAS if schema is not None for one in schema.classes}


def objects(example: Example) -> list[Any]:
    try:
        return [each for each in yaml.safe_load_all(example.source) if isinstance(each, dict)]
    except yaml.YAMLError:
        return []


def alone(example: Example) -> tuple[str, str | None] | None:
    """The only selector of an example, and the class of its request; None if it is not judged by itself."""
    if example.attachments or not example.file_name.endswith(".yaml"):
        return None
    every = objects(example)
    if len(every) != 1 or every[0].get("apiVersion") != "resource.k8s.io/v1":
        return None
    spec = every[0].get("spec")
    found = list(selectors(spec, None)) if isinstance(spec, dict) else []
    return found[0] if len(found) == 1 else None


def selectors(plain: Any, class_name: str | None) -> Iterator[tuple[str, str | None]]:
    if isinstance(plain, dict):
        class_name = plain.get("deviceClassName", class_name)
        cel = plain.get("cel")
        if isinstance(cel, dict) and isinstance(cel.get("expression"), str):
            yield cel["expression"], class_name
        for value in plain.values():
            yield from selectors(value, class_name)
    elif isinstance(plain, list):
        for value in plain:
            yield from selectors(value, class_name)


ALONE = [
    pytest.param(example, *found, id=f"{document.code}-{example.kind}-{example.line}")
    for document, example in PAIRS
    if (found := alone(example)) is not None
    if "firstAvailable" not in example.source and "constraints" not in example.source
    if found[1] is None or found[1] in CLASSES
]


def test_most_rules_about_selectors_have_such_an_example() -> None:
    codes = {str(param.id).partition("-")[0] for param in ALONE}
    assert len({code for code in codes if code.startswith(("DRA1", "DRA2"))}) >= 20
    assert len(ALONE) >= 60


def row(code: str, severity: str, message: str, helped: str | None) -> tuple[str, ...]:
    return code, severity, message, helped or ""


@pytest.mark.parametrize(("example", "text", "class_name"), ALONE)
def test_the_same_is_found_in_a_selector_and_in_its_object(
    example: Example, text: str, class_name: str | None
) -> None:
    releases = (example.options["kube-version"],) if "kube-version" in example.options else ()
    gates = dict(
        gate.split("=") for gate in example.options.get("feature-gates", "").split(",") if gate
    )
    config = LintConfig(
        root=".",
        kube_version=releases,
        feature_gates={name: value == "true" for name, value in gates.items()},
    )
    in_object = sorted(
        row(each.code, each.severity.value, each.message, each.help)
        for each in lint_text(example.source, config=config).findings
        if each.code[3] in "12" and (each.field or "").endswith(("expression", "cel"))
    )
    call = ["check", text.rstrip("\n"), "--output-format", "json"]
    call += [f"--kube-version={each}" for each in releases]
    call += [f"--feature-gates={name}={value}" for name, value in gates.items()]
    call += [] if class_name is None else [f"--class={class_name}"]
    result = CliRunner().invoke(command, call)
    assert isinstance(result.exception, SystemExit | None), result.output
    verdict = json.loads(result.stdout)
    alone = sorted(
        row(each["code"], each["severity"], each["message"], each["help"])
        for each in verdict["findings"]
    )
    assert alone == in_object
    wrong = any(each[1] == "error" for each in alone)
    assert result.exit_code == (1 if wrong or not verdict["accepted"] else 0)


PLACES = {
    'device.driver == "gpu.nvidia.cm"': (1, 18),
    '\n  device.driver ==\n   "gpu.nvidia.cm"': (3, 4),
    'device.driver ==\t"gpu.nvidia.cm"': (1, 18),
}


@pytest.mark.parametrize(("text", "place"), PLACES.items())
def test_a_finding_has_its_place_in_the_selector(text: str, place: tuple[int, int]) -> None:
    result = CliRunner().invoke(command, ["check", text, "--output-format", "json"])
    (found,) = json.loads(result.stdout)["findings"]
    assert (found["code"], found["line"], found["column"]) == ("DRA203", *place)
    assert result.exit_code == 1


def test_without_a_class_it_is_a_selector_of_a_class() -> None:
    text = 'device.attributes["gpu.nvidia.com"].architecture == "Hopper"'
    result = CliRunner().invoke(command, ["check", text])
    assert "DRA215" in result.stdout
    assert result.exit_code == 0
    result = CliRunner().invoke(command, ["check", text, "--class", "gpu.nvidia.com"])
    assert result.stdout == "ok: bool, cost at most 5\n"
