"""The other strategy: requests stay as they are, and DeviceClasses provide their resources.

A class with `extendedResourceName` makes the scheduler turn `nvidia.com/gpu: 1` into a claim by
itself (gate DRAExtendedResource). Such a class can select devices, but it can neither share
them nor have conditions for one workload alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dradsl.drivers.schema.device_plugin import find_labels
from dradsl.migrate.evidence import hints_beside
from dradsl.migrate.mapping.labels import conditions_of
from dradsl.migrate.mapping.resource import (
    BY_CLASS,
    FRACTIONS,
    Rejection,
    Stays,
    Target,
    target_of,
)
from dradsl.migrate.planning.plan import PodPlan, UsePlan, plan_pod
from dradsl.migrate.planning.rewrite import use_item
from dradsl.migrate.result import FileMigration, Item, Outcome
from dradsl.records import replace
from dradsl.tree.manifests.manifest import manifests_of
from dradsl.tree.values.values import values_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.evidence import Evidence
    from dradsl.migrate.mapping.questions import Decisions
    from dradsl.migrate.places import PodAt
    from dradsl.migrate.planning.plan import Planner
    from dradsl.releases import Release
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.values.json_types import JsonMapping, JsonObject

__all__ = ["answer_names", "answering_class", "class_object", "migrate_by_class"]

_GATE = "DRAExtendedResource"
_NAME = re.compile(r"(?:[\w-]+\.)+[\w-]+/[\w.-]+|^[\w-]+/[\w.-]+")


def answering_class(target: Target, catalogue: Catalogue) -> JsonObject:
    """A DeviceClass that answers the extended resource of a target: the driver's own class if that
    has the name and there are no more selectors, else a class with its own name."""
    known = catalogue.device_class(target.device_class)
    base = list(known[1].selectors) if known is not None else []
    own = known is not None and known[1].extended_resource_name == target.resource
    # Selectors that the driver's class has already are not repeated.
    more = [each for each in target.selectors if each not in base]
    name = target.device_class if own and not more else _class_name(target.resource)
    return class_object(name, (*base, *more), target.resource)


def class_object(name: str, selectors: Iterable[str], resource: str | None) -> JsonObject:
    """A DeviceClass that carries an extended resource."""
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": name},
        "spec": {
            "selectors": [{"cel": {"expression": text}} for text in selectors],
            "extendedResourceName": resource,
        },
    }


def migrate_by_class(
    source: SourceText, planner: Planner, release: Release, made: dict[str, list[str]]
) -> FileMigration:
    """The classes that answer the uses of a file; `made` collects over all files where they are."""
    items: list[Item] = []
    added: list[Mapping[str, object]] = []
    for manifest in (*manifests_of(source), *values_of(source)):
        for pod in planner.pods(manifest):
            plan = _plan(pod, planner.decide(source.name, pod.title), planner)
            answers = [_answer(plan, use, planner, release) for use in plan.uses]
            items += (item for item, _ in answers)
            added += _collected(answers, made, source.name, planner.evidence.may_share)
    text = source.stream.text
    kind = "values" if any(True for _ in values_of(source)) else "manifests"
    return FileMigration(source.name, kind, text, text, tuple(items), tuple(added))


def _collected(
    pod: list[tuple[Item, JsonObject | None]],
    made: dict[str, list[str]],
    file: str,
    may_share: Callable[[str, str], bool],
) -> Iterator[dict[str, object]]:
    """The classes that a pod of a file needs and that are in no file of its cluster by what is `made`, where they
    are put."""
    for _, new in pod:
        if new is None:
            continue
        files = made.setdefault(new["metadata"]["name"], [])
        if not any(may_share(each, file) for each in files):
            files.append(file)
            yield new


def _plan(pod: PodAt, decisions: Decisions, planner: Planner) -> PodPlan:
    """The plan of a pod that need not carry claims, and whose node labels stay."""
    decisions = replace(decisions, node_labels="keep", init_containers="separate")
    pod = replace(pod, blocked=None, set_values=())
    return plan_pod(pod, decisions, planner.evidence, planner.catalogue)


def _answer(
    plan: PodPlan, use: UsePlan, planner: Planner, release: Release
) -> tuple[Item, dict[str, object] | None]:
    target, evidence, catalogue = use.result, planner.evidence, planner.catalogue
    if isinstance(target, Target):
        rejection = _cannot(target, evidence, catalogue, release, plan.pod.manifest.path)
        if rejection is None and use.use.limit is None:
            rejection = Rejection(
                "the amount is in requests alone, which the API server rejects for extended "
                "resources: write it under limits"
            )
        use = replace(use, result=rejection or target)
    # Each use for itself: what has no class stays with its plugin.
    item = use_item(plan, use, blocked=plan.rejected)
    if not isinstance(use.result, Target):
        return item, None
    return _answered(item, use.result, planner, plan.pod)


def _cannot(
    target: Target, evidence: Evidence, catalogue: Catalogue, release: Release, file: str
) -> Rejection | None:
    if _GATE not in release.features():
        return Rejection(f"{_GATE} is off in Kubernetes {release.name}; claims work there")
    if not target.whole:
        return Rejection(
            "a class cannot ask for a share of a device; a claim can (--set strategy=claims)"
        )
    classes = evidence.classes_for(target.resource, file)
    if len(classes) > 1:
        return Rejection(
            f"{' and '.join(sorted(classes))} carry {target.resource}: the one created later wins, "
            "so which devices pods get depends on the order of installation"
        )
    schema = catalogue.get(target.driver)
    name = answering_class(target, catalogue)["metadata"]["name"]
    for known in schema.classes if schema is not None and name != target.device_class else ():
        if known.extended_resource_name == target.resource or known.name == name:
            return Rejection(
                f"the driver's chart installs class {known.name} for {target.resource}, which "
                "selects other devices; a second class of that name would make it a matter of luck"
            )
    return None


def answer_names(
    items: Iterable[Item],
    source: SourceText,
    planner: Planner,
    release: Release,
    made: dict[str, list[str]],
) -> tuple[tuple[Item, ...], tuple[JsonMapping, ...]]:
    """Uses in texts and templates of a file, which go on asking by the names of resources, and the classes that answer these."""
    answers: list[tuple[Item, JsonObject | None]] = []
    parts = {name: 1 for name in FRACTIONS if any(name in item.before for item in items)}
    for item in items:
        found = _NAME.search(item.before.replace("~1", "/"))
        if found is None or item.outcome is not Outcome.REJECTED or item.about != "use":
            answers.append((item, None))
            continue
        result = target_of(
            found[0],
            1,
            planner.decide(source.name, item.object),
            hints_beside(source.name, source.stream.text, found[0], planner.evidence, parts),
            planner.catalogue,
        )
        if isinstance(result, Target):
            result = (
                _cannot(result, planner.evidence, planner.catalogue, release, source.name) or result
            )
        if isinstance(result, Target):
            answers.append(_answered(item, result, planner))
        elif isinstance(result, Stays):
            answers.append(
                (replace(item, outcome=Outcome.LEFT, reason=result.reason, routes=()), None)
            )
        else:
            said = replace(
                item,
                reason=result.reason,
                question=result.question,
                hint=result.hint,
                routes=result.routes or tuple(each for each in item.routes if each not in BY_CLASS),
            )
            answers.append((said, None))
    return tuple(item for item, _ in answers), tuple(
        _collected(answers, made, source.name, planner.evidence.may_share)
    )


def _answered(
    item: Item, target: Target, planner: Planner, pod: PodAt | None = None
) -> tuple[Item, dict[str, object] | None]:
    existing = planner.evidence.classes_for(target.resource, item.path)
    new = None
    notes = tuple(target.notes)
    if existing:
        after = f"answered by DeviceClass {existing[0]}, which carries the name"
    else:
        new = answering_class(target, planner.catalogue)
        name = new["metadata"]["name"]
        after = f"answered by DeviceClass {name} (extendedResourceName)"
        if name == target.device_class:
            new = None
            said = f"the driver's chart installs {name} with this extendedResourceName"
            more = "; the class that the GPU operator's GPUCluster manages lacks it"
            notes += (said + (more if name == "gpu.nvidia.com" else ""),)
    for condition in () if pod is None else conditions_of(pod):
        labels = find_labels(condition.key, planner.catalogue)
        if any(match.driver.name == target.driver for match in labels):
            notes += (
                f"node label {condition.text} stays: a class has no selector for one workload alone, and "
                "without feature discovery nobody keeps the label up to date",
            )
    notes += ("a node serves the name by its device plugin or by the class, not by both",)
    reason = "the scheduler makes the claim"
    answered = replace(
        item, outcome=Outcome.TRANSLATED, after=after, reason=reason, notes=notes, routes=(), doubt=None,
    )  # fmt: skip
    return answered, new  # without doubt: the chart still makes the same of its values


def _class_name(resource: str) -> str:
    domain, _, name = resource.partition("/")
    return re.sub(r"[^a-z0-9.-]+", "-", f"{name}.{domain}".lower()).strip("-.")
