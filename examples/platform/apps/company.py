"""All teams on all clusters: `dradsl build apps/company.py --params 'stages/*.yaml' -o manifests`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # an installed library needs no such line

from acme_dra.settings import Cluster, Stage, Team
from dradsl import (
    App,
    DeviceClass,
    KubernetesObject,
    PodClaim,
    Request,
    ResourceClaimTemplate,
    same,
)
from dradsl.devices.nvidia import gpu


def make(stage: Stage, clusters: list[Cluster], teams: list[Team]) -> dict[str, App]:
    """The apps of a stage: for each cluster its class, and what each team runs there.

    Args:
        stage: the stage.
        clusters: its clusters.
        teams: the teams that are on all of them.
    """
    apps: dict[str, App] = {}
    for cluster in clusters:
        base = App(for_release=cluster.release)
        select = gpu & (gpu.productName == cluster.product)
        kind = base.add(DeviceClass("training", select=select))
        apps[f"{cluster.name}-platform"] = base
        for team in teams:
            app = App(for_release=cluster.release, uses=base)
            add_training(app, kind, team, f"{team.name}-{stage.value}")
            apps[f"{cluster.name}-{team.name}"] = app
    return apps


def add_training(app: App, kind: DeviceClass, team: Team, namespace: str) -> None:
    """Add the training of a team: a claim template, and the Job that uses it."""
    gpus = Request("gpus", kind, count=team.gpus, select=gpu.memory >= team.memory)
    template = app.add(
        ResourceClaimTemplate(
            "training",
            namespace=namespace,
            requests=[gpus],
            constraints=[same(gpu.pcieRoot, gpus)] if team.gpus > 1 else [],
        )
    )
    spec = {
        "restartPolicy": "Never",
        "containers": [{"name": "train", "image": f"registry.example.com/{team.name}:1"}],
    }
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "training", "namespace": namespace},
        "spec": {"template": {"spec": PodClaim("gpus", template).attach(spec)}},
    }
    app.add(KubernetesObject(job))
