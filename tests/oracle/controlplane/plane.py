"""A real control plane on loopback: etcd, API server, controller manager, scheduler, and KWOK for nodes and kubelets.

    with control_plane("1.37") as plane:
        plane.node("n1")
        plane.api.create(claim)
        plane.kubectl("get", "resourceclaims", "-A")

Everything listens on 127.0.0.1, at ports that were free. It ends with the block, and also if the process is killed.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.oracle.controlplane import programs
from tests.oracle.controlplane.api import Api, Json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["ControlPlane", "NotReadyError", "control_plane"]

_SECONDS = 180  # for a program to become ready, on a busy machine
# Versions that are served although they are off by default: all of resource.k8s.io.
_SERVED = ("v1beta1", "v1beta2", "v1alpha3")


class NotReadyError(RuntimeError):
    """A program did not start; the message has the end of its log."""


@dataclass(frozen=True)
class ControlPlane:
    """A running control plane. `folder` has the logs and `kubeconfig`."""

    release: str
    api: Api
    folder: Path
    programs: Path

    @property
    def kubeconfig(self) -> Path:
        """The file for kubectl and other clients; it may do everything."""
        return self.folder / "kubeconfig"

    def kubectl(self, *arguments: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
        """Runs the release's own kubectl; `text` is its input."""
        command = [
            str(self.programs / "kubectl"),
            f"--kubeconfig={self.kubeconfig}",
            f"--cache-dir={self.folder / 'kubectl'}",
            *arguments,
        ]
        return subprocess.run(command, input=text, capture_output=True, text=True, check=False)

    def node(
        self,
        name: str,
        *,
        labels: dict[str, str] | None = None,
        taints: list[Json] | None = None,
        **allocatable: str,
    ) -> None:
        """A node that is ready, with 64 CPUs, 256Gi and 110 pods if `allocatable` says nothing else."""
        self.api.create(
            {
                "apiVersion": "v1",
                "kind": "Node",
                "metadata": {
                    "name": name,
                    "labels": {"kubernetes.io/hostname": name, **(labels or {})},
                },
            }
        )
        amounts = {"cpu": "64", "memory": "256Gi", "pods": "110", **allocatable}
        status = {
            "allocatable": amounts,
            "capacity": amounts,
            "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}],
        }
        self.api.call("PATCH", f"/api/v1/nodes/{name}/status", {"status": status})
        # The API server adds a taint that goes once a controller has seen the node ready.
        self.api.call("PATCH", f"/api/v1/nodes/{name}", {"spec": {"taints": taints or []}})


@contextlib.contextmanager
def control_plane(
    release: str = "1.37",
    folder: Path | None = None,
    gates: str = "",
    *,
    controllers: bool | str = True,
    kubelets: bool = True,
    served: tuple[str, ...] = (),
) -> Iterator[ControlPlane]:
    """A control plane of a release, ready, running until the block is left.

    `folder` keeps data and logs; otherwise they are removed at the end. `gates` as in `--feature-gates`. Without
    `controllers` no controller manager runs (a text is its `--controllers`), without `kubelets` no KWOK. `served` are group versions
    that are off by default, as `scheduling.k8s.io/v1alpha2`. The programs must be built
    (MissingProgramsError). NotReadyError if one of them does not start.
    """
    built = programs.built(release)
    with contextlib.ExitStack() as stack:
        keeper = stack.enter_context(_keeper())
        if folder is None:
            folder = Path(tempfile.mkdtemp(prefix="dradsl-controlplane-"))
            keeper({"remove": str(folder)})
        folder = folder.resolve()
        folder.mkdir(parents=True, exist_ok=True)
        setup = _Setup(built, folder, gates, served)
        if isinstance(controllers, str):
            setup.controllers = controllers
        api = setup.api
        _start(keeper, setup, "etcd", lambda: _listens(setup.ports["etcd"]))
        _start(keeper, setup, "kube-apiserver", api.ready)
        _start(keeper, setup, "kube-scheduler", Api(setup.ports["scheduler"], "").ready)
        if controllers:
            healthy = Api(setup.ports["controllers"], "")
            _start(keeper, setup, "kube-controller-manager", lambda: healthy.ready("/healthz"))
        if kubelets:
            _start(keeper, setup, "kwok", lambda: _listens(setup.ports["kwok"]))
        # The API server makes it soon after it is ready.
        _until(lambda: api.ready("/api/v1/namespaces/default"), "namespace default")
        yield ControlPlane(release, api, folder, built)


