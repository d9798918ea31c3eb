"""Names that command a terminal or a workflow: none gets into what a command prints, as bytes.

Contents that are handed on as they are (diffs, converted manifests) are no part of this.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from typing import TYPE_CHECKING, Any

import pytest

from dradsl.cli import main
from dradsl.values.printable import COMMANDING, json_text, printable, without_halves

if TYPE_CHECKING:
    from pathlib import Path


NASTY = (
    "\x1b[31mred",
    "bell\x07",
    "back\x08\x7f",
    "\x9b31mred",
    "\u202eturned",
    "is\u2066olated",
    "ze\u200bro\u200d",
    "para\u2029graph\u2028line",
    "soft\u00adhyphen",
    "\ufefforder",
    "tag\U000e0041",
    "x\n::error::pwn",
    "x\r\n::set-env name=A::b",
    "x\n##[error]pwn",
    "next\x85line",
    "half\ud83d",
)
_BAD = re.compile(f"(?![\n\t])[{COMMANDING}]")
_COMMAND = re.compile(r"^\s*(::|##\[)", re.MULTILINE)
_OUR_COMMAND = re.compile(r"^::(error|warning|notice) [^\n]*$", re.MULTILINE)


def manifest(nasty: str) -> str:
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": nasty, "namespace": nasty},
        "spec": {
            "nodeSelector": {nasty: nasty},
            "resourceClaims": [
                {"name": nasty, "resourceClaimName": nasty},
                {"name": "y", "resourceClaimTemplateName": nasty},
            ],
            "containers": [
                {
                    "name": nasty,
                    "image": nasty,
                    "resources": {
                        "limits": {"nvidia.com/gpu": 1, nasty: nasty, f"nvidia.com/{nasty}": 1},
                        "claims": [{"name": nasty, "request": nasty}],
                    },
                    "env": [{"name": nasty, "value": nasty}],
                }
            ],
        },
    }
    claim = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": nasty, "labels": {nasty: nasty}},
        "spec": {
            "devices": {
                "requests": [
                    {
                        "name": nasty,
                        "exactly": {
                            "deviceClassName": nasty,
                            nasty: 1,
                            "selectors": [{"cel": {"expression": f"device.driver == '{nasty}'"}}],
                        },
                    }
                ],
                "config": [{"opaque": {"driver": nasty, "parameters": {nasty: nasty}}}],
            }
        },
    }
    selectors = [{"cel": {"expression": f"device.driver == '{nasty}'"}}]
    good = {
        **claim,
        "metadata": {"name": "good"},
        "spec": {
            "devices": {
                "requests": [
                    {
                        "name": "r",
                        "exactly": {"deviceClassName": "gpu.nvidia.com", "selectors": selectors},
                    }
                ]
            }
        },
    }
    user = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": nasty, "namespace": "default"},
        "spec": {
            "resourceClaims": [{"name": nasty, "resourceClaimName": "good"}],
            "containers": [{"name": nasty, "image": "x"}],
        },
    }
    return "\n---\n".join(map(json.dumps, (pod, claim, good, user)))


def recorded(nasty: str) -> str:
    return json.dumps(
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceSlice",
            "metadata": {"name": nasty},
            "spec": {
                "driver": "gpu.nvidia.com",
                "nodeName": nasty,
                "pool": {"name": nasty, "generation": 1, "resourceSliceCount": 1},
                "devices": [
                    {
                        "name": nasty,
                        "attributes": {"type": {"string": nasty}, nasty: {"string": nasty}},
                        "capacity": {nasty: {"value": "1"}},
                    }
                ],
            },
        }
    )


CALLS = (
    "cel check {nasty}",
    "cel eval {nasty} --slices s.json",
    "cel eval device.attributes['gpu.nvidia.com'].type=='x' --slices s.json",
    "cel eval device.attributes['gpu.nvidia.com'].type=='x' --slices s.json --output-format json",
    "cel explain {nasty}",
    "convert {file} --check",
    "convert nothing-{nasty}",
    "lint --isolated {file}",
    "lint --isolated --no-such-option={nasty}",
    "lint --isolated --select={nasty} {file}",
    "lint --isolated --kube-version={nasty} {file}",
    "lint --isolated --since={nasty} {file}",
    "lint --isolated nothing-{nasty}",
    *(
        f"lint --isolated --slices s.json --output-format={form} {{file}}"
        for form in ("github", "gitlab", "json", "junit", "rdjson", "sarif", "text")
    ),
    "migrate --scan {file}",
    "migrate --check {file}",
    "migrate --scan --report markdown {file}",
    "migrate --scan --report json {file}",
    "migrate --check nothing-{nasty}",
    "no-such-{nasty}",
    "record s.json --keep-nodes --keep-devices --keep-claims",
    "record --from-cluster --kubectl ./kubectl",
    "record nothing-{nasty}",
    "rule {nasty}",
    "schema check s.json",
    "schema check s.json --output-format json",
    "schema infer s.json",
    "schema show {nasty}",
    *(
        f"simulate --slices s.json --output-format={form} {{file}}"
        for form in ("text", "json", "yaml", "html")
    ),
    "simulate --slices s.json --fit --limit 2 {file}",
    "simulate --slices nothing-{nasty} {file}",
    "to-python {file} s.json",
    "to-python nothing-{nasty}",
)
JSON = re.compile(r"format[= ](json|gitlab|rdjson|sarif)|report json")


def words_of(call: str, nasty: str, file: str) -> list[str]:
    return [word.format(nasty=nasty, file=file) for word in call.split()]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("call", CALLS)
def test_nothing_nasty_is_printed(
    call: str, tree: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: Any
) -> None:
    for number, nasty in enumerate(NASTY):
        if call.startswith("no-such") and "\n" in nasty:
            continue
        file = f"{number}-{without_halves(nasty).replace('/', '')}.json"
        (tree / file).write_text(manifest(nasty))
        (tree / "s.json").write_text(recorded(nasty))
        kubectl = tree / "kubectl"
        kubectl.write_bytes(
            b"#!/bin/sh\ncat >&2 <<'E'\n" + nasty.encode("utf-8", "replace") + b"\nE\nexit 1\n"
        )
        kubectl.chmod(0o755)
        given = os.fsdecode(
            nasty.encode("utf-8", "surrogateescape" if "half" not in nasty else "replace")
        )
        monkeypatch.setattr(sys, "argv", ["dradsl", *words_of(call, given, file)])
        with contextlib.suppress(SystemExit):
            main()
        sys.stdout.flush()
        sys.stderr.flush()
        out, err = capfdbinary.readouterr()
        for data in (out, err):
            text = data.decode("utf-8")  # strictly: no half a character, no odd byte
            assert _BAD.search(text) is None, (nasty, text)
            if "github" in call and data is out:
                text = _OUR_COMMAND.sub("", text)
            assert _COMMAND.search(text) is None, (nasty, text)
        assert b"internal error" not in err, (nasty, err)
        if JSON.search(call) and out:
            whole = json.loads(out)
            assert not re.search("[\ud800-\udfff]", json.dumps(whole, ensure_ascii=False)), nasty
        (tree / file).unlink()


def test_printable_keeps_the_columns() -> None:
    for nasty in NASTY:
        assert len(printable(nasty)) == len(nasty)
        assert _BAD.search(printable(nasty)) is None
        assert "\n" not in printable(nasty)
    assert printable("ü é 漢 😀") == "ü é 漢 😀"


def test_json_holds_the_same_data() -> None:
    data = {"a": [*NASTY, "ü", 1, None]}
    clean = json.loads(without_halves(json.dumps(data, ensure_ascii=False)))
    for ascii_only in (True, False):
        text = json_text(data, ascii_only=ascii_only)
        assert json.loads(text) == clean
        assert _BAD.search(text) is None
        assert text.isascii() or not ascii_only


def test_sarif_names_files_by_their_bytes(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = os.fsdecode(b"caf\xe9.yaml")
    (tree / name).write_text(manifest("x"))
    monkeypatch.setattr(sys, "argv", ["dradsl", "lint", "--output-format=sarif", name])
    with contextlib.suppress(SystemExit):
        main()
    run = json.loads(capsys.readouterr().out)["runs"][0]
    uris = {
        each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for each in run["results"]
    }
    assert uris == {"caf%E9.yaml"}
