"""Family 2, requests and constraints: the code and the words of what their judges find."""

from __future__ import annotations

from dradsl.drivers.judge import request_facts as facts
from dradsl.drivers.schema.suggest import listed
from dradsl.lint.catalogue.messages import Words, plain, rows
from dradsl.lint.catalogue.selector_messages import newer
from dradsl.records import replace

__all__ = ["REQUEST_MESSAGES"]

# Constraints ----------------------------------------------------------------------------------


def _on_unknown(found: facts.ConstraintOnUnknown) -> Words:
    instead = "remove the constraint"
    if found.shared:
        instead = f"write an attribute that all of these devices have ({listed(found.shared)}), or {instead}"
    parts = (None if found.meant else instead, newer(found.newest))
    return replace(plain(found), help="; ".join(filter(None, parts)) or None)


def _on_fixed(found: facts.ConstraintOnFixed) -> Words:
    if found.value == found.other_value:
        return Words(
            f'all devices of "{found.request}" and "{found.other}" have the same '
            f'"{found.attribute}" ("{found.value}"), as their selectors say: they never differ'
            if found.request != found.other
            else f'all devices of "{found.request}" have the same "{found.attribute}" ("{found.value}"), as its '
            "selectors say: they never differ"
        )
    return Words(
        f'"{found.attribute}" is "{found.value}" for request "{found.request}" and "{found.other_value}" for '
        f'"{found.other}", as their selectors say: the values never match'
    )


REQUEST_MESSAGES = rows(
    "requests",
    facts,
    {"ConstraintOnUnknown": _on_unknown, "ConstraintOnFixed": _on_fixed},
)
