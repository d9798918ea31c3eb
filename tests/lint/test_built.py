"""Objects that patches complete are judged on what overlays make of them; claims that are renamed without their
references."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from dradsl.cli.lint import command

if TYPE_CHECKING:
    from pathlib import Path

POD = """apiVersion: v1
kind: Pod
metadata:
  name: server
  namespace: ml
spec:
  containers:
  - name: main
    image: registry.example.com/server:1
    resources:
      claims:
      - name: gpu
"""
PATCH = """apiVersion: v1
kind: Pod
metadata:
  name: server
  namespace: ml
spec:
  resourceClaims:
  - name: {name}
    resourceClaimTemplateName: one-gpu
"""
TEMPLATE = """apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata:
  name: one-gpu
  namespace: ml
spec:
  spec:
    devices:
      requests:
      - name: gpu
        exactly:
          deviceClassName: gpu.example.com
"""
PATCHED = "resources: [../base]\npatches: [{path: claim.yaml}]\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def found(*arguments: str) -> list[Any]:
    names = ["--isolated", "--ignore", "DRA412", "--output-format", "json", *arguments]
    shown = CliRunner().invoke(command, names, catch_exceptions=False).stdout
    return [
        (one["path"], one["line"], one["code"], one["message"])
        for one in json.loads(shown)["findings"]
    ]


def base(**overlays: str) -> dict[str, str]:
    files = {
        "base/kustomization.yaml": "resources: [pod.yaml, template.yaml]\n",
        "base/pod.yaml": POD,
        "base/template.yaml": TEMPLATE,
    }
    for name, claim in overlays.items():
        files[f"{name}/kustomization.yaml"] = PATCHED
        files[f"{name}/claim.yaml"] = PATCH.format(name=claim)
    return files


def test_patches_that_bring_the_claim_are_enough(tmp_path: Path) -> None:
    write(tmp_path, base(dev="gpu", prod="gpu"))
    assert found(".") == []


def test_a_claim_that_a_patch_brings_under_another_name_is_found_where_it_is_missing(
    tmp_path: Path,
) -> None:
    write(tmp_path, base(dev="gpu", prod="gpus"))
    (missing,) = found(".")  # that no container uses "gpus" follows from it
    assert missing[:3] == ("base/pod.yaml", 12, "DRA403")
    assert missing[3].endswith("(built in prod)")


def test_what_holds_in_several_overlays_is_said_once(tmp_path: Path) -> None:
    write(tmp_path, base(a="gpus", b="gpus"))
    codes = [(path, line, code) for path, line, code, _ in found(".")]
    assert codes.count(("base/pod.yaml", 12, "DRA403")) == 1
    assert next(m for _, _, c, m in found(".") if c == "DRA403").endswith("(built in a, b)")


@pytest.mark.parametrize(
    "more",
    [
        "transformers: [own.yaml]\n",
        "components: ['https://github.com/example/repo']\n",
        "helmCharts: [{name: chart}]\n",
    ],
)
def test_nothing_is_said_where_something_cannot_be_built(more: str, tmp_path: Path) -> None:
    files = base(prod="gpus")
    files["prod/kustomization.yaml"] += more
    files["prod/own.yaml"] = "apiVersion: example.com/v1\nkind: Own\nmetadata: {name: x}\n"
    write(tmp_path, files)
    assert found(".") == []


FLUX = (
    "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
    "metadata: {name: apps, namespace: flux-system}\nspec:\n  path: ./prod\n"
)
MENDING = """\
  patches:
  - patch: |
      apiVersion: v1
      kind: Pod
      metadata: {name: server, namespace: ml}
      spec:
        resourceClaims:
        - {name: gpu, resourceClaimTemplateName: one-gpu}
