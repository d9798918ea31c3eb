"""What dradsl reads, by surface: where inputs come from, how they are changed, which calls read them."""

from __future__ import annotations

import ast
import bz2
import functools
import gzip
import io
import json
import lzma
import os
import subprocess
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from dradsl.lint.pages.documents import all_documents
from maintenance.rule_examples import examples_of
from tests.fuzz.cases import Case
from tests.fuzz.mutate import mutated
from tests.spoiled import STRANGE, seeds, spoil

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

__all__ = ["SURFACES"]

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Call:
    """Words of a call; the other fields are those of `Case`."""

    words: str
    quotes: bool = False
    rewrites: bool = False

    def case(self, files: dict[str, bytes], target: str) -> Case:
        return Case(tuple(self.words.split()), files, target, b"", self.quotes, self.rewrites)


MANIFESTS = (
    Call("lint --isolated a.yaml"),
    Call("lint --isolated --output-format json a.yaml"),
    Call("lint --isolated --output-format sarif a.yaml"),
    Call("lint --isolated --output-format github a.yaml"),
    Call("lint --isolated --kube-version 1.34-1.37 a.yaml"),
    Call("lint --isolated --fix --unsafe-fixes a.yaml", rewrites=True),
    Call("lint --isolated --fix --unsafe-fixes --diff a.yaml", quotes=True),
    Call("convert --write a.yaml", rewrites=True),
    Call("convert --write --to v1beta1 a.yaml", rewrites=True),
    Call("migrate --write a.yaml", rewrites=True),
    Call("migrate --scan a.yaml"),
    Call("to-python a.yaml", quotes=True),
)
RECORDED = (
    Call("simulate --slices s.yaml a.yaml"),
    Call("simulate --slices s.yaml --fit --replicas 3 --output-format json a.yaml"),
    Call("simulate --slices s.yaml --output-format html a.yaml"),
    Call("why a.yaml s.yaml"),
    Call("devices s.yaml"),
    Call("devices --by claim s.yaml a.yaml"),
    Call("lint --isolated --slices s.yaml a.yaml"),
    Call("record s.yaml", quotes=True),
    Call("schema check s.yaml"),
    Call("schema infer s.yaml", quotes=True),
    Call("cel eval --slices s.yaml device.attributes.size()>0"),
    Call("migrate --diff --slices s.yaml a.yaml", quotes=True),
)
SETTINGS = {
    ".dradsl.yaml": "lint a.yaml",
    "pyproject.toml": "lint a.yaml",
    "baseline.json": "lint --isolated --baseline baseline.json a.yaml",
    "schema.yaml": "lint --isolated --driver-schema schema.yaml a.yaml",
    "schema.yml": "schema check schema.yml --against gpu.nvidia.com",
    "answers.yaml": "migrate --scan --answers answers.yaml a.yaml",
    "recipe.yaml": "migrate --scan --set recipes=recipe.yaml values.yaml",
    "rules.yaml": "lint --config custom-rules=rules.yaml a.yaml",
}


def _text(objects: Sequence[Any]) -> bytes:
    texts = [yaml.safe_dump(each, allow_unicode=True, sort_keys=False) for each in objects]
    return "---\n".join(texts).encode("utf-8", "surrogatepass")


@functools.cache
def _manifests() -> list[bytes]:
    """The examples of the rules as they are written, and those of the project."""
    rules = [each.source.encode() for one in all_documents() for each in examples_of(one)]
    files = [*(ROOT / "examples").rglob("*.yaml"), *(ROOT / "tests" / "migrate").rglob("*.yaml")]
    texts = [path.read_bytes() for path in sorted(files)]
    return rules + [text for text in texts if len(text) < 20_000]


@functools.cache
def _recorded() -> list[list[Any]]:
    from dradsl.text.documents import load

    found = [one for one in seeds() if any(each["kind"] == "ResourceSlice" for each in one)]
    for path in sorted((ROOT / "examples" / "inventory").rglob("slices.yaml")):
        data = path.read_bytes()
        if len(data) < 40_000:
            found.append(
                [each.data for each in load(data).documents if isinstance(each.data, dict)]
            )
    return found


@functools.cache
def _pods() -> list[bytes]:
    return [path.read_bytes() for path in sorted((ROOT / "examples").rglob("pods.yaml"))]


def _yaml(random: Random) -> Case:
    data = mutated(random.choice(_manifests()), random, _manifests())
    return random.choice(MANIFESTS).case({"a.yaml": data}, "a.yaml")


def _objects(random: Random) -> Case:
    data = _text(spoil(random.choice(seeds()), random))
    return random.choice(MANIFESTS).case({"a.yaml": data}, "a.yaml")


def _slices(random: Random) -> Case:
    slices, pods = random.choice(_recorded()), random.choice(_pods())
    target = random.choice(("s.yaml", "s.yaml", "a.yaml"))
    files = {"s.yaml": _text(slices), "a.yaml": pods}
    if target == "a.yaml":
        files[target] = mutated(pods, random, _manifests())
    elif random.random() < 0.8:
        files[target] = _text(spoil(slices, random))
    else:
        files[target] = mutated(files[target], random, _manifests())
    return random.choice(RECORDED).case(files, target)


