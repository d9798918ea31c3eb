"""What is known of an object that a reference names, and what follows from it: severity, message and remedy."""

from __future__ import annotations

import os
from collections.abc import Iterator
from enum import Enum

from dradsl.diagnostics import FieldPath, Fix, Severity
from dradsl.lint.catalogue.table import table_of
from dradsl.lint.rules.references.lookup import (
    domains,
    elsewhere,
    is_generated,
    near_name,
    only_one,
    renamed,
)
from dradsl.lint.view.rule_finding import RelatedField, RuleFinding
from dradsl.lint.view.view import Run
from dradsl.records import dataclass
from dradsl.tree.manifests.manifest import Manifest
from dradsl.values.limits import MOST_MISSING_NAMES

__all__ = ["ELSEWHERE", "ReferenceEvidence", "Known", "evidence_of", "finding_of", "row_of"]

Row = tuple[Severity | None, str, str]


class Known(Enum):
    """What the run shows of the object. Of several the first counts."""

    EXISTS = "the object exists"
    OTHER_NAMESPACE = "it exists in another namespace only"
    UNSAID_NAMESPACE = "it is in a namespace, and this object beside it says none"
    DROPPED = "a component makes it, and the build does not list the component"
    NOT_REACHED = "it is in a file that no kustomization lists"
    OTHER_KIND = "an object of another kind has the name"
    NEAR_NAME = "the name of another object differs in one letter"
    WHOLE_BUILD = "the build makes the namespace, and all that it makes is known"
    NOTHING = "nothing"


def row_of(known: Known) -> Row:
    """Severity, message and remedy of a state; docs/lint.md shows the first."""
    severity, message, help_ = table_of("reference_messages")[known.name]
    return severity and Severity(severity), message, help_


ELSEWHERE = (Known.OTHER_NAMESPACE, Known.UNSAID_NAMESPACE)
_FIELDS = {
    "ResourceClaim": "resourceClaimName",
    "ResourceClaimTemplate": "resourceClaimTemplateName",
}
_OTHER = {
    "ResourceClaim": "ResourceClaimTemplate",
    "ResourceClaimTemplate": "ResourceClaim",
}
_OWN_GROUPS = ("", "apps", "batch")
_MADE = {"ComputeDomain": "its controller makes the template here"}


@dataclass(frozen=True, slots=True)
class ReferenceEvidence:
    """What is known of the object of a kind and name that a reference means, and the objects that show it."""

    known: Known
    kind: str
    name: str
    shown: tuple[Manifest, ...] = ()
    near: str = ""


def evidence_of(run: Run, kind: str, name: str, at: Manifest) -> ReferenceEvidence:
    """What the run shows of the object that a reference of `at` names."""
    if kind != "DeviceClass":
        state, shown = _of_claims(run, kind, name, at)
    else:
        state, shown = (Known.EXISTS if run.has_class(name, at) else None), ()
    if state is not None:
        return ReferenceEvidence(state, kind, name, shown)
    near = _near(run, kind, name, at)
    if near is not None:
        return ReferenceEvidence(Known.NEAR_NAME, kind, name, near=near)
    whole = kind != "DeviceClass" and _is_whole(run, at)
    return ReferenceEvidence(Known.WHOLE_BUILD if whole else Known.NOTHING, kind, name)


