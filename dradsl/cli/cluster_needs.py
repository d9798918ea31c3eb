"""What else of a cluster an answer needs, by the objects that it is about: their words, owners, claims and drivers."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from dradsl.cli.cluster_objects import lists
from dradsl.values.plain import mapping_at, mappings_at
from dradsl.why.dump import is_plugin, key_of
from dradsl.why.examine import is_waiting, waiting_in
from dradsl.why.observed.controllers import below
from dradsl.why.observed.domains import DOMAIN
from dradsl.why.observed.operators import concerns
from dradsl.why.target import KINDS, find, pods_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dradsl.cli.cluster_objects import Cluster
    from dradsl.why.dump import Document, Dump
    from dradsl.why.target import WhyTarget

__all__ = ["needed_lists"]


def needed_lists(
    dump: Dump, target: WhyTarget, manifests: Sequence[Document], cluster: Cluster
) -> list[str]:
    """The lists that an answer about a target or manifests needs and that were not asked for yet."""
    asked = [*manifests, *(find(dump, target) if target.name else ())]
    owned = [one for each in asked for one in (*pods_of(dump, each), *below(dump, each))]
    if all(one.get("kind") == "ResourceClaim" for one in asked):  # also of none
        owned += waiting_in(dump, target.namespace)
    found, text = _around(dump, (*asked, *owned))
    drivers = {"".join(one) for one in re.findall(lists()["drivers"], text)}
    slices = {str(mapping_at(one, "spec").get("driver")) for one in dump.all("ResourceSlice")}
    absent = {*re.findall(lists()["unregistered"], text), *(drivers - slices)}
    plugins = _plugins(dump) if absent or re.search(lists()["failed"], text) else []
    text += _around(dump, plugins)[1]
    wanted = [f"{one}@{key_of(each)[0]}" for each in plugins for one in lists()["of_plugins"]]
    for row in lists()["needed"]:
        sure = not row.get("if_served")
        read = [one for one in row["read"] if sure or one.partition("@")[0] in cluster.served]
        wanted += (each.expand(one) for each in re.finditer(row["when"], text) for one in read)
    if any(map(is_waiting, found)) and not re.search(lists()["scaled"], text):
        spaces = {space for space, name in dump.keys("Pod") if "cluster-autoscaler" in name}
        wanted += (f"deployments.apps@{one}" for one in spaces)
    wanted += _by_kinds(found, target, absent, cluster)
    return _unread(wanted, target.namespace, cluster)


def _plugins(dump: Dump) -> list[Document]:
    """Plugins of drivers and daemons of ComputeDomains."""
    some = (*dump.all("DaemonSet"), *dump.all("Pod"))
    return [one for one in some if is_plugin(one) or DOMAIN in str(one.get("metadata"))]


def _unread(entries: Iterable[str], namespace: str, cluster: Cluster) -> list[str]:
    """The lists that entries (RESOURCE.GROUP, @NAMESPACE or @* for all) name and that were not asked for yet."""
    found: dict[str, str] = {}
    for name, _, given in (entry.partition("@") for entry in entries):
        served = cluster.served.get(name)
        everywhere = given == "*" or (served is not None and not served.namespaced)
        found[f"{name}@{'' if everywhere else given or namespace}".rstrip("@")] = name
    new = {one: name for one, name in found.items() if cluster.done.isdisjoint((one, name))}
    return [one for one, name in new.items() if one == name or name not in new]


def _around(dump: Dump, documents: Iterable[Document]) -> tuple[list[Document], str]:
    """These objects, their owners, claims, templates and classes; and what they and their events say, as a text."""
    found, texts = list(documents), list[str]()
    known, classes = set(map(id, found)), list(dump.all("DeviceClass"))
    for one in found:
        text, space = json.dumps(one), key_of(one)[0]
        named = lists()["named"].items()
        names = [(kind, name) for kind, field in named for name in re.findall(field, text)]
        extended = (
            c for c in classes if f'"{mapping_at(c, "spec").get("extendedResourceName")}"' in text
        )
        names += [("DeviceClass", key_of(each)[1]) for each in extended]
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


def _by_kinds(
    found: Iterable[Document], target: WhyTarget, drivers: Iterable[str], cluster: Cluster
) -> Iterator[str]:
    """Lists of what owns objects, of the kind that the user names with its group, and of what sets up these drivers."""
    owners = [one for each in found for one in mappings_at(each, "metadata", "ownerReferences")]
    kinds = {(str(one.get("apiVersion")).rpartition("/")[0], one.get("kind")) for one in owners}
    word = "" if target.kind in KINDS.values() else target.kind.lower()
    served = [(name, name.partition(".")[2], one) for name, one in cluster.served.items()]
    added = {group for _, group, _ in served if "." in group and not group.endswith(".k8s.io")}
    # What an operator's object owns is of its group.
    groups = added & {group for _, group, one in served if word in one.names}
    for name, group, one in served:
        if (group, one.kind) in kinds or word in one.names or (group in groups and one.namespaced):
            yield name
        if group in added and any(concerns(one.kind, group, driver) for driver in drivers):
            yield f"{name}@*"
    yield from (
        one for one in lists()["operators"] if drivers and one.partition("@")[0] in cluster.served
    )
