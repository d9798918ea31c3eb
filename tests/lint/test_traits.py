"""A rule that is added with its traits is right in patches, overlays, incomplete objects and the editor; without them
the generator rejects its page."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import dradsl
from dradsl.lint.pages.documents import DocumentError, all_documents
from maintenance.rule_tables import check_front_matter

PACKAGE = Path(dradsl.__file__).parent
TRAITS = {
    "about": "value",
    "hides": "nothing",
    "compares": "nothing",
    "elsewhere": "[]",
    "patch": "no",
    "shown": "same",
    "ignore": "yes",
    "editor": "plain",
}
PAGE = """\
---
code: DRA399
name: planted
family: 3
severity: error
releases: all
fix: none
needs: []
source: none
where: [dradsl/lint/rules/requests/planted.py]
traits: {%s}
---
# Planted

## What it finds

One.

## Why it hurts

It does.

## How to fix

Not.

## Examples

None.
"""
CHECK = """\
from dradsl.lint.view.rule_finding import RuleFinding

CODE = "DRA399"
WORDS = ("planted",)


def check(run):
    for pod in run.pods:
        for index, entry in pod.claims:
            if entry.get("name") == "planted":
                path = (*pod.at.path, "resourceClaims", index, "name")
                yield RuleFinding(CODE, pod.manifest, path, "planted")
"""
# Prints what is found in each folder, and the tags that an editor gets.
SCRIPT = """\
import json, os, sys
import dradsl
from dradsl.lsp.linting.diagnostics import diagnostic_of

class Places:
    def range_of(self, span):
        from lsprotocol.types import Position, Range
        return Range(Position(0, 0), Position(0, 0))

found = {}
for folder in sys.argv[1:]:
    os.chdir(folder)
    each = [f for f in dradsl.lint(".", isolated=True, select=["DRA399"]).findings]
    found[os.path.basename(folder)] = [
        (f.path, f.severity.value, f.message, [t.name for t in diagnostic_of(f, lambda _: Places()).tags or ()])
        for f in each
    ]
