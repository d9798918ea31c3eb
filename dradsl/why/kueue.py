"""What Kueue says of a pod or job that it has not admitted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.values.plain import mapping_at, mappings_at
from dradsl.why.dump import key_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.why.dump import Document, Dump

__all__ = ["kueue_words"]


def kueue_words(dump: Dump, document: Document) -> tuple[str, tuple[str, ...]]:
    """What Kueue's Workload of a pod or job says."""
    owners = [
        dump.get(str(owner.get("kind")), (key_of(document)[0], str(owner.get("name"))))
        for owner in mappings_at(document, "metadata", "ownerReferences")
    ]
    owned = [
        one
        for owner in (document, *owners)
        for one in dump.owned_by(owner or {})
        if one.get("kind") == "Workload" and str(one.get("apiVersion")).startswith("kueue")
    ]
    if not owned:
        return "no Workload of Kueue belongs to it in the dump", ()
    workload = owned[0]
    conditions = {
        str(one.get("type")): one for one in mappings_at(workload, "status", "conditions")
    }
    name = "Workload {}".format("/".join(key_of(workload)))
    queue = mapping_at(workload, "spec").get("queueName") or "(no queue)"
    if mapping_at(workload, "spec").get("active") is False:
        return f"{name} is not active (spec.active: false)", ()
    reserved, admitted = conditions.get("QuotaReserved"), conditions.get("Admitted")
    # A Workload that is not requeued is not looked at: what QuotaReserved says of it is older.
    for kind in ("Evicted", "Requeued", "QuotaReserved"):
        one = conditions.get(kind)
        bad = one is not None and one.get("status") == ("True" if kind == "Evicted" else "False")
        if one is not None and bad and (kind != "Evicted" or not _is_true(reserved)):
            waits = "is not looked at (Requeued is False)" if kind == "Requeued" else "waits"
            text = f"{one.get('reason')}: {one.get('message')}"
            return f"{name} in queue {queue} {waits}: {text}", _checks(workload)
    if _is_true(reserved) and not _is_true(admitted):
        return f"{name} in queue {queue} has its quota and waits for admission checks", _checks(
            workload
        )
    if _is_true(admitted):
        return f"{name} is admitted; Kueue takes the gate away next", ()
    return f"{name} in queue {queue} was not looked at yet", ()


def _is_true(condition: Mapping[str, object] | None) -> bool:
    return condition is not None and condition.get("status") == "True"


def _checks(workload: Mapping[str, object]) -> tuple[str, ...]:
    return tuple(
        f"admission check {one.get('name')}: {one.get('state')}: {one.get('message')}"
        for one in mappings_at(workload, "status", "admissionChecks")
        if one.get("state") != "Ready"
    )
