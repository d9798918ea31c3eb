"""Patches rewritten as patches: what is built before and after, and what is rejected with all that it is built with."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from dradsl.cli.migrate import command
from dradsl.tree.kustomize.overlays.overlay import OverlayBuilder
from dradsl.tree.kustomize.parts.files import Files

if TYPE_CHECKING:
    from pathlib import Path

GPU = "nvidia.com/gpu"
KUSTOMIZE = shutil.which("kustomize")
HEAD = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: b}\n"
LIMITS = "/spec/template/spec/containers/0/resources/limits"


def deployment(resources: str = "", more: str = "") -> str:
    """A Deployment whose container has resources, and its pod more fields."""
    return (
        f"{HEAD}spec:\n  selector: {{matchLabels: {{a: b}}}}\n  template:\n"
        f"    metadata: {{labels: {{a: b}}}}\n    spec:\n{more}      containers:\n      - name: b\n"
        f"        image: x\n{resources}"
    )


def limits(*lines: str) -> str:
    return "        resources:\n          limits:\n" + "".join(
        f"            {line}\n" for line in lines
    )


def merge(*lines: str) -> str:
    return (
        f"{HEAD}spec:\n  template:\n    spec:\n      containers:\n      - name: b\n{limits(*lines)}"
    )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def tree(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def call(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments, catch_exceptions=False)


def report(*arguments: str) -> dict[str, Any]:
    result = call("--scan", "--output-format", "json", *arguments)
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def outcomes(*arguments: str) -> list[str]:
    return [use["outcome"] for file in report(*arguments)["files"] for use in file["uses"]]


def reasons(*arguments: str) -> str:
    return "\n".join(use["reason"] for file in report(*arguments)["files"] for use in file["uses"])


def build(folder: Path, name: str) -> list[Any]:
    """What is built of a folder, by Kustomize too where it is installed."""
    overlay = OverlayBuilder(Files([str(folder)])).build(str(folder / name))
    assert overlay.rejected is None
    if KUSTOMIZE is not None:
        subprocess.run([KUSTOMIZE, "build", name], cwd=folder, capture_output=True, check=True)
    return [each.data for each in overlay.objects]


def pods(objects: list[Any]) -> dict[str, list[tuple[str, int]]]:
    """For each Deployment the classes and counts that its containers get by claims, and what they
    still ask for."""
    templates = {
        (each["metadata"].get("namespace"), each["metadata"]["name"]): each["spec"]["spec"]
        for each in objects
        if each["kind"] == "ResourceClaimTemplate"
    }
    found: dict[str, list[tuple[str, int]]] = {}
    for each in objects:
        if each["kind"] != "Deployment":
            continue
        spec, space = each["spec"]["template"]["spec"], each["metadata"].get("namespace")
        claims = {
            entry["name"]: templates[space, entry["resourceClaimTemplateName"]]
            for entry in spec.get("resourceClaims") or ()
        }
        got = found.setdefault(each["metadata"]["name"], [])
        for container in spec["containers"]:
            resources = container.get("resources") or {}
            got += [(n, int(a)) for n, a in (resources.get("limits") or {}).items() if "/" in n]
            for entry in resources.get("claims") or ():
                (request,) = (
                    r
                    for r in claims[entry["name"]]["devices"]["requests"]
                    if r["name"] == entry["request"]
                )
                exactly = request["exactly"]
                got.append((exactly["deviceClassName"], exactly.get("count", 1)))
    return found


BASE = {"base/kustomization.yaml": "resources: [deploy.yaml]\n"}
ONE, FOUR = [("gpu.nvidia.com", 1)], [("gpu.nvidia.com", 4)]


@pytest.mark.parametrize(
    ("resources", "patches", "wanted"),
    [
        (limits(f"{GPU}: 1"), "- path: p.yaml\n", FOUR),
        (limits("memory: 8Gi"), "- path: p.yaml\n", FOUR),
        ("", "- path: p.yaml\n", FOUR),
        (limits(f"{GPU}: 4"), "- path: p.yaml\n", FOUR),
        (limits(f"{GPU}: 1"), f"- target: {{kind: Deployment}}\n  patch: |-\n    - op: replace\n      path: {LIMITS}/nvidia.com~1gpu\n      value: 4\n", FOUR),
        (limits(f"{GPU}: 1"), f'- target: {{kind: Deployment}}\n  patch: \'[{{"op": "add", "path": "{LIMITS}/nvidia.com~1gpu", "value": "4"}}]\'\n', FOUR),
        (limits("memory: 8Gi"), f"- target: {{kind: Deployment}}\n  patch: |-\n    - op: add\n      path: {LIMITS}/nvidia.com~1gpu\n      value: 4\n", FOUR),
        (limits(f"{GPU}: 1"), f"- target: {{kind: Deployment}}\n  patch: |-\n    - op: replace\n      path: {LIMITS}\n      value: {{{GPU}: 4, memory: 1Gi}}\n", FOUR),
        ("", "- target: {kind: Deployment}\n  patch: |-\n    - op: add\n      path: /spec/template/spec/containers/0/resources\n"
             f"      value: {{limits: {{{GPU}: 4}}}}\n", FOUR),
        (limits(f"{GPU}: 1"), f"- target: {{kind: Deployment}}\n  patch: |-\n    - op: remove\n      path: {LIMITS}/nvidia.com~1gpu\n", []),
        (limits(f"{GPU}: 1"), f"- patch: |-\n    {merge(f'{GPU}: null').replace(chr(10), chr(10) + '    ').rstrip()}\n", []),
        (limits(f"{GPU}: 1"), f"- patch: |-\n    {merge('memory: 1Gi').replace(chr(10), chr(10) + '    ').rstrip()}\n", ONE),
    ],
)  # fmt: skip
def test_what_is_built_gets_what_it_asked_for(
    folder: Path, resources: str, patches: str, wanted: list[tuple[str, int]]
) -> None:
    """Faults 1 and 2."""
    files = {
        **BASE,
        "base/deploy.yaml": deployment(resources),
        "over/kustomization.yaml": f"resources: [../base]\npatches:\n{patches}",
    }
    if "p.yaml" in patches:
        files["over/p.yaml"] = "# how many\n" + merge(f"{GPU}: 4 # as in the contract", "cpu: 2")
    tree(folder, files)
    before = pods(build(folder, "over"))["b"]
    asked = [number for name, number in before if name == GPU]
    assert asked == [number for _, number in wanted]
    result = call("--write", ".")
    assert result.exit_code == 0, result.stdout
    assert pods(build(folder, "over"))["b"] == wanted
    if "p.yaml" in patches:
        assert (folder / "over/p.yaml").read_text().startswith("# how many\n")
    assert call("--check", ".").exit_code == 0


def test_names_and_namespaces_reach_the_templates(folder: Path) -> None:
    tree(
        folder,
        {
            **BASE,
            "base/deploy.yaml": deployment(limits(f"{GPU}: 1")),
            "over/kustomization.yaml": "resources: [../base]\nnamePrefix: p-\nnameSuffix: -s\nnamespace: ns\n"
            "patches:\n- path: p.yaml\n",
            "over/p.yaml": merge(f"{GPU}: 4"),
            "top/kustomization.yaml": "resources: [../over]\nnamePrefix: q-\nnamespace: ms\n",
        },
    )
    assert call("--write", ".").exit_code == 0
    assert pods(build(folder, "over")) == {"p-b-s": FOUR}
    assert pods(build(folder, "top")) == {"q-p-b-s": FOUR}
    assert pods(build(folder, "base")) == {"b": ONE}


def test_a_namespace_that_a_replacement_writes_for_pods_alone_is_rejected(folder: Path) -> None:
    tree(
        folder,
        {
            **BASE,
            "base/deploy.yaml": deployment().replace("{name: b}", "{name: b, namespace: later}", 1),
            "over/kustomization.yaml": "resources: [../base]\npatches:\n- path: p.yaml\nconfigMapGenerator:\n"
            "- {name: c, literals: [space=n]}\nreplacements:\n- source: {kind: ConfigMap, name: c, fieldPath: data.space}\n"
            "  targets:\n  - select: {kind: Deployment}\n    fieldPaths: [metadata.namespace]\n",
            "over/p.yaml": merge(f"{GPU}: 4").replace("{name: b}", "{name: b, namespace: later}"),
        },
    )
    result = call("--write", ".")
    assert result.exit_code == 1
    assert "not there in its namespace" in result.output
    assert pods(build(folder, "over")) == {"b": [(GPU, 4)]}


def test_a_component_that_two_overlays_share(folder: Path) -> None:
    component = (
        "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches:\n- path: p.yaml\n"
    )
    over = "resources: [../base]\ncomponents: [../gpu]\n"
    tree(
        folder,
        {
            **BASE,
            "base/deploy.yaml": deployment(),
            "gpu/kustomization.yaml": component,
            "gpu/p.yaml": merge(f"{GPU}: 4"),
            "one/kustomization.yaml": over,
            "two/kustomization.yaml": f"{over}namePrefix: p-\n",
        },
    )
    assert call("--write", ".").exit_code == 0
    assert "claims.yaml" in (folder / "gpu/kustomization.yaml").read_text()
    assert pods(build(folder, "one")) == {"b": FOUR}
    assert pods(build(folder, "two")) == {"p-b": FOUR}


def test_two_containers_of_which_a_patch_changes_one(folder: Path) -> None:
    more = f"      - name: c\n        image: y\n{limits(f'{GPU}: 2')}"
    tree(
        folder,
        {
            **BASE,
            "base/deploy.yaml": deployment(limits(f"{GPU}: 1")) + more,
            "over/kustomization.yaml": "resources: [../base]\npatches:\n- path: p.yaml\n",
            "over/p.yaml": merge(f"{GPU}: 4"),
        },
    )
    assert call("--write", ".").exit_code == 0
    assert pods(build(folder, "over")) == {"b": [*FOUR, ("gpu.nvidia.com", 2)]}


def test_what_is_built_together_is_rejected_together(folder: Path) -> None:
    """The pods of the overlay raise a question; those of the base alone would not."""
    env = "        env: [{name: NVIDIA_VISIBLE_DEVICES, value: all}]\n"
    files = {
        **BASE,
        "base/deploy.yaml": deployment(limits(f"{GPU}: 1")),
        "over/kustomization.yaml": "resources: [../base]\npatches:\n- path: p.yaml\n",
        "over/p.yaml": merge(f"{GPU}: 4") + env,
        "other/deploy.yaml": deployment(limits(f"{GPU}: 1")),
        "other/kustomization.yaml": "resources: [deploy.yaml]\n",
    }
    tree(folder, files)
    result = call("--write", ".")
    assert result.exit_code == 1
    assert "what is built of this and of over/p.yaml is migrated together" in result.stdout
    same = {name for name, text in files.items() if (folder / name).read_text() == text}
    assert files.keys() - same == {"other/deploy.yaml"}
    assert outcomes(".") == ["rejected", "rejected"]
    assert outcomes("--set", "visible-devices=keep", ".") == ["translated", "translated"]


@pytest.mark.parametrize(
    ("over", "why"),
    [
        ("resources: [../base]\npatches:\n- path: p.yaml\nconfigMapGenerator: [{name: c, envs: [made.env]}]\n", "over cannot be built here"),
        ("resources: [../base, 'https://example.com/o/r//x?ref=v1']\npatches:\n- path: p.yaml\n  target: {kind: StatefulSet}\n", "its target is not known"),
        ("resources: [../base]\ncomponents: ['https://example.com/o/r//x?ref=v1']\npatches:\n- path: p.yaml\n", "over cannot be built here"),
        ("resources: [../base, ../over]\npatches:\n- path: p.yaml\n", "cycle detected"),
    ],
)  # fmt: skip
def test_what_cannot_be_built_is_said_and_not_translated(folder: Path, over: str, why: str) -> None:
    files = {
        **BASE,
        "base/deploy.yaml": deployment(),
        "over/kustomization.yaml": over,
        "over/p.yaml": merge(f"{GPU}: 4"),
    }
    tree(folder, files)
    assert why in reasons(".")
    assert call("--write", ".").exit_code == 1
    assert {name: (folder / name).read_text() for name in files} == files


def test_cyclic_kustomizations_end(folder: Path) -> None:
    tree(
        folder,
        {
            "a/kustomization.yaml": "resources: [../b, deploy.yaml]\npatches: [{path: p.yaml}]\n",
            "b/kustomization.yaml": "resources: [../a]\n",
            "a/deploy.yaml": deployment(limits(f"{GPU}: 1")),
            "a/p.yaml": merge(f"{GPU}: 4"),
        },
    )
    assert outcomes(".") == ["rejected", "rejected"]
    assert "cycle detected" in reasons(".")


def test_a_tree_that_is_half_migrated(folder: Path) -> None:
    """Somebody did the base by hand; the patch still asks for what the plugin gave."""
    template = (
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: t}\nspec:\n  spec:\n"
        "    devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}]}\n"
    )
    resources = "        resources:\n          claims: [{name: gpu}]\n"
    more = "      resourceClaims: [{name: gpu, resourceClaimTemplateName: t}]\n"
    files = {
        "base/kustomization.yaml": "resources: [deploy.yaml, template.yaml]\n",
        "base/deploy.yaml": deployment(resources, more),
        "base/template.yaml": template,
        "over/kustomization.yaml": "resources: [../base]\npatches: [{path: p.yaml}]\n",
        "over/p.yaml": merge(f"{GPU}: 4"),
    }
    tree(folder, files)
    (use,) = (use for file in report(".")["files"] for use in file["uses"])
    assert (use["outcome"], use["question"]) == ("rejected", "existing-claims")
    assert call("--write", "--set", "existing-claims=other-devices", ".").exit_code == 0
    spec = next(o for o in build(folder, "over") if o["kind"] == "Deployment")["spec"]["template"]
    assert len(spec["spec"]["resourceClaims"]) == 2


def test_what_is_built_together_is_written_together(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        **BASE,
        "base/deploy.yaml": deployment(limits(f"{GPU}: 1")),
        "over/kustomization.yaml": "resources: [../base]\npatches:\n- path: p.yaml\n",
        "over/p.yaml": merge(f"{GPU}: 4"),
    }
    tree(folder, files)
    real = os.replace

    def full(one: str, other: str) -> None:
        if other.endswith("p.yaml"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(one, other)

    monkeypatch.setattr(os, "replace", full)
    result = call("--write", ".")
    assert result.exit_code == 2
    assert {p.relative_to(folder).as_posix() for p in folder.rglob("*.yaml")} == files.keys()
    assert {name: (folder / name).read_text() for name in files} == files
    assert "wrote" not in result.stderr


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_changes_that_git_could_not_bring_back(folder: Path) -> None:
    """Fault 28."""
    (folder / "a.yaml").write_text(deployment(limits(f"{GPU}: 1")))
    git(folder, "init", "-q")
    result = call("--write", ".")
    assert (result.exit_code, "not committed" in result.stderr) == (2, True)
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "x")
    (folder / "a.yaml").write_text("# new\n" + deployment(limits(f"{GPU}: 1")))
    result = call("--write", ".")
    assert (result.exit_code, "a.yaml" in result.stderr, "--force" in result.stderr) == (
        2,
        True,
        True,
    )
    assert (folder / "a.yaml").read_text().startswith("# new\n")
    assert GPU in (folder / "a.yaml").read_text()
    git(folder, "commit", "-qam", "y")
    result = call("--write", ".")
    assert (result.exit_code, "to go back: git restore -- a.yaml" in result.stderr) == (0, True)
    git(folder, "restore", "--", "a.yaml")
    (folder / "a.yaml").write_text("# newer\n" + deployment(limits(f"{GPU}: 1")))
    assert call("--write", "--force", ".").exit_code == 0
    assert call("--scan", "--force", ".").exit_code == 2


RELEASE = (
    "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: NAME}\nspec:\n"
    "  chart: {spec: {chart: app-template, version: 4.4.0}}\n  values:\n    controllers:\n      main:\n"
    "        containers:\n          app:\n            resources: {limits: {gpu.intel.com/i915: 1}}\n"
)


def test_a_claim_that_two_releases_share_is_listed_once(folder: Path) -> None:
    for name in ("one", "two"):
        tree(
            folder,
            {
                f"{name}/release.yaml": RELEASE.replace("NAME", name),
                f"{name}/kustomization.yaml": "resources: [release.yaml]\n",
            },
        )
    result = call("--write", "--set", "sharing=shared-claim", ".")
    assert result.exit_code == 0, result.stdout
    (claim,) = (each for each in build(folder, "one") if each["kind"] == "ResourceClaim")
    assert [each["kind"] for each in build(folder, "two")] == ["HelmRelease"]
    assert claim["metadata"]["name"] in (folder / "two/release.yaml").read_text()
    assert not (folder / "one/release.claims.yaml").exists()


def test_a_shared_claim_is_in_a_file_that_is_built(folder: Path) -> None:
    """One of two apps is switched off: its kustomization no longer lists the release."""
    for name in ("one", "two"):
        listed = "[release.yaml]" if name == "two" else "[]"
        tree(
            folder,
            {
                f"{name}/release.yaml": RELEASE.replace("NAME", name),
                f"{name}/kustomization.yaml": f"resources: {listed}\n",
            },
        )
    result = call("--write", "--set", "sharing=shared-claim", ".")
    assert result.exit_code == 0, result.stdout
    assert "ResourceClaim" in [each["kind"] for each in build(folder, "two")]


def test_names_made_of_a_variable_keep_it(folder: Path) -> None:
    """Fault 6: two apps take in the same component, in one namespace."""
    text = deployment(limits(f"{GPU}: 1")).replace(
        "{name: b}", '{name: "${APP}", namespace: "${SPACE}"}', 1
    )
    tree(folder, {"deploy.yaml": text, "kustomization.yaml": "resources: [deploy.yaml]\n"})
    assert call("--write", ".").exit_code == 0
    after = (folder / "deploy.yaml").read_text()
    assert 'resourceClaimTemplateName: "${APP}-' in after
    assert 'namespace: "${SPACE}"' in after.partition("ResourceClaimTemplate\n")[2]


def test_a_build_with_an_error_is_rejected(folder: Path) -> None:
    """The name of the template comes out illegal, where that of the Deployment was legal."""
    tree(
        folder,
        {
            **BASE,
            "base/deploy.yaml": deployment(limits(f"{GPU}: 1")),
            "over/kustomization.yaml": f"resources: [../base]\nnameSuffix: {'-' + 'x' * 250}\n",
        },
    )
    assert call("--write", ".").exit_code == 1
    assert GPU in (folder / "base/deploy.yaml").read_text()
    assert "would have an error when it is built" in reasons(".")


def test_a_request_that_is_still_there_is_a_fault() -> None:
    from dradsl.migrate.proof.prove import still_asked
    from tests.migrate.runs import run, with_gpu

    (first,) = run(with_gpu()).files
    (untouched,) = run(with_gpu()).files
    assert list(still_asked(first, run(first.text).files[0])) == []
    (said,) = still_asked(first, untouched)
    assert f"still asks for {GPU}: 1 after the migration" in said


@pytest.mark.parametrize(
    ("text", "arguments", "code"),
    [
        (deployment(limits(f"{GPU}: 1")), (), 0),
        (deployment(limits("squat.ai/dri: 1")), (), 0),
        (deployment(limits(f"{GPU}.shared: 1")), (), 1),
        (deployment(limits(f"{GPU}: 1")), ("--check",), 1),
        ("ollama: {gpu: {enabled: true, type: nvidia, number: 1}}\n", (), 1),
        (deployment(), (), 3),
        (deployment(), ("--check",), 0),
        (f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\ndata:\n  q: |\n    sum({GPU})\n    x\n", (), 0),
        ("a: [", (), 1),
        (deployment(), ("--set", "sharing=odd"), 2),
    ],
)  # fmt: skip
def test_exit_codes(folder: Path, text: str, arguments: tuple[str, ...], code: int) -> None:
    (folder / "a.yaml").write_text(text)
    assert call(*(arguments or ("--scan",)), "a.yaml").exit_code == code


def test_values_of_ten_megabytes_end(folder: Path) -> None:
    many = "".join(
        f"  key{index}: {{a: {index}, b: some text of a value}}\n" for index in range(4000)
    )
    (folder / "values.yaml").write_text(f"resources: {{limits: {{{GPU}: 1}}}}\nmany:\n{many}")
    assert outcomes("values.yaml") == ["rejected"]
    (folder / "values.yaml").write_text("a: " + "x" * 11_000_000)
    assert call("--scan", "values.yaml").exit_code in (1, 3)


def test_answers_for_what_is_not_there_change_nothing(folder: Path) -> None:
    (folder / "a.yaml").write_text(deployment(limits(f"{GPU}: 1")))
    (folder / "answers.yaml").write_text(
        "version: 1\nworkloads:\n- {workload: 'Deployment other', sharing: exclusive}\n"
    )
    assert call("--answers", "answers.yaml", "--scan", "a.yaml").exit_code == 0


def test_values_of_which_a_config_map_is_generated(folder: Path) -> None:
    """Its name ends in a hash of what it holds, and the release names it so."""
    release = RELEASE.partition("  values:")[0].replace("NAME", "plex")
    values = "controllers:\n  main:\n    containers:\n      app:\n        resources: {limits: {nvidia.com/gpu: 1}}\n"
    names = (
        "nameReference:\n- kind: ConfigMap\n  version: v1\n  fieldSpecs:\n"
        "  - {path: spec/valuesFrom/name, kind: HelmRelease}\n"
    )
    tree(
        folder,
        {
            "release.yaml": f"{release}  valuesFrom: [{{kind: ConfigMap, name: plex-values}}]\n",
            "values.yaml": values,
            "names.yaml": names,
            "kustomization.yaml": "resources: [release.yaml]\nconfigurations: [names.yaml]\n"
            "configMapGenerator:\n- {name: plex-values, files: [values.yaml]}\n",
        },
    )
    before = {each["metadata"]["name"] for each in build(folder, ".")}
    result = call("--write", ".")
    assert result.exit_code in (0, 1), result.stdout
    assert "1 kustomization built before and after" in result.stdout
    after = build(folder, ".")
    assert {each["metadata"]["name"] for each in after} != before
    assert GPU not in str(after).replace(f"'key': '{GPU}'", "")
    assert "resourceClaimTemplateName" in str(after)


OLLAMA = "ollama:\n  gpu: {enabled: true, type: nvidia, number: 1}\n"


def test_the_template_for_a_file_of_values_is_built_with_its_chart(folder: Path) -> None:
    chart = "{name: ollama, version: 1.25.0, releaseName: o, namespace: ai, valuesFile: v.yaml}"
    tree(folder, {"a/v.yaml": OLLAMA, "a/kustomization.yaml": f"helmCharts:\n- {chart}\n"})
    result = call("--write", "a")
    assert "1 translated" in result.stdout, result.stdout
    assert "resources:\n- claims.yaml\n" in (folder / "a/kustomization.yaml").read_text()
    made = (folder / "a/claims.yaml").read_text()
    name = made.partition("  name: ")[2].partition("\n")[0]
    assert name in (folder / "a/v.yaml").read_text()
    assert "  namespace: ai\n" in made
    assert {path.name for path in (folder / "a").iterdir()} == {
        "claims.yaml",
        "kustomization.yaml",
        "v.yaml",
    }


@pytest.mark.parametrize(
    "values", [OLLAMA, "controllers: {m: {containers: {a: {resources: {limits: {nvidia.com/gpu: 1}}}}}}\n"]
)  # fmt: skip
def test_names_that_kustomize_changes_stand_not_in_values(folder: Path, values: str) -> None:
    """It changes that of the template, and not what the chart made of the values."""
    name = "ollama" if values == OLLAMA else "app-template"
    chart = f"helmCharts:\n- name: {name}\n  version: 5.1.0\n  releaseName: o\n"
    inline = "".join(f"    {line}\n" for line in values.splitlines())
    tree(
        folder,
        {
            "a/v.yaml": values,
            "a/kustomization.yaml": f"{chart}  valuesFile: v.yaml\n",
            "b/kustomization.yaml": f"{chart}  valuesInline:\n{inline}",
        },
    )
    assert outcomes("a", "b") == ["translated", "translated"]
    tree(folder, {"top/kustomization.yaml": "resources: [../a, ../b]\nnamePrefix: p-\n"})
    assert outcomes("a", "b", "top") == ["rejected", "rejected"]
    assert "a build renames the claim template" in reasons("a", "b", "top")


def test_the_template_for_the_values_of_a_chart_is_one_of_its_templates(folder: Path) -> None:
    chart = "apiVersion: v2\nname: w\nversion: 0.1.0\ndependencies:\n- {name: ollama, version: 1.25.0}\n"
    values = "ollama:\n" + "".join(f"  {line}\n" for line in OLLAMA.splitlines())
    tree(folder, {"w/values.yaml": values, "w/Chart.yaml": chart})
    result = call("--write", "w")
    assert result.exit_code == 0, result.output
    made = (folder / "w/templates/values.claims.yaml").read_text()
    assert "kind: ResourceClaimTemplate" in made
    assert "w/templates/values.claims.yaml" in result.output
    again = call("--write", "--force", "w")
    assert (folder / "w/templates/values.claims.yaml").read_text() == made, again.output


def test_what_flux_builds_is_compared_too(folder: Path) -> None:
    """It changes names and puts values into variables after Kustomize."""
    flux = (
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: k}\nspec:\n"
        "  path: ./app\n  targetNamespace: ml\n  postBuild: {substitute: {APP: plex}}\n"
    )
    text = deployment(limits(f"{GPU}: 1")).replace("{name: b}", '{name: "${APP}"}', 1)
    files = {
        "app/deploy.yaml": text,
        "app/kustomization.yaml": "resources: [deploy.yaml]\n",
        "ks.yaml": flux,
        ".git/HEAD": "",
    }
    tree(folder, files)
    result = call("--write", ".")
    assert result.exit_code == 0, result.stdout
    assert "2 kustomizations built before and after (app, Kustomization k of Flux)" in result.stdout
    # A prefix of Flux renames the template as well: the kustomization says where pods name it.
    tree(folder, {**files, "ks.yaml": f"{flux}  namePrefix: p-\n"})
    result = call("--write", "--force", ".")
    assert result.exit_code == 0, result.stdout
    assert "claim-names.yaml" in (folder / "app/kustomization.yaml").read_text()


def test_a_release_whose_values_hold_the_claim_template_is_built_as_planned(folder: Path) -> None:
    """The chart makes the template of its values: it is no object of the build."""
    release = (
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: plex, namespace: media}\nspec:\n"
        "  chart: {spec: {chart: app-template, version: 4.5.0, sourceRef: {kind: HelmRepository, name: x}}}\n"
        "  values:\n    controllers:\n      plex: {containers: {app: {image: {repository: a, tag: b}, "
        "resources: {limits: {nvidia.com/gpu: 1}}}}}\n"
    )
    tree(folder, {"a/release.yaml": release, "a/kustomization.yaml": "resources: [release.yaml]\n"})
    result = call("--write", ".")
    assert result.exit_code == 0, result.output
    text = (folder / "a/release.yaml").read_text()
    assert "resourceClaimTemplateName: plex-" in text
    assert not (folder / "a/claims.yaml").exists()
