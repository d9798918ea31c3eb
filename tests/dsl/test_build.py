"""Apps, and `dradsl build`: files, findings at Python lines, modules that cannot be used."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dradsl import (
    App,
    DeviceClass,
    DeviceTaintRule,
    DroppedFieldsError,
    DuplicateObjectError,
    KubernetesObject,
    Request,
    ResourceClaim,
    Taint,
    from_yaml,
)
from dradsl.cli.build import command
from dradsl.devices.nvidia import gpu
from dradsl.releases import UnknownGateError, UnknownReleaseError

GOOD = """
from dradsl import App, DeviceClass, Request, ResourceClaim
from dradsl.devices.nvidia import gpu

print("building")
app = App(for_release="1.36")
big = app.add(DeviceClass("big", select=gpu & (gpu.memory >= "70Gi")))
app.add(ResourceClaim("claim", namespace="ml", requests=[Request("gpu", big)]))
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "module.py"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command, list(arguments))


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("from dradsl.devices.amd import partition", "amdgpu_partition"),
        ("from dradsl.devices import nvidea", "nvidia"),
        ("from dradsl import Requets", "Request"),
    ],
)
def test_misspelt_imports(module: Path, line: str, meant: str) -> None:
    module.write_text(line)
    assert f'; did you mean "{meant}"?' in run("module.py").stderr


def test_a_stream(module: Path) -> None:
    module.write_text(GOOD)
    result = run("module.py")
    assert result.exit_code == 0, result.output
    assert [obj.to_dict()["kind"] for obj in from_yaml(result.stdout)] == [
        "DeviceClass",
        "ResourceClaim",
    ]
    # What the module prints must not get among the manifests.
    assert result.stderr == "building\n"
    assert run("module.py:app").stdout == run("module").stdout == result.stdout


def test_files(module: Path) -> None:
    module.write_text(GOOD)
    out = module.parent / "out"
    assert run("module.py", "-o", "out").exit_code == 0
    names = ["deviceclass_big.yaml", "resourceclaim_ml_claim.yaml"]
    assert sorted(path.name for path in out.iterdir()) == names
    before = [(out / name).read_bytes() for name in names]
    assert run("module.py", "-o", "out", "--check").exit_code == 0

    # A file of somebody else's stays; one that is no longer built goes.
    (out / "own.yaml").write_text("kind: Own\n")
    module.write_text(GOOD.replace('"claim"', '"other"'))
    result = run("module.py", "-o", "out", "--check")
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "out/resourceclaim_ml_other.yaml is missing",
        "out/resourceclaim_ml_claim.yaml is no longer built",
    ]
    assert run("module.py", "-o", "out").exit_code == 0
    assert sorted(path.name for path in out.iterdir()) == [
        "deviceclass_big.yaml",
        "own.yaml",
        "resourceclaim_ml_other.yaml",
    ]
    module.write_text(GOOD)
    run("module.py", "-o", "out")
    assert [(out / name).read_bytes() for name in names] == before

    with (out / names[0]).open("a") as file:
        file.write("# changed")
    result = run("module.py", "-o", "out", "--check")
    assert result.exit_code == 1
    first, *diff = result.stdout.splitlines()
    assert first == "out/deviceclass_big.yaml differs"
    assert diff[:2] == ["--- out/deviceclass_big.yaml", "+++ out/deviceclass_big.yaml"]
    assert "-# changed" in diff


def test_findings_stand_at_the_python_call(module: Path) -> None:
    module.write_text(
        "from dradsl import App, DeviceClass, FirstAvailable, Request, ResourceClaim\n"
        "app = App(for_release='1.36')\n"
        "app.add(DeviceClass('good', select='device.driver == \"é.example.com\"'))\n"
        "é = app.add(ResourceClaim('claim', requests=[\n"
        "    FirstAvailable('gpu',\n"
        "        Request('a', 'good'),\n"
        "        Request('b', 'good', select='device.nonsense'),\n"
        "    ),\n"
        "]))\n"
    )
    result = run("module.py")
    assert result.exit_code == 1
    assert "module.py:7:37: DRA102" in result.stderr
    assert "Request('b', 'good', select='device.nonsense')," in result.stderr
    # Nothing is written then.
    assert result.stdout == ""
    assert run("module.py", "--ignore", "ALL").exit_code == 0


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("{one}  # dradsl: ignore[DRA102] known\n{two}", [5]),
        ("# dradsl: ignore[cel-type]\n# another comment\n{one}\n{two}", [7]),
        ("# dradsl: ignore[DRA1, DRA4]\n\n{one}\n{two}", [7]),
        ("# dradsl: ignore-file[DRA102]\n{one}\n{two}", []),
        ("{one}  # dradsl: ignore[DRA103]\n{two}  # dradsl: ignore", [4, 5]),
        ("x = '# dradsl: ignore-file[DRA102]'\n{one}\n{two}", [5, 6]),
    ],
)
def test_ignore_comments(module: Path, text: str, lines: list[int]) -> None:
    bad = "app.add(DeviceClass({!r}, select='device.nonsense'))"
    module.write_text(
        "from dradsl import App, DeviceClass\napp = App()\n\n"
        + text.format(one=bad.format("a"), two=bad.format("b"))
    )
    result = run("module.py", "--output-format", "json")
    found = json.loads(result.stderr)["findings"]
    assert [one["line"] for one in found if one["code"] == "DRA102"] == lines
    assert result.exit_code == (1 if lines else 0)


