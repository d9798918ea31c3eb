"""`dradsl simulate` and `dradsl record` from the command line: options, exit codes, bad input."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from click.testing import CliRunner, Result

import dradsl
from dradsl.cli.record import command as record
from dradsl.cli.simulate import command as simulate

if TYPE_CHECKING:
    from pathlib import Path

Json = dict[str, Any]
DRIVER = "gpu.example.com"


def device(name: str, **more: Any) -> Json:
    return {"name": name, "attributes": {"model": {"string": "a"}}, **more}


def slice_of(node: str, *devices: Json, count: int = 1, **spec: Any) -> Json:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": f"{node}-slice"},
        "spec": {
            "driver": DRIVER,
            "nodeName": node,
            "pool": {"name": node, "generation": 1, "resourceSliceCount": count},
            "devices": list(devices),
            **spec,
        },
    }


def class_of(name: str = "gpu") -> Json:
    expression = f"device.driver == '{DRIVER}'"
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": name},
        "spec": {"selectors": [{"cel": {"expression": expression}}]},
    }


def template(**request: Any) -> Json:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "t"},
        "spec": {
            "spec": {
                "devices": {
                    "requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu", **request}}]
                }
            }
        },
    }


LABELS = {"app": "w"}


def workload(kind: str = "Pod", replicas: int | None = None, **spec: Any) -> Json:
    pod = {
        "containers": [{"name": "c", "image": "example"}],
        "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "t"}],
        **spec,
    }
    if kind == "Pod":
        return {"apiVersion": "v1", "kind": kind, "metadata": {"name": "w"}, "spec": pod}
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": "w"},
        "spec": {
            **({} if kind == "DaemonSet" else {"replicas": replicas}),
            "selector": {"matchLabels": LABELS},
            "template": {"metadata": {"labels": LABELS}, "spec": pod},
        },
    }


class Case:
    """Files for one call."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def file(self, name: str, *documents: Json) -> str:
        path = self.folder / name
        path.write_text(yaml.safe_dump_all(documents), encoding="utf-8")
        return str(path)

    def run(self, slices: list[Json], manifests: list[Json], *arguments: str) -> Result:
        return CliRunner().invoke(
            simulate,
            [
                "--slices",
                self.file("slices.yaml", *slices),
                self.file("pods.yaml", *manifests),
                *arguments,
            ],
            catch_exceptions=False,
        )

    def document(self, slices: list[Json], manifests: list[Json], *arguments: str) -> Any:
        result = self.run(slices, manifests, "--output-format", "json", *arguments)
        return json.loads(result.stdout)


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(tmp_path)


TWO = [slice_of("n1", device("d1"), device("d2")), slice_of("n2", device("d1"))]


def test_exit_codes(case: Case) -> None:
    manifests = [class_of(), template(), workload()]
    assert case.run(TWO, manifests).exit_code == 0
    assert case.run(TWO, [class_of(), template(count=3), workload()]).exit_code == 1
    assert case.run(TWO, manifests, "--kube-version", "1.20").exit_code == 2
    assert case.run(TWO, manifests, "--feature-gates", "Nope=true").exit_code == 2
    assert case.run(TWO, [class_of()]).exit_code == 2
    missing = CliRunner().invoke(simulate, ["--slices", "does-not-exist", "-"])
    assert missing.exit_code == 2
    assert "no such file" in missing.output


def test_what_releases_install_is_said_to_be_not_visible(case: Case) -> None:
    release = {
        "apiVersion": "helm.toolkit.fluxcd.io/v2",
        "kind": "HelmRelease",
        "metadata": {"name": "r"},
        "spec": {"values": {"name": "{{ .Release.Name }}"}},
    }
    result = case.run(TWO, [class_of(), template(), workload(), release, release])
    assert result.exit_code == 0
    assert "ignored: HelmRelease: what 2 of them install is not visible here" in result.stdout


def test_replicas_carry_the_state_along(case: Case) -> None:
    manifests = [class_of(), template(), workload("Deployment", 4)]
    document = case.document(TWO, manifests)
    placed = [(pod["name"], pod["node"]) for pod in document["pods"]]
    assert placed == [("w-0", "n1"), ("w-1", "n1"), ("w-2", "n2"), ("w-3", None)]
    devices = [
        pod["claims"][0]["allocation"]["devices"]["results"][0]["device"]
        for pod in document["pods"][:3]
    ]
    assert devices == ["d1", "d2", "d1"]
    assert len(case.document(TWO, manifests, "--replicas", "2")["pods"]) == 2


