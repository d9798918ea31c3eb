"""Who catches each program of a sample: `python -m tests.dsl.wrong_programs.judge SEED SIZE`, or `fresh 0`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from click.testing import CliRunner

from dradsl.cli.build import command
from tests.dsl.wrong_programs.mutations import fresh_samples, sample

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).parents[3]


def by_types(programs: list[str], folder: Path) -> set[int]:
    """The numbers of the programs in which mypy finds an error."""
    for number, program in enumerate(programs):
        (folder / f"p{number}.py").write_text(program, encoding="utf-8")
    found: set[int] = set()
    # One file that does not parse ends the run for all.
    for number, program in enumerate(programs):
        try:
            compile(program, "p", "exec")
        except SyntaxError:
            found.add(number)
    names = [f"p{number}.py" for number in range(len(programs)) if number not in found]
    call = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--no-error-summary",
        "--cache-dir",
        str(folder / "cache"),
        *names,
    ]
    env = {**os.environ, "MYPYPATH": str(ROOT)}
    run = subprocess.run(call, capture_output=True, text=True, check=False, cwd=folder, env=env)
    return found | {
        int(one) for one in re.findall(r"^p(\d+)\.py:\d+: error", run.stdout, re.MULTILINE)
    }


def by_build(path: Path) -> str:
    """What `dradsl build` says of a program: "run", the codes of its findings, or "" for a success."""
    result = CliRunner().invoke(command, [str(path)])
    said = result.stderr
    if (
        "Traceback" in said
        or "DRA099" in said
        or not isinstance(result.exception, SystemExit | None)
    ):
        return "traceback"
    if result.exit_code == 2:
        return "run"
    codes = re.findall(r": (DRA\d+) \S+ (?:error|warning)", said)
    return " ".join(dict.fromkeys(codes)) if result.exit_code == 1 else ""


def judged(made: Sequence[tuple[str, int, str]]) -> list[tuple[str, int, str, str]]:
    """Base, mutation, who catches it first ("" for nobody), and the program."""
    with tempfile.TemporaryDirectory() as folder:
        typed = by_types([one[2] for one in made], Path(folder))
        answers = []
        for number, (base, mutation, program) in enumerate(made):
            said = by_build(Path(folder, f"p{number}.py"))
            who = said if said == "traceback" else "types" if number in typed else said
            answers.append((base, mutation, who, program))
    return answers


def table(answers: list[tuple[str, int, str, str]]) -> str:
    """Caught of made, by mutation, and who caught."""
    lines = ["| Mutation | Made | Caught | First caught by |", "| --- | --- | --- | --- |"]
    for mutation in sorted({one[1] for one in answers}):
        who = [one[2] for one in answers if one[1] == mutation]
        first = Counter(
            one if one in ("types", "run", "traceback") else "build" for one in who if one
        )
        shown = ", ".join(f"{name} {count}" for name, count in sorted(first.items()))
        lines.append(f"| {mutation} | {len(who)} | {sum(map(bool, who))} | {shown} |")
    caught = sum(one[2] not in ("", "traceback") for one in answers)
    lines.append(f"| all | {len(answers)} | {caught} ({100 * caught / len(answers):.0f} %) | |")
    return "\n".join(lines)


if __name__ == "__main__":
    if sys.argv[1] == "fresh":
        found = judged(fresh_samples()[int(sys.argv[2])])
    else:
        found = judged(list(sample(int(sys.argv[1]), int(sys.argv[2]))))
    sys.stdout.write(table(found) + "\n")
    for base, mutation, who, _ in found:
        if not who or who == "traceback":
            sys.stdout.write(f"{who or 'nobody'} {base} {mutation}\n")
