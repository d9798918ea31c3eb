"""What else of a cluster an answer needs, by the objects that it is about: their words, owners, claims and drivers."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from dradsl.cli.cluster_lists import lists
from dradsl.values.plain import mapping_at, mappings_at
from dradsl.why.dump import is_plugin, key_of
from dradsl.why.examine import is_waiting, waiting_in
from dradsl.why.observed.controllers import below
from dradsl.why.observed.domains import DOMAIN
from dradsl.why.observed.operators import may_concern
from dradsl.why.observed.pods import container_trouble
from dradsl.why.target import KINDS, find, pods_of, whole_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dradsl.cli.cluster_lists import ClusterLists
    from dradsl.why.dump import Document, Dump
    from dradsl.why.target import WhyTarget

__all__ = ["needed_lists"]


def needed_lists(
    dump: Dump, target: WhyTarget, manifests: Sequence[Document], cluster: ClusterLists
) -> list[str]:
    """The lists that an answer about a target or manifests needs and that were not asked for yet."""
    asked = [*manifests, *(find(dump, target) if target.name else ())]
    owned = [one for each in asked for one in (*pods_of(dump, each), *below(dump, each))]
    if all(one.get("kind") == "ResourceClaim" for one in asked):  # also of none
        owned += waiting_in(dump, target.namespace)
    found, text = _around(dump, (*asked, *owned))
    drivers = {"".join(one) for one in re.findall(lists()["drivers"], text)}
    slices = {str(mapping_at(one, "spec").get("driver")) for one in dump.all("ResourceSlice")}
    absent, failed = drivers - slices, re.search(lists()["failed"], text)
    troubled = list(_troubled(dump)) if absent or failed or DOMAIN in text else []
    text += _around(dump, troubled)[1]
    wanted = [
        match.expand(entry)
        for row in lists()["needed"]
        for match in re.finditer(row["when"], text)
        for entry in row["read"]
        if not row.get("if_served") or entry.partition("@")[0] in cluster.served
    ]
    for space in {key_of(one)[0] for one in troubled}:
        wanted += (f"events@{space}", f"deployments.apps@{space}")
    if any(map(is_waiting, found)) and not re.search(lists()["scaled"], text):
        keys = (key_of(one) for one in dump.all("Pod"))
        wanted += (f"deployments.apps@{one[0]}" for one in keys if "cluster-autoscaler" in one[1])
    wanted += _by_kinds(found, target, absent or drivers if absent or troubled else (), cluster)
    return _unread(wanted, target.namespace, cluster)


def _unread(entries: Iterable[str], namespace: str, cluster: ClusterLists) -> list[str]:
    """The lists that entries (RESOURCE.GROUP, @NAMESPACE or @* for all) name and that were not asked for yet."""
    found: dict[str, str] = {}
    for entry in entries:
        name, _, given = entry.partition("@")
        served = cluster.served.get(name)
        everywhere = given == "*" or (served is not None and not served.namespaced)
        only = "" if everywhere else given or namespace
        found[f"{name}@{only}" if only else name] = name
    all_read = cluster.done | found.keys()
    return [
        e
        for e, name in found.items()
        if e not in cluster.done and (e == name or name not in all_read)
    ]


def _around(dump: Dump, documents: Iterable[Document]) -> tuple[list[Document], str]:
    """These objects, their owners, claims, templates and classes; and what they and their events say, as a text."""
    found, texts = list(documents), list[str]()
    known = set(map(id, found))
    extended = [
        (mapping_at(one, "spec").get("extendedResourceName"), one)
        for one in dump.all("DeviceClass")
    ]
    for one in found:
        text, space = json.dumps(one), key_of(one)[0]
        names = [
            (f"{kind[0].upper()}{kind[1:]}", name)
            for kind, name in re.findall(lists()["named"], text)
        ]
        names += [
            ("DeviceClass", key_of(each)[1]) for name, each in extended if f'"{name}"' in text
        ]
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


def _by_kinds(
    found: Iterable[Document], target: WhyTarget, drivers: Iterable[str], cluster: ClusterLists
) -> Iterator[str]:
    """Lists of what owns objects, of the kind that the user names with its group, and of what sets up these drivers."""
    owners = [one for each in found for one in mappings_at(each, "metadata", "ownerReferences")]
    kinds = {(str(one.get("apiVersion")).rpartition("/")[0], one.get("kind")) for one in owners}
    word = "" if target.kind in KINDS.values() else whole_word(target.kind)
    served = [(name, name.partition(".")[2], one) for name, one in cluster.served.items()]
    added = {group for _, group, _ in served if "." in group and not group.endswith(".k8s.io")}
    # What an operator's object owns is of its group.
    groups = added & {group for _, group, one in served if word in one.names}
    for name, group, one in served:
        if (group, one.kind) in kinds or word in one.names or (group in groups and one.namespaced):
            yield name
        if group in added and any(may_concern(one.kind, group, driver) for driver in drivers):
            yield f"{name}@*"
    yield from (
        one for one in lists()["operators"] if drivers and one.partition("@")[0] in cluster.served
    )
