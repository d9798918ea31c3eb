"""Family 2: every CEL selector of classes, claims and templates against the driver schemas."""

from __future__ import annotations

from dradsl.drivers.judge.case import SelectorContext
from dradsl.drivers.judge.check import check_selector
from dradsl.lint.rules.drivers.classes import selectors_of_class
from dradsl.lint.view.found import Found, ProposedFix
from dradsl.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dradsl.drivers.judge.findings import CelFinding, Replacement
    from dradsl.lint.input.manifests import Manifest
    from dradsl.lint.view.view import Run
    from dradsl.text.paths import FieldPath


def check(run: Run) -> Iterator[Found]:
    heard: set[tuple[str, str, str]] = set()
    for found, once_per in _all(run):
        if once_per is not None:
            key = (found.manifest.path, found.code, once_per)
            if key in heard:
                continue
            heard.add(key)
        yield found


def _all(run: Run) -> Iterator[tuple[Found, str | None]]:
    for manifest, admission in run.objects("DeviceClass"):
        spec = (admission.object or {}).get("spec") or {}
        context = SelectorContext(is_class=True, class_name=manifest.name)
        yield from _list(run, manifest, spec, ("spec",), context)
    for claim in run.claims():
        for request in claim.bodies():
            name = request.body.get("deviceClassName")
            before = selectors_of_class(run, name) if isinstance(name, str) else None
            context = SelectorContext(
                before=before or (),
                class_name=name if isinstance(name, str) else None,
                class_known=before is not None,
                alternative=request.parent is not None,
            )
            written = claim.written(request.path)
            yield from _list(run, claim.manifest, request.body, written, context)


def _list(
    run: Run,
    manifest: Manifest,
    holder: Mapping[str, object],
    path: FieldPath,
    context: SelectorContext,
) -> Iterator[tuple[Found, str | None]]:
    """The selectors of one list: each is asked only about devices that those before let through."""
    selectors = holder.get("selectors")
    before = list(context.before)
    for index, selector in enumerate(selectors if isinstance(selectors, list) else ()):
        cel = selector.get("cel") if isinstance(selector, dict) else None
        text = cel.get("expression") if isinstance(cel, dict) else None
        if not isinstance(text, str):
            continue
        if run.server.expression(text, "new").accepted:
            place = (*path, "selectors", index, "cel", "expression")
            for each in _checked(run, text, before, context):
                yield _found(manifest, place, each), each.once_per
        before.append(text)


def _checked(
    run: Run, text: str, before: Sequence[str], context: SelectorContext
) -> list[CelFinding]:
    own = replace(context, before=tuple(before))
    return run.remember(("selector", text, own), lambda: check_selector(text, run.drivers, own))


def _found(manifest: Manifest, path: FieldPath, each: CelFinding) -> Found:
    return Found(
        code=each.code,
        manifest=manifest,
        path=path,
        message=each.message,
        help=each.help,
        upstream=each.upstream,
        text=(each.start, each.end),
        severity=each.severity,
        fix=_fix(manifest, path, each.fix) if each.fix is not None else None,
    )


def _fix(manifest: Manifest, path: FieldPath, fix: Replacement) -> ProposedFix | None:
    from dradsl.lint.fixes.edits import replace_in_string

    edit = replace_in_string(manifest, path, fix.start, fix.end, fix.text)
    return ProposedFix(f"write {fix.text}", (edit,), fix.applicability) if edit else None
