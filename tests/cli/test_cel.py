"""`dradsl cel check|eval|explain|fmt`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from dradsl.cel.dra import CompiledSelector, DeviceView
from dradsl.cli import cel

if TYPE_CHECKING:
    from pathlib import Path

SLICE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: node-1-gpu}
spec:
  driver: gpu.example.com
  nodeName: node-1
  pool: {name: node-1, generation: 1, resourceSliceCount: 1}
  devices:
  - name: gpu-0
    attributes:
      model: {string: a100}
    capacity:
      memory: {value: 40Gi}
  - name: gpu-1
    attributes:
      model: {string: t4}
    capacity:
      memory: {value: 16Gi}
"""
MODEL = 'device.attributes["gpu.example.com"].model == "a100"'
MEMORY = 'device.capacity["gpu.example.com"].memory.compareTo(quantity("20Gi")) > 0'


def run(*arguments: str, text: str | None = None) -> Result:
    result = CliRunner().invoke(cel.command, arguments, input=text)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result


@pytest.fixture
def slices(tmp_path: Path) -> str:
    (tmp_path / "slice.yaml").write_text(SLICE)
    return str(tmp_path)


# -- check ---------------------------------------------------------------------------------


def test_check() -> None:
    result = run("check", MODEL)
    assert (result.exit_code, result.output) == (0, "ok: bool, cost at most 5\n")


def test_check_names_constants_that_fail_on_every_device() -> None:
    result = run("check", 'device.attributes["a.b"].c.isGreaterThan(semver("8.0"))')
    assert (result.exit_code, result.output.splitlines()[1:]) == (
        1,
        [
            "error: 1:49: DRA107: the text is not a version of three numbers: "
            "No Major.Minor.Patch elements found",
            'help: write device.attributes["a.b"].c.isGreaterThan(semver("8.0.0"))',
        ],
    )
    result = run("check", "1/0 == 1")
    assert "error: 1:1: DRA107: " in result.output
    assert "division by zero" in result.output
    result = run("check", 'device.capacity["a.b"].c == quantity("80GB")', "--output-format", "json")
    (found,) = json.loads(result.output)["findings"]
    assert (found["code"], found["column"]) == ("DRA107", 38)
    assert found["help"] == 'write device.capacity["a.b"].c == quantity("80G")'


def test_check_reads_files_and_standard_input(tmp_path: Path) -> None:
    file = tmp_path / "selector.cel"
    file.write_text(MODEL + "\n")
    assert run("check", str(file)).exit_code == 0
    assert run("check", "-", text=MODEL).exit_code == 0


def test_check_says_what_the_server_says_and_what_to_do() -> None:
    result = run("check", "device.atributes")
    assert result.exit_code == 1
    lines = result.output.splitlines()
    assert lines[0].endswith("ERROR: <input>:1:7: undefined field 'atributes'")
    assert any(line.startswith("help: ") and "attributes" in line for line in lines)


def test_check_knows_the_limits() -> None:
    loops = 'device.attributes["d"].all(a, device.attributes["d"].all(b, '
    deep = loops * 3 + "a != b" + "))" * 3
    assert "too complex, exceeds cost limit" in run("check", deep).output
    assert "Too long" in run("check", "true" + " " * 11000).output


def test_check_by_release_and_mode() -> None:
    text = "device.allowMultipleAllocations"
    assert run("check", text, "--kube-version", "1.34").exit_code == 1
    assert run("check", text, "--kube-version", "1.34", "--mode", "stored").exit_code == 0
    gates = (
        "--feature-gates",
        "DRAConsumableCapacity=true",
        "--feature-gates",
        "DRADeviceTaints=false",
    )
    assert run("check", text, "--kube-version", "1.34", *gates).exit_code == 0


def test_check_as_json() -> None:
    result = run("check", "1 +", "--output-format", "json")
    verdict = json.loads(result.output)
    assert result.exit_code == 1
    assert (verdict["accepted"], verdict["issues"][0]["line"]) == (False, 1)


