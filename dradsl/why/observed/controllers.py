"""What controllers and Kueue say in objects around a pod or workload, whatever their kinds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dradsl.simulate.nodes.placement import GANGS
from dradsl.values.plain import mapping_at, mappings_at
from dradsl.why.dump import conditions_of, key_of, label_of, words_of
from dradsl.why.holders import above, owners_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dradsl.why.dump import Document, Dump

__all__ = [
    "about_groups",
    "about_pod",
    "below",
    "groups_of",
    "is_well",
    "kueue_words",
    "put_in",
    "roles_of",
    "said_by",
    "there_now",
]

# A kind and a name that a component has not found.
_MISSES = re.compile(r"\b(\w+)[.\w]* \"?(?:\S+/)?([\w.-]+)\"? (?:not found|does(?: not|n't) exist)")
_DEPTH = 6
_DONE = ("Succeeded", "Failed")
# What the API server says of an object; other words tell that something has not worked, or how often.
_REJECTED = re.compile(r" is invalid: | is forbidden: |denied the request|: Not found: ")
_BAD = re.compile(r"Fail|Error|Breach|Degrad|nschedul|Stalled|Conflict")  # True is bad of these
_WELL = re.compile(r"Ready|Available|Succeeded|Completed?|RayClusterProvisioned")
_TROUBLE = re.compile(
    r"(?i)fail|forbidden|denied|exceed|not found|n't exist|not exist|missing|invalid|error|cannot|can't|unable|"
    r"insufficient|overused|unsupported|not supported|duplicate|not enough|inactive|limit|violat|unschedulable|is clos(ed|ing)$"
)
# What follows from pods that wait, and does not say why they do.
_EFFECT = re.compile(
    r"(?i)(ready|available|scheduled|running) (pods|replicas)|minimum availability|timed out progressing|"
    r"vmi does not exist|guest vm is not"
)
# Labels and annotations that name the PodGroup of a pod; the last is KAI's.
_GROUPS = (*GANGS, "pod-group-name")


def kueue_words(dump: Dump, document: Document) -> tuple[str, tuple[str, ...]]:
    """What Kueue's Workload of a pod or job says."""
    owned = [
        one
        for owner in (document, *above(dump, document))
        for one in dump.owned_by(owner)
        if one.get("kind") == "Workload" and str(one.get("apiVersion")).startswith("kueue")
    ]
    if not owned:
        return "no Workload of Kueue belongs to it in the dump", ()
    workload = owned[0]
    conditions = conditions_of(workload)
    name = "Workload {}".format("/".join(key_of(workload)))
    queue = mapping_at(workload, "spec").get("queueName") or "(no queue)"
    if mapping_at(workload, "spec").get("active") is False:
        ended = conditions.get("Evicted", {})
        why = f": {words_of(ended)}" if "eactivat" in words_of(ended) else ""
        return f"{name} is not active (spec.active: false){why}", ()
    true = {kind for kind, one in conditions.items() if one.get("status") == "True"}
    reserved, checks = "QuotaReserved" in true, _checks(workload)
    # A Workload that is not requeued is not looked at: what QuotaReserved says of it is older.
    for kind in ("Evicted", "Requeued", "QuotaReserved"):
        bad = kind in conditions and (kind in true) == (kind == "Evicted")
        if bad and (kind != "Evicted" or not reserved):
            waits = "is not looked at (Requeued is False)" if kind == "Requeued" else "waits"
            return f"{name} in queue {queue} {waits}: {words_of(conditions[kind])}", checks
    if "Admitted" in true:
        return f"{name} is admitted; Kueue takes the gate away next", ()
    if reserved:
        first = f": {checks[0]}" if checks else ""
        return (
            f"{name} in queue {queue} has its quota and waits for admission checks{first}",
            checks[1:],
        )
    return f"{name} in queue {queue} was not looked at yet", ()


def _checks(workload: Mapping[str, object]) -> tuple[str, ...]:
    return tuple(
        f"admission check {one.get('name')}: {one.get('state')}: {one.get('message')}"
        for one in mappings_at(workload, "status", "admissionChecks")
        if one.get("state") != "Ready"
    )


def said_by(dump: Dump, document: Document) -> Iterator[str]:
    """What is said against an object, the surest first: errors, failures, what is False, a state, events."""
    status, found = mapping_at(document, "status"), conditions_of(document)
    found |= conditions_of(document, "status", "schedulingConditions")
    bad = [one for kind, one in found.items() if _BAD.search(kind) and one.get("status") == "True"]
    no = [one for kind, one in found.items() if not _BAD.search(kind)]
    texts = [str(one.get("description")) for one in mappings_at(document, "status", "lastErrors")]
    said = (*bad, status, *(one for one in no if one.get("status") == "False"))
    words = [" ".join(text.split()) for text in dict.fromkeys(map(words_of, said))]
    texts += sorted(words, key=lambda text: not _REJECTED.search(text))
    texts.append(f"status.state is {status.get('state')}")
    texts += [f"{reason}: {text}" for reason, text in dump.events(document)]
    for text in texts:
        if _TROUBLE.search(text) and not _EFFECT.search(text):
            yield f"{label_of(document)}: {text}"


def is_well(document: Document) -> bool:
    """Whether the conditions of an object say that all is well, so that older events about it no longer count."""
    true = [kind for kind, one in conditions_of(document).items() if one.get("status") == "True"]
    return any(map(_WELL.fullmatch, true)) and not any(map(_BAD.search, true))


