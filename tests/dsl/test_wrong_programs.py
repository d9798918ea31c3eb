"""Wrong programs, one a line of `wrong/programs.txt`, and who catches each of them.

`types` is mypy; `run: E` an error when the module runs, before anything is built; a code is a finding
of the build. What nobody catches would be `nobody`. `UPDATE_GOLDEN=1` writes the answers anew: read them.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import warnings
from collections import Counter
from pathlib import Path

import pytest

HERE = Path(__file__).parent / "wrong"
HEAD = (HERE / "head.py").read_text(encoding="utf-8")
LINES = [
    tuple(part.strip() for part in line.split(" || "))
    for line in (HERE / "programs.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("# ")
]
UPDATE = bool(os.environ.get("UPDATE_GOLDEN"))


def caught(program: str) -> str:
    """Who catches the program when it runs."""
    namespace: dict[str, object] = {"__name__": "wrong"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        exec(compile(HEAD, "head.py", "exec"), namespace)
        try:
            exec(compile(program, "program.py", "exec"), namespace)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is written down
            return f"run: {type(error).__name__}"
    app = namespace["app"]
    assert hasattr(app, "lint")
    found = app.lint()
    worst = [one for one in found if one.severity != "info"] or list(found)
    return " ".join(dict.fromkeys(f"{one.severity}: {one.code}" for one in worst)) or "nobody"


def rejected_by_types(programs: list[str], folder: Path) -> set[int]:
    """The programs in which mypy finds an error, by number."""
    lines, of_line = HEAD.splitlines(), {}
    for number, program in enumerate(programs):
        lines.append(f"def program_{number}() -> None:")
        lines.append("    " + program)
        of_line[len(lines)] = number
    (folder / "all.py").write_text("\n".join(lines), encoding="utf-8")
    options = ["--strict", "--no-error-summary", "--cache-dir", str(folder / "cache")]
    run = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "all.py"],
        capture_output=True, text=True, check=False, cwd=folder,
        env={**os.environ, "MYPYPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    assert run.returncode == 1, run.stdout + run.stderr
    found = {int(line) for line in re.findall(r"all\.py:(\d+): error", run.stdout)}
    return {of_line[line] for line in found}


def test_who_catches_what(tmp_path: Path) -> None:
    programs = [line[-1] for line in LINES]
    typed = rejected_by_types(programs, tmp_path)
    answers = [
        (" + ".join(filter(None, ["types" if number in typed else "", caught(program)])), program)
        for number, program in enumerate(programs)
    ]
    answers = [(answer.replace("types + nobody", "types"), program) for answer, program in answers]
    if UPDATE:
        text = "\n".join(" || ".join(one) for one in answers)
        (HERE / "programs.txt").write_text(text + "\n", encoding="utf-8")
        return
    assert answers == LINES


def test_there_are_many_and_nearly_all_are_caught() -> None:
    assert len(LINES) >= 150
    assert len({line[-1] for line in LINES}) == len(LINES)
    who = Counter(line[0] for line in LINES)
    assert not who["nobody"]


@pytest.mark.parametrize("line", [line for line in LINES if "run: " in line[0]], ids=str)
def test_errors_are_of_the_kinds_that_are_documented(line: tuple[str, ...]) -> None:
    kind = line[0].partition("run: ")[2]
    assert kind in {
        "AttributeError", "TypeError", "ValueError", "ManifestError", "UnknownReleaseError",
        "UnknownGateError", "DuplicateObjectError", "ConfigError", "DroppedFieldsError",
    }  # fmt: skip
