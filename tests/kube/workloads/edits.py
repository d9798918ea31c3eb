"""Objects of `bases.yaml` with one edit each: a key mistyped, with other capitals, moved one level up or down, a
value of another type, null.

`python -m tests.kube.workloads.edits` asks upstream's decoder of each release (`make -C tests/oracle
bin/workloads-1.37`, and so on) about all of them, compares that with what we say, and writes the answers about a
part of them to `edits.json.gz` beside this file.
"""

from __future__ import annotations

import copy
import gzip
import hashlib
import json
import random
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from dradsl.kube.errors import DECODING, STRICT_DECODING
from dradsl.kube.server.api_server import ApiServer
from dradsl.releases import RELEASES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

RECORDED = Path(__file__).with_name("edits.json.gz")
ORACLES = Path(__file__).parents[2] / "oracle" / "bin"
PART = 3000  # of the edits are recorded

Json = dict[str, Any]
Answer = dict[str, Any]
Place = tuple[str | int, ...]

OTHERS: tuple[Any, ...] = (
    True,
    7,
    -1,
    1.5,
    2**31,
    2**63,
    "x",
    "5",
    "",
    [],
    ["x"],
    [None],
    {},
    {"x": "y"},
)


def bases() -> list[Json]:
    """The valid objects."""
    found: list[Json] = yaml.safe_load(RECORDED.with_name("bases.yaml").read_text("utf-8"))
    return found


@cache
def edits() -> list[tuple[str, Json]]:
    """All edits: what was done, and the object; the same each time."""
    rng = random.Random(39)
    return [("none", base) for base in bases()] + [
        (kind, obj) for base in bases() for kind, obj in _edits(base, rng)
    ]


def part() -> list[tuple[str, Json]]:
    """The edits whose answers are recorded."""
    return edits()[: len(bases())] + random.Random(1).sample(edits()[len(bases()) :], PART)


def _edits(base: Json, rng: random.Random) -> Iterator[tuple[str, Json]]:
    for place in _fields(base, ()):
        if place in (("apiVersion",), ("kind",)):
            continue
        key = str(place[-1])
        for _ in range(9):
            yield "mistyped", _renamed(base, place, _mistyped(key, rng))
        yield (
            "capitals",
            _renamed(base, place, rng.choice((key.upper(), key.capitalize(), key.swapcase()))),
        )
        yield "null", _set(base, place, None)
        for value in OTHERS:
            yield "retyped", _set(base, place, value)
        above = next(
            (place[:n] for n in range(len(place) - 2, -1, -1) if _is_mapping(base, place[:n])), None
        )
        if above is not None:
            yield "moved up", _moved(base, place, (*above, key))
        beside = [
            name
            for name, value in _at(base, place[:-1]).items()
            if name != key and isinstance(value, dict)
        ]
        if beside:
            yield "moved down", _moved(base, place, (*place[:-1], rng.choice(beside), key))


def _fields(value: Any, place: Place) -> Iterator[Place]:
    """The places of all keys."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield (*place, key)
            yield from _fields(item, (*place, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _fields(item, (*place, index))


def _mistyped(key: str, rng: random.Random) -> str:
    at = rng.randrange(len(key))
    letter = rng.choice("aeinrst")
    return rng.choice(
        (
            key[:at] + key[at + 1 :] or "x",
            key[:at] + letter + key[at:],
            f"{key}s",
            key.rstrip("s") or "s",
        )
    )


def _at(value: Any, place: Place) -> Any:
    for step in place:
        value = value[step]
    return value


def _is_mapping(value: Any, place: Place) -> bool:
    return isinstance(_at(value, place), dict)


def _set(base: Json, place: Place, value: Any) -> Json:
    found = copy.deepcopy(base)
    _at(found, place[:-1])[place[-1]] = value
    return found


def _renamed(base: Json, place: Place, key: str) -> Json:
    """The key under another name, at its place in the mapping."""
    found = copy.deepcopy(base)
    holder = _at(found, place[:-1])
    items = [(key if name == place[-1] else name, value) for name, value in holder.items()]
    holder.clear()
    holder.update(items)
    return found


def _moved(base: Json, place: Place, to: Place) -> Json:
    found = copy.deepcopy(base)
    value = _at(found, place[:-1]).pop(place[-1])
    _at(found, to[:-1])[to[-1]] = value
    return found


def answer(server: ApiServer, obj: Json) -> Answer:
    """What we say of an object, in the form of the oracle's answers."""
    errors = server.workload(obj)
    undecoded = [error.detail for error in errors if error.type == DECODING]
    if undecoded:
        return {"decodeError": undecoded[0]}
    strict = [error.detail for error in errors if error.type == STRICT_DECODING]
    return {"strictErrors": strict} if strict else {}


def is_about_devices(obj: Json) -> bool:
    """Whether an object has claims or amounts of extended resources."""
    text = json.dumps(obj).replace("olumeClaim", "").replace("claimName", "")
    return "laim" in text or '.com/gpu": ' in text or '.com/fpga"' in text


def server_of(release: str) -> ApiServer:
    """The API server of a release with its default gates."""
    return ApiServer(RELEASES[release], RELEASES[release].features())


def digest(objects: Sequence[tuple[str, Json]]) -> str:
    """What tells one set of objects from another."""
    return hashlib.sha256(json.dumps(objects).encode()).hexdigest()


def recorded() -> Json:
    """The answers by release, and the digest of what was asked."""
    found: Json = json.loads(gzip.decompress(RECORDED.read_bytes()))
    texts = found.pop("texts")
    for release in RELEASES:
        found[release] = [json.loads(texts[number]) for number in found[release]]
    return found


def ask(release: str, objects: Sequence[tuple[str, Json]]) -> list[Answer]:
    """What upstream's decoder of a release says."""
    lines = "".join(json.dumps(obj) + "\n" for _, obj in objects)
    done = subprocess.run(
        [ORACLES / f"workloads-{release}"], input=lines, text=True, capture_output=True, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def _record() -> None:
    texts: dict[str, int] = {}
    found: Json = {"digest": digest(part())}
    for release in RELEASES:
        found[release] = [
            texts.setdefault(json.dumps(each, sort_keys=True), len(texts))
            for each in ask(release, part())
        ]
    text = json.dumps({**found, "texts": list(texts)}, ensure_ascii=False)
    RECORDED.write_bytes(gzip.compress(text.encode(), mtime=0))


def _compare() -> None:
    """Ask about all edits and print where we differ, and how many there are."""
    for release in RELEASES:
        server, counts = (
            server_of(release),
            {"rejected": 0, "without devices": 0, "missed": 0, "false": 0, "other words": 0},
        )
        for (kind, obj), right in zip(edits(), ask(release, edits()), strict=True):
            ours = answer(server, obj)
            counts["rejected"] += bool(right)
            if ours != right:
                way = (
                    "without devices"
                    if not is_about_devices(obj)
                    else "missed"
                    if not ours
                    else "false"
                    if not right
                    else "other words"
                )
                counts[way] += 1
                if counts[way] <= 5:
                    sys.stdout.write(f"{release} {way} {kind} {obj['kind']}: {ours} / {right}\n")
        sys.stdout.write(f"{release}: {len(edits())} asked, {counts}\n")


if __name__ == "__main__":
    _compare()
    _record()