def test_names_that_a_driver_no_longer_publishes(module: Path) -> None:
    module.write_text(
        "from dradsl import App, Request, ResourceClaim\n"
        "from dradsl.devices.nvidia import gpu\n"
        "app = App()\n"
        "old = gpu.pcieBusID == '0000:01:00.0'\n"
        "app.add(ResourceClaim('c', requests=[Request('r', gpu, select=old)]))\n"
    )
    with pytest.warns(DeprecationWarning, match=r"gpu\.nvidia\.com publishes no pcieBusID") as said:
        result = run("module.py")
    assert [(Path(one.filename).name, one.lineno) for one in said] == [("module.py", 4)]
    assert "module.py:5:63: DRA2" in result.stderr
    assert result.exit_code == 1
    module.with_name(".dradsl.yaml").write_text("driver-versions: {gpu.nvidia.com: v25.3}")
    with pytest.warns(DeprecationWarning, match="publishes no"):
        assert run("module.py").exit_code == 0


def test_configuration_counts(module: Path) -> None:
    module.write_text(GOOD.replace('"gpu", big', '"gpu", "gpu.nvidia.co"'))
    assert run("module.py").exit_code == 1
    config = module.with_name(".dradsl.yaml")
    for text in ("ignore: [DRA412]", "per-file-ignores: {module.py: [DRA4]}", "fail-on: error"):
        config.write_text(text)
        assert run("module.py").exit_code == 0, text
    config.write_text("nonsense: 1")
    assert run("module.py").exit_code == 2


def test_findings_are_in_the_order_of_the_lines(module: Path) -> None:
    bad = "DeviceClass({!r}, select='device.nonsense')"
    module.write_text(
        "from dradsl import App, DeviceClass\napp = App()\n"
        f"first = {bad.format('a')}\nsecond = {bad.format('b')}\n"
        "app.extend([second, first])\n"
    )
    result = run("module.py", "--output-format", "json")
    found = json.loads(result.stderr)["findings"]
    assert [one["line"] for one in found] == [3, 4]


def test_findings_in_another_format(module: Path) -> None:
    module.write_text(GOOD.replace('"gpu", big', '"gpu", "gpu.nvidia.co"'))
    result = run("module.py", "--output-format", "github")
    assert "file=module.py" in result.stderr
    assert run("module.py", "--output-format", "json", "--report", "r.json").stderr == "building\n"
    [finding] = json.loads(module.with_name("r.json").read_text())["findings"]
    assert (finding["code"], finding["path"], finding["line"]) == ("DRA412", "module.py", 8)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\nraise ValueError('größer')", "module.py:2: ValueError: größer"),
        ("import sys\nsys.exit(3)", "module.py:2: the module ends the program (exit code 3)"),
        ("x = (", "module.py:1: '(' was never closed"),
        ("", "module.py has no App"),
        ("app = 3", "module.py has no App"),
        ("from dradsl import App\napp = App()", "app.add was never called"),
        ("from dradsl import App\na = App()\nb = App()", "module.py has several apps"),
        ("import nothing_like_it", "module.py:1: ModuleNotFoundError"),
        ("import module", "module.py:1: "),
        (
            "from dradsl import *\napp = App()\napp.add(DeviceClass('a'))\napp.add(DeviceClass('a'))",
            "module.py:4: DuplicateObjectError: DeviceClass a is there already, built at",
        ),
        ("from dradsl import *\n\nDeviceClass('größe')", "module.py:3: ValueError: the name of"),
        ("def f(): f()\nf()", "module.py:1: RecursionError"),
        ("from dradsl import App\napp = App(for_release='1.12')", "module.py:2: UnknownRelease"),
    ],
)
def test_modules_that_cannot_be_used(module: Path, text: str, message: str) -> None:
    module.write_text(text, encoding="utf-8")
    result = run("module.py")
    if text == "import module":  # it imports itself: harmless, but no app
        message = "module.py has no App"
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.py"], "no such file: nowhere.py"),
        (["no.such.module"], "ModuleNotFoundError"),
        (["module.py:other"], "has no App called other"),
        (["module.py", "--check"], "give -o DIR"),
        (["module.py", "--force"], "give -o DIR"),
        (["module.py", "-o", "module.py"], "is a file"),
        (["module.py", "-o", "module.py", "--check"], "is a file"),
    ],
)
def test_calls_that_cannot_be_carried_out(module: Path, arguments: list[str], message: str) -> None:
    module.write_text(GOOD)
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.output


