"""`dradsl why` on a cluster that a program plays: objects of operators are read if the answer needs them."""

from __future__ import annotations

import gzip
import json
import re
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.why.test_incidents import FOLDER, about
from tests.why.test_incidents import ask as ask_dump
from tests.why.test_live import ask, cluster

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["cluster"]

# What only a dump leaves open.
DOUBT = re.compile(
    r", or they were not dumped|the dump has no \w+ at all, perhaps they were not dumped; otherwise "
)
# Kinds that every cluster serves, and those that no object of an incident shows: kinds, whether namespaced.
OF_CLUSTERS = (
    "Node Namespace ResourceSlice DeviceClass DeviceTaintRule ClusterQueue ResourceFlavor Queue NodeClaim NodePool "
    "PriorityClass ClusterRole ClusterRoleBinding ClusterPolicy AdmissionCheck"
).split()
USUAL = {
    "v1": "Pod Node Namespace Event PersistentVolumeClaim ServiceAccount ConfigMap Secret",
    "apps/v1": "ReplicaSet Deployment StatefulSet DaemonSet",
    "batch/v1": "Job CronJob",
    "resource.k8s.io/v1": "ResourceClaim ResourceClaimTemplate ResourceSlice DeviceClass",
    "networking.k8s.io/v1": "NetworkPolicy",
}


def plural(kind: str) -> str:
    word = kind.lower()
    if word.endswith("y"):
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(("s", "ss")) else f"{word}s"


def serve(folder: Path, given: list[dict[str, Any]], more: dict[str, str] | None = None) -> None:
    """Play a cluster that has these objects, and serves their kinds, the usual ones and `more`."""
    kinds = {(version, kind) for version, each in USUAL.items() for kind in each.split()}
    kinds |= {(version, kind) for version, each in (more or {}).items() for kind in each.split()}
    # The version that the server prefers is that of the objects.
    own = {(one["apiVersion"].rpartition("/")[0], one["kind"]): one["apiVersion"] for one in given}
    kinds = {
        (own.pop((version.rpartition("/")[0], kind), version), kind) for version, kind in kinds
    }
    kinds |= {(version, kind) for (_, kind), version in own.items()}
    lines = []
    for version, kind in sorted(kinds):
        group = version.rpartition("/")[0]
        short = " po " if kind == "Pod" else " "
        lines.append(
            f"{plural(kind)}{short}{version} {str(kind not in OF_CLUSTERS).lower()} {kind}"
        )
        items = [one for one in given if (one["apiVersion"], one["kind"]) == (version, kind)]
        for one in items if kind not in OF_CLUSTERS else ():
            one["metadata"].setdefault("namespace", "default")
        whole = {"kind": f"{kind}List", "apiVersion": version, "items": items}
        name = f"{plural(kind)}.{group}" if group else plural(kind)
        (folder / f"{name}.json").write_text(json.dumps(whole))
    (folder / "served").write_text("\n".join(lines) + "\n")


def objects_of(name: str) -> list[dict[str, Any]]:
    """The objects of an incident."""
    given = about(name).get("objects")
    if given is None:
        found = json.loads(gzip.decompress((FOLDER / f"{name}.json.gz").read_bytes()))
        return list(found["items"])
    documents = [one for one in yaml.safe_load_all(given) if one]
    return [each for one in documents for each in one.get("items", [one])]


def requests(folder: Path) -> list[str]:
    """The lists that were asked for, without their pages."""
    lines = (folder / "calls").read_text().splitlines()
    paths = [line.rpartition(" ")[2] for line in lines if "--raw" in line]
    return [path.partition("?")[0] for path in paths if "continue=" not in path]


OPERATED = [
    path.stem
    for path in sorted(FOLDER.glob("*.yaml"))
    if not path.stem.startswith("e11-")
    and any(
        "." in str(one.get("apiVersion")).replace("k8s.io", "") or one["kind"] == "ServiceAccount"
        for one in objects_of(path.stem)
    )
]


@pytest.mark.parametrize("name", OPERATED)
def test_a_cluster_gets_the_answer_of_a_dump_of_it(cluster: Path, name: str) -> None:
    given = about(name)
    serve(cluster, objects_of(name))
    words = ["--output-format", "json"]
    dump = json.loads(DOUBT.sub("", ask_dump(name, *words).stdout))["answers"]
    words += ["--kube-version", given.get("release", "1.36")]
    words += ["--feature-gates", given["gates"]] if given.get("gates") else []
    live = json.loads(ask(cluster, given["target"], *words).stdout)["answers"]
    assert live == dump
