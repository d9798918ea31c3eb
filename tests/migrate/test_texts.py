"""Requests in texts within YAML: listed with their place and rejected, or told where they are only named."""

from __future__ import annotations

import pytest

from dradsl.migrate.report.sections import rendered
from dradsl.migrate.result import Outcome
from tests.migrate.runs import data_of, only, run, with_gpu

HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n"


def report(text: str) -> str:
    return rendered(run(text))


@pytest.mark.parametrize(
    ("line", "column", "before"),
    [
        ("spec: {limits: {nvidia.com/gpu: 2}}", 21, "nvidia.com/gpu: 2"),
        ("  nvidia.com/gpu: 1", 7, "nvidia.com/gpu: 1"),
        ('"amd.com/gpu" : "8"', 6, "amd.com/gpu: 8"),
        ("nvidia.com/gpu: {{ .n }}", 5, "nvidia.com/gpu: {{ .n"),
        ("nvidia.com/gpu: $GPUS # two", 5, "nvidia.com/gpu: $GPUS"),
        ("nvidia.com/gpu: null", 5, "nvidia.com/gpu: null"),
        ("kubectl run --limits=cpu=1,nvidia.com/gpu=1", 32, "nvidia.com/gpu: 1"),
        (
            "--set a.resources.limits.nvidia\\.com/gpu=$N",
            11,
            "nvidia.com/gpu: $N",
        ),
        ("path: /a/nvidia.com~1gpu", 14, "/a/nvidia.com~1gpu"),
        ('limits={"nvidia.com/gpu": "1"}', 14, "nvidia.com/gpu: 1"),
        ('x.resources.limits["nvidia.com/gpu"]', 25, "nvidia.com/gpu"),
    ],
)
def test_requests_in_a_text(line: str, column: int, before: str) -> None:
    item = only(run(f"{HEAD}  a: |\n    first\n    {line}\n    last\n"))
    assert (item.outcome, item.object, item.where) == (Outcome.REJECTED, "ConfigMap c", "data.a")
    assert (item.span.line, item.span.column) == (7, column)
    assert item.before == before
    assert item.routes


@pytest.mark.parametrize(
    "line",
    [
        "kubectl get nodes -o jsonpath='{.status.allocatable.nvidia\\.com/gpu}'",
        "kubectl taint nodes a nvidia.com/gpu=present:NoSchedule",
        'expr: count(x{resource="nvidia.com/gpu"})',
        'nvidia.com/gpu: "true"',
        "a prose on nvidia.com/gpu: 1 and so on",
    ],
)
def test_a_text_that_only_names_a_device(line: str) -> None:
    text = f"{HEAD}  a: |\n    {line}\n"
    migration = run(text)
    assert not list(migration.items())
    assert migration.names == ("a.yaml:6 names nvidia.com/gpu",)
    assert "No use of a device plugin found" not in report(text)
    assert "names nvidia.com/gpu" in report(text)


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}  a: |\n    # nvidia.com/gpu: 1\n    b: 1 # nvidia.com/gpu: 1\n    // amd.com/gpu: 1\n",
        f"{HEAD}  a: |\n    see https://nvidia.com/gpu\n    example.org/other: 1\n    kubernetes.io/gpu: 1\n",
        f"{HEAD}  # nvidia.com/gpu: 1\n  a: b\n",
    ],
    ids=["comments", "addresses", "comment-of-the-file"],
)
def test_what_names_no_device(text: str) -> None:
    assert report(text) == "No use of a device plugin found in 1 file.\n"


@pytest.mark.parametrize(
    "text",
    [
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  tolerations: [{key: nvidia.com/gpu}]\n"
        "  containers: [{name: c, image: x, args: [--resource=nvidia.com/gpu]}]\n",
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: c}\n"
        "spec:\n  description: |\n    such as\n    nvidia.com/gpu: 1\n",
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n  annotations:\n"
        "    kubectl.kubernetes.io/last-applied-configuration: |\n"
        '      {"limits": {"nvidia.com/gpu": "1"}}\nspec: {containers: [{name: c, image: x}]}\n',
    ],
    ids=["fields", "description", "record"],
)
def test_what_is_no_request(text: str) -> None:
    assert list(run(text).items()) == []
    assert "No request for a device found" in report(text)