def test_fit_counts_and_says_what_stops_the_next(case: Case) -> None:
    manifests = [class_of(), template(), workload("Deployment", 1)]
    (fit,) = case.document(TWO, manifests, "--fit")["fits"]
    assert (fit["count"], fit["limitReached"]) == (3, False)
    assert fit["next"]["nearest"].endswith("is free")
    (limited,) = case.document(TWO, manifests, "--fit", "--replicas", "2")["fits"]
    assert (limited["count"], limited["limitReached"]) == (2, True)


def test_what_if_adds_nodes(case: Case) -> None:
    manifests = [class_of(), template(count=4), workload()]
    assert case.run(TWO, manifests).exit_code == 1
    more = case.file("more.yaml", slice_of("n9", *(device(f"d{i}") for i in range(4))))
    document = case.document(TWO, manifests, "--what-if", more)
    assert document["pods"][0]["node"] == "n9"


def test_node_orders(case: Case) -> None:
    manifests = [class_of(), template(), workload()]
    chosen = {
        order: case.document(TWO, manifests, "--config", f"node-order={order}")["pods"][0]["node"]
        for order in ("name", "pack", "spread", "score")
    }
    assert chosen == {"name": "n1", "pack": "n2", "spread": "n1", "score": "n1"}


def test_nodes_are_respected_where_they_are_known(case: Case) -> None:
    nodes = [
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": "n1", "labels": {"zone": "a"}},
            "spec": {"taints": [{"key": "k", "effect": "NoSchedule"}]},
            "status": {"allocatable": {"cpu": "4", "pods": "1"}},
        },
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": "n2", "labels": {"zone": "b"}},
            "status": {"allocatable": {"cpu": "4", "pods": "1"}},
        },
    ]
    slices = [*TWO, *nodes]

    def verdicts(**spec: Any) -> dict[str, str]:
        document = case.document(slices, [class_of(), template(), workload(**spec)])
        return {
            name: group.get("reason", group["verdict"])
            for group in document["pods"][0]["nodes"]
            for name in group["names"]
        }

    assert verdicts() == {"n1": "node taint k:NoSchedule is not tolerated", "n2": "fits"}
    tolerations = [{"key": "k", "operator": "Exists"}]
    assert verdicts(tolerations=tolerations) == {"n1": "fits", "n2": "fits"}
    assert verdicts(nodeSelector={"zone": "c"})["n2"].startswith("nodeSelector")
    assert verdicts(nodeName="n1")["n2"] == "the pod names node n1"
    containers = [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "8"}}}]
    assert verdicts(containers=containers)["n2"] == "too little cpu left"
    two = case.document(slices, [class_of(), template(), workload("Deployment", 2)])
    assert [pod["node"] for pod in two["pods"]] == ["n2", None]


def test_claims_of_the_cluster_hold_their_devices(case: Case) -> None:
    claim = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "old", "namespace": "team"},
        "spec": {},
        "status": {
            "allocation": {
                "devices": {
                    "results": [{"request": "r", "driver": DRIVER, "pool": "n1", "device": "d1"}]
                }
            }
        },
    }
    document = case.document([*TWO, claim], [class_of(), template(), workload()])
    result = document["pods"][0]["claims"][0]["allocation"]["devices"]["results"][0]
    assert (result["pool"], result["device"]) == ("n1", "d2")
    text = case.run([*TWO, claim], [class_of(), template(count=2), workload()]).stdout
    assert "held by team/old" in text


def test_a_claim_allocated_before_is_used_where_it_is(case: Case) -> None:
    shared = {**workload(), "metadata": {"name": "second"}}
    shared["spec"] = {
        "containers": [{"name": "c", "image": "i"}],
        "resourceClaims": [{"name": "gpu", "resourceClaimName": "one"}],
    }
    first = json.loads(json.dumps(shared)) | {"metadata": {"name": "first"}}
    claim = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "one"},
        "spec": template()["spec"]["spec"],
    }
    document = case.document(TWO, [class_of(), claim, first, shared])
    assert [pod["node"] for pod in document["pods"]] == ["n1", "n1"]
    assert document["pods"][1]["claims"] == []
    assert {
        "names": ["n2"],
        "verdict": "elsewhere",
        "reason": "resourceclaim not available on the node: one is allocated for other nodes",
    } in document["pods"][1]["nodes"]


