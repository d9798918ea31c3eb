"""Kustomize: patches are rewritten as patches if the builds prove it; what fails is rejected, with another way."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from dradsl.cli.migrate import command
from dradsl.migrate.run import Options, migrate
from dradsl.text.documents import load
from dradsl.tree.inputs.sources import SourceText

if TYPE_CHECKING:
    from pathlib import Path

GPU = "nvidia.com/gpu"
HEAD = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: b}\n"
BASE = (
    f"{HEAD}spec:\n  selector: {{matchLabels: {{a: b}}}}\n  template:\n    metadata: {{labels: {{a: b}}}}\n"
    "    spec:\n      containers:\n      - name: b\n        image: x\n        resources:\n"
    f"          limits:\n            {GPU}: 1\n"
)
PATCH = (
    f"{HEAD}spec:\n  template:\n    spec:\n      containers:\n      - name: b\n        resources:\n"
    f"          limits:\n            {GPU}: 2\n"
)
POINTER = "/spec/template/spec/containers/0/resources/limits/nvidia.com~1gpu"
INLINE = (
    "resources: [../base]\npatches:\n- target: {kind: Deployment, name: b}\n  patch: |-\n"
    f"    - op: add\n      path: {POINTER}\n      value: 4\n"
)
ROUTE = "kustomize build overlay | dradsl migrate --set form=kustomize --output overlay-claims -"
KUSTOMIZE = shutil.which("kustomize")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def tree(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def call(*arguments: str, text: str | None = None) -> Result:
    return CliRunner().invoke(command, arguments, input=text, catch_exceptions=False)


def uses(*paths: str) -> dict[str, Any]:
    """The report of a scan: for each use the file and place, what became of it, and why."""
    result = call("--scan", "--output-format", "json", *paths)
    files = json.loads(result.stdout)["files"]
    found = {
        f"{file['path']}:{use['line']}:{use['column']}": use
        for file in files
        for use in file["uses"]
    }
    rejected = any(u["outcome"] == "rejected" or u["doubt"] for u in found.values())
    mentions = any(file["notes"] for file in files)
    assert result.exit_code == (int(rejected) if found or mentions else 3)
    return found


def outcomes(*paths: str) -> dict[str, str]:
    return {place: use["outcome"] for place, use in uses(*paths).items()}


def built(*kustomizations: str) -> dict[str, str]:
    """A base with its kustomization, and the overlay's."""
    return {
        "base/deploy.yaml": BASE,
        "base/kustomization.yaml": "resources: [deploy.yaml]\n",
        "overlay/kustomization.yaml": "".join(kustomizations),
    }


BY_PATH = "resources: [../base]\npatches:\n- path: gpus.yaml\n"


def test_a_patch_and_the_base_that_it_meets(folder: Path) -> None:
    files = {**built(BY_PATH), "overlay/gpus.yaml": PATCH}
    tree(folder, files)
    assert outcomes(".") == {
        "base/deploy.yaml:14:13": "translated",
        "overlay/gpus.yaml:11:13": "translated",
    }
    result = call("--write", ".")
    assert (result.exit_code, "2 kustomizations built" in result.stdout) == (0, True)
    assert GPU not in (folder / "overlay/gpus.yaml").read_text()
    assert (folder / "overlay/kustomization.yaml").read_text() == BY_PATH.replace(
        "[../base]", "[../base, claims.yaml]"
    )
    assert "count: 2" in (folder / "overlay/claims.yaml").read_text()
    assert call("--write", ".").exit_code == 3


@pytest.mark.parametrize("path", ["overlay/gpus.yaml", "base", "base/deploy.yaml"])
def test_a_part_of_the_tree_is_judged_by_what_stands_around_it(folder: Path, path: str) -> None:
    tree(folder, {**built(BY_PATH), "overlay/gpus.yaml": PATCH})
    (use,) = uses(path).values()
    assert use["outcome"] == "rejected"
    assert use["routes"][0].startswith(ROUTE)


def test_an_overlay_alone_takes_the_request_of_its_base_away(folder: Path) -> None:
    tree(folder, {**built(BY_PATH), "overlay/gpus.yaml": PATCH})
    assert call("--write", "overlay").exit_code == 0
    assert f"{GPU}: null" in (folder / "overlay/gpus.yaml").read_text()
    assert (folder / "base/deploy.yaml").read_text() == BASE
    # The base comes later: both sides are built again.
    assert outcomes("base") == {"base/deploy.yaml:14:13": "translated"}