@pytest.mark.parametrize(
    "options",
    [
        ("--kube-version", "1.2"),
        ("--feature-gates", "Nope=true"),
        ("--feature-gates", "DRAConsumableCapacity"),
    ],
)
def test_wrong_options(options: tuple[str, str]) -> None:
    assert run("check", "true", *options).exit_code == 2


# -- eval ----------------------------------------------------------------------------------


def test_eval_shows_the_clause_that_fails_and_what_it_saw(slices: str) -> None:
    result = run("eval", f"{MODEL} && {MEMORY}", "--slices", slices)
    assert result.exit_code == 0
    assert result.output.splitlines() == [
        "yes    gpu.example.com/node-1/gpu-0  cost 12",
        "no     gpu.example.com/node-1/gpu-1  cost 5",
        f"         no     {MODEL}",
        '                  device.attributes["gpu.example.com"].model is "t4"',
        f"         no     {MEMORY}",
        '                  device.capacity["gpu.example.com"].memory is 16Gi',
        "1 of 2 devices match",
    ]


def test_eval_fails_if_nothing_matches_or_an_evaluation_fails(slices: str) -> None:
    assert run("eval", "false", "--slices", slices).exit_code == 1
    missing = run("eval", 'device.attributes["gpu.example.com"].nope', "--slices", slices)
    assert missing.exit_code == 1
    assert "error  gpu.example.com/node-1/gpu-0  cost 4  no such key: nope" in missing.output
    assert run("eval", "1 +", "--slices", slices).exit_code == 1


def test_eval_as_json_with_cost(slices: str) -> None:
    result = run("eval", MODEL, "--slices", slices, "--output-format", "json")
    rows = json.loads(result.output)
    assert [(row["match"], row["cost"]) for row in rows] == [(True, 5), (False, 5)]


def test_eval_wants_devices(tmp_path: Path) -> None:
    (tmp_path / "empty.yaml").write_text("")
    assert run("eval", "true", "--slices", str(tmp_path)).exit_code == 2


TEN = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]"
COSTLY = "".join([f"{TEN}.all(x{i}, " for i in range(9)]) + "true" + ")" * 9


def test_eval_rejects_first_what_the_server_rejects(slices: str) -> None:
    result = run("eval", COSTLY, "--slices", slices)
    assert result.exit_code == 1
    assert result.output.startswith("too complex, exceeds cost limit (estimate ")
    assert run("eval", "true" + " " * 11000, "--slices", slices).output.startswith("Too long")


def test_what_is_over_the_limit_is_evaluated_and_rejected(slices: str) -> None:
    result = run("eval", COSTLY, "--slices", slices)
    assert result.exit_code == 1
    assert "actual cost limit exceeded" in result.output
    result = run("eval", "true" + " " * 11000, "--slices", slices, "--output-format", "json")
    assert result.exit_code == 1
    assert all(row["match"] for row in json.loads(result.stdout))
    assert result.stderr.startswith("Too long")


def test_what_reads_no_device_is_evaluated_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    devices = ", ".join([f"{{name: gpu-{i}}}" for i in range(50)])
    text = SLICE.partition("  devices:")[0] + f"  devices: [{devices}]\n"
    (tmp_path / "slice.yaml").write_text(text)
    calls: list[DeviceView] = []
    match = CompiledSelector.match_with_cost

    def counted(selector: CompiledSelector, device: DeviceView) -> tuple[object, int]:
        calls.append(device)
        return match(selector, device)

    monkeypatch.setattr(CompiledSelector, "match_with_cost", counted)
    result = run("eval", "[1, 2].all(x, x > 1)", "--slices", str(tmp_path))
    assert (len(calls), result.output.splitlines()[-1]) == (1, "0 of 50 devices match")
    assert result.output.count("gpu.example.com/node-1/gpu-") == 50
    run("eval", 'device.driver == "gpu.example.com"', "--slices", str(tmp_path))
    assert len(calls) == 51