def below(dump: Dump, document: Document, depth: int = _DEPTH) -> Iterator[Document]:
    """What an object owns, over all between, what is farthest first, and the object; neither pods nor claims."""
    for one in dump.owned_by(document) if depth else ():
        if one.get("kind") not in ("ResourceClaim", "Workload"):
            yield from below(dump, one, depth - 1)
    if document.get("kind") != "Pod":
        yield document


def roles_of(dump: Dump, space: str, account: str) -> list[Document]:
    """The ClusterRoles that bindings of the whole cluster give a ServiceAccount; none if the dump lacks one."""
    wanted = {"kind": "ServiceAccount", "namespace": space, "name": account}
    bound = (b for b in dump.all("ClusterRoleBinding") if wanted in mappings_at(b, "subjects"))
    names = (str(mapping_at(one, "roleRef").get("name")) for one in bound)
    roles = [dump.get("ClusterRole", ("default", one)) for one in names]
    return [one for one in roles if one] if all(roles) else []


def groups_of(pod: Document) -> list[object]:
    """The names of the PodGroups of a pod."""
    metadata = mapping_at(pod, "metadata")
    given = [mapping_at(metadata, field) for field in ("labels", "annotations")]
    names = [one.get(key) for one in given for key in _GROUPS]
    names.append(mapping_at(pod, "spec", "schedulingGroup").get("podGroupName"))
    return [*filter(None, dict.fromkeys(names))]


def about_groups(dump: Dump, pod: Document) -> Iterator[str]:
    """What is said against the PodGroups of a pod and their queues."""
    for name in groups_of(pod):
        group = dump.get("PodGroup", (key_of(pod)[0], str(name))) or {}
        yield from said_by(dump, group)
        yield from _too_few(dump, group)
        queue = dump.get("Queue", ("default", str(mapping_at(group, "spec").get("queue"))))
        yield from said_by(dump, queue or {})


def put_in(dump: Dump, pod: Document, entry: str) -> str:
    """That what made a pod names no such entry of `resourceClaims`; empty if it does, or is not known."""
    for kind, key in owners_of(dump, key_of(pod))[:1]:
        above = mapping_at(dump.get(kind, key) or {}, "spec", "template", "spec")
        if above and entry not in (e.get("name") for e in mappings_at(above, "resourceClaims")):
            more = "" if kind in ("ReplicaSet", "Job") else ", or its template was changed since"
            return (
                _written_in(dump, pod, entry)
                or f"perhaps a webhook put it into the pod{more} ({kind} {key[1]} does not name it)"
            )
    return ""


def _written_in(dump: Dump, pod: Document, entry: str) -> str:
    """The object above a pod, by its owners, labels or name, that has what its entry of `resourceClaims` names."""
    (space, name), labels = key_of(pod), mapping_at(pod, "metadata", "labels").values()
    names = {*labels, *(key[1] for _, key in owners_of(dump, key_of(pod), every=True))}
    mine = (one for one in mappings_at(pod, "spec", "resourceClaims") if one.get("name") == entry)
    wanted = [repr(text) for one in mine for field, text in one.items() if field != "name"]
    made = ("Pod", "ResourceClaim", "ResourceClaimTemplate")
    for one in (one for one in dump if one.get("kind") not in made):
        own, spec = key_of(one), str(one.get("spec"))
        is_above = own[0] == space and (own[1] in names or name.startswith(f"{own[1]}-"))
        if is_above and any(text in spec for text in wanted):
            return f"{label_of(one)} names it"
    return ""


def there_now(dump: Dump, document: Document, text: str) -> str:
    """What a text misses and the dump has; empty if there is none."""
    space = key_of(document)[0]
    kinds = {k.lower().removesuffix("s"): k for k in dump.counts if k != "ResourceClaim"}
    for word, name in _MISSES.findall(text.replace("device class", "deviceclass")):
        kind = kinds.get(word.lower().removesuffix("s"), "")
        if found := dump.get(kind, (space, name)) or dump.get(kind, ("default", name)):
            since = mapping_at(found, "metadata").get("creationTimestamp")
            return f"; {label_of(found)}: it is there{f' since {since}' if since else ''}"
    return ""


def _too_few(dump: Dump, group: Document) -> Iterator[str]:
    """That a PodGroup of Kubernetes has fewer pods than it needs at once, or one that a scheduling gate holds."""
    least = mapping_at(group, "spec", "schedulingPolicy", "gang").get("minCount")
    alive = (one for one in dump.all("Pod") if mapping_at(one, "status").get("phase") not in _DONE)
    own = ((key_of(one)[0], mapping_at(one, "spec", "schedulingGroup"), one) for one in alive)
    pods = [p for space, of, p in own if (space, of.get("podGroupName")) == key_of(group)]
    if isinstance(least, int) and len(pods) < least:
        yield f"{label_of(group)} needs {least} pods at once (minCount), and the dump has {len(pods)}"
    for one in pods:
        for gate in mappings_at(one, "spec", "schedulingGates")[:1]:
            yield f"{label_of(group)}: scheduling gate {gate.get('name')} holds {label_of(one)} of it"


def about_pod(dump: Dump, pod: Document) -> Iterator[str]:
    """What is said against objects that belong to a pod, its groups and their queues, and its owners."""
    for one in dump.owned_by(pod):
        if one.get("kind") != "ResourceClaim":
            yield from said_by(dump, one)
    yield from about_groups(dump, pod)
    for owner in owners_of(dump, key_of(pod), every=True):
        yield from said_by(dump, dump.get(*owner) or {})