def _of_claims(
    run: Run, kind: str, name: str, at: Manifest
) -> tuple[Known | None, tuple[Manifest, ...]]:
    """What shows that a claim or template exists, or why what has its name is not the one."""

    found = run.index.candidates(kind, name, at)
    dropped = _dropped(run, kind, name, at)
    if found and _says_no_namespace(at) and all(_is_beside(each, at) for each in found):
        return Known.UNSAID_NAMESPACE, found
    if found is None or any(each not in dropped and not _is_left_out(each, at) for each in found):
        return Known.EXISTS, ()
    others = elsewhere(run, kind, name, at)
    if kind == "ResourceClaimTemplate":
        here, made = domains(run, name, at)
        others = others or made
        if here or (not others and is_generated(run, name)):
            return Known.EXISTS, ()
    others = tuple(each for each in others if each not in found)
    alike = run.index.candidates(_OTHER[kind], name, at)
    if alike is None:
        alike = run.index.patches(_OTHER[kind], name)
    ways = (
        (Known.OTHER_NAMESPACE, others),
        (Known.DROPPED, dropped),
        (Known.NOT_REACHED, found),
        (Known.OTHER_KIND, alike),
    )
    return next(((state, shown) for state, shown in ways if shown), (None, ()))


def finding_of(
    run: Run,
    evidence: ReferenceEvidence,
    code: str,
    at: Manifest,
    path: FieldPath,
    upstream: str | None = None,
) -> Iterator[RuleFinding]:
    """The finding for a reference at a field, by the table; none for an object that exists."""
    severity, message, help_ = row_of(evidence.known)
    if severity is None:
        return
    kind, name, shown = evidence.kind, evidence.name, evidence.shown
    file = os.path.relpath(shown[0].path, os.path.dirname(at.path) or ".") if shown else ""
    where = ""
    if evidence.known in ELSEWHERE:
        where = " or ".join(sorted({each for one in shown for each in one.namespaces}))
    elif evidence.known is Known.DROPPED:
        where = os.path.dirname(file)
    field = _FIELDS.get(_OTHER.get(kind, ""), "")
    words = {
        "kind": kind,
        "name": name,
        "own": " or ".join(at.namespaces),
        "where": where,
        "file": file,
        "other": shown[0].kind if shown else "",
        "field": field,
        "near": evidence.near,
        "those": "the manifests or the classes that known drivers install"
        if kind == "DeviceClass"
        else "the manifests",
    }
    made = {each.name for each in run.index.kind("Namespace")} if where else {""}
    if where in made and made.isdisjoint(at.namespaces) and evidence.known in ELSEWHERE[:1]:
        help_ = f"write namespace: {where} for this {at.kind}, or {help_}"
    help_ = help_.format_map(words)
    fix = None
    if evidence.known in (Known.OTHER_KIND, Known.NEAR_NAME):
        is_key = evidence.known is Known.OTHER_KIND
        fix = _fix(at, path, field if is_key else evidence.near, at_key=is_key)
    elif evidence.known is Known.NOTHING and (built := renamed(run, kind, name, at)) is not None:
        help_ = (
            f'there is "{built}": if Kustomize changed the name, add a nameReference for this field to its '
            "configurations"
        )
    elif evidence.known is Known.NOTHING and kind == "DeviceClass":
        help_ = _of_class(run, name, help_)
    elif evidence.known is Known.NOTHING and (only := only_one(run, kind, at)) is not None:
        help_ = f"write {only}, the only one in this file, or {help_}"
    related = tuple(
        RelatedField(
            _MADE.get(each.kind, "defined here"),
            each,
            ("metadata", "namespace" if evidence.known in ELSEWHERE else "name"),
        )
        for each in shown[:1]
    )
    yield RuleFinding(
        code,
        at,
        path,
        message.format_map(words),
        help=help_,
        upstream=upstream,
        severity=severity,
        related=related,
        fix=fix,
    )


def _of_class(run: Run, name: str, help_: str) -> str:
    """The remedy of a class that is not there, with the one that a driver installs for devices of its name."""
    from dradsl.drivers.suggestions.products import class_named, class_to_add

    guesses: dict[str, str | None] = run.remember("classes-named", dict)
    if len(guesses) < MOST_MISSING_NAMES and name not in guesses:
        guesses[name] = class_named(name, run.drivers)
    if installed := guesses.get(name):
        return f"write {installed}, which its driver installs, or {help_}"
    return class_to_add(name, help_, run.drivers)


