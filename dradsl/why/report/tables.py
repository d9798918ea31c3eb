"""Devices and claims as tables and trees, and as JSON."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, TextIO

from dradsl.values.counted import plural
from dradsl.values.printable import json_text, printable
from dradsl.why.report.json import use_as_document

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.why.answer import DeviceUse
    from dradsl.why.ledger import ClaimRow, DeviceRow

__all__ = ["render_claims", "render_devices"]

_HEADS = ("DEVICE", "MODEL", "STATE", "CLAIM", "PODS", "SINCE", "NOTES")


def render_devices(
    rows: Sequence[DeviceRow], form: str, out: TextIO, *, summary: bool = False
) -> None:
    """Write devices as a table below each node and pool, or as JSON; `summary`: only the totals."""
    if form == "json":
        document = {
            "version": 1,
            "devices": [_device(row) for row in rows],
            "totals": _totals(rows),
        }
        out.write(json_text(document, ascii_only=False) + "\n")
        return
    _put(_total_lines(rows) if summary else _device_lines(rows), out)


def render_claims(rows: Sequence[ClaimRow], form: str, out: TextIO) -> None:
    """Write claims as trees of their devices and pods, or as JSON."""
    if form == "json":
        document = {"version": 1, "claims": [_claim(row) for row in rows]}
        out.write(json_text(document, ascii_only=False) + "\n")
        return
    _put(_claim_lines(rows), out)


def _put(lines: Iterator[str], out: TextIO) -> None:
    out.writelines(f"{printable(line).rstrip()}\n" for line in lines)


def _device_lines(rows: Sequence[DeviceRow]) -> Iterator[str]:
    table = [_HEADS, *(cells for row in rows for cells in _cells(row))]
    widths = [max(len(cells[i]) for cells in table) for i in range(len(_HEADS))]
    last = ""
    yield "  " + _line(_HEADS, widths)
    for (node, driver, pool), found in groupby(rows, key=attrgetter("node", "driver", "pool")):
        listed = list(found)
        if node != last:
            yield f"NODE {node}"
            last = node
        free = sum(row.state == "free" for row in listed)
        yield f" {driver}/{pool}: {plural(len(listed), 'device')}, {free} free"
        for row in listed:
            yield from (f"  {_line(cells, widths)}" for cells in _cells(row))
    yield from _total_lines(rows)


def _total_lines(rows: Sequence[DeviceRow]) -> Iterator[str]:
    free: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        free[row.model or row.driver][row.node] += row.state == "free"
    for model, counts in _totals(rows).items():
        told = ", ".join(f"{count} {state}" for state, count in counts.items())
        nodes = sum(count > 0 for count in free[model].values())
        where = f"; free on {nodes} nodes, most on one {max(free[model].values())}"
        yield f"total {model}: {told}{where if nodes > 1 else ''}"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))


def _cells(row: DeviceRow) -> Iterator[tuple[str, ...]]:
    notes = [*(f"taint {taint}" for taint in row.taints), *row.blocked_by]
    if not row.uses:
        yield row.device, row.model, row.state, "", "", "", "; ".join(notes)
        return
    for number, use in enumerate(row.uses):
        own = [*notes, *use.trouble] if number == 0 else list(use.trouble)
        own += ["admin access"] if use.admin else []
        own += [f"share: {', '.join(f'{k} {v}' for k, v in use.consumed)}"] if use.share else []
        first = (row.device, row.model, row.state) if number == 0 else ("", "", "")
        yield (*first, use.claim, ", ".join(use.pods), use.since, "; ".join(own))


def _totals(rows: Sequence[DeviceRow]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for row in rows:
        counts = found.setdefault(row.model or row.driver, {})
        counts[row.state] = counts.get(row.state, 0) + 1
    return found


def _claim_lines(rows: Sequence[ClaimRow]) -> Iterator[str]:
    for row in rows:
        yield f"{row.claim}: {row.state}"
        leaves = [_use(use) for use in row.devices]
        leaves += [f"pod {name}: {state}" for name, state in row.pods]
        for number, leaf in enumerate(leaves):
            yield f"{'└' if number == len(leaves) - 1 else '├'}─ {leaf}"
    allocated = sum(row.state.startswith("allocated") for row in rows)
    yield f"{len(rows)} claims, {allocated} allocated"


def _use(use: DeviceUse) -> str:
    model = f" ({use.model})" if use.model else ""
    notes = [f"request {use.request}"]
    notes += [f"share of {', '.join(f'{k} {v}' for k, v in use.consumed)}"] if use.share else []
    notes += ["admin access"] if use.admin else []
    notes += [f"taint {taint}" for taint in use.taints]
    notes += use.trouble
    notes += ["no slice publishes it any more"] if use.published is False else []
    return f"device {use.name}{model}: {'; '.join(notes)}"


def _device(row: DeviceRow) -> dict[str, object]:
    return {
        "node": row.node,
        "driver": row.driver,
        "pool": row.pool,
        "device": row.device,
        "model": row.model or None,
        "state": row.state,
        "taints": list(row.taints),
        "blockedBy": list(row.blocked_by),
        "uses": [use_as_document(use) for use in row.uses],
    }


def _claim(row: ClaimRow) -> dict[str, object]:
    return {
        "claim": row.claim,
        "state": row.state,
        "devices": [use_as_document(use) for use in row.devices],
        "pods": [{"pod": name, "state": state} for name, state in row.pods],
    }
