"""Workloads of public repositories: which fields they use most, and objects of them to edit.

`python -m tests.kube.workloads.public count FOLDER...` counts the fields in the manifests of folders and writes the
fifty most used ones to `fields.json`. `... choose SAMPLE FOLDER...` takes objects of the folders that the oracle of
each release accepts (`make -C tests/oracle bin/wholes-1.37`, and so on), those with the most fields that no other
has, adds claims to them and writes them to `public.json.gz`, beside this file.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from dradsl.kube.pods.types import fields_of, types
from dradsl.kube.pods.workloads import PLACES
from dradsl.releases import RELEASES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

HERE = Path(__file__).parent
CHOSEN = HERE / "public.json.gz"
COUNTED = HERE / "fields.json"
MOST = 50
BASES = {"first": 30, "second": 30, "third": 40}  # objects of a sample
LARGEST = 6000  # characters of an object as JSON

Json = dict[str, Any]

# What is said by people, not by the API: it is not copied.
_TEXTS = {"args": ["a"], "command": ["c"], "value": "v", "image": "i"}


def bases(sample: str) -> list[Json]:
    """The objects that were chosen for a sample."""
    found: list[Json] = json.loads(gzip.decompress(CHOSEN.read_bytes()))[sample]
    return found


def counted() -> dict[str, int]:
    """The most used fields as `TYPE.FIELD`, with the number of objects that have them."""
    found: dict[str, int] = json.loads(COUNTED.read_text("ascii"))["fields"]
    return found


def number() -> int:
    """How many objects the fields were counted in."""
    found: int = json.loads(COUNTED.read_text("ascii"))["objects"]
    return found


def objects(folders: Iterable[Path]) -> Iterator[Json]:
    """The objects of Kubernetes' own kinds with pods in files that are YAML as they are; each one once."""
    seen = set()
    for folder in folders:
        for file in sorted(folder.rglob("*.y*ml")):
            try:
                documents = list(yaml.load_all(file.read_text("utf-8"), yaml.CSafeLoader))
            except (yaml.YAMLError, ValueError, OSError):
                continue
            for each in documents:
                if not isinstance(each, dict) or not _is_pods(each):
                    continue
                text = json.dumps(each, default=str, sort_keys=True)
                if text not in seen:
                    seen.add(text)
                    yield json.loads(text)


def _is_pods(obj: Json) -> bool:
    return (str(obj.get("apiVersion")), str(obj.get("kind"))) in PLACES


def fields(value: Any, type_: str) -> Iterator[str]:
    """The fields that a value of a Go type has."""
    is_ = types().get(type_, type_)
    if isinstance(is_, dict):
        known = fields_of(type_)
        for name, each in value.items() if isinstance(value, dict) else ():
            if name in known and each is not None:
                yield f"{type_}.{name}"
                yield from fields(each, known[name].type)
    elif is_.startswith("[]"):
        for each in value if isinstance(value, list) else ():
            yield from fields(each, is_[2:].lstrip("*"))


def field_of(obj: Json, path: str) -> str:
    """The field that a path of upstream's leads to, as `TYPE.FIELD`; the last one that is known."""
    if "ephemeralContainers" in path:  # which may not be there at all
        return "v1.PodSpec.ephemeralContainers"
    type_, found = f"v1.{obj['kind']}", ""
    for step in re.findall(r"[^.\[\]]+|\[[^]]*\]", path):
        field = fields_of(type_).get(step)
        if field is not None:
            found = f"{type_}.{step}"
            type_ = field.type.removeprefix("[]").lstrip("*")
    return found


def _of(obj: Json) -> set[str]:
    return {each for each in fields(obj, f"v1.{obj['kind']}") if "ObjectMeta" not in each}


def _count(folders: list[Path]) -> None:
    used: Counter[str] = Counter()
    number = 0
    for obj in objects(folders):
        used.update(_of(obj))
        number += 1
    # Every object has these.
    kinds = {f"v1.{kind}" for _, kind in PLACES}
    rows = {
        name: count for name, count in used.most_common() if name.rpartition(".")[0] not in kinds
    }
    most = dict(list(rows.items())[:MOST])
    text = json.dumps({"objects": number, "fields": most}, indent=0)
    COUNTED.write_text(text + "\n", "ascii")


def _shortened(value: Any, type_: str = "") -> Any:
    """A value without the texts of people, annotations and status."""
    if isinstance(value, dict):
        return {
            key: _TEXTS[key] if key in _TEXTS and each else _shortened(each)
            for key, each in value.items()
            if key not in ("annotations", "status")
        }
    return [_shortened(each) for each in value] if isinstance(value, list) else value


def _with_claims(obj: Json) -> Json:
    """An object whose pod has a claim for its first container."""
    holder = obj
    for step in PLACES[str(obj["apiVersion"]), str(obj["kind"])]:
        holder = holder[step]
    holder.setdefault("resourceClaims", [{"name": "gpu", "resourceClaimTemplateName": "t"}])
    resources = holder["containers"][0].setdefault("resources", None) or {}
    resources.setdefault("claims", [{"name": holder["resourceClaims"][0]["name"]}])
    holder["containers"][0]["resources"] = resources
    return obj


def _choose(sample: str, folders: list[Path]) -> None:
    from tests.kube.workloads import verdicts

    found = []
    for obj in objects(folders):
        try:
            each = _with_claims(_shortened(obj))
        except (KeyError, TypeError, IndexError, AttributeError):
            continue
        if len(json.dumps(each)) < LARGEST:
            found.append(each)
    for release in RELEASES:
        said = verdicts.ask(release, [("none", each) for each in found])
        found = [each for each, errors in zip(found, said, strict=True) if not errors]
    left = [(each, _of(each)) for each in found]
    chosen: list[Json] = []
    known: set[str] = set()
    while len(chosen) < BASES[sample]:
        best = max(left, key=lambda row: len(row[1] - known) - len(json.dumps(row[0])) / LARGEST)
        left.remove(best)
        chosen.append(best[0])
        known |= best[1]
    samples = json.loads(gzip.decompress(CHOSEN.read_bytes())) if CHOSEN.exists() else {}
    text = json.dumps({**samples, sample: chosen})
    CHOSEN.write_bytes(gzip.compress(text.encode(), mtime=0))
    sys.stdout.write(f"{len(found)} objects are accepted, {len(known)} fields in those chosen\n")


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    if what == "count":
        _count([Path(each) for each in rest])
    else:
        _choose(rest[0], [Path(each) for each in rest[1:]])
