"""Generated handles: the shipped modules are up to date, and say what the schemas say."""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
import types
import warnings
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

import dradsl.devices
from dradsl import DeviceClass, Request
from dradsl.cli.schema import command
from dradsl.drivers.schema.catalogue import Catalogue
from dradsl.dsl.data.modules import MODULES, module_of
from dradsl.dsl.expressions.expression import Condition, to_cel
from dradsl.dsl.expressions.handle import Handle
from dradsl.dsl.generate.handles import generate
from dradsl.dsl.generate.to_python import to_python
from dradsl.dsl.generate.vocabulary import Vocabulary
from tests.golden import check_golden

if TYPE_CHECKING:
    from dradsl.drivers.schema.model import DriverSchema

DEVICES = Path(dradsl.devices.__file__).parent
CATALOGUE = Catalogue()


def schema_of(driver: str) -> DriverSchema:
    schema = CATALOGUE.get(driver)
    assert schema is not None
    return schema


@pytest.mark.parametrize("module", sorted(MODULES))
def test_shipped_modules_are_what_the_schemas_give(module: str) -> None:
    """UPDATE_GOLDEN=1 renews them, as does `dradsl schema export DRIVER... --as python -o MODULE.py`."""
    text = generate(schema_of(driver) for driver in MODULES[module])
    check_golden(DEVICES / f"{module}.py", text)


# Drivers that publish devices: those of modules, and those whose handles the command writes.
PUBLISHING = sorted(
    name
    for name in CATALOGUE.names()
    if schema_of(name).device_types and not schema_of(name).publishes_as
)


