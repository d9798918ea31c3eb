"""`dradsl why` on a cluster that a program plays: objects of operators are read if the answer needs them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from dradsl.cli.cluster_objects import lists
from dradsl.cli.why import command
from tests.why.test_incidents import FOLDER, about
from tests.why.test_live import ask, cluster

__all__ = ["cluster"]

# Kinds that every cluster serves, and those that no object of an incident shows: kinds, whether namespaced.
OF_CLUSTERS = [
    "Node",
    "Namespace",
    "ResourceSlice",
    "DeviceClass",
    "DeviceTaintRule",
    "ClusterQueue",
    "ResourceFlavor",
    "Queue",
    "NodeClaim",
    "NodePool",
    "PriorityClass",
    "ClusterRole",
    "ClusterRoleBinding",
    "ClusterPolicy",
    "AdmissionCheck",
]
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


def told(folder: Path, name: str, *dump: str) -> Any:
    """The answers for an incident, of the cluster or of a dump."""
    given = about(name)
    words = [given["target"], *dump, "--output-format", "json"]
    words += ["--kube-version", given.get("release", "1.36")]
    words += ["--feature-gates", given["gates"]] if given.get("gates") else []
    if not dump:
        return json.loads(ask(folder, *words).stdout)["answers"]
    return json.loads(CliRunner().invoke(command, words, catch_exceptions=False).stdout)["answers"]


@pytest.mark.parametrize("name", OPERATED)
def test_a_cluster_gets_the_answer_of_a_dump_of_it(cluster: Path, name: str) -> None:
    given = objects_of(name)
    serve(cluster, given)
    # A dump in which every list of the usual kinds was read, as of a cluster.
    read = [kind for kinds in USUAL.values() for kind in kinds.split()]
    whole = [*given, *({"kind": "ListRead", "metadata": {"name": kind}} for kind in read)]
    (cluster / "dump.yaml").write_text(json.dumps({"kind": "List", "items": whole}))
    assert told(cluster, name) == told(cluster, name, str(cluster / "dump.yaml"))


PLAIN, KUEUE, DOMAIN = "y-t4-memory", "s-kueue-quota", "e8-nvidia-305"
MORE = {
    "kueue.x-k8s.io/v1beta2": "Workload LocalQueue ClusterQueue AdmissionCheck",
    "resource.nvidia.com/v1beta1": "ComputeDomain",
    "scheduling.volcano.sh/v1beta1": "PodGroup Queue",
    "karpenter.sh/v1": "NodeClaim NodePool",
    "nvidia.com/v1": "ClusterPolicy",
}


def test_what_cannot_matter_is_not_asked_for(cluster: Path) -> None:
    """Fourteen lists, the version and what is served: as many requests as without any operator."""
    serve(cluster, objects_of(PLAIN), MORE)
    told(cluster, PLAIN)
    assert len(requests(cluster)) == 14  # the version and 13 lists: DeviceTaintRules are not served
    assert not [path for path in requests(cluster) if any(group in path for group in MORE)]
    assert len((cluster / "calls").read_text().splitlines()) == 15


def test_needs_follow_from_the_pod(cluster: Path) -> None:
    serve(cluster, objects_of(KUEUE), MORE)
    told(cluster, KUEUE)
    kueue, place = "/apis/kueue.x-k8s.io/v1beta2", "/namespaces/default"
    found = [path for path in requests(cluster) if any(group in path for group in MORE)]
    assert sorted(found) == [
        f"{kueue}/admissionchecks",
        f"{kueue}/clusterqueues",
        f"{kueue}{place}/localqueues",
        f"{kueue}{place}/workloads",
    ]


def test_lists_that_may_not_be_read_are_named_kind_by_kind(cluster: Path) -> None:
    serve(cluster, objects_of(KUEUE), MORE)
    (cluster / "forbidden").write_text("clusterqueues\nworkloads default\n")
    result = ask(cluster, about(KUEUE)["target"])
    line = 'clusterqueues: User "me" may not list this: '
    assert f"not read: {line}" in result.stderr
    assert f"cannot be known: {line}" in result.stdout
    assert "kueue" in result.stdout
    assert "workloads:" not in result.stderr


def test_a_list_of_one_namespace_is_what_is_left(cluster: Path) -> None:
    serve(cluster, objects_of(DOMAIN), MORE)
    (cluster / "forbidden").write_text("computedomains default\n")
    result = ask(cluster, about(DOMAIN)["target"])
    assert "only read in namespace default: computedomains: " in result.stderr
    assert "ComputeDomain default/" in result.stdout


def test_kinds_that_are_not_served_are_not_asked_for(cluster: Path) -> None:
    given = [one for one in objects_of(KUEUE) if "kueue" not in one["apiVersion"]]
    serve(cluster, given)
    result = ask(cluster, about(KUEUE)["target"])
    assert "not read: workloads, localqueues, clusterqueues, " in result.stderr
    assert not [path for path in requests(cluster) if "kueue" in path]
    assert "cannot be known: workloads" not in result.stdout


def test_without_discovery_the_usual_lists_are_read(cluster: Path) -> None:
    serve(cluster, objects_of(KUEUE))
    (cluster / "served").unlink()
    result = ask(cluster, about(KUEUE)["target"])
    assert (
        "cannot be known: workloads, localqueues, clusterqueues, admissionchecks: error: unknown"
        in result.stdout
    )
    assert any(path.endswith("/pods") for path in requests(cluster))


def test_the_role_of_the_docs_allows_what_is_read() -> None:
    page = (Path(__file__).parents[2] / "docs" / "why.md").read_text("utf-8")
    role = yaml.safe_load(page.split("<!-- role -->")[1].split("```yaml\n")[1].split("```")[0])
    allowed = {
        f"{name}.{group}".rstrip(".")
        for rule in role["rules"]
        for group in rule["apiGroups"]
        for name in rule["resources"]
    }
    assert all(rule["verbs"] == ["get", "list"] for rule in role["rules"])
    table = lists()
    rows = [one for row in table["needed"] for one in row["read"]]
    assert allowed == {one.partition("@")[0] for one in (*table["usual"], *rows)}
