"""`dradsl schema`: every subcommand through its door."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner, Result

from dradsl.cli.schema import command
from dradsl.drivers.schema.catalogue import Catalogue
from dradsl.drivers.schema.read import validate_plain
from dradsl.drivers.schema.yaml_data import load_yaml
from dradsl.releases import RELEASES

SLICES = Path(__file__).parent / "data" / "slices"
A100 = SLICES / "gpu.nvidia.com-eks-p4d-a100-full-gpu.yaml"
FRAGMENT = SLICES / "gpu.nvidia.com-docs-device-entries-fragment.yaml"
OLD = SLICES / "gpu.nvidia.com-cohdi-l40s-node-attached.yaml"


def run(*arguments: object) -> Result:
    # The width is set: workers of a parallel run have a COLUMNS of their own.
    words = [str(each) for each in arguments]
    return CliRunner().invoke(command, words, env={"COLUMNS": "100"})


def test_list_names_every_driver() -> None:
    result = run("--output-format", "json")
    assert result.exit_code == 0
    rows = json.loads(result.output)
    assert [row["driver"] for row in rows] == list(Catalogue().names())
    text = run().output
    assert all(row["driver"] in text for row in rows)


def test_show_is_a_readable_table() -> None:
    assert run("show", "tpu.google.com").output == (
        "tpu.google.com (Google): TPU chips of a node, which are claimed together\n"
        "\n"
        "versions   v0.1, v0.2\n"
        "facts      full\n"
        "sources    kubernetes-sigs/dra-driver-google-tpu\n"
        "uncertain  support of tpu7x\n"
        "\n"
        "type tpu: a TPU chip; no capacity is published\n"
        "  device  accel0 or 0\n"
        "\n"
        "  attribute    type    there      versions\n"
        "  index        int     always\n"
        "  uuid         string  always                of the node; alike on one node\n"
        "  tpuGen       string  always                generation; v5e is v5lite or v5litepod; "
        "v3, v4, v4lite,\n"
        "                                             v5lite, v5litepod, v5p, v6e, tpu7x; alike on one "
        "node\n"
        "  brand        string  always     from v0.2  Google\n"
        "  accelerator  string  always     from v0.2  the value of the GKE node label; such as "
        "tpu-v6e-slice,\n"
        "                                             tpu-v5-lite-podslice, tpu-v4-podslice; alike on "
        "one\n"
        "                                             node\n"
        "  chipCount    int     always     from v0.2  chips of the node; alike on one node\n"
        "  topology     string  sometimes  from v0.2  such as 2x4, 2x2x1; alike on one node\n"
        "\n"
        "device classes\n"
        '  tpu.google.com    device.driver == "tpu.google.com"\n'
        "\n"
        "takes the place of\n"
        "  google.com/tpu  class tpu.google.com  or a count equal to chipCount: part of a node "
        "cannot be had\n"
    )


@pytest.mark.parametrize("driver", Catalogue().names())
def test_show_works_for_every_driver(driver: str) -> None:
    result = run("show", driver)
    assert result.exit_code == 0
    assert result.output.startswith(f"{driver} (")
    data = json.loads(run("show", driver, "--output-format", "json").output)
    assert data["driver"] == driver


def test_show_by_type_and_version() -> None:
    text = run("show", "gpu.nvidia.com@v25.3/gpu").output
    assert "  index " in text
    assert "addressingMode" not in text
    newest = run("show", "gpu.nvidia.com/gpu").output
    assert "  index " not in newest
    assert "parentUUID" not in newest


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("show", "mig.nvidia.com"), "did you mean gpu.nvidia.com?"),
        (("show", "zzz"), "`dradsl schema` lists all"),
        (("show", "gpu.nvidia.com/x"), "it has gpu, mig, vfio"),
        (("show", "gpu.nvidia.com@v9"), "has no version 'v9'"),
        (("export",), "Missing argument"),
        (("export", "gpu.nvidia.con"), "did you mean gpu.nvidia.com?"),
        (("export", "gpu.nvidia.com/X"), "known: GpuConfig"),
        (("export", "gpu.nvidia.com", "dra.net"), "several names are for --as python"),
        (("export", "gpu.nvidia.com", "--check"), "give -o FILE"),
        (("--driver", "gpu.nvidia.con"), "did you mean gpu.nvidia.com?"),
        (("lst",), "no such command: lst"),
        (("check", "gpu.amd.com", "--against", "gpu.nvidia.com@v25.3"), "two drivers"),
        (("check", "mine.yaml", "--against", "gpu.nvidia.com@v25.3"), "no such file: mine.yaml"),
        (("check", "gpu.nvidia.com"), "a schema is compared with one other: give --against"),
        (("check", "gpu.nvidia.com", "--against", "v9"), "no schema of driver 'v9'"),
        (("check", A100, "--context", "."), "--context is for the comparison of two schemas"),
        (("infer", A100, "--force"), "give -o FILE"),
        (("infer", SLICES), "devices of several drivers"),
        (("infer", A100, "--driver", "gpu.nvidia.con"), "did you mean gpu.nvidia.com?"),
        (("infer", A100, "--driver", "foo.bar"), "(they hold some of gpu.nvidia.com)"),
        (("infer", FRAGMENT), "name the driver of their devices: give --driver"),
        (("check", FRAGMENT), "name the driver of their devices: give --driver"),
        (("export", "--as", "python", "gpu.nvidia.con"), "did you mean gpu.nvidia.com?"),
        (("export", "--as", "python", "mine.yaml"), "mine.yaml: no such file"),
        (("export", "--as", "python", "cni-dra-driver"), "publishes no devices"),
    ],
)
def test_wrong_usage_says_what_is_right(arguments: tuple[object, ...], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.output


def test_check_of_a_recording(tmp_path: Path) -> None:
    result = run("check", A100)
    assert (result.exit_code, result.output) == (
        0,
        "gpu.nvidia.com: 8 gpu, as v25.12, v0.4 or v0.5 publishes them: as the schema says\n",
    )
    old = run("check", OLD)
    assert old.exit_code == 1
    assert "attribute gpu.nvidia.com/index: published by other versions only" in old.output
    assert run("check", OLD, "--against", "v25.3").exit_code == 0
    assert run("check", OLD, "--against", "gpu.nvidia.com@v25.3").exit_code == 0
    packed = tmp_path / "slices.yaml.gz"
    packed.write_bytes(gzip.compress(A100.read_bytes()))
    assert run("check", packed).exit_code == 0


def test_check_as_json() -> None:
    rows = json.loads(run("check", OLD, "--output-format", "json").output)
    assert {m["name"] for m in rows[0]["mismatches"] if m["reason"] == "version"} == {
        "gpu.nvidia.com/index",
        "gpu.nvidia.com/minor",
        "gpu.nvidia.com/pcieBusID",
    }


def test_check_names_the_version_and_what_it_was_compared_with() -> None:
    lines = run("check", SLICES / "gpu.intel.com-rpl-s-arc-b60.yaml").output.splitlines()
    newest = Catalogue().versions("gpu.intel.com")[0]
    assert lines == [
        f"gpu.intel.com: 2 gpu, as v0.10 publishes them; compared with {newest}:",
        "  attribute gpu.intel.com/type: missing; the schema says that every device has it "
        "(0000-00-02-0-0x7d67, 0000-04-00-0-0xe211)",
    ]


@pytest.mark.parametrize("text", ["", "apiVersion: v1\nkind: Pod\nspec: {}\n"])
@pytest.mark.parametrize("verb", ["check", "infer"])
def test_files_without_devices_are_named_as_such(verb: str, text: str, tmp_path: Path) -> None:
    file = tmp_path / "slices.yaml"
    file.write_text(text)
    result = run(verb, file)
    assert result.exit_code == 2
    assert "no devices found in these files: give ResourceSlices" in result.output


def test_fragments_count_only_where_no_file_names_another_driver() -> None:
    alone = run("infer", FRAGMENT, "--driver", "gpu.nvidia.com")
    assert "derived from 3 recorded devices" in alone.stdout
    beside = run("infer", FRAGMENT, A100, "--driver", "gpu.nvidia.com")
    assert "derived from 11 recorded devices" in beside.stdout
    mixed = run("infer", SLICES, "--driver", "tpu.google.com")
    assert "derived from 2 recorded devices" in mixed.stdout
    assert "devices in files that do not name the driver" in mixed.stderr


def test_infer_and_merge(tmp_path: Path) -> None:
    result = run("infer", A100)
    assert result.exit_code == 0
    validate_plain(load_yaml(result.output, "inferred"), "inferred")
    own = tmp_path / "own.yaml"
    assert run("infer", A100, "--output", own).exit_code == 0
    first = own.read_text("utf-8")
    assert run("infer", OLD, "--output", own).output == ""
    plain = load_yaml(own.read_text("utf-8"), "merged")
    validate_plain(plain, "merged")
    (device_type,) = plain["deviceTypes"].values()
    attributes = device_type["attributes"]
    assert attributes["index"]["presence"] == "sometimes"
    assert attributes["index"]["note"] == "on 1 of 9"
    assert attributes["addressingMode"]["presence"] == "sometimes"
    assert attributes["addressingMode"]["note"] == "on 8 of 9"
    assert attributes["uuid"]["note"] == "on 9 of 9"
    assert "presence" not in attributes["uuid"]
    assert device_type["summary"] == "9 recorded devices"
    assert device_type["capacities"]["memory"]["range"] == {"min": "40Gi", "max": "46068Mi"}
    assert plain["sources"] == [{"note": "derived from 9 recorded devices"}]
    assert run("check", A100, OLD, "--driver-schema", own).exit_code == 0
    own.write_text(first)
    for words in (("--driver-schema", own), ("--against", own)):
        assert run("check", A100, OLD, *words).exit_code == 1
    own.write_text("# not a schema\n")
    assert "no `driver`" in run("infer", A100, "-o", own).output
    assert run("infer", A100, "--force", "-o", own).exit_code == 0
    assert own.read_text("utf-8") == first


def test_diff_of_two_versions_and_the_selectors_that_break(tmp_path: Path) -> None:
    manifest = tmp_path / "claim.yaml"
    manifest.write_text(
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c}\nspec:\n"
        "  devices:\n    requests:\n    - name: gpu\n      exactly:\n"
        "        deviceClassName: gpu.nvidia.com\n        selectors:\n"
        "        - cel: {expression: \"device.attributes['gpu.nvidia.com'].index == 0\"}\n"
        "        - cel: {expression: \"device.attributes['gpu.nvidia.com'].brand == 'Nvidia'\"}\n"
    )
    result = run("check", "gpu.nvidia.com@v25.8", "--against", "v25.3", "--context", manifest)
    assert result.exit_code == 1
    assert "- type gpu, attribute gpu.nvidia.com/index is gone" in result.output
    (broken,) = [line for line in result.output.splitlines() if line.startswith("breaks")]
    assert broken.startswith("breaks ResourceClaim c spec.devices.requests[0].exactly.selectors[0]")
    later = run("check", "gpu.nvidia.com@v25.12", "--against", "v25.8", "--context", manifest)
    assert later.exit_code == 0
    assert later.output.endswith("\nbreaks none of 2 selectors in the manifests\n")
    same = run("check", "dra.memory", "--against", "dra.memory").output
    assert same == "from dra.memory@v0.1 to dra.memory@v0.1:\nnothing changes\n"


def test_diff_without_a_version_means_the_newest_release() -> None:
    result = run("check", "gpu.nvidia.com", "--against", "gpu.nvidia.com@v25.3")
    newest = Catalogue().versions("gpu.nvidia.com")[0]
    assert result.exit_code == 1
    assert result.output == run("check", f"gpu.nvidia.com@{newest}", "--against", "v25.3").output
    assert "- type gpu, attribute gpu.nvidia.com/index is gone\n" in result.output
    assert "\n+ type vfio is new\n" in result.output
    assert "memory was always there, is usually there now\n" in result.output


def test_export() -> None:
    schema = json.loads(run("export", "driver").output)
    jsonschema.Draft202012Validator.check_schema(schema)
    text = run("export", "dra.net").output
    jsonschema.validate(load_yaml(text, "dra.net"), schema)
    config = json.loads(run("export", "gpu.nvidia.com/GpuConfig").output)
    jsonschema.validate({"sharing": {"strategy": "MPS"}}, config)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"sharing": {"strategy": "mps"}}, config)


CLAIM = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "ResourceClaim",
    "metadata": {"name": "gpu"},
    "spec": {"devices": {"requests": [{"name": "a", "exactly": {"deviceClassName": "gpu"}}]}},
}


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("config", {"kube-version": "1.36"}, {"kube-versoin": "1.36"}),
        ("v1", CLAIM, {**CLAIM, "apiVersion": "resource.k8s.io/v1beta1"}),
    ],
)
def test_json_schemas_for_editors(name: str, good: object, bad: object, tmp_path: Path) -> None:
    result = run("export", name)
    assert result.exit_code == 0
    schema = json.loads(result.stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(good, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(bad, schema)
    assert run("export", name, "-o", tmp_path / "schema.json").output == ""
    assert (tmp_path / "schema.json").read_text("utf-8") == result.stdout


def test_json_schemas_differ_by_release() -> None:
    newest = list(RELEASES)[-1]
    assert run("export", "v1").stdout == run("export", "v1", "--kube-version", newest).stdout
    for release in RELEASES:
        title = json.loads(run("export", "v1beta1", "--kube-version", release).stdout)["title"]
        assert title == f"resource.k8s.io/v1beta1 in Kubernetes {release}"
    assert run("export", "v1").stdout == run("export", "v1", "--as", "json").stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["v2"],
            "no JSON Schema 'v2' (known: config, custom-rules, driver, lint, simulate, why, devices, claims, migrate, cel, rules, v1, v1alpha3, v1beta1, v1beta2)",
        ),
        (["../config"], "no schema of driver '..'"),
        (["dra.net", "--as", "json"], "no JSON Schema 'dra.net'"),
        (["v1", "--kube-version", "1.20"], "unknown Kubernetes release '1.20'"),
        (["config", "--kube-version", "1.36"], "--kube-version is for API versions only"),
    ],
)
def test_json_schemas_that_are_not_there(words: list[str], message: str) -> None:
    result = run("export", *words)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())


@pytest.mark.parametrize(
    "verb", [("infer", A100), ("export", "--as", "python", "gpu.nvidia.com"), ("export", "config")]
)
def test_output_that_cannot_be_written_is_named(verb: tuple[object, ...], tmp_path: Path) -> None:
    missing = tmp_path / "missing" / "file"
    result = run(*verb, "--output" if verb[0] == "infer" else "-o", missing)
    assert result.exit_code == 2
    assert str(missing.parent) in result.output
    assert "Errno" not in result.output


def test_broken_input_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "a.yaml"
    broken.write_text("a: [\n")
    result = run("check", broken, A100)
    assert result.exit_code == 2
    assert "a.yaml" in result.stderr
    merged = run("infer", A100, "-o", broken)
    assert "a.yaml: not YAML: line 2: " in merged.output
    manifests = run("check", "dra.memory", "--against", "dra.memory", "--context", broken)
    assert manifests.exit_code == 0
    assert "a.yaml:" in manifests.stderr
    bad = tmp_path / "b.yaml.gz"
    bad.write_bytes(b"not gzip")
    assert run("check", bad).exit_code == 2
    schema = tmp_path / "schema.yaml"
    schema.write_text("driver: 3\n")
    assert run("--driver-schema", schema).exit_code == 2
