"""Files of any content get an answer and a documented exit code, never an error of the program."""

from __future__ import annotations

import importlib
import json
from random import Random
from typing import TYPE_CHECKING

import pytest
import yaml
from click.testing import CliRunner
from hypothesis import HealthCheck, given, note, settings, strategies as st

from tests.spoiled import seeds, spoil

if TYPE_CHECKING:
    from pathlib import Path

CALLS = (
    "convert a.yaml --diff",
    "lint a.yaml --fix --diff --isolated",
    "lint a.yaml --slices s.yaml --output-format sarif --isolated",
    "migrate --scan a.yaml",
    "migrate a.yaml --diff --slices s.yaml",
    "migrate a.yaml --diff --set strategy=extended-resource",
    "migrate --post-render",
    "record s.yaml",
    "schema check s.yaml",
    "schema infer s.yaml",
    "simulate a.yaml --slices s.yaml",
    "simulate a.yaml --slices s.yaml --fit --replicas 3",
    "simulate a.yaml --slices s.yaml --output-format html",
    "to-python a.yaml",
)
TEXTS = ("\t", "{{ .Values.x }}", "\x00", "&a", "*a", '"', "'", ": ", "- ", "\n---\n", "%", "é")


def spoiled_text(objects: list[object], random: Random) -> str:
    """Objects as YAML, sometimes with something in it that YAML does not take."""
    if random.random() < 0.3:
        text = "\n---\n".join(map(json.dumps, objects))
    else:
        text = "---\n".join(yaml.safe_dump(each, allow_unicode=True) for each in objects)
    if random.random() < 0.2:
        at = random.randrange(len(text) + 1)
        text = text[:at] + random.choice(TEXTS) + text[at:]
    return text


@pytest.mark.parametrize("call", CALLS)
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(seed=st.integers(0, 2**32))
def test_no_command_breaks(
    call: str, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(seed)
    objects = random.choice(seeds())
    slices = [one for one in seeds() if any(each["kind"] == "ResourceSlice" for each in one)]
    recorded = random.choice(slices)
    text = spoiled_text(spoil(objects, random), random)
    inventory = spoiled_text(spoil(recorded, random) if random.random() < 0.7 else recorded, random)
    note(f"--- a.yaml\n{text}\n--- s.yaml\n{inventory}")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yaml").write_bytes(text.encode("utf-8", "surrogatepass"))
    (tmp_path / "s.yaml").write_bytes(inventory.encode("utf-8", "surrogatepass"))
    name, *arguments = call.split()
    command = importlib.import_module(f"dradsl.cli.{name.replace('-', '_')}").command
    given_ = text if "--post-render" in arguments else None
    result = CliRunner().invoke(command, arguments, input=given_, catch_exceptions=False)
    assert result.exit_code in (0, 1, 2, 3)
    assert result.exit_code != 2 or result.stderr


SLICE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: slice}
spec:
  driver: gpu.example.com
  nodeName: node-1
  pool: {name: node-1, generation: 1, resourceSliceCount: 1}
  devices: [{name: gpu-0}]
"""


@pytest.mark.parametrize("written", ["ports: [7]", "ports: [null]", "ports: 7", "ports: {a: b}"])
@pytest.mark.parametrize("volumes", ["[3]", "[null]", "7", "[{7: 1}]"])
def test_parts_that_are_no_mappings(
    written: str, volumes: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No decoder of the server reads a kind of others: what `simulate` cannot read there, it passes over."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.yaml").write_text(SLICE)
    (tmp_path / "a.yaml").write_text(
        "apiVersion: example.com/v1\nkind: Training\nmetadata: {name: a}\n"
        "spec:\n  template:\n    metadata: {labels: {7: x}}\n    spec:\n"
        f"      containers: [{{name: c, image: i, {written}}}]\n      volumes: {volumes}\n"
    )
    command = importlib.import_module("dradsl.cli.simulate").command
    for output_format in ("text", "json", "html"):
        arguments = ["a.yaml", "--slices", "s.yaml", "--output-format", output_format]
        result = CliRunner().invoke(command, arguments, catch_exceptions=False)
        assert result.exit_code == 0, result.output
