"""`schemas/lint.schema.json` describes what `dradsl lint --output-format json` prints, all of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

from dradsl.cli.lint import command
from dradsl.cli.schema_export import export_command

ROOT = Path(__file__).parents[3]
SCHEMA: dict[str, Any] = json.loads((ROOT / "schemas/lint.schema.json").read_text("utf-8"))


def closed(schema: Any) -> Any:
    """The schema without room for keys that it does not name."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: closed(value) for key, value in schema.items()}
    if result.get("type") == "object":
        result.setdefault("additionalProperties", False)
    return result


@pytest.mark.parametrize("folder", ["examples/broken", "examples/manifests", "tests/lint"])
def test_reports_are_as_the_schema_says(folder: str) -> None:
    call = [str(ROOT / folder), "--isolated", "--output-format", "json"]
    report = json.loads(CliRunner().invoke(command, call).stdout)
    jsonschema.Draft202012Validator(closed(SCHEMA)).validate(report)
    if folder == "examples/broken":
        found = report["findings"]
        assert any(each["fix"] for each in found)
        assert any(each["object"] for each in found)


def test_a_report_that_lacks_a_key_is_rejected() -> None:
    call = [str(ROOT / "examples/broken"), "--isolated", "--output-format", "json"]
    report = json.loads(CliRunner().invoke(command, call).stdout)
    del report["findings"][0]["column"]
    with pytest.raises(jsonschema.ValidationError, match="column"):
        jsonschema.Draft202012Validator(SCHEMA).validate(report)


def test_the_command_prints_it() -> None:
    printed = CliRunner().invoke(export_command, ["lint"])
    assert printed.exit_code == 0
    assert json.loads(printed.stdout) == SCHEMA
