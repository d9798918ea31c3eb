"""What teams ask for, in one line each."""

from acme_dra.classes import NOTEBOOK, TRAINING
from dradsl import Expression, Request, ResourceClaimTemplate, same
from dradsl.devices.nvidia import gpu


def training(
    team: str, gpus: int, *, extra: Expression | None = None, one_root: bool = False
) -> ResourceClaimTemplate:
    """GPUs for a training job of a team.

    Args:
        team: the team, whose namespace has its name.
        gpus: how many, at most the eight of a node.
        extra: a condition beyond the class.
        one_root: all of them behind one PCIe root.
    """
    if not 1 <= gpus <= 8:
        raise ValueError(f"{team}: a node has 8 GPUs, not {gpus}")
    wanted = Request("gpus", TRAINING, count=gpus, select=extra)
    return ResourceClaimTemplate(
        f"{team}-training",
        namespace=team,
        requests=[wanted],
        constraints=[same(gpu.pcieRoot, wanted)] if one_root and gpus > 1 else [],
    )


def notebook(team: str) -> ResourceClaimTemplate:
    """A small slice for each notebook of a team.

    Args:
        team: the team, whose namespace has its name.
    """
    return ResourceClaimTemplate(
        f"{team}-notebook", namespace=team, requests=[Request("slice", NOTEBOOK)]
    )
