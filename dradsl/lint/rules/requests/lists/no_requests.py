"""DRA330: a claim without requests: it is allocated nothing."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run

CODE = "DRA330"
WORDS = (("ResourceClaim", "ResourceClaimTemplate"),)


def check(run: Run) -> Iterator[RuleFinding]:
    for claim in run.claims():
        manifest = claim.manifest
        if manifest.is_patch or manifest.build_context.completed or not claim.admission.accepted:
            continue
        if claim.devices.get("requests"):
            continue
        path = claim.written((*claim.path, "devices", "requests"))
        while path and run.written_value(manifest, path) is None:
            path = path[:-1]
        yield RuleFinding(
            CODE,
            manifest,
            path,
            f"the {manifest.kind} asks for no device: its pods start without any",
            help="add a request, or leave the claim out",
            on_key=True,
        )
