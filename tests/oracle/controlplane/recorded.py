"""Recorded questions and the examples, put to a real API server and to dradsl.

    python -m tests.oracle.controlplane compare --release 1.37 [--step 1]

sends the objects of all recorded questions that are asked with the release's own gates (every `step`th), and those
of `examples/`. What differs is printed with the words of both; what is not compared is counted by its reason.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from dradsl.kube.pods.fields import mentions_claims
from dradsl.kube.server.api_server import ApiServer
from dradsl.releases import RELEASES
from tests.oracle.controlplane.judging import Verdict, comparable, ours, same_words, theirs
from tests.verdicts import corpus

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tests.oracle.controlplane.api import Json
    from tests.oracle.controlplane.plane import ControlPlane

__all__ = ["compare"]

_EXAMPLES = Path(__file__).parents[3] / "examples"
_NAME = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
# Lists of a question, and the kind of what is in them.
_LISTS = {
    "classes": ("resource.k8s.io/v1", "DeviceClass"),
    "slices": ("resource.k8s.io/v1", "ResourceSlice"),
    "claims": ("resource.k8s.io/v1", "ResourceClaim"),
    "objects": ("resource.k8s.io/v1", "ResourceClaim"),
    "pods": ("v1", "Pod"),
}
# Of what is wrong with a pod this much is judged; the rest is listed.
_OF_CLAIMS = re.compile(r"[cC]laims|\.resources\.(limits|requests)\[[^\]]*/")
_OF_PODS = ("v1", "apps/v1", "batch/v1")


def compare(plane: ControlPlane, *, step: int = 1, show: int = 20) -> int:
    """Prints the counts and what differs; the number of differences."""
    seen: set[str] = set()
    differing = 0
    for subject in ("validate", "pod", "cel", "quota", "schedule", "alloc"):
        differing += _compared(plane, subject, _questions(plane.release, subject, step), seen, show)
    return differing + _compared(plane, "examples", _examples(), seen, show)


def _questions(release: str, subject: str, step: int) -> Iterator[tuple[str, Json, Json]]:
    """Objects with what their question says besides."""
    for path in corpus.corpora(subject):
        for case in corpus.read_corpus(path, step=step):
            question = case.question
            if release in case.answers and question.get("features") in (None, "defaults"):
                for obj in _objects(subject, question):
                    yield case.name, obj, dict(question)


def _objects(subject: str, question: Any) -> Iterator[Json]:
    if subject == "cel":
        if question.get("env") == "new" and not question.get("derived"):
            selector = {"cel": {"expression": question["expression"]}}
            yield _object("DeviceClass", {"selectors": [selector]})
    elif isinstance(question.get("object"), dict):
        yield question["object"]
    elif isinstance(question.get("yaml"), str):
        yield {}
    else:
        for key, (version, kind) in _LISTS.items():
            for obj in question.get(key) or ():
                if isinstance(obj, dict):
                    yield {"apiVersion": version, "kind": kind, **obj}


def _object(kind: str, spec: Json) -> Json:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": kind,
        "metadata": {"name": "x"},
        "spec": spec,
    }


def _examples() -> Iterator[tuple[str, Json, Json]]:
    for path in sorted((*_EXAMPLES.rglob("*.yaml"), *_EXAMPLES.rglob("*.json"))):
        try:
            documents = list(yaml.safe_load_all(path.read_text("utf-8")))
        except yaml.YAMLError:  # templates of charts
            continue
        for document in documents:
            listed = document.get("items") if isinstance(document, dict) else None
            for obj in listed if isinstance(listed, list) else [document]:
                if isinstance(obj, dict) and "apiVersion" in obj and "kind" in obj:
                    # Times are written as texts.
                    plain = json.loads(json.dumps(obj, default=str))
                    yield str(path.relative_to(_EXAMPLES)), plain, {}


def _compared(
    plane: ControlPlane,
    subject: str,
    objects: Iterable[tuple[str, Json, Json]],
    seen: set[str],
    show: int,
) -> int:
    counts: Counter[str] = Counter()
    unjudged: Counter[str] = Counter()
    lines: list[str] = []
    for name, obj, question in objects:
        way, line = _judged(plane, obj, question, seen, unjudged)
        counts[way] += 1
        if line:
            lines.append(f"  {way}: {name}: {line}\n")
    total = sum(count for way, count in counts.items() if not way.startswith("not "))
    different = sum(count for way, count in counts.items() if way.startswith("differs"))
    sys.stdout.write(f"{plane.release} {subject}: {total} compared, {different} differ\n")
    for way, count in sorted(counts.items()):
        sys.stdout.write(f"  {count:6} {way}\n")
    for field, count in unjudged.most_common(15):
        sys.stdout.write(f"         of pods, not judged by dradsl: {field} ({count})\n")
    sys.stdout.write("".join(lines[:show]))
    sys.stdout.flush()
    return different


def _judged(
    plane: ControlPlane, obj: Json, question: Json, seen: set[str], unjudged: Counter[str]
) -> tuple[str, str]:
    """How an object was judged, and what differs in words."""
    text = question.get("yaml")
    key = json.dumps([obj, text, question.get("namespaceLabels")], sort_keys=True)
    if key in seen:
        return "not again: the same object", ""
    seen.add(key)
    if "old" in question:
        return "not asked: an update", ""
    if text is not None:
        return "not asked: a text, which dradsl reads elsewhere", ""
    metadata = obj.get("metadata")
    named = metadata.get("namespace") if isinstance(metadata, dict) else None
    if named is not None and not (isinstance(named, str) and _NAME.fullmatch(named)):
        return "not asked: no namespace can have that name", ""
    labels = question.get("namespaceLabels") or {}
    if not all(isinstance(value, str) for value in labels.values()):
        return "not asked: no namespace can have such labels", ""
    _namespace(plane, named or "default", labels)
    server = ApiServer(RELEASES[plane.release], RELEASES[plane.release].features())
    server.add_namespace({"metadata": {"name": named or "default", "labels": labels}})
    right, own = theirs(plane.api, obj), ours(server, obj)
    if right.way in ("admission", "namespace", "other"):
        return (
            f"not comparable: {_reason(right)}",
            "" if right.way == "admission" else right.message,
        )
    if obj.get("apiVersion") in _OF_PODS and own.way != "not served":
        return _pods_judged(obj, right, own, unjudged)
    if right.way == "not served" or own.way == "not served":
        if not str(obj.get("apiVersion")).startswith("resource.k8s.io/"):
            return "not compared: of another kind", ""
        same = right.way == own.way
        return ("agrees: not served", "") if same else ("differs: served", f"{right} / {own}")
    return _both(right, own)


def _both(right: Verdict, own: Verdict) -> tuple[str, str]:
    if right.way == "crash" and any(kind == "InternalError" for kind, _, _ in own.errors):
        return "agrees: a crash of the request", ""
    if right.way != own.way:
        return "differs: acceptance", f"{_told(right)} / {_told(own)}"
    if not same_words(right, own):
        return "differs: words", f"{_told(right)} / {_told(own)}"
    if right.way == "accepted":
        left, other = comparable(right.stored), comparable(own.stored)
        if left != other:
            return "differs: stored", f"{json.dumps(left)[:700]} / {json.dumps(other)[:700]}"
    return f"agrees: {right.way}", ""


def _pods_judged(
    obj: Json, right: Verdict, own: Verdict, unjudged: Counter[str]
) -> tuple[str, str]:
    """dradsl judges what a pod says of claims and devices, and must not be wrong about it."""
    if not mentions_claims(obj, amounts=True):
        return "not compared: a pod without devices", ""
    if right.way == "decoding" or own.way == "decoding":
        return _both(right, own)
    places = {error[:2] for error in right.errors}, {error[:2] for error in own.errors}
    if places[1] - places[0]:
        return "differs: false error", f"{_told(right)} / {_told(own)}"
    if any(_OF_CLAIMS.search(field) for _, field in places[0] - places[1]):
        return "differs: missed", f"{_told(right)} / {_told(own)}"
    for _, field in places[0] - places[1]:
        unjudged[re.sub(r"\[\w+\]", "", field)] += 1
    if own.errors - right.errors:
        return "differs: words", f"{_told(right)} / {_told(own)}"
    return f"agrees: {right.way}", ""


def _namespace(plane: ControlPlane, name: str, labels: Json) -> None:
    path = f"/api/v1/namespaces/{name}"
    code, current = plane.api.call("GET", path)
    metadata = {"name": name, "labels": labels}
    if code == 404:
        plane.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
        return
    known = current["metadata"].get("labels") or {}
    wanted: Json = {key: None for key in known if key != "kubernetes.io/metadata.name"} | labels
    if any(known.get(key) != value for key, value in wanted.items()):
        plane.api.call("PATCH", path, {"metadata": {"labels": wanted}})


def _reason(verdict: Verdict) -> str:
    if verdict.way != "admission":
        return verdict.way
    words = re.sub(r'"[^"]*"|\[[^]]*\]', "…", verdict.message).partition("is forbidden: ")[2]
    return f"admission, {words[:70] or verdict.message[:70]}"


def _told(verdict: Verdict) -> str:
    if verdict.errors:
        return f"{verdict.way} {sorted(verdict.errors)}"[:900]
    return f"{verdict.way} {verdict.message}"[:300]
