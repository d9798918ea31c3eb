"""`python -m tests.tree.compare_flux TREE --program PATH`: values of all HelmReleases of a tree, ours against Flux's.

Each release is taken as each build gives it, or as it is written where nothing builds it. PATH is built of
tests/oracle/flux; it gets the release's own values, its references and the ConfigMaps and Secrets that were found.
"""

from __future__ import annotations

import argparse
import base64
import os
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

from dradsl.lint.engine.session import Session
from dradsl.lint.engine.state import read_state
from dradsl.tree.builds import Builds
from dradsl.tree.completed_releases import Releases, node_of
from dradsl.tree.nodes import sequence
from tests.tree.builds.record_flux import answers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.tree.kustomize.parts.outcome import BuiltObject
    from dradsl.tree.nodes import ValueNode


def releases(
    tree: str,
) -> Iterator[tuple[str, ValueNode, str, tuple[BuiltObject, ...], Builds, Releases]]:
    """Title, object, namespace and what is built with it."""
    os.chdir(tree)
    session = Session((".",), isolated=True)
    state = read_state(session.read(), session.config())
    repository = None if state.unknowns is None else state.unknowns.repository
    builds, known = Builds(state, repository), Releases(state)
    seen = set()
    for manifest in state.manifests:
        if manifest.kind != "HelmRelease" or manifest.chart_output is not None or manifest.is_patch:
            continue
        keys = () if repository is None else repository.built_from(manifest.path) or ()
        if not keys and (node := node_of(manifest)) is not None:
            yield manifest.path, node, manifest.namespace or "", (), builds, known
        for build in builds.of(keys, 100):
            for one in build.overlay.objects:
                kind, name = one.node.get("kind"), one.node.get("metadata", "name")
                if kind is None or kind.text != "HelmRelease" or name is None:
                    continue
                key = (build.title, name.text, id(one))
                if key in seen:
                    continue
                seen.add(key)
                space = one.node.get("metadata", "namespace")
                text = "" if space is None else space.text
                yield (
                    f"{name.text} in {build.title}",
                    one.node,
                    text,
                    build.overlay.objects,
                    builds,
                    known,
                )


def question(
    node: ValueNode, namespace: str, built: tuple[BuiltObject, ...], known: Releases
) -> dict[str, Any]:
    """What Flux is asked of a release."""
    release: Any = node.plain() or {}
    spec: Any = release.get("spec") or {}
    found: list[dict[str, Any]] = []
    for reference in spec.get("valuesFrom") or []:
        kind, name = str(reference.get("kind")), str(reference.get("name"))
        one = known.find(kind, name, namespace, built)
        data: Any = None if one is None else one.plain()
        if data is None or any(each["name"] == name and each["kind"] == kind for each in found):
            continue
        texts = dict(data.get("data") or {})
        if kind == "Secret":
            texts = {
                key: base64.b64decode(text).decode("utf-8", "replace")
                for key, text in texts.items()
            }
            texts |= data.get("stringData") or {}
        found.append({"kind": kind, "name": name, "data": {k: str(v) for k, v in texts.items()}})
    return {
        "values": spec.get("values") or {},
        "references": spec.get("valuesFrom") or [],
        "objects": found,
    }


def _find(
    known: Releases, space: str, built: tuple[BuiltObject, ...], kind: str, name: str
) -> ValueNode | None:
    return known.find(kind, name, space, built)


def _with_references(node: ValueNode, there: list[Any]) -> ValueNode:
    """A release with some of its references."""
    spec = node.get("spec")
    listed = None if spec is None else spec.get("valuesFrom")
    if spec is None or listed is None:
        return node
    kept = [each for each in listed.items if each.plain() in there]
    return node.with_field("spec", spec.with_field("valuesFrom", sequence(kept, listed.at)))


def main(words: list[str]) -> int:
    """Compare and count; 1 if values differ."""
    parser = argparse.ArgumentParser(prog="python -m tests.tree.compare_flux")
    parser.add_argument("tree")
    parser.add_argument("--program", required=True, type=os.path.abspath)
    given = parser.parse_args(words)
    count: Counter[str] = Counter()
    ours, asked, titles = [], [], []
    for title, node, namespace, built, builds, known in releases(given.tree):
        files, top = builds.files(given.tree)
        row = question(node, namespace, built, known)
        found = {(each["kind"], each["name"]) for each in row["objects"]}
        there = [each for each in row["references"] if (each["kind"], each["name"]) in found]
        count["releases, of which not all references are in the tree"] += there != row["references"]
        # Both without what is not in the tree: the rest is put together alike or not.
        node, row["references"] = _with_references(node, there), there
        filled = " in Kustomization " in title
        whole = known.completed(node, namespace, built, files, top, filled=filled)
        values: Any = None if whole is None else whole.plain()
        ours.append(None if values is None else (values.get("spec") or {}).get("values") or {})
        asked.append(row)
        titles.append(title)
    for title, mine, row, answer in zip(
        titles, ours, asked, answers(given.program, asked), strict=True
    ):
        several = "several places" if row["references"] else "one place"
        if mine is None:
            what = "unknown to both" if "error" in answer else "unknown to ours alone"
        elif "error" in answer:
            what = "rejected by Flux alone"
        else:
            what = "equal" if mine == (answer.get("values") or {}) else "DIFFERENT"
        count[f"{what}, {several}"] += 1
        if what in ("DIFFERENT", "unknown to ours alone", "rejected by Flux alone"):
            sys.stdout.write(f"{what}: {title} {answer.get('error', '')}\n")
    for what, number in sorted(count.items()):
        sys.stdout.write(f"{number:5} {what}\n")
    return int(any("DIFFERENT" in what for what in count))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
