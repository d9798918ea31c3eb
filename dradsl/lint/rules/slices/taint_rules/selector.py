"""DeviceTaintRules and what they select."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dradsl.lint.view.view import Run
from dradsl.tree.manifests.manifest import Manifest

__all__ = ["rules_of", "selector_of"]


def rules_of(run: Run) -> Iterator[tuple[Manifest, Mapping[str, object]]]:
    """The rules that the server takes, with their spec; none where the release does not honour them."""
    gates = {"DRADeviceTaints", "DRADeviceTaintRules"} & set(run.release.gates)
    if not all(gate in run.features for gate in gates):
        return
    for manifest, admission in run.objects("DeviceTaintRule"):
        spec = (admission.object or {}).get("spec")
        if isinstance(spec, dict) and not manifest.is_patch and admission.accepted:
            yield manifest, spec


def selector_of(spec: Mapping[str, object]) -> Mapping[str, object] | None:
    """What the rule selects by, without what is null; None if nothing is written."""
    found = spec.get("deviceSelector")
    if not isinstance(found, dict):
        return None
    return {key: value for key, value in found.items() if value is not None}