def test_what_the_api_server_does_first_is_said(case: Case) -> None:
    manifests = [class_of(), template(capacity={"requests": {"memory": "1Gi"}}), workload()]
    notes = case.document(TWO, manifests, "--kube-version", "1.35")["notes"]
    assert [note["kind"] for note in notes] == ["dropped"]
    assert "DRAConsumableCapacity" in notes[0]["text"]
    rejected = case.run(TWO, [class_of(), template(count=-1), workload()])
    assert rejected.exit_code == 1
    assert "rejected: ResourceClaimTemplate t" in rejected.stdout
    assert "must be greater than zero" in rejected.stdout


@pytest.mark.parametrize(
    ("slices", "said"),
    [
        ([slice_of("n1", device("d1"), device("d1"))], "pool invalid: duplicate device name d1"),
        ([slice_of("n1", device("d1"), count=2)], "pool being updated (1 of 2 slices)"),
        (
            [
                slice_of(
                    "n1",
                    device(
                        "d1",
                        consumesCounters=[
                            {"counterSet": "none", "counters": {"c": {"value": "1"}}}
                        ],
                    ),
                )
            ],
            "pool invalid: counter set none not found",
        ),
    ],
)
def test_contradictory_slices_are_named(case: Case, slices: list[Json], said: str) -> None:
    result = case.run(slices, [class_of(), template(), workload()])
    assert result.exit_code == 1
    assert said in result.stdout


def test_slices_that_disagree_on_their_number_are_named(case: Case) -> None:
    other = slice_of("n1", device("d2"), count=3)
    other["metadata"] = {"name": "n1-slice-2"}
    listed = [slice_of("n1", device("d1"), count=2), other]
    result = case.run(listed, [class_of(), template(), workload()])
    assert result.exit_code == 0
    assert f"contradiction: pool {DRIVER}/n1: its slices announce 2 and 3 slices" in result.stdout


def test_a_claim_named_twice_keeps_the_pod_pending(case: Case) -> None:
    spec = template()["spec"]["spec"]
    claim = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "shared"},
        "spec": spec,
    }
    entries = [{"name": name, "resourceClaimName": "shared"} for name in ("a", "b")]
    manifests = [class_of(), claim, workload(resourceClaims=entries)]
    result = case.run(TWO, manifests)
    assert result.exit_code == 1
    assert "never binds, though node n1 has the devices" in result.stdout
    assert "entries a and b of its resourceClaims both name the claim shared" in result.stdout
    (pod,) = case.document(TWO, manifests)["pods"]
    assert (pod["answer"], pod["node"]) == ("never", "n1")
    assert "rejects the second reservation" in pod["neverBinds"]


def test_the_empty_claim_of_a_pod_that_never_binds_is_not_shown(case: Case) -> None:
    resource = "example.com/gpu"
    gpus = class_of()
    gpus["spec"]["extendedResourceName"] = resource
    node = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "n1"},
        "status": {"allocatable": {resource: "2"}},
    }
    container = {"name": "c", "image": "x", "resources": {"limits": {resource: "1"}}}
    manifests = [gpus, template(), workload(containers=[container])]
    (pod,) = case.document([node, TWO[0]], manifests)["pods"]
    assert "makes an empty claim that it cannot write" in pod["neverBinds"]
    assert [one["name"] for one in pod["claims"]] == ["gpu"]
    written = case.run([node, TWO[0]], manifests, "--output-format", "yaml").stdout
    assert [one["metadata"]["name"] for one in yaml.safe_load_all(written) if one] == ["w-gpu"]


@pytest.mark.parametrize(
    "spoil",
    [
        {"devices": "none"},
        {"devices": ["d1"]},
        {"devices": [{"name": "d1", "attributes": {"a": "text"}}]},
        {"devices": [{"name": "d1", "consumesCounters": [{"counters": {"c": {"value": "x"}}}]}]},
        {"pool": {"name": "p", "generation": "one"}},
        {"pool": "p"},
        {"sharedCounters": [{"name": "c", "counters": {"c": {"value": "1e9999999999"}}}]},
    ],
)
def test_malformed_slices_are_an_error_of_use(case: Case, spoil: Json) -> None:
    broken = slice_of("n1", device("d1"))
    broken["spec"] |= spoil
    result = case.run([broken], [class_of(), template(), workload()])
    assert result.exit_code == 2
    assert "slices.yaml: ResourceSlice n1-slice" in result.output


