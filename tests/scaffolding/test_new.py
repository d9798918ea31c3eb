"""`dradsl new`: what each call of `calls.yaml` prints, and what `--for --write` does to files."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from dradsl.cli.new import command
from dradsl.text.documents import load
from tests.golden import check_golden

HERE = Path(__file__).parent
CALLS: dict[str, str] = yaml.safe_load((HERE / "calls.yaml").read_text("utf-8"))
INVENTORY = HERE.parents[1] / "examples/inventory"
CHANGES = [name for name, call in CALLS.items() if "--for" in call and "--check" not in call]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "work"
    shutil.copytree(HERE / "inputs", place)
    windows = place / "windows.yaml"
    windows.write_bytes(windows.read_bytes().replace(b"\n", b"\r\n"))  # git keeps none
    shutil.copytree(INVENTORY / "gpu.nvidia.com-eks-p4d-a100-full-gpu", place / "a100")
    (place / "a100/pods.yaml").unlink()
    (place / "a100/expected.txt").unlink()
    monkeypatch.chdir(place)
    return place


def run(call: str, **more: Any) -> Result:
    """A call as the group makes it, which says what shows the help."""
    more |= {"prog_name": "dradsl new", "help_option_names": ["-h", "--help"]}
    return CliRunner().invoke(command, shlex.split(call), **more)


@pytest.mark.parametrize("name", CALLS)
def test_calls(name: str) -> None:
    result = run(CALLS[name])
    call = CALLS[name].replace("\x1b", "\\e")
    parts = [f"$ dradsl new {call}".rstrip(), result.stdout, result.stderr]
    shown = "\n".join(part.rstrip("\n") for part in parts if part)
    check_golden(HERE / "golden" / f"{name}.txt", f"{shown}\nexit code {result.exit_code}\n")
    assert result.exit_code in (0, 1, 2)
    assert "Traceback" not in shown


@pytest.mark.parametrize("name", CHANGES)
def test_a_written_change_is_not_made_twice(name: str, folder: Path) -> None:
    before = {path: path.read_bytes() for path in folder.glob("*.*")}
    shown = run(CALLS[name])
    assert {path: path.read_bytes() for path in folder.glob("*.*")} == before
    if not shown.stdout.startswith("---"):
        return
    written = run(f"{CALLS[name]} --write")
    after = {path: path.read_bytes() for path in folder.glob("*.*")}
    assert (written.exit_code, after != before) == (shown.exit_code, True)
    again = run(f"{CALLS[name]} --write")
    assert (again.exit_code, again.stdout) == (shown.exit_code, "")
    assert run(f"{CALLS[name]} --check").exit_code == shown.exit_code
    assert {path: path.read_bytes() for path in folder.glob("*.*")} == after
    for path, text in after.items():
        documents = load(text).documents
        old = load(before.get(path, b"")).documents
        assert len(documents) >= len(old)
        for line in before.get(path, b"").splitlines():
            comment = line.partition(b"#")[1:]
            assert b"".join(comment) in text


def test_a_comment_and_line_ends_stay(folder: Path) -> None:
    assert run("gpu --for windows.yaml --write").exit_code == 0
    text = (folder / "windows.yaml").read_bytes()
    assert b"name: windows   # line ends\r\n" in text
    assert text.count(b"\n") == text.count(b"\r\n")


def test_the_file_of_output_is_not_overwritten(folder: Path) -> None:
    assert run("gpu -o new.yaml").exit_code == 0
    first = (folder / "new.yaml").read_bytes()
    assert run("gpu -o new.yaml").exit_code == 0
    other = run("gpu --set count=2 -o new.yaml")
    assert (other.exit_code, (folder / "new.yaml").read_bytes()) == (2, first)
    assert "exists, with other content" in other.stderr


def test_the_first_line_writes_it_again(folder: Path) -> None:
    first = run("gpu --set memory=30Gi --set 'model=NVIDIA A100-SXM4-40GB' -n ml --set kind=Job")
    head = first.stdout.splitlines()[0]
    assert head.startswith("# dradsl new gpu")
    assert run(head.removeprefix("# dradsl new ")).stdout == first.stdout


def test_standard_input(folder: Path) -> None:
    text = (folder / "list.yaml").read_text("utf-8")
    shown = run("gpu --for -", input=text)
    assert shown.exit_code == 0
    assert "+++ <stdin>" in shown.stdout
    assert run("gpu --for - --write", input=text).exit_code == 2


def test_a_terminal_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def prompt(text: str, **more: object) -> object:
        asked.append(text)
        return "tpu-v6e-slice"

    monkeypatch.setattr("dradsl.cli.say.Questions.can_be_asked", lambda: True)
    monkeypatch.setattr("click.prompt", prompt)
    result = run("tpu")
    assert result.exit_code == 0
    assert len(asked) == 1
    assert asked[0].startswith("accelerator (the kind of slice; required; tpu-v6e-slice, ")
    assert '.accelerator == "tpu-v6e-slice"' in result.stdout


def test_a_wrong_answer_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter(["7G.40GB", "7g.40gb"])
    monkeypatch.setattr("dradsl.cli.say.Questions.can_be_asked", lambda: True)
    monkeypatch.setattr("click.prompt", lambda text, **more: next(answers))
    result = run("mig")
    assert result.exit_code == 0
    assert 'did you mean "7g.40gb"?' in result.stderr
    assert 'profile == "7g.40gb"' in result.stdout


def test_a_terminal_is_asked_for_the_container(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dradsl.cli.say.Questions.can_be_asked", lambda: True)
    monkeypatch.setattr("click.prompt", lambda text, **more: "proxy")
    result = run("gpu --for deployment.yaml")
    assert result.exit_code == 0
    assert "+            - name: gpu" in result.stdout
