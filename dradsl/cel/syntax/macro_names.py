"""Which calls are macros; how they are expanded is said apart, since most expressions have none."""

from __future__ import annotations

__all__ = ["ALL_MACROS", "MacroKey"]

MacroKey = tuple[str, int, bool]
"""Name, number of arguments, whether it is called on a target."""

ALL_MACROS: frozenset[MacroKey] = frozenset(
    {
        ("has", 1, False),
        ("all", 2, True),
        ("exists", 2, True),
        ("exists_one", 2, True),
        ("map", 2, True),
        ("map", 3, True),
        ("filter", 2, True),
        ("all", 3, True),
        ("exists", 3, True),
        ("existsOne", 3, True),
        ("exists_one", 3, True),
        ("transformList", 3, True),
        ("transformList", 4, True),
        ("transformMap", 3, True),
        ("transformMap", 4, True),
        ("transformMapEntry", 3, True),
        ("transformMapEntry", 4, True),
        ("bind", 3, True),
        ("optMap", 2, True),
        ("optFlatMap", 2, True),
        ("sortBy", 2, True),
    }
)
"""Every macro that some release has; an `Environment` names those that it offers."""
