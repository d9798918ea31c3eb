"""Every recipe of `dradsl new`, for every kind, on a real control plane: accepted, and given devices.

    python -m tests.oracle.controlplane.recipes --release 1.37 --crds FOLDER

For each combination of `try` and `kinds` in the recipes: the slices of its recording are published on a node of its own, the
objects are created (`fieldValidation=Strict`), and the pods are scheduled. A recipe passes if every pod is bound, with as many
devices of each driver as `dradsl simulate` gives it. FOLDER holds the CustomResourceDefinitions of InferenceService,
RayCluster and ComputeDomain, one a file, from the repositories of KServe, KubeRay and NVIDIA's driver. Their controllers do not
run: this program creates the pods of the pod specs, and the template of the ComputeDomain's channel.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

import dradsl
from dradsl import Fleet
from dradsl.drivers.schema.catalogue import Catalogue
from dradsl.kube.pods.workloads import pod_specs
from dradsl.simulate.controllers.compute_domains import channel_template
from tests.oracle.controlplane.api import Json, RejectedError
from tests.oracle.controlplane.plane import control_plane
from tests.scaffolding.every_recipe import every_recipe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.oracle.controlplane.plane import ControlPlane
    from tests.scaffolding.every_recipe import Written

_SECONDS = 60
_NOT_RUN = ("InferenceService", "RayCluster")
_CLAIMS = "/apis/resource.k8s.io/v1/namespaces/{}/resourceclaims"


def classes() -> Iterator[Json]:
    """The classes that drivers install, by their schemas."""
    catalogue = Catalogue()
    for name in catalogue.names():
        schema = catalogue.get(name)
        for one in schema.classes if schema is not None else ():
            selectors = [{"cel": {"expression": each}} for each in one.selectors]
            kind = {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass"}
            yield {**kind, "metadata": {"name": one.name}, "spec": {"selectors": selectors}}


def publish(plane: ControlPlane, written: Written, node: str) -> list[str]:
    """The slices of the recordings on a new node; the paths of what was made."""
    plane.node(node)
    made = [f"/api/v1/nodes/{node}"]
    recorded = Fleet.from_file(*written.recordings).documents
    for number, one in enumerate(each for each in recorded if each["kind"] == "ResourceSlice"):
        spec = json.loads(json.dumps(one["spec"]))
        spec["nodeName"], spec["pool"]["name"] = node, f"{node}-{spec['pool']['name']}"[:200]
        metadata = {"name": f"{node}-{number}"}
        plane.api.create(
            {**one, "apiVersion": one["apiVersion"], "metadata": metadata, "spec": spec}
        )
        made.append(f"/apis/resource.k8s.io/v1/resourceslices/{metadata['name']}")
    return made


def create(plane: ControlPlane, written: Written, namespace: str) -> list[str]:
    """The objects, and what controllers that do not run would make of them; the paths of what was made."""
    made = []
    labels: Json = {}
    for one in written.objects:
        if one["kind"] == "Namespace":
            labels = one["metadata"]["labels"]
    plane.api.create(
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace, "labels": labels}}
    )
    for data in written.objects:
        if data["kind"] == "Namespace":
            continue
        path = plane.api.path_of({**data, "metadata": {}}, namespace)
        if path is None:
            raise RejectedError(f"{data['apiVersion']} {data['kind']} is not served")
        metadata = {k: v for k, v in data["metadata"].items() if k != "namespace"}
        code, reply = plane.api.call(
            "POST", f"{path}?fieldValidation=Strict", {**data, "metadata": metadata}
        )
        if code >= 400:
            raise RejectedError(f"{data['kind']}: {code} {reply.get('message')}")
        made.append(f"{path}/{metadata['name']}")
        template = channel_template(reply) if data["kind"] == "ComputeDomain" else None
        if template is not None:
            plane.api.create(
                {
                    **template,
                    "metadata": {"name": data["spec"]["channel"]["resourceClaimTemplate"]["name"]},
                },
                namespace,
            )
        for number, at in enumerate(pod_specs(data) if data["kind"] in _NOT_RUN else ()):
            pod = {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"name": f"pod-{number}"},
                "spec": at.spec,
            }
            plane.api.create(pod, namespace)
            made.append(f"/api/v1/namespaces/{namespace}/pods/pod-{number}")
    return made


def placed(plane: ControlPlane, namespace: str) -> tuple[bool, Counter[str], str]:
    """Whether every pod is bound within the time, the devices by driver, and why not."""
    end, why = time.monotonic() + _SECONDS, "no pod"
    while time.monotonic() < end:
        pods = plane.api.items(f"/api/v1/namespaces/{namespace}/pods")
        open_ = [pod for pod in pods if not pod["spec"].get("nodeName")]
        if pods and not open_:
            break
        for pod in open_:
            conditions = (pod.get("status") or {}).get("conditions") or [{}]
            why = str(conditions[0].get("message"))
        time.sleep(0.2)
    else:
        return False, Counter(), why
    results = [
        one
        for claim in plane.api.items(_CLAIMS.format(namespace))
        for one in ((claim.get("status") or {}).get("allocation") or {})
        .get("devices", {})
        .get("results", ())
    ]
    return True, Counter(str(one["driver"]) for one in results), ""


def judge(plane: ControlPlane, written: Written, number: int) -> str:
    """What is wrong with a recipe; "" if it is accepted, placed, and simulated alike."""
    node = f"node-{number}"
    made = publish(plane, written, node)
    try:
        made += create(plane, written, f"recipe-{number}")
        bound, devices, why = placed(plane, f"recipe-{number}")
    except RejectedError as error:
        return f"rejected: {error}"
    finally:
        for path in reversed(made):
            plane.api.call(
                "DELETE", path, {"propagationPolicy": "Background", "gracePeriodSeconds": 0}
            )
        plane.api.call("DELETE", f"/api/v1/namespaces/recipe-{number}")
    if not bound:
        return f"not bound: {why}"
    fleet = Fleet.from_file(*written.recordings)
    result = dradsl.simulate(
        written.objects, fleet, kube_version=plane.release, pods_for_claims=False, replicas=1
    )
    ours = Counter(device.driver for pod in result for device in pod.devices)
    return "" if ours == devices else f"devices: {dict(devices)}, simulated {dict(ours)}"


def main() -> int:
    """Print what is wrong and a count; 1 if anything is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--release", default="1.37")
    parser.add_argument("--crds", type=Path, help="a folder of CustomResourceDefinitions")
    parser.add_argument("--only", default="", help="names that begin so")
    args = parser.parse_args()
    good: Counter[str] = Counter()
    wrong = 0
    # Without kubelets no pod ends, and claims keep their devices.
    with control_plane(args.release, kubelets=False) as plane:
        for one in classes():
            plane.api.create(one)
        for path in sorted(args.crds.glob("*.yaml")) if args.crds else ():
            plane.api.create(yaml.load(path.read_text("utf-8"), yaml.CSafeLoader))
        time.sleep(5)  # until the new kinds are served
        for number, written in enumerate(every_recipe()):
            if written.name.startswith(args.only):
                said = judge(plane, written, number)
                good[written.kind] += not said
                wrong += bool(said)
                sys.stdout.write(
                    f"{'not ok' if said else 'ok'}: {written.name} {said}".rstrip() + "\n"
                )
                sys.stdout.flush()
    kinds = ", ".join(f"{kind} {count}" for kind, count in good.items())
    sys.stdout.write(f"{good.total()} of {good.total() + wrong}: {kinds}\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