def _packed(random: Random) -> Case:
    """Recordings that are packed, changed before or after packing."""
    data = _text(random.choice(_recorded()))
    before = random.random() < 0.6  # a packed file that is changed seldom unpacks
    if before:
        data = mutated(data, random, _manifests())
    pack = random.choice((_gzip, bz2.compress, lzma.compress, _archived, _twice))
    data = pack(data)
    if not before:
        data = mutated(data, random, [_gzip(b"{}"), bz2.compress(b"{}")])
    files = {"s.yaml": data, "a.yaml": random.choice(_pods())}
    return random.choice(RECORDED).case(files, "s.yaml")


def _gzip(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)  # the same input for the same seed


def _archived(data: bytes) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        member = tarfile.TarInfo("slices.yaml")
        member.size = len(data)
        archive.addfile(member, io.BytesIO(data))
    return _gzip(made.getvalue())


def _twice(data: bytes) -> bytes:
    return _gzip(lzma.compress(data)) + _gzip(data)


@functools.cache
def _expressions() -> list[bytes]:
    from dradsl.text.documents import load

    found: dict[str, None] = {}
    pending: list[Any] = [each.data for text in _manifests() for each in load(text).documents]
    while pending:
        one = pending.pop()
        if isinstance(one, dict):
            text = one.get("expression")
            if isinstance(text, str) and len(text) < 2000:
                found[text] = None
            pending += one.values()
        elif isinstance(one, list):
            pending += one
    lines = (ROOT / "tests" / "verdicts" / "inputs" / "cel.txt").read_text("utf-8").splitlines()
    return [text.encode("utf-8", "replace") for text in (*sorted(found), *lines[:2000]) if text]


def _cel(random: Random) -> Case:
    data = mutated(random.choice(_expressions()), random, _expressions())
    text = data.decode("utf-8", "replace").replace("\0", "")
    if random.random() < 0.3:
        selector = {"cel": {"expression": text}}
        named = {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "DeviceClass",
            "metadata": {"name": "a"},
        }
        files = {"a.yaml": _text([{**named, "spec": {"selectors": [selector]}}])}
        return random.choice(MANIFESTS[:6]).case(files, "a.yaml")
    how = random.choice(
        ("check", "eval --slices s.yaml", "explain", "fmt", "check --output-format json")
    )
    files = {"s.yaml": _text(_recorded()[0])}
    # What is printed is the expression, or holds it.
    words = ("cel", *how.split(), "--", text)
    return Case(words, files, "", quotes=how == "fmt")


@functools.cache
def _values() -> list[bytes]:
    inputs = sorted((ROOT / "tests" / "migrate" / "inputs").glob("*.yaml"))
    named = [path for path in inputs if "values" in path.name]
    named += [*(ROOT / "examples" / "migrations").rglob("values*.yaml")]
    return [path.read_bytes() for path in sorted(named)]


def _values_case(random: Random) -> Case:
    data = mutated(random.choice(_values()), random, _values())
    calls = (
        Call("migrate --scan values.yaml"),
        Call("migrate --diff values.yaml", quotes=True),
        Call("migrate --write values.yaml", rewrites=True),
        Call("migrate --scan --output-format markdown values.yaml"),
        Call("migrate --diff values.yaml", quotes=True),
        Call("lint --isolated values.yaml"),
    )
    return random.choice(calls).case({"values.yaml": data}, "values.yaml")


@functools.cache
def _settings() -> dict[str, list[bytes]]:
    """Seeds for each kind of file that settings come from."""
    full = b"select: [ALL]\nignore: [DRA301]\nkube-version: '1.34-1.36'\nfail-on: error\nseverity: info\n"
    full += b"exclude: ['vendor/**', '*.tmp.yaml']\nper-file-ignores: {'a*.yaml': [DRA3]}\n"
    full += b"feature-gates: {DRAAdminAccess: true}\ncontext: [a.yaml]\nbaseline: baseline.json\n"
    toml = b'[tool.dradsl]\nselect = ["ALL"]\nkube-version = "1.35"\nexclude = ["vendor/"]\n'
    toml += b'[tool.dradsl.per-file-ignores]\n"a*" = ["DRA301"]\n[tool.dradsl.feature-gates]\nDRAAdminAccess = true\n'
    baseline = {"version": 1, "findings": [{"path": "a.yaml", "code": "DRA301", "count": 1}]}
    schemas = [path.read_bytes() for path in sorted((ROOT / "schemas" / "drivers").glob("*.yaml"))]
    schemas = [each for each in schemas if len(each) < 30_000]
    recipes = [
        path.read_bytes()
        for path in sorted((ROOT / "dradsl" / "tree" / "charts" / "recipes").glob("*.yaml"))
    ]
    configured = [
        one.text.encode()
        for document in all_documents()
        for example in examples_of(document)
        for one in example.attachments
        if one.role == "config"
    ]
    answers = b"sharing: exclusive\nmig-strategy: mixed\naccept: [x]\nnvidia.com/gpu: {sharing: exclusive}\n"
    return {
        ".dradsl.yaml": [full, *configured],
        "pyproject.toml": [toml],
        "baseline.json": [json.dumps(baseline, indent=1).encode()],
        "schema.yaml": schemas,
        "schema.yml": schemas,
        "answers.yaml": [answers],
        "recipe.yaml": recipes,
        "rules.yaml": [(ROOT / "examples" / "custom-rules" / "acme.yaml").read_bytes()],
    }