def test_the_route_is_written_for_the_working_directory(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree(folder, {**built(BY_PATH), "overlay/gpus.yaml": PATCH})
    monkeypatch.chdir(folder / "overlay")
    (use,) = uses("gpus.yaml").values()
    assert (
        "kustomize build . | dradsl migrate --set form=kustomize --output ../overlay-claims -"
        in use["routes"][0]
    )


def test_the_repository_is_the_tree(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree(folder, {**built(BY_PATH), "overlay/gpus.yaml": PATCH, ".git/HEAD": ""})
    monkeypatch.chdir(folder / "base")
    assert outcomes(".") == {"deploy.yaml:14:13": "rejected"}


def test_without_a_repository_the_working_directory_is_the_tree(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree(folder, {**built(BY_PATH), "overlay/gpus.yaml": PATCH})
    monkeypatch.chdir(folder / "base")
    assert outcomes(".") == {"deploy.yaml:14:13": "translated"}


MERGE = PATCH.replace("\n", "\n    ").rstrip()
OPERATION = f'[{{"op": "add", "path": "{POINTER}", "value": 4}}]'


@pytest.mark.parametrize(
    "patches",
    [
        "patches:\n- path: p.yaml\n",
        "patchesStrategicMerge: [p.yaml]\n",
        "patchesJson6902:\n- target: {kind: Deployment, name: b, version: v1, group: apps}\n  path: p.yaml\n",
    ],
)
@pytest.mark.parametrize(
    ("patch", "places"),
    [
        (PATCH, ["overlay/p.yaml:11:13"]),
        (f"- op: replace\n  path: {POINTER}\n  value: 2\n", ["overlay/p.yaml:2:59"]),
        (
            "- op: add\n  path: /spec/template/spec/containers/0/resources\n"
            f"  value: {{limits: {{{GPU}: 2}}}}\n",
            ["overlay/p.yaml:3:20"],
        ),
        (
            f"{PATCH}---\n{PATCH.replace('name: b}', 'name: c}', 1)}",
            ["overlay/p.yaml:11:13", "overlay/p.yaml:23:13"],
        ),
        (
            f"{HEAD}spec: {{template: {{spec: {{containers: [{{$patch: replace}}, {{name: b, resources: {{limits: {{{GPU}: null}}}}}}]}}}}}}\n",
            ["overlay/p.yaml:4:89"],
        ),
    ],
    ids=["merge", "operation", "operation-with-a-mapping", "two-documents", "null"],
)
def test_files_of_patches(
    folder: Path, patches: str, patch: str, places: list[str], request: pytest.FixtureRequest
) -> None:
    tree(folder, {**built("resources: [../base]\n", patches), "overlay/p.yaml": patch})
    # Kustomize takes an operation for what has a target, and only objects for what has none.
    kind = request.node.callspec.id.partition("-patches")[0]
    fits = {"merge": "Json6902" not in patches, "null": "Json6902" not in patches}
    fits["two-documents"] = False
    outcome = "translated" if fits.get(kind, "target" in patches) else "rejected"
    assert outcomes(".") == dict.fromkeys(["base/deploy.yaml:14:13", *places], outcome)
    alone = "left" if kind == "null" and outcome == "translated" else "rejected"
    assert outcomes("overlay/p.yaml") == dict.fromkeys(places, alone)
    if outcome == "translated":
        assert call("--write", ".").exit_code == 0
        assert {*outcomes(".").values()} == ({"left"} if kind == "null" else set())


@pytest.mark.parametrize(
    ("patches", "place"),
    [
        (f"patches:\n- patch: |-\n    {MERGE}\n", "14:17"),
        (f"patches:\n- target: {{kind: Deployment}}\n  patch: '{OPERATION}'\n", "4:85"),
        (f"patchesStrategicMerge:\n- |-\n    {MERGE}\n", "14:17"),
        (
            "patchesJson6902:\n- target: {kind: Deployment, name: b, version: v1, group: apps}\n  patch: |-\n"
            f"    # {GPU}: 7\n    {OPERATION}\n",
            "6:79",
        ),
        (
            "replacements:\n- source: {kind: ConfigMap, name: c, fieldPath: data.n}\n  targets:\n"
            "  - select: {kind: Deployment}\n    fieldPaths:\n"
            f"    - spec.template.spec.containers.0.resources.limits.[{GPU}]\n",
            "7:57",
        ),
    ],
    ids=["merge", "operations", "strategic-merge", "json-6902", "replacements"],
)
def test_patches_within_a_kustomization(folder: Path, patches: str, place: str) -> None:
    tree(folder, built("resources: [../base]\n", patches))
    found = uses(".")
    outcome = "rejected" if "replacements" in patches else "translated"
    assert {p: u["outcome"] for p, u in found.items()} == {
        "base/deploy.yaml:14:13": outcome,
        f"overlay/kustomization.yaml:{place}": outcome,
    }
    if outcome == "rejected":
        assert found[f"overlay/kustomization.yaml:{place}"]["routes"][0].startswith(ROUTE)


def test_values_of_a_chart_that_kustomize_renders(folder: Path) -> None:
    """Fault 2: they are values like any other, and the new objects are resources."""
    chart = (
        "helmCharts:\n- name: ollama\n  releaseName: o\n  namespace: ml\n  valuesInline:\n"
        "    ollama: {gpu: {enabled: true, type: nvidia, number: 1}}  # one\n"
    )
    tree(folder, {"overlay/kustomization.yaml": chart})
    (use,) = uses(".").values()
    assert (use["outcome"], use["doubt"]) == ("translated", "by recipe, not rendered")
    assert call("--write", ".").exit_code == 1
    text = (folder / "overlay/kustomization.yaml").read_text()
    assert "draEnabled: true" in text
    assert "# one" in text
    assert "resources:\n- claims.yaml\n" in text
    assert "namespace: ml\n" in (folder / "overlay/claims.yaml").read_text()
    tree(folder, {"overlay/kustomization.yaml": f"{chart}namePrefix: p-\n"})
    (use,) = uses(".").values()
    assert "a build renames the claim template" in use["reason"]
    tree(
        folder, {"overlay/kustomization.yaml": f"{chart}    resources: {{limits: {{{GPU}: 1}}}}\n"}
    )
    rejected = [each for each in uses(".").values() if each["outcome"] == "rejected"]
    assert [each["before"] for each in rejected] == [f"{GPU}: 1"]


def test_a_kustomization_without_an_ending(folder: Path) -> None:
    tree(folder, {"overlay/Kustomization": INLINE, "base/deploy.yaml": BASE})
    assert outcomes("overlay") == {"overlay/Kustomization:6:63": "rejected"}


COMPONENT = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"


def test_a_component_in_another_folder(folder: Path) -> None:
    tree(
        folder,
        {
            **built("resources: [../base]\ncomponents: [../parts/gpu]\n"),
            "parts/gpu/kustomization.yaml": f"{COMPONENT}patches:\n- path: p.yaml\n",
            "parts/gpu/p.yaml": PATCH,
        },
    )
    for path, place in (
        ("base", "base/deploy.yaml:14:13"),
        ("parts/gpu/p.yaml", "parts/gpu/p.yaml:11:13"),
    ):
        ((at, use),) = uses(path).items()
        assert (at, use["outcome"]) == (place, "rejected")
        # A component alone cannot be built.
        assert use["routes"][0].startswith(ROUTE)


@pytest.mark.parametrize(
    ("rest", "outcome"),
    [
        ("", "translated"),
        ("images: [{name: x, newTag: '2'}]\n", "translated"),
        ('patches: [{patch: "- {op: add, path: /spec/replicas, value: 2}", target: {kind: Deployment}}]\n', "translated"),
        (f"patches: [{{target: {{kind: StatefulSet}}, patch: '{OPERATION}'}}]\n", "translated"),
        (f"patches: [{{target: {{kind: Deployment, name: c}}, patch: '{OPERATION}'}}]\n", "translated"),
        (f"patches: [{{target: {{kind: Deployment, name: '.*'}}, patch: '{OPERATION}'}}]\n", "rejected"),
        (f"patches: [{{target: {{labelSelector: a=b}}, patch: '{OPERATION}'}}]\n", "translated"),
        (f"namePrefix: p-\npatches: [{{target: {{kind: Deployment, name: p-b}}, patch: '{OPERATION}'}}]\n", "translated"),
        ('patches: [{target: {kind: Deployment}, patch: "- {op: add, path: /spec/template/spec/containers/0/resources/limits/memory, value: 1Gi}"}]\n', "rejected"),
        ('patches: [{target: {kind: Deployment}, patch: "- {op: remove, path: /spec/template/spec/containers/0}"}]\n', "rejected"),
        ("patches:\n- patch: '{apiVersion: apps/v1, kind: Deployment, metadata: {name: b}, spec: {template: {spec: {tolerations: []}}}}'\n", "translated"),
        ("patches: [{path: missing.yaml}]\n", "rejected"),
        ("patches: [{path: ../../outside.yaml, target: {kind: Service}}]\n", "rejected"),
        ("patches: [{path: ../../outside.yaml}]\n", "rejected"),
        ("components: ['https://example.com/o/r//gpu?ref=v1']\n", "rejected"),
        ("components: [../missing]\n", "rejected"),
        ("transformers: [missing.yaml]\n", "rejected"),
        (f"transformers:\n- |-\n  {{apiVersion: builtin, kind: PatchTransformer, metadata: {{name: t}}, patch: '{OPERATION.replace('[', '[ ')}'}}\n  #\n", "rejected"),
        ("resources: ['https://example.com/o/r//base?ref=v1', ../base]\n", "translated"),
    ],
)  # fmt: skip
def test_what_may_change_the_base(folder: Path, rest: str, outcome: str) -> None:
    head = "" if rest.startswith("resources") else "resources: [../base]\n"
    inner = folder / "inner"
    inner.mkdir()
    (folder / "outside.yaml").write_text(PATCH)
    tree(inner, built(head, rest))
    os.chdir(inner)
    assert outcomes("base") == {"base/deploy.yaml:14:13": outcome}


def test_a_base_without_a_patch_is_built(folder: Path) -> None:
    tree(folder, {**built("resources: [../base]\n"), "alone/deploy.yaml": BASE})
    result = call("--write", ".")
    assert result.exit_code == 0
    assert "proof: lint finds no new error in 1 file (" in result.stdout
    assert "proof: 2 kustomizations built before and after (base, overlay)" in result.stdout
    assert "proof: lint finds no new error in 2 builds (" in result.stdout
    assert "ResourceClaimTemplate" in (folder / "base/deploy.yaml").read_text()
    json_report = json.loads(call("--scan", "--output-format", "json", ".").stdout)
    assert json_report["evidence"] == []  # nothing changes any more


def test_a_file_beside_a_kustomization_is_checked_and_not_proven(folder: Path) -> None:
    tree(folder, {**built("resources: [../base]\n"), "base/loose.yaml": BASE})
    assert "not built with Kustomize" in call("--scan", ".").stdout
    report = call("--scan", "--output-format", "markdown", ".").stdout
    assert "not built with Kustomize" in report


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        (PATCH, "rejected"),
        (PATCH.replace("kind: Deployment", "kind: StatefulSet"), "rejected"),
        (PATCH.replace("        resources", "        image: x\n        resources"), "translated"),
        (PATCH.replace("spec:\n  t", "spec:\n  selector: {matchLabels: {a: b}}\n  t", 1), "translated"),
        (PATCH.replace("apps/v1", "batch/v1").replace("Deployment", "Job"), "rejected"),
        (f"apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec: {{containers: [{{name: c, resources: {{limits: {{{GPU}: 1}}}}}}, {{name: d, image: x}}]}}\n", "rejected"),
        (f"- {{op: add, path: {POINTER}, value: 1}}\n", "rejected"),
    ],
)  # fmt: skip
def test_what_cannot_stand_alone_is_a_patch(folder: Path, text: str, outcome: str) -> None:
    (folder / "a.yaml").write_text(text)
    ((_, use),) = uses("a.yaml").items()
    assert use["outcome"] == outcome
    if outcome == "rejected":
        assert (
            "kustomize build DIR | dradsl migrate --set form=kustomize --output DIR-claims -"
            in use["routes"][0]
        )


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        (
            "Kustomization\napiVersion: kustomize.toolkit.fluxcd.io/v1",
            f"path: ./other\n  patches:\n  - target: {{kind: Deployment}}\n    patch: '{OPERATION}'\n",
        ),
        (
            "Application\napiVersion: argoproj.io/v1alpha1",
            f"source:\n    kustomize:\n      patches:\n      - {{target: {{kind: Deployment}}, patch: '{OPERATION}'}}\n",
        ),
    ],
)
def test_patches_of_flux_and_argo_cd_on_what_is_elsewhere(
    folder: Path, kind: str, spec: str
) -> None:
    tree(
        folder,
        {
            "base/deploy.yaml": BASE,
            "cluster.yaml": f"kind: {kind}\nmetadata: {{name: k}}\nspec:\n  {spec}",
        },
    )
    found = uses(".")
    assert len(found) == 2
    assert {use["outcome"] for use in found.values()} == {"rejected"}


