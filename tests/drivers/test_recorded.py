"""Recorded slices of real drivers against the schemas: every name is known, with the right type.

The slices under `data/slices` are kept as published (each names its source); what an old driver or
a trimmed recording shows otherwise is listed below, one by one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from dradsl.drivers.judge.case import SelectorContext
from dradsl.drivers.judge.check import check_selector
from dradsl.drivers.schema.catalogue import Catalogue
from dradsl.drivers.schema.conform import conform_all, fitting_versions
from dradsl.drivers.schema.infer import infer, infer_plain, to_yaml
from dradsl.drivers.schema.merge import merged_plain
from dradsl.drivers.schema.model import AttributeType, Presence
from dradsl.drivers.schema.read import build_schema, read_plain, validate_plain
from dradsl.drivers.schema.recorded import RecordedDevice, recorded_devices
from dradsl.drivers.schema.sharpen import sharpened
from dradsl.drivers.schema.yaml_data import load_yaml
from tests.drivers.codes import code_of, words_of

SLICES = sorted((Path(__file__).parent / "data" / "slices").glob("*.yaml"))
CATALOGUE = Catalogue()

# Names of other driver versions, by file.
OLD_NAMES = {
    "dra.net-gke-quickstart-basic-form": {
        "dra.net/cloudNetwork",
        "dra.net/pciAddressBus",
        "dra.net/pciAddressDevice",
        "dra.net/pciAddressDomain",
        "dra.net/pciAddressFunction",
    },
    "gpu.amd.com-mi300x-spx-2025-10": {
        "gpu.amd.com/cardIndex",
        "gpu.amd.com/renderIndex",
        "gpu.amd.com/family",
        "gpu.amd.com/driverSrcVersion",
    },
    "gpu.amd.com-mi300x-dpx-partition-partial": {
        "gpu.amd.com/cardIndex",
        "gpu.amd.com/renderIndex",
        "gpu.amd.com/family",
        "gpu.amd.com/driverSrcVersion",
        "gpu.amd.com/parentPciAddr",
        "gpu.amd.com/parentDeviceID",
    },
    "gpu.nvidia.com-cohdi-l40s-node-attached": {
        "gpu.nvidia.com/index",
        "gpu.nvidia.com/minor",
        "gpu.nvidia.com/pcieBusID",
    },
    "gpu.nvidia.com-aks-a100-mig-static-partial": {"gpu.nvidia.com/pcieBusID"},
    "gpu.nvidia.com-docs-device-entries-fragment": {"gpu.nvidia.com/numa"},
    "sriovnetwork.k8snetworkplumbingwg.io-connectx-vf-doc": {
        "sriovnetwork.k8snetworkplumbingwg.io/parentPciAddress",
        "k8s.cni.cncf.io/deviceId",
    },
}

# Values that the schema rejects, by file: the GKE note is of 2024, when ipv4 had no prefix length.
OLD_VALUES = {"dra.net-gke-quickstart-basic-form": {"dra.net/ipv4"}}

# Recordings that were cut, or whose writer publishes less (CoHDI): names that should be there.
TRIMMED = {
    "gpu.nvidia.com-a30-dynamic-mig-partial",
    "gpu.nvidia.com-aks-a100-mig-static-partial",
    "gpu.nvidia.com-cohdi-l40s-fabric-pool",
}


def driver_of(path: Path) -> str:
    return max((name for name in CATALOGUE.names() if path.name.startswith(name)), key=len)


def devices_of(path: Path) -> list[RecordedDevice]:
    with path.open(encoding="utf-8") as stream:
        return list(recorded_devices(list(yaml.safe_load_all(stream)), driver_of(path)))


@pytest.mark.parametrize("path", SLICES, ids=lambda path: path.stem)
def test_every_recorded_name_is_known_with_its_type(path: Path) -> None:
    for result in conform_all(devices_of(path), CATALOGUE):
        assert result.device_type is not None
        names = {(each.reason, each.name) for each in result.mismatches}
        old = {name for reason, name in names if reason == "version"}
        assert old <= OLD_NAMES.get(path.stem, set())
        assert {name for reason, name in names if reason == "value"} <= OLD_VALUES.get(
            path.stem, set()
        )
        assert not {pair for pair in names if pair[0] in ("unknown", "type")}


@pytest.mark.parametrize("path", SLICES, ids=lambda path: path.stem)
def test_what_the_schema_calls_always_there_is_there(path: Path) -> None:
    devices = devices_of(path)
    schema = CATALOGUE.get(driver_of(path))
    assert schema is not None
    if not devices or path.stem in TRIMMED:
        return
    version = fitting_versions(devices, schema)[0]
    catalogue = Catalogue(versions={schema.name: (version,)})
    for result in conform_all(devices, catalogue):
        missing = {each.name for each in result.mismatches if each.reason == "missing"}
        # nobody said from which day on sriov had these two
        assert missing <= {"k8s.cni.cncf.io/deviceID", "gpu.amd.com/numaNode"}


@pytest.mark.parametrize(
    ("name", "versions"),
    [
        ("gpu.nvidia.com-cohdi-l40s-node-attached", ("v25.3",)),
        ("gpu.nvidia.com-eks-p4d-a100-full-gpu", ("v25.12", "v0.4", "v0.5")),
        ("gpu.amd.com-mi300x-spx-2025-10", ("v0.1",)),
        ("gpu.amd.com-mi300x-spx-2026", ("v1.0", "v1.0.1", "develop")),
        ("gpu.intel.com-rpl-s-arc-b60", ("v0.10",)),
        ("tpu.google.com-kind-v4-fake", ("v0.1",)),
        ("tpu.google.com-gce-v6e-fragment", ("v0.2",)),
    ],
)
def test_the_version_behind_a_recording_is_recognised(name: str, versions: tuple[str, ...]) -> None:
    path = next(each for each in SLICES if each.stem == name)
    schema = CATALOGUE.get(driver_of(path))
    assert schema is not None
    assert fitting_versions(devices_of(path), schema) == versions


def test_fragments_lists_and_old_api_versions_are_read() -> None:
    counts = {path.stem: len(devices_of(path)) for path in SLICES}
    assert counts["gpu.nvidia.com-docs-device-entries-fragment"] == 3
    assert counts["tpu.google.com-kind-v4-fake"] == 2  # v1beta1 with `basic`
    assert counts["dra.net-eks-p4d-efa"] == 7  # a List
    assert counts["gpu.nvidia.com-taint-fragment"] == 0
    assert sum(counts.values()) > 80


# Inferring ------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", SLICES, ids=lambda path: path.stem)
def test_an_inferred_schema_is_valid_and_explains_its_recording(path: Path) -> None:
    devices = devices_of(path)
    if not devices:
        return
    plain = load_yaml(to_yaml(infer_plain(driver_of(path), devices)), path.name)
    validate_plain(plain, path.name)
    catalogue = Catalogue([build_schema(plain)], shipped=False)
    for result in conform_all(devices, catalogue):
        assert result.mismatches == ()


def test_what_is_inferred() -> None:
    path = next(
        each for each in SLICES if each.stem == "gpu.nvidia.com-docs-device-entries-fragment"
    )
    schema = infer("gpu.nvidia.com", devices_of(path))
    assert [kind.name for kind in schema.device_types] == ["gpu", "mig", "vfio"]
    path = next(each for each in SLICES if each.stem == "dra.net-eks-p4d-efa")
    (kind,) = infer("dra.net", devices_of(path)).device_types
    name = kind.attribute("dra.net", "ifName")
    assert name is not None
    assert (name.type, name.presence, name.note) == (
        AttributeType.STRING,
        Presence.SOMETIMES,
        "on 3 of 7",
    )
    rdma = kind.attribute("dra.net", "rdma")
    assert rdma is not None
    assert (rdma.type, rdma.presence) == (AttributeType.BOOL, Presence.ALWAYS)


def test_enumerations_are_examples() -> None:
    path = next(each for each in SLICES if each.stem == "gpu.nvidia.com-eks-p4d-a100-full-gpu")
    (kind,) = infer_plain("gpu.nvidia.com", devices_of(path))["deviceTypes"].values()
    assert kind["attributes"]["architecture"]["examples"] == ["Ampere"]
    assert kind["attributes"]["uuid"]["unique"] == "node"


def _made(name: str, **attributes: Any) -> dict[str, Any]:
    return {"name": name, "attributes": attributes}


def test_merging_a_recording_keeps_what_people_wrote() -> None:
    base: dict[str, Any] = {
        "driver": "x.example",
        "deviceTypes": {
            "card": {
                "attributes": {
                    "model": {"type": "string", "examples": ["A"], "meaning": "by hand"},
                    "cores": {"type": "int"},
                }
            }
        },
    }
    spec = {
        "driver": "x.example",
        "devices": [
            _made("a", model={"string": "B"}, cores={"int": 4}, new={"bool": True}),
            _made("b", model={"string": "A"}, cores={"string": "4"}),
            _made("c", model={"string": "A"}),
        ],
    }
    seen = infer_plain("x.example", list(recorded_devices({"spec": spec})))
    attributes = merged_plain(base, seen)["deviceTypes"]["card"]["attributes"]
    assert attributes["model"]["meaning"] == "by hand"
    assert attributes["model"]["examples"] == ["A", "B"]
    assert attributes["cores"]["presence"] == "sometimes"
    assert attributes["cores"]["altType"] == "string"
    assert attributes["new"]["type"] == "bool"


def test_merging_two_recordings_is_like_reading_them_together() -> None:
    """Counts, presence, ranges and sources are those of all devices."""
    first = [_made("a", model={"string": "A"}, cores={"int": 4}, old={"bool": True})]
    second = [_made("b", model={"string": "B"}, cores={"int": 8}), _made("c", new={"int": 1})]

    def seen(*devices: dict[str, Any]) -> dict[str, Any]:
        spec = {"driver": "x.example", "devices": list(devices)}
        return infer_plain("x.example", list(recorded_devices({"spec": spec})))

    merged = merged_plain(seen(*first), seen(*second))
    together = seen(*first, *second)
    assert merged == together
    assert merged["deviceTypes"]["device"]["attributes"]["old"] == {
        "type": "bool",
        "presence": "sometimes",
        "note": "on 1 of 3",
    }
    described = seen(*first)
    described["deviceTypes"]["device"]["summary"] = "a card of ours"
    merged = merged_plain(described, seen(*second))["deviceTypes"]["device"]
    assert merged == {**together["deviceTypes"]["device"], "summary": "a card of ours"}


def test_a_name_that_no_recorded_device_has_is_not_always_there() -> None:
    known = {
        "gone": {"type": "int"},
        "later": {"type": "int", "since": "v2"},
        "link<N>": {"type": "int"},
    }
    base = {"driver": "x.example", "deviceTypes": {"card": {"attributes": known}}}
    spec = {"driver": "x.example", "devices": [_made("a", model={"string": "B"})]}
    seen = infer_plain("x.example", list(recorded_devices({"spec": spec})))
    attributes = merged_plain(base, seen)["deviceTypes"]["card"]["attributes"]
    assert attributes["gone"] == {"type": "int", "presence": "sometimes"}
    assert attributes["later"] == known["later"]
    assert attributes["link<N>"] == known["link<N>"]


def test_merging_widens_closed_amounts_and_ranges() -> None:
    capacities = {"cores": {"values": ["100"]}, "memory": {"range": {"min": "8Gi"}}}
    base = {"driver": "x.example", "deviceTypes": {"card": {"capacities": capacities}}}
    seen = {
        "deviceTypes": {
            "card": {
                "capacities": {
                    "cores": {"range": {"min": "100", "max": "0.2k"}},
                    "memory": {"range": {"min": "4Gi", "max": "80Gi"}},
                }
            }
        }
    }
    merged = merged_plain(base, seen)["deviceTypes"]["card"]["capacities"]
    assert merged["cores"]["values"] == ["100", "0.2k"]
    assert merged["memory"]["range"] == {"min": "4Gi"}


def test_merging_into_a_shipped_file_gives_a_valid_file() -> None:
    from dradsl.data import data_path

    for path in SLICES:
        devices = devices_of(path)
        base = read_plain(data_path("schemas", "drivers", f"{driver_of(path)}.yaml"))
        if devices:
            merged = merged_plain(base, infer_plain(driver_of(path), devices))
            again = load_yaml(to_yaml(merged), path.name)
            validate_plain(again, path.name)


# An inventory as schema -----------------------------------------------------------------------

NET = SelectorContext(before=("device.driver == 'dra.net'",), class_known=True)


def inventory(*names: str) -> Catalogue:
    devices = [d for path in SLICES if path.stem in names for d in devices_of(path)]
    return sharpened(CATALOGUE, devices)


@pytest.mark.parametrize(
    ("names", "text", "codes"),
    [
        # every NIC of this cluster has a NUMA node: no guard needed
        (("dra.net-aks-mi300x-infiniband",), 'device.attributes["dra.net"].numaNode == 0', []),
        ((), 'device.attributes["dra.net"].numaNode == 0', ["DRA207"]),
        # RDMA-only devices without an interface
        (("dra.net-eks-p4d-efa",), 'device.attributes["dra.net"].ifName == "eth1"', ["DRA207"]),
        # a name that only an older driver publishes, and this cluster has it
        (
            ("dra.net-gke-quickstart-basic-form",),
            'device.attributes["dra.net"].cloudNetwork == "dranet-net"',
            [],
        ),
    ],
)
def test_an_inventory_sharpens_the_schema(
    names: tuple[str, ...], text: str, codes: list[str]
) -> None:
    assert [code_of(f) for f in check_selector(text, inventory(*names), NET)] == codes


def test_a_name_that_recorded_devices_lack_must_be_guarded() -> None:
    catalogue = inventory(
        "gpu.nvidia.com-eks-p4d-a100-full-gpu", "gpu.nvidia.com-cohdi-l40s-fabric-pool"
    )
    known = catalogue.device_class("gpu.nvidia.com")
    assert known is not None
    context = SelectorContext(before=known[1].selectors, class_known=True)
    text = 'device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("20Gi")) >= 0'
    (finding,) = check_selector(text, catalogue, context)
    assert code_of(finding) == "DRA207"
    assert "2 of 10 recorded devices lack it" in words_of(finding).message


def test_an_unknown_driver_is_known_by_its_slices() -> None:
    spec = {"driver": "npu.example.org", "devices": [_made("a", cores={"int": 4})]}
    catalogue = sharpened(CATALOGUE, recorded_devices({"spec": spec}))
    context = SelectorContext(is_class=True)
    text = 'device.driver == "npu.example.org" && device.attributes["npu.example.org"].{} > 3'
    assert check_selector(text.format("cores"), catalogue, context) == []
    (finding,) = check_selector(text.format("core"), catalogue, context)
    assert (code_of(finding), finding.fix and finding.fix.text) == ("DRA201", "cores")


@pytest.mark.parametrize(
    "objects",
    [None, 3, [], {}, {"spec": None}, {"spec": {"driver": 3, "devices": [1, {"attributes": 4}]}},
     {"items": [{"spec": {"driver": "a", "devices": [{"capacity": {"x": None}, "basic": []}]}}]}],
)  # fmt: skip
def test_any_objects_are_survived(objects: object) -> None:
    assert all(not device.attributes for device in recorded_devices(objects))
