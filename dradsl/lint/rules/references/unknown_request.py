"""DRA414: a container asks for a request that its claim does not have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from dradsl.diagnostics import FieldPath, Severity
from dradsl.lint.rules.references.lookup import CHANNEL, claims_of_entry, domains, near_name
from dradsl.lint.view.pods import PodView
from dradsl.lint.view.rule_finding import RelatedField, RuleFinding
from dradsl.lint.view.view import Run

__all__ = ["check", "unknown_request"]

CODE = "DRA414"
WORDS = ("claims", "request")


def check(run: Run) -> Iterator[RuleFinding]:
    for pod in run.pods:
        entries = {str(entry.get("name")): entry for _, entry in pod.claims}
        for path, reference in pod.container_claims:
            request, entry = reference.get("request"), entries.get(str(reference.get("name")))
            if isinstance(request, str) and request and entry is not None:
                yield from unknown_request(run, pod, (*path, "request"), request, entry)


def unknown_request(
    run: Run, pod: PodView, path: FieldPath, request: str, entry: Mapping[str, object]
) -> Iterator[RuleFinding]:
    """The finding for one request of the claim that `entry` of the pod names, if the claim lacks it."""
    from dradsl.kube.limits import MAX_REQUESTS

    claims = claims_of_entry(run, pod, entry, in_parts=True)
    if not claims:
        yield from _of_domain(run, pod, path, request, entry)
    if not claims or any(request in each.request_names() for each in claims):
        return
    claim = claims[0]
    names = list(islice(claim.request_names(), MAX_REQUESTS))
    in_parts = any(each.manifest.is_patch for each in claims)
    if in_parts:
        # Patches that name no object may bring others: only what is near was meant.
        names = list(dict.fromkeys(one for each in claims for one in each.request_names()))
        if not any(near_name(request, names)):
            return
    yield RuleFinding(
        CODE,
        pod.manifest,
        path,
        f'{claim.manifest.title} has no request "{request}"',
        help=run.remember(("near-request", request, *names), lambda: _help(request, names)),
        severity=Severity.WARNING if in_parts else None,
        related=(
            RelatedField(
                "its requests",
                claim.manifest,
                claim.written((*claim.path, "devices", "requests")),
                on_key=True,
            ),
        ),
    )


def _of_domain(
    run: Run, pod: PodView, path: FieldPath, request: str, entry: Mapping[str, object]
) -> Iterator[RuleFinding]:
    """The finding for a request of the template that a ComputeDomain's controller makes."""
    name = entry.get("resourceClaimTemplateName")
    if not isinstance(name, str) or request == CHANNEL:
        return
    if run.index.holds("ResourceClaimTemplate", name, pod.manifest):
        return
    here, _ = domains(run, name, pod.manifest)
    if here:
        yield RuleFinding(
            CODE,
            pod.manifest,
            path,
            f'the template that the controller makes of {here[0].title} has no request "{request}"',
            help=_help(request, [CHANNEL]),
            related=(RelatedField("the template", here[0], ("spec", "channel"), on_key=True),),
        )


def _help(request: str, names: list[str]) -> str:
    near = next(near_name(request, names), None)
    if near is not None:
        return f'did you mean "{near}"?'
    if not names:
        return "it has no requests where they belong, under devices"
    listed = f"its requests: {', '.join(names)}" if len(names) > 1 else f"write {names[0]}"
    return f"{listed} (an alternative cannot be named here)"