def handles_of(driver: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """The names of the driver's module: the shipped one, or that which the command writes."""
    module = module_of(driver)
    if module is not None:
        return vars(importlib.import_module(f"dradsl.devices.{module}"))
    target = folder / "written.py"
    result = CliRunner().invoke(command, ["export", "--as", "python", driver, "-o", str(target)])
    assert result.exit_code == 0, result.output
    written = types.ModuleType("written")
    # Dataclasses look their module up.
    monkeypatch.setitem(sys.modules, "written", written)
    exec(target.read_text("utf-8"), vars(written))
    return vars(written)


def test_generated_modules_are_formatted() -> None:
    ruff = shutil.which("ruff")
    if ruff is None:
        pytest.skip("ruff is not installed")
    for arguments in (["format", "--check"], ["check"]):
        result = subprocess.run(
            [ruff, *arguments, "--no-cache", str(DEVICES)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 0, result.stdout


@pytest.mark.parametrize("driver", PUBLISHING)
def test_handles_are_the_kinds_of_the_vocabulary(
    driver: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """to-python recognises expressions by the vocabulary: both must render alike."""
    namespace = handles_of(driver, tmp_path, monkeypatch)
    for kind in Vocabulary(schema_of(driver)).kinds:
        handle = namespace[kind.name]
        assert isinstance(handle, Handle)
        assert to_cel(handle) == to_cel(Condition(kind.node))
        for member in kind.members:
            if member.name is None:
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                value = getattr(handle, member.name)
            assert value._operand == member.operand, member.name
            assert value._operand.always == member.operand.always, member.name


def test_what_device_types_share_is_written_once() -> None:
    """Each has it as its own, and types that lack it do not get it."""
    from dradsl.devices.amd import amdgpu, amdgpu_partition, vfio
    from dradsl.dsl.checking.python_words import _handle_with

    assert "driverVersion" not in vars(type(amdgpu))
    assert {"driverVersion", "family"} <= {*dir(amdgpu)} & {*dir(amdgpu_partition)}
    assert not {"driverVersion", "family"} & {*dir(vfio)}
    assert amdgpu.driverVersion is amdgpu_partition.driverVersion
    with pytest.raises(AttributeError, match="driverVersion"):
        amdgpu.driverversion  # type: ignore[attr-defined]
    assert _handle_with("gpu.amd.com", "driverVersion") == "amdgpu"
    for module, drivers in MODULES.items():
        text = (DEVICES / f"{module}.py").read_text("utf-8")
        several = any(len(schema_of(driver).device_types) > 1 for driver in drivers)
        assert several or "in common" not in text


@pytest.mark.parametrize("driver", PUBLISHING)
def test_no_member_hides_another(driver: str) -> None:
    for kind in Vocabulary(schema_of(driver)).kinds:
        names = [member.name for member in kind.members if member.name]
        assert len(names) == len(set(names)), kind


@pytest.mark.parametrize("driver", sorted(set(PUBLISHING) - {*chain(*MODULES.values())}))
def test_to_python_names_no_module_of_a_driver_without_one(driver: str) -> None:
    (kind, *_) = Vocabulary(schema_of(driver)).kinds
    written = DeviceClass("own", select=to_cel(Condition(kind.node)))
    source = to_python([written])
    assert "dradsl.devices" not in source
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    assert [obj.to_dict() for obj in namespace["app"].objects] == [written.to_dict()]


def test_shipped_classes() -> None:
    from dradsl.devices.nvidia import GPU_NVIDIA_COM, MIG_NVIDIA_COM, gpu, mig, vfio

    assert isinstance(GPU_NVIDIA_COM, DeviceClass)
    assert GPU_NVIDIA_COM.to_dict()["spec"]["extendedResourceName"] == "nvidia.com/gpu"
    assert Request("a", gpu).details()["deviceClassName"] == "gpu.nvidia.com"
    assert Request("a", vfio).details()["deviceClassName"] == "vfio.gpu.nvidia.com"
    named = Request("a", MIG_NVIDIA_COM, select=mig.profile == "1g.5gb").details()
    assert named["selectors"] == [
        {"cel": {"expression": 'device.attributes["gpu.nvidia.com"].profile == "1g.5gb"'}}
    ]


def test_typed_configurations() -> None:
    from dradsl.devices.dranet import Interface, NetworkConfig
    from dradsl.devices.nvidia import MPS, GpuConfig, TimeSlicing
    from dradsl.dsl.objects.parameters import opaque_of

    assert opaque_of(GpuConfig(sharing=TimeSlicing(interval="Long"))) == {
        "driver": "gpu.nvidia.com",
        "parameters": {
            "apiVersion": "resource.nvidia.com/v1beta1",
            "kind": "GpuConfig",
            "sharing": {"strategy": "TimeSlicing", "timeSlicingConfig": {"interval": "Long"}},
        },
    }
    assert opaque_of(GpuConfig(sharing=MPS()))["parameters"]["sharing"] == {"strategy": "MPS"}
    # these parameters have neither apiVersion nor kind
    assert opaque_of(NetworkConfig(interface=Interface(name="net1", mtu=9000))) == {
        "driver": "dra.net",
        "parameters": {"interface": {"name": "net1", "mtu": 9000}},
    }


OWN = """
driver: fpga.example.org
vendor: Example
summary: FPGA cards
completeness: inferred
sources: []
versions: [{name: v1}, {name: v2}]
deviceTypes:
  card-a:
    discriminator: device.attributes["fpga.example.org"].kind == "a"
    attributes:
      kind: {type: string}
      class: {type: string, presence: sometimes}
      lanes<N>: {type: int, presence: sometimes}
      attributes: {type: string, presence: sometimes}
      speed: {type: int, since: v2, meaning: 'lanes "at most" \\ wide'}
      old: {type: bool, removedIn: v2, replacedBy: kind}
  card-b:
    discriminator: device.attributes["fpga.example.org"].kind.startsWith("b") && true
    attributes:
      kind: {type: string}
    capacities:
      other.example.org/luts: {}
configs:
  - apiVersion: fpga.example.org/v1
    kind: CardConfig
    schema:
      required: [image]
      properties:
        image: {type: string}
        driver: {type: string}
        from: {type: object, properties: {class: {type: string}}}
        ports: {type: array, items: {properties: {number: {type: integer}}}}
"""


def test_handles_for_a_schema_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    schema, target = tmp_path / "fpga.yaml", tmp_path / "fpga.py"
    schema.write_text(OWN)
    result = CliRunner().invoke(
        command, ["export", "--as", "python", str(schema), "-o", str(target)]
    )
    assert result.exit_code == 0, result.output
    again = CliRunner().invoke(
        command, ["export", "--as", "python", str(schema), "-o", str(target), "--check"]
    )
    assert again.exit_code == 0, again.output

    monkeypatch.syspath_prepend(str(tmp_path))
    own = importlib.import_module("fpga")
    assert str(own.card_a) == (
        'device.driver == "fpga.example.org" && device.attributes["fpga.example.org"].kind == "a"'
    )
    assert str(own.card_b & (own.card_b.luts > 1)).endswith('.isGreaterThan(quantity("1"))')
    assert own.card_b.luts.request_key == "other.example.org/luts"
    # names that are no members of a Python class are there all the same
    assert str(own.card_a.attributes["class"] == "x").endswith('.class == "x"')
    with pytest.raises(AttributeError):
        own.card_a.lanes1
    with pytest.warns(DeprecationWarning, match="use fpga.example.org/kind"):
        own.card_a.old
    config = own.CardConfig(
        image="x", ports=[own.Ports(number=1)], driver="d", from_=own.From(class_="c")
    )
    assert config.to_dict() == {
        "image": "x",
        "driver": "d",
        "from": {"class": "c"},
        "ports": [{"number": 1}],
    }

    target.write_text("changed")
    differs = CliRunner().invoke(
        command, ["export", "--as", "python", str(schema), "-o", str(target), "--check"]
    )
    assert differs.exit_code == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.yaml"], "nothing.yaml"),
        (["gpu.nvidia.com", "gpu.amd.com"], "want to be called"),
        (["gpu.nvidia.com", "--check"], "give -o FILE"),
    ],
)
def test_schemas_that_cannot_be_used(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(command, ["export", "--as", "python", *arguments])
    assert result.exit_code == 2
    assert message in result.output
