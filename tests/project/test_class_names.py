"""No class name stands for different things: a name is defined once, or stands here with the reason why not."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2] / "dradsl"

# Names of public classes that several modules define, and why.
ALLOWED = {
    "Chart": "a Helm chart: with values for `dradsl.integrations`, with its texts for migrate",
    "Cluster": "a cluster: as a simulation starts from it, and as far as a migration knows it",
    "Condition": "the type of the API; a condition on devices in builders; one on node labels in migrate",
    "Features": "feature gates of a release; what an editor asks of a language server (its protocol's word)",
    "Manifest": "a Kubernetes object: one that is built, and one that was read",
    "Place": "where a cursor stands in a document; where a draft of a migration is written",
    "Pool": "a pool of a ResourceSlice: as a builder, and as the allocator sees it on a node",
    "Release": "a release of Kubernetes; a release of a Helm chart",
}


def classes() -> dict[str, set[str]]:
    """Names of classes, and the modules that define them; the handles of drivers are generated."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in ROOT.rglob("*.py"):
        module = path.relative_to(ROOT).as_posix()
        if module.startswith("devices/"):
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                found[node.name].add(module)
    return found


def test_a_public_name_is_defined_once() -> None:
    several = {
        name: sorted(modules)
        for name, modules in classes().items()
        if len(modules) > 1 and not name.startswith("_")
    }
    assert {name: several[name] for name in several.keys() - ALLOWED.keys()} == {}
    assert ALLOWED.keys() - several.keys() == set(), "these are defined once by now"


def test_a_private_name_is_defined_once_in_a_part() -> None:
    several = []
    for name, modules in classes().items():
        parts = [module.partition("/")[0] for module in modules]
        if name.startswith("_") and len(parts) > len(set(parts)):
            several.append((name, sorted(modules)))
    assert several == []
