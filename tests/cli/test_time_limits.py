"""`--timeout` of the commands that ask for the time themselves: at the limit each ends, and writes no half of a result."""

from __future__ import annotations

from itertools import count
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from dradsl.cli import convert, migrate
from dradsl.values import deadline

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

OLD = """\
apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaim
metadata: {name: NAME}
spec: {devices: {requests: [{name: r, deviceClassName: gpu.nvidia.com}]}}
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: NAME}
spec: {containers: [{name: c, image: x, resources: {limits: {nvidia.com/gpu: 1}}}]}
"""
FILES = 6
COMMANDS = {
    "convert": (convert.command, OLD, ["--write", "."]),
    "migrate": (migrate.command, POD, ["--write", "."]),
    "migrate, as classes": (
        migrate.command, POD, ["--write", "--set", "strategy=extended-resource", "."]
    ),
}  # fmt: skip


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that goes on by one second each time that somebody looks at it."""
    seconds = count()
    monkeypatch.setattr(deadline, "time", SimpleNamespace(monotonic=lambda: float(next(seconds))))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def texts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def run(name: str, folder: Path, *more: str) -> Result:
    command, text, words = COMMANDS[name]
    for number in range(FILES):
        (folder / f"{number}.yaml").write_text(text.replace("NAME", f"n{number}"))
    return CliRunner().invoke(command, [*more, *words], catch_exceptions=False)


@pytest.mark.parametrize("name", COMMANDS)
def test_at_the_limit_nothing_is_half_written(name: str, folder: Path) -> None:
    whole = run(name, folder)
    assert whole.exit_code in (0, 1)
    done = texts(folder)
    for path in folder.iterdir():
        path.unlink()
    # Each file is a look at the clock, so this comes somewhere on the way.
    seconds = "9" if name == "convert" else "5"
    cut = run(name, folder, "--timeout", seconds)
    assert cut.exit_code == 2
    assert f"the time limit of {seconds} s was reached" in cut.stderr
    left = texts(folder)
    if name == "convert":
        written = [file for file in left if left[file] == done[file]]
        assert 0 < FILES - len(written) < FILES
        assert f"not looked at: {FILES - len(written)} files" in cut.stderr
        assert all("v1beta1" in left[file] for file in left if file not in written)
    else:
        fresh = COMMANDS[name][1]
        assert left == {f"{n}.yaml": fresh.replace("NAME", f"n{n}") for n in range(FILES)}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_limit_that_is_not_reached_changes_nothing(name: str, folder: Path) -> None:
    whole = run(name, folder)
    done = texts(folder)
    for path in folder.iterdir():
        path.unlink()
    again = run(name, folder, "--timeout", "1h")
    assert (again.exit_code, again.output, texts(folder)) == (whole.exit_code, whole.output, done)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_text_that_is_no_duration(name: str, folder: Path) -> None:
    result = run(name, folder, "--timeout", "soon")
    assert result.exit_code == 2
    assert "--timeout: expects seconds or a duration" in result.stderr
