"""A simulation as one self-contained page: pods, and the fleet as a grid of nodes and devices."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, TextIO

from dradsl.allocator.explain.node import explain, pool_troubles, show_attribute
from dradsl.allocator.inventory.pools import GatherError
from dradsl.allocator.inventory.slices import DeviceId
from dradsl.simulate.report.text import alike, describe_pod
from dradsl.values.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dradsl.allocator.inventory.nodes import Node
    from dradsl.allocator.inventory.slices import Device
    from dradsl.simulate.attempts import Simulation
    from dradsl.simulate.plugin.verdicts import PodReport
    from dradsl.simulate.report import Outcome

__all__ = ["MAX_NODES", "render"]

MAX_NODES = 500
"""Nodes that the grid shows; of the others it tells the number."""

_COLOURS = 12

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --free: #8882; --used: #8888; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
pre { background: var(--free); padding: .7rem; overflow-x: auto; border-radius: .4rem; }
.pod { margin: .5rem 0; } .pod summary { cursor: pointer; }
.fits::before { content: "fits"; } .chance::before { content: "by chance"; }
.never::before { content: "never"; }
.fits::before, .chance::before, .never::before { font-size: .8rem; padding: .1rem .5rem; border-radius: 1rem;
  margin-right: .6rem; color: #fff; }
.fits::before { background: #1a7f37; } .chance::before { background: #9a6700; }
.never::before { background: #b3261e; }
.fleet { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: .8rem; }
.node { border: 1px solid var(--line); border-radius: .5rem; padding: .5rem .7rem; }
.node h3 { font-size: .85rem; margin: 0 0 .4rem; overflow-wrap: anywhere; }
.pool { display: flex; flex-wrap: wrap; gap: .2rem; margin-bottom: .3rem; }
.device { min-width: 1.6rem; padding: .15rem .3rem; border-radius: .25rem; font-size: .7rem;
  background: var(--free); text-align: center; overflow-wrap: anywhere; }
.device.used { background: var(--used); } .trouble { font-size: .75rem; font-style: italic; }
.legend { display: flex; flex-wrap: wrap; gap: .6rem; list-style: none; padding: 0; font-size: .8rem; }
footer { margin-top: 2rem; font-size: .8rem; opacity: .8; }
"""


def render(outcome: Outcome, out: TextIO) -> None:
    """Write the page."""
    out.writelines(_Page(outcome).parts())