def test_enormous_amounts_are_no_trouble(case: Case) -> None:
    huge = device("d1", capacity={"memory": {"value": "9e999"}})
    result = case.run([slice_of("n1", huge)], [class_of(), template(), workload()])
    assert result.exit_code == 0
    asked = template(capacity={"requests": {"memory": "1e900"}})
    assert case.run([slice_of("n1", huge)], [class_of(), asked, workload()]).exit_code in (0, 1)


def test_a_search_without_end_ends(case: Case) -> None:
    devices = [device(f"d{i:02}", attributes={"group": {"int": i}}) for i in range(40)]
    requests = [
        {"name": f"r{i}", "exactly": {"deviceClassName": "gpu", "count": 2}} for i in range(12)
    ]
    asked = template()
    asked["spec"]["spec"]["devices"] = {
        "requests": requests,
        "constraints": [
            {"requests": ["r10", "r11"], "matchAttribute": f"{DRIVER}/group"},
        ],
    }
    result = case.run([slice_of("n1", *devices)], [class_of(), asked, workload()])
    assert result.exit_code == 1
    assert "may time out" in result.stdout


def test_recordings_may_be_lists_json_and_compressed(case: Case, tmp_path: Path) -> None:
    packed = tmp_path / "slices.json.gz"
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": TWO})
    packed.write_bytes(gzip.compress(text.encode()))
    pods = case.file("pods.yaml", class_of(), template(), workload())
    assert CliRunner().invoke(simulate, ["--slices", str(packed), pods]).exit_code == 0
    old = slice_of("n1", device("d1"))
    old["apiVersion"] = "resource.k8s.io/v1beta1"
    spec = old["spec"]
    spec["devices"] = [{"name": "d1", "basic": {"attributes": {"model": {"string": "a"}}}}]
    asked = template(
        selectors=[{"cel": {"expression": f"device.attributes['{DRIVER}'].model == 'a'"}}]
    )
    assert case.run([old], [class_of(), asked, workload()]).exit_code == 0


def test_record_keeps_what_counts_and_hides_names(tmp_path: Path) -> None:
    claim = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "secret-project", "namespace": "team", "uid": "x"},
        "spec": {},
        "status": {
            "allocation": {
                "devices": {
                    "results": [
                        {"request": "r", "driver": DRIVER, "pool": "host-7", "device": "d1"}
                    ]
                },
                "nodeSelector": {
                    "nodeSelectorTerms": [
                        {
                            "matchFields": [
                                {"key": "metadata.name", "operator": "In", "values": ["host-7"]}
                            ]
                        }
                    ]
                },
            }
        },
    }
    uuid = "GPU-0f3c2a10-9d7e-4f6b-8a55-0123456789ab"
    named = device("d1")
    named["attributes"]["uuid"] = {"string": uuid}
    source = tmp_path / "all.json"
    items = [slice_of("host-7", named), claim, {"kind": "Secret", "apiVersion": "v1"}]
    items[0]["metadata"]["managedFields"] = [{"manager": "x"}]
    source.write_text(json.dumps({"kind": "List", "items": items}), encoding="utf-8")
    result = CliRunner().invoke(record, [str(source)])
    assert result.exit_code == 0
    for word in ("host-7", "secret-project", "team", uuid, "managedFields", "Secret"):
        assert word not in result.stdout
    kept = json.loads(result.stdout)["items"]
    assert [one["kind"] for one in kept] == ["ResourceSlice", "ResourceClaim"]
    allocation = kept[1]["status"]["allocation"]
    assert allocation["devices"]["results"][0]["pool"] == kept[0]["spec"]["pool"]["name"]
    target = tmp_path / "out.json.gz"
    again = CliRunner().invoke(record, [str(source), "-o", str(target), "--keep", "nodes"])
    assert again.exit_code == 0
    assert "host-7" in gzip.decompress(target.read_bytes()).decode()


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("uuid", "GPU-0f3c2a10-9d7e-4f6b-8a55-0123456789ab", "GPU-id-000001"),
        ("uuid", "SN77 0f3c2a10-9d7e-4f6b-8a55-0123456789ab", "id-000001"),
        ("uuid", "node1-0", "id-000001"),
        ("parent", "on 0f3c2a10-9d7e-4f6b-8a55-0123456789ab", "on id-000001"),
        ("deviceID", "0x74a1", "0x74a1"),
        ("example.com/pfDeviceID", "101e", "101e"),
        ("deviceID", "4711-0815", "id-000001"),
        ("serial", "101e", "id-000001"),
    ],
)
def test_record_keeps_prefixes_and_models(name: str, text: str, told: str, tmp_path: Path) -> None:
    """What selectors and schemas ask for stays; what names one device does not."""
    one = device("d1")
    one["attributes"][name] = {"string": text}
    source = tmp_path / "slices.json"
    source.write_text(json.dumps(slice_of("host-7", one)), encoding="utf-8")
    result = CliRunner().invoke(record, [str(source)])
    (kept,) = json.loads(result.stdout)["items"]
    assert kept["spec"]["devices"][0]["attributes"][name] == {"string": told}


