"""The name that was probably meant, for error messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# Of difflib's ratio: "memroy" and "memory" have 0.83, "v5e" and "v5p" have 0.67.
_LEAST_ALIKE = 0.7

__all__ = ["did_you_mean", "mistaken_names", "mistaken_values"]


def did_you_mean(word: str, known: Iterable[str], mistaken: Mapping[str, str] | None = None) -> str:
    """`; did you mean "memory"?` if one of `known` is close to `word`, else nothing.

    `mistaken` (what people write: what they mean) goes first.
    """
    by_lower_case = {name.lower(): name for name in known}
    meant = (mistaken or {}).get(word, "").rpartition("/")[2].lower()
    if meant in by_lower_case:
        return f'; did you mean "{by_lower_case[meant]}"?'
    import difflib

    close = difflib.get_close_matches(word.lower(), by_lower_case, n=3, cutoff=_LEAST_ALIKE)
    # v5e is no slip for v6e: other numbers are another thing.
    near = next((one for one in close if _digits(one) == _digits(word)), None)
    return f'; did you mean "{by_lower_case[near]}"?' if near else ""


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def mistaken_names(driver: str) -> dict[str, str]:
    """What people write for names of a driver, and what they mean: lint's vocabulary."""
    from dradsl.drivers.schema.catalogue import shipped_catalogue

    schema = shipped_catalogue().get(driver)
    return {} if schema is None else {**schema.mistaken.capacities, **schema.mistaken.attributes}


def mistaken_values(driver: str, name: str) -> dict[str, str]:
    """What people write for values of an attribute of a driver, and what they mean."""
    from dradsl.drivers.schema.catalogue import shipped_catalogue

    schema = shipped_catalogue().get(driver)
    same = [one for _, one in schema.attributes() if one.name == name] if schema else []
    return {key: meant for one in same for key, meant in (one.mistaken_values or {}).items()}
