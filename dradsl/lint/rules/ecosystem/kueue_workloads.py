"""DRA920, DRA921 and DRA925: claims of a workload that Kueue does not admit or does not count."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dradsl.diagnostics import FieldPath, Severity
from dradsl.lint.rules.coexistence.devices import common_classes
from dradsl.lint.rules.ecosystem.kueue import (
    CONSTRUCTS,
    NEWEST,
    Construct,
    Shown,
    configurations,
    is_configured,
    mappings,
    queue_of,
    shown_by,
)
from dradsl.lint.rules.ecosystem.versions import shown
from dradsl.lint.rules.references.lookup import claims_of_entry
from dradsl.lint.view.rule_finding import RelatedField, RuleFinding
from dradsl.lint.view.view import ClaimView, PodView, Run
from dradsl.tree.manifests.manifest import Manifest
from dradsl.values.plain import member

CODE_NAMED = "DRA920"
CODE_CONSTRUCT = "DRA921"
CODE_UNCOVERED = "DRA925"
WORDS = ("resourceClaims", "kueue.x-k8s.io/queue-name")


def check(run: Run) -> Iterator[RuleFinding]:
    for pod in run.pods():
        queue = queue_of(pod) if pod.claims() else None
        if queue is None or pod.manifest.is_recorded:
            continue
        kueue = shown_by(run)
        for index, entry in pod.claims():
            path = (*pod.at.path, "resourceClaims", index)
            if entry.get("resourceClaimName"):
                yield from _named(pod, path, kueue)
                continue
            claims = claims_of_entry(run, pod, entry)
            if claims:
                yield from _constructs(pod, path, claims, kueue)
                yield from _uncovered(run, pod, path, queue, claims)


def _named(pod: PodView, path: FieldPath, kueue: Shown) -> Iterator[RuleFinding]:
    if kueue.is_on is False:
        return  # DRA907 says what becomes of all claims then
    yield RuleFinding(
        CODE_NAMED,
        pod.manifest,
        (*path, "resourceClaimName"),
        "Kueue admits no workload that names a ResourceClaim"
        + ("" if kueue.is_on else " (where its gate for DRA is off, before 0.18: it counts none)"),
        help="name a ResourceClaimTemplate, or take the label kueue.x-k8s.io/queue-name off the workload",
        severity=Severity.ERROR if _is_sure(kueue) else None,
        upstream="KueueDRAIntegration feature does not support use of resource claims",
    )


def _is_sure(kueue: Shown) -> bool:
    """Whether the release is one that was read, and looks at claims."""
    return kueue.is_on is True and kueue.end is not None and kueue.first <= NEWEST


def _constructs(
    pod: PodView, path: FieldPath, claims: Sequence[ClaimView], kueue: Shown
) -> Iterator[RuleFinding]:
    if kueue.is_on is False:
        return
    used = [dict(_used(claim)) for claim in claims]
    for key, place in used[0].items():
        construct = CONSTRUCTS[key]
        if any(key not in each for each in used):
            continue
        said = _said(construct, kueue)
        if said is None:
            continue
        message, severity = said
        claim = claims[0]
        yield RuleFinding(
            CODE_CONSTRUCT,
            pod.manifest,
            (*path, "resourceClaimTemplateName"),
            message,
            help="ask for an exact count of one class in the template"
            if construct.until is None
            else f"Kueue takes it from {shown(construct.until)} on",
            severity=severity,
            related=(
                RelatedField(construct.what, claim.manifest, claim.written(place), on_key=True),
            ),
        )


def _used(claim: ClaimView) -> Iterator[tuple[str, FieldPath]]:
    """What a claim uses of the constructs that some release of Kueue rejects, with its v1 path."""
    for field in ("constraints", "config"):
        if claim.devices.get(field):
            yield field, (*claim.path, "devices", field)
    for _, path, request in claim.requests():
        if request.get("firstAvailable"):
            yield "first", (*path, "firstAvailable")
    for each in claim.bodies():
        if each.parent is None:
            if each.body.get("selectors"):
                yield "selectors", (*each.path, "selectors")
            if each.body.get("adminAccess") is True:
                yield "admin", (*each.path, "adminAccess")
            if each.body.get("allocationMode") == "All":
                yield "all", (*each.path, "allocationMode")


def _said(construct: Construct, kueue: Shown) -> tuple[str, Severity | None] | None:
    """What the releases that may be meant do with a construct, and how severe that is."""
    what, since, until = construct.what, construct.since, construct.until
    if kueue.end is not None and kueue.end <= since:
        if not construct.uncounted:
            return None
        return f"Kueue before {shown(since)} counts no device of a request with {what}", None
    if until is not None and kueue.first >= until:
        return None
    if until is None:
        older = (
            f" (before {shown(since)}: it counts no device of it)" if construct.uncounted else ""
        )
        message = f"Kueue admits no workload whose template has {what}"
        return message + ("" if kueue.first >= since else older), (
            Severity.ERROR if _is_sure(kueue) and kueue.first >= since else None
        )
    span = f"from {shown(since)} to before {shown(until)}"
    message = f"Kueue {span} admits no workload whose template has {what}"
    if kueue.first >= since and kueue.end is not None and kueue.end <= until:
        return message, Severity.ERROR if _is_sure(kueue) else None
    if kueue.end is not None:
        return message, None  # one of the releases that the gates tell of
    # Selectors are in most templates, and those releases are the older ones.
    return None if what == CONSTRUCTS["selectors"].what else (message, Severity.INFO)


def _uncovered(
    run: Run, pod: PodView, path: FieldPath, queue: str, claims: Sequence[ClaimView]
) -> Iterator[RuleFinding]:
    if not configurations(run):
        return
    mapped = mappings(run)
    cluster_queue = _cluster_queue(run, pod, queue)
    covered = None if cluster_queue is None else _covered(cluster_queue.data)
    if cluster_queue is None or covered is None or _ignores_undeclared(run):
        return
    if not is_configured(run, cluster_queue):
        return
    for name in common_classes(claims):
        resources = mapped.get(name, ())
        if resources and covered.isdisjoint(resources):
            yield RuleFinding(
                CODE_UNCOVERED,
                pod.manifest,
                (*path, "name"),
                f"{cluster_queue.title} covers no {resources[0]}, to which Kueue maps class {name}: the "
                "workload is never admitted",
                help=f"add {resources[0]} to coveredResources, with a quota in each flavor",
                upstream=f"resource {resources[0]} unavailable in ClusterQueue",
                related=(
                    RelatedField(
                        "the queue", cluster_queue, ("spec", "resourceGroups"), on_key=True
                    ),
                ),
            )


def _cluster_queue(run: Run, pod: PodView, queue: str) -> Manifest | None:
    """The one ClusterQueue behind a LocalQueue; None if that cannot be said."""
    local = run.index.meant("LocalQueue", queue, pod.manifest)
    written = [member(each.data, "spec", "clusterQueue") for each in local]
    names = {each for each in written if isinstance(each, str)}
    name = next(iter(names)) if len(names) == 1 else None
    if name is None or not all(each == name for each in written):
        return None
    found = run.index.named("ClusterQueue", name)
    return found[0] if len(found) == 1 and not found[0].build_context.holes else None


def _covered(data: Mapping[str, object]) -> frozenset[str] | None:
    groups = member(data, "spec", "resourceGroups")
    if not isinstance(groups, list) or not groups:
        return None  # a queue without quotas, for tests of Kueue's own: DRA says nothing of it
    lists = [member(group, "coveredResources") for group in groups]
    return frozenset(str(each) for one in lists if isinstance(one, list) for each in one)


def _ignores_undeclared(run: Run) -> bool:
    """Whether the configuration lets resources in that a queue does not cover (from 0.18 on)."""
    return any(
        member(each, "resources", "quotaCheckStrategy") == "IgnoreUndeclared"
        for each in configurations(run)
    )