"""


def test_what_flux_builds_is_judged(tmp_path: Path) -> None:
    files = base(prod="gpus")
    files["flux.yaml"] = FLUX
    write(tmp_path, files)
    ((path, line, code, message),) = found(".")
    assert (path, line, code) == ("base/pod.yaml", 12, "DRA403")
    assert message.endswith("(built in Kustomization apps of flux.yaml)")


def test_nothing_is_said_of_what_flux_mends(tmp_path: Path) -> None:
    files = base(prod="gpus")
    files["prod/claim.yaml"] = (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: server, namespace: ml}\n"
    )
    files["flux.yaml"] = FLUX + MENDING
    write(tmp_path, files)
    assert found(".") == []


def test_nothing_is_said_where_a_parent_patches_what_builds(tmp_path: Path) -> None:
    """The Kustomization of Flux is itself built, by one that gives it the patch."""
    files = base(prod="gpu")
    files["prod/claim.yaml"] = (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: server, namespace: ml}\n"
    )
    files["cluster/apps.yaml"] = (
        FLUX + "  patches: [{patch: '{}', target: {kind: Pod, name: none}}]\n"
    )
    files["cluster/kustomization.yaml"] = "resources: [apps.yaml]\n"
    parent = FLUX.replace("name: apps", "name: cluster").replace("./prod", "./cluster")
    inner = "".join(f"        {line}\n" for line in MENDING.splitlines())
    files["parent.yaml"] = (
        f"{parent}  patches:\n  - target: {{kind: Kustomization, name: apps}}\n    patch: |\n"
        "      apiVersion: kustomize.toolkit.fluxcd.io/v1\n      kind: Kustomization\n"
        f"      metadata: {{name: apps}}\n      spec:\n{inner}"
    )
    write(tmp_path, files)
    assert found(".") == []
    del files["parent.yaml"]
    (tmp_path / "parent.yaml").unlink()
    ((path, line, code, _),) = found(".")
    assert (path, line, code) == ("base/pod.yaml", 12, "DRA403")


def test_variables_of_flux_are_put_in(tmp_path: Path) -> None:
    """With all of them known the built pod is judged; with one that is not, nothing is said."""
    files = base(prod="${CLAIM}")
    files["flux.yaml"] = FLUX + "  postBuild: {substitute: {CLAIM: gpus}}\n"
    write(tmp_path, files)
    assert [row[:3] for row in found(".")] == [("base/pod.yaml", 12, "DRA403")]
    files["flux.yaml"] = FLUX + "  postBuild: {substituteFrom: [{kind: Secret, name: hidden}]}\n"
    write(tmp_path, files)
    assert found(".") == []
    files["flux.yaml"] = FLUX + "  postBuild: {substitute: {CLAIM: gpu}}\n"
    write(tmp_path, files)
    assert found(".") == []


APPLICATION = (
    "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: apps, namespace: argocd}\n"
    "spec:\n  destination: {namespace: ml}\n  source:\n    repoURL: https://example.com/repo\n    path: prod\n"
)


def test_what_argo_cd_builds_is_judged(tmp_path: Path) -> None:
    files = base(prod="gpus")
    files["app.yaml"] = APPLICATION
    write(tmp_path, files)
    ((path, line, code, message),) = found(".")
    assert (path, line, code) == ("base/pod.yaml", 12, "DRA403")
    assert message.endswith("(built in Application apps of app.yaml)")
    files["app.yaml"] = APPLICATION + (
        "    kustomize:\n      patches:\n      - target: {kind: Pod}\n        patch: |\n"
        "          - {op: replace, path: /spec/resourceClaims/0/name, value: gpu}\n"
    )
    write(tmp_path, files)
    assert found(".") == []


# Values of releases in several places

RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: tv, namespace: media}
spec:
  chart: {spec: {chart: app-template}}
  valuesFrom: [{kind: ConfigMap, name: tv-values}]
  values:
    controllers:
      tv:
        containers:
          app:
            resources: {claims: [{name: gpu}]}
"""
VALUES = """\
controllers:
  tv:
    pod:
      resourceClaims:
        - name: {name}
          resourceClaimTemplateName: one-gpu
"""


