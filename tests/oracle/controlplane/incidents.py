"""Records the incidents of `tests/why/incidents`: what a thread describes, done in a real control plane.

    python -m tests.oracle.controlplane.incidents [NAME]...

does the steps of NAME.yaml and writes NAME.json.gz, all objects at that moment. See RULE.md there.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from tests.oracle.controlplane.api import RejectedError
from tests.oracle.controlplane.plane import NotReadyError, control_plane

if TYPE_CHECKING:
    from tests.oracle.controlplane.plane import ControlPlane

Json = dict[str, Any]
FOLDER = Path(__file__).parents[2] / "why" / "incidents"
_KINDS = (
    *(f"api/v1/{one}" for one in ("namespaces", "nodes", "pods", "events", "resourcequotas")),
    *(
        f"apis/apps/v1/{one}"
        for one in ("deployments", "replicasets", "statefulsets", "daemonsets")
    ),
    "apis/batch/v1/jobs",
    *(
        f"apis/resource.k8s.io/v1/{one}"
        for one in ("deviceclasses", "resourceslices", "resourceclaims", "resourceclaimtemplates")
    ),
    "apis/resource.k8s.io/v1beta2/devicetaintrules",
    "apis/resource.nvidia.com/v1beta1/computedomains",
    "apis/kueue.x-k8s.io/v1beta1/workloads",
)
_SECONDS = 40


class _Stage:
    def __init__(self, plane: ControlPlane) -> None:
        self._api = plane.api
        self._namespaces: set[str] = {"default"}

    def path(self, given: Json) -> str:
        """The path of an object that `given` names by kind, namespace and name."""
        at = {"apiVersion": given.get("apiVersion", "v1"), "kind": given["kind"]}
        at["metadata"] = {"namespace": given.get("namespace", "default")}
        return f"{self._api.path_of(at)}/{given['name']}"

    def do(self, step: Json) -> None:
        """One step: its key is what to do."""
        ((verb, given),) = step.items()
        getattr(self, verb)(given)

    def create(self, text: Any) -> None:
        """Objects as YAML."""
        for one in yaml.safe_load_all(text) if isinstance(text, str) else [text]:
            namespace = one["metadata"].get("namespace", "default")
            if namespace not in self._namespaces:
                self._namespaces.add(namespace)
                named = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
                self._api.create(named)
            status = one.pop("status", None)
            made = self._api.create(self._with_uids(one))
            if status:
                at = {"apiVersion": one["apiVersion"], "kind": one["kind"], **made["metadata"]}
                self.status({**at, "status": status})

    def status(self, given: Json) -> None:
        """A status, as its component writes it; `UID/NAMESPACE/POD` in it becomes the UID of a pod."""
        self._patch(f"{self.path(given)}/status", {"status": self._with_uids(given["status"])})

    def patch(self, given: Json) -> None:
        """A change of an object."""
        self._patch(self.path(given), given["body"])

    def _patch(self, path: str, body: Json) -> None:
        code, reply = self._api.call("PATCH", path, body)
        if code >= 400:
            raise RuntimeError(f"{path}: {reply.get('message')}")

    def _with_uids(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._with_uids(one) for key, one in value.items()}
        if isinstance(value, list):
            return [self._with_uids(one) for one in value]
        if isinstance(value, str) and value.startswith("UID/"):
            _, kind, namespace, name = value.split("/")
            at = {"kind": kind, "namespace": namespace, "name": name}
            if kind == "ComputeDomain":
                at["apiVersion"] = "resource.nvidia.com/v1beta1"
            return self._api.call("GET", self.path(at))[1]["metadata"]["uid"]
        return value

    def delete(self, given: Json) -> None:
        """An object, at once if `now` is true."""
        options = {"gracePeriodSeconds": 0} if given.get("now") else {}
        self._api.call("DELETE", self.path(given), options)

    def daemons(self, given: Json) -> None:
        """Until a DaemonSet has made a pod."""
        at = {"apiVersion": "apps/v1", "kind": "DaemonSet", **given}
        found = self._api.call("GET", self.path(at))[1]
        if not found["status"].get("currentNumberScheduled"):
            raise RuntimeError(f"{given}: {json.dumps(found['status'])}")

    def delete_all(self, given: Json) -> None:
        """The pods of a namespace, at once: nothing else ends them where no kubelet runs."""
        pods = self._api.call("GET", f"/api/v1/namespaces/{given['namespace']}/pods")[1]["items"]
        for pod in pods:
            self.delete({"kind": "Pod", **given, "name": pod["metadata"]["name"], "now": True})

    def _about_claim(self, pod: Json, message: str) -> str:
        """The message with the UID of the pod, and with name and UID of its first claim, as a kubelet writes them."""
        names = (pod.get("status") or {}).get("resourceClaimStatuses") or [{}]
        if "{claim" not in message:
            return message
        at = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim"}
        where = {"namespace": pod["metadata"]["namespace"], "name": names[0]["resourceClaimName"]}
        uid = self._api.call("GET", self.path({**at, **where}))[1]["metadata"]["uid"]
        return message.format(uid=pod["metadata"]["uid"], claim=where["name"], claim_uid=uid)

    def event(self, given: Json) -> None:
        """An event of a pod, as a component writes it."""
        at = {
            "kind": given.get("kind", "Pod"),
            "namespace": given["namespace"],
            "name": given["name"],
        }
        at["apiVersion"] = given.get("apiVersion", "v1")
        found = self._api.call("GET", self.path(at))[1]
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        about = {**at, "uid": found["metadata"]["uid"]}
        metadata = {"name": f"{at['name']}.{time.monotonic_ns():x}", "namespace": at["namespace"]}
        self._api.create(
            {
                "apiVersion": "v1",
                "kind": "Event",
                "metadata": metadata,
                "involvedObject": about,
                "type": given.get("type", "Warning"),
                "reason": given["reason"],
                "message": self._about_claim(found, given["message"]),
                "source": {"component": given.get("component", "kubelet")},
                "firstTimestamp": now,
                "lastTimestamp": now,
                "count": 1,
            }
        )

    def wait(self, given: Json) -> None:
        """Until a pod has a node (`bound`), was rejected (`rejected`), runs (`running`), or for some `seconds`."""
        if "seconds" in given:
            time.sleep(given["seconds"])
            return
        at = {"kind": "Pod", "namespace": given["namespace"], "name": given["pod"]}
        end = time.monotonic() + _SECONDS
        while not _is(given["until"], pod := self._api.call("GET", self.path(at))[1]):
            if time.monotonic() > end:
                raise RuntimeError(f"{given}: {json.dumps(pod.get('status'))}")
            time.sleep(0.3)

    def dump(self, about: Json) -> Json:
        """All objects."""
        items = []
        for path in _KINDS:
            code, reply = self._api.call("GET", f"/{path}")
            version = path.split("/", 1)[1].rpartition("/")[0]
            for item in (reply.get("items") or ()) if code == 200 else ():
                metadata = item["metadata"]
                if metadata.get("namespace", "").startswith("kube-"):
                    continue
                metadata.pop("managedFields", None)
                kind = str(reply["kind"]).removesuffix("List")
                items.append({"apiVersion": version, "kind": kind, **item})
        metadata = {"annotations": {"link": about["link"]}}
        return {"apiVersion": "v1", "kind": "List", "metadata": metadata, "items": items}


def _is(state: str, pod: Json) -> bool:
    if state == "bound":
        return bool((pod.get("spec") or {}).get("nodeName"))
    status = pod.get("status") or {}
    if state == "running":
        return bool(status.get("phase") == "Running")
    conditions = status.get("conditions") or ()
    return any(one["type"] == "PodScheduled" and one["status"] == "False" for one in conditions)


def record(name: str, *, fixed: bool = False) -> None:
    """Do the steps of one incident, and store what is there then; or do what `fixed` has as well, and store nothing."""
    about = yaml.safe_load((FOLDER / f"{name}.yaml").read_text("utf-8"))
    release, kubelets = about.get("release", "1.36"), about.get("kubelets", True)
    with control_plane(release, gates=about.get("gates", ""), kubelets=kubelets) as plane:
        for node, more in about["nodes"].items():
            plane.node(node, **(more or {}))
        stage = _Stage(plane)
        for step in about["steps"]:
            stage.do(step)
        for step in about["fixed"] if fixed else ():
            stage.do(step)
        dump = "" if fixed else json.dumps(stage.dump(about), indent=1)
    if fixed:
        return
    (FOLDER / f"{name}.json.gz").write_bytes(gzip.compress(dump.encode(), mtime=0))


def main() -> int:
    """Record the incidents that are named, or all that have no dump."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--fixed", action="store_true", help="do what `fixed` of each has, too")
    options = parser.parse_args()
    names = options.names or sorted(
        path.stem for path in FOLDER.glob("*.yaml") if not path.with_suffix(".json.gz").exists()
    )
    failed = 0
    for name in names:
        try:
            record(name, fixed=options.fixed)
            sys.stdout.write(f"{name}{': the fix works' if options.fixed else ''}\n")
            sys.stdout.flush()
        except (RuntimeError, RejectedError, NotReadyError) as error:
            failed += 1
            sys.stderr.write(f"{name}: {type(error).__name__}: {error}\n")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
