"""What is behind words in other objects (`origins.json`), and who writes the object in which a change has to be made.

A row has the words of a cause (`when`), the objects that have to be there (`look`), what they tell (`says`) and what helps (`then`, instead of a change, or with `or` beside it). An object is looked for by its kinds,
its name, how it is `near` (the pod, `above` it, in its `space`, a plugin of `driver` {0}, `named` in the cause), and its lines, as `spec.hostNetwork=true`: lists are entered by names or types of
items. With `none` no such object is there. Groups of `when` are {0} and so on, those of `has` have names, {a} is the first object.
"""

from __future__ import annotations

import functools
import itertools
import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dradsl.text.files import SETTINGS_BYTES, read_bytes
from dradsl.values.plain import mapping_at, mappings_at
from dradsl.why.answer import TriedChange
from dradsl.why.dump import key_of, label_of
from dradsl.why.holders import above
from dradsl.why.observed.controllers import roles_of
from dradsl.why.observed.plugins import plugins_named

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    Look = Mapping[str, Any]

    from dradsl.why.answer import Answer
    from dradsl.why.dump import Document, Dump

__all__ = ["explained", "written"]

_MAKERS = ("ReplicaSet", "Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob")
_INSTANCE = "app.kubernetes.io/instance"
_TEMPLATE = ("spec", "template", "spec")
_EDITED = ("tolerations", "nodeSelector", "affinity", "containers", "resourceClaims")
_LABEL = re.compile(
    r"\b(DaemonSet|Deployment|ResourceClaimTemplate|ConfigMap|Pod|Namespace|ClusterRole) (?:([\w-]+)/)?([\w.-]+)"
)
_OF_PODS = re.compile(r"tolerat|Selector|mount|(?<!-)privileged|limit of the container|Secrets")


@functools.cache
def _table() -> Any:
    return json.loads(read_bytes(f"{__file__.removesuffix('.py')}.json", SETTINGS_BYTES))


def explained(dump: Dump, found: Answer) -> Answer:
    """The answer with what other objects tell of the words in its cause, and what helps then."""
    for row in _table()["rows"]:
        words = re.search(row["when"], found.cause)
        if words is None or found.step not in row.get("steps", (found.step,)):
            continue
        given = {str(n): text or "" for n, text in enumerate(words.groups())} | words.groupdict("")
        known = _fitting(dump, (_subject(dump, found), found.cause), row["look"], given)
        for each in itertools.islice(known, 1):
            says, then = (_filled(row.get(one, ""), each) for one in ("says", "then"))
            old = None if "instead" in row else found.change
            change = TriedChange(then, tried=False) if then else old
            change = change.or_tried(old) if change and old and "or" in row else change
            step, cause = row.get("step", found.step), f"{found.cause}; {says}"
            found = replace(found, step=step, cause=cause, change=change)
    return found


def _subject(dump: Dump, answer: Answer) -> Document:
    kind, space, name, *_ = [*re.split("[ /]", answer.subject), ""]
    return dump.get(kind, (space, name)) or {}


def _filled(text: str, given: Mapping[str, str], *, escape: bool = False) -> str:
    """A text or a regular expression with what is known for {0}, {a} and the like."""
    known = {one: re.escape(value) for one, value in given.items()} if escape else given
    return re.sub(r"\{(\w+)\}", lambda found: known.get(found[1], found[0]), text)


def _fitting(
    dump: Dump, where: tuple[Document, str], looks: Sequence[Look], given: Mapping[str, str]
) -> Iterator[Mapping[str, str]]:
    """What is known once all objects are there that a row looks for; nothing if one is not."""
    if not looks:
        yield given
        return
    look, seen, parts = looks[0], False, ("name", "has", "lacks")
    name, has, lacks = (_filled(look.get(one, ""), given, escape=True) for one in parts)
    for one in _near(dump, where, look, given):
        if not re.search(name, key_of(one)[1]):
            continue
        seen, text = True, "\n".join(_lines(one))
        hit = re.search(has, text, re.MULTILINE)
        if hit is None or (lacks and re.search(lacks, text, re.MULTILINE)):
            continue
        if "none" in look:
            return
        letter = chr(ord("a") + sum(key in "abc" for key in given))
        more = {**given, letter: label_of(one), **hit.groupdict("default")}
        yield from _fitting(dump, where, looks[1:], more)
    if "none" in look and seen:
        yield from _fitting(dump, where, looks[1:], given)