def release(name: str) -> dict[str, str]:
    return {
        "kustomization.yaml": "resources: [release.yaml, template.yaml]\nconfigMapGenerator:\n"
        "- {name: tv-values, namespace: media, files: [values.yaml=tv.yaml], options: {disableNameSuffixHash: true}}\n",
        "release.yaml": RELEASE,
        "template.yaml": TEMPLATE.replace("namespace: ml", "namespace: media"),
        "tv.yaml": VALUES.replace("{name}", name),
    }


def test_a_claim_in_one_file_and_its_use_in_another(tmp_path: Path) -> None:
    write(tmp_path, release("gpu"))
    assert found(".") == []
    write(tmp_path, release("gpus"))
    ((path, line, code, message),) = found(".")
    assert (path, line, code) == ("release.yaml", 12, "DRA403")
    assert message.endswith("(built in .)")


def test_what_is_wrong_in_a_file_of_values_is_said_there(tmp_path: Path) -> None:
    """The claim is in the release, and its use in the file."""
    files = release("gpu")
    own, used = VALUES.replace("{name}", "gpus"), RELEASE.partition("  values:\n")[2]
    files["release.yaml"] = RELEASE.partition("    controllers:")[0] + "".join(
        f"    {line}\n" for line in own.splitlines()
    )
    files["tv.yaml"] = "".join(f"{line[4:]}\n" for line in used.splitlines())
    write(tmp_path, files)
    assert [row[:3] for row in found(".")] == [("tv.yaml", 5, "DRA403")]


def test_values_in_a_config_map_beside_the_release(tmp_path: Path) -> None:
    files = release("gpus")
    values = "".join(f"    {line}\n" for line in files.pop("tv.yaml").splitlines())
    files["map.yaml"] = (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: tv-values, namespace: media}\n"
        f"data:\n  values.yaml: |\n{values}"
    )
    files["kustomization.yaml"] = "resources: [release.yaml, template.yaml, map.yaml]\n"
    write(tmp_path, files)
    assert [row[:3] for row in found(".")] == [("release.yaml", 12, "DRA403")]
    del files["kustomization.yaml"]
    (tmp_path / "kustomization.yaml").unlink()
    ((_, line, code, message),) = found(".")
    assert (line, code) == (12, "DRA403")
    assert message.endswith("(built in HelmRelease tv)")


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("valuesFrom: [", "valuesFrom: [{kind: Secret, name: hidden}, "),
        lambda text: (
            text.replace("{name: gpu}", "{name: card}") + "  postRenderers: [{kustomize: {}}]\n"
        ),
        lambda text: text.replace("namespace: media", "namespace: other"),
    ],
)
def test_nothing_is_said_where_values_are_not_all_known(change: Any, tmp_path: Path) -> None:
    files = release("gpus")
    files["release.yaml"] = change(RELEASE)
    write(tmp_path, files)
    assert found(".") == []


def test_values_of_an_application(tmp_path: Path) -> None:
    files = {
        "app.yaml": (
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: tv}\nspec:\n"
            "  destination: {namespace: media}\n  source:\n    chart: app-template\n"
            "    repoURL: https://example.com/charts\n    helm:\n      valueFiles: [$values/tv.yaml]\n"
            "      values: |\n        controllers:\n          tv:\n            containers:\n"
            "              app:\n                resources: {claims: [{name: gpu}]}\n"
        ),
        "template.yaml": TEMPLATE.replace("namespace: ml", "namespace: media"),
        "tv.yaml": VALUES.replace("{name}", "gpus"),
    }
    write(tmp_path, files)
    assert [row[:3] for row in found(".")] == [("app.yaml", 16, "DRA403")]
    files["tv.yaml"] = VALUES.replace("{name}", "gpu")
    write(tmp_path, files)
    assert found(".") == []