def test_classes_answer_patches_too(folder: Path) -> None:
    tree(folder, {**built(BY_PATH), "overlay/gpus.yaml": PATCH})
    result = call("--scan", "--set", "strategy=extended-resource", ".")
    assert (result.exit_code, "2 translated" in result.stdout) == (0, True)
    tree(folder, built(INLINE))
    result = call("--scan", "--set", "strategy=extended-resource", ".")
    assert (result.exit_code, "0 rejected" in result.stdout) == (0, True)
    assert "kustomization, patches[0].patch" in result.stdout


@pytest.mark.parametrize(
    "text",
    [
        "", "a", "[]", "- a\n- 1\n", "a: [\n", "\0", "resources: {a: b}\npatches: x\ncomponents: 1\n",
        "resources: [null, 1, {}, '']\npatches: [null, 1, [], {path: 1, patch: 2}, {patch: 'a: ['}]\n",
        "patchesStrategicMerge: [1, null, {}, '']\npatchesJson6902: {}\ntransformers: [1]\n",
        'resources: ["\\ud800", "a\\0b", "/", "/dev/zero", "."]\npatches: [{path: /dev/zero}, {path: ""}]\n',
        "resources: [../overlay, ../base]\ncomponents: [., ../overlay]\n", "helmCharts: [1, {valuesInline: 3}]\n",
        "---\n---\nresources: [../base]\n", "replacements: [1, {path: x}]\nvars: x\n",
    ],
)  # fmt: skip
def test_odd_kustomizations(folder: Path, text: str) -> None:
    tree(folder, built(text))
    tree(folder, {"base/kustomization.yaml": "resources: [deploy.yaml, ../overlay]\n"})
    for paths in (["."], ["base"], ["overlay"]):
        result = call("--scan", *paths)
        assert result.exit_code in (0, 1, 3)
        assert "Traceback" not in result.output


