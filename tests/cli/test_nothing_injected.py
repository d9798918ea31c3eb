"""Hostile names in every command and every format: no terminal and no workflow obeys what is printed.

Contents that are handed on as they are (diffs, rewritten manifests, formatted expressions) are data: of
those only the names around them are looked at.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
import sys
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

import dradsl
from dradsl.cli import main
from dradsl.values.dump import dump_yaml
from dradsl.values.printable import diff_name, json_text, printable, without_halves

if TYPE_CHECKING:
    from collections.abc import Iterator

HOSTILE = (
    "\x1b[31mred\x07\x08\x7f\x9b31m\u202eturned\u2066o\u200b\u2028\u2029s\u00ad\ufeff\U000e0041\x85.",
    "x\n::error::pwn\r\n  ::set-output name=A::b\n##[error]pwn\r::warning::pwn",
    "::error file=a::pwn ##vso[task.x]y",
    "##[add-mask]x half\ud83d.",
)
_OBEYED = re.compile(r"^\s*::[A-Za-z]|##[A-Za-z]*\[", re.MULTILINE)
_OWN = re.compile(r"^::(error|warning|notice) [^\n]*$", re.MULTILINE)


def is_hostile(character: str) -> bool:
    category = unicodedata.category(character)
    return (category in ("Cc", "Cf", "Cs", "Zl", "Zp")) and character not in "\n\t\u200d"


def manifest(hostile: str) -> str:
    expression = f"device.driver == '{hostile}'"
    selectors = [{"cel": {"expression": expression}}]
    limits = {"nvidia.com/gpu": 1, hostile: hostile, f"nvidia.com/{hostile}": 1}
    objects: list[dict[str, Any]] = [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": hostile, "namespace": hostile, "annotations": {"a": hostile}},
            "spec": {
                "nodeSelector": {hostile: hostile},
                "resourceClaims": [
                    {"name": hostile, "resourceClaimName": hostile},
                    {"name": "y", "resourceClaimTemplateName": hostile},
                ],
                "containers": [
                    {
                        "name": hostile,
                        "image": hostile,
                        "resources": {
                            "limits": limits,
                            "claims": [{"name": hostile, "request": hostile}],
                        },
                        "env": [{"name": hostile, "value": hostile}],
                    }
                ],
            },
        },
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": hostile},
            "spec": {
                "replicas": 2,
                "template": {
                    "spec": {
                        "containers": [
                            {"name": "c", "resources": {"limits": {"nvidia.com/gpu": 1}}}
                        ]
                    }
                },
            },
        },
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceClaim",
            "metadata": {"name": hostile, "labels": {hostile: hostile}},
            "spec": {
                "devices": {
                    "requests": [
                        {
                            "name": hostile,
                            "exactly": {
                                "deviceClassName": hostile,
                                hostile: 1,
                                "selectors": selectors,
                            },
                        }
                    ],
                    "config": [{"opaque": {"driver": hostile, "parameters": {hostile: hostile}}}],
                }
            },
        },
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceClaim",
            "metadata": {"name": "good"},
            "spec": {
                "devices": {
                    "requests": [
                        {
                            "name": "r",
                            "exactly": {
                                "deviceClassName": "gpu.nvidia.com",
                                "selectors": [
                                    {"cel": {"expression": json.dumps(hostile) + " == ''"}}
                                ],
                            },
                        }
                    ]
                }
            },
        },
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": hostile, "namespace": "default"},
            "spec": {
                "resourceClaims": [{"name": hostile, "resourceClaimName": "good"}],
                "containers": [{"name": hostile, "image": "x"}],
            },
        },
        {
            "apiVersion": f"resource.k8s.io/{hostile}",
            "kind": hostile,
            "metadata": {"name": hostile},
        },
        {
            "apiVersion": "resource.k8s.io/v1beta1",
            "kind": "ResourceClaim",
            "metadata": {"name": hostile},
            "spec": {"devices": {"requests": [{"name": hostile, "deviceClassname": hostile}]}},
        },
    ]
    return "\n---\n".join(map(json.dumps, objects)) + "\n---\n{" + json.dumps(hostile) + ": ]\n"


def recorded(hostile: str) -> str:
    attributes = {"type": {"string": hostile}, hostile: {"string": hostile}}
    devices = [
        {"name": hostile, "attributes": attributes, "capacity": {hostile: {"value": "1"}}},
        {"name": "gpu-0", "attributes": {"type": {"string": hostile}}},
    ]
    objects: list[dict[str, Any]] = [
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceSlice",
            "metadata": {"name": hostile, "annotations": {"a": "w " * 60 + "::error::pwn"}},
            "spec": {
                "driver": driver,
                "nodeName": hostile,
                "pool": {"name": hostile, "generation": 1, "resourceSliceCount": 1},
                "devices": devices[number:],
            },
        }
        for number, driver in enumerate(("gpu.nvidia.com", "gpu.example.com"))
    ]
    objects.append({"apiVersion": "v1", "kind": "Node", "metadata": {"name": hostile}})
    objects.append({"apiVersion": "v1", "kind": hostile, "metadata": {"name": hostile}})
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})


# What a module for `dradsl build` may hold.
MODULE = """\
import dradsl
app = dradsl.App()
app.add(dradsl.from_dict({"apiVersion": "v1", "kind": "ConfigMap",
    "metadata": {"name": "a", "labels": {"a": NAME}, "annotations": {"a": "w " * 60 + NAME}},
    "data": {NAME: NAME}}))
