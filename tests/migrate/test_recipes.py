"""Recipes: operators' objects and charts' values, as their documentation shows them."""

from __future__ import annotations

from pathlib import Path

import pytest

from dradsl.migrate.result import Outcome
from dradsl.tree.charts.recipes import RecipeError, read_recipe, shipped_recipes
from tests.migrate.runs import data_of, only, run

NIM = """\
apiVersion: apps.nvidia.com/v1alpha1
kind: NIMService
metadata: {name: llm, namespace: nim}
spec:
  replicas: 1
  resources:
    limits: {nvidia.com/gpu: 2, memory: 1Gi}
"""

KUBERAY = """\
head:
  rayStartParams: {}
worker:
  groupName: gpus
  rayStartParams: {}
  resources:
    limits:
      nvidia.com/gpu: 4
"""

STACK = """\
servingEngineSpec:
  modelSpec:
  - name: big
    requestGPU: 1
    requestGPUType: nvidia.com/mig-4g.71gb
  - name: idle
    enabled: false
    requestGPU: "2"
  - name: raw
    requestGPU: 7
    resources:
      limits: {amd.com/gpu: 1}
"""

OLLAMA = """\
ollama:
  gpu:
    enabled: true
    type: {type}
    number: 2
    mig:
      enabled: {mig}
      devices: {{1g.10gb: 1, 3g.40gb: 2}}
"""


def test_nim_service_hands_claims_over_in_its_own_field() -> None:
    migration = run(NIM)
    text = migration.files[0].text
    assert "draResources:" in text
    assert "nvidia.com/gpu" not in text.split("---")[0]
    assert "memory: 1Gi" in text
    assert only(migration).outcome is Outcome.TRANSLATED
    assert migration.faults == ()
    assert not run(text).changed


def test_values_of_kuberay_take_claims() -> None:
    (file,) = run(KUBERAY, "values.yaml").files
    assert "  resourceClaims:\n  - name: devices\n" in file.text
    assert [obj["kind"] for obj in file.added] == ["ResourceClaimTemplate"]


def test_production_stack_s_models() -> None:
    items = {item.object: item for item in run(STACK, "values.yaml").items()}
    found = {title.partition("(")[2]: (i.before, i.outcome) for title, i in items.items()}
    assert found == {
        "servingEngineSpec.big)": ("nvidia.com/mig-4g.71gb: 1", Outcome.REJECTED),
        "servingEngineSpec.idle)": ("nvidia.com/gpu: 2", Outcome.LEFT),
        "servingEngineSpec.raw)": ("amd.com/gpu: 1", Outcome.REJECTED),
    }


@pytest.mark.parametrize(
    ("kind", "mig", "wanted"),
    [
        ("nvidia", "false", {"gpu.nvidia.com": 2}),
        ("nvidia", "true", {"mig.nvidia.com": 3}),
        ("amd", "false", {"gpu.amd.com": 2}),
    ],
)
def test_ollama_names_a_template(kind: str, mig: str, wanted: dict[str, int]) -> None:
    text = OLLAMA.format(type=kind, mig=mig)
    (file,) = run(text, "values.yaml").files
    assert file.text.startswith(text)
    (template,) = file.added
    got: dict[str, int] = {}
    for request in template["spec"]["spec"]["devices"]["requests"]:
        name = request["exactly"]["deviceClassName"]
        got[name] = got.get(name, 0) + request["exactly"].get("count", 1)
    assert got == wanted


LLM_D = """\
modelArtifacts:
  name: random/model
accelerator:
  type: {type}
decode:
  parallelism:
    tensor: 4
    dataLocal: 2
  containers:
  - name: vllm
    image: registry.example.com/vllm:1
    resources:
      limits:
        cpu: 4{limit}
prefill:
  create: false
  containers:
  - name: vllm
    image: registry.example.com/vllm:1
"""


def llm_d(kind: str = "nvidia", limit: str = "") -> str:
    return LLM_D.format(type=kind, limit=f"\n        {limit}" if limit else "")


