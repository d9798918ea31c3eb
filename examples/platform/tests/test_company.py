"""All teams fit on the nodes of each cluster, in each stage."""

from pathlib import Path

import pytest
import yaml
from acme_dra.settings import Cluster, Team

from dradsl import Fleet
from dradsl.devices.nvidia import gpu
from dradsl.testing import assert_fits, assert_lint_clean, assert_pending, load_apps

TOP = Path(__file__).parents[1]
STAGES = ["dev", "test", "staging", "prod"]


def nodes(product: str) -> Fleet:
    """Two nodes with eight GPUs behind one PCIe root."""
    return Fleet.of(
        gpu,
        count=8,
        nodes=2,
        attributes={gpu.productName: product, gpu.pcieRoot: "pci0000:10"},
        capacity={gpu.memory: "80Gi"},
    )


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage(stage):
    data = yaml.safe_load((TOP / "stages" / f"{stage}.yaml").read_text())
    apps = load_apps(f"{TOP}/apps/company.py", data)
    assert len(apps) == len(data["clusters"]) * (1 + len(data["teams"]))
    for cluster in data["clusters"]:
        own = [app for name, app in apps.items() if name.startswith(f"{cluster['name']}-")]
        assert_lint_clean(*own)
        assert_fits(own, nodes(cluster["product"]), pods_for_claims=False)


def test_a_team_that_no_node_has_room_for():
    cluster = Cluster(name="east", product="NVIDIA H100 80GB HBM3")
    teams = [Team(name="search", memory="90Gi")]
    apps = load_apps(
        f"{TOP}/apps/company.py", {"stage": "dev", "clusters": [cluster], "teams": teams}
    )
    assert_pending(list(apps.values()), nodes(cluster.product), because="devices seen")
