"""A simulation as one self-contained page: a summary, pods, and the fleet by what its nodes look like.

Nodes with the same devices in the same states are one group. A state is told by a word, a pattern and a colour; text
has a contrast of 4.5 to 1 at least, light and dark. The page works without a network and, but for search and filter,
without scripts; elements are native ones, so that the keyboard reaches all of them.
"""

from __future__ import annotations

import functools
import html
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from dradsl._version import __version__
from dradsl.allocator.inventory.pools import GatherError
from dradsl.allocator.inventory.slices import DeviceId
from dradsl.simulate.input.ailments import results_of
from dradsl.simulate.report.compared import headline, rows
from dradsl.simulate.report.room import amount_of_memory, rooms_of
from dradsl.simulate.report.text import alike, describe_pod, fit_words, totals
from dradsl.simulate.report.totals import ModelTotals, device_totals, model_of
from dradsl.values.digits import in_natural_order
from dradsl.values.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.allocator.inventory.nodes import Node
    from dradsl.allocator.inventory.slices import DeviceRecord
    from dradsl.simulate.attempts import Simulation
    from dradsl.simulate.plugin.verdicts import PodReport
    from dradsl.simulate.report import SimulationOutcome

__all__ = ["MAX_NODES", "render"]

MAX_NODES = 5000
"""Nodes that the page shows; of the others it tells the number."""

_LONG = 40  # pods; more of one workload that fared alike are folded
_FIRST = 3
_NOTES = 8
_FEW = 4  # nodes of a group are shown one by one
_EMPTY = "no devices"
NONE = "no devices"
_STATES = {
    "free": "free",
    "before": "in use before",
    "now": "allocated now",
    "blocked": "blocked",
    "trouble": "not usable",
}


def render(outcome: SimulationOutcome, out: TextIO) -> None:
    """Write the page."""
    out.writelines(_Page(outcome).parts())


@functools.cache
def _part(ending: str) -> str:
    """The style ("css") or the script ("js") of the page."""
    return "\n" + Path(__file__).with_name(f"page.{ending}").read_text("utf-8")


def _policy() -> str:
    """What a browser may do with the page: apply its style and run its script, by their hashes, and load nothing."""
    from base64 import b64encode
    from hashlib import sha256

    style, script = (
        f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
        for text in (_part("css"), _part("js"))
    )
    return (
        f"default-src 'none'; style-src {style}; script-src {script}; base-uri 'none'; "
        "form-action 'none'"
    )