def test_llm_d_writes_the_template_itself() -> None:
    """The chart counts by parallelism, with claims as without."""
    migration = run(llm_d(), "values.yaml")
    (file,) = migration.files
    assert file.added == ()
    assert "  accelerator:\n    dra: true\n" in file.text
    used, off = migration.items()
    assert (used.before, used.outcome) == ("nvidia.com/gpu: 8", Outcome.TRANSLATED)
    assert used.after == "request gpu: 8 x gpu.nvidia.com"
    assert (off.where, off.outcome) == ("container vllm", Outcome.LEFT)
    assert not run(file.text, "values.yaml").changed


def test_llm_d_s_own_limit_goes_where_it_says_the_same() -> None:
    (file,) = run(llm_d(limit="nvidia.com/gpu: 8"), "values.yaml").files
    assert "nvidia.com/gpu" not in file.text
    assert "cpu: 4" in file.text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (llm_d(limit="nvidia.com/gpu: 4"), "with claims the chart counts by parallelism.tensor"),
        (llm_d("amd"), "the chart writes the claim template itself, by class and count alone"),
        (llm_d("rebellions-atom"), "is not confirmed"),
        (
            llm_d().replace("prefill:", "  - {name: b, image: i}\nprefill:"),
            "each of 2 containers gets devices of its own",
        ),
        (
            llm_d().replace("decode:", "  resourceClaimTemplates: {nvidia: {count: 3}}\ndecode:"),
            "holds a count",
        ),
        (
            llm_d().replace("decode:", "  resources: {nvidia: nvidia.com/mig-1g.5gb}\ndecode:"),
            "selector",
        ),
    ],
)
def test_what_llm_d_s_own_template_cannot_say(text: str, reason: str) -> None:
    migration = run(text, "values.yaml")
    assert not migration.changed
    assert reason in next(iter(migration.items())).reason


@pytest.mark.parametrize(
    "text",
    [
        llm_d("cpu"),
        llm_d().replace("registry.example.com/vllm", "ghcr.io/llm-d/llm-d-inference-sim"),
        llm_d().replace("type: nvidia", "type: nvidia\n  dra: true"),
    ],
)
def test_llm_d_asks_for_no_device(text: str) -> None:
    assert run(text, "values.yaml").count(Outcome.TRANSLATED) == 0
    assert not run(text, "values.yaml").open


def test_values_of_a_chart_within_a_chart() -> None:
    """Open WebUI brings Ollama's chart along, with its values below a key."""
    inner = OLLAMA.format(type="nvidia", mig="false")
    text = "ollama:\n  enabled: true\n" + "".join(f"  {line}\n" for line in inner.splitlines())
    migration = run(text, "values.yaml")
    assert only(migration).object == "values (ollama.ollama.gpu)"
    assert only(migration).outcome is Outcome.TRANSLATED


@pytest.mark.parametrize(
    "text",
    [
        "ollama: {enabled: false, ollama: {gpu: {enabled: true, number: 2}}}\n",
        "a: {enabled: false, b: {resources: {limits: {nvidia.com/gpu: 1}}}}\n",
        KUBERAY
        + "additionalWorkerGroups:\n  a: {disabled: true, resources: {limits: {nvidia.com/gpu: 1}}}\n",
    ],
)
def test_what_is_switched_off_is_not_deployed(text: str) -> None:
    *_, item = run(text, "values.yaml").items()
    assert item.outcome is Outcome.LEFT
    assert "nothing is deployed" in item.reason


def test_ollama_without_a_number_asks_for_one() -> None:
    item = only(run("ollama: {gpu: {enabled: true, type: amd}}\n", "values.yaml"))
    assert (item.before, item.outcome) == ("amd.com/gpu: 1", Outcome.TRANSLATED)


def test_ollama_on_knative_has_no_place_for_claims() -> None:
    text = "knative: {enabled: true}\nollama: {gpu: {enabled: true, number: 2}}\n"
    item = only(run(text, "values.yaml"))
    assert item.outcome is Outcome.REJECTED
    assert "Knative" in item.reason


KSERVE = """\
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: m}
spec:
  predictor:
    model:
      resources:
        requests: {nvidia.com/gpu: 1}
        limits: {nvidia.com/gpu: 1}
"""


