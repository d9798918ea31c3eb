"""Recipes: operators' objects and charts' values, as their documentation shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dradsl.charts.recipes import read_recipe, shipped_recipes
from dradsl.migrate.result import Outcome
from tests.migrate.runs import only, run

if TYPE_CHECKING:
    from pathlib import Path

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
        "servingEngineSpec.big)": ("nvidia.com/mig-4g.71gb: 1", Outcome.REFUSED),
        "servingEngineSpec.idle)": ("nvidia.com/gpu: 2", Outcome.LEFT),
        "servingEngineSpec.raw)": ("amd.com/gpu: 1", Outcome.REFUSED),
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


def test_every_recipe_says_where_it_comes_from() -> None:
    assert len(shipped_recipes()) >= 8
    for recipe in shipped_recipes():
        assert recipe.title
        assert "@" in recipe.source
        assert recipe.kinds or recipe.values


def test_what_is_no_recipe_is_told_by_name(tmp_path: Path) -> None:
    path = tmp_path / "odd.yaml"
    path.write_text("recipe: odd\ntitle: t\nsource: s\npods: [{at: a, colour: red}]\n")
    with pytest.raises(ValueError, match=r"odd\.yaml"):
        read_recipe(path)


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
