"""Shares that consume nothing: what is held is told by the shares, not by their amounts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import yaml
from click.testing import CliRunner

from dradsl.cli.lint import command as lint
from dradsl.cli.simulate import command as simulate
from dradsl.releases import RELEASES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

Json = dict[str, Any]
DEVICES = "resource.k8s.io/v1"


def files(requests: Sequence[str], bandwidth: Json, counters: int | None) -> list[Json]:
    """A shared NIC, which uses one of so many counters, and a claim with a request per class."""
    nic: Json = {"name": "nic0", "allowMultipleAllocations": True}
    nic["capacity"] = {"bandwidth": bandwidth}
    slices: list[Json] = [{"devices": [nic]}]
    if counters is not None:
        nic["consumesCounters"] = [{"counterSet": "port", "counters": {"slots": {"value": "1"}}}]
        sets = [{"name": "port", "counters": {"slots": {"value": str(counters)}}}]
        slices.append({"sharedCounters": sets})
    pool = {"name": "n1", "generation": 1, "resourceSliceCount": len(slices)}
    base = {"driver": "nic.example.com", "nodeName": "n1", "pool": pool}
    found = [
        {
            "apiVersion": DEVICES,
            "kind": "ResourceSlice",
            "metadata": {"name": f"s{number}"},
            "spec": base | spec,
        }
        for number, spec in enumerate(slices)
    ]
    for name in ("nic", "gpu"):
        cel = {"expression": f"device.driver == '{name}.example.com'"}
        spec = {"selectors": [{"cel": cel}]}
        found.append(
            {"apiVersion": DEVICES, "kind": "DeviceClass", "metadata": {"name": name}, "spec": spec}
        )
    asked = [
        {"name": f"r{number}", "exactly": {"deviceClassName": name}}
        for number, name in enumerate(requests)
    ]
    claim = {"name": "c", "namespace": "default"}
    pod = {
        "resourceClaims": [{"name": "x", "resourceClaimName": "c"}],
        "containers": [{"name": "c", "image": "i", "resources": {"claims": [{"name": "x"}]}}],
    }
    return [
        *found,
        {
            "apiVersion": DEVICES,
            "kind": "ResourceClaim",
            "metadata": claim,
            "spec": {"devices": {"requests": asked}},
        },
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "p", "namespace": "default"},
            "spec": pod,
        },
    ]


NOTHING = [
    {"value": "10G", "requestPolicy": {"default": "0", "validRange": {"min": "0"}}},
    {"value": "10G", "requestPolicy": {"default": "0"}},
    {"value": "0"},
]


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("bandwidth", NOTHING)
@pytest.mark.parametrize(("requests", "code"), [("nic nic gpu", 1), ("nic nic nic", 0)])
def test_shares_that_consume_nothing(
    release: str, bandwidth: Json, requests: str, code: int, tmp_path: Path
) -> None:
    path = tmp_path / "all.yaml"
    path.write_text(yaml.safe_dump_all(files(requests.split(), bandwidth, None)), "utf-8")
    gate = "DRAConsumableCapacity=true"
    call = [str(path), "--slices", str(path), "--kube-version", release]
    done = CliRunner().invoke(simulate, [*call, "--feature-gates", gate], catch_exceptions=False)
    assert done.exit_code == code, done.stdout
    assert ("cannot allocate all claims" in done.stdout) is bool(code)
    found = CliRunner().invoke(lint, [*call, "--feature-gates", gate], catch_exceptions=False)
    assert ("DRA703" in found.stdout) is bool(code)


@pytest.mark.parametrize("bandwidth", NOTHING)
@pytest.mark.parametrize("release", ["1.36", "1.37"])
def test_only_the_first_share_charges_counters(
    release: str, bandwidth: Json, tmp_path: Path
) -> None:
    """Also after the search gave a share back: the slot is used by the first one, and only by it."""
    documents = files(["nic", "nic", "nic", "nic"], bandwidth, 1)
    nic = documents[0]["spec"]["devices"][0]
    other = {key: value for key, value in nic.items() if key != "consumesCounters"}
    documents[0]["spec"]["devices"] = [
        nic | {"attributes": {"port": {"int": 0}}},
        other | {"name": "nic1", "attributes": {"port": {"int": 1}}},
    ]
    devices = documents[-2]["spec"]["devices"]
    for number, port in ((0, 0), (2, 1), (3, 0)):
        cel = {"expression": f"device.attributes['nic.example.com'].port == {port}"}
        devices["requests"][number]["exactly"]["selectors"] = [{"cel": cel}]
    # So that the second request first has the wrong device.
    same = {"matchAttribute": "nic.example.com/port", "requests": ["r1", "r2"]}
    devices["constraints"] = [same]
    path = tmp_path / "all.yaml"
    path.write_text(yaml.safe_dump_all(documents), "utf-8")
    call = [str(path), "--slices", str(path), "--kube-version", release]
    done = CliRunner().invoke(simulate, call, catch_exceptions=False)
    assert done.exit_code == 0, done.stdout