def test_kserve_finds_the_key_that_it_looks_for() -> None:
    """It takes images for CPUs where limits have no nvidia.com/gpu, whatever its number."""
    (file,) = run(KSERVE).files
    assert "limits: {nvidia.com/gpu: 0}" in file.text
    assert "requests: {nvidia.com/gpu: 0}" in file.text
    assert run(file.text).files[0].text == file.text


def test_kserve_s_workers_are_its_own_matter() -> None:
    item = only(run(KSERVE + "    workerSpec: {pipelineParallelSize: 2}\n"))
    assert item.outcome is Outcome.REJECTED


def test_a_claim_that_kserve_writes_itself() -> None:
    text = (
        "apiVersion: serving.kserve.io/v1alpha2\nkind: LLMInferenceService\nmetadata:\n  name: m\n"
        "  annotations: {serving.kserve.io/exp-dra-device-class: gpu.nvidia.com}\nspec:\n"
        "  template:\n    containers:\n    - name: main\n      image: i\n"
        "      resources: {limits: {nvidia.com/gpu: 1}}\n"
    )
    assert only(run(text)).question == "existing-claims"


def test_ray_is_told_of_its_gpus() -> None:
    (file,) = run(KUBERAY, "values.yaml").files
    assert "  rayStartParams: {num-gpus: '4'}\n" in file.text.replace('"', "'")
    said = KUBERAY.replace("gpus\n  rayStartParams: {}", "gpus\n  rayStartParams: {num-gpus: '2'}")
    assert "num-gpus: '2'" in run(said, "values.yaml").files[0].text
    tpu = KUBERAY.replace("nvidia.com/gpu", "google.com/tpu")
    assert "num-gpus" not in run(tpu, "values.yaml").files[0].text


@pytest.mark.parametrize(
    ("group", "wanted"),
    [("{CPU: '4'}", "GPU: '2'"), ("{CPU: '4', GPU: '2'}", "{CPU: '4', GPU: '2'}")],
)
def test_ray_groups_that_say_their_resources(group: str, wanted: str) -> None:
    """KubeRay rejects a group with resources in two places."""
    text = (
        "apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: r}\nspec:\n  headGroupSpec:\n"
        f"    resources: {group}\n    template:\n      spec:\n        containers:\n        - name: h\n"
        "          image: i\n          resources: {limits: {nvidia.com/gpu: 2}}\n"
    )
    after = run(text).files[0].text.replace('"', "'")
    assert wanted in after
    assert "num-gpus" not in after


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("resourceProfiles: {l4: {limits: {nvidia.com/gpu: 1}}}\n", "nvidia.com/gpu: 1"),
        (
            "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata: {name: d}\nspec:\n"
            "  services: {Decode: {resources: {limits: {gpu: '2', gpuType: gpu.intel.com/xe}}}}\n",
            "gpu.intel.com/xe: 2",
        ),
        (
            "apiVersion: sparkoperator.k8s.io/v1beta2\nkind: SparkApplication\nmetadata: {name: s}\n"
            "spec: {executor: {gpu: {name: amd.com/gpu, quantity: 2}}}\n",
            "amd.com/gpu: 2",
        ),
        ("gpuConfiguration: {nvidia.com/gpu: 2}\n", "nvidia.com/gpu: 2"),
        ("defaults: {limits: {nvidia.com/gpu: 2}}\n", "nvidia.com/gpu: 2"),
    ],
)
def test_shapes_that_cannot_carry_claims_are_found_and_rejected(text: str, before: str) -> None:
    item = only(run(text, "values.yaml"))
    assert (item.before, item.outcome) == (before, Outcome.REJECTED)
    assert item.routes