print(json.dumps(found))
"""
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: ml}
spec:
  template:
    spec:
      containers: [{name: c, image: x, resources: {claims: [{name: NAME}]}}]
      resourceClaims: [{name: NAME, resourceClaimTemplateName: t}]
"""
TEMPLATE = """\
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: t, namespace: ml}
spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu.nvidia.com}}]}}}
"""
KUSTOMIZATION = "resources: [base.yaml]\npatches: [{path: patch.yaml}]\n"
PATCH = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: ml}
spec: {template: {spec: {resourceClaims: [{name: planted, resourceClaimTemplateName: t}]}}}
"""
VALUES = "resourceClaims: [{name: planted, resourceClaimTemplateName: t}]\nresources: {claims: [{name: planted}]}\n"
FOLDERS: dict[str, dict[str, str]] = {
    "plain": {"base.yaml": DEPLOYMENT.replace("NAME", "planted") + TEMPLATE},
    "patch": {
        "kustomization.yaml": KUSTOMIZATION,
        "base.yaml": DEPLOYMENT.replace("NAME", "gpu") + TEMPLATE,
        "patch.yaml": PATCH,
    },
    "overlay": {
        "kustomization.yaml": KUSTOMIZATION,
        "base.yaml": DEPLOYMENT.replace("NAME", "planted") + TEMPLATE,
        "patch.yaml": PATCH[: PATCH.index("resourceClaims")]
        + "containers: [{name: c, resources: {claims: [{name: planted}]}}]}}}\n",
    },
    "chart": {"values.yaml": VALUES},
}


def planted(root: Path, **traits: str) -> Path:
    """A copy of the package with one rule more; all files but those that are changed are links."""
    for folder in ("dradsl", "dradsl/lint", "dradsl/lint/catalogue", "dradsl/lint/rules"):
        (root / folder).mkdir()
        for each in (PACKAGE.parent / folder).iterdir():
            target = root / folder / each.name
            if each.name == "__pycache__" or f"{folder}/{each.name}" in (
                "dradsl/lint", "dradsl/lint/catalogue", "dradsl/lint/rules", "dradsl/lint/rules/requests",
            ):  # fmt: skip
                continue
            if each.name in ("data.py", "table.py", "table.json"):
                target.write_bytes(each.read_bytes())
            else:
                target.symlink_to(each)
    requests = root / "dradsl/lint/rules/requests"
    requests.mkdir()
    for each in (PACKAGE / "lint/rules/requests").iterdir():
        if each.name != "__pycache__":
            (requests / each.name).symlink_to(each)
    (requests / "planted.py").write_text(CHECK, encoding="utf-8")
    (root / "rules").mkdir()
    for each in (PACKAGE.parent / "rules").glob("*.md"):
        (root / "rules" / each.name).symlink_to(each)
    for name in ("schemas", "docs", "templates", "examples", "maintenance"):
        (root / name).symlink_to(PACKAGE.parent / name)
    given = ", ".join(f"{name}: {value}" for name, value in {**TRAITS, **traits}.items())
    (root / "rules" / "DRA399-planted.md").write_text(PAGE % given, encoding="utf-8")
    run(root, "-m", "maintenance.rule_tables")
    return root


def run(root: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-B", *arguments], cwd=root, env={"PYTHONPATH": str(root)}, capture_output=True, text=True
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def found(root: Path, *names: str) -> dict[str, list[tuple[str, str, str, list[str]]]]:
    folders = []
    for name in names:
        folder = root / "trees" / name
        folder.mkdir(parents=True)
        for file, text in FOLDERS[name].items():
            (folder / file).write_text(text, encoding="utf-8")
        folders.append(str(folder))
    given: dict[str, list[list[object]]] = json.loads(run(root, "-c", SCRIPT, *folders))
    return {name: [tuple(each) for each in rows] for name, rows in given.items()}  # type: ignore[misc]


@pytest.fixture(autouse=True)
def _editor() -> None:
    pytest.importorskip("lsprotocol")


@pytest.mark.parametrize(
    ("traits", "folder", "expected"),
    [
        ({}, "plain", [("base.yaml", "error", "planted", [])]),
        ({"editor": "deprecated"}, "plain", [("base.yaml", "error", "planted", ["Deprecated"])]),
        ({"editor": "unnecessary"}, "plain", [("base.yaml", "error", "planted", ["Unnecessary"])]),
        ({}, "patch", [("patch.yaml", "error", "planted (built in .)", [])]),
        ({"patch": "yes"}, "patch", [("patch.yaml", "error", "planted", [])]),
        ({}, "overlay", [("base.yaml", "error", "planted", [])]),
        (
            {"about": "absence", "elsewhere": "[patches]"},
            "overlay",
            [("base.yaml", "error", "planted (built in .)", [])],
        ),
        ({}, "chart", []),
        ({"about": "shape"}, "chart", [("values.yaml", "warning", "planted", [])]),
    ],
)
def test_an_added_rule_is_right_everywhere(
    tmp_path: Path,
    traits: dict[str, str],
    folder: str,
    expected: list[tuple[str, str, str, list[str]]],
) -> None:
    assert found(planted(tmp_path, **traits), folder) == {folder: expected}


@pytest.mark.parametrize("name", TRAITS)
def test_a_page_without_a_trait_is_rejected(name: str) -> None:
    left = ", ".join(f"{each}: {value}" for each, value in TRAITS.items() if each != name)
    with pytest.raises(DocumentError, match=f"traits: '{name}' is a required property"):
        check_front_matter(PAGE % left, "DRA399-planted.md")


@pytest.mark.parametrize(
    ("trait", "value", "told"),
    [
        ("about", "things", "about: 'things' is not one of \\['value'"),
        ("patch", "perhaps", "patch: 'perhaps' is not of type 'boolean'"),
        ("elsewhere", "[moon]", "elsewhere: 0: 'moon' is not one of"),
        ("about", "lookup", "elsewhere: \\[\\] does not contain"),
    ],
)
def test_a_trait_takes_its_words_alone(trait: str, value: str, told: str) -> None:
    given = ", ".join(f"{each}: {text}" for each, text in {**TRAITS, trait: value}.items())
    with pytest.raises(DocumentError, match=told):
        check_front_matter(PAGE % given, "DRA399-planted.md")


def test_codes_stand_in_the_modules_of_their_rules_alone() -> None:
    """Everything else asks for traits."""
    others = []
    where = {each.code: each.where for each in all_documents()}
    for path in PACKAGE.rglob("*.py"):
        module = path.relative_to(PACKAGE.parent).as_posix()
        if module.startswith("dradsl/lint/catalogue/"):
            continue
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                if not re.fullmatch(r"DRA\d{3}", node.value):
                    continue
                if module not in where.get(node.value, ()):
                    others.append(f"{module}:{node.lineno} {node.value}")
    assert not others
