"""Plays a plan in a real control plane: `python -m tests.migrate.rollout.play TREE --fleet FLEET [what --plan takes]`.

The tree is copied and planned. The patches are applied by git, one stage after the other. What the tree has then is built by
the real Kustomize and applied to a real API server, whose controllers and scheduler do the rest. Plugins and drivers are
DaemonSets with the node selectors and affinities of their charts. A node with a running pod of a plugin offers the
extended resource, one with a pod of the driver has a ResourceSlice. The steps of each README are done as written. At every
step: no node has both, and each pod with a device still has one, or the README names it.

Releases of remote charts are rendered by the real Helm if `--charts` has the charts.

Needs `kustomize` on the path, and the programs of tests/oracle/controlplane.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from tests.migrate.rollout.fleets import FakedNode, nodes_in, recorded
from tests.migrate.rollout.served import at, documents, loaded, served
from tests.oracle.controlplane.driver import Driver
from tests.oracle.controlplane.plane import control_plane

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.oracle.controlplane.plane import ControlPlane

Json = dict[str, Any]

_SPACE, _WORKLOAD = "played", "played-workload"
_SETTLED, _PATIENCE = 4.0, 90.0  # seconds without a change, and at most
_KINDS = ("Deployment", "StatefulSet", "DaemonSet", "Job", "Pod")
_CLAIMS = ("ResourceClaim", "ResourceClaimTemplate", "DeviceClass")
# The classes of the drivers' charts.
_CLASSES: dict[str, Json] = {
    "gpu.nvidia.com": {
        "selectors": [{"cel": {"expression": "device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'gpu'"}}],
        "extendedResourceName": "nvidia.com/gpu",
    },
    "gpu.intel.com": {"selectors": [{"cel": {"expression": "device.driver == 'gpu.intel.com'"}}]},
    "gpu.amd.com": {"selectors": [{"cel": {"expression": "device.driver == 'gpu.amd.com'"}}]},
}  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Plays one tree; the exit code says whether every pod kept its device, or was named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tree", type=Path)
    parser.add_argument(
        "--fleet", type=Path, required=True, help="a file as in tests/migrate/rollout/fleets"
    )
    parser.add_argument("--release", default="1.37")
    parser.add_argument("--keep", type=Path, help="a folder for the copy and the plan, which stays")
    parser.add_argument(
        "--charts", type=Path, help="a folder with the remote charts by their names"
    )
    options, words = parser.parse_known_args(arguments)
    with contextlib.ExitStack() as stack:
        top = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        tree, plan = top / "tree", top / "plan"
        shutil.copytree(options.tree, tree, ignore=shutil.ignore_patterns(".git"), symlinks=True)
        (tree / ".git").mkdir(exist_ok=True)
        (top / "slices.yaml").write_text(recorded(options.fleet))
        say("plan", *planned(tree, plan, top / "slices.yaml", words))
        shutil.rmtree(tree / ".git")
        plane = stack.enter_context(control_plane(options.release, kubelets=True))
        nodes, slices = nodes_in(options.fleet), top / "slices.yaml"
        return Played(plane, tree, plan, nodes, slices, options.charts).play()


def say(*words: object) -> None:
    """A line of the report."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def dradsl(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs the command in a folder."""
    path = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    return subprocess.run(
        [sys.executable, "-m", "dradsl", *words],
        cwd=folder,
        env=path,
        capture_output=True,
        text=True,
        check=False,
    )


def planned(tree: Path, plan: Path, slices: Path, words: Sequence[str]) -> list[str]:
    """Writes the plan; gives its exit code and stages."""
    done = dradsl("migrate", "--plan", str(plan), "--slices", str(slices), *words, ".", folder=tree)
    if not plan.exists():
        raise SystemExit(done.stdout + done.stderr)
    return [
        f"rc {done.returncode},",
        *sorted(each.name for each in plan.iterdir() if each.is_dir()),
    ]


# What is built