"""
SCHEMA = """\
driver: gpu.example.com
deviceTypes:
  any: {attributes: {a: {type: string, values: [NAME], description: NAME}}}
NAME: 1
"""
ATTRIBUTE = "device.attributes['gpu.nvidia.com'].type=='x'"
FORMATS = ("github", "gitlab", "json", "junit", "sarif", "text")

CALLS = (
    "build module.py",
    "build module.py -o out",
    "build module.py --check -o {hostile}",
    "build nothing-{hostile}",
    "build {file}",
    "cel check {hostile}",
    "cel check --output-format json {hostile}",
    "cel eval {hostile} --slices s.json",
    f"cel eval {ATTRIBUTE} --slices s.json",
    f"cel eval {ATTRIBUTE} --slices s.json --output-format json",
    "cel eval true --slices good.json",
    f"cel eval {ATTRIBUTE} --slices good.json",
    f"cel eval {ATTRIBUTE} --slices good.json --output-format json",
    "cel eval true --slices nothing-{hostile}",
    "cel explain {hostile}",
    "cel explain --output-format json size('{hostile}')>=0",
    "cel fmt {hostile}",
    "convert {file} --check",
    "convert {file} --check --to v1beta1",
    "convert {file} --write --to v1beta1",
    "convert {file} --diff --to v1beta1",
    "convert nothing-{hostile}",
    "convert --to {hostile} {file}",
    "lint {hostile}",
    "lint --isolated --no-such-option={hostile}",
    "lint --isolated --select={hostile} {file}",
    "lint --isolated --kube-version={hostile} {file}",
    "lint --isolated --feature-gates={hostile} {file}",
    "lint --isolated --since={hostile} {file}",
    "lint --config nothing-{hostile} {file}",
    "lint --isolated --baseline {file} {file}",
    "lint --isolated --driver-schema schema.yaml {file}",
    "lint --isolated nothing-{hostile}",
    "lint --isolated --output-format statistics {file}",
    "lint --isolated --fix --unsafe-fixes {file}",
    "lint --isolated --diff --unsafe-fixes {file}",
    "lint --isolated --baseline {file}.base --write {file}",
    *(f"lint --isolated --slices s.json --output-format={form} {{file}}" for form in FORMATS),
    *(f"lint --isolated --slices good.json --output-format={form} {{file}}" for form in FORMATS),
    "migrate --scan {file}",
    "migrate --check {file}",
    "migrate --check --interactive {file}",
    "migrate --write {file}",
    "migrate --diff -q {file}",
    "migrate --output {hostile} {file}",
    "migrate --set form=kustomize --output {hostile} {file}",
    "migrate --scan --set strategy=extended-resource {file}",
    "migrate --scan --output-format markdown {file}",
    "migrate --scan --output-format json {file}",
    "migrate --scan --answers {file} {file}",
    "migrate --scan --set recipes={file} {file}",
    "migrate --scan --slices good.json {file}",
    "migrate --check nothing-{hostile}",
    "no-such-{hostile}",
    "--no-such-{hostile}",
    "record s.json",
    "record good.json --keep nodes,devices,claims",
    "record -o {hostile}/x s.json",
    "DRADSL_KUBECTL=./kubectl record --from-cluster",
    "DRADSL_KUBECTL=nothing-{hostile} record --from-cluster",
    "record nothing-{hostile}",
    "rule {hostile}",
    "rule --select {hostile}",
    "schema check s.json",
    "schema check s.json --output-format json",
    "schema check good.json --driver {hostile}",
    "schema check {hostile} --against gpu.nvidia.com",
    "schema check gpu.nvidia.com --against {hostile}",
    "schema check gpu.nvidia.com@{hostile} --against gpu.nvidia.com",
    "schema check gpu.nvidia.com --against gpu.nvidia.com --context {file}",
    "schema export {hostile}",
    "schema export {hostile} --as json",
    "schema export {hostile} --as python",
    "schema export schema.yaml --as python",
    "schema infer s.json",
    "schema infer s.json --driver gpu.nvidia.com",
    "schema infer s.json --driver gpu.nvidia.com -o schema.yaml",
    "schema --driver {hostile}",
    "schema show {hostile}",
    "schema show gpu.nvidia.com/{hostile}",
    "schema show gpu.example.com --driver-schema schema.yaml",
    *(
        f"simulate --slices {slices} --output-format={form} {{file}}"
        for form in ("text", "json", "yaml", "html")
        for slices in ("s.json", "good.json")
    ),
    "simulate --slices good.json --fit --replicas 2 {file}",
    "simulate --slices good.json pods.json",
    "simulate --slices nothing-{hostile} {file}",
    "to-python {file} s.json",
    "to-python pods.json",
    "to-python nothing-{hostile}",
)
JSON = re.compile(r"format[= ](json|gitlab|sarif)|^record (s|good)\.json")


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _prepare(folder: Path, hostile: str) -> str:
    """The files of one call; the name of the one with manifests."""
    plain = without_halves(hostile)
    file = f"{plain}.yaml"
    text = manifest(hostile)
    (folder / file).write_text(text)
    # What can be read as a whole, for the commands that take nothing else.
    (folder / "pods.json").write_text(text[: text.rindex("\n---\n")])
    slices = recorded(hostile)
    (folder / "s.json").write_text(slices)
    # Names that the API server takes, so that hostile values come as far as the devices.
    clean = json.loads(slices)
    for each in clean["items"][:2]:
        spec = each["spec"]
        spec["nodeName"] = spec["pool"]["name"] = each["metadata"]["name"] = "n1"
        spec["devices"] = [{"name": "gpu-0", "attributes": {"type": {"string": hostile[:60]}}}]
    clean["items"][2]["metadata"]["name"] = "n1"
    (folder / "good.json").write_text(json.dumps(clean))
    (folder / "module.py").write_text(MODULE.replace("NAME", json.dumps(plain)))
    (folder / "schema.yaml").write_text(SCHEMA.replace("NAME", json.dumps(plain)))
    kubectl = folder / "kubectl"
    kubectl.write_bytes(b"#!/bin/sh\ncat >&2 <<'E'\n" + plain.encode() + b"\nE\nexit 1\n")
    kubectl.chmod(0o755)
    return file


def _without_contents(call: str, text: str) -> Iterator[str]:
    """The lines that are no contents of the input handed on."""
    for line in text.split("\n"):
        if "--diff" not in call or line.startswith(("---", "+++", "@@")):
            yield line


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("call", CALLS)
def test_nothing_is_obeyed(
    call: str, hostile: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: Any
) -> None:
    if call.startswith(("no-such", "--no-such")):
        hostile = hostile.replace("\n", "")  # click has its own way with those
    file = _prepare(tmp_path, hostile)
    given = hostile if "\ud83d" not in hostile else os.fsdecode(hostile.encode("utf-8", "replace"))
    words = [word.format(hostile=given, file=file) for word in call.split()]
    if call.startswith("DRADSL_KUBECTL="):
        name, _, program = words.pop(0).partition("=")
        monkeypatch.setenv(name, program.replace("\0", ""))
    monkeypatch.setattr(sys, "argv", ["dradsl", *words])
    monkeypatch.setattr(sys, "stdin", io.StringIO("skip\n" * 100))
    with contextlib.suppress(SystemExit):
        main()
    sys.stdout.flush()
    sys.stderr.flush()
    out, err = capfdbinary.readouterr()
    for data in (out, err):
        text = data.decode()  # strictly: no half a character, no odd byte
        text = "\n".join(_without_contents(call, text))
        assert [each for each in text if is_hostile(each)] == []
        if "github" in call and data is out:
            text = _OWN.sub("", text)
        assert _OBEYED.search(text) is None
    assert b"internal error" not in err
    assert out or err or "schema infer" in call or "--context" in call
    if JSON.search(call) and out[:1] in (b"[", b"{"):
        whole = json.dumps(json.loads(out), ensure_ascii=False)
        assert not re.search("[\ud800-\udfff]", whole)


# --- the functions ---


def test_each_hostile_character_of_unicode() -> None:
    hostile = [chr(code) for code in range(0x110000) if is_hostile(chr(code))]
    for each in hostile:
        assert not any(map(is_hostile, printable(each)))
        assert not any(map(is_hostile, diff_name(each)))
        assert not any(map(is_hostile, json_text(each)))
    assert printable("ü é 漢 😀 👩\u200d🚀") == "ü é 漢 😀 👩\u200d🚀"


@pytest.mark.parametrize("keep_newlines", [True, False])
def test_printable_keeps_the_columns(keep_newlines: bool) -> None:
    for hostile in HOSTILE:
        shown = printable(hostile, keep_newlines=keep_newlines)
        assert len(shown) == len(hostile)
        assert shown.count("\n") == (hostile.count("\n") if keep_newlines else 0)
        assert _OBEYED.search(shown) is None
        assert printable(shown, keep_newlines=keep_newlines) == shown


def test_what_looks_like_a_command_and_is_none() -> None:
    for harmless in ("::1", "a ::error::", "## heading", "a##b", "fe80::1", "# [x]"):
        assert printable(harmless) == harmless


def test_data_stays_the_same() -> None:
    data = {"a": [*HOSTILE, "ü", 1, None, "w " * 60 + "::error::x"], "##[x]": {"\x1b": True}}
    clean = json.loads(without_halves(json.dumps(data, ensure_ascii=False)))
    for ascii_only in (True, False):
        text = json_text(data, ascii_only=ascii_only)
        assert json.loads(text) == clean
        assert text.isascii() or not ascii_only
    assert yaml.safe_load(dump_yaml(data)) == clean
    assert yaml.safe_load(dump_yaml(data, short_leaves=True, width=200)) == clean


def test_sarif_names_files_by_their_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = os.fsdecode(b"caf\xe9.yaml")
    (tmp_path / name).write_text(manifest("x"))
    monkeypatch.setattr(sys, "argv", ["dradsl", "lint", "--output-format=sarif", name])
    with contextlib.suppress(SystemExit):
        main()
    run = json.loads(capsys.readouterr().out)["runs"][0]
    uris = {
        each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for each in run["results"]
    }
    assert uris == {"caf%E9.yaml"}


# --- the door ---

PACKAGE = Path(dradsl.__file__).parent
DOOR = "cli/say.py"
# Programs of their own for those who work on dradsl, the one that turns a module's prints away from
# standard output, and the language server, which speaks JSON to an editor and to nobody else.
OWN = {"kube/schemas.py", "dsl/building/loading.py", "lsp/server.py"}
PRINTING = {
    "echo",
    "secho",
    "echo_via_pager",
    "prompt",
    "confirm",
    "getchar",
    "pause",
    "progressbar",
}
STREAMS = {"stdout", "stderr", "__stdout__", "__stderr__", "displayhook"}
# Who may write to the streams past the escaping: reports escape by themselves, and colour.
REPORTING = {
    "cli/build.py",
    "cli/linting.py",
    "cli/migrate.py",
    "cli/progress.py",
    "cli/rule.py",
}


def _printing(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in ("print", "breakpoint", "input"):
            yield f"{node.lineno}: {node.id}"
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            names = {"click": PRINTING, "sys": STREAMS}.get(node.value.id, set())
            if node.attr in names:
                yield f"{node.lineno}: {node.value.id}.{node.attr}"
        elif isinstance(node, ast.ImportFrom) and node.module in ("click", "sys"):
            yield from (
                f"{node.lineno}: {each.name}" for each in node.names if each.name != "Context"
            )


def test_there_is_one_door() -> None:
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        lines = list(_printing(ast.parse(path.read_text())))
        if lines and name != DOOR and name not in OWN:
            found[name] = lines
    assert found == {}


def test_the_door_is_found() -> None:
    for name in (DOOR, *OWN):
        assert list(_printing(ast.parse((PACKAGE / name).read_text()))), name
    code = "print(1)\nimport click\nclick.echo('')\nimport sys\nsys.stdout.write('')\nfrom sys import stderr"
    assert len(list(_printing(ast.parse(code)))) == 4


def test_who_writes_past_the_escaping() -> None:
    streaming = set()
    for path in PACKAGE.rglob("*.py"):
        names = {
            alias.name
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.ImportFrom) and node.module == "dradsl.cli.say"
            for alias in node.names
        }
        if names & {"stream", "contents_stream"}:
            streaming.add(path.relative_to(PACKAGE).as_posix())
    assert streaming == REPORTING