def _near(
    dump: Dump, where: tuple[Document, str], look: Look, given: Mapping[str, str]
) -> Iterator[Document]:
    """The objects of the kinds of a row that stand where it says."""
    (about, cause), kinds, near = where, look["kinds"].split("|"), look.get("near")
    space, node = key_of(about)[0], mapping_at(about, "spec").get("nodeName")
    names = {"node": [node] if node else re.findall(r"[\w.-]+", cause)}
    names["claims"] = re.findall(r"resourceClaimName=(.+)", "\n".join(_lines(about)))
    some: Iterable[Document] = dump if kinds == ["*"] else itertools.chain(*map(dump.all, kinds))
    if near in ("above", "pod"):
        some = above(dump, about) if near == "above" else [about]
    elif near == "driver":
        some = plugins_named(dump, given["0"])
    elif near == "account":
        some = roles_of(dump, given["space"], given["account"])
    for one in some:
        is_there = near not in names or key_of(one)[1] in names[near]
        is_there = is_there and (near not in ("space", "claims") or key_of(one)[0] == space)
        if near == "named" and one is not about:
            own = (re.escape(label_of(each)) for each in (one, *dump.owned_by(one)))
            is_there = any(re.search(rf"{each}(?![\w.-])", cause) for each in own)
        if is_there and (one.get("kind") in kinds or kinds == ["*"]):
            yield one


