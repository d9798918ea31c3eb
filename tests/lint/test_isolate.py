"""An error of dradsl itself is a finding of one file; all others are checked as ever."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from dradsl.cli.convert import command as convert_command
from dradsl.cli.lint import command
from dradsl.lint.rules.requests import counts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from dradsl.lint.view.view import Run

BAD = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: NAME}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu.nvidia.com, count: 0}}]}}
"""


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DRADSL_DEBUG", raising=False)
    for name in ("a", "b", "c", "d", "e"):
        (tmp_path / f"{name}.yaml").write_text(BAD.replace("NAME", name))


def breaking(when: Callable[[Run], bool]) -> Callable[[Run], Iterator[Any]]:
    """The check of DRA317 with a mistake in it."""
    real = counts.check

    def check(run: Run) -> Iterator[Any]:
        if when(run):
            raise KeyError("a mistake\nof ours")
        yield from real(run)

    return check


def has(name: str) -> Callable[[Run], bool]:
    return lambda run: any(m.name == name for m in run.manifests)


def beside(name: str, other: str) -> Callable[[Run], bool]:
    """An object fails only where another one can be looked up."""
    return lambda run: (
        any(m.name == name for m in run.manifests)
        and run.index.find("ResourceClaim", other) is not None
    )


def run(*words: str) -> Result:
    return CliRunner().invoke(command, ["--isolated", *words], catch_exceptions=False)


def found(*words: str) -> list[tuple[str, str]]:
    result = run(*words, "--output-format", "json")
    assert result.exit_code == 2
    return [(one["path"], one["code"]) for one in json.loads(result.stdout)["findings"]]


OTHERS = [(f"{name}.yaml", "DRA317") for name in "abde"]


@pytest.mark.parametrize(
    "when",
    [has("c"), beside("c", "a"), beside("c", "e")],
    ids=["alone", "beside one before", "beside one behind"],
)
def test_the_others_are_checked(
    when: Callable[[Run], bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counts, "check", breaking(when))
    assert sorted(found(".")) == sorted([*OTHERS, ("c.yaml", "DRA099")])
    # Neither options nor a baseline hide it.
    assert ("c.yaml", "DRA099") in found(".", "--ignore", "DRA0", "--exit-zero")
    assert found(".", "--severity", "error", "--select", "DRA3") == [("c.yaml", "DRA099")]
    result = run(".", "--baseline", "known.json", "--write")
    assert result.exit_code == 2
    assert found(".", "--baseline", "known.json") == [("c.yaml", "DRA099")]


def test_what_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counts, "check", breaking(has("c")))
    output = run(".").stdout
    assert (
        "c.yaml:1:1: DRA099 internal-error error: internal error, the file was not checked"
        in output
    )
    assert "KeyError: 'a mistake\\nof ours'" in output
    assert "5 files" in output


def test_several_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counts, "check", breaking(lambda run: has("a")(run) or has("d")(run)))
    assert [path for path, code in found(".") if code == "DRA099"] == ["a.yaml", "d.yaml"]


def test_files_that_are_looked_into(monkeypatch: pytest.MonkeyPatch) -> None:
    def when(run: Run) -> bool:
        return run.index.find("ResourceClaim", "e") is not None

    monkeypatch.setattr(counts, "check", breaking(when))
    assert found("a.yaml", "b.yaml", "--context", "e.yaml") == [
        ("a.yaml", "DRA317"),
        ("b.yaml", "DRA317"),
        ("e.yaml", "DRA099"),
    ]


def test_every_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counts, "check", breaking(lambda _: True))
    assert sorted(found(".")) == [(f"{name}.yaml", "DRA099") for name in "abcde"]


def test_debugging_shows_where(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRADSL_DEBUG", "1")
    monkeypatch.setattr(counts, "check", breaking(has("c")))
    with pytest.raises(KeyError):
        run(".")


@pytest.mark.parametrize("words", [["--fix", "--unsafe-fixes"], ["--diff"]])
def test_rewriting_goes_on(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "c"):
        path = tmp_path / f"{name}.yaml"
        path.write_text(path.read_text().replace("deviceClassName", "deviceClassname"))
    before = {path.name: path.read_text() for path in tmp_path.glob("*.yaml")}
    monkeypatch.setattr(counts, "check", breaking(has("c")))
    result = run(*words, ".")
    assert result.exit_code == 2
    after = {path.name: path.read_text() for path in tmp_path.glob("*.yaml")}
    assert after["c.yaml"] == before["c.yaml"]
    assert (after["a.yaml"] != before["a.yaml"]) is ("--diff" not in words)


def test_a_mistake_in_fixing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dradsl.text import edits

    for name in ("a", "c"):
        path = tmp_path / f"{name}.yaml"
        path.write_text(path.read_text().replace("deviceClassName", "deviceClassname"))
    real = edits.apply

    def apply(text: str, changes: Any) -> str:
        if "name: c" in text:
            raise IndexError("a mistake")
        return real(text, changes)

    monkeypatch.setattr(edits, "apply", apply)
    result = run("--fix", "--unsafe-fixes", ".")
    assert result.exit_code == 2
    assert "c.yaml:1:1: DRA099" in result.stdout
    assert "deviceClassName" in (tmp_path / "a.yaml").read_text()
    assert "deviceClassname" in (tmp_path / "c.yaml").read_text()


def test_a_mistake_in_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    from dradsl.lint.input import reading
    from dradsl.text import documents

    real = documents.load

    def load(data: bytes, **options: Any) -> documents.Stream:
        if b"name: c" in data:
            raise IndexError("a mistake")
        return real(data, **options)

    monkeypatch.setattr(reading, "load", load)
    assert sorted(found(".")) == sorted([*OTHERS, ("c.yaml", "DRA099")])


def test_convert(monkeypatch: pytest.MonkeyPatch) -> None:
    from dradsl.migrate import convert

    real = convert.convert

    def broken(source: Any, version: str) -> Any:
        if source.name == "b.yaml":
            raise TypeError("a mistake")
        return real(source, version)

    monkeypatch.setattr(convert, "convert", broken)
    words = ["--write", "--to", "v1beta1", "."]
    result = CliRunner().invoke(convert_command, words, catch_exceptions=False)
    assert result.exit_code == 2
    assert "b.yaml: internal error" in result.stderr
    assert "wrote a.yaml" in result.stderr
    assert "wrote c.yaml" in result.stderr