def test_patches_on_values_are_judged_on_what_they_make(tmp_path: Path) -> None:
    files = release("gpu")
    files["release.yaml"] = RELEASE.replace(
        "  valuesFrom: [{kind: ConfigMap, name: tv-values}]\n", ""
    )
    files["kustomization.yaml"] = (
        "resources: [release.yaml, template.yaml]\npatches:\n- target: {kind: HelmRelease}\n  patch: |\n"
        "    - op: add\n      path: /spec/values/controllers/tv/pod\n"
        "      value: {resourceClaims: [{name: {name}, resourceClaimTemplateName: one-gpu}]}\n"
    ).replace("{name: {name},", "{name: gpus,")
    write(tmp_path, files)
    rows = [row[:3] for row in found(".")]
    assert ("release.yaml", 11, "DRA403") in rows
    files["kustomization.yaml"] = files["kustomization.yaml"].replace("name: gpus", "name: gpu")
    write(tmp_path, files)
    assert found(".") == []


RENAMED = "resources: [../base]\nnamePrefix: dev-\n"


def test_a_reference_that_kustomize_does_not_rename(tmp_path: Path) -> None:
    claims = "  resourceClaims:\n  - name: gpu\n    resourceClaimTemplateName: one-gpu\n"
    files = base()
    files["base/pod.yaml"] = POD + claims
    files["dev/kustomization.yaml"] = RENAMED
    write(tmp_path, files)
    ((path, line, code, message),) = found(".")
    assert (path, line, code) == ("base/pod.yaml", 15, "DRA440")
    assert message.endswith("built in dev")
    # With a configuration that names the field it is renamed too.
    files["dev/kustomization.yaml"] += "configurations: [names.yaml]\n"
    files["dev/names.yaml"] = (
        "nameReference:\n- kind: ResourceClaimTemplate\n  group: resource.k8s.io\n  fieldSpecs:\n"
        "  - {path: spec/resourceClaims/resourceClaimTemplateName, kind: Pod}\n"
    )
    write(tmp_path, files)
    assert found(".") == []
    # So it is where a patch writes the new name.
    files["dev/kustomization.yaml"] = (
        RENAMED + "patches:\n- target: {kind: Pod}\n  patch: |\n    - op: replace\n"
        "      path: /spec/resourceClaims/0/resourceClaimTemplateName\n      value: dev-one-gpu\n"
    )
    write(tmp_path, files)
    assert found(".") == []


CLAIMS = "  resourceClaims:\n  - name: gpu\n    resourceClaimTemplateName: one-gpu\n"


def complete(patch: str, name: str = "prod") -> dict[str, str]:
    """A base that is complete, and an overlay that has a patch."""
    files = base()
    files["base/pod.yaml"] = POD + CLAIMS
    files["dev/kustomization.yaml"] = "resources: [../base]\n"
    files[f"{name}/kustomization.yaml"] = "resources: [../base]\npatches: [{path: patch.yaml}]\n"
    files[f"{name}/patch.yaml"] = patch
    return files


def test_a_complete_object_whose_template_a_patch_changes(tmp_path: Path) -> None:
    named = POD.replace("- name: gpu\n", "- name: gpu\n        request: gpu\n") + CLAIMS
    renamed = TEMPLATE.replace("- name: gpu\n", "- name: card\n")
    files = complete(renamed)
    files["base/pod.yaml"] = named
    write(tmp_path, files)
    ((path, line, code, message),) = found(".")
    assert (path, line, code) == ("base/pod.yaml", 13, "DRA414")
    assert message.endswith("(built in prod)")
    files["prod/patch.yaml"] = TEMPLATE.replace("exactly:", "exactly:\n          count: 2")
    write(tmp_path, files)
    assert found(".") == []


def test_what_an_inline_patch_breaks_is_said_in_the_kustomization(tmp_path: Path) -> None:
    text = (
        "resources: [../base]\npatches:\n- patch: |\n    apiVersion: v1\n    kind: Pod\n"
        "    metadata:\n      name: server\n      namespace: ml\n    spec:\n      containers:\n"
        "      - name: main\n        resources:\n          claims:\n          - name: gpus\n"
    )
    files = complete("")
    files["prod/kustomization.yaml"] = text
    write(tmp_path, files)
    lines = [(path, line, code) for path, line, code, _ in found(".")]
    assert ("prod/kustomization.yaml", 14, "DRA403") in lines