def _lines(value: object, path: str = "") -> Iterator[str]:
    """The values of an object, each with the path to it."""
    if isinstance(value, dict):
        for key, one in sorted(value.items()):
            yield from _lines(one, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        for one in value:
            name = (one.get("name") or one.get("type")) if isinstance(one, dict) else None
            yield from _lines(one, f"{path}.{name}" if name else path)
    else:
        yield f"{path}={str(value).lower() if isinstance(value, bool) else value}"


def written(dump: Dump, answer: Answer) -> Answer:
    """The answer whose change is made where it lasts: in the template of a pod, or in what writes the object."""
    pod, change = _subject(dump, answer), answer.change
    if change is None or (change.spec is not None and (chain := above(dump, pod))):
        return replace(answer, change=change and _at_template(dump, pod, chain, change))
    if change.text.startswith("delete "):
        return answer
    is_of_pods = not change.tried and _OF_PODS.search(change.text)
    box = re.search(r"container \S+: ", answer.cause)
    words, text = f"{change.text}\n{box and box[0]}", "\n".join((change.text, *change.patch))
    text = re.sub(r"daemonset (\S+) -n (\S+)", r"DaemonSet \2/\1", text)
    meant = _LABEL.findall(
        re.sub(r"label \S+ of namespace (\S+?)(?=[,;]|$)", r"Namespace \1", text)
    )
    others = [] if change.tried else [*reversed(_LABEL.findall(answer.cause)), _key(pod)]
    for found in (*meant, *others):
        one = dump.get(found[0], (found[1] or "default", found[2])) or {}
        for writer in itertools.islice(_writers(dump, one), 1):
            made = [one, *(each for each in above(dump, one) if each.get("kind") in _MAKERS)][-1]
            value = _value(dump, made, words)
            is_so = found in meant or (is_of_pods and value is None)
            if value or (one is not pod and is_so):
                text = f"{writer} writes {label_of(made)}, so change it there{value or ''}"
                if _spec(_release(dump, made)).get("suspend"):
                    text += ", and resume it (spec.suspend)"
                return replace(answer, change=replace(change, text=f"{change.text}; {text}"))
    return answer


def _key(document: Document) -> tuple[str, str, str]:
    return (str(document.get("kind")), *key_of(document))


def _value(dump: Dump, made: Document, words: str) -> str | None:
    """The value of the chart, or the field of the operator's object, that a change of these words is of; empty if it is
    of none, None if the chart is not known."""
    owners = (f"{one.get('kind')} {one.get('apiVersion')}" for one in above(dump, made))
    known = "\n".join((str(_marks(made).get("helm.sh/chart")), *owners))
    values = mapping_at(_spec(_release(dump, made)), "values")
    rows = [row for row in _table()["charts"] if re.search(row["is"], known)]
    for pattern, name in itertools.chain(*(row["values"].items() for row in rows)):
        if re.search(pattern, words):
            last = name.rpartition(".")[2]
            moved = f", not {last} at the top of the values as it is now"
            return f" ({name}{moved if last in values and last != name else ''})"
    return "" if rows else None


def _spec(document: Document) -> Mapping[str, object]:
    return mapping_at(document, "spec")


def _marks(document: Document) -> dict[str, object]:
    """The labels and annotations of an object, with the Helm release that its labels tell."""
    metadata = mapping_at(document, "metadata")
    found = {**mapping_at(metadata, "labels"), **mapping_at(metadata, "annotations")}
    if found.get("app.kubernetes.io/managed-by") == "Helm" and (name := found.get(_INSTANCE)):
        found.setdefault("meta.helm.sh/release-name", name)
    return found


def _release(dump: Dump, document: Document) -> Document:
    """The HelmRelease of Flux that has written an object; empty if the dump has none."""
    marks = _marks(document)
    names = {marks.get("helm.toolkit.fluxcd.io/name"), marks.get("meta.helm.sh/release-name")}
    for one in dump.all("HelmRelease") if names != {None} else ():
        if {key_of(one)[1], _spec(one).get("releaseName")} & (names - {None}):
            return one
    return {}


def _writers(dump: Dump, document: Document) -> Iterator[str]:
    """What writes an object anew, so that a change of the object alone is lost."""
    chain = above(dump, document)
    yield from (label_of(one) for one in chain if one.get("kind") not in _MAKERS)
    last, table = (document, *chain)[-1], _table()
    if release := _release(dump, last):
        yield f"HelmRelease {key_of(release)[1]} of Flux"
    for key, says in table["writers"].items():
        if key in _marks(last):
            yield _filled(says, {"0": str(_marks(last)[key]).partition(":")[0]})
    managers = mappings_at(last, "metadata", "managedFields")
    yield from (
        table["managers"][m] for o in managers if (m := o.get("manager")) in table["managers"]
    )


def _at_template(
    dump: Dump, pod: Document, chain: Sequence[Document], change: TriedChange
) -> TriedChange:
    """A change of a pod as one of what has its template."""
    commands = tuple(one for one in change.patch if one.startswith("kubectl "))
    writer, last = next(_writers(dump, pod), ""), chain[-1]
    if last.get("kind") not in _MAKERS:
        note = f"# write it in {writer}, of which the pod is made"
        return replace(change, text=f"{change.text}, in {writer}", patch=(*commands, note))
    path = ("spec", "jobTemplate", *_TEMPLATE) if last.get("kind") == "CronJob" else _TEMPLATE
    spec, before, after = mapping_at(last, *path), mapping_at(pod, "spec"), change.spec or {}
    steps = list[dict[str, Any]]()
    for key in (one for one in _EDITED if before.get(one) != after.get(one)):
        new, where = after.get(key), f"/{'/'.join(path)}/{key}"
        if key == "tolerations":  # others have been added to the pod
            added = (one for one in new or () if one not in before.get(key, ()))
            new = [*spec.get(key, ()), *added]
        elif key == "containers" and new:
            new, where = new[0].get("resources"), f"{where}/0/resources"
        elif spec.get(key) != before.get(key):
            return change  # it is not of the template
        steps.append(
            {"op": "add" if new else "remove", "path": where, **({"value": new} if new else {})}
        )
    text = f"{change.text}, in the template of {label_of(last)}"
    text += f", which {writer} writes" if writer else ""
    (space, name), kind = key_of(last), str(last.get("kind")).lower()
    if kind == "job":
        text += ", which has to be created again for it"
        note = "# the template of a Job cannot be changed: delete the Job, and create it again"
        return replace(change, text=text, patch=(*change.patch, note))
    patch = f"kubectl patch {kind} {name} -n {space} --type=json -p '{json.dumps(steps)}'"
    return replace(change, text=text, patch=(*commands, patch))
