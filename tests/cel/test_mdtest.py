"""The typing rules as Markdown: `mdtest/*.md` hold expressions and what is said about them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dradsl.cel.checker.display import position
from dradsl.cel.compile import CelCompileError, Program, check_text, instantiate
from dradsl.cel.dra import device_environment, device_view
from dradsl.cel.runtime.values import CelRuntimeError, Uint
from dradsl.releases import get_release
from tests.cel.expressions import DEVICES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.cel.dra import Mode

_FOLDER = Path(__file__).parent / "mdtest"
_BLOCK = re.compile(r"^```cel(.*)\n((?:.*\n)*?)```$", re.MULTILINE)


@dataclass(frozen=True)
class Line:
    """An expression, its environment's options, and the claims about it."""

    place: str
    expression: str
    options: dict[str, str]
    claims: tuple[str, ...]


def _lines() -> Iterator[Line]:
    for path in sorted(_FOLDER.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        for block in _BLOCK.finditer(text):
            options = dict(pair.split("=") for pair in block[1].split())
            first = text.count("\n", 0, block.start()) + 2
            for number, line in enumerate(block[2].splitlines(), first):
                if line.strip():
                    expression, _, claims = line.rpartition("//")
                    place = f"{path.stem}:{number}"
                    listed = tuple(claim.strip() for claim in re.split(r"; (?=[=a-z])", claims))
                    yield Line(place, expression.strip(), options, listed)


_LINES = list(_lines())


def _shown(value: Any) -> str:
    """A value in CEL's own notation."""
    if isinstance(value, Uint):
        return f"{int(value)}u"
    if isinstance(value, list):
        return "[" + ", ".join([_shown(item) for item in value]) + "]"
    return json.dumps(value, ensure_ascii=False)


def _program(line: Line) -> Program:
    release = get_release(line.options.get("release", "1.36"))
    features = release.features(
        {gate: True for gate in line.options.get("gates", "").split(",") if gate}
    )
    mode: Mode = "stored" if line.options.get("mode") == "stored" else "new"
    environment = device_environment(release, features, mode)
    checked = check_text(line.expression, environment)
    return instantiate(line.expression, checked, environment)


def _said(line: Line) -> list[str]:
    """All that can be said about the expression, in the order of the claims."""
    try:
        program = _program(line)
    except CelCompileError as error:
        return [
            f"error {position(line.expression, issue.start)[1]}: {issue.message}"
            for issue in error.issues
        ]
    said = [str(program.checked.result), f"cost {program.estimate.max}"]
    try:
        device = device_view(DEVICES[0]["driver"], DEVICES[0])
        said.append(f"= {_shown(program.evaluate({'device': device.value}))}")
    except CelRuntimeError as error:
        said.append(f"fails: {error.message}")
    except TypeError:
        pass  # a value without notation, about which nothing can be claimed
    return said


@pytest.mark.parametrize("line", _LINES, ids=lambda line: line.place)
def test_claims(line: Line) -> None:
    said = _said(line)
    assert line.claims
    if any(one.startswith("error") for one in (*line.claims, *said)):
        assert list(line.claims) == said
    else:
        assert set(line.claims) <= set(said), said


def test_every_file_claims_something() -> None:
    stems = {line.place.partition(":")[0] for line in _LINES}
    assert stems == {path.stem for path in _FOLDER.glob("*.md")}
    assert len(_LINES) > 100
