"""A simulation as one self-contained page: a summary, pods, and the fleet by what its nodes look like.

Nodes with the same devices in the same states are one group. A state is told by a word, a pattern and a colour; text
has a contrast of 4.5 to 1 at least, light and dark. The page works without a network and, but for search and filter,
without scripts; elements are native ones, so that the keyboard reaches all of them.
"""

from __future__ import annotations

import html
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TextIO

from dradsl._version import __version__
from dradsl.allocator.inventory.pools import GatherError
from dradsl.allocator.inventory.slices import DeviceId
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
    from dradsl.kube.fields.typed_dicts import DeviceRequestAllocationResultDict, ResourceClaimDict
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

_STYLE = """
:root { color-scheme: light dark; --line: #767676; --panel: #f2f2f2; --text: #1a1a1a; --back: #fff;
  --free: #fff; --before: #d5d5d5; --stripe: #bdbdbd; --now: #174ea6; --on-now: #fff; --trouble: #ffe2b8; }
@media (prefers-color-scheme: dark) { :root { --panel: #242424; --text: #eee; --back: #121212; --free: #121212;
  --before: #3c3c3c; --stripe: #505050; --now: #a8c7fa; --on-now: #0b1d3a; --trouble: #5c3c00; } }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 80rem; padding: 0 1rem;
  color: var(--text); background: var(--back); }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
pre { background: var(--panel); padding: .7rem; overflow-x: auto; border-radius: .4rem; }
summary { cursor: pointer; } .pod { margin: .5rem 0; }
.fits::before { content: "fits"; } .chance::before { content: "by chance"; } .never::before { content: "never"; }
.unknown::before { content: "not looked at"; }
.fits::before, .chance::before, .never::before, .unknown::before { font-size: .8rem; padding: .1rem .5rem;
  border-radius: 1rem; margin-right: .6rem; color: #fff; background: #595959; }
.fits::before { background: #1a7f37; } .chance::before { background: #8a5a00; } .never::before { background: #b3261e; }
.find { display: flex; flex-wrap: wrap; gap: .8rem; margin: .8rem 0; } .find input, .find select { font: inherit; }
.group { border: 1px solid var(--line); border-radius: .5rem; padding: .5rem .8rem; margin: .6rem 0; }
.node { content-visibility: auto; contain-intrinsic-size: auto 1.6rem; margin: .2rem 0 .2rem 1rem; }
.pool { display: flex; flex-wrap: wrap; gap: .25rem; margin: .3rem 0; padding: 0; list-style: none; }
.device { border: 1px solid var(--line); border-radius: .25rem; padding: .1rem .4rem; font-size: .8rem;
  background: var(--free); overflow-wrap: anywhere; }
.device.before { background: repeating-linear-gradient(45deg, var(--before) 0 6px, var(--stripe) 6px 8px); }
.device.now { background: var(--now); color: var(--on-now); border-style: double; border-width: 3px; }
.device.blocked { background: var(--panel); border-style: dotted; }
svg { display: block; width: 100%; max-width: 40rem; height: .9rem; border: 1px solid var(--line); }
rect.free { fill: var(--free); } rect.before { fill: var(--stripe); } rect.now { fill: var(--now); }
rect.partly { fill: var(--line); } rect.blocked { fill: var(--trouble); }
.device.trouble { background: var(--trouble); border-style: dashed; }
table { border-collapse: collapse; font-size: .85rem; } td, th { text-align: left; vertical-align: top; overflow-wrap: break-word; padding: .1rem .8rem .1rem 0; }
@media (max-width: 40rem) { table, tbody, tr, td { display: block; } th { display: none; } tr { margin-bottom: .5rem; }
  td { overflow-wrap: anywhere; } td:nth-child(2)::before { content: "before: "; } td:nth-child(3)::before { content: "after: "; } }
[hidden] { display: none; } footer { margin-top: 2rem; font-size: .85rem; }
:focus-visible { outline: 3px solid var(--now); outline-offset: 2px; }
@media print { .find { display: none; } body { max-width: none; } .group { break-inside: avoid; } }
"""

_SCRIPT = """
const word = document.getElementById("word"), state = document.getElementById("state");
const groups = [...document.querySelectorAll(".group")].map(group => ({ group, states: group.dataset.states,
  fold: group.querySelector("details"), folded: !group.querySelector("details").open, hits: group.querySelector(".hits"),
  nodes: [...group.querySelectorAll(".node")].map(node => ({ node, text: node.dataset.text })) }));
let waiting = 0;
function filter() {
  const wanted = word.value.toLowerCase(), kind = state.value;
  let shown = 0;
  for (const { group, states, nodes, fold, folded, hits } of groups) {
    let here = 0;
    if (!kind || states.includes(kind))
      for (const { node, text } of nodes) {
        const hit = text.includes(wanted);
        if (node.hidden === hit) node.hidden = !hit;
        here += hit;
      }
    group.hidden = here === 0;
    fold.open = wanted !== "" || !folded;
    hits.textContent = here < nodes.length ? `: ${here} of ${nodes.length} found` : "";
    shown += here;
  }
  document.getElementById("shown").textContent = shown + (shown === 1 ? " node shown" : " nodes shown");
}
for (const one of [word, state])
  one.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(filter, 80); });
addEventListener("beforeprint", () => groups.forEach(one => { if (one.nodes.length <= 40) one.fold.open = true; }));
filter();
"""


def render(outcome: SimulationOutcome, out: TextIO) -> None:
    """Write the page."""
    out.writelines(_Page(outcome).parts())


def _policy() -> str:
    """What a browser may do with the page: apply its style and run its script, by their hashes, and load nothing."""
    from base64 import b64encode
    from hashlib import sha256

    style, script = (
        f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
        for text in (_STYLE, _SCRIPT)
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
                for result in _results(claim):
                    self._taken[_device_id(result)] = f"{report.pod.namespace}/{own}"

    def parts(self) -> Iterator[str]:
        yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        yield f'<meta http-equiv="Content-Security-Policy" content="{_policy()}">\n'
        yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        release, nodes = self._outcome.release, len(self._simulation.cluster.inventory.nodes)
        source = f"{self._outcome.source}: " if self._outcome.source else ""
        title = f"{source}{nodes:,} {'node' if nodes == 1 else 'nodes'}, Kubernetes {release.name}"
        yield f"<title>dradsl simulate: {escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
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
            f"{escape(self._outcome.node_order)}.</footer>\n<script>{_SCRIPT}</script>\n</body>\n</html>\n"
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


def _results(claim: ResourceClaimDict) -> Sequence[DeviceRequestAllocationResultDict]:
    allocation = (claim.get("status") or {}).get("allocation") or {}
    return (allocation.get("devices") or {}).get("results") or []


def _device_id(result: DeviceRequestAllocationResultDict) -> DeviceId:
    return DeviceId(result["driver"], result["pool"], result["device"])


def escape(text: str) -> str:
    """`text` in HTML; lines stay lines."""
    return html.escape(printable(text, keep_newlines=True))
