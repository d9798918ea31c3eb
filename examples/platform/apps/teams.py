"""The objects of a team: `dradsl build apps/teams.py --params environments/prod.yaml --set team=vision`."""

import sys
from pathlib import Path
from typing import Literal

sys.path.insert(0, str(Path(__file__).parents[1]))  # an installed library needs no such line

from acme_dra import classes
from acme_dra.claims import notebook, training
from dradsl import App, KubernetesObject, PodClaim


def make(
    team: str, gpus: int = 1, environment: Literal["dev", "prod"] = "dev", notebooks: bool = True
) -> App:
    """The app of a team.

    Args:
        team: the team, whose namespace has its name.
        gpus: GPUs of a training job.
        environment: production gets GPUs that are next to each other.
        notebooks: whether the team has notebooks.
    """
    app = App(for_release="1.36", name=f"{team}-{environment}", uses=[classes.app])
    template = app.add(training(team, gpus, one_root=environment == "prod"))
    spec = {
        "restartPolicy": "Never",
        "containers": [{"name": "train", "image": f"registry.example.com/{team}:1"}],
    }
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "training", "namespace": team},
        "spec": {"template": {"spec": PodClaim("gpus", template).attach(spec)}},
    }
    app.add(KubernetesObject(job))
    if notebooks:
        app.add(notebook(team))
    return app