def test_record_needs_slices(tmp_path: Path) -> None:
    empty = tmp_path / "empty.yaml"
    empty.write_text("kind: ConfigMap\n", encoding="utf-8")
    assert CliRunner().invoke(record, [str(empty)]).exit_code == 2
    assert CliRunner().invoke(record, []).exit_code == 2
    no_kubectl = CliRunner().invoke(
        record, ["--from-cluster"], env={"DRADSL_KUBECTL": "no-such-kubectl"}
    )
    assert no_kubectl.exit_code == 2
    assert "no-such-kubectl" in no_kubectl.output


def test_record_asks_kubectl(tmp_path: Path) -> None:
    answer = tmp_path / "answer.json"
    answer.write_text(json.dumps({"kind": "List", "items": TWO}), encoding="utf-8")
    fake = tmp_path / "kubectl"
    fake.write_text(
        "#!/bin/sh\n"
        f'case "$3" in */resourceslices?*) cat {answer};; *) echo no >&2; exit 1;; esac\n',
        encoding="utf-8",
    )
    fake.chmod(0o755)
    result = CliRunner().invoke(record, ["--from-cluster"], env={"DRADSL_KUBECTL": str(fake)})
    assert result.exit_code == 0, result.output
    assert '"ResourceSlice"' in result.stdout


HELM = "{{- if .Values.on }}\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: '{{ .Release.Name }}'}\n{{- end }}\n"
BROKEN_YAML = "a: [\n"
BROKEN_POD = "apiVersion: v1\nkind: Pod\nspec: {resourceClaims: [\n"


@pytest.mark.parametrize(
    ("text", "said"), [(HELM, "a template, not read"), (BROKEN_YAML, "broken YAML")]
)
def test_files_of_a_folder_that_are_none_of_the_run(
    text: str, said: str, case: Case, tmp_path: Path
) -> None:
    slices = case.file("slices.yaml", *TWO)
    folder = tmp_path / "tree"
    folder.mkdir()
    other = folder / "other.yaml"
    other.write_text(text, encoding="utf-8")
    pods = folder / "pods.yaml"
    pods.write_text(yaml.safe_dump_all([class_of(), template(), workload()]), encoding="utf-8")
    found = CliRunner().invoke(simulate, [str(folder), "--slices", slices])
    assert found.exit_code == 0, found.output
    assert f"ignored: {other}: {said}" in found.stdout
    alone = CliRunner().invoke(simulate, [str(pods), "--slices", slices])
    rest = [line for line in found.stdout.splitlines() if not line.startswith("ignored: ")]
    assert rest == alone.stdout.splitlines()
    (folder / "second.yaml").write_text(text, encoding="utf-8")
    both = CliRunner().invoke(simulate, [str(folder), "--slices", slices])
    lines = [line for line in both.stdout.splitlines() if line.startswith("ignored: ")]
    assert len(lines) == 1
    assert lines[0].startswith(f"ignored: 2 files ({other}, {folder / 'second.yaml'}): {said}")
    python = dradsl.simulate(folder, dradsl.Fleet.from_file(slices), pods_for_claims=False)
    assert python.fits
    assert [note for note in python.notes if said in note] == [lines[0].removeprefix("ignored: ")]
    named = CliRunner().invoke(simulate, [str(other), str(pods), "--slices", slices])
    assert named.exit_code == 2
    assert f"{other}: " in named.stderr
    with pytest.raises(ValueError, match=r"other\.yaml"):
        dradsl.simulate([other, pods], dradsl.Fleet.from_file(slices))
    other.write_text(BROKEN_POD, encoding="utf-8")
    broken = CliRunner().invoke(simulate, [str(folder), "--slices", slices])
    assert broken.exit_code == 2
    assert f"{other}: line 4: " in broken.stderr
