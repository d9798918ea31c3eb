"""What else of a cluster an answer needs, by the objects that it is about: their words, owners, claims and drivers."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from dradsl.cli.cluster_objects import lists
from dradsl.values.plain import mapping_at, mappings_at
from dradsl.why.dump import is_plugin, key_of
from dradsl.why.examine import waiting_in
from dradsl.why.observed.controllers import below
from dradsl.why.observed.domains import DOMAIN
from dradsl.why.observed.plugins import vendors_of
from dradsl.why.target import KINDS, find, pods_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dradsl.cli.cluster_objects import Cluster
    from dradsl.why.dump import Document, Dump, Key
    from dradsl.why.target import WhyTarget

__all__ = ["needed_lists"]


def needed_lists(
    manifests: Sequence[Document], dump: Dump, target: WhyTarget, cluster: Cluster
) -> list[str]:
    """The lists that an answer about a target or manifests needs and that were not asked for yet."""
    asked = [*manifests, *(find(dump, target) if target.name else ())]
    own = ((*pods_of(dump, one), *below(dump, one), *dump.owned_by(one)) for one in asked)
    owned = [one for some in own for one in some]
    if all(one.get("kind") == "ResourceClaim" for one in asked):  # also of none
        owned += waiting_in(dump, target.namespace)
    found, text = _around(dump, [*asked, *owned])
    for kind, field in lists()["named"].items():
        names = set(re.findall(field, text)).difference(name for _, name in dump.keys(kind))
        text += "".join(f"\nabsent {kind} {name}" for name in names)
    drivers = {"".join(one) for one in re.findall(lists()["drivers"], text)}
    drivers -= {str(mapping_at(one, "spec").get("driver")) for one in dump.all("ResourceSlice")}
    drivers.update(re.findall(lists()["unregistered"], text))
    text += "".join(f"\nabsent driver {one}" for one in drivers)
    if drivers or re.search(lists()["failed"], text):
        plugins = _plugins(dump)
        text += "".join(f"\nplugin in {key_of(one)[0]}" for one in plugins)
        text += f"\n{_around(dump, plugins)[1]}"
    pods = (space for space, name in dump.keys("Pod") if "cluster-autoscaler" in name)
    text += "".join(f"\nautoscaler in {space}" for space in pods)
    wanted = list(_by_kinds(found, target, drivers, cluster))
    for row in lists()["needed"]:
        sure = not row.get("if_served")
        read = [one for one in row["read"] if sure or one.partition("@")[0] in cluster.served]
        wanted += (each.expand(one) for each in re.finditer(row["when"], text) for one in read)
    return cluster.unasked(wanted, target.namespace)


def _plugins(dump: Dump) -> list[Document]:
    """Plugins of drivers and daemons of ComputeDomains."""
    some = (*dump.all("DaemonSet"), *dump.all("Pod"))
    return [one for one in some if is_plugin(one) or DOMAIN in str(one.get("metadata"))]


def _around(dump: Dump, documents: Sequence[Document]) -> tuple[list[Document], str]:
    """These objects and what they name (owners, claims, templates, classes); what they and their events say, as a text."""
    named: dict[Key, list[Document]] = {}
    for one in dump:
        if one.get("kind") not in lists()["not_followed"]:
            about = one.get("involvedObject") or one.get("regarding")  # of an event
            space, name = key_of({"metadata": about} if about else one)
            extended = mapping_at(one, "spec").get("extendedResourceName")
            for each in (name, str(extended or name)):
                named.setdefault((space, each), []).append(one)
    found, known = list(documents), set(map(id, documents))
    for one in found:
        for name in re.findall(r'"([^"]+)"', json.dumps(one)):
            for space in (key_of(one)[0], "default"):
                new = [each for each in named.pop((space, name), ()) if id(each) not in known]
                known.update(map(id, new))
                found += new
    return found, "\n".join(map(json.dumps, found))


def _by_kinds(
    found: Iterable[Document], target: WhyTarget, drivers: Iterable[str], cluster: Cluster
) -> Iterator[str]:
    """Lists of what owns objects, of the kind that the user names with its group, and of the vendors of these drivers."""
    owners = [one for each in found for one in mappings_at(each, "metadata", "ownerReferences")]
    kinds = {(str(one.get("apiVersion")).rpartition("/")[0], one.get("kind")) for one in owners}
    word = "" if target.kind in KINDS.values() else target.kind.lower()
    served = [(name, name.partition(".")[2], one) for name, one in cluster.served.items()]
    # What an operator's object owns is of its group.
    groups = {group for _, group, one in served if word in one.names and "." in group}
    vendors = {each for one in drivers for each in vendors_of(one)}
    for name, group, one in served:
        if (group, one.kind) in kinds or word in one.names or (group in groups and one.namespaced):
            yield name
        if not vendors.isdisjoint(group.split(".")):
            yield f"{name}@*"
