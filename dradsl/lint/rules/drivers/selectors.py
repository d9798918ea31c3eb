"""Family 2: every CEL selector of classes, claims and templates against the driver schemas."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from dradsl.diagnostics import FieldPath, Severity
from dradsl.drivers.judge.case import SelectorContext
from dradsl.drivers.judge.check import check_case
from dradsl.kube.limits import MAX_SELECTORS
from dradsl.lint.rules.drivers.cases import case_in
from dradsl.lint.rules.drivers.classes import drivers_shown, selectors_of_class
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import ClaimView, RequestView, Run
from dradsl.observations import Impact, Observation
from dradsl.records import replace
from dradsl.tree.manifests.manifest import Manifest
from dradsl.values.plain import mapping_at, member

WORDS = ("selectors",)


def check(run: Run) -> Iterator[RuleFinding]:
    found: list[tuple[Manifest, FieldPath, Observation]] = []
    for manifest, admission in run.objects("DeviceClass"):
        spec = mapping_at(admission.spec)
        context = SelectorContext(is_class=True, class_name=manifest.name, release=run.release.name)
        found += _list(run, manifest, spec, ("spec",), context)
    for claim in run.claims:
        for request in claim.bodies:
            if request.body.get("selectors"):
                found += _of_request(run, claim, request)
    if found:
        yield from _reported(run, found)


def _reported(
    run: Run, found: Iterable[tuple[Manifest, FieldPath, Observation]]
) -> Iterator[RuleFinding]:
    from dradsl.drivers.judge.selector_facts import AlwaysTrue, ListName
    from dradsl.lint.catalogue import selector_messages as words
    from dradsl.lint.rules.observed import first_of_file, reported

    table, fixed = words.SELECTOR_MESSAGES, not run.recheck
    for manifest, path, observed in first_of_file(found, table):
        if path in manifest.build_context.altered and isinstance(observed.facts, AlwaysTrue):
            continue  # the default of a variable, which is there to be replaced
        if words.LIST_GATE in run.features and isinstance(observed.facts, ListName):
            continue
        if getattr(observed.facts, "driver", None) in _standing_for_any(run, manifest):
            continue
        severity = None
        if "firstAvailable" in path:  # another alternative may be had all the same
            mild = isinstance(observed.facts, words.NEED_NOT_MATCH)
            severity = Severity.INFO if mild else None
            if not mild and observed.impact is Impact.FATAL:
                observed = replace(observed, impact=Impact.MISLEADING)
        yield reported(manifest, path, observed, table, severity=severity, fixed=fixed)


def _standing_for_any(run: Run, manifest: Manifest) -> Sequence[str]:
    """The example drivers whose names stand for any driver on a page: nothing on it shows that they are meant."""
    source = manifest.source
    if not source.stream.is_page:
        return ()
    from dradsl.lint.view.index import ObjectIndex
    from dradsl.lint.view.placeholders import unused_placeholders

    def unused() -> tuple[str, ...]:
        own = ObjectIndex.of(each for each in run.index.every() if each.source is source)
        return unused_placeholders(run.drivers, run.config.driver_versions, own)

    return run.remember(("placeholders", source.name), unused)


def _of_request(
    run: Run, claim: ClaimView, request: RequestView
) -> Iterator[tuple[Manifest, FieldPath, Observation]]:
    before = selectors_of_class(run, request.class_name)
    context = SelectorContext(
        before=before or (),
        class_name=request.class_name,
        class_known=before is not None,
        release=run.release.name,
    )
    written = claim.written(request.path)
    return _list(run, claim.manifest, request.body, written, context)


def _list(
    run: Run,
    manifest: Manifest,
    holder: Mapping[str, object],
    path: FieldPath,
    context: SelectorContext,
) -> Iterator[tuple[Manifest, FieldPath, Observation]]:
    """The selectors of one list: each is judged only on devices that the ones before it select."""
    selectors = holder.get("selectors")
    before = list(context.before)
    if not isinstance(selectors, list) or len(selectors) > MAX_SELECTORS:
        return  # more are rejected for their number
    for index, selector in enumerate(selectors):
        text = member(selector, "cel", "expression")
        if not isinstance(text, str):
            continue
        rejected = _rejected(run, text)
        if rejected is not None:
            place = (*path, "selectors", index, "cel", "expression")
            own, shown = len(before) - len(context.before), drivers_shown(run, manifest)
            here = replace(context, rejected=rejected, own=own, shown=shown)
            for observed in _checked(run, text, before, here):
                yield manifest, place, observed
        before.append(text)


def _rejected(run: Run, text: str) -> tuple[tuple[int, int], ...] | None:
    """The parts that the compiler rejects, which hide nothing of the rest; None if it is all of it."""
    judgement = run.server.expression(text, "new")
    if judgement.accepted:
        return ()
    nodes = [issue.node for issue in judgement.fault.issues] if judgement.fault is not None else []
    # In `.product-name` the compiler rejects `name`, and `product` is no name either.
    heads = ((node, text[: node.span[0]]) for node in nodes if node is not None)
    spans = tuple((len(re.sub(r"[\w-]+-$", "", head)), node.span[1]) for node, head in heads)
    return spans if spans and len(spans) == len(nodes) and (0, len(text)) not in spans else None


def _checked(
    run: Run, text: str, before: Sequence[str], context: SelectorContext
) -> list[Observation]:
    def check() -> list[Observation]:
        case = case_in(run, text, replace(context, before=tuple(before)))
        return [] if case is None else check_case(case)

    # Classes have names of their own where the rest is equal, and few findings tell them.
    key = (text, *before), replace(context, before=(), class_name=None)
    found = run.remember(("selector", *key), check, by="schemas")
    if not found or not _tell_the_class(found):
        return found
    return run.remember(("selector of class", context.class_name, *key), check, by="schemas")


def _tell_the_class(found: Iterable[Observation]) -> bool:
    from dradsl.drivers.judge.selector_facts import OF_CLASS

    return any(isinstance(each.facts, OF_CLASS) for each in found)
