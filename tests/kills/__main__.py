"""`python -m tests.kills --count N --seed S`: commands that write, stopped in the middle.

Each run is a copy of this process that ends itself at one of its writes, renames or syncs: by SIGKILL, by SIGTERM, or
by a disk that is full from there on. Every file then holds what it held or what an undisturbed run
writes. After SIGTERM and a full disk nothing is left over; after SIGKILL one `.dradsl-….tmp` may be. The same call
again then ends where an undisturbed run ends. The exit code is 1 if something else was seen.
"""

from __future__ import annotations

import argparse
import errno
import importlib
import os
import pkgutil
import re
import signal
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NoReturn

import dradsl

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
    "lint --isolated --baseline out.json --write .",
    "lint --isolated --output-format json --output out.json .",
    "convert --write .",
    "migrate --write .",
    "migrate --output made .",
    "migrate --set form=kustomize --output made 0.yaml",
    "migrate --set chart-places=write --write chart apps",
    "record -o out.json s/s.yaml",
    "simulate --slices s/s.yaml --output-format json --output out.json 0.yaml",
    "schema infer --force -o out.json s/s.yaml",
    "schema export --as python -o out.json gpu.nvidia.com",
    "to-python -o out.json 0.yaml",
    "cel fmt --write e.cel",
    "build -o made module.py",
    "build --output-format json --report out.json module.py",
)
# Files that are right only together: each has a new content beside it when the first one changes.
TOGETHER = {"migrate --set chart-places=write --write chart apps": 6}
HOWS = ("SIGKILL", "SIGTERM", "full disk")
STEPS = ("os.rename", "os.chmod", "os.mkdir", "os.truncate", "os.remove")
"""What counts as a step besides a file opened to be written, and a sync."""

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


class _Stopper:
    """Counts the steps of this process that touch files, and ends it at one of them in a way of `HOWS`."""

    def __init__(self, at: int, how: str) -> None:
        self.at = at
        self.how = how
        self.steps = 0
        self._sync = os.fsync

    def watch(self) -> None:
        sys.addaudithook(self._seen)
        os.fsync = self._synced  # type: ignore[assignment] # dradsl syncs numbers

    def _synced(self, handle: int) -> None:
        self._step("fsync")
        self._sync(handle)

    def _seen(self, event: str, words: tuple[Any, ...]) -> None:
        if event == "open":
            writes = (words[2] or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            if not isinstance(words[0], str) or not writes or words[0].startswith("/dev/"):
                return
        elif event not in STEPS:
            return
        self._step(event)

    def _step(self, event: str) -> None:
        self.steps += 1
        if self.how == "full disk":
            if self.at <= self.steps and event not in ("os.rename", "os.remove"):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        elif self.how and self.steps == self.at:
            os.kill(os.getpid(), getattr(signal, self.how))


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended: its exit code (negative: the signal), what it said, and how many steps it took."""

    code: int
    said: str
    steps: int


def start(folder: Path, call: str, at: int = 0, how: str = "") -> Ended:
    """Run `call` in a copy of this process, stopped at the step `at` in the way `how`; undisturbed without one."""
    _load()
    said, count = folder.parent / "said", folder.parent / "count"
    count.write_text("0")
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        _run(folder, call, _Stopper(at, how), said, count)
    for _ in range(12_000):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            return Ended(code, said.read_text(errors="replace"), int(count.read_text()))
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    raise TimeoutError(f"{call}, {how} at step {at}: not ended")


def _run(folder: Path, call: str, stopper: _Stopper, said: Path, count: Path) -> NoReturn:
    from dradsl import cli

    end = os._exit

    def told(code: int) -> NoReturn:
        steps = stopper.steps
        stopper.how = ""
        count.write_text(str(steps))
        end(code)

    try:
        os.chdir(folder)
        log = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for number in (1, 2):
            os.dup2(log, number)
        for name in ("stdout", "stderr"):  # pytest has others
            number = 1 if name == "stdout" else 2
            setattr(sys, name, open(number, "w", closefd=False))  # noqa: SIM115 - until the end
        sys.argv = ["dradsl", *call.split()]
        sys.dont_write_bytecode = True
        os._exit = told  # type: ignore[assignment] # another name of its parameter
        stopper.watch()
        cli.start()
    finally:
        end(99)  # what called `start` goes on in the other process alone


@cache
def _load() -> None:
    """Import what the commands use, once for all runs."""
    for module in pkgutil.walk_packages(dradsl.__path__, "dradsl."):
        if module.name.startswith(
            ("dradsl.cli.", "dradsl.lint.", "dradsl.migrate.", "dradsl.tree.")
        ):
            importlib.import_module(module.name)


def undisturbed(top: Path, call: str) -> Undisturbed:
    """What `call` does when nothing stops it."""
    folder = top / "tree"
    fill(folder)
    before = contents(folder)
    done = start(folder, call)
    if done.code not in (0, 1):
        raise RuntimeError(f"{call}: {done.said}")
    return Undisturbed(before, contents(folder), done.steps)


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
    if done.code not in codes:
        wrong.append(f"exit code {done.code}: {done.said[-300:]}")
    again = start(folder, call)
    now = {name: data for name, data in contents(folder).items() if name not in strays}
    wrong += [
        f"{name} is not as after one run: exit code {again.code}: {again.said[-300:]}"
        for name in {*now, *what.after}
        if now.get(name) != what.after.get(name)
    ]
    if "Traceback" in done.said or "internal error" in done.said:
        wrong.append(done.said[-300:])
    return wrong


def every_step(calls: list[str]) -> int:
    """Stop calls at each step in each way; 1 if something was wrong."""
    failures = runs = 0
    for call in calls:
        with tempfile.TemporaryDirectory() as name:
            what = undisturbed(Path(name), call)
        failed = 0
        for at in range(1, what.steps + 1):
            for how in HOWS:
                with tempfile.TemporaryDirectory() as name:
                    for wrong in kill(Path(name), call, what, at, how):
                        failed += 1
                        print(f"{call}, {how} at step {at} of {what.steps}: {wrong}", flush=True)
        print(f"{call}: {what.steps} steps, {failed} failures", flush=True)
        runs += what.steps * len(HOWS)
        failures += failed
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
