"""The edits of a plan in words, for texts that are not edited here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.migrate.edits.operations import Append, Remove
from dradsl.migrate.edits.patches import pointer
from dradsl.migrate.planning.rewrite import operations_of
from dradsl.migrate.planning.templates import claim_object
from dradsl.text.paths import format_path
from dradsl.text.render import render_flow

if TYPE_CHECKING:
    from dradsl.migrate.mapping.questions import Decisions
    from dradsl.migrate.planning.plan import PodPlan

__all__ = ["lines_of"]


def lines_of(
    plan: PodPlan, decisions: Decisions, *, merge: bool = False, pointers: bool = False
) -> str | None:
    """What to write by hand for a pod, and the object to install beside it; None if a question is open.

    In a `merge` patch `null` removes a field; a JSON patch has `pointers` and only adds.
    """
    if plan.refused or not plan.requests:
        return None
    template = claim_object(plan, decisions)
    written: list[str] = []
    for operation in operations_of(plan, template, decisions):
        path = format_path(operation.path)
        if isinstance(operation, Remove):
            if not pointers:
                written.append(f"{path}: null" if merge else f"without {path}")
            continue
        value = [operation.value] if isinstance(operation, Append) else operation.value
        if pointers:
            each = {"op": "add", "path": pointer(operation.path), "value": value}
            written.append(render_flow(each))
        else:
            written.append(f"{path}: {render_flow(value)}")
    beside = "" if plan.pod.own_template else f"; and beside it {render_flow(template)}"
    return "; ".join(written) + beside
