"""Hostile trees, made at random: `python -m tests.hostile_trees --trees 2000 --seed 1`.

Kustomizations, charts, objects of Flux and Argo CD, and links, which name each other, themselves, addresses, programs and
what is outside. lint, migrate and simulate run on each under an audit hook. A tree fails if a program is started, a
connection opened, something outside opened or listed, a file of the tree changed, more files opened than the budget
allows, or if a command ends with an internal error or an exit code of no page.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Any

__all__ = ["failures", "grow"]

CALLS = (
    ("lint", "--isolated", "."),
    ("migrate", "--diff", "."),
    ("migrate", "--scan", "."),
    ("simulate", "--slices", "s.yaml", "."),
)
CODES = (0, 1, 2, 3)
MOST_OPENED = 20_000  # files and folders that one command opens
OUTSIDE = ("../outside", "../outside/secret.yaml", "../../..", "/etc/passwd", "/")
ADDRESSES = (
    "https://127.0.0.1:9/x.yaml",
    "git::ssh://127.0.0.1/x",
    "github.com/a/b?ref=main",
    "file:///etc/passwd",
)
SLICE = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "ResourceSlice",
    "metadata": {"name": "s"},
    "spec": {
        "driver": "gpu.nvidia.com",
        "nodeName": "n1",
        "pool": {"name": "n1", "generation": 1, "resourceSliceCount": 1},
        "devices": [{"name": "gpu-0"}],
    },
}


class _Grower:
    """One tree: names of folders first, so that files can name what comes later."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.folders = [f"f{number}" for number in range(random.randint(2, 6))]

    def place(self) -> str:
        """Something to name: mostly within the tree."""
        kind = self.random.random()
        if kind < 0.5:
            return "./" + self.random.choice(self.folders)
        if kind < 0.65:
            return "../" + self.random.choice(self.folders)
        if kind < 0.75:
            return self.random.choice(("link", "loop", ".", "pod.yaml", "templates", "../link"))
        return self.random.choice(OUTSIDE if kind < 0.9 else ADDRESSES)

    def places(self) -> list[str]:
        return [self.place() for _ in range(self.random.randint(1, 4))]

    def kustomization(self) -> dict[str, Any]:
        chart = {"name": "c", "releaseName": "--post-renderer=/bin/sh", "repo": ADDRESSES[0]}
        fields: dict[str, Any] = {
            "resources": self.places(),
            "Resources": self.places(),
            "bases": self.places(),
            "components": self.places(),
            "generators": self.places(),
            "transformers": self.places(),
            "crds": self.places(),
            "helmCharts": [chart],
            "helmcharts": [chart],
            "helmGlobals": {"chartHome": self.place()},
            "openapi": {"path": self.place()},
            "configMapGenerator": [{"name": "m", "files": self.places(), "envs": self.places()}],
            "patches": [{"path": self.place(), "target": {"kind": "Pod"}}],
            "replacements": [{"path": self.place()}],
            "nameSuffix": "-x" * self.random.randint(1, 9),
            "replicas": [{"name": "p", "count": self.random.choice((1, 10**400, -1))}],
        }
        return {key: fields[key] for key in self.random.sample(sorted(fields), 5)} | {
            "resources": ["pod.yaml", *self.places()]
        }

    def controller(self, number: int) -> dict[str, Any]:
        where = {"path": self.place(), "sourceRef": {"kind": "GitRepository", "name": "g"}}
        many = {"A": "x" * 400, "B": "${A}" * 90}
        forms: list[tuple[str, str, dict[str, Any]]] = [
            ("kustomize.toolkit.fluxcd.io/v1", "Kustomization", where | {"postBuild": {"substitute": many}}),
            ("argoproj.io/v1alpha1", "Application", {"source": {"repoURL": "x", "path": self.place()}}),
            (
                "argoproj.io/v1alpha1",
                "ApplicationSet",
                {
                    "generators": [{"git": {"directories": [{"path": self.place()}, {"path": "*"}]}}],
                    "template": {"spec": {"source": {"path": "{{path}}", "helm": {"valueFiles": self.places()}}}},
                },
            ),
            (
                "helm.toolkit.fluxcd.io/v2",
                "HelmRelease",
                {"chart": {"spec": {"chart": self.place(), "valuesFiles": self.places(), "sourceRef": {}}}},
            ),
        ]  # fmt: skip
        version, kind, spec = self.random.choice(forms)
        metadata = {"name": f"c{number}", "namespace": "f"}
        return {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec}

    def pod(self) -> dict[str, Any]:
        limits = {"limits": {"nvidia.com/gpu": self.random.choice((1, "${B}", "1" * 5000))}}
        image = self.random.choice(("x:1", "${B}${B}", "::error::x", "\x1b[31m"))
        spec = {"containers": [{"name": "c", "image": image, "resources": limits}]}
        return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec}


