"""Objects with one edit each, put to upstream's decoding and validation: edits as of `edits`, fields dropped, items
doubled, values that are wrong in a field of that type. The objects are those of `bases.yaml` (the sample `made`) and
three samples of public repositories (`public`), of which the checks were not made; README.md says how they are chosen.

`python -m tests.kube.workloads.verdicts [SAMPLE...]` asks upstream's registry of each release (`make -C tests/oracle
bin/wholes-1.37`, and so on) about all of them, prints the counts and the fields with missed or false errors, and
writes the answers about a part of them to `SAMPLE.json.gz` beside this file.
"""

from __future__ import annotations

import copy
import gzip
import json
import random
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dradsl.kube.errors import DECODING, STRICT_DECODING
from dradsl.kube.pods.workloads import pod_specs
from dradsl.releases import RELEASES
from tests.kube.workloads import edits, public

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.kube.server.api_server import ApiServer

HERE = Path(__file__).parent
SEEDS = {"made": 93, "first": 193, "second": 293, "third": 7393}  # of the samples
COUNTS = HERE / "counts.json"
PART = 3000  # of the edits are recorded; all of the first and the second sample of public objects
ASKED = 20_000
HELD_OUT = {
    "first": 6000,
    "second": 3000,
    "third": 20_000,
}  # asked of the samples of public objects

Json = dict[str, Any]
Error = tuple[str, str]  # type and field
DECODER: list[Error] = [("decoder", "")]  # what is not decoded

TEXTS = (
    *("", "Bad_Name", "a b", "-x", "UPPER", "x" * 64, "a/b/c", "../x", "/abs", "a=b", "1", "a"),
    *("Always", "Never", "None", "Exists", "In", "150%", "0%", "5", "x.y", "*/0 * * * *"),
)
NUMBERS = (-1, 0, 1, 2, 101, 70000, 2**31 - 1)
AMOUNTS = ("-1", "0", "500m", "1.5", "100Gi", "8")


def bases(sample: str = "made") -> list[Json]:
    """Those of a sample; of `made` those of `edits`, without what the registry rejects in them."""
    if sample != "made":
        return public.bases(sample)
    found = {base["metadata"]["name"]: copy.deepcopy(base) for base in edits.bases()}
    found["b"]["spec"]["tolerations"][0].pop("tolerationSeconds")
    found["d"]["spec"].pop("ephemeralContainers")
    found["n"]["spec"] |= {"completionMode": "Indexed", "completions": 3}
    found["n"]["spec"]["successPolicy"]["rules"][0]["succeededIndexes"] = "0-2"
    found["q"]["spec"].pop("workloadRef")
    found["q"]["spec"]["containers"][0].pop("restartPolicyRules")
    found["r"]["spec"]["containers"][0].pop("volumeDevices")
    return list(found.values())


