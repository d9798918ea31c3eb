"""What the library promises to teams: clean to lint, placed on our nodes, the same manifests as last time."""

import pytest
import teams
from acme_dra import classes
from acme_dra.claims import training

from dradsl import App, Fleet
from dradsl.devices.nvidia import gpu, mig
from dradsl.testing import assert_fits, assert_lint_clean, assert_pending

H100_NODE = Fleet.of(
    gpu,
    count=8,
    attributes={gpu.architecture: "Hopper", gpu.pcieRoot: "pci0000:10"},
    capacity={gpu.memory: "80Gi"},
)
OLD_NODE = Fleet.of(
    gpu,
    count=8,
    nodes=["old"],
    attributes={gpu.architecture: "Ampere"},
    capacity={gpu.memory: "40Gi"},
)
NOTEBOOKS = Fleet.of(mig, count=7, nodes=["mig"], attributes={mig.profile: "1g.10gb"})


@pytest.mark.parametrize("environment", ["dev", "prod"])
@pytest.mark.parametrize(("team", "gpus"), [("vision", 1), ("speech", 8)])
def test_a_team(team, gpus, environment, dradsl_snapshot):
    app = teams.make(team, gpus, environment)
    assert_lint_clean(app, classes.app, severity="info")
    assert_fits([app, classes.app], H100_NODE + OLD_NODE + NOTEBOOKS)
    dradsl_snapshot(app)


def test_old_nodes_are_not_for_training():
    assert_pending([teams.make("vision"), classes.app], OLD_NODE + NOTEBOOKS)


def test_more_than_a_node_has():
    with pytest.raises(ValueError, match="a node has 8 GPUs, not 9"):
        training("vision", 9)


def test_a_condition_of_a_team():
    app = App(for_release="1.36", uses=[classes.app])
    app.add(training("vision", 1, extra=gpu.memory >= "140Gi"))
    assert_lint_clean(app)
    assert_pending([app, classes.app], H100_NODE)


def test_a_condition_that_contradicts_the_class():
    app = App(for_release="1.36", uses=[classes.app])
    app.add(training("vision", 1, extra=gpu.architecture == "Volta"))
    assert "DRA213" in app.lint().codes
