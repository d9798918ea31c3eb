"""Overlays of a tree as this package builds them, against what a real Kustomize makes of them.

    python -m tests.tree.compare_kustomize TREE --kustomize PATH [--only TEXT] [--show COUNT]

Every folder with a kustomization that is no component is built by both. Objects are compared whole, sorted by what
identifies them. Nothing is fetched: Kustomize gets no git and a proxy that rejects.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dradsl.text.documents import Limits, load
from dradsl.tree.kustomize.kustomization import NAMES
from dradsl.tree.kustomize.overlays.overlay import OverlayBuilder
from dradsl.tree.kustomize.parts.files import Files

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SECONDS = 120
_LIMITS = Limits(
    max_bytes=1 << 28,
    max_file_separators=80_000_000,
    max_document=1 << 26,
    max_separators=10_000_000,
)


def folders(tree: Path) -> Iterator[Path]:
    """The folders with a kustomization, components left out."""
    for folder, below, names in os.walk(tree):
        below[:] = sorted(each for each in below if each != ".git")
        own = [name for name in NAMES if name in names]
        if own and not any(_is_component(Path(folder) / name) for name in own):
            yield Path(folder)


def _is_component(path: Path) -> bool:
    documents = load(path.read_bytes()).documents
    return any(isinstance(d.data, dict) and d.data.get("kind") == "Component" for d in documents)


def real(kustomize: str, folder: Path) -> tuple[list[Any] | None, str]:
    """What Kustomize makes of a folder: objects, or None and what it says."""
    with tempfile.TemporaryDirectory() as empty:
        environment = {
            "HOME": empty,
            "PATH": empty,
            "HTTPS_PROXY": "http://127.0.0.1:1",
            "HTTP_PROXY": "http://127.0.0.1:1",
        }
        try:
            done = subprocess.run(
                [kustomize, "build", str(folder)],
                capture_output=True,
                env=environment,
                timeout=_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return None, "takes too long"
    if done.returncode != 0:
        return None, done.stderr.decode("utf-8", "replace").strip()[-400:]
    stream = load(done.stdout, _LIMITS)
    return [document.data for document in stream.documents if document.data is not None], ""


def key(data: Any) -> str:
    """What identifies an object."""
    metadata = data.get("metadata") or {}
    parts = (
        data.get("apiVersion"),
        data.get("kind"),
        metadata.get("namespace"),
        metadata.get("name"),
    )
    return json.dumps(parts)


def differences(one: Any, other: Any, path: str = "") -> Iterator[str]:
    """Where two values differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in sorted({*one, *other}):
            if name not in one:
                yield f"{path}.{name}: ours only {other[name]!r:.80}"
            elif name not in other:
                yield f"{path}.{name}: missing in ours {one[name]!r:.80}"
            else:
                yield from differences(one[name], other[name], f"{path}.{name}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, (a, b) in enumerate(zip(one, other, strict=True)):
            yield from differences(a, b, f"{path}[{index}]")
    elif type(one) is not type(other) or one != other:
        yield f"{path}: {one!r:.90} ours {other!r:.90}"


def compare(theirs: Sequence[Any], ours: Sequence[Any]) -> list[str]:
    """What differs between the objects of both, in whatever order."""
    one = {key(each): each for each in theirs}
    other = {key(each): each for each in ours}
    found = [f"missing: {each}" for each in one if each not in other]
    found += [f"too much: {each}" for each in other if each not in one]
    for each, data in one.items():
        if each in other:
            found += [f"{each} {text}" for text in differences(data, other[each])]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("tree", type=Path)
    parser.add_argument("--kustomize", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--show", type=int, default=10)
    given = parser.parse_args()
    tree = given.tree.resolve()
    builder = OverlayBuilder(Files([str(tree)]))
    counts: collections.Counter[str] = collections.Counter()
    lines: list[str] = []
    objects = 0
    for folder in folders(tree):
        name = str(folder.relative_to(tree))
        if given.only not in name:
            continue
        theirs, said = real(given.kustomize, folder)
        ours = builder.build(str(folder))
        constructs = ",".join(sorted({each.construct for each in ours.unknowns}))
        if theirs is None:
            verdict = (
                "rejected by both"
                if ours.rejected is not None
                else f"rejected by kustomize, unknown to ours ({constructs})"
                if ours.unknowns
                else "rejected by kustomize alone"
            )
            if verdict.endswith("alone"):
                lines.append(f"{name}: {said}")
        elif ours.rejected is not None:
            verdict = "rejected by ours alone"
            lines.append(f"{name}: {ours.rejected}")
        else:
            objects += len(theirs)
            found = compare(theirs, [each.data for each in ours.objects])
            verdict = "equal"
            if found:
                verdict = f"unknown ({constructs})" if ours.unknowns else "different"
                lines += [f"{name}: {each}" for each in found[: given.show]]
        counts[verdict] += 1
    for line in lines[: 20 * given.show]:
        sys.stdout.write(f"{line}\n")
    total = sum(counts.values())
    sys.stdout.write(f"{tree.name}: {total} overlays, {objects} objects compared\n")
    for verdict, count in sorted(counts.items()):
        sys.stdout.write(f"  {count:5} {verdict}\n")
    return 1 if counts["different"] or any("alone" in each for each in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