@cache
def questions(sample: str = "made") -> list[tuple[str, Json]]:
    """All edits: what was done, and the object; the same each time."""
    rng = random.Random(SEEDS[sample])
    of = bases(sample)
    own = [each for base in of for each in _edits(base, rng)]
    if sample == "made":
        of_decoder = [each for each in edits.edits() if each[0] != "none"]
        asked = own + rng.sample(of_decoder, max(ASKED - len(own), 0))
    else:
        of_decoder = [each for base in of for each in edits._edits(base, rng)]
        number = HELD_OUT[sample]
        asked = rng.sample(own, number - number // 4) + rng.sample(of_decoder, number // 4)
    return [("none", base) for base in of] + asked


def part(sample: str = "made") -> list[tuple[str, Json]]:
    """The edits whose answers are recorded."""
    asked = questions(sample)
    return asked if sample in ("first", "second") else random.Random(2).sample(asked, PART)


def _edits(base: Json, rng: random.Random) -> Iterator[tuple[str, Json]]:
    for place in edits._fields(base, ()):
        if place in (("apiVersion",), ("kind",)) or "status" in place[:1]:
            continue
        value = edits._at(base, place)
        dropped = copy.deepcopy(base)
        edits._at(dropped, place[:-1]).pop(place[-1])
        yield "dropped", dropped
        yield "null", edits._set(base, place, None)
        if isinstance(value, list) and value:
            yield "doubled", edits._set(base, place, [*value, copy.deepcopy(value[0])])
            yield "emptied", edits._set(base, place, [])
        if isinstance(value, dict):
            yield "emptied", edits._set(base, place, {})
        for each in _wrong(place, value, rng):
            yield "value", edits._set(base, place, each)


def _wrong(place: edits.Place, value: Any, rng: random.Random) -> Sequence[Any]:
    """Values of the same type."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int | float):
        return NUMBERS
    if isinstance(value, str):
        amounts = AMOUNTS if re.search("limits|requests", str(place)) else ()
        return [*rng.sample(TEXTS, 12), *amounts]
    if isinstance(value, list) and value and isinstance(value[0], str):
        return [[each] for each in rng.sample(TEXTS, 5)]
    return []


def ask(release: str, objects: Sequence[tuple[str, Json]]) -> list[list[Error]]:
    """The errors of upstream's registry."""
    lines = "".join(json.dumps(obj) + "\n" for _, obj in objects)
    program = edits.ORACLES / f"wholes-{release}"
    done = subprocess.run([program], input=lines, text=True, capture_output=True, check=True)
    return [errors_of(json.loads(line)) for line in done.stdout.splitlines()]


def errors_of(answer: Json) -> list[Error]:
    """The errors of an answer of the oracle."""
    if "decodeError" in answer or "strictErrors" in answer:
        return DECODER
    return sorted({(each["type"], each["field"]) for each in answer.get("errors", ())})


def answer(server: ApiServer, obj: Json) -> list[Error]:
    """The errors that we find, in the form of `ask`."""
    decoded = server.workload(obj)
    found = list(server.workload_values(obj))
    for at in pod_specs(obj):
        found += server.pod(at.spec, at.annotations, at.path, defaulted=at.named, decoded=decoded)
    if decoded or any(each.type in (DECODING, STRICT_DECODING) for each in found):
        return DECODER
    return sorted({(each.type, each.field) for each in found})


_VOLUME = re.compile(r"(spec\.template\.spec\.volumes\[)(\d+)(\].*)")


def placed(obj: Json, errors: Sequence[Error], *, upstream: bool) -> list[Error]:
    """The errors with the volumes of a StatefulSet at their own places: upstream counts those of its claim templates
    first, in any order; they are all one place here."""
    if obj["kind"] != "StatefulSet" or not any(_VOLUME.fullmatch(each) for _, each in errors):
        return list(errors)
    spec = obj["spec"]
    names = {
        ((each or {}).get("metadata") or {}).get("name") or ""
        for each in spec.get("volumeClaimTemplates") or ()
    }
    volumes = spec["template"]["spec"].get("volumes") or ()
    own = [index for index, each in enumerate(volumes) if (each or {}).get("name") not in names]
    found = []
    for type_, field in errors:
        if match := _VOLUME.fullmatch(field):
            index = int(match[2])
            if upstream:
                place = str(own[index - len(names)]) if index >= len(names) else "of a claim"
            else:
                place = str(index) if index in own else "of a claim"
            field = f"{match[1]}{place}{match[3]}"
        found.append((type_, field))
    return sorted(set(found))


def recorded(sample: str = "made") -> Json:
    """The answers by release, and the digest of what was asked."""
    found: Json = json.loads(gzip.decompress((HERE / f"{sample}.json.gz").read_bytes()))
    texts = found.pop("texts")
    for release in RELEASES:
        rows = [json.loads(texts[number]) for number in found[release]]
        found[release] = [[(type_, field) for type_, field in row] for row in rows]
    return found


def compared(server: ApiServer, obj: Json, right: list[Error]) -> tuple[str, list[Error]]:
    """How we fare with an object, and the errors that only one side has."""
    ours = placed(obj, answer(server, obj), upstream=False)
    right = placed(obj, right, upstream=True)
    if not edits.is_about_devices(obj):
        return "without devices", []
    if (ours == DECODER) != (right == DECODER):
        return ("decoding missed" if right == DECODER else "false"), [*ours, *right]
    if false := sorted(set(ours) - set(right)):
        return "false", false
    if right and not ours:
        return "missed", right
    less = sorted(set(right) - set(ours))
    return ("in part" if less else "rejected" if right else "accepted"), less


class Tally:
    """How we fare with many objects: `counts` by outcome, `fields` with the errors of upstream's and those that we
    miss, `differences` with how often each occurs and where first."""

    def __init__(self, server: ApiServer) -> None:
        self._server = server
        self.counts: Counter[str] = Counter()
        self.fields: dict[str, list[int]] = {}
        self.differences: dict[tuple[str, str, str], list[Any]] = {}

    def add(self, name: str, obj: Json, right: list[Error]) -> None:
        """An object with what upstream says of it."""
        way, errors = compared(self._server, obj, right)
        self.counts[way] += 1
        self.counts["asked"] += 1
        self.counts["rejected by validation"] += bool(right) and right != DECODER
        missed = errors if way in ("missed", "in part") else []
        for error in right if way != "without devices" and right != DECODER else ():
            row = self.fields.setdefault(public.field_of(obj, error[1]), [0, 0])
            row[0] += 1
            row[1] += error in missed
        for type_, field in errors if way not in ("rejected", "accepted") else ():
            short = re.sub(r"\[\w*\]", "[]", field.split("template.spec.")[-1])
            self.differences.setdefault((way, type_, short), [0, name])[0] += 1


def write_counts(sample: str, tallies: dict[str, Tally]) -> None:
    """Write the figures of a sample beside those of the others, and print them."""
    found: Json = json.loads(COUNTS.read_text("ascii")) if COUNTS.exists() else {}
    found[sample] = {"counts": {}, "fields": {}}
    for release, tally in tallies.items():
        counts = dict(sorted(tally.counts.items()))
        found[sample]["counts"][release] = counts
        sys.stdout.write(f"{sample} {release}: {counts}\n")
        for key, (count, first) in sorted(
            tally.differences.items(), key=lambda each: (each[0][0], -each[1][0])
        ):
            sys.stdout.write(f"  {' '.join(key)}: {count} ({first[:90]})\n")
        for field, row in tally.fields.items():
            whole = found[sample]["fields"].setdefault(field, [0, 0])
            whole[0] += row[0]
            whole[1] += row[1]
    found[sample]["fields"] = dict(sorted(found[sample]["fields"].items()))
    COUNTS.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", "ascii")


def _compare(sample: str) -> dict[str, list[list[Error]]]:
    """Ask about all edits and print the counts."""
    answers, asked, tallies = {}, questions(sample), {}
    for release in RELEASES:
        answers[release] = ask(release, asked)
        tallies[release] = Tally(edits.server_of(release))
        for (kind, obj), right in zip(asked, answers[release], strict=True):
            tallies[release].add(f"{kind} {obj['kind']} {obj.get('metadata')}", obj, right)
    write_counts(sample, tallies)
    return answers


def _record(sample: str, answers: dict[str, list[list[Error]]]) -> None:
    texts: dict[str, int] = {}
    found: Json = {"digest": edits.digest(part(sample))}
    places = {json.dumps(question): index for index, question in enumerate(questions(sample))}
    at = [places[json.dumps(question)] for question in part(sample)]
    for release, rows in answers.items():
        found[release] = [texts.setdefault(json.dumps(rows[each]), len(texts)) for each in at]
    text = json.dumps({**found, "texts": list(texts)})
    (HERE / f"{sample}.json.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    for each in sys.argv[1:] or SEEDS:
        _record(each, _compare(each))
