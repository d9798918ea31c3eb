"""DRA412: a request names a DeviceClass that neither the run nor a known driver defines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.lint.found import Found

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.lint.run import ClaimView, RequestView, Run

CODE = "DRA412"


def check(run: Run) -> Iterator[Found]:
    for claim in run.claims():
        for request in claim.bodies():
            if request.parent is None:
                yield from missing_class(run, claim, request, CODE)


def missing_class(run: Run, claim: ClaimView, request: RequestView, code: str) -> Iterator[Found]:
    """The finding for one request whose class is nowhere to be found (shared with DRA413)."""
    name = request.body.get("deviceClassName")
    if not isinstance(name, str) or not name:
        return
    if run.index.find("DeviceClass", None, name) is not None or name in run.installed_classes():
        return
    yield Found(
        code,
        claim.manifest,
        claim.written((*request.path, "deviceClassName")),
        f'no DeviceClass "{name}" among the manifests or the classes that known drivers install',
        help=_suggestion(run, name),
        upstream=f"request {request.reference}: device class {name} does not exist",
    )


def _suggestion(run: Run, name: str) -> str:
    from difflib import get_close_matches

    known = sorted({*run.index.names("DeviceClass"), *run.installed_classes()})
    near = get_close_matches(name, known, n=1)
    if near:
        return f'did you mean "{near[0]}"?'
    return "add the DeviceClass to the manifests, or show where it lives with --context PATH"
