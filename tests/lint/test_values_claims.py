"""Claims in values of charts: how findings name them, what `--fix` and `--since` make of them.

Which findings there are is listed in the trees `values-*` of tests/tree.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from dradsl.cli.lint import command
from tests.lint.repositories import codes, commit, git, only_git_of_the_test

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: tv, namespace: media}
spec:
  chart: {spec: {chart: app-template}}
  values:
    controllers:
      app:
        pod:
          resourceClaims:
          - name: gpu
            FIELD: tv
        containers:
          app:
            resources:
              claims:
              - name: USED
    rawResources:
      gpu:
        apiVersion: resource.k8s.io/v1
        kind: ResourceClaimTemplate
        spec:
          spec:
            spec:
              devices:
                requests:
                - name: card
                  exactly: {deviceClassName: gpu.intel.com, count: COUNT}
"""


def release(field: str = "resourceClaimTemplateName", used: str = "gpu", count: int = 1) -> str:
    return RELEASE.replace("FIELD", field).replace("USED", used).replace("COUNT", str(count))


def findings(*words: str) -> list[dict[str, Any]]:
    result = CliRunner().invoke(command, ["--isolated", *words, "--output-format", "json"])
    assert result.exit_code in (0, 1), result.output
    found: list[dict[str, Any]] = json.loads(result.stdout)["findings"]
    return found


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    only_git_of_the_test(tmp_path, monkeypatch)
    return tmp_path


def test_right_values_are_silent(here: Path) -> None:
    (here / "release.yaml").write_text(release())
    assert findings("release.yaml") == []


def test_a_finding_names_the_release_and_the_field_of_its_values(here: Path) -> None:
    (here / "release.yaml").write_text(release(used="other"))
    found = next(each for each in findings("release.yaml") if each["code"] == "DRA403")
    assert found["object"]["kind"] == "HelmRelease"
    assert found["object"]["name"] == "tv"
    assert found["field"] == "spec.values.controllers.app.containers.app.resources.claims[0]"
    assert (found["line"], found["column"]) == (17, 17)


def test_a_finding_in_a_raw_resource_names_what_it_becomes(here: Path) -> None:
    (here / "release.yaml").write_text(release(count=-1))
    (found,) = findings("release.yaml")
    assert found["object"]["kind"] == "ResourceClaimTemplate"
    assert found["object"]["name"] == "tv"
    assert found["field"].startswith("spec.values.rawResources.gpu.spec.spec.spec.devices")


def test_fix_mends_values_where_they_stand(here: Path) -> None:
    path = here / "release.yaml"
    path.write_text(release(field="resourceClaimTemplatename"))
    CliRunner().invoke(command, ["--isolated", "--fix", "--unsafe-fixes", "release.yaml"])
    assert path.read_text() == release()


def test_fix_leaves_texts_with_values_alone(here: Path) -> None:
    text = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: values}
data:
  values.yaml: |
    resourceClaims: [{name: gpu, resourceClaimTemplatename: gpu}]
"""
    path = here / "values.yaml"
    path.write_text(text)
    (found,) = findings("values.yaml")
    assert (found["code"], found["line"], found["column"]) == ("DRA005", 6, 34)
    CliRunner().invoke(command, ["--isolated", "--fix", "--unsafe-fixes", "values.yaml"])
    assert path.read_text() == text


def test_a_template_in_values_cannot_be_changed_either(here: Path) -> None:
    git(here, "init", "-q", "-b", "main")
    (here / "release.yaml").write_text(release())
    commit(here)
    assert codes("--since", "HEAD", ".") == []
    (here / "release.yaml").write_text(release(count=2))
    assert codes("--since", "HEAD", ".") == [("release.yaml", "DRA314")]


def test_values_of_a_chart_that_is_not_known_are_no_error(here: Path) -> None:
    text = release(used="gpux").replace("chart: app-template", "chart: other")
    (here / "release.yaml").write_text(text)
    assert [(f["code"], f["severity"]) for f in findings("release.yaml")] == [("DRA403", "warning")]


def test_each_release_of_a_name_counts_for_its_own_namespace(here: Path) -> None:
    """The template that one release makes is none for another namespace."""
    (here / "a.yaml").write_text(release())
    other = release().replace("namespace: media", "namespace: radio")
    (here / "b.yaml").write_text(other[: other.index("    rawResources")])
    assert codes(".") == [("b.yaml", "DRA416")]


@pytest.mark.parametrize(("chart", "is_fixed"), [("app-template", True), ("other", False)])
def test_a_safe_fix_is_one_only_where_the_chart_is_known(
    here: Path, chart: str, is_fixed: bool
) -> None:
    path = here / "release.yaml"
    text = release().replace("chart: app-template", f"chart: {chart}")
    misplaced = text.replace(
        """\
            resources:
              claims:
              - name: gpu
""",
        """\
            claims:
            - name: gpu
              request: card
""",
    )
    path.write_text(misplaced)
    CliRunner().invoke(command, ["--isolated", "--fix", "release.yaml"])
    assert (path.read_text() == misplaced) is not is_fixed
