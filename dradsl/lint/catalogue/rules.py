"""The rules: code, name, default severity, traits, and what each needs.

All of it is in the front matter of the rule's document; `table.py` is made from these.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from dradsl.diagnostics import Severity
from dradsl.lint.catalogue.table import ROWS, TRAITS
from dradsl.lint.catalogue.traits import Need, RuleTraits
from dradsl.records import dataclass

__all__ = [
    "FAMILIES",
    "HIDING",
    "INTERNAL_ERROR",
    "MISSING",
    "RULES",
    "Rule",
    "rule_named",
    "traits_of",
]

FAMILIES: Mapping[int, str] = MappingProxyType(
    {
        0: "text and structure",
        1: "CEL as upstream compiles it",
        2: "CEL against driver schemas",
        3: "requests and constraints",
        4: "references and workloads",
        5: "releases and feature gates",
        6: "slices and inventories",
        7: "feasibility on recorded slices",
        8: "driver configuration",
        9: "migration and coexistence",
    }
)

INTERNAL_ERROR = "DRA099"
"""The code of findings about dradsl itself: no configuration, ignore or baseline hides them."""

MISSING: Mapping[str, str] = MappingProxyType(
    {
        "ResourceClaimTemplate": "DRA410",
        "ComputeDomain": "DRA410",
        "ResourceClaim": "DRA411",
        "DeviceClass": "DRA412",
    }
)
"""The rules on references to objects that do not exist, by the kind that is referred to."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of mistake."""

    code: str
    name: str
    severity: Severity
    needs: tuple[Need, ...]
    traits: RuleTraits


_TRAITS = [
    RuleTraits(about, hides, compares, tuple(elsewhere), patch, shown, ignore, editor)
    for about, hides, compares, elsewhere, patch, shown, ignore, editor in TRAITS
]

_SEVERITIES = {each.value: each for each in Severity}

RULES: Mapping[str, Rule] = MappingProxyType(
    {
        code: Rule(code, name, _SEVERITIES[severity], tuple(needs), _TRAITS[traits])
        for code, name, severity, needs, traits in ROWS
    }
)


def rule_named(name: str) -> Rule:
    """The rule of a name, for a finding that no rule's own module makes; the number is data.

    Raises StopIteration if no rule is called so.
    """
    return next(rule for rule in RULES.values() if rule.name == name)


_HIDING = frozenset(at for at, traits in enumerate(_TRAITS) if traits.hides_others)
HIDING = frozenset(code for code, *_, traits in ROWS if traits in _HIDING)
"""The rules whose findings hide others."""

_OF_TEAMS = RuleTraits("value", "nothing", "nothing", (), False, "same", True, "plain")


def traits_of(code: str) -> RuleTraits:
    """The traits of a rule; those of a team all have the same."""
    rule = RULES.get(code)
    return _OF_TEAMS if rule is None else rule.traits
