"""DRA909, DRA910: a ResourceQuota allows less than a claim asks for, or the claims and pods of its namespace together.

A lower bound is taken: what is in the manifests and stays. Jobs and pods that end give their claims back, and wait
for each other. How often an autoscaler or a DaemonSet makes a pod is not known here, nor what else is in the
namespace.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dradsl.diagnostics import FieldPath, Severity
from dradsl.kube.quota import CLAIM_COUNT, IMPLICIT, PER_CLASS, Charge, pod_usage
from dradsl.lint.rules.coexistence.quotas import (
    Place,
    QuotaLimit,
    counts_extended,
    is_near,
    limits,
    place,
    usage,
    whole,
)
from dradsl.lint.view.index import is_elsewhere
from dradsl.lint.view.pods import PodView
from dradsl.lint.view.rule_finding import RelatedField, RuleFinding
from dradsl.lint.view.view import ClaimView, Run
from dradsl.records import dataclass
from dradsl.tree.manifests.manifest import Manifest
from dradsl.values.limits import MOST_QUOTAS
from dradsl.values.plain import mapping_at

_CLAIM = "DRA909"
_TOGETHER = "DRA910"
WORDS = ("ResourceQuota",)
_SHOWN = 3  # objects that a finding names
_LASTING = frozenset({"Deployment", "ReplicaSet", "ReplicationController", "StatefulSet"})
_SCALERS = ("HorizontalPodAutoscaler", "ScaledObject", "VariantAutoscaling")
_ENDS = frozenset({"Never", "OnFailure"})


@dataclass(frozen=True, slots=True, eq=False)
class _Item:
    """An object that counts: `each` is as how much one of its `copies` does, by the keys of quotas."""

    manifest: Manifest
    path: FieldPath
    each: Mapping[str, int]
    parts: Mapping[str, int]  # the most that a single claim of it counts as
    copies: int

    def of(self, key: str) -> int:
        return self.each.get(key, 0) * self.copies

    @property
    def title(self) -> str:
        return f"{self.manifest.kind} {self.manifest.name}"


def check(run: Run) -> Iterator[RuleFinding]:
    if not run.index.kind("ResourceQuota"):
        return
    every = limits(run)
    if not every:
        return
    for claim in run.claims:
        yield from _one_claim(run, claim, every)
    items = _items(run)
    reported = frozenset(run.manifests)
    for where, listed in every.items():
        for limit in listed[:MOST_QUOTAS]:
            near = [item for item in items.get(where, ()) if _counts(run, item, limit)]
            alone = _one_pod(near, limit, reported)
            if alone is not None:
                yield alone
                break
            found = _together(near, limit) if limit.quota in reported else None
            if found is not None:
                yield found
                break


def _one_claim(
    run: Run, claim: ClaimView, every: Mapping[tuple[Place, str], Sequence[QuotaLimit]]
) -> Iterator[RuleFinding]:
    """A claim that is rejected: it asks for more devices of a class than are allowed, or no claim is."""
    manifest = claim.manifest
    told: set[str] = set()
    itself = Charge(1, ("metadata", "name"), is_all=False)
    for key, charge in {**usage(run, claim), CLAIM_COUNT: itself}.items():
        # One that is too small is enough, and of very many no more are read.
        for limit in every.get((place(manifest), key), ())[:MOST_QUOTAS]:
            quota = limit.quota
            if charge.number <= limit.most or str(charge.path) in told:
                continue
            if is_elsewhere(quota, manifest) or run.are_apart(quota, manifest):
                continue
            told.add(str(charge.path))
            counts = f"the claim counts as {charge.number}"
            yield RuleFinding(
                _CLAIM,
                manifest,
                claim.written(charge.path),
                f'{"All counts as 32" if charge.is_all else counts} of "{key}", and the quota '
                f'"{quota.name}" allows {limit.most}: the claim is rejected',
                help="raise the quota, or ask for less",
                upstream=f"exceeded quota: {quota.name}",
                severity=None if is_near(quota, manifest) else Severity.WARNING,
                related=(RelatedField("the quota", quota, limit.path, on_key=True),),
            )
            break


def _counts(run: Run, item: _Item, limit: QuotaLimit) -> bool:
    quota, manifest = limit.quota, item.manifest
    if not item.each.get(limit.key) or is_elsewhere(quota, manifest):
        return False
    return not run.are_apart(quota, manifest)


def _one_pod(
    items: Sequence[_Item], limit: QuotaLimit, reported: frozenset[Manifest]
) -> RuleFinding | None:
    """A pod whose own claims are too many, each of which would be admitted."""
    for item in items:
        each = item.each[limit.key]
        if item.parts.get(limit.key) == each or each <= limit.most:
            continue  # a claim: DRA909
        if item.parts.get(limit.key, 0) > limit.most or item.manifest not in reported:
            continue
        quota = limit.quota
        return RuleFinding(
            _TOGETHER,
            item.manifest,
            item.path,
            f'one pod counts as {each} of "{limit.key}", and the quota "{quota.name}" allows '
            f"{limit.most}: it never starts",
            help="raise the quota, or ask for less",
            upstream=f"exceeded quota: {quota.name}",
            on_key=True,
            severity=None if is_near(quota, item.manifest) else Severity.WARNING,
            related=(RelatedField("the quota", quota, limit.path, on_key=True),),
        )
    return None


def _together(items: Sequence[_Item], limit: QuotaLimit) -> RuleFinding | None:
    quota = limit.quota
    lasting = [item for item in items if item.copies and item.each[limit.key] <= limit.most]
    # What is applied together: files of one folder may be examples.
    sure = [
        item
        for item in lasting
        if item.manifest.path == quota.path or not item.manifest.builds.isdisjoint(quota.builds)
    ]
    for chosen, severity in ((sure, None), (lasting, Severity.INFO)):
        chosen = [item for item in chosen if is_near(quota, item.manifest)]
        total = sum(item.of(limit.key) for item in chosen)
        if total <= limit.most:
            continue
        chosen.sort(key=lambda item: (-item.of(limit.key), item.manifest.key))
        named = [f"{item.title} {item.of(limit.key)}" for item in chosen[:_SHOWN]]
        more = len(chosen) - len(named)
        if more:
            named.append(f"{more} more")
        return RuleFinding(
            _TOGETHER,
            quota,
            limit.path,
            f'the manifests need {total} of "{limit.key}" ({", ".join(named)}), and the quota allows '
            f"{limit.most}: the last ones never start",
            help="raise the quota, or ask for less",
            upstream=f"exceeded quota: {quota.name}",
            severity=severity,
            related=tuple(RelatedField("this counts", i.manifest, i.path) for i in chosen[:_SHOWN]),
        )
    return None


def _items(run: Run) -> Mapping[tuple[Place, str], Sequence[_Item]]:
    found: dict[tuple[Place, str], list[_Item]] = {}
    seen: set[tuple[Place, str, str | None]] = set()
    for item in (*_claims(run), *_pods(run)):
        manifest = item.manifest
        if len(manifest.namespaces) > 1:
            continue  # of the namespaces that it may go to it is not known which
        where = place(manifest)
        named = where, manifest.kind, manifest.name
        if named in seen:
            continue  # an object that is there twice is one
        seen.add(named)
        for key in item.each:
            found.setdefault((where, key), []).append(item)
    return found


def _is_known(manifest: Manifest) -> bool:
    context = manifest.build_context
    if context.holes or context.completed or context.unpatched is not None or manifest.is_patch:
        return False
    return not manifest.is_recorded and manifest.chart_output is None


def _claims(run: Run) -> Iterator[_Item]:
    for manifest in run.index.kind("ResourceClaim"):
        claim = run.claim_of(manifest) if _is_known(manifest) else None
        if claim is not None:
            counted = {key: charge.number for key, charge in usage(run, claim).items()}
            counted[CLAIM_COUNT] = 1
            yield _Item(manifest, ("metadata", "name"), counted, counted, 1)


def _pods(run: Run) -> Iterator[_Item]:
    scaled = _scaled(run)
    manifests = dict.fromkeys(pod.manifest for pod in run.pods)
    for manifest in manifests:
        views = run.pods_of(manifest) if _is_known(manifest) else ()
        if len(views) != 1:
            continue
        (pod,) = views
        each, parts = _of_one(run, pod)
        copies = 0 if (manifest.kind, manifest.name) in scaled else _copies(pod)
        if each:
            path = (*pod.at.path, "resourceClaims" if pod.claims else "containers")
            yield _Item(manifest, path, each, parts, copies)


def _copies(pod: PodView) -> int:
    """The pods that exist at the same time, permanently."""
    kind, replicas = pod.manifest.kind, pod.at.replicas
    if kind == "Pod":
        return 0 if pod.spec.get("restartPolicy") in _ENDS else 1
    return replicas if kind in _LASTING and replicas is not None else 0


def _scaled(run: Run) -> frozenset[tuple[str, str]]:
    """The kinds and names of what an autoscaler sets the number of."""
    found = set()
    for kind in _SCALERS:
        for manifest in run.index.kind(kind):
            target = mapping_at(manifest.data, "spec", "scaleTargetRef")
            found.add((str(target.get("kind", "Deployment")), str(target.get("name"))))
    return frozenset(found)


def _of_one(run: Run, pod: PodView) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """As how much one pod counts, and the most that one of its claims does."""
    each: dict[str, int] = {}
    parts: dict[str, int] = {}

    def add(key: str, number: int) -> None:
        each[key] = each.get(key, 0) + number
        parts[key] = max(parts.get(key, 0), number)

    for _, entry in pod.claims:
        name = entry.get("resourceClaimTemplateName")
        if not isinstance(name, str):
            continue  # a claim that is there already counts for itself
        add(CLAIM_COUNT, 1)
        meant = run.index.meant("ResourceClaimTemplate", name, pod.manifest)
        claim = run.claim_of(meant[0]) if len(meant) == 1 and _is_known(meant[0]) else None
        for key, charge in usage(run, claim).items() if claim is not None else ():
            add(key, charge.number)
    if counts_extended(run):
        for key, number in pod_usage(pod.spec, whole, implicit=True).items():
            each[key] = each.get(key, 0) + number
            # The scheduler makes a claim for a class that is named, which counts by it.
            if key.startswith(IMPLICIT):
                by_class = key.removeprefix(IMPLICIT) + PER_CLASS
                each[by_class] = each.get(by_class, 0) + number
    return each, parts
