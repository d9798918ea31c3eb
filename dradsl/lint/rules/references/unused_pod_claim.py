"""DRA415: a pod lists a claim that no container uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.lint.found import Found

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.lint.run import Run

CODE = "DRA415"


def check(run: Run) -> Iterator[Found]:
    for pod in run.pods():
        used = {entry.get("name") for _, entry in pod.container_claims()}
        for index, entry in pod.claims():
            name = entry.get("name")
            if not isinstance(name, str) or not name or name in used:
                continue
            yield Found(
                CODE,
                pod.manifest,
                (*pod.at.path, "resourceClaims", index, "name"),
                f'no container uses the claim "{name}": its devices are allocated, but visible '
                "to none",
                help=f'add "- name: {name}" to resources.claims of the container that needs it',
            )
