"""What else of a cluster an answer needs, by the objects that it is about: their words, owners, claims and drivers."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from dradsl.cli.cluster_lists import WantedList, lists
from dradsl.values.plain import mapping_at, mappings_at
from dradsl.why.dump import is_plugin, key_of
from dradsl.why.examine import is_waiting
from dradsl.why.observed.domains import DOMAIN
from dradsl.why.observed.operators import may_concern
from dradsl.why.observed.pods import container_trouble
from dradsl.why.target import KINDS, whole_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dradsl.cli.cluster_lists import ClusterLists
    from dradsl.why.dump import Document, Dump
    from dradsl.why.target import WhyTarget

__all__ = ["needed_lists"]

_NAMED = re.compile(r'"(resourceClaim|resourceClaimTemplate|deviceClass)Name": "([^"]+)"')
_DRIVERS = re.compile(
    r"""device\.driver\s*==\s*\\?["']([^"'\\]+)|"driver": "([^"]+)"|"""
    r"(?:driver|plugin name|plugin) (\S+) (?:is not registered|not found in)|absent DeviceClass (\S+)"
)
_FAILED = re.compile(r'"deletionTimestamp"|FailedPrepareDynamicResources')
_AUTOSCALER = "cluster-autoscaler"
_SCALED = re.compile(r"TriggerScaleUp|TriggeredScaleUp|FailedScaleUp")


def needed_lists(
    dump: Dump, target: WhyTarget, asked: Sequence[Document], cluster: ClusterLists
) -> list[WantedList]:
    """The lists that an answer about these objects needs and that were not asked for; none once all are read."""
    found, text = _around(dump, asked)
    drivers = {"".join(one) for one in _DRIVERS.findall(text)}
    slices = {str(mapping_at(one, "spec").get("driver")) for one in dump.all("ResourceSlice")}
    absent, failed = drivers - slices, _FAILED.search(text)
    troubled = list(_troubled(dump)) if absent or failed or DOMAIN in text else []
    text += _around(dump, troubled)[1]
    entries = [*_by_words(text, cluster), *_by_owners(found, cluster), *_by_kind(target, cluster)]
    for space in dict.fromkeys(key_of(one)[0] for one in troubled):
        entries += (f"events@{space}", f"deployments.apps@{space}")
    if absent or (failed and troubled):
        entries += _of_operators(absent or drivers, cluster)
    if any(map(is_waiting, asked)) and not _SCALED.search(text):
        pods = (key_of(one) for one in dump.all("Pod"))
        entries += (f"deployments.apps@{space}" for space, one in pods if _AUTOSCALER in one)
    return _lists(entries, target, cluster)


def _lists(entries: Iterable[str], target: WhyTarget, cluster: ClusterLists) -> list[WantedList]:
    """The lists of entries RESOURCE.GROUP[@NAMESPACE], as far as they are not read; `*`: of all namespaces."""
    found: dict[tuple[str, str], WantedList] = {}
    for entry in entries:
        name, _, given = entry.partition("@")
        served = cluster.served.get(name)
        everywhere = given == "*" or (served is not None and not served.namespaced)
        only = "" if everywhere else given or target.namespace
        if cluster.done.isdisjoint({(name, only), (name, "")}):
            paths = () if served is None else (served.path,)
            found[name, only] = WantedList(name, paths, not everywhere or given == "*", only)
    return [one for one in found.values() if not one.only or (one.name, "") not in found]


def _around(dump: Dump, documents: Iterable[Document]) -> tuple[list[Document], str]:
    """These objects, their owners, claims, templates and classes; and what all of them and their events say, as a text."""
    found, texts = list(documents), list[str]()
    known = set(map(id, found))
    extended = [
        (mapping_at(one, "spec").get("extendedResourceName"), one)
        for one in dump.all("DeviceClass")
    ]
    for one in found:
        text, space = json.dumps(one), key_of(one)[0]
        texts.append(text)
        names = [(f"{kind[0].upper()}{kind[1:]}", name) for kind, name in _NAMED.findall(text)]
        owners = mappings_at(one, "metadata", "ownerReferences")
        names += [(str(owner.get("kind")), str(owner.get("name"))) for owner in owners]
        names += [
            ("DeviceClass", key_of(each)[1]) for name, each in extended if f'"{name}"' in text
        ]
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
        if (about.get("kind"), about.get("namespace") or "default", about.get("name")) in keys:
            texts.append(json.dumps(event))
    return found, "\n".join(texts)


def _troubled(dump: Dump) -> Iterator[Document]:
    """Plugins of drivers and daemons of ComputeDomains that are not in order."""
    for one in (*dump.all("DaemonSet"), *dump.all("Pod")):
        status = mapping_at(one, "status")
        wanted, phase = status.get("desiredNumberScheduled"), status.get("phase")
        pods_lack = one.get("kind") == "DaemonSet" and not (
            wanted and status.get("numberReady") == wanted
        )
        is_bad = pods_lack or (phase and phase != "Running") or any(container_trouble(one))
        if is_bad and (is_plugin(one) or DOMAIN in json.dumps(one)):
            yield one


def _by_words(text: str, cluster: ClusterLists) -> Iterator[str]:
    for row in lists()["needed"]:
        for found in re.finditer(row["when"], text):
            for entry in map(found.expand, row["read"]):
                if not row.get("if_served") or entry.partition("@")[0] in cluster.served:
                    yield entry


def _by_owners(found: Iterable[Document], cluster: ClusterLists) -> Iterator[str]:
    """Lists of the kinds that own these objects."""
    kinds = {(n.partition(".")[2], one.kind): n for n, one in cluster.served.items()}
    for one in found:
        for owner in mappings_at(one, "metadata", "ownerReferences"):
            api = str(owner.get("apiVersion")).rpartition("/")[0]
            if name := kinds.get((api, str(owner.get("kind")))):
                yield f"{name}@{key_of(one)[0]}"


def _by_kind(target: WhyTarget, cluster: ClusterLists) -> Iterator[str]:
    """The list of the kind that the user names, and of an operator's kind those of its group: they are owned by it."""
    word = whole_word(target.kind)
    for name, one in cluster.served.items() if target.kind not in KINDS.values() else ():
        group = name.partition(".")[2]
        if word in one.names:
            yield name
            yield from (
                other
                for other, each in cluster.served.items()
                if each.namespaced and _is_added(group) and other.partition(".")[2] == group
            )


def _of_operators(drivers: Iterable[str], cluster: ClusterLists) -> Iterator[str]:
    """Lists of kinds that set up drivers or install them."""
    yield from (one for one in lists()["operators"] if one.partition("@")[0] in cluster.served)
    for name, one in cluster.served.items():
        group = name.partition(".")[2]
        if _is_added(group) and any(may_concern(one.kind, group, driver) for driver in drivers):
            yield f"{name}@*"


def _is_added(group: str) -> bool:
    """Whether a group of the API is of an operator, not of Kubernetes."""
    return "." in group and not group.endswith(".k8s.io")
