"""DRA012: a manifest holds a status, which the API server empties when the object is created."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.view.rule_finding import RuleFinding, once_a_file
from dradsl.lint.view.view import Run
from dradsl.tree.manifests.manifest import Manifest

CODE = "DRA012"

_WITH_STATUS = ("ResourceClaim", "DeviceTaintRule", "ResourcePoolStatusRequest")
WORDS = ("status", _WITH_STATUS)


def check(run: Run) -> Iterator[RuleFinding]:
    found: dict[str, list[Manifest]] = {}
    for kind in _WITH_STATUS:
        for manifest, _ in run.objects(kind):
            # Of an object that was read from a cluster the status is a record.
            if manifest.data.get("status") and not manifest.is_recorded:
                found.setdefault(manifest.path, []).append(manifest)
    for manifests in found.values():
        first, *others = (
            RuleFinding(
                CODE,
                each,
                ("status",),
                "the API server empties the status of an object that is created",
                help="remove status: the scheduler and the driver write it",
                on_key=True,
            )
            for each in manifests
        )
        yield once_a_file(first, others)
