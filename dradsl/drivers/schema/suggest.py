"""The name that was probably meant."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["closest", "distance", "listed", "near_domain"]


def closest(
    name: str, known: Iterable[str], mistaken: Mapping[str, str] | None = None
) -> str | None:
    """The entry of `known` that `name` most likely stands for, or None.

    `mistaken` (what people write: what they mean) goes first, then spelling apart from case and
    punctuation, then few typing mistakes.
    """
    candidates = list(dict.fromkeys(known))
    meant = (mistaken or {}).get(name)
    if meant is not None:
        return meant
    bare = _bare(name)
    same = [each for each in candidates if _bare(each) == bare]
    if same:
        return same[0]
    most = _tolerance(bare)
    # No distance is less than the difference of the lengths, which takes no work to know.
    near = ((each, _bare(each)) for each in candidates)
    ranked = sorted(
        (distance(bare, other), each) for each, other in near if abs(len(bare) - len(other)) <= most
    )
    if ranked and ranked[0][0] <= most:
        return ranked[0][1]
    part = [each for each in candidates if len(bare) >= 4 and bare in _bare(each)]
    return part[0] if len(part) == 1 else None


def distance(one: str, other: str) -> int:
    """Insertions, deletions, replacements and swaps of neighbours that turn one into the other."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, last = last, row
    return last[-1]


def near_domain(name: str, known: Iterable[str]) -> str | None:
    """The known driver or domain that differs from `name` by a slip of the keyboard, or None.

    Stricter than `closest`: names that differ in a short part (gpu and npu, amd and arm) differ on
    purpose.
    """
    first, _, rest = name.partition(".")
    for each in known:
        other, _, end = each.partition(".")
        if first == other and _is_slip(rest, end):
            return each
        if rest == end and _is_slip(first, other):
            return each
    return None


def _is_slip(written: str, meant: str) -> bool:
    most = min(2, len(meant) // 5)
    return abs(len(written) - len(meant)) <= most and distance(written, meant) <= most


def listed(names: Iterable[str], limit: int = 12) -> str:
    """Names in a row, the end of a long one cut off."""
    every = list(names)
    shown = ", ".join(every[:limit])
    return f"{shown}, …" if len(every) > limit else shown


def _bare(name: str) -> str:
    return "".join(letter for letter in name[:200].lower() if letter.isalnum() or letter == "/")


def _tolerance(name: str) -> int:
    return 1 if len(name) < 5 else 2 if len(name) < 12 else 3