class _Page:
    def __init__(self, outcome: Outcome) -> None:
        self._outcome = outcome
        self._simulation: Simulation = outcome.simulation
        self._colours: dict[str, int] = {}
        self._taken: dict[DeviceId, str] = {}
        for report in outcome.reports:
            for name, claim in report.claims.items():
                label = _claim_label(report, claim, name)
                self._colours.setdefault(label, len(self._colours) % _COLOURS)
                for result in _results(claim):
                    self._taken[_device_id(result)] = label
        self._reasons = self._why_not()

    def parts(self) -> Iterator[str]:
        colours = "".join(
            f".c{i} {{ background: hsl({i * 360 // _COLOURS} 65% 45%); color: #fff; }}\n"
            for i in range(_COLOURS)
        )
        yield "<!DOCTYPE html>\n"
        yield '<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        yield "<title>dradsl simulate</title>\n"
        yield f"<style>{_STYLE}{colours}</style>\n</head>\n<body>\n<main>\n"
        yield "<h1>Simulated allocation</h1>\n"
        yield from self._notes()
        yield from self._pods()
        yield from self._fits()
        yield from self._fleet()
        release = self._outcome.release
        yield (
            f"</main>\n<footer>Kubernetes {escape(release.name)}, allocator of "
            f"{escape(release.patch)} ({escape(self._simulation.variant.name)}); node chosen by "
            f"{escape(self._outcome.node_order)}.</footer>\n</body>\n</html>\n"
        )

    def _notes(self) -> Iterator[str]:
        notes = self._simulation.cluster.notes
        if notes:
            yield "<ul>\n"
            for note in notes:
                text = f"{note.kind}: {note.subject}: {note.text}"
                yield f"<li>{escape(text)}</li>\n"
            yield "</ul>\n"

    def _pods(self) -> Iterator[str]:
        if not self._outcome.reports:
            return
        yield '<section id="pods">\n<h2>Pods</h2>\n'
        for report in self._outcome.reports:
            lines = list(describe_pod(report, self._simulation))
            verdict = report.prospect.value
            opened = "" if report.fits else " open"
            yield (
                f'<details class="pod"{opened}><summary class="{verdict}">{escape(lines[0])}'
                "</summary>\n"
            )
            lines += [alike(report)] if report.alike else []
            yield f"<pre>{escape(chr(10).join(lines[1:]))}</pre></details>\n"
        yield "</section>\n"

    def _fits(self) -> Iterator[str]:
        for fit in self._outcome.fits:
            yield f"<p>{escape(fit.workload)}: {fit.count} replicas fit.</p>\n"
            if fit.stopped_by is not None:
                lines = "\n".join(describe_pod(fit.stopped_by, fit.simulation))
                yield f"<pre>{escape(lines)}</pre>\n"

    def _fleet(self) -> Iterator[str]:
        nodes = self._simulation.cluster.inventory.nodes
        yield '<section id="fleet">\n<h2>Fleet</h2>\n'
        yield '<ul class="legend">\n<li><span class="device">free</span></li>\n'
        yield '<li><span class="device used">in use before</span></li>\n'
        for label, colour in self._colours.items():
            yield f'<li><span class="device c{colour}">{escape(label)}</span></li>\n'
        yield '</ul>\n<div class="fleet">\n'
        for node in nodes[:MAX_NODES]:
            yield from self._node(node)
        yield "</div>\n"
        if len(nodes) > MAX_NODES:
            yield f"<p>… and {len(nodes) - MAX_NODES} more nodes.</p>\n"
        yield "</section>\n"

    def _node(self, node: Node) -> Iterator[str]:
        yield f'<article class="node">\n<h3>{escape(node.name)}</h3>\n'
        try:
            pools = self._simulation.fleet.pools(node)
        except GatherError as error:
            yield f'<p class="trouble">{escape(str(error))}</p>\n</article>\n'
            return
        for pool in pools:
            if pool.invalid or pool.incomplete:
                why = pool.reason or f"being updated, {pool.found} of {pool.announced} slices"
                yield f'<p class="trouble">{escape(str(pool.id))}: {escape(why)}</p>\n'
            yield f'<div class="pool" title="{escape(str(pool.id))}">\n'
            for entry in pool.slices:
                for device in entry.devices:
                    identity = DeviceId(entry.driver, entry.pool, device.name)
                    yield self._device(node, identity, device)
            yield "</div>\n"
        yield "</article>\n"

    def _device(self, node: Node, identity: DeviceId, device: Device) -> str:
        label = self._taken.get(identity)
        state = self._simulation.cluster.state
        kind, words = "device", "free"
        if label is not None:
            kind, words = f"device c{self._colours[label]}", f"allocated to {label}"
        elif identity in state.exclusive or identity in state.shares:
            holders = ", ".join(state.holders.get(identity, ())) or "another claim"
            kind, words = "device used", f"in use by {holders}"
        lines = [str(identity), words, *self._reasons.get((node.name, identity), ())]
        lines += [f"{n} = {show_attribute(value)}" for n, value in device.attributes.items()]
        title = escape("\n".join(lines))
        return f'<span class="{kind}" title="{title}">{escape(device.name)}</span>\n'

    def _why_not(self) -> dict[tuple[str, DeviceId], list[str]]:
        """Per node and device, why pods that were not placed cannot have it."""
        found: dict[tuple[str, DeviceId], list[str]] = {}
        failing = [report for report in self._outcome.reports if not report.is_placed]
        failing += [fit.stopped_by for fit in self._outcome.fits if fit.stopped_by is not None]
        for report in failing[:20]:
            for verdict in report.verdicts:
                if verdict.kind != "none" or verdict.allocator is None:
                    continue
                for node in verdict.nodes[:MAX_NODES]:
                    problem = self._simulation.fleet.problem(verdict.allocator, node)
                    if pool_troubles(problem) and not problem.cells:
                        continue
                    for funnel in explain(verdict.allocator, problem):
                        for stage in funnel.stages:
                            clause = {d: c.text for c in stage.clauses for d in c.devices}
                            for device in stage.devices:
                                why = clause.get(device) or ", ".join(stage.detail)
                                text = f"{report.pod.name}, {funnel.request}: {stage.name}: {why}"
                                found.setdefault((node.name, device), []).append(text)
        return found


def _results(claim: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    allocation = (claim.get("status") or {}).get("allocation") or {}
    return (allocation.get("devices") or {}).get("results") or []


def _device_id(result: Mapping[str, Any]) -> DeviceId:
    return DeviceId(result["driver"], result["pool"], result["device"])


def _claim_label(report: PodReport, claim: Mapping[str, Any], name: str) -> str:
    own = (claim.get("metadata") or {}).get("name") or name
    return f"{report.pod.namespace}/{own}"


def escape(text: str) -> str:
    """`text` in HTML; lines stay lines."""
    return html.escape(printable(text, keep_newlines=True))
