"""`kubectl dra`: the commands that look at a cluster, as a plugin of kubectl. They ask the cluster by themselves."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

__all__ = ["COMMANDS", "start"]

COMMANDS = ("why", "devices", "simulate", "lint")


def start() -> NoReturn:
    """What runs as `kubectl-dra`, which kubectl finds on the path."""
    from dradsl.cli import start_as

    start_as("kubectl dra", COMMANDS)


if __name__ == "__main__":
    start()
