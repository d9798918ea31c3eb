"""`python -m tests.kills --count N --seed S`: commands that write, stopped in the middle.

Each run is a process that ends itself at one of its writes, renames or syncs: by SIGKILL, by SIGTERM, or
by a disk that is full from there on. Every file then holds what it held or what an undisturbed run
writes. After SIGTERM and a full disk nothing is left over; after SIGKILL one `.dradsl-….tmp` may be. The exit code
is 1 if something else was seen.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from random import Random

FILES = 4
OLD = """\
apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaim
metadata: {name: x%d}
spec: {devices: {requests: [{name: r, deviceClassName: gpu.nvidia.com}]}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: Y%d}
spec: {devices: {requests: [{name: r, exactly: {deviceClassname: gpu.nvidia.com}}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: p%d}
spec:
  containers: [{name: c, image: x, resources: {limits: {nvidia.com/gpu: 1}}}]
"""
SLICE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: gpu.nvidia.com
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices: [{name: gpu-0}]
"""
CHART = {
    "chart/Chart.yaml": "apiVersion: v2\nname: server\nversion: 1.0.0\n",
    "chart/values.yaml": "resources:\n  limits:\n    nvidia.com/gpu: 1\n",
    "chart/values.schema.json": '{"properties": {"resources": {}}, "additionalProperties": false}\n',
    "chart/templates/deployment.yaml": """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
spec:
  template:
    spec:
      containers:
      - name: main
        resources:
          {{- toYaml .Values.resources | nindent 10 }}
""",
    "apps/release.yaml": """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: a, namespace: argocd}
spec:
  source: {repoURL: https://git.example/x, path: chart}
  destination: {server: https://one.example, namespace: x}
""",
}
MODULE = """\
from dradsl import App, Request, ResourceClaim
app = App()
for number in range(4):
    app.add(ResourceClaim(f"c{number}", namespace="ml", requests=[Request("r", "gpu.nvidia.com")]))
"""
CALLS = (
    "lint --isolated --fix --unsafe-fixes .",
    "lint --isolated --add-ignores .",
    "lint --isolated --write-baseline out.json .",
    "lint --isolated --output-format json --output-file out.json .",
    "convert --in-place .",
    "migrate --in-place .",
    "migrate --output made .",
    "migrate --kustomize made 0.yaml",
    "migrate --claims-file claims.yaml --in-place .",
    "migrate --chart-places write --in-place chart apps",
    "record -o out.json s/s.yaml",
    "simulate --slices s/s.yaml --output-format json --output-file out.json 0.yaml",
    "schema infer -o out.json s/s.yaml",
    "schema handles -o out.json gpu.nvidia.com",
    "to-python -o out.json 0.yaml",
    "cel fmt --write e.cel",
    "build -o made module.py",
    "build --output-format json --output-file out.json module.py",
)
# Files that are right only together: each has a new content beside it when the first one changes. A second run goes on
# where one was stopped.
TOGETHER = {"migrate --chart-places write --in-place chart apps": 6}
HOWS = ("SIGKILL", "SIGTERM", "full disk")

# Ends the run at the n-th of its steps that touch files; {how} says which way.
STOPPER = """\
import errno, os, signal, sys
sys.dont_write_bytecode = True
at, how = int(sys.argv[1]), sys.argv[2]
steps = 0
def step(event, words):
    global steps
    if event == "open":
        if not isinstance(words[0], str) or not (words[2] or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            return
        if words[0].startswith("/dev/"):
            return
    elif event not in ("os.rename", "os.chmod", "os.mkdir", "os.truncate", "fsync", "write"):
        return
    steps += 1
    if steps == at or (steps > at and how == "full disk"):
        if how == "full disk":
            if event != "os.rename":
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        elif how:
            os.kill(os.getpid(), getattr(signal, how))
sync = os.fsync
def synced(handle):
    step("fsync", ())
    sync(handle)
from dradsl.cli import start
sys.addaudithook(step)
os.fsync = synced
sys.argv = ["dradsl", *sys.argv[3:]]
if not how:
    import atexit
    exit_ = os._exit
    def told(code):
        taken = str(steps)
        with open(os.environ["STEPS"], "w") as file:
            file.write(taken)
        exit_(code)
    os._exit = told
start()
"""
_TEMPORARY = re.compile(r"\.dradsl-[0-9a-f]{12}\.tmp")


@dataclass(frozen=True, slots=True)
class Undisturbed:
    """What a call makes of the tree, and in how many steps."""

    before: dict[str, bytes]
    after: dict[str, bytes]
    steps: int


def fill(folder: Path) -> None:
    """The tree that every run finds."""
    (folder / "s").mkdir(parents=True)
    (folder / "s" / "s.yaml").write_text(SLICE)
    for number in range(FILES):
        (folder / f"{number}.yaml").write_text(OLD % (number, number, number))
    for name, text in CHART.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "module.py").write_text(MODULE)
    (folder / "e.cel").write_text("true   &&   false\n")
    (folder / "out.json").write_text("old\n")


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a tree by name."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def start(folder: Path, call: str, at: int = 0, how: str = "") -> subprocess.CompletedProcess[str]:
    """Run `call`, stopped at the step `at` in the way `how`; undisturbed without one."""
    return subprocess.run(
        [sys.executable, "-c", STOPPER, str(at), how, *call.split()],
        cwd=folder,
        env={**os.environ, "STEPS": str(folder.parent / "steps")},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def undisturbed(top: Path, call: str) -> Undisturbed:
    """What `call` does when nothing stops it."""
    folder = top / "tree"
    fill(folder)
    before = contents(folder)
    done = start(folder, call)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{call}: {done.stderr}")
    return Undisturbed(before, contents(folder), int((top / "steps").read_text()))


def kill(top: Path, call: str, what: Undisturbed, at: int, how: str) -> list[str]:
    """What is wrong after `call` was stopped at step `at`."""
    folder = top / "tree"
    fill(folder)
    done = start(folder, call, at, how)
    found = contents(folder)
    wrong = []
    strays = [name for name in found if _TEMPORARY.fullmatch(Path(name).name)]
    if len(strays) > (TOGETHER.get(call, 1) if how == "SIGKILL" else 0):
        wrong.append(f"left over: {strays}")
    names = {*what.before, *what.after, *found} - {*strays}
    torn = [n for n in names if found.get(n) not in (what.before.get(n), what.after.get(n))]
    wrong += [f"{name} is neither old nor new" for name in torn]
    codes = {"SIGKILL": (-9,), "SIGTERM": (143, 0, 1), "full disk": (2,)}[how]
    if how == "full disk" and found == what.after:
        codes = (0, 1)  # it was full when all was written
    if done.returncode not in codes:
        wrong.append(f"exit code {done.returncode}: {done.stderr[-300:]}")
    if call in TOGETHER:
        start(folder, call)
        again = {name: data for name, data in contents(folder).items() if name not in strays}
        wrong += [
            f"{name} is not as after one run"
            for name in {*again, *what.after}
            if again.get(name) != what.after.get(name)
        ]
    if "Traceback" in done.stderr or "internal error" in done.stderr:
        wrong.append(done.stderr[-300:])
    return wrong


def every_step(calls: list[str]) -> int:
    """Stop calls at each step in each way; 1 if something was wrong."""
    failures = runs = 0
    for call in calls:
        with tempfile.TemporaryDirectory() as name:
            what = undisturbed(Path(name), call)
        for at in range(1, what.steps + 1):
            for how in HOWS:
                runs += 1
                with tempfile.TemporaryDirectory() as name:
                    for wrong in kill(Path(name), call, what, at, how):
                        failures += 1
                        print(f"{call}, {how} at step {at} of {what.steps}: {wrong}", flush=True)
    print(f"{runs} runs stopped, {failures} failures")
    return int(failures > 0)


def main(words: list[str]) -> int:
    """Stop runs as the words of the call say; 1 if something was wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.kills", description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="runs that are stopped")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--every", metavar="WORDS", help="stop the calls with these words at each step, in each way"
    )
    given = parser.parse_args(words)
    if given.every is not None:
        return every_step([call for call in CALLS if given.every in call])
    random = Random(given.seed)
    known: dict[str, Undisturbed] = {}
    failures = 0
    calls = list(CALLS)
    for number in range(given.count):
        if number % len(calls) == 0:
            random.shuffle(calls)
        call, how = calls[number % len(calls)], random.choice(HOWS)
        if call not in known:
            with tempfile.TemporaryDirectory() as name:
                known[call] = undisturbed(Path(name), call)
        at = random.randint(1, known[call].steps)
        with tempfile.TemporaryDirectory() as name:
            for wrong in kill(Path(name), call, known[call], at, how):
                failures += 1
                print(f"{call}, {how} at step {at} of {known[call].steps}: {wrong}", flush=True)
    print(f"{given.count} runs stopped, {failures} failures")
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