class _Page:
    def __init__(self, outcome: SimulationOutcome) -> None:
        self._outcome = outcome
        self._simulation: Simulation = outcome.simulation
        self._fitting = {
            part.identity for room in rooms_of(self._simulation) for part in room.parts if part.fits
        }
        self._taken: dict[DeviceId, str] = {}
        for report in outcome.reports:
            for name, claim in report.claims.items():
                own = (claim.get("metadata") or {}).get("name") or name
                for result in results_of(claim):
                    device = DeviceId(result["driver"], result["pool"], result["device"])
                    self._taken[device] = f"{report.pod.namespace}/{own}"

    def parts(self) -> Iterator[str]:
        yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        yield f'<meta http-equiv="Content-Security-Policy" content="{_policy()}">\n'
        yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        release, nodes = self._outcome.release, len(self._simulation.cluster.inventory.nodes)
        source = f"{self._outcome.source}: " if self._outcome.source else ""
        title = f"{source}{nodes:,} {'node' if nodes == 1 else 'nodes'}, Kubernetes {release.name}"
        yield f"<title>dradsl simulate: {escape(title)}</title>\n<style>{_part('css')}</style>\n</head>\n<body>\n<main>\n"
        now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
        yield "<h1>Simulated allocation</h1>\n"
        yield f"<p>{escape(title)}; dradsl {__version__}; {now}</p>\n"
        yield from self._summary()
        yield from self._comparison()
        yield from self._notes()
        yield from self._pods()
        yield from self._fits()
        yield from self._fleet()
        yield (
            f"</main>\n<footer>Kubernetes {escape(release.name)}, allocator of "
            f"{escape(release.patch)} ({escape(self._simulation.variant.name)}); node chosen by "
            f"{escape(self._outcome.node_order)}.</footer>\n<script>{_part('js')}</script>\n</body>\n</html>\n"
        )

    def _summary(self) -> Iterator[str]:
        yield '<section id="summary">\n<h2>Summary</h2>\n<ul>\n'
        for line in totals(self._outcome, always=True):
            yield f"<li>{escape(line.removeprefix('total: '))}</li>\n"
        yield "</ul>\n"
        for row in device_totals(self._outcome.simulation):
            yield from _bar(row)
        yield "</section>\n"

    def _comparison(self) -> Iterator[str]:
        before = self._outcome.before
        if before is None:
            return
        said = headline(before, self._outcome)
        title = escape(said[0].upper() + said[1:])
        yield f'<section id="comparison">\n<h2>{title}</h2>\n<table>\n'
        yield "<tr><th></th><th>before</th><th>after</th></tr>\n"
        for row in rows(before, self._outcome):
            cells = "".join(
                f"<td>{escape(text)}</td>" for text in (row.name, row.before, row.after)
            )
            yield f"<tr>{cells}</tr>\n"
        yield "</table>\n</section>\n"

    def _notes(self) -> Iterator[str]:
        notes = self._simulation.cluster.notes
        if notes:
            opened = " open" if len(notes) <= _NOTES else ""
            yield f"<details{opened}><summary>{len(notes)} notes on the input</summary>\n<ul>\n"
            for note in notes:
                yield f"<li>{escape(f'{note.kind}: {note.subject}: {note.text}')}</li>\n"
            yield "</ul>\n</details>\n"

    # Pods

    def _pods(self) -> Iterator[str]:
        reports = self._outcome.reports
        if not reports:
            return
        yield '<section id="pods">\n<h2>Pods</h2>\n'
        seen: dict[tuple[str, ...], int] = {}
        folded: list[str] = []
        for report in reports:
            lines = list(describe_pod(report, self._simulation))
            lines += [alike(report)] if report.alike else []
            key: tuple[str, ...] = (report.prospect.value, report.pod.workload.label)
            if not report.is_placed:
                key = (*key, *lines[1:])
            seen[key] = seen.get(key, 0) + 1
            if len(reports) > _LONG and seen[key] > _FIRST:
                folded.append(lines[0])
                continue
            yield from _folds(folded)
            folded = []
            yield from self._pod(report, lines, first=seen[key] == 1)
        yield from _folds(folded)
        yield "</section>\n"

    def _pod(self, report: PodReport, lines: Sequence[str], *, first: bool) -> Iterator[str]:
        opened = "" if report.fits or not first else " open"
        yield f'<details class="pod"{opened}><summary class="{report.prospect.value}">{escape(lines[0])}</summary>\n'
        rest = lines[1:] if report.is_placed or first else ["  for the same reasons as above"]
        yield f"<pre>{escape(chr(10).join(rest))}</pre></details>\n"

    def _fits(self) -> Iterator[str]:
        for fit in self._outcome.fits:
            yield f"<p>{escape(fit.workload)}: {fit.count} replicas fit{escape(fit_words(fit))}.</p>\n"
            if fit.stopped_by is not None:
                lines = "\n".join(describe_pod(fit.stopped_by, fit.simulation))
                yield f"<pre>{escape(lines)}</pre>\n"

    # The fleet

    def _fleet(self) -> Iterator[str]:
        nodes = self._simulation.cluster.inventory.nodes
        groups: dict[tuple[Any, ...], list[tuple[Node, list[_Cell]]]] = {}
        for node in sorted(nodes[:MAX_NODES], key=lambda one: in_natural_order(one.name)):
            cells, troubles = self._cells(node)
            key = (tuple(cell.look for cell in cells), troubles)
            groups.setdefault(key, []).append((node, cells))
        yield '<section id="fleet">\n<h2>Fleet</h2>\n'
        yield '<ul class="pool">\n'
        for kind, words in _STATES.items():
            yield f'<li class="device {kind}">{words}</li>\n'
        yield '</ul>\n<div class="find"><label>Find a node, device, model or holder '
        yield '<input id="word" type="search"></label> <label>State <select id="state">'
        yield '<option value="">all</option>'
        yield "".join(f'<option value="{kind}">{words}</option>' for kind, words in _STATES.items())
        yield '</select></label> <span id="shown" role="status"></span></div>\n'
        free = {key: sum(look[2] == "free" for look in key[0]) for key in groups}
        for key, members in sorted(groups.items(), key=lambda one: (-free[one[0]], -len(one[1]))):
            yield from self._group(key[1], members)
        if len(nodes) > MAX_NODES:
            yield f"<p>… and {len(nodes) - MAX_NODES} more nodes.</p>\n"
        yield "</section>\n"

    def _group(
        self, troubles: tuple[str, ...], members: Sequence[tuple[Node, list[_Cell]]]
    ) -> Iterator[str]:
        first, cells = members[0]
        states = {cell.state for cell in cells}
        counts = ", ".join(
            f"{sum(cell.state == kind for cell in cells)} {words}"
            for kind, words in _STATES.items()
            if kind in states
        )
        many = f"{len(members):,} nodes, " if len(members) > 1 else ""
        shown = f"{first.name} to {members[-1][0].name}" if len(members) > 1 else first.name
        yield f'<article class="group" data-states="{" ".join(sorted(states))}">\n'
        yield f"<h3>{escape(f'{many}{shown}: {counts or _EMPTY}')}<span class=hits></span></h3>\n"
        yield from (f"<p>{escape(text)}</p>\n" for text in troubles)
        yield '<ul class="pool">\n'
        for cell in cells:
            yield f'<li class="device {cell.state}">{escape(cell.label)}</li>\n'
        opened = " open" if len(members) <= _FEW else ""
        yield f"</ul>\n<details{opened}><summary>each node, with who holds its devices</summary>\n"
        for node, own in members:
            held = "; ".join(f"{cell.name}: {cell.holder}" for cell in own if cell.holder)
            text = " ".join([node.name, held, *dict.fromkeys(cell.label for cell in own)]).lower()
            yield f'<div class="node" data-text="{escape(text)}">{escape(node.name)}'
            yield f"{escape(f': {held}') if held else ''}</div>\n"
        yield "</details>\n</article>\n"

    def _cells(self, node: Node) -> tuple[list[_Cell], tuple[str, ...]]:
        try:
            pools = self._simulation.fleet.pools(node)
        except GatherError as error:
            return [], (str(error),)
        cells: list[_Cell] = []
        troubles = []
        for pool in pools:
            unusable = pool.invalid or pool.incomplete
            if unusable:
                why = pool.reason or f"being updated, {pool.found} of {pool.announced} slices"
                troubles.append(f"a pool of {pool.id.driver}: {why}")
            for entry in pool.slices:
                for device in entry.devices:
                    identity = DeviceId(entry.driver, entry.pool, device.name)
                    cells.append(self._cell(identity, device, unusable=unusable))
        return cells, tuple(troubles)

    def _cell(self, identity: DeviceId, device: DeviceRecord, *, unusable: bool) -> _Cell:
        state = self._simulation.cluster.state
        label = " ".join(filter(None, (device.name, model_of(device), amount_of_memory(device))))
        if identity in self._taken:
            return _Cell(device.name, label, "now", self._taken[identity])
        if identity in state.exclusive or identity in state.shares:
            holders = ", ".join(state.holders.get(identity, ())) or "another claim"
            return _Cell(device.name, label, "before", holders)
        free = "free" if identity in self._fitting else "blocked"
        return _Cell(device.name, label, "trouble" if unusable else free, "")


