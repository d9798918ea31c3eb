"""What recorded devices say, as Markdown."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import Counter

    from dradsl.lsp.fleet.placing import Placed
    from dradsl.lsp.fleet.recorded import ClauseCount, Matches

__all__ = ["about_matches", "about_placed", "about_values", "late", "matches_label"]

_VALUES = 12
_LINES = 24

_ANSWERS = {
    "fits": "Fits",
    "chance": "Fits by chance",
    "never": "Does not fit",
    "unknown": "Not looked at",
}


def about_values(values: Counter[str], lacking: int) -> str | None:
    """The values of an attribute or a capacity in the recorded fleet; None if no device has it."""
    if not values:
        return None
    shown = [f"{_code(value)} ({count:,})" for value, count in values.most_common(_VALUES)]
    more = len(values) - _VALUES
    if more > 0:
        shown.append(f"and {more:,} more values")
    without = f"; {_devices(lacking)} without it" if lacking else ""
    return f"**Recorded**: {', '.join(shown)}{without}"


def matches_label(found: Matches) -> str:
    """How many devices match, in few words: editors cut hints off."""
    failing = f", fails on {found.errors:,}" if found.errors else ""
    return f"matches {found.matched:,} of {_devices(found.of)}{failing}"


def about_matches(found: Matches, class_name: str | None) -> str:
    """Which recorded devices match a selector, clause by clause."""
    of = f"{found.of:,} recorded " + ("device" if found.of == 1 else "devices")
    if class_name:
        of += f" of class {_code(class_name)}"
    lines = [f"**{found.matched:,} of {of}** match"]
    if found.errors:
        lines[0] += f"; the evaluation fails on {_devices(found.errors)}"
    if not found.whole:
        lines[0] += " (only the first devices of the recording were looked at)"
    if found.matched < found.of:
        lines.append("\n".join(map(_clause, found.clauses)))
    if found.names:
        more = found.matched - len(found.names)
        names = ", ".join(map(_code, found.names)) + (f" and {more:,} more" if more > 0 else "")
        lines.append(f"Matching: {names}")
    return "\n\n".join(lines)


def _clause(clause: ClauseCount) -> str:
    counts = [f"{clause.passed:,} pass"]
    if clause.failed:
        counts.append(f"{clause.failed:,} fail")
    if clause.errors:
        counts.append(f"{clause.errors:,} with an error")
    values = ", ".join(map(_code, clause.values))
    return f"- {_code(clause.text)}: {', '.join(counts)}" + (f" ({values})" if values else "")


def about_placed(placed: Placed) -> str:
    """Whether a claim or pod fits, on how many nodes, and why not."""
    nodes = f"{placed.nodes:,} recorded " + ("node" if placed.nodes == 1 else "nodes")
    if placed.answer == "rejected":
        head = "**The API server rejects it**"
    elif placed.answer == "never" and placed.fitting:
        head = f"**Never starts**, though {placed.fitting:,} of {nodes} would do"
    elif placed.answer == "never":
        head = f"**Does not fit** on any of {nodes}"
    else:
        head = f"**{_ANSWERS[placed.answer]}** on {placed.fitting:,} of {nodes}"
    lines = list(placed.lines[:_LINES])
    if len(placed.lines) > _LINES:
        lines.append(f"... {len(placed.lines) - _LINES} more lines")
    return head + "\n\n```text\n" + "\n".join(lines).replace("```", "'''") + "\n```"


def late(seconds: float) -> str:
    """What is in the place of an answer that took too long."""
    return f"*The recorded devices gave no answer within {seconds:g} s.*"


def _devices(count: int) -> str:
    return "1 device" if count == 1 else f"{count:,} devices"


def _code(text: str) -> str:
    fence = "``" if "`" in text else "`"
    inner = f" {text} " if "`" in text else text
    return f"{fence}{inner}{fence}"
