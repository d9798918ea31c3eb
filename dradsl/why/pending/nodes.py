"""What the scheduler says to a pod whose claims are there: no class, no node, no devices, and who holds those."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

from dradsl.allocator.explain.node import STAGES, explain, pool_troubles
from dradsl.allocator.inventory.pools import GatherError
from dradsl.allocator.inventory.slices import DeviceId
from dradsl.simulate.input.ailments import Published, results_of
from dradsl.simulate.plugin.verdicts import nodes_label
from dradsl.simulate.prospect import Prospect
from dradsl.simulate.report.text import nearest_change, said_by_nodes
from dradsl.values.counted import first_of, plural
from dradsl.values.plain import mapping_at, mappings_at
from dradsl.why.answer import Answer, TriedChange
from dradsl.why.changes import share_claim, spelled_alike, try_placement
from dradsl.why.dump import key_of, label_of
from dradsl.why.fixes import (
    SCALED,
    change_of_claims,
    claim_patch,
    either,
    held_together,
    priority_of,
)
from dradsl.why.holders import device_of, devices_by_id, held_of, owners_of, uses_of
from dradsl.why.lives import foreign_of
from dradsl.why.observed.domains import DRIVER_OF_DOMAINS
from dradsl.why.observed.operators import driver_trouble, node_words
from dradsl.why.observed.plugins import plugins_of
from dradsl.why.observed.pods import container_trouble, missing_labels
from dradsl.why.pinned import held_apart, pinned, unnamed_resource
from dradsl.why.verdict import doubt
from dradsl.why.world import reason_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from dradsl.allocator.explain.node import Funnel
    from dradsl.allocator.inventory.nodes import Node
    from dradsl.allocator.inventory.slices import Slice
    from dradsl.simulate.plugin.verdicts import Obstacle, PodReport
    from dradsl.simulate.pod_claims import Key
    from dradsl.simulate.pods import Pod
    from dradsl.simulate.relax import Relaxation
    from dradsl.why.answer import DeviceUse
    from dradsl.why.world import RecordedCluster

__all__ = ["explain_placement"]

_OUT = re.compile(
    r"node\.kubernetes\.io/|node is unschedulable|not-ready:|initialized|unregistered|ToBeDeleted|/disrupt|/shutdown|-termination"
)
_LOOKED_AT = 12  # nodes of those that say the same
_NAMED, _ALL = 3, ("", ", and it asks for all of them")  # holders in the headline
_SPELLING, _ALIKE, _TYPO = 0.8, 0.9, 0.95
_CONSTRAINTS = ("spec", "devices", "constraints")
_TOP = {"com", "io", "org", "net", "dev"}
_DRIVER = r"""device\.driver\s*==\s*["']([^"']+)"""


def explain_placement(world: RecordedCluster, pod: Pod) -> Answer:
    """What the scheduler says to the pod, once its claims are there."""
    simulation = world.simulation
    report = simulation.place(pod, commit=False)
    if report.obstacle is not None:
        return _of_obstacle(world, report, report.obstacle)
    count = len(simulation.cluster.inventory.nodes)
    if report.never_binds is not None:
        details = (report.rejected.remedy,) if report.rejected is not None else ()
        return Answer("", "", "reservation", report.never_binds, details)
    if report.unstartable:
        return Answer("", "", "kubelet", "; ".join(report.unstartable))
    if report.fits:
        return Answer("", "", "none", _where_it_fits(world, report, count))
    if not count:
        if not world.dump.has("Node"):
            return Answer("", "", "unknown", "no Node is in the dump, and no slice names one")
        return Answer("", "", "filter", "there are no nodes")
    lines = []
    for nodes, said in said_by_nodes(report.verdicts, simulation).values():
        lines.append(f"{nodes_label(nodes)}: {said[0]}")
        lines += [line.removeprefix("  ") for line in said[1:]]
    kinds = {verdict.kind for verdict in report.verdicts if not verdict.may_fit}
    if report.prospect is Prospect.CHANCE:
        cause = f"by chance: {report.reason}"
        held = _holders(world, _in_the_way(world, report)[0])
        return Answer("", "", "allocation", cause, tuple(lines), holders=held)
    if kinds == {"filtered", "elsewhere"} or kinds == {"elsewhere"}:
        return pinned(world, report, tuple(lines))
    if kinds != {"filtered"}:
        return _without_devices(world, report, count, tuple(lines))
    if found := unnamed_resource(world, report.pod):
        return replace(found, details=(*found.details, *lines))
    _, change = try_placement(simulation, report.pod)
    reasons = Counter(one.text.rstrip(".") for one in report.verdicts for _ in one.nodes)
    most = [f"{one} ({plural(n, 'node')})" for one, n in reasons.most_common(3)]
    words = "; ".join(most if len(reasons) > 1 else reasons)
    text = f"{'the only node does not' if count == 1 else f'none of {count} nodes does'}: {words}"
    if labels := list(missing_labels(report.pod.spec, simulation.cluster.inventory.nodes)):
        text += f"; no node has the label {first_of(labels)}"
    if told := _taken_out(world, report, change):
        text, change = f"{text}; {told}", None
    return Answer("", "", "filter", text, tuple(lines), change=change)


def _taken_out(world: RecordedCluster, report: PodReport, change: TriedChange | None) -> str:
    """What the dump tells of the node that Kubernetes or a drain keeps from a pod, if a change is for this node or there is none."""
    names = (node.name for one in report.verdicts if _OUT.search(one.text) for node in one.nodes)
    names = (one for one in names if change is None or f"(node {one})" in change.text)
    return next(filter(None, (node_words(world.dump, one) for one in names)), "")


def _where_it_fits(world: RecordedCluster, report: PodReport, count: int) -> str:
    text = f"it fits on {report.fitting} of {count} nodes, {report.node} for one"
    if count == 1:
        text = f"it fits on the only node, {report.node}"
    return text if world.dump.has("Node") else f"by its devices {text}"


def _without_devices(
    world: RecordedCluster, report: PodReport, count: int, lines: tuple[str, ...]
) -> Answer:
    """That no node has the devices, who holds them, and the smallest change that helps."""
    wanted, reason, published = _in_the_way(world, report)
    ruled_out = sum(len(one.nodes) for one in report.verdicts if one.kind == "filtered")
    what = "devices are free" if published and wanted else "the devices are"
    apart, other = _ruled_out(world, report, what, reason) if ruled_out else ("", None)
    cause = _cause(world, report, count - ruled_out, reason) + apart
    absent = dict.fromkeys(one for _, some in _asked_classes(world, report) for one in some or ())
    silent = [] if published else list(_silent(world, report))
    cause = "; ".join((cause, *_plugin_troubles(world, absent), *silent[:1]))
    keep, held_by = bool(wanted), held_together(world.dump)
    found = nearest_change(
        report, world.simulation, world.leftover, keep_selectors=keep, held=held_by
    )
    users = _holders(world, wanted)
    wanted.update(DeviceId(*one[:3]) for one in (found.devices if found else ()))
    held = _holders(world, wanted)
    alike = _siblings(world, (report.pod.namespace, report.pod.name), held)
    cause = _by_whom(cause, users if not alike else ()) + alike
    other = other if published or not other or not other.text.startswith("select ") else None
    # To end others helps a pod, and not the plugin that publishes nothing.
    change = None if silent else _best(world, report, found, other, alike, held)
    if reason and any(one.kind == "elsewhere" for one in report.verdicts):
        cause, change = held_apart(world, report, reason, change)
    cause = "; ".join((cause, *_about_holders(world, report, held)))
    if found and not world.leftover.isdisjoint(found.devices):
        names = dict.fromkeys(use.claim for use in held if use.leftover)
        cause += f"; held for pods that are gone, ended or cannot end: claim {', '.join(names)}"
    return Answer("", "", "allocation", cause, lines, holders=held, change=change)


def _by_whom(cause: str, users: Iterable[DeviceUse]) -> str:
    """The cause with the few that have the devices of its only request that is about devices in use."""
    own = [use for use in users if not use.admin]
    names = {name: 0 for use in own for name in use.pods or (f"claim {use.claim}",)}
    words, by = "the matching devices are in use", " and ".join(names)
    few = cause.count(words) == 1 <= len(names) <= _NAMED and not any(one.leftover for one in own)
    return cause.replace(words, f"{words} by {by}") if few else cause


def _best(
    world: RecordedCluster,
    report: PodReport,
    found: Relaxation | None,
    other: TriedChange | None,
    alike: str,
    held: Collection[DeviceUse],
) -> TriedChange | None:
    """What helps, tried: before pods end, a change of a node or of what the pod selects, and that it shares a claim. No pods
    end for which others are made, with the one channel of their node, or a device of the pod."""
    selects = other is not None and other.text.startswith("select ")
    if found is None or (other and found.gives_up and not selects):
        return other
    own = (world.dump.claims.get(entry.key) for entry in report.pod.claims)
    kept = {held_of(one) for each in own if each for one in results_of(each)}
    change = change_of_claims(world, report.pod, found)
    if re.search(r"end pod |spec\.replicas", change.text):
        made = bool(alike) and re.search(rf"of the same ({'|'.join(SCALED)}) ", alike) is None
        made = made or not kept.isdisjoint(found.devices)
        if made or {one[0] for one in found.devices} == {DRIVER_OF_DOMAINS}:
            return other
        shared = share_claim(world, report.pod, held)
        change = either(shared, change) if shared else change
    ends = found.gives_up or (found.devices and world.leftover.isdisjoint(found.devices))
    return either(other, change) if other and ends else change


def _siblings(world: RecordedCluster, pod: Key, held: Collection[DeviceUse]) -> str:
    """That pods of the same workload hold devices, older ones or those beside the pod; or that a device is one with others."""
    if shared := _same_pools(world, held):
        return shared
    own = owners_of(world.dump, pod)
    pods = (one for use in held for one in use.pods)
    above = {one: owners_of(world.dump, (pod[0], one.removeprefix(f"{pod[0]}/"))) for one in pods}
    alike = [one for one, owners in above.items() if own and owners[-1:] == own[-1:]]
    if not alike:
        return ""
    which = "older" if own[-1][0] == "Deployment" and own not in above.values() else "other"
    spec, more = mapping_at(world.dump.get(*own[-1]), "spec"), ""
    surge = mapping_at(spec, "strategy", "rollingUpdate").get("maxSurge", 0)
    if which == "older" and surge not in (0, "0%"):
        more = f", as its rolling update starts pods before older ones end (maxSurge {surge})"
    elif count := which == "other" and (spec.get("parallelism") or spec.get("replicas")):
        more = f" ({count} pods want devices of their own)"
    return f"; {which} pods of the same {own[-1][0]} hold devices: {first_of(alike)}{more}"


# Upstream: PreFilterExtensions of the plugin DynamicResources is nil (1.34 to 1.37), so that preemption tries no claims.
def _about_holders(
    world: RecordedCluster, report: PodReport, held: Iterable[DeviceUse]
) -> Iterator[str]:
    """That a pod of lower priority keeps devices, and which claims with devices are reserved for what is no pod."""
    mine = mapping_at(report.pod.spec).get("priority") or 0
    pods = {use.claim: use.pods for use in held}
    claims = [one for one in world.dump.claims.values() if "/".join(key_of(one)) in pods]
    for one in sorted(claims, key=lambda one: priority_of(world.dump, one)):
        name = next(iter(pods["/".join(key_of(one))]), None)
        if name and priority_of(world.dump, one) < mine and key_of(one)[0] != "kube-system":
            yield f"pod {name} is of lower priority, and kube-scheduler ends no pod for devices of claims"
            break
    for name in dict.fromkeys(itertools.chain(*pods.values())):
        pod = world.dump.get("Pod", (name.partition("/")[0], name.partition("/")[2])) or {}
        yield from (f"Pod {name}, which has one: {t}" for t in list(container_trouble(pod))[:1])
    yield from filter(None, map(foreign_of, claims))


def _same_pools(world: RecordedCluster, held: Iterable[DeviceUse]) -> str:
    """That a device in use is published by several nodes in pools of one name; empty if none is."""
    slices = world.simulation.cluster.inventory.slices
    for use in held:
        own = (one for one in slices if (one.driver, one.pool) == (use.driver, use.pool))
        named = (one for one in own if use.device in (device.name for device in one.devices))
        if len(nodes := {one.node_name for one in named if one.node_name}) > 1:
            return f"; {use.name} is published by {len(nodes)} nodes ({first_of(sorted(nodes))}): kube-scheduler takes devices of one driver, pool and name for one, so that a claim on one node keeps them from all"
    return ""


def _plugin_troubles(world: RecordedCluster, drivers: Collection[str]) -> Iterator[str]:
    """Trouble of the plugins and operators of these drivers, which publish no slice."""
    for one in drivers:
        troubles = list(driver_trouble(world.dump, one, world.simulation))
        running = _unpublished(world, one, world.simulation.cluster.inventory.nodes)
        yield from itertools.islice((*troubles, *running), 2)


def _silent(world: RecordedCluster, report: PodReport) -> Iterator[str]:
    """Plugins of nodes for which their driver publishes nothing; and that it publishes for other nodes than there are."""
    names = [name for name, absent in _asked_classes(world, report) if not absent]
    nodes = [node for one in report.verdicts if one.kind == "none" for node in one.nodes]
    for driver in dict.fromkeys(one for name in names for one in _drivers(world, name) or ()):
        yield from _unpublished(world, driver, nodes)
        found = world.simulation.cluster.inventory
        of = {one.node_name for one in found.slices if one.driver == driver}
        if world.dump.has("Node") and None not in of and of.isdisjoint(n.name for n in found.nodes):
            yield f"the slices of driver {driver} are of {first_of(sorted(map(str, of)))}, of which no node has the name"
        yield from _selecting(found.slices, driver)
        for name in [node.name for node in nodes if node.name not in of][:_LOOKED_AT]:
            yield from driver_trouble(world.dump, driver, world.simulation, name)


def _selecting(slices: Iterable[Slice], driver: str) -> Iterator[str]:
    """The labels of nodes for which slices of a driver are."""
    given = (one.node_selector for one in slices if one.driver == driver)
    terms = (term for one in given for term in mappings_at(one, "nodeSelectorTerms"))
    for rule in (one for term in terms for one in mappings_at(term, "matchExpressions")):
        text = f"{rule.get('key')} {rule.get('operator')} {first_of([*rule.get('values', ())])}"
        yield f"slices of driver {driver} are for nodes with {text.strip()}"


def _unpublished(world: RecordedCluster, driver: str, nodes: Sequence[Node]) -> Iterator[str]:
    """Plugins of a driver that run on some of these nodes, and publish no slice there, or no device anywhere."""
    slices = world.simulation.cluster.inventory.slices
    own = [one for one in slices if one.driver == driver]
    some = any(one.devices for one in own)
    having = {one.pool for one in own if some}
    idle = [node.name for node in nodes if node.name not in having]
    are_read = world.dump.has("ResourceSlice") and not world.dump.unread
    for name in idle if are_read else ():
        for plugin in plugins_of(world.dump, driver, name):
            more = f" (one of {len(idle)} such nodes)" if some and len(idle) > 1 else ""
            what = "slice there" if some else "device"
            yield f"{label_of(plugin)} runs on {name}{more}, and driver {driver} publishes no {what}"


def _cause(world: RecordedCluster, report: PodReport, count: int, reason: str) -> str:
    """Why `count` nodes, those that nothing else rules out, do not have the devices."""
    unread = [one for one in world.dump.unread if one.startswith("ResourceSlice ")]
    if not world.simulation.cluster.inventory.slices:
        if unread:
            return f"no ResourceSlice of the dump can be read: {unread[0]}"
        doubt = "" if world.dump.has("ResourceSlice") else ", or they were not dumped"
        return f"no driver publishes any ResourceSlice{doubt}{f': {reason}' if reason else ''}"
    if report.attempt.rule:
        errors = [one.text for one in report.verdicts if one.kind == "error"]
        return "; ".join((*errors[:1], report.attempt.rule))
    claims = [world.simulation.claims.get(entry.key) for entry in report.pod.claims]
    constraints = [one for claim in claims for one in mappings_at(claim, *_CONSTRAINTS)]
    shared = [str(one["matchAttribute"]) for one in constraints if "matchAttribute" in one]
    if shared and not reason:
        reason = f"each request finds devices, but not together with the same {first_of(shared)}"
    all_do = count == sum(len(one.nodes) for one in report.verdicts)
    text = f"none of {count} nodes{'' if all_do else ' that do otherwise'} has the devices"
    if count == 1:
        text = f"the only node{'' if all_do else ' that does otherwise'} does not have the devices"
    return f"{text}{f': {reason}' if reason else ''}"


def _ruled_out(
    world: RecordedCluster, report: PodReport, what: str, reason: str
) -> tuple[str, TriedChange | None]:
    """That only nodes have the devices (or free ones) that rule the pod out, and what to change there, tried: no rule on
    nodes is dropped, and no other nodes are selected where it is not known what those lack that the pod selects."""
    node, change = try_placement(world.simulation, report.pod)
    if change is None or (change.text.startswith("select ") and not reason):
        return "", None
    said = (one.text for one in report.verdicts if node in {other.name for other in one.nodes})
    text = f"; {what} on {node}, where {next(said).rstrip('.')}"
    if told := _OUT.search(text) and node_words(world.dump, node):
        return f"{text}; {told}", None
    return text, None if "drop " in change.text else change


def _of_obstacle(world: RecordedCluster, report: PodReport, obstacle: Obstacle) -> Answer:
    if "device class" not in obstacle.text:
        return Answer("", "", "claim", obstacle.text)
    names = sorted(world.simulation.cluster.classes)
    details = [f"classes that are there: {', '.join(names[:8]) or 'none'}"]
    said = any(obstacle.text in reason_of(pod) for pod in world.pending)
    doubted = "" if said else doubt(world.dump, "DeviceClass")
    cause, step = f"{doubted}{obstacle.text}", "unknown" if doubted else "class"
    wanted = re.search(r"class (\S+) does not exist", obstacle.text)
    for near in spelled_alike(wanted[1], names, 1, _TYPO) if wanted else ():
        cause += f"; DeviceClass {near} is there"
    for name, absent in _asked_classes(world, report):
        for driver in absent if name not in names else ():
            text = f"driver {driver} installs {name}, and publishes no slice here: it is not installed, or this part is off"
            details.insert(0, text)
            cause = "; ".join((cause, *_plugin_troubles(world, (driver,))))
    change = _other_class(world, report, names)
    if change and "is there" not in cause:
        cause += f"; DeviceClass {change.text.split()[3]} is there, and has such devices"
    return Answer("", "", step, cause, tuple(details), change=change)


def _asked_classes(world: RecordedCluster, report: PodReport) -> Iterator[tuple[str, list[str]]]:
    """The classes that the pod's requests name, as far as they are known, with drivers that publish no slice."""
    for entry in report.pod.claims:
        claim = world.simulation.claims.get(entry.key)
        for request in mappings_at(claim, "spec", "devices", "requests"):
            name = str(mapping_at(request, "exactly").get("deviceClassName") or "")
            if (absent := _absent_drivers(world, name)) is not None:
                yield name, absent


def _absent_drivers(world: RecordedCluster, name: str) -> list[str] | None:
    """The drivers that a class is for, if none of them publishes a slice; None for a class that is not known."""
    drivers = _drivers(world, name)
    published = {entry.driver for entry in world.simulation.cluster.inventory.slices}
    return ([] if published.intersection(drivers) else drivers) if drivers is not None else None


def _drivers(world: RecordedCluster, name: str) -> list[str] | None:
    record = world.simulation.cluster.classes.get(name)
    record = record or (world.known_class(name) if world.known_class else None)
    return re.findall(_DRIVER, " ".join(map(str, record.selectors))) if record else None


def _other_class(world: RecordedCluster, report: PodReport, names: list[str]) -> TriedChange | None:
    """A class of a name like the missing one with which the pod would fit."""
    import copy

    simulation, known = world.simulation, dict(_asked_classes(world, report))
    for entry in report.pod.claims:
        claim = simulation.claims.get(entry.key)
        if claim is None:
            continue
        for request in mappings_at(claim, "spec", "devices", "requests"):
            wanted = mapping_at(request, "exactly").get("deviceClassName")
            if not wanted or wanted in names:
                continue
            # Of a class that a driver installs no other does the work, unless it is this one by another spelling.
            words = set(re.split(r"\W", str(wanted)))
            alike = [one for one in names if set(re.split(r"\W", one)) - words <= _TOP]
            cutoff, alike = (_TYPO, []) if wanted in known else (_SPELLING, alike)
            alike = spelled_alike(str(wanted), names, 2, cutoff) or alike
            own = set(_drivers(world, str(wanted)) or ())
            found = (one for one in names if not (world.known_class and world.known_class(one)))
            alike += [one for one in found if own.intersection(_drivers(world, one) or ())]
            for near in alike if len(alike) < 3 else ():
                changed = copy.deepcopy(claim)
                for one in changed["spec"]["devices"]["requests"]:
                    if mapping_at(one, "exactly").get("deviceClassName") == wanted:
                        one["exactly"]["deviceClassName"] = near
                other = simulation.fresh()
                other.claims[entry.key] = changed
                if other.place(report.pod, commit=False).fits:
                    text = f"name the DeviceClass {near} in the request {request.get('name')}"
                    return TriedChange(text, patch=tuple(claim_patch(world, report.pod, [changed])))
    return None


def _in_the_way(world: RecordedCluster, report: PodReport) -> tuple[set[DeviceId], str, bool]:
    """The devices that would do if they, or what they share with others, were free; how devices fall out
    that come nearest; and whether some node has devices for each request."""
    wanted: set[DeviceId] = set()
    latest: dict[str, tuple[int, str]] = {}
    together, found = "", set[str]()
    for verdict in report.verdicts:
        if verdict.kind != "none" or verdict.allocator is None:
            continue
        for node in list(verdict.nodes)[:_LOOKED_AT]:
            try:
                problem = world.simulation.fleet.problem(verdict.allocator, node)
            except GatherError:
                continue
            troubles = [f"pool {one.pool}: {one.text}" for one in pool_troubles(problem)]
            funnels = explain(verdict.allocator, problem)
            together = _together(funnels) or together
            for funnel in funnels:
                for stage in funnel.stages:
                    if stage.name in ("in use", "counters", "capacity"):
                        wanted |= set(stage.devices)
                if funnel.enough:
                    found.add(funnel.request)
                else:
                    absent = list(_absent_drivers(world, funnel.class_name) or ())[:1]
                    published = {one.driver for one in world.simulation.cluster.inventory.slices}
                    absent += _nearest(published, absent[0]) if absent else []
                    said = _fallen(funnel, troubles, absent)
                    latest[funnel.request] = max(latest.get(funnel.request, (0, "")), said)
    words = "; ".join(f"request {name}: {text}" for name, (_, text) in latest.items())
    if latest and found >= latest.keys() and not any(number for number, _ in latest.values()):
        words = f"no node has devices for all of {', '.join(latest)}, though each has some"
    return wanted, words or together, all(number for number, _ in latest.values())


def _nearest(published: Collection[str], absent: str) -> list[str]:
    """Of drivers with slices that of a name like this one's, or the only one."""
    near = get_close_matches(absent, published, n=1, cutoff=_ALIKE)
    alone = [f"only driver {one}" for one in published if len(published) == 1]
    return [f"driver {one}" for one in near] or alone


def _together(funnels: Sequence[Funnel]) -> str:
    """That requests find devices each, and too few for all of them; empty if it is not so."""
    asked = sum(one.wanted for one in funnels if "/" not in one.request)
    fit = {device for one in funnels for device in one.left}
    short = len(fit) < asked and all(one.enough for one in funnels)
    text = f"its requests ask for {asked} devices in all, and {len(fit)} that match can be had"
    return text if short else ""


def _fallen(funnel: Funnel, troubles: Sequence[str], absent: Sequence[str]) -> tuple[int, str]:
    """The stage at which the last devices fall out, by number, and in words; `troubles` are those of pools, `absent`
    the driver of the class without slices, and one of a like name that has some."""
    if absent:
        near = f" ({absent[1]} does)" if len(absent) > 1 else ""
        text = f"driver {absent[0]} of class {funnel.class_name} publishes no ResourceSlice{near}"
        return 1, text
    none = f"no device is published there for class {funnel.class_name}"
    some = f"{len(funnel.left)} of {funnel.wanted} devices"
    taken = sum(len(one.devices) for one in funnel.stages if one.name == "in use")
    more = f", {taken} more in use" if taken else ""
    tight = [one for one in funnel.groupings if one.largest < one.wanted <= len(funnel.left)]
    for one in tight[:1]:
        kind = f"{('the same', 'different')[one.distinct]} {one.attribute}"
        if not one.largest:
            return len(STAGES), f"the matching devices do not have the attribute {one.attribute}"
        return len(STAGES), f"{one.largest} of {funnel.wanted} devices have {kind}{more}"
    if not funnel.stages:
        return (1, f"{some} are there") if funnel.seen else (0, (*troubles, none)[0])
    last = funnel.stages[-1]
    number = STAGES.index(last.name)
    clause = last.clauses[0].text if last.clauses else ""
    given = last.clauses[0].values if last.clauses else ()
    if last.name == "class" and given and given[0][0] == "driver":
        return 0, (*troubles, none)[0]
    values = ", ".join(f"{name.rpartition('/')[2]} {first_of(found)}" for name, found in given)
    shown = f": they have {values}" if values else ""
    room = ", ".join(last.detail[:2])
    words = {
        "class": f"no device passes class {funnel.class_name}, {clause}{shown}",
        "selector": f"no device passes {clause}{shown}"
        if not funnel.left
        else f"{some} left after {clause}",
        "error": f"the selector fails on devices: {last.clauses[0].error}" if clause else "",
        "in use": f"the matching devices are in use{f' ({some} left{_ALL[funnel.everything]})' if funnel.left else ''}",
        "counters": "the matching devices need more of the counters that they share than devices in use leave",
        "capacity": f"the matching devices have too little capacity ({room})",
        "taint": f"{f'{some} left, others' if funnel.left else 'the matching devices'} are tainted ({room})",
    }
    return number, (words.get(last.name) or f"{last.name} ({some} left)") + more * (
        last.name != "in use"
    )


def _holders(world: RecordedCluster, wanted: Collection[DeviceId]) -> tuple[DeviceUse, ...]:
    """Who has these devices; what is held for pods that are gone, ended or cannot end comes first."""
    inventory = world.simulation.cluster.inventory
    known = devices_by_id(inventory, {device[:2] for device in wanted})
    published = Published(inventory)
    found = [
        use
        for claim in world.dump.claims.values()
        if any(device_of(result) in wanted for result in results_of(claim))
        for use in uses_of(claim, world.dump, published, known)
        if DeviceId(use.driver, use.pool, use.device) in wanted
    ]
    return tuple(sorted(found, key=lambda use: not use.leftover))
