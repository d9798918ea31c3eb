"""The rows of upstream's own tests of validation (pkg/apis/core, apps and batch, validation_test.go) for pods and what
makes them, as whole objects with what the registry of each release says of them.

`python -m tests.kube.workloads.tables CALLS` runs these tests in a copy of k8s.io/kubernetes whose validation notes
with what a test calls it, in the file CALLS; if there is such a file, it is taken. It makes objects of the calls
(`make -C tests/oracle bin/tables-1.37`), asks each release about them (`bin/wholes-1.37`, and so on) and writes
`tables.json.gz` beside this file. A row at which a release panics is left out.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dradsl.releases import RELEASES
from tests.kube.workloads import edits, verdicts

if TYPE_CHECKING:
    from collections.abc import Iterable

RECORDED = Path(__file__).with_name("tables.json.gz")
RELEASE = "1.37"  # whose tests
ORACLE = edits.ORACLES.parent
PACKAGES = tuple(f"pkg/apis/{group}/validation" for group in ("core", "apps", "batch"))

Json = dict[str, Any]

_NOTING = """\
package validation

import (
	"encoding/json"
	"os"
	"runtime"
	"strings"
	"sync"
)

var noting sync.Mutex

func noteCall(function string, args map[string]any) {
	_, file, _, _ := runtime.Caller(2)
	if !strings.HasSuffix(file, "_test.go") {
		return
	}
	callers := make([]uintptr, 20)
	frames, test := runtime.CallersFrames(callers[:runtime.Callers(3, callers)]), ""
	for frame, more := frames.Next(); more; frame, more = frames.Next() {
		if name := frame.Function[strings.LastIndex(frame.Function, "/")+1:]; strings.Contains(name, ".Test") {
			test = strings.Split(name, ".")[1]
		}
	}
	line, err := json.Marshal(map[string]any{"Test": test, "Function": function, "Args": args})
	if err != nil {
		panic(err)
	}
	noting.Lock()
	defer noting.Unlock()
	out, err := os.OpenFile(os.Getenv("CALLS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer out.Close()
	if _, err := out.Write(append(line, '\\n')); err != nil {
		panic(err)
	}
}
"""


def recorded() -> Json:
    """The rows (`test`, `function`, `object`), and the answers by release."""
    found: Json = json.loads(gzip.decompress(RECORDED.read_bytes()))
    for release in RELEASES:
        found[release] = [
            [(type_, field) for type_, field in found["texts"][number]] for number in found[release]
        ]
    return found


def with_noting(source: str, functions: Iterable[str]) -> str:
    """The source of a package's validation, in which functions note their arguments."""
    for name in functions:
        begin = re.search(rf"^func {name}\((.*?)\) [^\n]*\{{$", source, re.MULTILINE)
        if begin is None:
            continue
        names = [
            each.split(" ")[0]
            for each in begin[1].split(", ")
            if not re.search(r"Options?$|\*field\.Path$|func", each)
        ]
        given = ", ".join(f'"{each}": {each}' for each in names)
        line = f'\n\tnoteCall("{name}", map[string]any{{{given}}})'
        source = source[: begin.end()] + line + source[begin.end() :]
    return source


def _run(*asked: str | Path, **more: Any) -> str:
    done = subprocess.run(asked, text=True, stdout=subprocess.PIPE, check=True, **more)
    said: str = done.stdout
    return said


def _note_calls(functions: list[str], calls: Path) -> None:
    """Write what upstream's tests call, a call a line."""
    mod = f"-modfile=releases/{RELEASE}.mod"
    module = "k8s.io/kubernetes"
    source = Path(_run("go", "list", "-m", mod, "-f", "{{.Dir}}", module, cwd=ORACLE).strip())
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name) / "kubernetes"
        shutil.copytree(source, copy, copy_function=shutil.copyfile)
        for folder in [copy, *copy.rglob("*/")]:
            folder.chmod(0o755)
        for package in PACKAGES:
            file = copy / package / "validation.go"
            file.write_text(with_noting(file.read_text("utf-8"), functions), "utf-8")
            (copy / package / "noting.go").write_text(_NOTING, "utf-8")
        for ending in ("mod", "sum"):
            text = (ORACLE / f"releases/{RELEASE}.{ending}").read_text("utf-8")
            replaced = f"\nreplace {module} => {copy}\n" if ending == "mod" else ""
            (Path(name) / f"go.{ending}").write_text(text + replaced, "utf-8")
        # As the oracles are built: what they have compiled is taken.
        flags = ("-mod=mod", f"-modfile={name}/go.mod", "-trimpath", "-vet=off", "-count=1", "-p=1")
        _run(
            *("go", "test", *flags),
            *(f"{module}/{package}" for package in PACKAGES),
            cwd=ORACLE,
            env={**os.environ, "CALLS": str(calls.absolute())},
        )


def _answers(release: str, objects: list[Json]) -> list[list[verdicts.Error] | None]:
    """What a release says of each object; nothing where it panics."""
    program, at = edits.ORACLES / f"wholes-{release}", 0
    found: list[list[verdicts.Error] | None] = []
    while at < len(objects):
        lines = "".join(json.dumps(each) + "\n" for each in objects[at:])
        done = subprocess.run([program], input=lines, text=True, capture_output=True, check=False)
        answers = done.stdout.splitlines()
        found += [verdicts.errors_of(json.loads(line)) for line in answers]
        at += len(answers)
        if at < len(objects):
            found.append(None)
            at += 1
    return found


def _record(calls: Path) -> None:
    program = edits.ORACLES / f"tables-{RELEASE}"
    if not calls.exists():
        _note_calls(_run(program, "functions").split(), calls)
    rows: dict[str, Json] = {}
    for line in _run(program, input=calls.read_text("utf-8")).splitlines():
        row = json.loads(line)
        rows.setdefault(json.dumps(row["object"]), row)
    said = {
        release: _answers(release, [row["object"] for row in rows.values()]) for release in RELEASES
    }
    kept = [
        index
        for index in range(len(rows))
        if all(each[index] is not None for each in said.values())
    ]
    texts: dict[str, int] = {}
    found: Json = {"rows": [list(rows.values())[index] for index in kept]}
    for release, answers in said.items():
        found[release] = [
            texts.setdefault(json.dumps(answers[index]), len(texts)) for index in kept
        ]
    found["texts"] = [json.loads(each) for each in texts]
    RECORDED.write_bytes(gzip.compress(json.dumps(found).encode(), mtime=0))
    sys.stdout.write(f"{len(rows)} rows, {len(rows) - len(kept)} left out\n")


def tallies() -> dict[str, verdicts.Tally]:
    """How we fare with the rows, by release."""
    found, tallies = recorded(), {}
    for release in RELEASES:
        tallies[release] = verdicts.Tally(edits.server_of(release))
        for row, right in zip(found["rows"], found[release], strict=True):
            tallies[release].add(f"{row['test']} {row['function']}", row["object"], right)
    return tallies


if __name__ == "__main__":
    for each in sys.argv[1:]:
        _record(Path(each))
    verdicts.write_counts("tables", tallies())
