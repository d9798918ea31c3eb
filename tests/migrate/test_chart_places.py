"""Values of a chart among the files: its templates get a place for claims, if the answer allows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from dradsl.lint.input.sources import SourceText
from dradsl.migrate.planning.answers import Answers
from dradsl.migrate.result import Outcome
from dradsl.migrate.run import Options, migrate
from dradsl.text.documents import load
from tests.migrate.runs import data_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.migrate.result import Migration

CHART = "apiVersion: v2\nname: server\nversion: 1.0.0\n"
TEMPLATE = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
spec:
  template:
    spec:
      containers:
      - name: main
        image: a
        resources:
          {{- toYaml .Values.gpu.resources | nindent 10 }}
"""
VALUES = "gpu:\n  resources:\n    limits:\n      nvidia.com/gpu: 2\n"
PLACE = """\
      {{- with .Values.gpu.resourceClaims }}
      resourceClaims:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
"""
WRITE = {"chart-places": "write"}


def chart_run(answers: Mapping[str, object], values: str = VALUES, **more: str) -> Migration:
    """The migration of a chart's files, with `more` of them by their names with `__` for the slash."""
    files = {
        "c/Chart.yaml": CHART,
        "c/templates/deployment.yaml": TEMPLATE,
        "c/values.yaml": values,
        **{name.replace("__", "/"): text for name, text in more.items()},
    }
    sources = [SourceText(name, load(text.encode())) for name, text in files.items()]
    return migrate(sources, Options(answers=Answers(dict(answers))))


def test_it_is_asked() -> None:
    migration = chart_run({})
    (item,) = migration.items()
    assert item.outcome is Outcome.REFUSED
    assert item.question == "chart-places"
    assert "the pod has no place for claims" in item.reason
    assert not migration.changed


def test_the_place_is_written_and_the_values_use_it() -> None:
    migration = chart_run(WRITE)
    texts = {file.path: file.text for file in migration.files}
    assert texts["c/templates/deployment.yaml"] == TEMPLATE.replace("      containers:\n", PLACE)
    (values,) = data_of(texts["c/values.yaml"])
    (added,) = next(file.added for file in migration.files if file.path == "c/values.yaml")
    name = added["metadata"]["name"]
    assert name.startswith("server-")  # values of another chart may go to the same namespace
    assert values == {
        "gpu": {
            "resources": {"claims": [{"name": "devices", "request": "gpu"}]},
            "resourceClaims": [{"name": "devices", "resourceClaimTemplateName": name}],
        }
    }
    assert migration.together == {"c/templates/deployment.yaml", "c/values.yaml"}


def test_other_values_of_the_chart_ask_as_well() -> None:
    migration = chart_run(WRITE, "gpu: {resources: {}}\n", **{"c__ci__gpu.yaml": VALUES})
    changed = {file.path for file in migration.files if file.changed}
    assert changed == {"c/templates/deployment.yaml", "c/ci/gpu.yaml"}


@pytest.mark.parametrize(
    "values",
    [
        "gpu: {resources: {limits: {cpu: 1}}}\n",
        VALUES.replace("2", "one"),  # refused for another reason
    ],
)
def test_a_chart_whose_values_do_not_use_it_stays(values: str) -> None:
    migration = chart_run(WRITE, values)
    assert not migration.changed
    assert not migration.together


def test_a_schema_that_lists_its_keys_gets_the_key() -> None:
    schema = '{"properties": {"gpu": {"properties": {"resources": {}}, "additionalProperties": false}}}\n'
    migration = chart_run(WRITE, **{"c__values.schema.json": schema})
    text = next(file.text for file in migration.files if file.path == "c/values.schema.json")
    (data,) = data_of(text)
    assert "resourceClaims" in data["properties"]["gpu"]["properties"]


def test_a_pod_that_has_claims_of_its_own_is_not_touched() -> None:
    own = TEMPLATE.replace(
        "      containers:\n", "      resourceClaims:\n      - name: x\n      containers:\n"
    )
    migration = chart_run(WRITE, **{"c__templates__deployment.yaml": own})
    assert not migration.changed


