"""Family 7: the code and the words of what recorded slices say about a claim."""

from __future__ import annotations

from dradsl.allocator.explain import facts
from dradsl.allocator.explain.node import show_attribute
from dradsl.allocator.inventory.slices import Attribute
from dradsl.lint.catalogue.messages import Words, rows

__all__ = ["FEASIBILITY_MESSAGES"]

_MOST_VALUES = 5
_CANNOT = "cannot allocate all claims"


def _selector_matches_nothing(found: facts.SelectorMatchesNothing) -> Words:
    of = "" if found.is_first else " that pass what comes before"
    recorded = "; ".join(
        f"{name.rpartition('/')[2]} is {_values(values)}" for name, values in found.recorded
    )
    return Words(
        f"matches none of the {found.devices} recorded devices{of}",
        f"recorded: {recorded}" if recorded else None,
        _CANNOT,
    )


def _values(values: tuple[Attribute, ...]) -> str:
    texts = sorted({show_attribute(value) for value in values})
    more = ", …" if len(texts) > _MOST_VALUES else ""
    return ", ".join(texts[:_MOST_VALUES]) + more


def _constraint(found: facts.ConstraintNeverSatisfiable) -> Words:
    devices = "all devices" if found.every else f"{found.count} devices"
    name = found.attribute
    if found.never_there:
        message = f"no device that qualifies has the attribute {name}"
    elif found.best >= found.count or found.every:
        verb = "differ in" if found.distinct else "share"
        message = f"no recorded node has devices for these requests that {verb} {name}"
    elif found.distinct:
        message = f"{devices} must differ, but no recorded node has more than {found.best} values"
    else:
        message = (
            f"{devices} must share {name}, but the largest group on any recorded node "
            f"has {found.best}"
        )
    return Words(message, upstream=_CANNOT)


def _over_limit(found: facts.AllModeOverLimit) -> Words:
    others = "" if found.total == found.found else f", {found.total} with those of other requests"
    return Words(
        f"All finds {found.found} devices on node {found.node}{others}; "
        f"a claim holds at most {found.limit}",
        upstream="exceeds the claim limit",
    )


FEASIBILITY_MESSAGES = rows(
    "feasibility",
    facts,
    {
        "SelectorMatchesNothing": _selector_matches_nothing,
        "ConstraintNeverSatisfiable": _constraint,
        "AllModeOverLimit": _over_limit,
    },
)
