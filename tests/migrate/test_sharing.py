"""Devices that pods share: each answer to the question, and what it writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from dradsl.cli.migrate import command
from dradsl.migrate.planning.answers import Answers
from dradsl.migrate.result import Migration, Outcome
from dradsl.migrate.run import Options, migrate
from dradsl.text.documents import load
from dradsl.tree.inputs.sources import SourceText
from tests.migrate.runs import data_of, only, run, with_gpu

if TYPE_CHECKING:
    from pathlib import Path


def several(files: dict[str, str], answers: dict[str, object], **options: Any) -> Migration:
    """The migration of several files."""
    sources = [SourceText(name, load(text.encode())) for name, text in files.items()]
    return migrate(sources, Options(answers=Answers(answers), **options))


def request_of(obj: Any) -> dict[str, Any]:
    """The one request of a claim or claim template."""
    spec = obj["spec"]["spec"] if obj["kind"] == "ResourceClaimTemplate" else obj["spec"]
    (request,) = spec["devices"]["requests"]
    found: dict[str, Any] = request["exactly"]
    return found


def test_one_claim_is_named_by_all_pods_and_written_once() -> None:
    files = {
        "a.yaml": with_gpu(resource="gpu.intel.com/i915"),
        "b.yaml": with_gpu(resource="gpu.intel.com/i915").replace("name: a}", "name: b}"),
    }
    migration = several(files, {"sharing": "shared-claim"})
    assert migration.faults == ()
    (claim,) = [obj for file in migration.files for obj in file.added]
    assert claim["kind"] == "ResourceClaim"
    assert request_of(claim) == {"deviceClassName": "gpu.intel.com"}
    for file in migration.files:
        (made,) = data_of(file.text)
        (entry,) = made["spec"]["resourceClaims"]
        assert entry == {"name": "devices", "resourceClaimName": claim["metadata"]["name"]}
        (item,) = file.items
        assert any("run on its node" in note for note in item.notes)


def test_pods_of_other_namespaces_have_a_claim_of_their_own() -> None:
    text = with_gpu().replace("{name: a}", "{name: a, namespace: one}")
    files = {"a.yaml": text, "b.yaml": text.replace("one", "two")}
    migration = several(files, {"sharing": "shared-claim", "claim-name": "gpu"})
    found = [obj["metadata"] for file in migration.files for obj in file.added]
    assert found == [{"name": "gpu", "namespace": "one"}, {"name": "gpu", "namespace": "two"}]


def test_charts_whose_namespaces_are_not_visible_have_claims_of_their_own() -> None:
    """One claim would be in the namespace of one chart; one name for two would not install in one namespace."""
    values = "controllers: {m: {containers: {a: {resources: {limits: {nvidia.com/gpu: 1}}}}}}\n"
    files = {"apps/one/values.yaml": values, "apps/two/values.yaml": values}
    migration = several(files, {"sharing": "shared-claim"})
    names = [obj["metadata"]["name"] for file in migration.files for obj in file.added]
    assert [name.rpartition("-")[0] for name in names] == ["shared-one-gpu", "shared-two-gpu"]
    for file, name in zip(migration.files, names, strict=True):
        assert f"resourceClaimName: {name}" in file.text
        assert any("other folders get a claim of their own" in each for each in file.items[0].notes)
    release = (
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: NAME}\nspec:\n"
        "  destination: {namespace: SPACE}\n  source: {repoURL: x, path: apps/NAME}\n"
    )
    for spaces, ends in (
        (("ml", "ml"), ["shared-gpu"]),
        (("ml", "ai"), ["shared-gpu", "shared-gpu"]),
        (("ml", ""), ["shared-gpu", "shared-two-gpu"]),
    ):
        argo = {
            f"argo/{name}.yaml": release.replace("NAME", name).replace("SPACE", space)
            for name, space in zip(("one", "two"), spaces, strict=True)
        }
        shown = several({**files, **argo}, {"sharing": "shared-claim"})
        made = [obj["metadata"]["name"] for file in shown.files for obj in file.added]
        assert [name.rpartition("-")[0] for name in made] == ends
    named = several(files, {"sharing": "shared-claim", "claim-name": "gpu"})
    assert [obj["metadata"]["name"] for file in named.files for obj in file.added] == ["gpu"]
    assert any("must all be in the namespace" in note for note in named.files[1].items[0].notes)
    alike = {f"apps/{name}/prod/settings.yaml": values for name in ("one", "two")}
    apart = several(alike, {"sharing": "shared-claim"})
    assert len({obj["metadata"]["name"] for file in apart.files for obj in file.added}) == 2


def test_a_claim_of_the_run_is_named_and_not_written_again() -> None:
    claim = (
        "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: shared-dgpu}\n"
        "spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.amd.com}}]}}\n"
    )
    answers = {"sharing": "shared-claim", "claim-name": "shared-dgpu"}
    migration = run(with_gpu(resource="amd.com/gpu") + claim, answers=answers)
    assert migration.files[0].added == ()
    assert migration.faults == ()
    assert "resourceClaimName: shared-dgpu" in migration.files[0].text
    other = run(with_gpu(resource="nvidia.com/gpu") + claim, answers=answers)
    assert any("choose another name" in fault for fault in other.faults)


def test_one_name_for_claims_of_different_content_is_a_fault() -> None:
    files = {"a.yaml": with_gpu(), "b.yaml": with_gpu(resource="amd.com/gpu")}
    migration = several(files, {"sharing": "shared-claim", "claim-name": "gpu"})
    assert any("other devices than in a.yaml" in fault for fault in migration.faults)


def test_containers_of_a_pod_refer_to_one_request_of_the_shared_claim() -> None:
    more = with_gpu().replace(
        "  - name: main",
        "  - name: side\n    image: i\n    resources: {limits: {nvidia.com/gpu: 1}}\n  - name: main",
    )
    migration = run(more, answers={"sharing": "shared-claim"})
    (claim,) = migration.files[0].added
    assert request_of(claim) == {"deviceClassName": "gpu.nvidia.com"}
    (made,) = data_of(migration.files[0].text)
    entries = [each["resources"]["claims"] for each in made["spec"]["containers"]]
    assert entries == [[{"name": "devices", "request": "gpu"}]] * 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (with_gpu().replace("kind: Pod", "kind: DaemonSet"), "DaemonSet"),
        (with_gpu() + "        habana.ai/gaudi: 1\n", "besides"),
        (with_gpu("2"), "no more than one"),
    ],
)
def test_what_cannot_share_a_claim_is_rejected(text: str, words: str) -> None:
    if "DaemonSet" in text:
        head, spec = text.split("spec:\n", 1)
        inner = "".join(f"    {line}\n" for line in spec.splitlines())
        head = head.replace("apiVersion: v1", "apiVersion: apps/v1")
        text = f"{head}spec:\n  selector: {{}}\n  template:\n    spec:\n{inner}"
    migration = run(text, answers={"sharing": "shared-claim"})
    assert {item.outcome for item in migration.items()} == {Outcome.REJECTED}
    assert any(words in item.reason for item in migration.items())
    assert not migration.changed


def test_unlimited_shares_ask_for_no_capacity() -> None:
    migration = run(
        with_gpu(resource="nvidia.com/gpu.shared"), answers={"sharing": "unlimited-shares"}
    )
    template = data_of(migration.files[0].text)[1]
    assert request_of(template) == {"deviceClassName": "gpu.nvidia.com"}
    assert "consumableShares unlimited" in str(only(migration).notes)


def test_shares_are_nvidia_s() -> None:
    migration = run(
        with_gpu(resource="gpu.intel.com/i915"), answers={"sharing": "consumable-shares"}
    )
    assert only(migration).outcome is Outcome.REJECTED
    assert only(migration).question == "sharing"


def test_admin_access_names_its_risks() -> None:
    migration = run(with_gpu(resource="gpu.intel.com/i915"), answers={"sharing": "admin-access"})
    template = data_of(migration.files[0].text)[1]
    assert request_of(template) == {
        "deviceClassName": "gpu.intel.com",
        "allocationMode": "All",
        "adminAccess": True,
    }
    notes = " ".join(only(migration).notes)
    assert 'resource.kubernetes.io/admin-access: "true"' in notes
    assert "also those that others hold" in notes


def test_monitoring_resources_are_admin_access() -> None:
    migration = run(
        with_gpu(resource="gpu.intel.com/i915_monitoring"), answers={"sharing": "admin-access"}
    )
    assert only(migration).outcome is Outcome.TRANSLATED


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        ("exclusive", {}),
        ("consumable-shares", {"capacity": {"requests": {"shares": "1"}}}),
    ],
)
def test_shared_mig_devices_keep_their_profile(answer: str, wanted: dict[str, Any]) -> None:
    migration = run(with_gpu(resource="nvidia.com/mig-3g.20gb.shared"), answers={"sharing": answer})
    expression = 'device.attributes["gpu.nvidia.com"].profile == "3g.20gb"'
    assert request_of(data_of(migration.files[0].text)[1]) == {
        "deviceClassName": "mig.nvidia.com",
        "selectors": [{"cel": {"expression": expression}}],
        **wanted,
    }


def test_a_class_that_the_user_names() -> None:
    text = with_gpu(resource="squat.ai/dri")
    assert only(run(text)).outcome is Outcome.LEFT
    answers: dict[str, object] = {"class": {"squat.ai/dri": "gpu.amd.com"}}
    migration = run(text, answers=answers)
    assert only(migration).outcome is Outcome.TRANSLATED
    assert "driver gpu.amd.com" in only(migration).reason
    assert request_of(data_of(migration.files[0].text)[1]) == {"deviceClassName": "gpu.amd.com"}
    shared = run(text, answers={**answers, "sharing": "shared-claim", "claim-name": "shared-dgpu"})
    (claim,) = shared.files[0].added
    assert claim["metadata"] == {"name": "shared-dgpu"}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("squat.ai/dri", "expected RESOURCE=CLASS"),
        ("dri=gpu.amd.com", "not the name of an extended resource"),
        ("squat.ai/dri=GPU amd", "not a legal name"),
    ],
)
def test_a_class_that_is_none(tmp_path: Path, given: str, words: str) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(with_gpu(resource="squat.ai/dri"))
    result = CliRunner().invoke(command, ["--scan", "--set", f"class={given}", str(file)])
    assert result.exit_code == 2
    assert words in result.output


def test_classes_in_an_answers_file(tmp_path: Path) -> None:
    file, answers = tmp_path / "a.yaml", tmp_path / "answers.yaml"
    file.write_text(with_gpu(resource="squat.ai/dri"))
    answers.write_text(
        "version: 1\nanswers:\n  class: {squat.ai/dri: gpu.amd.com}\nworkloads:\n"
        "- workload: Pod *\n  sharing: shared-claim\n  claim-name: shared-dgpu\n"
    )
    call = ["--write", "--answers", str(answers), str(file)]
    result = CliRunner().invoke(command, call)
    assert result.exit_code == 0, result.output
    claim = (tmp_path / "a.claims.yaml").read_text()
    assert "kind: ResourceClaim\n" in claim
    assert "resourceClaimName: shared-dgpu" in file.read_text()
    answers.write_text("version: 1\nanswers: {claim-name: A_B}\n")
    assert CliRunner().invoke(command, call).exit_code == 2


def overlay(folder: Path, name: str, namespace: str) -> None:
    """A folder with a pod and a kustomization that gives it a namespace."""
    (folder / name).mkdir()
    pod = with_gpu(resource="gpu.intel.com/i915").replace("name: a}", f"name: {name}}}")
    (folder / name / "pod.yaml").write_text(pod)
    text = f"namespace: {namespace}\nresources:\n- ./pod.yaml # the pod\n"
    (folder / name / "kustomization.yaml").write_text(text)


def shared(*arguments: str) -> Any:
    call = ["--write", "--set", "sharing=shared-claim", "--set", "claim-name=gpu", *arguments]
    return CliRunner().invoke(command, call, catch_exceptions=False)


def test_the_claim_is_listed_where_the_workload_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, namespace in (("a", "one"), ("b", "one"), ("c", "two")):
        overlay(tmp_path, name, namespace)
    result = shared(".")
    assert result.exit_code == 0, result.output
    claims = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("claims.yaml"))
    assert claims == ["a/claims.yaml", "c/claims.yaml"]  # one for each namespace
    wanted = "namespace: one\nresources:\n- ./pod.yaml # the pod\n- claims.yaml\n"
    assert (tmp_path / "a" / "kustomization.yaml").read_text() == wanted
    assert "claims" not in (tmp_path / "b" / "kustomization.yaml").read_text()
    assert shared(".").exit_code == 3  # nothing is left to do
    assert (tmp_path / "a" / "kustomization.yaml").read_text() == wanted


def test_a_kustomization_that_cannot_list_the_claim_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    overlay(tmp_path, "a", "one")
    result = shared("a/pod.yaml")
    assert result.exit_code == 1
    assert "the kustomization of a is not among the files of the run" in result.output


def test_answers_for_what_is_not_there_are_told(tmp_path: Path) -> None:
    file, answers = tmp_path / "a.yaml", tmp_path / "answers.yaml"
    file.write_text(with_gpu())
    answers.write_text(
        "version: 1\nanswers: {class: {squat.ai/dri: gpu.amd.com}}\nworkloads:\n"
        "- {workload: Pod a, sharing: exclusive}\n- {workload: Pod gone, sharing: exclusive}\n"
    )
    result = CliRunner().invoke(command, ["--scan", "--answers", str(answers), str(file)])
    assert "class squat.ai/dri: nothing here asks for it" in result.output
    assert "answers for 'Pod gone': there is no such workload" in result.output
    assert "'Pod a'" not in result.output


def test_a_taint_for_shared_gpus_is_asked_about() -> None:
    taint = (
        "  tolerations:\n  - {key: nvidia.com/gpu, value: Tesla-T4-SHARED, effect: NoSchedule}\n"
    )
    item = only(run(with_gpu(rest=taint)))
    assert item.question == "sharing"
    assert "Tesla-T4-SHARED" in item.reason
