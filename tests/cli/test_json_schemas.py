"""`schemas/*.schema.json` describe what commands print with `--output-format json`, all of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

from dradsl.cli import _COMMANDS
from dradsl.cli.group import group_of
from tests.lint.report.test_json_schema import closed

ROOT = Path(__file__).parents[2]
GROUP = group_of(_COMMANDS)
FLEETS = sorted((ROOT / "examples/inventory").glob("*/pods.yaml"))
MIGRATIONS = [
    *sorted((ROOT / "examples/migrations").glob("*/before")),
    ROOT / "tests/migrate/inputs",
]
DUMPS = sorted((ROOT / "tests/why/dumps").glob("*"))


def schema_of(command: str) -> dict[str, Any]:
    printed = CliRunner().invoke(GROUP, ["schema", "export", command])
    assert printed.exit_code == 0
    found: dict[str, Any] = json.loads(printed.stdout)
    jsonschema.Draft202012Validator.check_schema(found)
    return found


def report_of(*words: str) -> Any:
    result = CliRunner().invoke(GROUP, [*words, "--output-format", "json"])
    assert result.exit_code in (0, 1, 3), result.stderr
    return json.loads(result.stdout)


def check(command: str, report: Any) -> None:
    jsonschema.Draft202012Validator(closed(schema_of(command))).validate(report)


@pytest.mark.parametrize("pods", FLEETS, ids=lambda path: path.parent.name)
def test_simulate(pods: Path) -> None:
    words = ("simulate", "--slices", str(pods.parent), str(pods))
    check("simulate", report_of(*words))


def test_simulate_fit() -> None:
    report = report_of("simulate", "--slices", str(FLEETS[0].parent), str(FLEETS[0]), "--fit")
    assert report["fits"]
    check("simulate", report)


@pytest.mark.parametrize("folder", MIGRATIONS, ids=lambda path: path.parent.name)
@pytest.mark.parametrize("strategy", ["claims", "extended-resource"])
def test_migrate(folder: Path, strategy: str) -> None:
    report = report_of("migrate", "--scan", "--set", f"strategy={strategy}", str(folder))
    assert any(file["uses"] for file in report["files"])
    check("migrate", report)


@pytest.mark.parametrize(("by", "schema"), [("device", "devices"), ("claim", "claims")])
@pytest.mark.parametrize("dump", DUMPS, ids=lambda path: path.name)
def test_what_is_held(by: str, schema: str, dump: Path) -> None:
    check(schema, report_of("devices", "--by", by, str(dump)))


@pytest.mark.parametrize("command", ["simulate", "migrate", "devices", "claims"])
def test_a_report_that_lacks_a_key_is_rejected(command: str) -> None:
    with pytest.raises(jsonschema.ValidationError, match="required property"):
        check(command, {"version": 1})


SELECTOR = 'device.attributes["gpu.nvidia.com"].productName == "A" && device.capacity["gpu.nvidia.com"].memory'
CEL = {
    "accepted": SELECTOR + '.compareTo(quantity("1Gi")) > 0',
    "fails on every device": SELECTOR + '.compareTo(quantity("4x")) > 0',
    "syntax": SELECTOR + ' > "',
    "type": "device.driver",
    "without bound": "device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, true)))",
}


@pytest.mark.parametrize("expression", CEL.values(), ids=CEL)
def test_cel_check(expression: str) -> None:
    check("cel", report_of("cel", "check", expression))


@pytest.mark.parametrize("fleet", FLEETS[::5], ids=lambda path: path.parent.name)
def test_cel_eval(fleet: Path) -> None:
    words = ("--slices", str(fleet.parent))
    for expression in ('device.driver == "gpu.nvidia.com"', CEL["fails on every device"]):
        check("cel", report_of("cel", "eval", expression, *words))


def test_cel_explain() -> None:
    check("cel", report_of("cel", "explain", CEL["accepted"]))


def test_rules() -> None:
    rules = report_of("rule")
    check("rules", rules)
    for each in rules[::20]:
        check("rules", report_of("rule", each["code"]))


def test_the_files_of_a_run() -> None:
    report = report_of("lint", "--isolated", "--show-files", str(ROOT / "tests/lint"))
    assert {each["read"] for each in report["files"]} == {True, False}
    check("lint", report)