def _fix(at: Manifest, path: FieldPath, text: str, *, at_key: bool) -> Fix | None:
    from dradsl.lint.fixes.edits import rename_or_replace

    edit = rename_or_replace(at, path, text, at_key=at_key)
    return None if edit is None else Fix(f"write {text}", (edit,), "unsafe")


def _near(run: Run, kind: str, name: str, at: Manifest) -> str | None:
    """The name of another object that differs in one letter, in the namespace of the reference."""
    answers: dict[tuple[str, str], tuple[str, ...]] = run.remember("names-meant", dict)
    key = kind, name
    if key not in answers:
        if len(answers) >= MOST_MISSING_NAMES:
            return None
        names = run.index.names(kind)
        if kind == "DeviceClass":
            names = tuple(sorted({*names, *run.installed_classes()}))
        answers[key] = run.remember(
            ("near", name, names), lambda: tuple(near_name(name, names)), by="schemas"
        )
    if kind == "DeviceClass":
        from dradsl.drivers.schema.device_plugin import class_meant

        return next(iter(answers[key]), None) or class_meant(name, run.drivers)
    return next((n for n in answers[key] if run.index.candidates(kind, n, at) != ()), None)


def _is_left_out(found: Manifest, at: Manifest) -> bool:
    """Whether a build applies the reference, and no build an object below the same kustomization."""
    origin, own = found.build_context.origin, at.build_context.origin
    if found.source.name == at.source.name or own is None or found.within is not None:
        return False
    if (origin is not None and origin.uses) or own.more:
        return False
    return own.is_above(found.source.was or found.path)


def _says_no_namespace(at: Manifest) -> bool:
    """Whether an object goes where `kubectl apply` puts what names no namespace."""
    origin, plain = at.build_context.origin, at.within is None and at.chart_output is None
    by_others = origin is not None and (origin.more or any(u.by_controller for u in origin.uses))
    unknown = at.is_patch or at.build_context.completed or at.is_unknown(("metadata", "namespace"))
    return plain and at.group in _OWN_GROUPS and not (at.namespaces or by_others or unknown)


def _is_beside(found: Manifest, at: Manifest) -> bool:
    """Whether an object of one namespace is in the file of another, or built together with it."""
    together = found.source.name == at.source.name or not at.builds.isdisjoint(found.builds)
    return together and len(found.namespaces) == 1


def _dropped(run: Run, kind: str, name: str, at: Manifest) -> tuple[Manifest, ...]:
    """The objects whose names hold variables which make that name in the builds of `at`, and that these do not
    take in."""
    origin = at.build_context.origin
    if origin is None or origin.more or not any(use.variables for use in origin.uses):
        return ()
    from dradsl.tree.variables import evaluate, parse
    from dradsl.values.plain import find_at

    found = []
    for each in run.index.kind(kind):
        if each.builds & at.builds or each.chart_output is not None or each.within is not None:
            continue
        written = find_at(each.document.data, (*each.prefix, "metadata", "name"))
        parsed = parse(written) if isinstance(written, str) and "$" in written else None
        if parsed and all(evaluate(parsed, use.variables).text == name for use in origin.uses):
            found.append(each)
    return tuple(found)


def _is_whole(run: Run, at: Manifest) -> bool:
    """Whether the builds of `at` make its namespace, and all that they make is known: no charts, and no objects of
    which a controller may make others."""
    origin, builds = at.build_context.origin, at.builds
    if not builds or origin is None or not origin.whole:
        return False
    if at.chart_output is not None or len(at.namespaces) != 1:
        return False
    spaces = run.index.named("Namespace", at.namespaces[0])
    return any(each.builds >= builds for each in spaces) and run.remember(
        ("whole-builds", builds),
        lambda: all(
            each.group in _OWN_GROUPS or each.group.endswith(".k8s.io")
            for each in run.index.every()
            if not builds.isdisjoint(each.builds)
        ),
    )
