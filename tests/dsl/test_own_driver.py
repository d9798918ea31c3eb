"""A driver that dradsl does not know, from its slices to pods that fit, without a false finding."""

from __future__ import annotations

import importlib.util
import sys
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

import dradsl
from dradsl import App, DeviceClass, Fleet, Request, ResourceClaimTemplate, same
from dradsl.cli.schema import command as schema

if TYPE_CHECKING:
    from pathlib import Path

SLICES = """
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: n1-fpga}
spec:
  driver: fpga.acme.io
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices:
  - name: fpga-0
    attributes: &fpga
      type: {string: fpga}
      firmware: {version: 1.2.3}
      class: {string: gold}
      address: {string: "0000:08:00.2"}
      resource.kubernetes.io/pcieRoot: {string: pci0000:00}
    capacity: {hbm: {value: 16Gi}, acme.io/luts: {value: 1182k}}
  - name: fpga-1
    attributes: *fpga
    capacity: {hbm: {value: 8Gi}, acme.io/luts: {value: 500k}}
  - {name: sw-0, attributes: {type: {string: switch}, ports: {int: 16}}}
"""


@pytest.fixture
def handles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "slices.yaml").write_text(SLICES)
    inferred = CliRunner().invoke(schema, ["infer", "slices.yaml"], catch_exceptions=False)
    (tmp_path / "fpga.yaml").write_text(inferred.stdout)
    made = CliRunner().invoke(
        schema, ["export", "--as", "python", "fpga.yaml"], catch_exceptions=False
    )
    (tmp_path / "own_fpga.py").write_text(made.stdout)
    spec = importlib.util.spec_from_file_location("own_fpga", tmp_path / "own_fpga.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "own_fpga", module)
    spec.loader.exec_module(module)
    return module


def app_of(handles: Any) -> App:
    fpga = handles.fpga
    app = App(for_release="1.36")
    select = fpga & (fpga.firmware >= "1.2") & (fpga.class_ == "gold") & (fpga.hbm >= "1Gi")
    kind = app.add(DeviceClass("fpga", select=select))
    request = Request("f", kind, count=2, select=fpga.luts >= "400k")
    app.add(
        ResourceClaimTemplate(
            "t", namespace="x", requests=[request], constraints=[same(fpga.pcieRoot, request)]
        )
    )
    return app


@pytest.mark.parametrize("with_slices", [False, True])
@pytest.mark.parametrize("with_schema", [False, True])
def test_no_false_finding(handles: Any, with_slices: bool, with_schema: bool) -> None:
    fleet = Fleet.from_file("slices.yaml")
    found = dradsl.lint(
        app_of(handles),
        fleet=fleet if with_slices else None,
        driver_schemas=["fpga.yaml"] if with_schema else [],
    )
    assert [one for one in found if one.severity != "info"] == []
    if with_schema:
        assert found.codes == ()


def test_it_fits(handles: Any) -> None:
    assert dradsl.simulate(app_of(handles), Fleet.from_file("slices.yaml")).fits
    made = Fleet.of(handles.fpga, attributes={handles.fpga.firmware: "v1.2"})
    document: Any = made.documents[0]
    assert document["spec"]["devices"][0]["attributes"] == {
        "fpga.acme.io/type": {"string": "fpga"},
        "fpga.acme.io/firmware": {"version": "1.2.0"},
    }


def test_capacities_are_asked_for_as_the_slices_spell_them(handles: Any) -> None:
    """A name of a foreign domain among them says nothing of the driver's own."""
    fpga = handles.fpga
    request = Request("f", "c", capacity={fpga.hbm: "8Gi", fpga.luts: "1k"})
    assert request.details()["capacity"]["requests"] == {"hbm": "8Gi", "acme.io/luts": "1k"}
    app = App()
    app.add(DeviceClass("c", select=fpga))
    app.add(ResourceClaimTemplate("t", namespace="x", requests=[request]))
    assert dradsl.simulate(app, Fleet.from_file("slices.yaml")).fits
    in_full = SLICES.replace("hbm: {value", "fpga.acme.io/hbm: {value")
    from dradsl.drivers.schema.infer import infer_plain
    from dradsl.drivers.schema.recorded import recorded_devices
    from dradsl.text.documents import load

    for text, spelt in ((SLICES, False), (in_full, True)):
        [document] = load(text.encode()).documents
        plain = infer_plain("fpga.acme.io", list(recorded_devices(document.data)))
        assert plain.get("qualifiedNames", False) is spelt


def test_a_discriminator_says_the_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in a schema by hand that does not repeat it as `values`."""
    monkeypatch.chdir(tmp_path)
    attributes = "type: {type: string}"
    (tmp_path / "s.yaml").write_text(
        "driver: d.acme.io\nvendor: acme\nsummary: s\ncompleteness: full\nsources: [{note: test}]\ndeviceTypes:\n"
        + "".join(
            f'  {name}:\n    discriminator: device.attributes["d.acme.io"].type == "{name}"\n'
            f"    attributes: {{{attributes}{more}}}\n"
            for name, more in (("a", ", version: {type: version}"), ("b", ""))
        )
    )
    guarded = 'device.driver == "d.acme.io" && device.attributes["d.acme.io"].type == "a" && '
    read = 'device.attributes["d.acme.io"].version.compareTo(semver("1.0.0")) >= 0'
    fine = DeviceClass("c", select=guarded + read)
    assert dradsl.lint(fine, driver_schemas=["s.yaml"]).codes == ()
    bad = DeviceClass("c", select='device.driver == "d.acme.io" && ' + read)
    assert dradsl.lint(bad, driver_schemas=["s.yaml"]).codes == ("DRA207",)


@pytest.mark.parametrize("key", ["type", "kind", "deviceType"])
def test_types_are_told_apart_by_what_drivers_call_them(key: str, tmp_path: Path) -> None:
    """A name that the API server rejects is left out, so that the handles are Python that works."""
    slices = SLICES.replace("type:", f"{key}:").replace("firmware:", "coherence-time:")
    assert slices.count("coherence-time") == 1
    (tmp_path / "s.yaml").write_text(slices)
    inferred = CliRunner().invoke(schema, ["infer", str(tmp_path / "s.yaml")])
    assert f'device.attributes["fpga.acme.io"].{key} == "switch"' in inferred.stdout
    assert "coherence-time" not in inferred.stdout
    (tmp_path / "fpga.yaml").write_text(inferred.stdout)
    made = CliRunner().invoke(
        schema, ["export", "--as", "python", str(tmp_path / "fpga.yaml")], catch_exceptions=False
    )
    names: dict[str, Any] = {"__name__": "own"}
    exec(compile(made.stdout, "own.py", "exec"), names)
    assert f'.{key} == "switch"' in str(names["switch"])
    with pytest.raises(AttributeError, match="publishes no"):
        _ = names["switch"].hbm