def built(tree: Path) -> tuple[list[Json], list[str]]:
    """What the real Kustomize makes of a tree, in the namespaces that Flux and Argo CD give, and what does not build."""
    inner: set[Path] = set()
    folders: dict[Path, tuple[str | None, bool]] = {}
    roots: list[Path] = []
    for path, data in documents(tree):
        if path.name in ("kustomization.yaml", "kustomization.yml"):
            roots.append(path.parent)
            for each in (
                *(data.get("resources") or ()),
                *(data.get("components") or ()),
                *(data.get("bases") or ()),
            ):
                inner.add((path.parent / str(each)).resolve())
        group = str(data.get("apiVersion")).partition("/")[0]
        spec = data.get("spec")
        if group == "kustomize.toolkit.fluxcd.io" and at(spec, "path"):
            folders[(tree / str(at(spec, "path")).lstrip("./")).resolve()] = (
                at(spec, "targetNamespace"),
                True,
            )
        for source in (
            (at(spec, "source"), *(at(spec, "sources") or ())) if group == "argoproj.io" else ()
        ):
            if at(source, "path"):
                folder = (tree / str(at(source, "path"))).resolve()
                folders[folder] = (at(spec, "destination", "namespace"), False)
    units = {folder: how for folder, how in folders.items() if folder.is_dir()}
    for root in map(Path.resolve, roots):
        if root not in inner and not any(root == each for each in units):
            units[root] = (None, False)
    objects: list[Json] = []
    failed: list[str] = []
    for folder, (space, always) in sorted(units.items()):
        made, fault = _built(folder)
        failed += [f"{folder.relative_to(tree.resolve())}: {fault}"] if fault else []
        for each in made:
            metadata = each.setdefault("metadata", {})
            if space and (always or not metadata.get("namespace")):
                metadata["namespace"] = space
        objects += made
    return objects, failed


def rendered(tree: Path, charts: Path | None) -> list[Json]:
    """What the real Helm makes of the HelmReleases whose remote chart is in a folder of `charts` under its name."""
    objects: list[Json] = []
    for _, data in documents(tree) if charts is not None else ():
        folder = Path(str(charts)) / str(at(data, "spec", "chart", "spec", "chart"))
        if data.get("kind") != "HelmRelease" or not folder.is_dir():
            continue
        name, space = at(data, "metadata", "name"), at(data, "metadata", "namespace") or "default"
        words = ["helm", "template", name, str(folder), "-n", space, "-f", "-", "--kube-version"]
        values = yaml.safe_dump(at(data, "spec", "values") or {})
        done = subprocess.run(
            [*words, "1.37.0"], input=values, capture_output=True, text=True, check=True
        )
        for each in loaded(done.stdout):
            each["metadata"].setdefault("namespace", space)
            objects.append(each)
    return objects


