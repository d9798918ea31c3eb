"""What is behind words in other objects (`origins.json`), and who writes the object in which a change has to be made.

A row has the words of a cause (`when`), the objects that have to be there (`look`), what they tell (`says`), and what
helps then (`then`, `commands`); `of` is the source. An object is looked for by its kinds, and by how it is `near`: it
makes the pod, is a plugin of driver {0}, is named in the cause, or is the node. It has the lines `has`, without those of
`lacks`, of the form `spec.hostNetwork=true`; a list is entered by the names or types of its items. With `none`, no such
object may be there. Groups of `when` are {0} and so on, those of `has` have names, and {a} is the first object.
"""

from __future__ import annotations

import functools
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dradsl.values.plain import mapping_at, mappings_at
from dradsl.why.answer import TriedChange
from dradsl.why.dump import key_of, label_of
from dradsl.why.fixes import difference
from dradsl.why.observed.plugins import plugins_named

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dradsl.why.answer import Answer
    from dradsl.why.dump import Document, Dump

__all__ = ["above", "explained", "written"]

_MAKERS = ("ReplicaSet", "Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "Pod")
_TEMPLATE = ("spec", "template", "spec")
_OF_JOBS = ("spec", "jobTemplate", "spec", "template", "spec")
_EDITED = ("tolerations", "nodeSelector", "affinity", "containers", "resourceClaims")
_LABEL = re.compile(
    r"\b(DaemonSet|Deployment|ResourceClaimTemplate|ResourceClaim) ([\w-]+)/([\w.-]+)"
)


@functools.cache
def _table() -> dict[str, Any]:
    from dradsl.text.files import SETTINGS_BYTES, read_bytes

    path = Path(__file__).with_name("origins.json")
    found: dict[str, Any] = json.loads(read_bytes(str(path), SETTINGS_BYTES))
    return found


def explained(dump: Dump, about: Document, found: Answer) -> Answer:
    """The answer with what other objects tell of the words in its cause, and what helps then."""
    for row in _table()["rows"]:
        if words := re.search(row["when"], found.cause):
            given = {str(n): text or "" for n, text in enumerate(words.groups())}
            for each in _fitting(dump, (about, found.cause), row["look"], given):
                says, then, *lines = (
                    _filled(one, each)
                    for one in (row["says"], row.get("then", ""), *row.get("commands", ()))
                )
                change, old = TriedChange(then, patch=tuple(lines), tried=False), found.change
                if old is not None and "or" in row:
                    lost = f" (gives up {old.gives_up})" if old.gives_up else ""
                    change = replace(
                        change,
                        text=f"{then}; or, tried: {old.text}{lost}",
                        patch=(*lines, *old.patch),
                    )
                found = replace(
                    found, cause=f"{found.cause}; {says}", change=change if then else old
                )
                break
    return found


def _filled(text: str, given: Mapping[str, str], *, escape: bool = False) -> str:
    """A text or a regular expression with what is known for {0}, {a} and the like."""

    def known(found: re.Match[str]) -> str:
        value = given.get(found[1], found[0])
        return re.escape(value) if escape else value

    return re.sub(r"\{(\w+)\}", known, text)


def _fitting(
    dump: Dump,
    where: tuple[Document, str],
    looks: Sequence[Mapping[str, Any]],
    given: dict[str, str],
) -> Iterator[dict[str, str]]:
    """What is known once all objects are found that a row looks for; nothing if one is not there."""
    if not looks:
        yield given
        return
    look, seen = looks[0], False
    has, lacks = (
        _filled(look.get(one, other), given, escape=True)
        for one, other in (("has", ""), ("lacks", r"\Z."))
    )
    for one in _near(dump, where, look, given):
        if not re.search(_filled(look.get("name", ""), given, escape=True), key_of(one)[1]):
            continue
        seen, text = True, "\n".join(_lines(one))
        hit = re.search(has, text, re.MULTILINE)
        if hit is None or re.search(lacks, text, re.MULTILINE):
            continue
        if "none" in look:
            return
        own = {chr(ord("a") + sum(key.isalpha() and len(key) == 1 for key in given)): label_of(one)}
        yield from _fitting(dump, where, looks[1:], {**given, **own, **hit.groupdict("")})
    if "none" in look and seen:
        yield from _fitting(dump, where, looks[1:], given)


def _near(
    dump: Dump, where: tuple[Document, str], look: Mapping[str, Any], given: Mapping[str, str]
) -> Iterable[Document]:
    (about, cause), kinds = where, look["kinds"].split("|")
    near = look.get("near", "any")
    if near == "above":
        return [one for one in above(dump, about) if one.get("kind") in kinds or kinds == ["*"]]
    if near == "pod":
        return [about]
    if near == "driver":
        return [one for one in plugins_named(dump, given["0"]) if one.get("kind") in kinds]
    if near == "claims":
        named = {
            str(one.get("resourceClaimName"))
            for field in ("spec.resourceClaims", "status.resourceClaimStatuses")
            for one in mappings_at(about, *field.split("."))
        }
        return [
            one
            for one in dump.all("ResourceClaim")
            if key_of(one)[0] == key_of(about)[0] and key_of(one)[1] in named
        ]
    some = list(dump) if kinds == ["*"] else [one for kind in kinds for one in dump.all(kind)]
    if near == "space":
        return [one for one in some if key_of(one)[0] == key_of(about)[0]]
    if near == "node":
        own = mapping_at(about, "spec").get("nodeName")
        names = [own] if own else re.findall(r"[\w.-]+", cause)
        return [one for one in some if key_of(one)[1] in names]
    if near == "named":
        return [
            one
            for one in some
            if any(
                re.search(rf"{re.escape(label_of(each))}(?![\w.-])", cause)
                for each in (one, *dump.owned_by(one))
            )
        ]
    return some


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


def above(dump: Dump, document: Document) -> list[Document]:
    """What owns an object, and what owns that, the nearest first; what the dump lacks has only its kind and name."""
    found: list[Document] = []
    while len(found) < len(_MAKERS) and (
        refs := mappings_at(document, "metadata", "ownerReferences")
    ):
        one = next((one for one in refs if one.get("controller")), refs[0])
        kind, name = str(one.get("kind")), str(one.get("name"))
        keys = ((key_of(document)[0], name), ("default", name))
        there = (dump.get(kind, key) for key in keys)
        document = next(filter(None, there), {"kind": kind, "metadata": {"name": name}})
        found.append(document)
    return found


def _writer(dump: Dump, document: Document) -> str:
    """What writes an object anew, so that a change of the object alone is lost; empty if nothing is known to."""
    chain = above(dump, document)
    made = (label_of(one) for one in chain if one.get("kind") not in _MAKERS)
    head = mapping_at((*chain, document)[0], "metadata")
    marks = {**mapping_at(head, "labels"), **mapping_at(head, "annotations")}
    own = (
        _filled(says, {"0": str(marks[key]).partition(":")[0]})
        for key, says in _table()["writers"].items()
        if key in marks
    )
    return next(iter((*made, *own)), "")


def written(dump: Dump, answer: Answer) -> Answer:
    """The answer whose change is made where it lasts: in the template of a pod, or in what writes the object."""
    change = answer.change
    kind, _, name = answer.subject.partition(" ")
    space, _, name = name.split(" ")[0].partition("/")
    pod = dump.get(kind, (space, name)) or {}
    if change is None:
        return answer
    if change.spec is not None and (chain := above(dump, pod)):
        return replace(answer, change=_at_template(dump, pod, chain, change))
    for kind, space, name in _LABEL.findall("\n".join((change.text, *change.patch))):
        one = dump.get(kind, (space, name))
        if one is not None and (writer := _writer(dump, one)) and kind != "ResourceClaim":
            return replace(
                answer,
                change=replace(
                    change,
                    text=f"{change.text}; {writer} writes {kind} {space}/{name}, so change it there",
                ),
            )
    return answer


def _at_template(
    dump: Dump, pod: Document, chain: Sequence[Document], change: TriedChange
) -> TriedChange:
    """A change of a pod as one of what has its template."""
    commands = [one for one in change.patch if one.startswith("kubectl ")]
    if writer := _writer(dump, chain[0]):
        return replace(
            change,
            text=f"{change.text}, in {writer}, of which the pod is made",
            patch=(*commands, f"# write it in {writer}"),
        )
    last, path = chain[-1], _OF_JOBS if chain[-1].get("kind") == "CronJob" else _TEMPLATE
    text, spec = f"{change.text}, in the template of {label_of(last)}", mapping_at(last, *path)
    if last.get("kind") == "Job":
        text += ", which is made anew for it"
    if not spec:
        return replace(change, text=text)
    after: Any = _merged(spec, mapping_at(pod, "spec"), change.spec or {})
    for key in reversed(path):
        after = (
            {**mapping_at(last, *path[: path.index(key)]), key: after}
            if path.index(key)
            else {**last, key: after}
        )
    return replace(change, text=text, patch=(*commands, *difference(last, after)))


def _merged(
    template: Mapping[str, Any], before: Mapping[str, Any], after: Mapping[str, Any]
) -> dict[str, Any]:
    """The spec of a template with what was changed in that of a pod."""
    found = dict(template)
    for key in (one for one in _EDITED if before.get(one) != after.get(one)):
        new = after.get(key)
        if key == "tolerations":
            found[key] = [
                *template.get(key, ()),
                *(one for one in new or () if one not in before.get(key, ())),
            ]
        elif key == "containers":
            wants = {one.get("name"): one.get("resources") for one in new or ()}
            found[key] = [
                {
                    **one,
                    **({"resources": wants[one.get("name")]} if wants.get(one.get("name")) else {}),
                }
                for one in template.get(key, ())
            ]
        elif new is None:
            found.pop(key, None)
        else:
            found[key] = new
    return found