def test_parameters_and_quoted_texts() -> None:
    migration = run(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec:\n  source:\n"
        "    helm:\n      parameters:\n      - {name: 'resources.limits.nvidia\\.com/gpu', value: '1'}\n"
        '      values: "a: 1\\nnvidia.com/gpu: 2\\n"\n'
    )
    second, first = migration.items()
    assert first.reason.startswith("found, not judged: this is a text")
    assert any("valuesObject" in route for route in first.routes)
    assert (first.span.line, first.span.column) == (8, 17)
    assert (second.span.line, second.span.column, second.before) == (9, 22, "nvidia.com/gpu: 2")
    assert migration.open


def test_a_pod_beside_a_text_is_migrated() -> None:
    migration = run(f"{with_gpu()}---\n{HEAD}  a: |\n    nvidia.com/gpu: 1\n")
    assert [item.outcome for item in migration.items()] == [Outcome.TRANSLATED, Outcome.REJECTED]


OLLAMA = (
    "ollama:\n  # the card\n  gpu: {enabled: true, type: nvidia, number: 2}  # two\n\nreplicas: 1\n"
)


@pytest.mark.parametrize(
    "head",
    [
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec:\n  destination: {namespace: ml}\n"
        "  source:\n    chart: ollama\n    helm:\n      values: |\n",
        "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: a}\nspec:\n  template:\n    spec:\n"
        "      destination: {namespace: ml}\n      sources:\n      - helm:\n          values: |\n",
        "apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata: {name: a, namespace: b}\nspec:\n  targetNamespace: ml\n"
        "  valuesContent: |-\n",
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: a, namespace: ml}\nspec:\n"
        "  valuesFrom: [{kind: ConfigMap, name: c, valuesKey: v}]\n---\napiVersion: v1\nkind: ConfigMap\n"
        "metadata: {name: c}\ndata:\n  v: |\n",
    ],
    ids=["application", "application-set", "helm-chart", "values-from"],
)
def test_values_are_edited_inside_their_text(head: str) -> None:
    """Faults 11 and 12."""
    depth = len(head.splitlines()[-1]) - len(head.splitlines()[-1].lstrip()) + 2
    inner = "".join(f"{' ' * depth}{line}\n" if line else "\n" for line in OLLAMA.splitlines())
    migration = run(head + inner)
    (item,) = migration.items()
    assert (item.outcome, item.doubt) == (Outcome.TRANSLATED, "by recipe, not rendered")
    (file,) = migration.files
    template = data_of(file.text)[-1]
    assert (template["kind"], template["metadata"]["namespace"]) == ("ResourceClaimTemplate", "ml")
    wanted = inner.replace(
        "number: 2}",
        f"number: 2, draEnabled: true, draExistingClaimTemplate: {template['metadata']['name']}}}",
    )
    assert file.text.startswith(head + wanted)
    again = run(file.text)
    assert (again.files[0].text, again.faults) == (file.text, ())


def test_a_config_map_that_no_release_names_stays() -> None:
    inner = "".join(
        f"    {line}\n"
        for line in OLLAMA.replace("{enabled", "{nvidia.com/gpu: 1, enabled").splitlines()
    )
    migration = run(
        f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\ndata:\n  v: |\n{inner}"
    )
    (item,) = migration.items()
    assert item.outcome == Outcome.REJECTED
    assert migration.files[0].text == migration.files[0].before


def test_long_texts_are_read_in_one_go() -> None:
    lines = "    nvidia.com/gpu: 1\n" * 3000
    items = list(run(f"{HEAD}  a: |\n{lines}").items())
    assert len(items) == 3000
    assert [items[n].span.line for n in (0, 2999)] == [6, 3005]
    assert only(run(f"{HEAD}  a: '{'a.' * 200_000} nvidia.com~1gpu'\n")).before == "nvidia.com~1gpu"