def test_what_the_value_of_an_operation_breaks_is_said_in_the_kustomization(tmp_path: Path) -> None:
    text = (
        "resources: [../base]\npatches:\n- target: {kind: Pod}\n  patch: |\n    - op: replace\n"
        "      path: /spec/containers/0/resources/claims/0/name\n      value: gpus\n"
    )
    files = complete("")
    files["prod/kustomization.yaml"] = text
    write(tmp_path, files)
    lines = [(path, line, code) for path, line, code, _ in found(".")]
    assert ("prod/kustomization.yaml", 7, "DRA403") in lines


def test_nothing_is_built_where_no_patch_and_no_object_speaks_of_claims(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dradsl.tree.kustomize.overlays.overlay import OverlayBuilder

    built: list[str] = []

    def build(self: OverlayBuilder, folder: str) -> Any:
        built.append(folder)
        raise AssertionError(folder)

    monkeypatch.setattr(OverlayBuilder, "build", build)
    copied = (
        "resources: [pod.yaml]\nreplacements:\n- source: {kind: Pod, fieldPath: metadata.name}\n"
        "  targets: [{select: {kind: Pod}, fieldPaths: [metadata.labels.app], options: {create: true}}]\n"
    )
    files = {
        "a/kustomization.yaml": copied,
        "a/pod.yaml": POD.partition("    resources:")[0],
        "b/pod.yaml": POD + CLAIMS,
        "b/template.yaml": TEMPLATE,
    }
    write(tmp_path, files)
    assert found(".") == []
    assert built == []


def other(claims: str) -> str:
    """A patch that lists claims of the pod."""
    return PATCH.partition("  resourceClaims")[0] + f"  resourceClaims:\n{claims}"


def test_a_patch_that_drops_a_claim_which_a_container_names(tmp_path: Path) -> None:
    more = "  - name: card\n    resourceClaimTemplateName: one-gpu\n"
    write(tmp_path, complete(other(more)))
    lines = [(path, line, code) for path, line, code, _ in found(".")]
    assert ("prod/patch.yaml", 7, "DRA441") in lines
    assert "DRA403" not in {code for _, _, code in lines}  # follows from it


def test_a_patch_that_keeps_the_claims_of_the_object_drops_none(tmp_path: Path) -> None:
    more = "  - name: gpu\n    resourceClaimTemplateName: one-gpu\n"
    write(tmp_path, complete(other(more)))
    assert found(".") == []


def test_an_operation_that_removes_a_claim_is_no_list_that_replaces_another(tmp_path: Path) -> None:
    files = complete("")
    files["prod/kustomization.yaml"] = (
        "resources: [../base]\npatches:\n- target: {kind: Pod}\n  patch: |\n    - op: remove\n"
        "      path: /spec/resourceClaims/0\n"
    )
    write(tmp_path, files)
    assert [(path, line, code) for path, line, code, _ in found(".")] == [
        ("base/pod.yaml", 12, "DRA403")
    ]


def test_a_patch_that_names_claims_otherwise(tmp_path: Path) -> None:
    """`claim` is no field: that is said of the patch, and not that nobody uses the claim."""
    files = base()
    files["base/pod.yaml"] = POD.partition("    resources:")[0]
    files["prod/kustomization.yaml"] = PATCHED
    files["prod/claim.yaml"] = PATCH.format(name="gpu") + (
        "  containers:\n  - name: main\n    resources:\n      claim:\n      - {name: gpu}\n"
    )
    write(tmp_path, files)
    assert [row[:3] for row in found(".")] == [("prod/claim.yaml", 13, "DRA005")]
    files["prod/claim.yaml"] = files["prod/claim.yaml"].replace("claim:\n", "claims:\n")
    write(tmp_path, files)
    assert found(".") == []


SET = """\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: apps, namespace: argocd}
spec:
  generators: [{generator}]
  template:
    metadata: {name: all}
    spec:
      destination: {namespace: ml}
      source:
        repoURL: https://example.com/repo
        path: '{path}'
"""
MENDED = """\
        kustomize:
          patches:
          - target: {kind: Pod}
            patch: |
              - {op: replace, path: /spec/resourceClaims/0/name, value: '{name}'}
"""


@pytest.mark.parametrize(
    ("generator", "path", "go"),
    [
        (
            "git: {repoURL: https://example.com/repo, directories: [{path: 'p*'}]}",
            "{{path}}",
            False,
        ),
        (
            "git: {repoURL: https://example.com/repo, directories: [{path: '*'}, {path: base, exclude: true}]}",
            "{{ path }}",
            False,
        ),
        (
            "git: {repoURL: https://example.com/repo, directories: [{path: 'p*'}]}",
            "{{.path.path}}",
            True,
        ),
        (
            "git: {repoURL: https://example.com/repo, directories: [{path: 'p*'}]}",
            "{{ .path.basename }}",
            True,
        ),
        (
            "git: {repoURL: https://example.com/repo, directories: [{path: 'p*'}]}",
            "{{ index .path.segments 0 }}",
            True,
        ),
        ("list: {elements: [{where: prod}, {where: none}]}", "{{where}}", False),
        ("list: {elements: [{deep: {where: prod}}]}", "{{.deep.where}}", True),
        (
            "git: {repoURL: https://example.com/repo, files: [{path: 'sets/*.json'}]}",
            "{{where}}",
            False,
        ),
    ],
)
def test_what_sets_of_applications_build_is_judged(
    generator: str, path: str, go: bool, tmp_path: Path
) -> None:
    """The patch of the template decides whether the claim has the name that the container uses."""
    files = base(prod="gpus")
    files["sets/prod.json"] = '{"where": "prod"}\n'
    text = SET.replace("{generator}", f"{{{generator}}}").replace("{path}", path)
    text = text.replace("spec:\n", "spec:\n  goTemplate: true\n", 1) if go else text
    files["set.yaml"] = text
    write(tmp_path, files)
    ((name, line, code, message),) = found(".")
    assert (name, line, code) == ("base/pod.yaml", 12, "DRA403")
    assert message.endswith("(built in ApplicationSet apps of set.yaml)")
    files["set.yaml"] = text + MENDED.replace("{name}", "gpu")
    write(tmp_path, files)
    assert found(".") == []
    files["set.yaml"] = text + MENDED.replace("{name}", "{{other}}")
    write(tmp_path, files)
    assert found(".") == []


def test_a_generator_of_another_repository_says_nothing_of_this_one(tmp_path: Path) -> None:
    files = base(prod="gpus")
    generator = "{git: {repoURL: https://example.com/other, directories: [{path: 'p*'}]}}"
    files["set.yaml"] = SET.replace("{generator}", generator).replace("{path}", "{{path}}")
    write(tmp_path, files)
    ((*_, message),) = found(".")
    assert message.endswith("(built in prod)")


@pytest.mark.parametrize(
    "more",
    [
        "    namePrefix: a-\n    nameSuffix: -b\n    namespace: team\n",
        "    commonLabels: {a: b}\n    commonAnnotations: {c: d}\n",
        "    commonAnnotations: {c: $ARGOCD_APP_NAME}\n",
        "    commonAnnotations: {c: d}\n    commonAnnotationsEnvsubst: true\n",
        "    components: [../part]\n",
        "    components: [../none]\n    ignoreMissingComponents: true\n",
    ],
)
def test_settings_of_an_application_are_built_in(more: str, tmp_path: Path) -> None:
    files = base(prod="gpus")
    files["part/kustomization.yaml"] = (
        "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\ncommonAnnotations: {x: z}\n"
    )
    kustomize = "    kustomize:\n" + "".join(f"  {line}\n" for line in more.splitlines())
    files["app.yaml"] = APPLICATION + kustomize
    write(tmp_path, files)
    assert ("base/pod.yaml", 12, "DRA403") in [row[:3] for row in found(".")]


@pytest.mark.parametrize(
    "more",
    [
        "    images: ['registry.example.com/server:2']\n",
        "    commonAnnotations: {c: $ARGOCD_APP_NAME}\n    commonAnnotationsEnvsubst: true\n",
        "    commonLabels: {c: $ARGOCD_APP_NAME}\n",
        "    commonLabels: {a: b}\n    labelWithoutSelector: true\n",
        "    replicas: [{name: server, count: 3}]\n",
        "    components: [../none]\n",
        "    commonLabels: {taken: again}\n",
    ],
)
def test_nothing_is_said_where_settings_of_an_application_are_not_built(
    more: str, tmp_path: Path
) -> None:
    files = base(prod="gpus")
    files["prod/kustomization.yaml"] += "commonLabels: {taken: once}\n"
    kustomize = "    kustomize:\n" + "".join(f"  {line}\n" for line in more.splitlines())
    files["app.yaml"] = APPLICATION + kustomize
    write(tmp_path, files)
    assert found(".") == []


@pytest.mark.parametrize(
    "made",
    [
        "literals: [CLAIM={name}], options: {disableNameSuffixHash: true}",
        "envs: [vars.env], options: {disableNameSuffixHash: true}",
        "files: [CLAIM=claim.txt], options: {disableNameSuffixHash: true}",
    ],
)
@pytest.mark.parametrize("kind", ["ConfigMap", "Secret"])
def test_variables_that_a_generator_makes(made: str, kind: str, tmp_path: Path) -> None:
    files = base(prod="${CLAIM}")
    files["flux.yaml"] = (
        FLUX + f"  postBuild: {{substituteFrom: [{{kind: {kind}, name: cluster-vars}}]}}\n"
    )
    generator = "configMapGenerator" if kind == "ConfigMap" else "secretGenerator"
    for name, expected in (("gpus", [("base/pod.yaml", 12, "DRA403")]), ("gpu", [])):
        entry = made.replace("{name}", name)
        files["vars/kustomization.yaml"] = f"{generator}:\n- {{name: cluster-vars, {entry}}}\n"
        files["vars/vars.env"] = f"CLAIM={name}\n"
        files["vars/claim.txt"] = name
        write(tmp_path, files)
        assert [row[:3] for row in found(".")] == expected
    # A name with the hash of the content is another one; of two nobody knows which one counts.
    files["vars/kustomization.yaml"] = (
        f"{generator}:\n- {{name: cluster-vars, literals: [CLAIM=gpus]}}\n"
    )
    write(tmp_path, files)
    assert found(".") == []
    entry = "literals: [CLAIM=gpus], options: {disableNameSuffixHash: true}"
    for folder in ("vars", "more"):
        files[f"{folder}/kustomization.yaml"] = f"{generator}:\n- {{name: cluster-vars, {entry}}}\n"
    write(tmp_path, files)
    assert found(".") == []


def test_a_folder_without_kustomization_and_what_the_source_leaves_out(tmp_path: Path) -> None:
    """Flux takes all YAML of the folder: values beside it are rejected, unless the source leaves them out."""
    files = {
        "prod/pod.yaml": POD.partition("    resources:")[0],
        "prod/template.yaml": TEMPLATE,
        "prod/.sops.yaml": "creation_rules: []\n",
        "flux.yaml": FLUX + MENDING.replace("{name: gpu,", "{name: gpus,"),
    }
    files["prod/pod.yaml"] = POD
    write(tmp_path, files)
    assert ("prod/pod.yaml", 12, "DRA403") in [row[:3] for row in found(".")]
    files["prod/values.yaml"] = "a: 1\n"
    write(tmp_path, files)
    assert "DRA403" not in {row[2] for row in found(".")}
    files[".sourceignore"] = "# values\n/prod/values.yaml\n"
    write(tmp_path, files)
    assert ("prod/pod.yaml", 12, "DRA403") in [row[:3] for row in found(".")]


def test_a_component_of_flux_that_may_be_missing(tmp_path: Path) -> None:
    files = base(prod="gpus")
    files["flux.yaml"] = FLUX + "  components: [../none]\n"
    write(tmp_path, files)
    assert found(".") == []
    files["flux.yaml"] += "  ignoreMissingComponents: true\n"
    write(tmp_path, files)
    assert [row[:3] for row in found(".")] == [("base/pod.yaml", 12, "DRA403")]


OF_CHART = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: tv, namespace: media}
spec:
  chart:
    spec:
      chart: {chart}
      sourceRef: {kind: {kind}, name: x}
      valuesFiles: [{file}]
  values:
    controllers:
      tv:
        containers:
          app:
            resources: {claims: [{name: gpu}]}
