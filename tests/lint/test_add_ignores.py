"""`--add-ignores` once more adds nothing, whatever the file is: text that is no YAML as well."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest
import yaml
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, given, note, settings, strategies as st

from dradsl.cli.lint import command
from tests.spoiled import seeds, spoil

if TYPE_CHECKING:
    from pathlib import Path

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: x}
spec: {devices: {requests: [{name: r, exactly: {deviceClassname: gpu}}]}}
"""
PIECES = (
    "\t", "{{ .x }}", "&a ", "*a ", '"', "'", ": ", "- ", "\n---\n", "%", "|\n", ">\n  ", "\n",
    "\r\n", "\r", "#", "[", "]", "{", "}", "\u2028", "\x85", "\ufeff", "  ", "!!int ", "<<: ", "? ",
    "\n...\n", "@", "# dradsl: ignore[DRA001]\n", "// dradsl: ignore[DRA201]\n",
)  # fmt: skip


def run(*words: str) -> Result:
    return CliRunner().invoke(command, ["--isolated", *words, "a.yaml"], catch_exceptions=False)


def expect_stable(folder: Path, data: bytes) -> Result:
    """Add twice; the result of the first time."""
    file = folder / "a.yaml"
    file.write_bytes(data)
    first = run("--add-ignores")
    once = file.read_bytes()
    second = run("--add-ignores")
    assert file.read_bytes() == once
    assert second.exit_code == first.exit_code
    assert second.stderr.startswith("wrote 0 ignore")
    # What is left is named, and nothing else is left.
    assert second.stderr.splitlines()[1:] == first.stderr.splitlines()[1:]
    places = [line.partition(": no comment")[0] for line in second.stderr.splitlines()[1:]]
    said = [line for line in run("-q").stdout.splitlines() if line.startswith("a.yaml:")]
    assert len(said) == len(places)
    for place, line in zip(sorted(places), sorted(said), strict=True):
        assert line.startswith(place)
    return first


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (CLAIM, 0),
        (CLAIM + "---\na: [1\n", 0),
        ("a: [1, 2\nb: 3\n", 0),
        # The comment would end the text, and so what is wrong.
        ("foo\nkind: x\n", 1),
        (" apiVersion v1\nmetadata:\n #", 1),
        (CLAIM + "---\nfoo\nkind: x\n", 1),
        ("foo\nkind: x\n---\n" + CLAIM, 1),
        # Ignores that hide nothing cannot be hidden.
        ("# dradsl: ignore[DRA001]\napi: 1\n", 1),
        (CLAIM + "# dradsl: ignore[DRA001]\n", 1),
        ("// dradsl: ignore[DRA201]\n", 1),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_what_cannot_be_hidden_is_left(text: str, left: int, newline: str, tmp_path: Path) -> None:
    first = expect_stable(tmp_path, text.replace("\n", newline).encode())
    assert first.exit_code == (1 if left else 0)
    assert first.stderr.count("no comment is possible here") == left
    if "deviceClassname" in text:
        assert not first.stderr.startswith("wrote 0")


def test_good_lines_beside_bad_ones_get_their_comments(tmp_path: Path) -> None:
    texts = [CLAIM.replace("x}", f"x{n}}}") for n in range(12)]
    texts[3:3] = ["foo\nkind: x\n"]
    texts[9:9] = ["bar\nkind: x\n"]
    first = expect_stable(tmp_path, "---\n".join(texts).encode())
    assert first.stderr.count("no comment is possible here") == 2
    assert (tmp_path / "a.yaml").read_text().count("# dradsl: ignore") == 12


def test_files_do_not_spoil_each_other(tmp_path: Path) -> None:
    texts = {
        "a": CLAIM,
        "b": "foo\nkind: x\n",
        "c": CLAIM,
        "d": "# dradsl: ignore[DRA001]\napi: 1\n",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    words = ["--isolated", "--add-ignores", *(f"{name}.yaml" for name in texts)]
    first = CliRunner().invoke(command, words, catch_exceptions=False)
    assert first.exit_code == 1
    assert first.stderr.startswith("wrote 2 ignore")
    for name in ("b", "d"):
        assert (tmp_path / f"{name}.yaml").read_text() == texts[name]
    for name in ("a", "c"):
        assert (tmp_path / f"{name}.yaml").read_text().count("dradsl: ignore") == 1
    assert CliRunner().invoke(command, words).stderr.startswith("wrote 0 ignore")


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(seed=st.integers(0, 2**32))
def test_twice_is_as_once(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    objects = spoil(random.choice(seeds()), random)
    text = "---\n".join(yaml.safe_dump(each, allow_unicode=True) for each in objects)
    for _ in range(random.randrange(1, 5)):
        at = random.randrange(len(text) + 1)
        cut = random.choice((0, 0, 1, 5, 20))
        text = text[:at] + random.choice(("", *PIECES)) + text[at + cut :]
    note(text)
    expect_stable(tmp_path, text.encode("utf-8", "replace"))