def grow(top: Path, seed: int) -> Path:
    """Make the tree of a seed in `top`, beside what is outside."""
    grower = _Grower(Random(seed))
    random, tree, outside = grower.random, top / "tree", top / "outside"
    tree.mkdir(parents=True)
    outside.mkdir()
    for name in ("secret.yaml", "kustomization.yaml", "Chart.yaml", "pod.yaml"):
        (outside / name).write_text("apiVersion: v1\nkind: Pod\nmetadata: {name: TOKEN}\n")
    (tree / "s.yaml").write_text(json.dumps(SLICE))
    for number, name in enumerate(grower.folders):
        folder = tree / name
        folder.mkdir()
        (folder / "pod.yaml").write_text(json.dumps(grower.pod()))
        if random.random() < 0.7:
            (folder / "kustomization.yaml").write_text(json.dumps(grower.kustomization()))
        if random.random() < 0.4:
            dependency = {"name": "d", "version": "1", "repository": random.choice(ADDRESSES)}
            chart = {
                "apiVersion": "v2",
                "name": "c",
                "version": "1.0.0",
                "dependencies": [dependency],
            }
            (folder / "Chart.yaml").write_text(json.dumps(chart))
            (folder / "values.yaml").write_text("resources: {limits: {nvidia.com/gpu: 1}}\n")
            (folder / "values.schema.json").write_text(
                json.dumps({"$ref": random.choice(ADDRESSES)})
            )
        if random.random() < 0.7:
            (folder / "app.yaml").write_text(json.dumps(grower.controller(number)))
        for link in ("link", "loop", "templates", "values-x.yaml", "charts"):
            if random.random() < 0.25:
                target = "." if link == "loop" else random.choice((*OUTSIDE[:4], "../../outside"))
                (folder / link).symlink_to(target)
    return tree


def failures(seeds: range) -> list[str]:
    """What goes wrong on the trees of these seeds. The process keeps an audit hook: call it in one of its own."""
    from click.testing import CliRunner

    commands = {name: importlib.import_module(f"dradsl.cli.{name}").command for name, *_ in CALLS}
    seen: list[str] = []
    opened = 0
    beyond = ""

    def watch(event: str, words: tuple[Any, ...]) -> None:
        nonlocal opened
        if not beyond:
            return
        if event in ("open", "os.listdir", "os.scandir") and isinstance(words[0], str | bytes):
            opened += 1
            name = os.path.realpath(os.fsdecode(words[0]))
            if name in ("/", "/etc/passwd") or (name + "/").startswith(beyond):
                seen.append(f"{event} {name}")
        elif event.split(".")[0] in ("subprocess", "socket", "pty") or event in (
            *("os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn"),
        ):
            seen.append(event)

    sys.addaudithook(watch)
    wrong = []
    for seed in seeds:
        with tempfile.TemporaryDirectory() as name:
            tree = grow(Path(name), seed)
            before = _contents(tree)
            for call, *words in CALLS:
                seen.clear()
                opened = 0
                with contextlib.chdir(tree):
                    beyond = f"{os.path.realpath(Path(name) / 'outside')}/"
                    result = CliRunner().invoke(commands[call], words)
                    beyond = ""
                title = f"seed {seed}, {call} {' '.join(words)}"
                wrong += [f"{title}: {one}" for one in dict.fromkeys(seen)]
                if opened > MOST_OPENED:
                    wrong.append(f"{title}: {opened} files opened")
                if result.exit_code not in CODES or "internal error" in result.output:
                    wrong.append(f"{title}: exit code {result.exit_code}: {result.output[-300:]}")
                if "TOKEN" in result.output:
                    wrong.append(f"{title}: quotes what is outside")
            if _contents(tree) != before:
                wrong.append(f"seed {seed}: the tree has changed")
    return wrong


def _contents(tree: Path) -> dict[str, bytes]:
    found = {}
    for folder, _, names in os.walk(tree):
        for name in names:
            path = Path(folder, name)
            if not path.is_symlink():
                found[str(path)] = path.read_bytes()
    return found


def main(words: list[str]) -> int:
    """Try the trees; 1 if one fails."""
    parser = argparse.ArgumentParser(prog="python -m tests.hostile_trees", description=__doc__)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(words)
    wrong = failures(range(given.seed, given.seed + given.trees))
    sys.stdout.write("\n".join([*wrong, f"{given.trees} trees, {len(wrong)} failures\n"]))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
