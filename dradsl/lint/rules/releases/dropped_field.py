"""DRA503: the API server silently drops a field whose feature gate is off in the release."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.diagnostics import FieldPath, Severity
from dradsl.kube.server.api_server import Admission
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run
from dradsl.tree.manifests.manifest import RESOURCE_GROUP, SCHEDULING_GROUP, Manifest

CODE = "DRA503"
WORDS = ((RESOURCE_GROUP, SCHEDULING_GROUP),)


def check(run: Run) -> Iterator[RuleFinding]:
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
                CODE,
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
