"""What docs/exactness.md says of whole pods and workloads: figures of `counts.json`, which `verdicts` and `tables`
write, and of `fields.json`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from dradsl.releases import RELEASES
from tests.kube.workloads import public, verdicts

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAMES = {
    "made": "edits of objects made for the checks",
    "first": "edits of public objects, first sample, at first contact (fixed since)",
    "second": "edits of public objects, second sample",
    "third": "edits of public objects, third sample, at first contact",
    "tables": "rows of upstream's own tests (core, apps and batch, validation_test.go)",
}


def counts() -> dict[str, Any]:
    """The figures by sample."""
    found: dict[str, Any] = json.loads(verdicts.COUNTS.read_text("ascii"))
    return found


def samples() -> str:
    """A row for each sample and release."""
    lines = [
        "| asked | release | objects | rejected by validation | not found | in part | false errors"
        " | decoding errors not found |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for sample, name in _NAMES.items():
        for release in RELEASES:
            found = counts()[sample]["counts"][release]
            numbers = [
                found.get(key, 0)
                for key in (
                    *("asked", "rejected by validation", "missed", "in part", "false"),
                    "decoding missed",
                )
            ]
            shown = " | ".join(f"{number:,}" for number in numbers)
            lines.append(f"| {name} | {release} | {shown} |")
    return "\n".join(lines)


def rules() -> Iterator[tuple[str, int, int, int]]:
    """The most used fields: name, objects that use it, rejections by upstream at it, and those not found."""
    known = counts()
    for field, used in public.counted().items():
        rows = [known[sample]["fields"].get(field, (0, 0)) for sample in _NAMES]
        yield field, used, sum(row[0] for row in rows), sum(row[1] for row in rows)


def fields() -> str:
    """A row for each of the most used fields."""
    lines = [
        "| field | objects | rejections | not found | |",
        "| --- | --- | --- | --- | --- |",
    ]
    for field, used, rejected, missed in rules():
        what = "validated" if rejected > missed else "decoding only"
        what = what if rejected else "no rule upstream"
        lines.append(f"| `{field}` | {used:,} | {rejected:,} | {missed:,} | {what} |")
    return "\n".join(lines)


def missed() -> str:
    """The fields at which rejections are not found, with how many of how many."""
    total: dict[str, list[int]] = {}
    for sample in _NAMES:
        for field, row in counts()[sample]["fields"].items():
            whole = total.setdefault(field, [0, 0])
            whole[0] += row[0]
            whole[1] += row[1]
    shown = sorted((row for row in total.items() if row[1][1]), key=lambda row: -row[1][1])
    return ", ".join(f"`{field}` ({wrong} of {of})" for field, (of, wrong) in shown)
