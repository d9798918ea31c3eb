"""DRA012, DRA503: what the API server silently drops: a status, and fields whose feature gate is off in the release."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.diagnostics import FieldPath, Severity
from dradsl.kube.server.api_server import Admission
from dradsl.lint.view.rule_finding import RuleFinding, once_a_file
from dradsl.lint.view.view import Run
from dradsl.tree.manifests.manifest import RESOURCE_GROUP, SCHEDULING_GROUP, Manifest

_STATUS = "DRA012"
_FIELD = "DRA503"
_WITH_STATUS = ("ResourceClaim", "DeviceTaintRule", "ResourcePoolStatusRequest")
WORDS = ((RESOURCE_GROUP, SCHEDULING_GROUP),)


def check(run: Run) -> Iterator[RuleFinding]:
    yield from _statuses(run)
    told: set[tuple[str, tuple[str, ...]]] = set()
    for manifest in run.manifests:
        is_shown = manifest.kind == "ResourceSlice" and (
            manifest.is_recorded or manifest.source.is_markdown
        )
        for path, gates, rejection in _dropped(run, manifest):
            if is_shown and (shown := (manifest.path, gates)) in told:
                continue
            if is_shown:
                told.add(shown)
            names = " and ".join(gates)
            off = f"{names} {'is' if len(gates) == 1 else 'are'} off"
            yield RuleFinding(
                _FIELD,
                manifest,
                path,
                f"the API server drops this field without a word: {off}"
                if rejection is None
                else f"the API server drops this field, and rejects what is left: {off}",
                help=f"turn it on in the cluster and pass --feature-gates {gates[0]}=true, "
                "or do without the field",
                on_key=True,
                upstream=rejection,
                severity=Severity.INFO if is_shown else _severity(manifest, rejection),
            )


def _statuses(run: Run) -> Iterator[RuleFinding]:
    """A manifest holds a status, which the API server empties when the object is created."""
    found: dict[str, list[Manifest]] = {}
    for kind in _WITH_STATUS:
        for manifest, _ in run.objects(kind):
            # Of an object that was read from a cluster the status is a record.
            if manifest.data.get("status") and not manifest.is_recorded:
                found.setdefault(manifest.path, []).append(manifest)
    for manifests in found.values():
        first, *others = (
            RuleFinding(
                _STATUS,
                each,
                ("status",),
                "the API server empties the status of an object that is created",
                help="remove status: the scheduler and the driver write it",
                on_key=True,
            )
            for each in manifests
        )
        yield once_a_file(first, others)


def _severity(manifest: Manifest, rejection: str | None) -> Severity | None:
    # Drivers write slices for several releases, and look at what was kept.
    is_slice = manifest.kind == "ResourceSlice"
    return Severity.WARNING if is_slice and rejection is None else None


def _dropped(
    run: Run, manifest: Manifest
) -> Iterator[tuple[FieldPath, tuple[str, ...], str | None]]:
    """The fields that the server drops from an object, with the gates that would keep each, and what it says
    if the field that held it is rejected then."""
    if manifest.group == SCHEDULING_GROUP:
        admission: Admission | None = run.server.group(manifest.data)
    else:
        admission = run.admission(manifest)
    if admission is None:
        return
    rejected = {each.written: str(each.error) for each in admission.problems}
    for dropped in admission.dropped:
        yield dropped.path, dropped.gates, rejected.get(dropped.path[:-1])
