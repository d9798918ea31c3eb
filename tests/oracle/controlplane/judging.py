"""One object put to a real API server and to dradsl: who takes it, why not, and what is stored.

The server is asked as kubectl asks it: a create with strict field validation, as a dry run.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from dradsl.kube.errors import DECODING, STRICT_DECODING
from dradsl.kube.fields.decoding import MOST_STRICT, NO_MATCH
from dradsl.kube.pods.fields import mentions_claims
from dradsl.kube.pods.workloads import PLACES, pod_specs
from tests.replay.validate import returned

if TYPE_CHECKING:
    from dradsl.kube.server.api_server import ApiServer
    from tests.oracle.controlplane.api import Api, Json

__all__ = ["Verdict", "comparable", "ours", "same_words", "theirs"]

_DRY = "?dryRun=All&fieldValidation=Strict"
_STRICT = re.compile(r"strict decoding error: (.*)", re.DOTALL)
_NOT_HANDLED = re.compile(r"cannot be handled as a \w+: (.*)", re.DOTALL)
_SUFFIX = "xxxxx"  # what dradsl makes up for a generated name
_JUST_NOW = 3600  # seconds
# What a server writes into each object, and what differs from run to run.
_NOISE = ("uid", "creationTimestamp", "resourceVersion", "managedFields", "generation", "selfLink")
_EMPTY: tuple[Any, ...] = (None, "", "0", 0, [], {})


@dataclass(frozen=True)
class Verdict:
    """`way`: "accepted"; "decoding" or "invalid", with `errors` as (type, field, words); or why nothing is said of
    the object itself: "not served", "admission", "namespace", "crash", "other", with `message`."""

    way: str
    errors: frozenset[tuple[str, str, str]] = frozenset()
    stored: Any = None
    message: str = ""

    @property
    def rejected(self) -> bool:
        """Whether the object itself is at fault."""
        return self.way in ("decoding", "invalid")


def theirs(api: Api, obj: Json, text: str | None = None) -> Verdict:
    """What the API server says of an object; `text` is how it is written, if in YAML."""
    path = api.path_of(obj)
    if path is None:
        return Verdict("not served")
    if text is None:
        code, reply = api.call("POST", path + _DRY, obj)
    else:
        code, reply = api.call("POST", path + _DRY, text, "application/yaml")
    message = str(reply.get("message") or "")
    if code < 300:
        return Verdict("accepted", stored=reply)
    if code == 422:
        causes = (reply.get("details") or {}).get("causes") or ()
        errors = frozenset(
            (c["reason"], c.get("field", ""), _named_alike(obj, c["message"])) for c in causes
        )
        return Verdict("invalid", errors, message=message)
    if code == 400 and (found := _STRICT.search(message)):
        return Verdict("decoding", frozenset({(STRICT_DECODING, "", found[1])}), message=message)
    if code == 400 and (found := _NOT_HANDLED.search(message)):
        return Verdict("decoding", frozenset({(DECODING, "", found[1])}), message=message)
    way = {403: "admission", 404: "namespace", 500: "crash"}.get(code, "other")
    return Verdict(way, message=f"{code} {message}")


def _named_alike(obj: Json, message: str) -> str:
    """A message with the suffix that dradsl gives to generated names."""
    metadata = obj.get("metadata")
    start = metadata.get("generateName") if isinstance(metadata, dict) else None
    if not isinstance(start, str) or not start:
        return message
    return re.sub(re.escape(start) + r"[a-z0-9]{5}\b", start + _SUFFIX, message)


def ours(server: ApiServer, obj: Json) -> Verdict:
    """What dradsl says of it: of objects of resource.k8s.io everything, of pods what it judges of them."""
    if not str(obj.get("apiVersion")).startswith("resource.k8s.io/"):
        return _of_pods(server, obj)
    admission = server.create(obj)
    errors = [problem.error for problem in admission.problems]
    return _told(errors, returned(admission))


def _of_pods(server: ApiServer, obj: Json) -> Verdict:
    place = PLACES.get((str(obj.get("apiVersion")), str(obj.get("kind"))))
    if place is None:
        return Verdict("not served")
    errors = server.workload(obj)
    if not errors and mentions_claims(obj, amounts=True):
        for at in pod_specs(obj):
            errors += server.pod(at.spec, at.annotations, at.path, defaulted=True)
    return _told(errors, None)


def _told(errors: list[Any], stored: Any) -> Verdict:
    if any(error.type == NO_MATCH for error in errors):
        return Verdict("not served")
    for kind in (DECODING, STRICT_DECODING):
        found = [error.detail for error in errors if error.type == kind]
        if found:
            words = found[0] if kind == DECODING else ", ".join(found[:MOST_STRICT])
            return Verdict("decoding", frozenset({(kind, "", words)}))
    if errors:
        return Verdict("invalid", frozenset((e.type, e.field, e.message) for e in errors))
    return Verdict("accepted", stored=stored)


_SYNTAX = re.compile(r"ERROR: <input>:(\d+:\d+): Syntax error: .*", re.DOTALL)


def same_words(left: Verdict, right: Verdict) -> bool:
    """Whether the errors are the same; of a syntax error of CEL only the place counts, whose words a parser
    generator makes. Order does not count, nor that of names in a message of strict decoding."""
    return _shown(left) == _shown(right)


def _shown(verdict: Verdict) -> set[tuple[str, str, str]]:
    return {
        (
            kind,
            field,
            ", ".join(sorted(words.split(", ")))
            if kind == STRICT_DECODING
            else _SYNTAX.sub(r"syntax error at \1", words),
        )
        for kind, field, words in verdict.errors
    }


def comparable(stored: Any) -> Any:
    """A stored object without noise and without what is empty."""
    if not isinstance(stored, dict):
        return stored
    metadata = {k: v for k, v in stored.get("metadata", {}).items() if k not in _NOISE}
    if metadata.get("generateName"):
        metadata.pop("name", None)
    return _pruned({**stored, "metadata": metadata})


def _pruned(value: Any) -> Any:
    if isinstance(value, dict):
        pruned = {
            key: _pruned(item)
            for key, item in value.items()
            if not (key == "timeAdded" and _is_now(item))
        }
        return {key: item for key, item in pruned.items() if item not in _EMPTY or item is False}
    if isinstance(value, list):
        return [_pruned(item) for item in value]
    return value


def _is_now(value: Any) -> bool:
    """Whether a time was filled in by the server."""
    try:
        return abs(datetime.fromisoformat(value).timestamp() - time.time()) < _JUST_NOW
    except (TypeError, ValueError):
        return False