"""


def of_chart(chart: str, kind: str, file: str) -> str:
    text = OF_CHART.replace("{chart}", chart).replace("{kind}", kind)
    return text.replace("{kind:", "{kind:").replace("{file}", file)


def test_files_of_values_that_a_release_names_for_its_chart(tmp_path: Path) -> None:
    """They are known of a chart in the tree; of any other one they may bring the claim."""
    files = {
        "release.yaml": of_chart("app-template", "HelmRepository", "values-gpu.yaml"),
        "template.yaml": TEMPLATE.replace("namespace: ml", "namespace: media"),
    }
    write(tmp_path, files)
    assert found(".") == []
    files["release.yaml"] = of_chart(
        "./charts/app-template", "GitRepository", "charts/app-template/values-gpu.yaml"
    )
    files["charts/app-template/Chart.yaml"] = "apiVersion: v2\nname: app-template\nversion: 1.0.0\n"
    files["charts/app-template/values-gpu.yaml"] = VALUES.replace("{name}", "gpus")
    write(tmp_path, files)
    assert ("release.yaml", 15, "DRA403") in [row[:3] for row in found(".")]
    files["charts/app-template/values-gpu.yaml"] = VALUES.replace("{name}", "gpu")
    write(tmp_path, files)
    assert found(".") == []


def labelled(**overlays: str) -> dict[str, str]:
    """A base with admin access in a Namespace without labels, and overlays that give it this label."""
    files = {
        "base/kustomization.yaml": "namespace: ml\nresources: [ns.yaml, template.yaml]\n",
        "base/ns.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: ml}\n",
        "base/template.yaml": TEMPLATE + "          adminAccess: true\n",
    }
    for name, label in overlays.items():
        files[f"{name}/kustomization.yaml"] = PATCHED
        files[f"{name}/claim.yaml"] = (
            "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: ml\n"
            f'  labels: {{resource.kubernetes.io/{label}: "true"}}\n'
        )
    return files


@pytest.mark.parametrize(
    ("right", "wrong", "title"),
    [
        (("a", "b"), (), ""),
        (("a",), ("b",), "(built in b)"),
        ((), ("b",), "(built in b)"),
        ((), ("a", "b"), "(built in a, b)"),
    ],
)
def test_a_misspelt_label_is_found_in_each_overlay(
    tmp_path: Path, right: tuple[str, ...], wrong: tuple[str, ...], title: str
) -> None:
    labels = dict.fromkeys(right, "admin-access") | dict.fromkeys(wrong, "admin-acces")
    write(tmp_path, labelled(**labels))
    expected = f"the namespace does not allow admin access {title}"
    said = [("base/template.yaml", 13, "DRA315", expected)] if wrong else []
    assert found(".") == said


def test_an_overlay_without_the_label_is_found_beside_one_with_it(tmp_path: Path) -> None:
    files = labelled(a="admin-access", b="admin-access")
    files["b/kustomization.yaml"] = "resources: [../base]\n"
    write(tmp_path, files)
    assert [one[2] for one in found(".")] == ["DRA315"]