def test_rings_end(folder: Path) -> None:
    tree(
        folder,
        {
            **built("resources: [../base]\ncomponents: [../part]\npatches: [{path: gpus.yaml}]\n"),
            "overlay/gpus.yaml": PATCH,
            "base/kustomization.yaml": "resources: [deploy.yaml, ../overlay]\n",
            "part/kustomization.yaml": f"{COMPONENT}components: [../part, ../overlay]\n",
        },
    )
    assert set(outcomes(".").values()) == {"rejected"}


def test_links_lead_nowhere_outside(folder: Path) -> None:
    """A link is what it leads to; one that leaves the tree is not read."""
    inner = folder / "inner"
    inner.mkdir()
    (folder / "secret.yaml").write_text("- {op: replace, path: /spec/replicas, value: 1}\n")
    tree(inner, {**built(BY_PATH), "patches/real.yaml": PATCH})
    os.chdir(inner)
    (inner / "overlay" / "gpus.yaml").symlink_to(folder / "secret.yaml")
    assert "cannot be built here" in uses("base")["base/deploy.yaml:14:13"]["reason"]
    (inner / "overlay" / "gpus.yaml").unlink()
    (inner / "overlay" / "gpus.yaml").symlink_to(inner / "patches" / "real.yaml")
    assert "cannot be built here" in uses("base")["base/deploy.yaml:14:13"]["reason"]
    assert outcomes("patches") == {"patches/real.yaml:11:13": "rejected"}


