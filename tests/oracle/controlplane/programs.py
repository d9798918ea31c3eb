"""The programs of a control plane: built from their modules, once, into a folder that Git ignores."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.oracle import client

__all__ = ["RELEASES", "MissingProgramsError", "build", "built"]

# The version that the programs tell of themselves: that of the staging modules in the .mod file.
RELEASES = {
    "1.34": "v1.34.13",
    "1.35": "v1.35.10",
    "1.36": "v1.36.5",
    "1.37": "v1.37.2",
}
_HERE = Path(__file__).parent
_VERSION = "k8s.io/component-base/version"
_KUBERNETES = ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl")
_KWOK = "sigs.k8s.io/kwok"
# What the fake kubelets do, as KWOK itself sets it up: nodes become ready, pods run, those of Jobs complete.
_STAGES = (
    "node/fast/node-initialize.yaml",
    "node/heartbeat-with-lease/node-heartbeat-with-lease.yaml",
    "pod/fast/pod-ready.yaml",
    "pod/fast/pod-complete.yaml",
    "pod/fast/pod-delete.yaml",
)


class MissingProgramsError(RuntimeError):
    """The programs of a release have not been built, or are of other modules."""


def built(release: str) -> Path:
    """The folder with the programs and KWOK's `stages.yaml`; MissingProgramsError if one is missing."""
    target = client.folder() / f"controlplane-{release}"
    for name in (release, "kwok"):
        pinned = (_HERE / f"{name}.mod").read_bytes()
        stamp = target / f"built-{name}.mod"
        if not stamp.exists() or stamp.read_bytes() != pinned:
            raise MissingProgramsError(
                f"{target}: run python -m tests.oracle.controlplane build --release {release}"
            )
    return target


def build(release: str) -> Path:
    """Builds what is missing: minutes the first time, nothing after it."""
    target = client.folder() / f"controlplane-{release}"
    target.mkdir(parents=True, exist_ok=True)
    version = RELEASES[release]
    minor = release.partition(".")[2]
    told = f"-X {_VERSION}.gitVersion={version} -X {_VERSION}.gitMajor=1 -X {_VERSION}.gitMinor={minor}"
    packages = {name: f"k8s.io/kubernetes/cmd/{name}" for name in _KUBERNETES}
    _built(target, release, packages | {"etcd": "go.etcd.io/etcd/server/v3"}, told)
    if _built(target, "kwok", {"kwok": f"{_KWOK}/cmd/kwok"}, ""):
        folder = Path(_go(target, "kwok", "list", "-m", "-f", "{{.Dir}}", _KWOK).strip())
        stages = [(folder / "kustomize/stage" / name).read_text("utf-8") for name in _STAGES]
        (target / "stages.yaml").write_text("---\n".join(stages), "utf-8")
        _stamp(target, "kwok")
    return built(release)


def _built(target: Path, name: str, packages: dict[str, str], told: str) -> bool:
    """Builds programs with the modules of `name`; False if they are there."""
    stamp = target / f"built-{name}.mod"
    if stamp.exists() and stamp.read_bytes() == (_HERE / f"{name}.mod").read_bytes():
        return False
    for ending in ("mod", "sum"):
        # -mod=mod adds what is missing, and not to the files of the project.
        shutil.copyfile(_HERE / f"{name}.{ending}", target / f"{name}.{ending}")
    for program, package in packages.items():
        sys.stderr.write(f"building {program} ({package})\n")
        sys.stderr.flush()
        _go(
            target, name, "build", "-trimpath", "-ldflags", f"-s -w {told}",
            "-o", str(target / program), package,
        )  # fmt: skip
    if name != "kwok":
        _stamp(target, name)
    return True


def _stamp(target: Path, name: str) -> None:
    shutil.copyfile(_HERE / f"{name}.mod", target / f"built-{name}.mod")


def _go(target: Path, name: str, verb: str, *arguments: str) -> str:
    go = shutil.which("go")
    if go is None:
        raise MissingProgramsError("the programs are built with Go, which is not installed")
    command = [go, verb, "-mod=mod", f"-modfile={target / name}.mod", *arguments]
    done = subprocess.run(
        command, cwd=_HERE, stdout=subprocess.PIPE, text=True, check=True, preexec_fn=_be_nice
    )
    return done.stdout


def _be_nice() -> None:
    os.nice(10)
