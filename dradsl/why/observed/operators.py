"""What is behind a driver that does not run: its operator's objects, what sets its node labels, and its node."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from dradsl.values.plain import mapping_at, mappings_at
from dradsl.why.dump import conditions_of, key_of, label_of, words_of
from dradsl.why.observed.plugins import (
    plugins_named,
    text_of,
    troubles_of,
    unnamed_trouble,
    vendors_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dradsl.simulate.attempts import Simulation
    from dradsl.why.dump import Document, Dump

__all__ = ["api_trouble", "around", "driver_trouble", "node_words", "operator_trouble"]

_SHOWN = 2  # of what is behind it
_GOOD = re.compile(r"(?i)(ready|available|healthy|installed|released|reconciled|synced|succeeded)$")
_BAD = re.compile(r"(?i)error|fail|degraded|stalled|invalid|installplanpending")
_IDLE = ("NFDLabelsMissing", "NoGPUNodes")  # the GPU operator is ready with these, and does nothing
_STATE = re.compile(r"(?i)^(not ?ready|in ?progress)$|fail|error|degraded")
_STATES = ("state", "phase", "syncStatus")
_SAID = ("lastSyncError", "lastError", "message", "reason")
_APPLY = re.compile(r"immutable|is invalid|forbidden|failed to apply|cannot patch|execution error")
_INSTALLS = re.compile(r"dra\b|driver|operator|plugin")
# Kinds of operators that set up hardware of any vendor, and words of those for networks and of such drivers.
_HARDWARE, _NETS = re.compile(r"^Module$"), re.compile(r"(?i)\b(net|nic|sriov|rdma|ofed)")
_OTHERS = ("ComputeDomain", "Workload", "PodGroup", "SriovResourcePolicy")
# Labels that others set for DaemonSets, and names or images of the pods that do so.
_SET = re.compile(r"feature\.node\.|nvidia\.com/|amd\.com/|kmm\.node\.")
_SETTERS = re.compile(r"feature-discovery|\bnfd|labeller|\bkmm-|kernel-module|gpu-operator|mig-man")
# Labels and annotations by which operators tell that they have taken a node out, and their values.
_MARKS = re.compile(r"(?i)state$|drain|quarantine|maintenance|cordon|upgrade|remediation|reboot")
_TAKEN = re.compile(
    r"(?i)=.*(fail|drain|cordon|pending|paused|required|progress|reboot|quarantin)|-in-progress="
)
_UNREADY = re.compile(r"^(?!node\.kubernetes\.io/).*(not-ready|uninitialized|unregistered)$")
# Taints by which autoscalers and clouds tell that a node goes.
_GOES = re.compile(r"^ToBeDeletedBy|^karpenter\.sh/disrupt|/shutdown$|-termination$")
_SERVICE = re.compile(r"failed calling webhook.*https?://(?P<name>[\w-]+)\.(?P<space>[\w-]+)\.svc")
_AWAITED = re.compile(r"(?:DaemonSet|Deployment)/(?P<space>[\w-]+)/(?P<name>[\w.-]+) status: ")
_PRESSURES = ("Ready", "DiskPressure", "MemoryPressure", "PIDPressure", "NetworkUnavailable")


def driver_trouble(
    dump: Dump, driver: str, simulation: Simulation | None = None, node: str = ""
) -> Iterator[str]:
    """What keeps the plugin of a driver from running, on a node or on any, with what is behind it."""
    plugins = plugins_named(dump, driver)
    found = list(troubles_of(dump, plugins, node, simulation))
    if not found and not plugins:
        found = list(filter(None, (unnamed_trouble(dump, simulation, node),)))
    for text in found:
        behind = around(dump, text, driver, simulation)
        yield "; ".join((f"{text}{api_trouble(dump, text)}", *behind))
    others = [] if node else operator_trouble(dump, driver)
    others = [one for one in others if one not in found and (not found or _APPLY.search(one))]
    yield from others[: 1 if found else _SHOWN]


def around(
    dump: Dump, text: str, driver: str = "", simulation: Simulation | None = None
) -> list[str]:
    """What is behind a trouble of a plugin: who sets the label that no node has, or what its init container waits for."""
    space = re.match(r"(?:DaemonSet|Pod) ([\w.-]+)/", text)
    label = re.search(r"no node (?:of the dump )?has the label (\S+?)=", text)
    found: Iterable[str] = ()
    if label:
        pods = (one for one in _workloads(dump) if _SET.search(label[1]))
        pods = (one for one in pods if _SETTERS.search(text_of(one)))
        own = (m for m in dump.all("Module") if f"/{'.'.join(key_of(m))}.ready" in label[1])
        modules = (f"{label_of(one)}: {told}" for one in own if (told := bad_state(one)))
        found = itertools.chain(troubles_of(dump, pods, simulation=simulation), modules)
    elif space and "has not ended" in text:
        near = (one for one in _workloads(dump) if key_of(one)[0] == space[1])
        others = [one for one in troubles_of(dump, near) if "has not ended" not in one]
        found = others or operator_trouble(dump, driver, space[1])
    # Only what is about other objects than the text.
    some = (one for one in found if " ".join(one.split(" ", 2)[:2]) not in text)
    return list(itertools.islice(dict.fromkeys(some), _SHOWN))


def operator_trouble(dump: Dump, driver: str, space: str = "") -> list[str]:
    """Objects and workloads that install or set up a driver, by their names, and are not in order; if there are none, those
    that set up other hardware."""
    vendors, spaces = vendors_of(driver), {key_of(one)[0] for one in plugins_named(dump, driver)}
    found, possible = list[str](), list[str]()
    for one in dump:
        kind, (_, name) = str(one.get("kind")), key_of(one)
        own = mapping_at(one, "metadata").get("namespace")
        api = str(one.get("apiVersion"))
        words = "" if kind.startswith(_OTHERS) or "." not in api else bad_state(one)
        text = f"{label_of(one) if own else f'{kind} {name}'}: {words}"
        of_all = own is None or dump.get("Node", ("default", name))  # of the cluster, or of a node
        is_near = own in {*spaces, space} or _is_of(f"{own} {api if of_all else ''}", vendors)
        alike = _is_of(name, vendors) or {*name.split("-")} >= {*driver.split(".")}
        if words and (is_near or (_INSTALLS.search(name) and alike)):
            found.append(text)
        elif words and (
            (_NETS if _NETS.search(driver) else _HARDWARE).search(kind)
            or (kind in ("Application", "HelmRelease") and re.search(r"\bdra\b", name))
        ):
            possible.append(text.replace(": ", ", which may concern it: ", 1))
    installs = (one for one in _workloads(dump) if _INSTALLS.search(text_of(one)))
    found += troubles_of(dump, (one for one in installs if _is_of(text_of(one), vendors)))
    return found or possible


def _is_of(text: str, vendors: Iterable[str]) -> bool:
    squashed, words = text.lower().replace("-", ""), set(re.split(r"\W+", text.lower()))
    return any(one in words or (len(one) > 4 and one in squashed) for one in vendors)


def _workloads(dump: Dump) -> list[Document]:
    return [one for kind in ("DaemonSet", "Deployment", "Pod") for one in dump.all(kind)]


def bad_state(document: Document) -> str:
    """What the status of an object says, if it is not that all is well; empty if it says nothing, or that."""
    status = mapping_at(document, "status")
    conditions = sorted(
        conditions_of(document).items(), key=lambda each: each[1].get("reason") == "RetriesExceeded"
    )
    for kind, one in sorted(conditions, key=lambda each: not each[1].get("message")):
        # The conditions of an Application of Argo CD have no status: those that are there hold.
        pattern = {"True": _BAD, "False": _GOOD}.get(str(one.get("status", True)))
        is_idle = kind == "Ready" and one.get("reason") in _IDLE
        if is_idle or (pattern is not None and pattern.search(kind)):
            return f"{kind} is {one.get('status', True)}: {words_of(one)}".rstrip(": ")
    for name in status:
        part = mapping_at(status, name)
        wanted, count = part.get("nodesMatchingSelectorNumber"), part.get("availableNumber") or 0
        if isinstance(wanted, int) and isinstance(count, int) and count < wanted:
            return f"{name} is ready on {count} of {wanted} nodes that it selects"
    parts = (*mappings_at(status, "appliedStates"), status, mapping_at(status, "operationState"))
    return next(filter(None, map(_state_of, parts)), "")


def _state_of(status: Mapping[str, object]) -> str:
    states = [str(status.get(key)) for key in _STATES if _STATE.search(str(status.get(key)))][:1]
    said = [str(status[key]) for key in _SAID if status.get(key)][:1]
    named = [str(status.get("name"))] if "name" in status else []
    is_bad = states and (said or "rogress" not in states[0])
    return ": ".join((*named, *states, *said)) if is_bad else ""


# Nodes


def node_words(dump: Dump, name: str) -> str:
    """Why Kubernetes or an operator has taken a node out, in words; empty if the dump does not tell."""
    node = dump.get("Node", ("default", name)) or {}
    for kind, one in conditions_of(node).items():
        if kind in _PRESSURES and (one.get("status") == "True") != (kind == "Ready"):
            what = "is not ready" if kind == "Ready" else f"has {kind}"
            return f"node {name} {what}: {words_of(one)}"
    spec, head = mapping_at(node, "spec"), mapping_at(node, "metadata")
    given = {**mapping_at(head, "annotations"), **mapping_at(head, "labels")}
    given = {k: v for k, v in given.items() if _MARKS.search(k) and _TAKEN.search(f"{k}={v}")}
    out = spec.get("unschedulable")
    told = {key: f"is cordoned, with {key}={value}" for key, value in given.items() if out}
    keys = [str(one.get("key")) for one in mappings_at(spec, "taints")]
    told |= {key: f"has the taint {key} until it is set up" for key in keys if _UNREADY.search(key)}
    told |= {key: f"is about to go (taint {key})" for key in keys if _GOES.search(key)}
    vendors = {one for key in told for one in vendors_of(key.partition("/")[0])}
    pods = (one for one in dump.all("Pod") if _is_of(text_of(one), vendors))
    behind = itertools.islice(troubles_of(dump, pods, name), 1)
    return "; ".join((*(f"node {name} {one}" for one in list(told.values())[:1]), *behind))


def api_trouble(dump: Dump, text: str) -> str:
    """What keeps the pods from running that a text is about: those of a webhook's service, or of what Helm waits for."""
    named = _SERVICE.search(text) or _AWAITED.search(text)
    pods = [one for one in _workloads(dump) if named and key_of(one)[0] == named["space"]]
    alike = [one for one in pods if named and key_of(one)[1].startswith(named["name"])]
    some = troubles_of(dump, alike or (pods if _SERVICE.search(text) else []))
    return next((f"; {one}" for one in some if one not in text and text not in one), "")