THRESHOLDS = """\
profiles:
- pluginConfig:
  - name: LowNodeUtilization
    args:
      thresholds: {cpu: 20, nvidia.com/gpu: 10}
      targetThresholds:
        nvidia.com/gpu: 50
"""
KYVERNO = """\
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: gpus}
spec:
  rules:
  - name: limit
    validate:
      pattern: {spec: {containers: [{resources: {limits: {nvidia.com/gpu: "<5"}}}]}}
      deny:
        conditions:
          any:
          - key: "{{ request.object.spec.containers[].resources.limits.\\"nvidia.com/gpu\\" }}"
            operator: GreaterThan
            value: 4
"""


@pytest.mark.parametrize(
    "text",
    [
        f"apiVersion: descheduler/v1alpha2\nkind: DeschedulerPolicy\n{THRESHOLDS}",
        THRESHOLDS,
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: d}\ndata:\n  policy.yaml: |\n"
        + "".join(f"    {line}\n" for line in THRESHOLDS.splitlines()),
        KYVERNO,
    ],
)
def test_tables_and_conditions_only_name_devices(text: str) -> None:
    migration = run(text)
    assert not [*migration.items()]
    (sentence,) = migration.names
    assert "names nvidia.com/gpu" in sentence
    assert not migration.open


@pytest.mark.parametrize(
    "text",
    [
        KYVERNO.replace("validate:", "mutate:").replace("pattern:", "patchStrategicMerge:"),
        # A key of this name with a request below it is no table.
        "thresholds:\n  resources: {limits: {nvidia.com/gpu: 1}}\n",
    ],
)
def test_what_writes_or_asks_is_no_condition(text: str) -> None:
    migration = run(text)
    assert {item.outcome for item in migration.items()} == {Outcome.REJECTED}


WORKFLOW = (
    "apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nmetadata: {name: w}\nspec:\n  templates:\n  - name: a\n"
    "    resource:\n      action: create\n      manifest: |\n"
)
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec:\n  containers:\n  - name: c\n    resources: {limits: {nvidia.com/gpu: 2}}\n"
RELEASE = (
    "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: r}\nspec:\n  postRenderers:\n"
    "  - kustomize:\n      patches:\n      - patch: |\n"
)


@pytest.mark.parametrize(
    ("name", "head", "text", "line"),
    [
        ("w.yaml", WORKFLOW, POD, 16),
        ("c.yaml", f"{HEAD}  pod.yaml: |\n", POD, 12),
        ("c.yaml", f"{HEAD}  run.sh: |\n", f"#!/bin/sh\nkubectl apply -f - <<EOF\n{POD}EOF\n", 14),
        ("c.yaml", f"{HEAD}  broken.yaml: |\n", POD.replace("{name: x}", "{name: x"), 12),
        ("r.yaml", RELEASE, "- op: add\n  path: /a/nvidia.com~1gpu\n  value: 2\n", 10),
    ],
    ids=["workflow", "manifest", "script", "broken", "post-renderer"],
)  # fmt: skip
@pytest.mark.parametrize("strategy", ["claims", "extended-resource"])
def test_a_text_is_found_and_not_judged(
    name: str, head: str, text: str, line: int, strategy: str
) -> None:
    indent = " " * 10 if head else ""
    whole = head + "".join(f"{indent}{each}\n" for each in text.splitlines())
    migration = run(whole, name, answers={"strategy": strategy})
    item = only(migration)
    by_name = strategy == "extended-resource"
    outcome = Outcome.TRANSLATED if by_name else Outcome.REJECTED
    assert (item.outcome, item.span.line, item.path) == (outcome, line, name)
    if by_name:  # whoever reads the text goes on asking by that name
        assert "answered by DeviceClass gpu.nvidia.com" in (item.after or "")
    else:
        assert item.reason.startswith("found, not judged: ")
        assert "--set strategy=extended-resource" in item.routes[-1]
    assert migration.open is not by_name
    (file,) = migration.files
    assert (file.text, file.added) == (whole, ())