@pytest.mark.parametrize(
    ("device", "message"),
    [
        ("gpu-0", "spec.devices[0]: a device is an object"),
        ("null", "spec.devices[0]: a device is an object"),
        ("{name: a, attributes: x}", "spec.devices[0].attributes: expected an object"),
        ("{name: a, attributes: {b: x}}", "spec.devices[0].attributes[b]: an attribute is"),
        ("{name: a, capacity: {b: {value: x}}}", "gpu.example.com/node-1/a: quantities must match"),
        ("{name: a, taints: [null]}", "spec.devices[0].taints[0]: null in a list"),
    ],
)
def test_eval_says_what_is_wrong_with_a_device(device: str, message: str, tmp_path: Path) -> None:
    text = SLICE.partition("  devices:")[0] + f"  devices: [{device}]\n"
    (tmp_path / "slice.yaml").write_text(text)
    result = run("eval", "true", "--slices", str(tmp_path))
    assert result.exit_code == 2
    assert message in result.output


def test_sums_of_amounts_that_lie_far_apart_fail(slices: str) -> None:
    for function in ("add", "sub"):
        text = f"quantity('1e2147483647').{function}(quantity('1n')).isInteger()"
        result = run("eval", text, "--slices", slices)
        assert (result.exit_code, "too far apart" in result.output) == (1, True)


# -- explain and fmt -----------------------------------------------------------------------


def test_explain() -> None:
    lines = run("explain", MODEL).output.splitlines()
    assert lines[0].startswith(f"{MODEL}: bool")
    assert lines[-1] == "reads: attributes.gpu.example.com.model"
    rows = json.loads(run("explain", MODEL, "--output-format", "json").output)
    assert rows[0]["type"] == "bool"


def test_fmt(tmp_path: Path) -> None:
    assert run("fmt", "a&&(b)").output == "a && b\n"
    assert run("fmt", "a&&b", "--check").exit_code == 1
    assert run("fmt", "a && b", "--check").exit_code == 0
    assert run("fmt", "a &&").exit_code == 1
    file = tmp_path / "selector.cel"
    file.write_text("a&&b")
    assert run("fmt", str(file), "--write").exit_code == 0
    assert file.read_text() == "a && b\n"
    assert run("fmt", "a&&b", "--write").exit_code == 2


@pytest.mark.parametrize(
    "device",
    [
        "gpu-0",
        "7",
        "{name: a, attributes: {model: x}}",
        "{name: a, attributes: [x]}",
        "{name: a, attributes: {model: {string: [x]}}}",
        "{name: a, capacity: 1}",
        "{name: a, capacity: {memory: 1}}",
        "{name: a, capacity: {memory: {value: [1]}}}",
    ],
)
def test_eval_rejects_what_is_no_device(device: str, tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(
        "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\n"
        "spec: {driver: d.example.com, nodeName: n1, pool: {name: n1, generation: 1,"
        f" resourceSliceCount: 1}}, devices: [{device}]}}\n"
    )
    result = CliRunner().invoke(cel.command, ["eval", "--slices", str(path), "true"])
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == 2
    assert "s.yaml: " in result.output


def test_fmt_leaves_alone_what_somebody_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import dradsl.cel.syntax.printer as printer

    file = tmp_path / "a.cel"
    file.write_text("a  ==  1\n")
    real = printer.format_expression

    def meanwhile(text: str) -> str:
        file.write_text("a  ==  2\n")
        return real(text)

    monkeypatch.setattr(printer, "format_expression", meanwhile)
    result = CliRunner().invoke(cel.command, ["fmt", "--write", str(file)])
    assert result.exit_code == 2
    assert "since it was read" in result.stderr
    assert file.read_text() == "a  ==  2\n"


def test_names_in_back_ticks_are_no_traceback() -> None:
    result = CliRunner().invoke(cel.command, ["check", "--", 'device.`driver`==""'])
    assert result.exception is None or isinstance(result.exception, SystemExit)
