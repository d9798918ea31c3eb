"""DRA012: a manifest holds a status, which the API server empties when the object is created."""

from __future__ import annotations

from dradsl.lint.view.found import Found

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.lint.input.manifests import Manifest
    from dradsl.lint.view.view import Run

CODE = "DRA012"

_WITH_STATUS = ("ResourceClaim", "DeviceTaintRule", "ResourcePoolStatusRequest")


def check(run: Run) -> Iterator[Found]:
    found: dict[str, list[Manifest]] = {}
    for kind in _WITH_STATUS:
        for manifest, _ in run.objects(kind):
            metadata = manifest.data.get("metadata")
            # What carries a uid was read from a cluster: there the status is a record.
            recorded = isinstance(metadata, dict) and bool(metadata.get("uid"))
            if manifest.data.get("status") and not recorded:
                found.setdefault(manifest.path, []).append(manifest)
    for first, *others in found.values():
        more = f" ({len(others)} more in this file)" if others else ""
        yield Found(
            CODE,
            first,
            ("status",),
            f"the API server empties the status of an object that is created{more}",
            help="remove status: the scheduler and the driver write it",
            on_key=True,
        )