class _Setup:
    """Ports, secrets and arguments of the programs."""

    controllers = "*"

    def __init__(self, built: Path, folder: Path, gates: str, served: tuple[str, ...]) -> None:
        self.built, self.folder, self.gates = built, folder, gates
        resource = [f"resource.k8s.io/{version}" for version in _SERVED]
        self.served = ",".join(f"{version}=true" for version in (*resource, *served))
        names = ("etcd", "peer", "api", "scheduler", "controllers", "kwok")
        self.ports = dict(zip(names, _free_ports(len(names)), strict=True))
        token = secrets.token_hex(16)
        self.api = Api(self.ports["api"], token)
        subprocess.run(
            ["openssl", "genrsa", "-out", str(folder / "sa.key"), "2048"],
            check=True,
            capture_output=True,
        )
        for name, text in (
            ("tokens.csv", f"{token},admin,admin,system:masters\n"),
            ("kubeconfig", json.dumps(_kubeconfig(self.ports["api"], token), indent=1)),
        ):
            (folder / name).touch(0o600)
            (folder / name).write_text(text, "utf-8")

    def arguments(self, name: str) -> list[str]:
        """The arguments of a program."""
        folder, ports = self.folder, self.ports
        client = f"http://127.0.0.1:{ports['etcd']}"
        peer = f"http://127.0.0.1:{ports['peer']}"
        key, kubeconfig = folder / "sa.key", folder / "kubeconfig"
        own: dict[str, list[str]] = {
            "etcd": [
                f"--data-dir={folder / 'etcd'}", "--unsafe-no-fsync",
                f"--listen-client-urls={client}", f"--advertise-client-urls={client}",
                f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}",
                f"--initial-cluster=default={peer}",
            ],
            "kube-apiserver": [
                f"--etcd-servers={client}", "--bind-address=127.0.0.1", f"--secure-port={ports['api']}",
                f"--cert-dir={folder / 'certs'}", f"--token-auth-file={folder / 'tokens.csv'}",
                "--authorization-mode=RBAC", "--service-account-issuer=https://controlplane",
                f"--service-account-key-file={key}", f"--service-account-signing-key-file={key}",
                "--service-cluster-ip-range=10.0.0.0/24", "--disable-admission-plugins=ServiceAccount",
                f"--runtime-config={self.served}",
                "--advertise-address=127.0.0.1", "--endpoint-reconciler-type=none",
            ],
            "kube-scheduler": [
                f"--kubeconfig={kubeconfig}", "--leader-elect=false",
                "--bind-address=127.0.0.1", f"--secure-port={ports['scheduler']}",
                f"--cert-dir={folder / 'certs'}",
                f"--authentication-kubeconfig={kubeconfig}", f"--authorization-kubeconfig={kubeconfig}",
            ],
            "kube-controller-manager": [
                f"--kubeconfig={kubeconfig}", "--leader-elect=false",
                "--bind-address=127.0.0.1", f"--secure-port={ports['controllers']}",
                f"--cert-dir={folder / 'certs'}",
                f"--authentication-kubeconfig={kubeconfig}", f"--authorization-kubeconfig={kubeconfig}",
                f"--service-account-private-key-file={key}", f"--controllers={self.controllers}",
            ],
            "kwok": [
                f"--kubeconfig={kubeconfig}", "--manage-all-nodes=true", f"--config={self.built / 'stages.yaml'}",
                f"--server-address=127.0.0.1:{ports['kwok']}", "--node-lease-duration-seconds=40",
                "--node-ip=127.0.0.1",
            ],
        }  # fmt: skip
        gated = self.gates and name.startswith("kube-")
        return [*own[name], *([f"--feature-gates={self.gates}"] if gated else [])]


def _start(
    keeper: Callable[[Json], Json], setup: _Setup, name: str, ready: Callable[[], bool]
) -> None:
    log = setup.folder / f"{name}.log"
    args = [str(setup.built / name), *setup.arguments(name)]
    pid = keeper({"args": args, "log": str(log)})["pid"]
    try:
        _until(ready, name, pid)
    except NotReadyError as error:
        lines = log.read_text("utf-8", "replace").splitlines()[-5:]
        raise NotReadyError("\n".join([str(error), *lines])) from None


def _until(ready: Callable[[], bool], name: str, pid: int | None = None) -> None:
    end = time.monotonic() + _SECONDS
    while not ready():
        if time.monotonic() > end or (pid is not None and _ended(pid)):
            raise NotReadyError(f"{name} did not become ready")
        time.sleep(0.1)


def _ended(pid: int) -> bool:
    """Whether a program has ended; its keeper has not asked for its exit code yet."""
    done = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return not done.stdout.strip() or done.stdout.startswith("Z")


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


@contextlib.contextmanager
def _keeper() -> Iterator[Callable[[Json], Json]]:
    """The process that starts the programs and ends them when this one is gone."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.oracle.controlplane.keeper"],
        cwd=Path(__file__).parents[3],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    if process.stdin is None or process.stdout is None:  # pragma: no cover - both are pipes
        raise AssertionError
    requests, answers = process.stdin, process.stdout

    def ask(request: Json) -> Json:
        requests.write(json.dumps(request) + "\n")
        requests.flush()
        answer: Json = json.loads(answers.readline())
        return answer

    try:
        yield ask
    finally:
        requests.close()
        process.wait()
        answers.close()


def _kubeconfig(port: int, token: str) -> dict[str, Any]:
    cluster = {"server": f"https://127.0.0.1:{port}", "insecure-skip-tls-verify": True}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "controlplane", "cluster": cluster}],
        "users": [{"name": "admin", "user": {"token": token}}],
        "contexts": [
            {"name": "controlplane", "context": {"cluster": "controlplane", "user": "admin"}}
        ],
        "current-context": "controlplane",
    }
