"""app-template: containers, pod fields and whole objects at different places of its values, by its version."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from dradsl.migrate.planning.answers import Answers
from dradsl.migrate.result import Outcome
from dradsl.migrate.run import Options, migrate
from dradsl.text.documents import load
from dradsl.text.render import render_block
from dradsl.tree.inputs.sources import SourceText
from tests.migrate.charts import rendering
from tests.migrate.runs import data_of, only, run

if TYPE_CHECKING:
    from dradsl.migrate.result import Migration

RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: plex, namespace: media}
spec:
  chartRef: {kind: OCIRepository, name: charts}
  values:
    controllers:
      plex:
        containers:
          app:
            image: {repository: x, tag: "1"}
            resources:
              limits: {gpu.intel.com/i915: 1}  # the card
    route: {app: {hostnames: ["{{ .Release.Name }}.example.org"]}}
"""
SOURCE = """\
apiVersion: source.toolkit.fluxcd.io/v1
kind: OCIRepository
metadata: {name: charts, namespace: flux-system}
spec:
  url: oci://registry.example.com/charts/app-template
  ref: {tag: 4.3.0}
"""


def together(*texts: str, **options: Any) -> Migration:
    sources = [SourceText(f"{index}.yaml", load(text.encode())) for index, text in enumerate(texts)]
    return migrate(sources, Options(answers=Answers({"tolerations": "leave"}), **options))


def values(migration: Migration) -> Any:
    return data_of(migration.files[0].text)[0]["spec"]["values"]


def test_a_release_says_where_claims_and_template_go() -> None:
    migration = together(RELEASE, SOURCE)
    assert migration.faults == ()
    assert migration.count(Outcome.TRANSLATED) == 1
    found = values(migration)
    (claim,) = found["controllers"]["plex"]["pod"]["resourceClaims"]
    (name,) = found["rawResources"]
    assert claim == {"name": "devices", "resourceClaimTemplateName": name}
    raw = found["rawResources"][name]
    assert raw["forceRename"] == name
    assert raw["spec"]["spec"]["spec"]["devices"]["requests"][0]["name"] == "gpu"
    assert found["controllers"]["plex"]["containers"]["app"]["resources"] == {
        "claims": [{"name": "devices", "request": "gpu"}]
    }
    assert len(data_of(migration.files[0].text)) == 1
    again = together(migration.files[0].text, SOURCE)
    assert not again.changed


@pytest.mark.parametrize("value", ["all", "{value: all}"])
def test_variables_in_a_map_are_asked_about_and_taken_out(value: str) -> None:
    text = RELEASE.replace("gpu.intel.com/i915", "nvidia.com/gpu").replace(
        "            image:",
        f"            env: {{TZ: UTC, NVIDIA_VISIBLE_DEVICES: {value}}}\n            image:",
    )
    assert only(together(text, SOURCE)).question == "visible-devices"
    assert only(together(text.replace("all}", "void}"), SOURCE)).outcome is Outcome.TRANSLATED
    found = values(run(text + "---\n" + SOURCE, answers={"visible-devices": "remove"}))
    assert found["controllers"]["plex"]["containers"]["app"]["env"] == {"TZ": "UTC"}


def test_from_5_on_raw_resources_have_a_manifest() -> None:
    found = values(together(RELEASE, SOURCE.replace("4.3.0", "5.1.0")))
    (raw,) = found["rawResources"].values()
    assert raw["manifest"]["kind"] == "ResourceClaimTemplate"
    assert raw["manifest"]["spec"]["spec"]["devices"]


@pytest.mark.parametrize(
    "source",
    [
        SOURCE.replace("tag: 4.3.0", "semver: '>=4.3.0'"),
        SOURCE.replace("tag: 4.3.0", "tag: latest"),
        SOURCE + "---\n" + SOURCE.replace("4.3.0", "4.4.0"),
        "",
    ],
)
def test_without_a_version_the_template_stands_beside_the_release(source: str) -> None:
    """Where raw resources go depends on the version."""
    migration = together(RELEASE, source)
    release, template = data_of(migration.files[0].text)
    assert "rawResources" not in release["spec"]["values"]
    assert template["kind"] == "ResourceClaimTemplate"
    assert template["metadata"]["namespace"] == "media"
    assert any("the version of the chart is not known" in note for note in only(migration).notes)


APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: plex, namespace: argocd}
spec:
  destination: {namespace: media}
  source:
    chart: app-template
    targetRevision: 4.2.0
    helm:
      valuesObject:
        controllers: {plex: {containers: {app: {resources: {limits: {gpu.intel.com/i915: 1}}}}}}