@pytest.mark.parametrize(
    "text", ["nodeSelector: {nvidia.com/gpu: 1}\n", "a: {nvidia.com/gpu: x}\n"]
)
def test_what_only_looks_like_a_request(text: str) -> None:
    assert not list(run(text, "values.yaml").items())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.yaml", KSERVE),
        ("a.yaml", NIM),
        ("values.yaml", KUBERAY),
        ("values.yaml", OLLAMA.format(type="nvidia", mig="false")),
        ("values.yaml", llm_d()),
    ],
)
def test_nothing_hangs_on_the_limit_after_a_migration(name: str, text: str) -> None:
    """What DRA908 warns of is what the migration sees to."""
    from dradsl.lint.engine.run import lint
    from dradsl.lint.engine.state import RunInput
    from dradsl.lint.settings.config import LintConfig
    from dradsl.migrate.output import rendered_objects
    from dradsl.text.documents import load
    from dradsl.tree.inputs.sources import SourceText

    (file,) = run(text, name).files
    assert file.changed
    texts = {name: file.text, "claims.yaml": rendered_objects(file.added)}
    sources = tuple(SourceText(each, load(text.encode())) for each, text in texts.items())
    report = lint(RunInput(sources), LintConfig(root=Path.cwd()))
    assert [f.message for f in report.findings if f.code.startswith("DRA9")] == []


def test_every_recipe_says_where_it_comes_from() -> None:
    assert len(shipped_recipes()) >= 8
    for recipe in shipped_recipes():
        assert recipe.title
        assert "@" in recipe.source
        assert recipe.kinds or recipe.values or recipe.charts