def test_nothing_is_left_behind(module: Path) -> None:
    module.write_text("import beside\n" + GOOD)
    (module.parent / "beside.py").write_text("x = 1\n")
    assert run("module.py").exit_code == 0
    assert sorted(path.name for path in module.parent.iterdir()) == ["beside.py", "module.py"]


def test_modules_called_like_others(module: Path) -> None:
    """A script may be called json.py: neither it nor the library is taken for the other."""
    script = module.with_name("json.py")
    script.write_text(GOOD)
    assert run("json.py", "--ignore", "ALL").exit_code == 0
    assert json.dumps(1) == "1"


def test_helm_option(module: Path) -> None:
    module.write_text(
        "from dradsl import App, DeviceClass\napp = App()\n"
        "app.add(DeviceClass('a', annotations={'x': '{{ .y }}', 'z': '{b: {c: d}}'}, "
        "select='device.driver == \"a.example.com\"'))\n"
    )
    written = run("module.py", "--layout", "helm").stdout
    assert 'x: "{{ "{{" }} .y }}"' in written
    assert "{b: {c: d}}" in written


def test_helm_itself_renders_what_was_built(module: Path) -> None:
    installed = list(filter(None, map(shutil.which, ("helm", "helm3", "helm4"))))
    if not installed:
        pytest.skip("helm is not installed")
    module.write_text(
        f"{GOOD}\nfrom dradsl import DeviceClass\n"
        "app.add(DeviceClass('braces', annotations={'x': '{{ .y }}{{ \"{{\" }}'}, "
        "select='device.driver == \"a.example.com\"'))\n"
    )
    chart = module.parent / "chart"
    assert (
        run("module.py", "--layout", "helm", "-o", str(chart / "templates" / "dra")).exit_code == 0
    )
    (chart / "Chart.yaml").write_text("apiVersion: v2\nname: chart\nversion: 1.0.0\n")
    wanted = from_yaml(run("module.py").stdout)
    assert len(wanted) == 3
    for helm in installed:
        rendered = subprocess.run(
            [helm, "template", "release", str(chart)], capture_output=True, text=True, check=True
        )
        got = from_yaml(rendered.stdout)
        assert sorted(map(repr, got)) == sorted(map(repr, wanted))
        assert all(one in wanted for one in got)


def test_duplicates_are_rejected() -> None:
    app = App()
    app.add(DeviceClass("a"))
    app.add(ResourceClaim("a"))
    app.add(ResourceClaim("a", namespace="x"))
    with pytest.raises(DuplicateObjectError, match="ResourceClaim x/a is there already"):
        app.add(ResourceClaim("a", namespace="x", requests=[Request("r", gpu)]))
    # Names that the server makes up are no duplicates.
    data = {"apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "p-"}}
    app.extend([KubernetesObject(data), KubernetesObject(data)])
    assert len(app.objects) == len(app.files()) == 5


def test_an_app_for_a_release() -> None:
    claim = ResourceClaim("c", requests=[Request("r", gpu, capacity={gpu.memory: "1Gi"})])
    with pytest.raises(DroppedFieldsError, match=r"exactly\.capacity"):
        App(for_release="1.34").add(claim)
    App(for_release="1.34", feature_gates={"DRAConsumableCapacity": True}).add(claim)
    App(for_release="1.36").add(claim)
    with pytest.raises(UnknownReleaseError):
        App(for_release="9.99")
    with pytest.raises(UnknownGateError):
        App(for_release="1.34", feature_gates={"NoSuchGate": True})


@pytest.mark.parametrize(
    ("release", "version"),
    [(None, "v1"), ("1.37", "v1"), ("1.36", "v1beta2"), ("1.35", "v1alpha3")],
)
def test_api_versions_are_those_of_the_release(release: str | None, version: str) -> None:
    app = App(for_release=release)
    app.add(DeviceTaintRule("a", taint=Taint("k", "NoSchedule")))
    app.add(DeviceClass("a"))
    assert [one["apiVersion"] for one in app.to_dicts()] == [
        f"resource.k8s.io/{version}",
        "resource.k8s.io/v1",
    ]


def test_file_names_are_never_alike() -> None:
    app = App()
    for group in ("a.io/v1", "b.io/v1", "v1"):
        data = {"apiVersion": group, "kind": "Thing", "metadata": {"name": "x:y/../z"}}
        app.add(KubernetesObject(data))
    names = list(app.files())
    assert len(set(names)) == 3
    assert all("/" not in name for name in names)