def _built(folder: Path) -> tuple[list[Json], str]:
    if not any((folder / each).is_file() for each in ("kustomization.yaml", "kustomization.yml")):
        return [data for path, data in documents(folder) if path.parent == folder], ""
    words = ["kustomize", "build", "--load-restrictor", "LoadRestrictionsNone", str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        return [], done.stderr.strip().splitlines()[-1][-200:]
    return [*loaded(done.stdout)], ""


def asking(objects: Sequence[Json]) -> list[Json]:
    """The workloads that ask for devices, cut down to what a scheduler looks at, with claims, templates and classes."""
    found = []
    for obj in objects:
        kind = obj.get("kind")
        if kind in _CLAIMS:
            found.append(obj)
        template = obj if kind == "Pod" else at(obj, "spec", "template")
        spec = at(template, "spec")
        if kind not in _KINDS or not isinstance(spec, dict) or not _asks(spec):
            continue
        metadata = {
            k: v for k, v in obj["metadata"].items() if k in ("name", "namespace", "labels")
        }
        name = f"{kind}.{metadata.get('namespace', 'default')}.{metadata['name']}".lower()
        kept = {k: spec[k] for k in _OF_PODS if k in spec}
        kept["containers"] = [_container(each) for each in spec["containers"]]
        made = {"labels": {**(at(template, "metadata", "labels") or {}), _WORKLOAD: name}}
        body = {**obj["spec"], "template": {"metadata": made, "spec": kept}}
        if kind == "Pod":
            metadata["labels"], body = made["labels"], kept
        body.pop("volumeClaimTemplates", None)
        found.append(
            {"apiVersion": obj["apiVersion"], "kind": kind, "metadata": metadata, "spec": body}
        )
    return found


_OF_PODS = (
    "nodeSelector",
    "affinity",
    "tolerations",
    "resourceClaims",
    "topologySpreadConstraints",
    "runtimeClassName",
)


def _container(container: Json) -> Json:
    resources = at(container, "resources") or {}
    return {"name": container["name"], "image": "x", "resources": resources}


def _asks(spec: Json) -> bool:
    limits = [at(each, "resources", "limits") or {} for each in spec.get("containers") or ()]
    return bool(spec.get("resourceClaims")) or any(
        re.match(r"(nvidia\.com|amd\.com|gpu\.intel\.com)/", name)
        for each in limits
        for name in each
    )


# The play


@dataclass
class Kubelets:
    """What kubelets, device plugins and drivers do on nodes: they follow the pods of the DaemonSets."""

    plane: ControlPlane
    nodes: Sequence[FakedNode]
    both: set[str] = field(default_factory=set)
    _offered: dict[tuple[str, str], str] = field(default_factory=dict)
    _published: set[tuple[str, str]] = field(default_factory=set)

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Follows them until the block is left."""
        end = threading.Event()

        def loop() -> None:
            while not end.wait(0.3):
                with contextlib.suppress(OSError):
                    self.look()

        thread = threading.Thread(target=loop, daemon=True)
        thread.start()
        try:
            yield
        finally:
            end.set()
            thread.join()

    def look(self) -> None:
        """One look at what runs where."""
        there = {
            (at(pod, "spec", "nodeName"), *str(pod["metadata"]["labels"]["serves"]).split("_"))
            for pod in self.plane.api.items(f"/api/v1/namespaces/{_SPACE}/pods")
            if at(pod, "status", "phase") == "Running"
            and not pod["metadata"].get("deletionTimestamp")
        }
        for node in self.nodes:
            for vendor, devices in node.slices():
                plugin, driver = (
                    (node.name, vendor, role) in there for role in ("plugin", "driver")
                )
                if plugin and driver:
                    self.both.add(f"{node.name} has the plugin and the driver {vendor}")
                self._offer(node, vendor, len(devices) * node.sharers if plugin else 0)
                key = (node.name, vendor)
                if driver and key not in self._published:
                    Driver(self.plane.api, vendor).publish(node.name, devices)
                    self._published.add(key)
                elif not driver and key in self._published:
                    Driver(self.plane.api, vendor).withdraw(node.name)
                    self._published.discard(key)

    def _offer(self, node: FakedNode, vendor: str, number: int) -> None:
        resource = node.resource if vendor != "gpu.amd.com" else "amd.com/gpu"
        key, said = (node.name, resource), str(number)
        if self._offered.get(key, "0") != said:
            # A kubelet whose plugin is gone keeps the name, with nothing to give.
            body = {"status": {"capacity": {resource: said}, "allocatable": {resource: said}}}
            self.plane.api.call("PATCH", f"/api/v1/nodes/{node.name}/status", body)
            self._offered[key] = said


@dataclass
class Played:
    """One plan, stage by stage."""

    plane: ControlPlane
    tree: Path
    plan: Path
    nodes: Sequence[FakedNode]
    slices: Path
    charts: Path | None = None
    _faults: list[str] = field(default_factory=list)
    _failed: set[str] = field(default_factory=set)
    _had: Counter[str] = field(default_factory=Counter)
    _by_command: list[Json] = field(default_factory=list)

    def play(self) -> int:
        """All stages; 0 if no pod lost its device without being named."""
        for node in self.nodes:
            labels = {**node.labels}
            if "gpu.nvidia.com" in node.devices:  # the operator gives it to nodes with GPUs
                labels["nvidia.com/gpu.deploy.device-plugin"] = "true"
            self.plane.node(node.name, labels=labels, taints=node.taints)
        self.plane.api.create(_object("v1", "Namespace", _SPACE))
        kubelets = Kubelets(self.plane, self.nodes)
        stages = sorted(each for each in self.plan.iterdir() if each.is_dir())
        with kubelets.running():
            self._failed = self._apply("before")
            self._settle()
            self._had = self._running()
            say(f"before: {self._had.total()} pods with devices of {len(self._had)} workloads")
            for stage in stages:
                self._stage(stage)
                for each in sorted(kubelets.both):
                    self._fault(stage.name, each)
                kubelets.both.clear()
        say(
            "played:",
            "every pod kept its device, or was named"
            if not self._faults
            else f"{len(self._faults)} faults",
        )
        return 1 if self._faults else 0

    def _fault(self, stage: str, text: str) -> None:
        self._faults.append(f"{stage}: {text}")
        say("FAULT", f"{stage}: {text}")

    def _stage(self, stage: Path) -> None:
        text = (stage / "README.md").read_text()
        self._named = _section(text, "Without a device, and how long")
        steps = [
            (each, "") for each in re.findall(r"^1\. (.*)$", _section(text, "Do"), re.MULTILINE)
        ]
        steps = re.findall(
            r"^1\. (.*)\n(?:\n   ```\n((?:.*\n)*?)   ```\n)?", _section(text, "Do"), re.MULTILINE
        )
        for path in stage.glob("*.values.yaml"):
            self._by_command.append(
                {"chart": path.name.removesuffix(".values.yaml"), "values": path}
            )
        while steps:
            which = steps[0][0].partition(":")[0]
            turns = (
                "each node in turn",
                "the first node",
                "the first node of each vendor",
                "each further node in turn",
            )
            if which in turns:
                group = [each for each in steps if each[0].partition(":")[0] == which]
                steps = steps[len(group) :]
                for node in self._in_turn(which):
                    self._node(stage, node, group)
                continue
            self._step(stage, *steps.pop(0))
        self._settle()
        for name, number in sorted((self._had - self._running()).items()):
            self._fault(
                stage.name,
                f"at its end {name} lacks {number} of {self._had[name]} pods with devices",
            )
        say(
            f"{stage.name}: {self._running().total()} of {self._had.total()} pods with devices at its end;",
            self._judged(),
        )

    def _in_turn(self, which: str) -> list[str]:
        """The nodes with devices that a step is about."""
        every = [node.name for node in self.nodes if node.devices]
        vendors = dict.fromkeys(vendor for node in self.nodes for vendor in node.devices)
        firsts = [next(n.name for n in self.nodes if vendor in n.devices) for vendor in vendors]
        firsts = firsts if which.endswith("vendor") or len(vendors) > 1 else every[:1]
        if which.startswith("the first"):
            return firsts
        return [each for each in every if each not in firsts] if "further" in which else every

    def _step(self, stage: Path, text: str, command: str) -> None:
        if text.startswith("merge the pull request"):
            patch = stage / "changes.patch"
            if patch.exists():
                environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(self.tree.parent)}
                words = ["git", "apply", "--whitespace=nowarn", str(patch.resolve())]
                subprocess.run(words, cwd=self.tree, env=environment, check=True)
            for each in sorted(self._apply(stage.name) - self._failed):
                self._fault(stage.name, f"does not build any more: {each}")
        elif text.startswith("install the driver"):
            self._apply(stage.name)
        elif "label every node" in text:
            for node in self.nodes:
                self._kubectl(stage, command.replace("NODES", node.name))
        else:
            say(f"  not done: {text}")

    def _node(self, stage: Path, node: str, group: Sequence[tuple[str, str]]) -> None:
        lost: Counter[str] = Counter()
        for text, command in group:
            if "no pod of" in text:
                continue
            for part in command.replace("NODE", node).split("&&"):
                if "--watch" not in part:
                    self._kubectl(stage, part.strip())
            self._settle()
            lost |= self._had - self._running()
        for name in sorted(lost):
            known = name.replace(".", " ", 1).replace(".", "/", 1)
            if not any(
                known in line.lower()
                for line in self._named.splitlines()
                if node in line or "unknown" in line
            ):
                self._fault(
                    stage.name,
                    f"while {node} moved, {name} lacked {lost[name]} pods, and is not named",
                )
        named = ", ".join(sorted(lost)) or "nobody"
        say(f"  {stage.name}: {node} moved; without a device meanwhile: {named}")

    def _kubectl(self, stage: Path, command: str) -> None:
        words = shlex.split(command)
        if words[:1] != ["kubectl"]:
            say(f"  not done: {command}")
            return
        done = self.plane.kubectl(*words[1:])
        if done.returncode:
            self._fault(stage.name, f"{command}: {done.stderr.strip()[-300:]}")
        if "resourceslices" in words and not done.stdout.strip():
            say(f"  {command}: nothing")

    # The cluster

    def _apply(self, name: str) -> set[str]:
        """Applies what the tree says; gives what does not build."""
        objects, failed = built(self.tree)
        objects += rendered(self.tree, self.charts)
        self._asking = asking(objects)
        every = [*served(self.tree)]
        for each in self._by_command:
            values = yaml.safe_load(each["values"].read_text())["kubeletPlugin"]
            vendor = {"dra": "gpu.nvidia.com", "intel": "gpu.intel.com"}.get(
                each["chart"].partition("-")[0], "gpu.amd.com"
            )
            every.append(
                (
                    vendor,
                    True,
                    {
                        k: values[k]
                        for k in ("nodeSelector", "affinity", "tolerations")
                        if values.get(k)
                    },
                )
            )
        wanted = {}
        for number, (vendor, is_driver, spec) in enumerate(every):
            role = f"{vendor}_{'driver' if is_driver else 'plugin'}"
            wanted[f"{role.replace('_', '-').replace('.', '-')}-{number}"] = _daemons(
                role, number, spec
            )
        say(
            f"{name}: {len(objects)} objects built, {len(failed)} folders not; serves:",
            *sorted(wanted) or ["nothing"],
        )
        for known in self.plane.api.items(f"/apis/apps/v1/namespaces/{_SPACE}/daemonsets"):
            own = known["metadata"]["name"]
            if own not in wanted:
                self.plane.api.call("DELETE", f"/apis/apps/v1/namespaces/{_SPACE}/daemonsets/{own}")
        classes = [
            {**_object("resource.k8s.io/v1", "DeviceClass", vendor), "spec": _CLASSES[vendor]}
            for vendor in dict.fromkeys(vendor for vendor, is_driver, _ in every if is_driver)
        ]
        spaces = dict.fromkeys(
            at(each, "metadata", "namespace")
            for each in self._asking
            if at(each, "metadata", "namespace")
        )
        runtimes = dict.fromkeys(
            at(each, "spec", "template", "spec", "runtimeClassName") for each in self._asking
        )
        bases = [_object("v1", "Namespace", each) for each in spaces]
        bases += [
            {**_object("node.k8s.io/v1", "RuntimeClass", each), "handler": "x"}
            for each in runtimes
            if each
        ]
        order = {kind: number for number, kind in enumerate(_CLAIMS)}
        own_objects = sorted(self._asking, key=lambda each: order.get(each["kind"], 9))
        for each in (*bases, *classes, *wanted.values(), *own_objects):
            done = self.plane.kubectl(
                "apply", "--server-side", "--force-conflicts", "-f", "-", text=json.dumps(each)
            )
            if done.returncode:
                self._fault(
                    name, f"{each['kind']} {each['metadata']['name']}: {done.stderr.strip()[-300:]}"
                )
        return {each.partition(":")[0] for each in failed}

    def _pods(self) -> list[Json]:
        pods = self.plane.api.items(f"/api/v1/pods?labelSelector={_WORKLOAD}")
        return [pod for pod in pods if not pod["metadata"].get("deletionTimestamp")]

    def _running(self) -> Counter[str]:
        found: Counter[str] = Counter()
        for pod in self._pods():
            if at(pod, "status", "phase") == "Running":
                found[pod["metadata"]["labels"][_WORKLOAD]] += 1
        # A rollout has old and new pods for a while.
        return Counter(
            {
                name: min(number, self._had[name]) if self._had else number
                for name, number in found.items()
            }
        )

    def _settle(self) -> None:
        """Waits until nothing changes any more."""
        end, since, before = time.monotonic() + _PATIENCE, time.monotonic(), ""
        while time.monotonic() < end and time.monotonic() - since < _SETTLED:
            pods = [*self._pods(), *self.plane.api.items(f"/api/v1/namespaces/{_SPACE}/pods")]
            now = str(
                sorted(
                    (p["metadata"]["name"], at(p, "spec", "nodeName"), at(p, "status", "phase"))
                    for p in pods
                )
            )
            if now != before:
                before, since = now, time.monotonic()
            time.sleep(0.3)

    def _judged(self) -> str:
        """What lint and simulate say of what asks for devices now."""
        path = self.plan.parent / "asking.yaml"
        path.write_text(yaml.safe_dump_all(self._asking, sort_keys=False))
        linted = dradsl(
            "lint", "--output-format", "json", "--exit-zero", path.name, folder=path.parent
        )
        findings = json.loads(linted.stdout).get("findings", [])
        errors = sum(each.get("severity") == "error" for each in findings)
        placed = dradsl(
            "simulate", path.name, "--slices", str(self.slices.resolve()), folder=path.parent
        )
        pods = re.findall(r"^pod (\S+): (fits|never|does)", placed.stdout, re.MULTILINE)
        fits = sum(word == "fits" for _, word in pods)
        waiting = [
            p["metadata"]["name"] for p in self._pods() if at(p, "status", "phase") == "Pending"
        ]
        left = f"; pending: {', '.join(waiting)}" if waiting else ""
        return f"lint: {errors} errors; simulate (all nodes moved): {fits} of {len(pods)} pods fit{left}"


def _section(text: str, title: str) -> str:
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


def _object(version: str, kind: str, name: str) -> Json:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}}


def _daemons(role: str, number: int, spec: Json) -> Json:
    labels = {"serves": role, "number": str(number)}
    name = f"{role.replace('_', '-').replace('.', '-')}-{number}"
    pod = {**spec, "containers": [{"name": "a", "image": "x"}], "terminationGracePeriodSeconds": 0}
    template = {"metadata": {"labels": labels}, "spec": pod}
    made = _object("apps/v1", "DaemonSet", name)
    made["metadata"]["namespace"] = _SPACE
    return {**made, "spec": {"selector": {"matchLabels": labels}, "template": template}}


if __name__ == "__main__":
    sys.exit(main())