HEAD = "recipe: odd\ntitle: t\nsource: s\n"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", "a recipe is one document"),
        ("a: [", "did not find expected"),
        ("- a\n", "a recipe is a mapping"),
        ("title: t\n", "recipe is missing"),
        (
            HEAD + "pods: [{at: a, colour: red}]\n",
            r"pods\[0\]\.colour: there is no such key \(but at",
        ),
        (HEAD + "pods: 3\n", "pods is a list"),
        (HEAD + "kinds: A.b\npods: []\n", "kinds is a list"),
        (HEAD + "pods: [{containers: [a]}]\n", r"pods\[0\]\.at is missing"),
        (HEAD + "pods: [{at: a, when: [b]}]\n", r"pods\[0\]\.when is a mapping"),
        (HEAD + "pods: [{at: a, rendered: 1}]\n", "rendered is true or false"),
        (
            HEAD + "pods: [{at: a, amounts: [{key: b, resource: c, number: x}]}]\n",
            "number is a whole number",
        ),
        (HEAD + "pods: [{at: a, drops: [{what: b}]}]\n", r"drops\[0\]\.instead is missing"),
        (HEAD + "pods: [{at: a, set-values: {b: ['{tmplate}']}}]\n", r"there is no \{tmplate\}"),
        (
            HEAD + "pods: [{at: a, containers: [b], set-values: {pod.resourceClaims: []}}]\n",
            "claims of pods and containers are written by themselves",
        ),
        (HEAD + "pods: [{at: a, pod: b}]\n", "pod, defaults and fields go with containers"),
        (HEAD + "rendered: ['4.x']\npods: []\n", r"rendered\[0\] is a version"),
        (HEAD + "since: {version: 1.2.3}\npods: []\n", "since.earlier is missing"),
        (HEAD + "objects: [{at: a, form: b}]\npods: []\n", r"objects\[0\]\.at is a path with"),
        (HEAD + "objects: [{at: 'a.{name}', form: '{obj}'}]\npods: []\n", r"there is no \{obj\}"),
    ],
)
def test_what_is_no_recipe_is_told(text: str, wanted: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.yaml"
    path.write_text(text)
    with pytest.raises(RecipeError, match=rf"odd\.yaml.*{wanted}"):
        read_recipe(path)


OWN = """\
recipe: mine
title: a chart of our own
source: our own
charts: [mine]
values: [workers]
pods:
- at: workers.*
  containers: ['containers.*']
  fields: {resourceClaims: extraPodSpec.resourceClaims, tolerations: /tolerations}
- at: services.*
  containers: ['.']
  set-values:
    devices[]: [{from: 'template {template}', '{template}': [true]}]
"""
VALUES = """\
workers: {main: {containers: {app: {resources: {limits: {nvidia.com/gpu: 1}}}}}}
services: {web: {resources: {limits: {nvidia.com/gpu: 1, cpu: 1}}}}
"""


def test_a_recipe_of_ones_own_is_filled_in_everywhere(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(OWN)
    answers = {"tolerations": "add"}
    migration = run(VALUES, "values.yaml", answers, recipes=(read_recipe(path),))
    (file,) = migration.files
    assert migration.count(Outcome.TRANSLATED) == 2
    assert "nvidia.com/gpu: 1" not in file.text
    (found,) = data_of(file.text)
    (claim,) = found["workers"]["main"]["extraPodSpec"]["resourceClaims"]
    assert claim["resourceClaimTemplateName"] in [each["metadata"]["name"] for each in file.added]
    assert found["tolerations"]
    web = found["services"]["web"]
    assert web["resources"] == {"limits": {"cpu": 1}}
    ((entry,),) = web["devices"]
    name = entry["from"].removeprefix("template ")
    assert entry == {"from": f"template {name}", name: [True]}
    assert name in [each["metadata"]["name"] for each in file.added]


def test_a_predictor_with_containers_in_two_shapes_gets_one_claim() -> None:
    text = (
        "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {name: m}\nspec:\n"
        "  predictor:\n    model:\n      resources: {limits: {nvidia.com/gpu: 1}}\n    containers:\n"
        "    - name: helper\n      image: i\n      resources: {limits: {nvidia.com/gpu: 2}}\n"
    )
    migration = run(text)
    assert migration.faults == ()
    assert migration.count(Outcome.TRANSLATED) == 2
    assert migration.files[0].text.count("resourceClaimTemplateName") == 1


def test_ray_s_submitter_is_no_group() -> None:
    text = (
        "apiVersion: ray.io/v1\nkind: RayJob\nmetadata: {name: r}\nspec:\n  submitterPodTemplate:\n"
        "    spec:\n      containers:\n      - name: w\n        image: i\n"
        "        resources: {limits: {nvidia.com/gpu: 1}}\n"
    )
    text_after = run(text).files[0].text
    assert "resourceClaims" in text_after
    assert "rayStartParams" not in text_after


FLUX = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata:
  name: chat
  namespace: flux-system
spec:
  targetNamespace: ml
  values:
    ollama:
      gpu:
        enabled: true  # one card
        number: 1
    sidecar:
      resources: {limits: {nvidia.com/gpu: 1}}
"""
ARGO_CD = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: chat, namespace: argocd}
spec:
  destination: {namespace: ml}
  sources:
  - ref: values
  - helm:
      valuesObject:
        head: {rayStartParams: {}}
        worker:
          rayStartParams: {}
          resources: {limits: {nvidia.com/gpu: 2}}
"""


def test_values_within_a_release_of_flux() -> None:
    migration = run(FLUX)
    assert migration.faults == ()
    (file,) = migration.files
    chat, sidecar = file.items
    assert chat.object == "values of HelmRelease ml/chat (ollama.gpu)"
    assert (chat.outcome, sidecar.outcome) == (Outcome.TRANSLATED, Outcome.REJECTED)
    assert "spec.postRenderers" in sidecar.routes[0]
    assert "enabled: true  # one card\n        number: 1\n        draEnabled: true\n" in file.text
    assert "kind: ResourceClaimTemplate\n" in file.text
    assert file.text.count("namespace: ml") == 1
    (patch,) = file.patches
    assert patch.target["kind"] == "HelmRelease"
    assert patch.operations[0]["path"] == "/spec/values/ollama/gpu/draEnabled"
    assert not run(file.text).changed


def test_values_within_an_application_of_argo_cd() -> None:
    migration = run(ARGO_CD)
    assert migration.faults == ()
    (file,) = migration.files
    item = only(migration)
    assert item.object == "values of Application ml/chat (worker)"
    assert "the namespace of the chart's pods" in item.notes[-2] + item.notes[-1]
    assert "resourceClaimTemplateName: chat-worker-" in file.text
    assert not run(file.text).changed


BY_NAME = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: a, namespace: home}}
spec:
  chart: {{spec: {{chart: {chart}, version: 1.2.3}}}}
  values: {values}