def test_an_answer_for_one_chart_leaves_the_other() -> None:
    rules = Answers({}).answering("*", "chart-places", "write", "c/*")
    files: dict[str, str] = {}
    for folder in ("c", "d"):
        files |= {
            f"{folder}/Chart.yaml": CHART,
            f"{folder}/templates/deployment.yaml": TEMPLATE,
            f"{folder}/values.yaml": VALUES,
        }
    sources = [SourceText(name, load(text.encode())) for name, text in files.items()]
    migration = migrate(sources, Options(answers=rules))
    changed = {file.path for file in migration.files if file.changed}
    assert changed == {"c/templates/deployment.yaml", "c/values.yaml"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # Whether claims survive in other kinds says their CRD, which nobody asks about a template.
        ("Deployment", "ServingRuntime"),
        ("Deployment", "{{ .Values.kind }}"),
        # Hooks run before the other objects of the release, the claim template among them.
        ("metadata:\n", "metadata:\n  annotations: {helm.sh/hook: pre-install}\n"),
    ],
)
def test_pods_that_would_lose_claims_or_wait_get_no_place(old: str, new: str) -> None:
    text = TEMPLATE.replace(old, new)
    migration = chart_run(WRITE, **{"c__templates__deployment.yaml": text})
    (item,) = (each for each in migration.items() if each.path == "c/values.yaml")
    assert item.question is None
    assert not migration.changed


APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: {name}, namespace: argocd}}
spec:
  source: {{repoURL: https://git.example/x, path: c}}
  destination: {{server: https://{server}, namespace: {namespace}}}
"""
RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: {name}, namespace: {namespace}}}
spec:
  chart: {{spec: {{chart: ./c, sourceRef: {{kind: GitRepository, name: x}}}}}}
"""
HELMFILE = (
    "releases:\n- {name: a, chart: ./c, namespace: x}\n- {name: b, chart: ./c, namespace: x}\n"
)
OWN_PLACE = TEMPLATE.replace("      containers:\n", PLACE)


def _argo_cd(name: str, namespace: str, server: str = "one") -> str:
    return APPLICATION.format(name=name, namespace=namespace, server=server)


@pytest.mark.parametrize(
    "releases",
    [
        _argo_cd("a", "x") + "---\n" + _argo_cd("b", "x"),
        RELEASE.format(name="a", namespace="x") + "---\n" + RELEASE.format(name="b", namespace="x"),
    ],
)
@pytest.mark.parametrize("template", [TEMPLATE, OWN_PLACE])
def test_two_releases_in_one_namespace_cannot_share_a_claim_template(
    releases: str, template: str
) -> None:
    """Both would bring an object of one name: the second one would not install."""
    more = {"releases.yaml": releases, "c__templates__deployment.yaml": template}
    migration = chart_run(WRITE, **more)
    (item,) = migration.items()
    assert item.outcome is Outcome.REFUSED
    assert item.question is None
    assert "install this chart into one namespace" in item.reason
    assert not migration.changed


def test_helmfiles_install_too() -> None:
    migration = chart_run(WRITE, **{"helmfile.yaml": HELMFILE})
    assert not migration.changed


@pytest.mark.parametrize(
    "releases",
    [
        _argo_cd("a", "x"),
        _argo_cd("a", "x") + "---\n" + _argo_cd("b", "y"),
        _argo_cd("a", "x") + "---\n" + _argo_cd("b", "x", server="two"),
        _argo_cd("a", "x") + "---\n" + _argo_cd("b", "x").replace("path: c", "path: other/d"),
        RELEASE.format(name="a", namespace="x") + "---\n" + RELEASE.format(name="b", namespace="y"),
    ],
)
def test_releases_that_cannot_meet_do_not_matter(releases: str) -> None:
    migration = chart_run(WRITE, **{"releases.yaml": releases})
    assert {file.path for file in migration.files if file.changed} == {
        "c/templates/deployment.yaml",
        "c/values.yaml",
    }


def _template(path: str) -> str:
    return TEMPLATE.replace(".Values.gpu.resources", f".Values.{path}")


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("resources.vllm", "resourceClaims"),
        ("gpuResources", "resourceClaims"),
        ("vllm.gpuResources", "vllm.resourceClaims"),
    ],
)
def test_resources_may_have_another_key(path: str, place: str) -> None:
    """What a template writes whole are the resources, whatever the key of the values is."""
    keys = path.split(".")
    values = "".join(f"{'  ' * depth}{key}:\n" for depth, key in enumerate(keys))
    values += "{0}limits:\n{0}  nvidia.com/gpu: 2\n".format("  " * len(keys))
    template = {"c__templates__deployment.yaml": _template(path)}
    (asked,) = chart_run({}, values, **template).items()
    assert asked.question == "chart-places"
    migration = chart_run(WRITE, values, **template)
    (item,) = migration.items()
    assert item.outcome is Outcome.TRANSLATED
    (data,) = data_of(next(f.text for f in migration.files if f.path == "c/values.yaml"))
    claims = [_at(data, place)]
    assert [each["name"] for each in claims[0]] == ["devices"]
    assert _at(data, path) == {"claims": [{"name": "devices", "request": "gpu"}]}
    text = next(f.text for f in migration.files if f.path == "c/templates/deployment.yaml")
    assert f"with .Values.{place} " in text


def _at(data: Any, path: str) -> Any:
    for key in path.split("."):
        data = data[key]
    return data


def test_keys_at_two_depths_are_both_written() -> None:
    values = (
        "gpuResources:\n  limits: {nvidia.com/gpu: 2}\n"
        "engine:\n  gpuResources:\n    limits: {nvidia.com/gpu: 3}\n"
    )
    migration = chart_run(
        WRITE,
        values,
        **{
            "c__templates__deployment.yaml": _template("gpuResources"),
            "c__templates__engine.yaml": _template("engine.gpuResources"),
        },
    )
    assert [item.outcome for item in migration.items()] == [Outcome.TRANSLATED] * 2


def test_containers_with_the_same_resources_would_share_the_devices() -> None:
    second = OWN_PLACE + "      - name: second\n" + OWN_PLACE.rpartition("- name: main\n")[2]
    migration = chart_run(WRITE, **{"c__templates__deployment.yaml": second})
    assert {item.outcome for item in migration.items()} == {Outcome.REFUSED}
    assert "several containers" in next(migration.items()).reason


def test_another_pod_with_the_resources_needs_the_claims_too() -> None:
    other = TEMPLATE.replace("      containers:\n", PLACE.replace("gpu.", "other."))
    migration = chart_run(
        WRITE,
        **{"c__templates__deployment.yaml": OWN_PLACE, "c__templates__other.yaml": other},
    )
    (item,) = migration.items()
    assert item.outcome is Outcome.REFUSED
    assert "c/templates/other.yaml writes these resources too" in item.reason


OTHER = "gpu:\n  resources:\n    limits:\n      nvidia.com/gpu: 1\nimage: b\nreplicas: 2\n"


def test_values_apart_from_the_chart_would_ask_twice() -> None:
    values = f"{VALUES}image: a\nreplicas: 1\n"
    migration = chart_run(WRITE, values, examples__large=OTHER)
    assert {item.outcome for item in migration.items()} == {Outcome.REFUSED}
    (own,) = (item for item in migration.items() if item.path == "c/values.yaml")
    assert own.reason.startswith("examples/large (gpu.resources.limits.nvidia.com/gpu) asks at")
    assert not migration.changed


@pytest.mark.parametrize(
    "other",
    [
        OTHER.replace("image:", "of_another_chart:"),
        OTHER.replace("nvidia.com/gpu", "cpu"),
        OTHER.replace("gpu:\n  resources", "gpu:\n  other"),
    ],
)
def test_other_values_do_not_matter(other: str) -> None:
    values = f"{VALUES}image: a\nreplicas: 1\n"
    migration = chart_run(WRITE, values, examples__large=other)
    outcomes = {item.outcome for item in migration.items() if item.path == "c/values.yaml"}
    assert outcomes == {Outcome.TRANSLATED}


def test_a_custom_resource_that_drops_claims_is_named() -> None:
    """The NIM operator takes no claims from `resources`."""
    template = (
        "apiVersion: apps.nvidia.com/v1alpha1\nkind: NIMService\nmetadata: {name: a}\nspec:\n"
        "  resources:\n    {{- toYaml .Values.gpu.resources | nindent 4 }}\n"
    )
    (item,) = chart_run(WRITE, **{"c__templates__deployment.yaml": template}).items()
    assert item.outcome is Outcome.REFUSED
    assert "into the resources of a NIMService (line 5), which drops claims" in item.reason
    assert "spec.draResources" in item.reason