def _configuration(random: Random) -> Case:
    name = random.choice(list(SETTINGS))
    texts = _settings()[name]
    data = mutated(random.choice(texts), random, texts)
    files = {"a.yaml": _manifests()[0], "values.yaml": _values()[0], name: data}
    files["a.yaml"] = random.choice(_manifests()[:40])
    return Call(SETTINGS[name]).case(files, name)


# --- builders ---


@functools.cache
def _modules() -> list[str]:
    """Modules that `to-python` makes of the examples."""
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.dsl.data.fragment import ManifestError
    from dradsl.dsl.generate.to_python import to_python
    from dradsl.dsl.objects.reading import from_yaml

    found = []
    for objects in seeds()[:400:4]:
        try:
            made = from_yaml(_text(objects).decode(), lambda _error: None)
            found.append(to_python(made, Catalogue(())))
        except (ManifestError, ValueError):
            continue
    return [text for text in found if "App(" in text]


class _Literals(ast.NodeTransformer):
    """Some literals become what nobody expects; names and calls stay, so nothing else is run."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return self._strange(node)

    def visit_List(self, node: ast.List) -> ast.AST:
        return self._strange(self.generic_visit(node))

    def _strange(self, node: ast.AST) -> ast.AST:
        if self._random.random() > 0.06:
            return node
        value = self._random.choice((*STRANGE, "\u202e\x1b[31m", "a\nb", b"x", (1,), 1j, ...))
        return ast.parse(repr(value).replace("inf", "1e999"), mode="eval").body


def _builders(random: Random) -> Case:
    tree = ast.parse(random.choice(_modules()))
    body = [_Literals(random).visit(node) if not _imports(node) else node for node in tree.body]
    text = ast.unparse(ast.fix_missing_locations(ast.Module(body, [])))
    calls = (
        Call("build module.py", quotes=True),
        Call("build module.py -o out"),
        Call("build module.py --output-format json", quotes=True),
        Call("build module.py --layout helm --ignore ALL", quotes=True),
    )
    return random.choice(calls).case({"module.py": text.encode("utf-8", "replace")}, "module.py")


def _imports(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    )


# --- git ---


@functools.cache
def _repository() -> dict[str, bytes]:
    """The files of a small repository, with packed and loose objects and a branch."""
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    for name in ("AUTHOR", "COMMITTER"):
        environment[f"GIT_{name}_DATE"] = "2024-01-01T00:00:00Z"

    def git(*words: str) -> None:
        who = ("-c", "user.name=x", "-c", "user.email=x@example.com")
        subprocess.run(
            ["git", *who, *words], cwd=top, env=environment, check=True, capture_output=True
        )

    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        git("init", "-q", "-b", "main")
        (top / "a.yaml").write_bytes(_manifests()[3])
        (top / "sub").mkdir()
        (top / "sub" / "b.yaml").write_bytes(_manifests()[5])
        git("add", "-A")
        git("commit", "-qm", "x")
        git("gc", "-q")
        (top / "sub" / "b.yaml").write_bytes(_manifests()[6])
        git("add", "-A")
        git("commit", "-qm", "y")
        git("branch", "old", "HEAD~1")
        return {
            path.relative_to(top).as_posix(): path.read_bytes()
            for path in sorted(top.rglob("*"))
            if path.is_file() and "hooks" not in path.parts
        }


def _git(random: Random) -> Case:
    files = dict(_repository())
    inner = [name for name in files if name.startswith(".git/") and "logs" not in name]
    plain = [name for name in inner if "objects" not in name]
    target = random.choice(plain if random.random() < 0.7 else inner)
    others = [files[name] for name in plain]
    files[target] = mutated(files[target], random, others)
    if random.random() < 0.2:
        files[".git/" + random.choice(("commondir", "shallow", "objects/info/alternates"))] = (
            mutated(b"../x\n", random, others)
        )
    revision = random.choice(("main", "old", "HEAD~1", "HEAD", "x", ":/y", "main@{1}", "--help"))
    return Call(f"lint --isolated --since={revision} .").case(files, target)


SURFACES: dict[str, Callable[[Random], Case]] = {
    "yaml": _yaml,
    "cel": _cel,
    "objects": _objects,
    "slices": _slices,
    "packed": _packed,
    "values": _values_case,
    "configuration": _configuration,
    "builders": _builders,
    "git": _git,
}
"""For each surface a function that makes an input out of random numbers, always the same of the same."""