"""


@pytest.mark.parametrize(
    ("chart", "values", "before"),
    [
        ("frigate", "{gpu: {nvidia: {enabled: true}}}", "nvidia.com/gpu: 1"),
        ("chatqna", "{vllm: {resources: {limits: {habana.ai/gaudi: 1}}}}", "habana.ai/gaudi: 1"),
    ],
)
def test_charts_that_are_known_by_name_say_what_they_need(
    chart: str, values: str, before: str
) -> None:
    item = only(run(BY_NAME.format(chart=chart, values=values)))
    assert (item.before, item.outcome) == (before, Outcome.REJECTED)
    assert "no place for claims" in item.reason
    assert any("the chart needs in templates/deployment.yaml" in each for each in item.routes)
    other = run(BY_NAME.format(chart="other", values=values))
    assert not any("no place for claims" in each.reason for each in other.items())


APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: app}}
spec:
  source: {{chart: {chart}, targetRevision: 1.2.3, helm: {{valuesObject: {values}}}}}
"""


@pytest.mark.parametrize("chart", ["jellyfin", "frigate"])
@pytest.mark.parametrize("release", [BY_NAME, APPLICATION])
def test_a_chart_whose_pod_has_no_place_says_what_to_write(chart: str, release: str) -> None:
    values = "{resources: {limits: {gpu.intel.com/i915: 1}}}"
    item = only(run(release.format(chart=chart, values=values)))
    assert item.outcome is Outcome.REJECTED
    assert "no place for claims" in item.reason
    assert any("the chart needs in templates/deployment.yaml" in each for each in item.routes)


def test_what_a_chart_is_goes_before_what_its_values_look_like() -> None:
    part = "{controllers: {main: {containers: {main: {resources: {limits: {nvidia.com/gpu: 1}}}}}}}"
    text = BY_NAME.format(chart="immich", values="{immich: {}, machine-learning: PART}")
    text = text.replace("PART", part)
    item = only(run(text.replace("1.2.3", "0.9.2")))
    assert "immich 0.9.2: its library drops resourceClaims" in item.reason
    assert only(run(text.replace("1.2.3", "0.11.0"))).outcome is Outcome.TRANSLATED


def test_ray_s_chart_drops_claims_before_1_6() -> None:
    values = "{head: {rayStartParams: {}}, worker: {rayStartParams: {}, resources: {limits: {nvidia.com/gpu: 1}}}}"
    text = BY_NAME.format(chart="ray-cluster", values=values)
    assert "from 1.6.0 on" in only(run(text.replace("1.2.3", "1.5.1"))).reason


def test_services_of_a_nim_pipeline_are_nim_services() -> None:
    text = (
        "apiVersion: apps.nvidia.com/v1alpha1\nkind: NIMPipeline\nmetadata: {name: rag, namespace: nim}\n"
        "spec:\n  services:\n"
        "  - name: llm\n    spec:\n      resources: {limits: {nvidia.com/gpu: 2, memory: 1Gi}}\n"
        "  - name: embed\n    spec:\n      resources: {limits: {nvidia.com/gpu: 1}}\n"
    )
    migration = run(text)
    pipeline, *templates = data_of(migration.files[0].text)
    services = [each["spec"] for each in pipeline["spec"]["services"]]
    assert services[0]["resources"] == {"limits": {"memory": "1Gi"}}
    named = [each["draResources"][0]["resourceClaimTemplateName"] for each in services]
    assert named == [each["metadata"]["name"] for each in templates]
    assert len(set(named)) == 2
    counts = [each["spec"]["spec"]["devices"]["requests"][0]["exactly"] for each in templates]
    assert [each.get("count", 1) for each in counts] == [2, 1]
    assert all("immutable" in " ".join(item.notes) for item in migration.items())


def test_a_nim_service_of_several_nodes_gives_each_pod_its_claims() -> None:
    (file,) = run(NIM.replace("replicas: 1", "multiNode: {size: 2}")).files
    service, _ = data_of(file.text)
    assert list(service["spec"]["draResources"][0]) == ["resourceClaimTemplateName"]


def test_limits_and_guarantees_of_jupyterhub_are_one_use() -> None:
    override = "{extra_resource_limits: {nvidia.com/gpu: 1}, extra_resource_guarantees: {nvidia.com/gpu: 1}}"
    text = f"singleuser:\n  profileList:\n  - display_name: gpu\n    kubespawner_override: {override}\n"
    item = only(run(text))
    assert "KubeSpawner takes claims" in item.reason