def _bar(row: ModelTotals) -> Iterator[str]:
    """The devices of a model as a bar, with the same in words."""
    parts = {
        "before": ("used before", row.used_before),
        "now": ("used now", row.used_now),
        "partly": ("partly used or shared", row.partly + row.shared),
        "blocked": ("blocked", row.blocked),
        "free": ("free", row.free),
    }
    words = ", ".join(f"{number:,} {name}" for name, number in parts.values() if number)
    label = escape(f"{row.model}: {words}")
    yield f'<p>{label}</p>\n<svg role="img" aria-label="{label}" viewBox="0 0 {row.total} 1" preserveAspectRatio="none">'
    at = 0
    for kind, (_, number) in parts.items():
        if number:
            yield f'<rect class="{kind}" x="{at}" width="{number}" height="1"/>'
        at += number
    yield "</svg>\n"


class _Cell:
    """A device as the page shows it."""

    __slots__ = ("holder", "label", "name", "state")

    def __init__(self, name: str, label: str, state: str, holder: str) -> None:
        self.name, self.label, self.state, self.holder = name, label, state, holder

    @property
    def look(self) -> tuple[str, str, str]:
        return self.name, self.label, self.state


def _folds(lines: Sequence[str]) -> Iterator[str]:
    """Further pods of which the like was shown."""
    if lines:
        yield f"<details><summary>{len(lines)} more pods, with the same result</summary>\n"
        yield f"<pre>{escape(chr(10).join(lines))}</pre></details>\n"


def escape(text: str) -> str:
    """`text` in HTML; lines stay lines."""
    return html.escape(printable(text, keep_newlines=True))
