"""Requests whose parameters are not those of their method, as bytes: each is answered with InvalidParams."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

METHODS = (
    *("textDocument/hover", "textDocument/rename"),
    *("textDocument/codeAction", "workspace/executeCommand"),
)
PARAMETERS: tuple[object, ...] = (None, {}, [], 5, "x", {"textDocument": 5, "position": "x"})
WRONG: tuple[dict[str, object], ...] = ({}, *({"params": params} for params in PARAMETERS))
INVALID_PARAMS, METHOD_NOT_FOUND = -32602, -32601
WHY = {"uri": "file:///a.yaml", "position": {"line": "x"}}


def conversation(messages: list[dict[str, Any]], folder: Path) -> tuple[dict[int, Any], str]:
    """The answers of a server by id, and what it says on standard error."""
    bodies = [json.dumps({"jsonrpc": "2.0", **one}).encode() for one in messages]
    done = subprocess.run(
        [sys.executable, "-m", "dradsl", "lsp"],
        input=b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in bodies),
        capture_output=True,
        check=False,
        timeout=100,
        cwd=folder,
    )
    answers: dict[int, Any] = {}
    rest = done.stdout
    while rest:
        head, _, rest = rest.partition(b"\r\n\r\n")
        length = int(head.split(b"Content-Length: ")[1].split(b"\r\n")[0])
        answer, rest = json.loads(rest[:length]), rest[length:]
        if "method" not in answer:
            answers[answer["id"]] = answer
    return answers, done.stderr.decode()


def test_wrong_parameters_are_answered(tmp_path: Path) -> None:
    start: dict[str, object] = {"capabilities": {}, "processId": None, "rootUri": tmp_path.as_uri()}
    asked = [{"method": method, **wrong} for method, wrong in itertools.product(METHODS, WRONG)]
    asked.append({"method": "dradsl/why", "params": WHY})
    last = len(asked)
    place = {"textDocument": {"uri": "file:///a.yaml"}, "position": {"line": 0, "character": 0}}
    answers, said = conversation(
        [
            {"id": 0, "method": "initialize", "params": start},
            {"method": "initialized", "params": {}},
            *({"id": number, **one} for number, one in enumerate(asked, 1)),
            {"method": "textDocument/didOpen", "params": {"x": 1}},
            {"id": last + 1, "method": "no/method"},
            {"id": last + 2, "method": "textDocument/hover", "params": place},
            {"id": last + 3, "method": "shutdown"},
            {"method": "exit"},
        ],
        tmp_path,
    )
    for number, one in enumerate(asked, 1):
        assert answers[number].get("error", {}).get("code") == INVALID_PARAMS, one
    assert answers[last + 1]["error"]["code"] == METHOD_NOT_FOUND
    assert answers[last + 2]["result"] is None
    assert "Unable to deserialize" not in said
    assert "cattrs" not in said.split("dradsl/why")[0]
