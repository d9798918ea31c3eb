"""What else of a cluster an answer needs, by the objects that it is about: their words, owners, claims and drivers."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from dradsl.cli.cluster_lists import lists
from dradsl.values.plain import mapping_at, mappings_at
from dradsl.why.dump import is_plugin, key_of
from dradsl.why.examine import has_claims, is_waiting
from dradsl.why.observed.controllers import below
from dradsl.why.observed.domains import DOMAIN
from dradsl.why.observed.operators import may_concern
from dradsl.why.observed.pods import container_trouble
from dradsl.why.target import KINDS, find, pods_of, whole_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dradsl.cli.cluster_lists import ClusterLists, WantedList
    from dradsl.why.dump import Document, Dump
    from dradsl.why.target import WhyTarget

__all__ = ["needed_lists"]

_NAMED = re.compile(r'"(resourceClaim|resourceClaimTemplate|deviceClass)Name": "([^"]+)"')
_DRIVERS = re.compile(
    r"""device\.driver\s*==\s*\\?["']([^"'\\]+)|"driver": "([^"]+)"|"""
    r"(?:driver|plugin name|plugin) (\S+) (?:is not registered|not found in)|absent DeviceClass (\S+)"
)
_FAILED = re.compile(r'"deletionTimestamp"|FailedPrepareDynamicResources')
_SCALED = re.compile(r"TriggerScaleUp|TriggeredScaleUp|FailedScaleUp")
_AUTOSCALER = "cluster-autoscaler"


def needed_lists(
    dump: Dump, target: WhyTarget, manifests: Sequence[Document], cluster: ClusterLists
) -> list[WantedList]:
    """The lists that an answer about a target or manifests needs and that were not asked for yet."""
    asked = list(_in_question(dump, target, manifests))
    found, text = _around(dump, asked)
    drivers = {"".join(one) for one in _DRIVERS.findall(text)}
    slices = {str(mapping_at(one, "spec").get("driver")) for one in dump.all("ResourceSlice")}
    absent, failed = drivers - slices, _FAILED.search(text)
    troubled = list(_troubled(dump)) if absent or failed or DOMAIN in text else []
    text += _around(dump, troubled)[1]
    wanted = [
        found.expand(entry)
        for row in lists()["needed"]
        for found in re.finditer(row["when"], text)
        for entry in row["read"]
        if not row.get("if_served") or entry.partition("@")[0] in cluster.served
    ]
    for space in dict.fromkeys(key_of(one)[0] for one in troubled):
        wanted += (f"events@{space}", f"deployments.apps@{space}")
    if any(map(is_waiting, asked)) and not _SCALED.search(text):
        pods = (key_of(one) for one in dump.all("Pod"))
        wanted += (f"deployments.apps@{space}" for space, name in pods if _AUTOSCALER in name)
    unsure = (absent or drivers) if absent or (failed and troubled) else ()
    wanted += _of_operators(found, target, unsure, cluster)
    return _unread(wanted, target.namespace, cluster)


def _unread(entries: Iterable[str], namespace: str, cluster: ClusterLists) -> list[WantedList]:
    """The lists that entries (RESOURCE.GROUP, @NAMESPACE or @* for all) name and that were not asked for yet."""
    found: dict[WantedList, None] = {}
    for entry in entries:
        name, _, given = entry.partition("@")
        served = cluster.served.get(name)
        everywhere = given == "*" or (served is not None and not served.namespaced)
        found[name, "" if everywhere else given or namespace] = None
    asked = {*cluster.done, *found}
    return [
        one
        for one in found
        if one not in cluster.done and (not one[1] or (one[0], "") not in asked)
    ]


def _in_question(
    dump: Dump, target: WhyTarget, manifests: Sequence[Document]
) -> Iterator[Document]:
    """The objects that the user asks about, and what they own; for a claim also pods that wait."""
    yield from manifests
    meant = find(dump, target) if target.name else ()
    for one in meant:
        yield from (one, *pods_of(dump, one), *below(dump, one))
    if (not meant and not manifests) or any(one.get("kind") == "ResourceClaim" for one in meant):
        yield from (
            one
            for one in dump.all("Pod")
            if is_waiting(one)
            and has_claims(one, dump)
            and target.namespace in ("", key_of(one)[0])
        )


def _around(dump: Dump, documents: Iterable[Document]) -> tuple[list[Document], str]:
    """These objects, their owners, claims, templates and classes; and what they and their events say, as a text."""
    found, texts = list(documents), list[str]()
    known = set(map(id, found))
    extended = {
        f'"{mapping_at(one, "spec").get("extendedResourceName")}"': key_of(one)[1]
        for one in dump.all("DeviceClass")
    }
    for one in found:
        text, space = json.dumps(one), key_of(one)[0]
        names = [(f"{kind[0].upper()}{kind[1:]}", name) for kind, name in _NAMED.findall(text)]
        names += [("DeviceClass", name) for word, name in extended.items() if word in text]
        owners = mappings_at(one, "metadata", "ownerReferences")
        names += [(str(owner.get("kind")), str(owner.get("name"))) for owner in owners]
        texts.append(text)
        for kind, name in names:
            there = dump.get(kind, (space, name)) or dump.get(kind, ("default", name))
            if there is None:
                texts.append(f"absent {kind} {name}")
            elif id(there) not in known:
                known.add(id(there))
                found.append(there)
    keys = {(one.get("kind"), *key_of(one)) for one in found}
    for event in dump.all("Event"):
        about = mapping_at(event, "involvedObject") or mapping_at(event, "regarding")
        if (about.get("kind"), *key_of({"metadata": about})) in keys:
            texts.append(json.dumps(event))
    return found, "\n".join(texts)


def _troubled(dump: Dump) -> Iterator[Document]:
    """Plugins of drivers and daemons of ComputeDomains that are not in order."""
    for one in (*dump.all("DaemonSet"), *dump.all("Pod")):
        status = mapping_at(one, "status")
        wanted = status.get("desiredNumberScheduled")
        is_well = wanted and status.get("numberReady") == wanted
        if one.get("kind") == "Pod":
            is_well = status.get("phase") in ("Running", None) and not any(container_trouble(one))
        if not is_well and (is_plugin(one) or DOMAIN in json.dumps(one)):
            yield one


def _of_operators(
    found: Iterable[Document], target: WhyTarget, drivers: Iterable[str], cluster: ClusterLists
) -> Iterator[str]:
    """Lists of what owns objects, of the kind that the user names with its group, and of what sets up these drivers."""
    owners = [one for each in found for one in mappings_at(each, "metadata", "ownerReferences")]
    kinds = {(str(one.get("apiVersion")).rpartition("/")[0], one.get("kind")) for one in owners}
    word = "" if target.kind in KINDS.values() else whole_word(target.kind)
    served = [(name, name.partition(".")[2], one) for name, one in cluster.served.items()]
    # What an operator's object owns is of its group, if of no kind of Kubernetes.
    groups = {group for _, group, one in served if word in one.names and _is_added(group)}
    for name, group, one in served:
        if (group, one.kind) in kinds or word in one.names or (group in groups and one.namespaced):
            yield name
        if _is_added(group) and any(may_concern(one.kind, group, driver) for driver in drivers):
            yield f"{name}@*"
    if drivers:
        yield from (one for one in lists()["operators"] if one.partition("@")[0] in cluster.served)


def _is_added(group: str) -> bool:
    """Whether a group of the API is of an operator, not of Kubernetes."""
    return "." in group and not group.endswith(".k8s.io")