def test_what_is_piped_is_no_file_of_the_folder(folder: Path) -> None:
    tree(
        folder,
        {"kustomization.yaml": "resources: [a.yaml]\npatches: [{path: p.yaml}]\n", "p.yaml": PATCH},
    )
    result = call("-", text=BASE)
    assert result.exit_code == 0
    assert "proof: " in result.stderr


def test_the_library_judges_by_the_files_that_it_gets() -> None:
    files = {**built(BY_PATH), "overlay/gpus.yaml": PATCH}
    sources = [SourceText(name, load(text.encode())) for name, text in files.items()]
    assert [i.outcome for i in migrate(sources, Options()).items()] == ["translated", "translated"]
    (item,) = migrate(sources[:1], Options()).items()
    assert item.outcome == "translated"


def test_a_component_needs_a_folder_of_its_own(folder: Path) -> None:
    """The route must not be taken with the folder that is built."""
    tree(folder, {**built(BY_PATH), "overlay/gpus.yaml": PATCH})
    result = call("--set", "form=kustomize", "--output", "overlay", "-", text=BASE)
    assert (result.exit_code, "no component" in result.stderr) == (2, True)
    assert (folder / "overlay/kustomization.yaml").read_text() == BY_PATH
    for _ in range(2):  # what an earlier run wrote is written anew
        assert (
            call("--set", "form=kustomize", "--output", "overlay-claims", "-", text=BASE).exit_code
            == 0
        )