"""


@pytest.mark.parametrize("version", ["1.5.1", "2.6.0", "3.7.3", "4.2.0"])
def test_a_version_that_drops_the_claims_is_rejected(version: str) -> None:
    """The next step is a newer version, for a release of Flux and for an Application."""
    release = together(RELEASE, SOURCE.replace("4.3.0", version))
    for migration in (release, run(APPLICATION.replace("4.2.0", version))):
        item = only(migration)
        assert item.outcome is Outcome.REJECTED
        assert f"app-template {version}: the chart drops resourceClaims" in item.reason
        assert item.routes[0] == "the chart needs version 4.3.0 or newer"
        assert not migration.changed
    assert run(APPLICATION.replace("4.2.0", "4.3.0")).count(Outcome.TRANSLATED) == 1


def test_a_raw_resource_that_is_there_keeps_its_name() -> None:
    """Beside a second one the chart would give it another."""
    text = RELEASE + "    rawResources: {a: {apiVersion: v1, kind: X, spec: {}}}\n"
    migration = together(text, SOURCE)
    assert list(values(migration)["rawResources"]) == ["a"]
    assert len(data_of(migration.files[0].text)) == 2


def test_defaults_that_a_list_of_the_pod_would_hide_are_written_again() -> None:
    default = {"name": "shared", "resourceClaimName": "everybody"}
    text = RELEASE + (
        "    defaultPodOptions:\n"
        "      resourceClaims: [{name: shared, resourceClaimName: everybody}]\n"
    )
    source = SourceText("a.yaml", load(text.encode()))
    answers = Answers({"tolerations": "leave", "existing-claims": "other-devices"})
    migration = migrate([source], Options(answers=answers))
    claims = values(migration)["controllers"]["plex"]["pod"]["resourceClaims"]
    assert claims[0] == default
    assert [each["name"] for each in claims] == ["shared", "devices"]


def test_claims_in_the_defaults_are_claims_of_the_pod() -> None:
    text = RELEASE + (
        "    defaultPodOptions:\n"
        "      resourceClaims: [{name: gpu, resourceClaimTemplateName: plex}]\n"
    )
    assert only(together(text, SOURCE)).question == "existing-claims"


def test_labels_in_the_defaults_stay() -> None:
    label = "    defaultPodOptions: {nodeSelector: {nvidia.com/gpu.family: ampere}}\n"
    text = RELEASE.replace("gpu.intel.com/i915", "nvidia.com/gpu")
    own = text.replace(
        "        containers:\n",
        "        pod: {nodeSelector: {nvidia.com/gpu.family: ampere}}\n        containers:\n",
    )
    kept = together(text + label, SOURCE)
    assert "is in defaults" in " ".join(only(kept).notes)
    assert values(kept)["defaultPodOptions"] == {
        "nodeSelector": {"nvidia.com/gpu.family": "ampere"}
    }
    gone = values(together(own, SOURCE))["controllers"]["plex"]["pod"]
    assert "nodeSelector" not in gone
    assert "ampere" in together(own, SOURCE).files[0].text.lower()


def test_a_limit_in_the_defaults_of_containers_is_rejected() -> None:
    text = RELEASE.replace(
        "        containers:\n",
        "        defaultContainerOptions: {resources: {limits: {nvidia.com/gpu: 1}}}\n        containers:\n",
    )
    items = {item.before: item for item in together(text, SOURCE).items()}
    assert items["nvidia.com/gpu: 1"].outcome is Outcome.REJECTED
    assert items["gpu.intel.com/i915: 1"].outcome is Outcome.TRANSLATED


def test_containers_that_are_off_ask_for_nothing() -> None:
    text = RELEASE.replace("            image:", "            enabled: false\n            image:")
    item = only(together(text, SOURCE))
    assert item.outcome is Outcome.LEFT
    assert "app.enabled is false" in item.reason


def test_several_controllers_get_templates_of_their_own() -> None:
    other = RELEASE.partition("    controllers:\n")[2].partition("    route")[0]
    text = RELEASE.replace("    route", other.replace("plex:", "other:") + "    route")
    found = values(together(text, SOURCE))
    assert len(found["rawResources"]) == 2


def test_an_object_with_helm_in_its_strings_is_no_template() -> None:
    """Flux substitutes nothing there: the chart does."""
    text = (
        RELEASE
        + "---\n"
        + SOURCE
        + "---\napiVersion: v1\nkind: ConfigMap\ndata: {a: '{{ .Values.a }}'}\n"
    )
    (file,) = run(text).files
    assert file.kind == "manifests"
    assert [item.outcome for item in file.items] == [Outcome.TRANSLATED]


def test_the_comparison_sees_what_is_wrong() -> None:
    """An untouched release, another number, a lost limit: each is a problem."""
    pod = {"containers": [{"name": "a", "resources": {"limits": {"nvidia.com/gpu": 2, "cpu": 1}}}]}
    before = {("Pod", "a"): {"apiVersion": "v1", "kind": "Pod", "metadata": {}, "spec": pod}}
    claimed: dict[str, Any] = {
        "resourceClaims": [{"name": "d", "resourceClaimTemplateName": "t"}],
        "containers": [
            {"name": "a", "resources": {"limits": {"cpu": 1}, "claims": [{"name": "d"}]}}
        ],
    }
    after = {("Pod", "a"): {"apiVersion": "v1", "kind": "Pod", "metadata": {}, "spec": claimed}}

    def template(count: int) -> list[Any]:
        devices = {"requests": [{"name": "r", "exactly": {"count": count}}]}
        return [
            {
                "kind": "ResourceClaimTemplate",
                "metadata": {"name": "t"},
                "spec": {"spec": {"devices": devices}},
            }
        ]

    def found(new: Any, count: int) -> list[str]:
        copied = data_of(render_block({"before": before[("Pod", "a")], "new": new}))[0]
        return list(
            rendering.problems(
                {("Pod", "a"): copied["before"]}, {("Pod", "a"): copied["new"]}, template(count)
            )
        )

    assert found(after["Pod", "a"], 2) == []
    assert found(after["Pod", "a"], 1) != []
    assert found(before["Pod", "a"], 2) != []
    claimed["hostNetwork"] = True
    assert found(after["Pod", "a"], 2) != []


def test_nothing_is_asked_about_a_release_that_cannot_be_migrated() -> None:
    plugin = (
        "apiVersion: deviceplugin.intel.com/v1\nkind: GpuDevicePlugin\nmetadata: {name: g}\n"
        "spec: {sharedDevNum: 5}\n"
    )
    migration = together(RELEASE, SOURCE, plugin)
    assert only(migration).question == "sharing"
    item = only(together(APPLICATION, SOURCE, plugin))
    assert item.question is None
    assert "app-template 4.2.0: the chart drops resourceClaims" in item.reason


@pytest.mark.parametrize(
    ("versions", "outcome"),
    [
        (("3.7.3", "4.2.0"), Outcome.REJECTED),
        (("3.7.3", "4.3.0"), Outcome.TRANSLATED),
        (("3.7.3", "latest"), Outcome.TRANSLATED),
        (("3.7.3", "latest", "4.2.0"), Outcome.TRANSLATED),
    ],
)
def test_each_version_that_a_source_may_have_counts(
    versions: tuple[str, ...], outcome: Outcome
) -> None:
    """Sources of one name in several namespaces: which one a release takes is seen where it is built."""
    item = only(together(RELEASE, "---\n".join(SOURCE.replace("4.3.0", v) for v in versions)))
    assert item.outcome is outcome
    if outcome is Outcome.REJECTED:
        assert "app-template 3.7.3 or 4.2.0: the chart drops resourceClaims" in item.reason
    else:
        assert any("the version of the chart is not known" in note for note in item.notes)


PLAIN = (
    "controllers:\n  plex:\n    containers:\n      app:\n"
    "        resources: {limits: {gpu.intel.com/i915: 1}}\n"
)
TAKEN = "helmCharts:\n- {name: app-template, version: VERSION, releaseName: plex, valuesFile: values.yaml}\n"
INSIDE = (
    "apiVersion: v2\nname: plex\nversion: 0.1.0\ndependencies:\n"
    "- {name: app-template, version: VERSION, repository: 'https://charts.example.com'}\n"
)


@pytest.mark.parametrize(
    ("name", "text", "values", "key"),
    [
        ("a/kustomization.yaml", TAKEN, PLAIN, None),
        (
            "a/Chart.yaml",
            INSIDE,
            "app-template:\n" + "".join(f"  {each}\n" for each in PLAIN.splitlines()),
            "app-template",
        ),
        (
            "a/Chart.yaml",
            INSIDE.replace("version: VERSION", "version: VERSION, alias: app"),
            "app:\n" + "".join(f"  {each}\n" for each in PLAIN.splitlines()),
            "app",
        ),
    ],
)
def test_what_stands_beside_a_file_of_values_says_the_version(
    name: str, text: str, values: str, key: str | None
) -> None:
    def migration(version: str) -> Migration:
        files = {"a/values.yaml": values, name: text.replace("VERSION", version)}
        sources = [SourceText(path, load(each.encode())) for path, each in files.items()]
        return migrate(sources, Options(answers=Answers({"tolerations": "leave"})))

    known = migration("5.1.0")
    (found,) = data_of(known.files[0].text)
    assert list((found[key] if key else found)["rawResources"])
    assert not known.files[0].added
    assert not [note for note in only(known).notes if "version" in note]
    assert "app-template 4.2.0" in only(migration("4.2.0")).reason
    assert only(migration("4.2.0")).outcome is Outcome.REJECTED
    assert any("version" in note for note in only(migration("5.x")).notes)


def test_an_old_version_is_told_whatever_its_values_look_like() -> None:
    """Values of 1.x have another shape, which says nothing of the chart; its release does."""
    text = (
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: plex}\nspec:\n"
        "  chart: {spec: {chart: app-template, version: 1.5.1}}\n"
        "  values: {controller: {type: daemonset}, resources: {limits: {gpu.intel.com/i915: 1}}}\n"
    )
    application = APPLICATION.replace("4.2.0", "1.5.1").replace("controllers:", "x:")
    for each in (text, application):
        assert only(run(each)).reason.startswith(
            "app-template 1.5.1: the chart drops resourceClaims"
        )
