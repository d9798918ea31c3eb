"""A container that misspells its pod's claim makes one mistake, and the finding names the claim that is meant."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from dradsl.cli.lint import command
from dradsl.lint.engine.run import lint_text

if TYPE_CHECKING:
    from pathlib import Path

POD = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {{name: t, namespace: ml}}
spec: {{spec: {{devices: {{requests: [{{name: gpus, exactly: {{deviceClassName: gpu.nvidia.com}}}}]}}}}}}
---
apiVersion: v1
kind: Pod
metadata: {{name: p, namespace: ml}}
spec:
  containers: [{{name: c, image: x, resources: {{claims: {claims}}}}}]
  resourceClaims: [{{name: gpu, resourceClaimTemplateName: t}}]
"""


@pytest.mark.parametrize("written", ["gup", "gpus", "GPU", "gp"])
def test_the_claim_that_is_meant_is_named_and_not_called_unused(written: str) -> None:
    (found,) = lint_text(POD.format(claims=f"[{{name: {written}}}]"), "x.yaml").findings
    assert (found.code, found.help) == ("DRA403", 'did you mean "gpu"?')


def test_another_name_is_not_taken_for_it() -> None:
    found = lint_text(POD.format(claims="[{name: network}]"), "x.yaml").findings
    assert [each.code for each in found] == ["DRA403"]
    assert found[0].help == "write claims: [{name: gpu}] under resources of container c"


def test_an_entry_that_is_a_text_is_one_mistake_and_is_fixed() -> None:
    text = POD.format(claims="[gpu]")
    (found,) = lint_text(text, "x.yaml").findings
    assert found.code == "DRA006"
    assert found.fix is not None
    assert found.fix.edits[0].new_text == "{name: gpu}"


@pytest.mark.parametrize("key", ["claim", "resourceClaim", "devices"])
def test_claims_of_a_container_under_another_key_are_one_mistake(key: str) -> None:
    text = POD.format(claims="[{name: gpu}]").replace("claims: [", f"{key}: [")
    (found,) = lint_text(text, "x.yaml").findings
    assert (found.code, found.help) == ("DRA005", 'did you mean "claims"?')
    assert found.fix is not None
    assert found.fix.edits[0].new_text == "claims"


@pytest.mark.parametrize("value", ["{name: gpu}", "[{name: gpu, size: 1}]", "[gpu]", "[]"])
def test_what_is_no_list_of_claims_is_not_taken_for_one(value: str) -> None:
    text = POD.format(claims="[{name: gpu}]").replace("claims: [", f"other: {value}, claims: [")
    (found,) = lint_text(text, "x.yaml").findings
    assert (found.code, found.help) == ("DRA005", "remove it, or write it where it belongs")
    alone = POD.format(claims="[]").replace("claims: []", f"other: {value}")
    found = next(each for each in lint_text(alone, "x.yaml").findings if each.code == "DRA005")
    assert found.help == "remove it, or write it where it belongs"
    assert found.fix is None


VALUES = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: p, namespace: ml}
spec:
  chart: {spec: {chart: app-template}}
  values:
    controllers:
      main:
        pod: {resourceClaims: [{name: gpu, resourceClaimTemplateName: t}]}
        containers: {main: {resources: {claims: [{name: gpu}]}}}
"""


@pytest.mark.parametrize(
    ("key", "meant"), [("resourceclaims", "resourceClaims"), ("claim", "claims")]
)
def test_a_list_of_claims_in_values_under_a_misspelt_key(key: str, meant: str) -> None:
    text = VALUES.replace(f"{meant}:", f"{key}:", 1)
    found = [each for each in lint_text(text, "x.yaml").findings if each.code != "DRA410"]
    assert [(each.code, each.help) for each in found] == [("DRA005", f'did you mean "{meant}"?')]
    assert found[0].fix is not None
    assert found[0].fix.edits[0].new_text == meant


@pytest.mark.parametrize(
    ("key", "meant"), [("resourceclaims", "resourceClaims"), ("claim", "claims")]
)
def test_a_list_of_claims_in_a_patch_under_a_misspelt_key(
    key: str, meant: str, tmp_path: Path
) -> None:
    base = "{main: {containers: {main: {image: {tag: x}}}}}"
    kept = VALUES.partition("    controllers:")[0] + f"    controllers: {base}\n"
    (tmp_path / "base.yaml").write_text(kept)
    (tmp_path / "patch.yaml").write_text(VALUES.replace(f"{meant}:", f"{key}:", 1))
    (tmp_path / "kustomization.yaml").write_text(
        "kind: Kustomization\napiVersion: kustomize.config.k8s.io/v1beta1\n"
        "resources: [base.yaml]\npatches: [{path: patch.yaml}]\n"
    )
    call = ["--isolated", "--output-format", "json", str(tmp_path)]
    found = json.loads(CliRunner().invoke(command, call).stdout)["findings"]
    said = [(each["code"], each["help"]) for each in found if each["code"] != "DRA410"]
    assert said == [("DRA005", f'did you mean "{meant}"?')]