def test_the_component_that_a_run_writes_is_no_obstacle(folder: Path) -> None:
    tree(folder, {"a.yaml": BASE, "kustomization.yaml": "resources: [a.yaml]\ncomponents: [c]\n"})
    for _ in range(2):
        assert call("--set", "form=kustomize", "--output", "c", "a.yaml").exit_code == 0
    # In place the limit would be taken out twice.
    assert outcomes("a.yaml") == {"a.yaml:14:13": "rejected"}


@pytest.mark.skipif(KUSTOMIZE is None, reason="kustomize is not installed")
@pytest.mark.parametrize("files", [{**built(BY_PATH), "overlay/gpus.yaml": PATCH}, built(INLINE)])
def test_the_route_with_kustomize(folder: Path, files: dict[str, str]) -> None:
    def build(path: str) -> str:
        done = subprocess.run(
            [str(KUSTOMIZE), "build", path], capture_output=True, text=True, check=True
        )
        return done.stdout

    tree(folder, files)
    before = build("overlay")
    assert (
        call("--set", "form=kustomize", "--output", "overlay-claims", "-", text=before).exit_code
        == 0
    )
    tree(
        folder,
        {"dra/kustomization.yaml": "resources: [../overlay]\ncomponents: [../overlay-claims]\n"},
    )
    after = build("dra")
    assert "resourceClaimTemplateName" in after
    assert GPU not in after.replace(f"key: {GPU}", "").replace(f"gpu.{GPU[:10]}", "")


def test_a_base_that_is_only_combined_is_built_after_it_was_migrated(folder: Path) -> None:
    tree(folder, built("resources: [../base]\nnamePrefix: p-\n"))
    assert call("--write", ".").exit_code == 0
    if KUSTOMIZE is not None:
        subprocess.run([KUSTOMIZE, "build", "overlay"], capture_output=True, check=True)


@pytest.mark.parametrize("key", ["labels", "annotations", "nodeSelector", "matchLabels"])
def test_a_label_called_as_a_resource_is_no_request(tmp_path: Path, key: str) -> None:
    """Rules of Node Feature Discovery in the values of its chart, and labels in a patch."""
    inline = f"  valuesInline: {{extraRules: [{{name: n, {key}: {{nvidia.com/gpu: 'true'}}}}]}}\n"
    kustomization = tmp_path / "kustomization.yaml"
    kustomization.write_text(f"helmCharts:\n- name: nfd\n{inline}")
    result = CliRunner().invoke(command, ["--scan", str(tmp_path)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert "No request for a device found" in result.output
    kustomization.write_text(f"helmCharts:\n- name: nfd\n{inline.replace(key, 'limits')}")
    result = CliRunner().invoke(command, ["--scan", str(tmp_path)], catch_exceptions=False)
    assert result.exit_code == 1, result.output


def test_a_patch_of_a_service_of_kserve_keeps_its_key_in_requests_too(folder: Path) -> None:
    head = "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {name: a}\n"
    amounts = "resources: {requests: {nvidia.com/gpu: 4}, limits: {nvidia.com/gpu: 4}}"
    tree(
        folder,
        {
            "base/kustomization.yaml": "resources: [a.yaml]\n",
            "base/a.yaml": f"{head}spec: {{predictor: {{model: {{modelFormat: {{name: x}}}}}}}}\n",
            "big/kustomization.yaml": "resources: [../base]\npatches: [{path: patch.yaml}]\n",
            "big/patch.yaml": f"{head}spec:\n  predictor:\n    model:\n      {amounts}\n",
        },
    )
    result = CliRunner().invoke(command, ["--diff", "."])
    assert result.exit_code == 0, result.output
    for part in ("requests", "limits"):
        assert f"{part}: {{nvidia.com/gpu: 0}}" in result.output


def test_what_cannot_be_built_has_a_way_without_a_build(folder: Path) -> None:
    files = built("")
    files["base/kustomization.yaml"] = "resources: [deploy.yaml, missing.yaml]\n"
    tree(folder, {name: text for name, text in files.items() if name.startswith("base/")})
    result = call("--scan", "base")
    assert "missing.yaml: no such file" in result.stdout
    assert "instead: --set strategy=extended-resource keeps the request" in result.stdout
    assert call("--scan", "--set", "strategy=extended-resource", "base").exit_code == 0
