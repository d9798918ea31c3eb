"""Kinds that keep, drop or reject claims in their pods."""

from __future__ import annotations

import pytest

from dradsl.migrate.mapping.kind_table import kind_rows
from dradsl.migrate.result import Outcome
from tests.migrate.runs import data_of, only, run

POD = "spec: {containers: [{name: c, image: i, resources: {limits: {nvidia.com/gpu: 1}}}]}"


def of_kind(version: str, kind: str, above: str = "spec: {template: {%s}}") -> str:
    return f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: a}}\n{above % POD}\n"


@pytest.mark.parametrize(
    ("version", "kind", "above"),
    [
        (
            "jobset.x-k8s.io/v1alpha2",
            "JobSet",
            "spec: {replicatedJobs: [{template: {spec: {template: {%s}}}}]}",
        ),
        ("ray.io/v1", "RayCluster", "spec: {headGroupSpec: {template: {%s}}}"),
        (
            "kubeflow.org/v1",
            "PyTorchJob",
            "spec: {pytorchReplicaSpecs: {Worker: {template: {%s}}}}",
        ),
        ("grove.io/v1alpha1", "PodCliqueSet", "spec: {template: {cliques: [{%s}]}}"),
        ("workload.codeflare.dev/v1beta2", "AppWrapper", "spec: {components: [{template: {%s}}]}"),
        ("serving.kserve.io/v1alpha1", "LLMInferenceServiceConfig", "spec: {template: {%s}}"),
        (
            "orchestration.aibrix.ai/v1alpha1",
            "StormService",
            "spec: {template: {spec: {roles: [{name: a, template: {%s}}]}}}",
        ),
    ],
)
def test_kinds_that_keep_claims_are_no_question(version: str, kind: str, above: str) -> None:
    assert only(run(of_kind(version, kind, above))).outcome is Outcome.TRANSLATED


@pytest.mark.parametrize(
    ("version", "kind", "words"),
    [
        ("serving.knative.dev/v1", "Service", "is rejected (its webhook"),
        ("kubeflow.org/v1", "Notebook", "drops resourceClaims silently"),
        ("trainer.kubeflow.org/v1alpha1", "TrainJob", "claims are in the TrainingRuntime"),
        ("mlops.seldon.io/v1alpha1", "Server", "claims are in the ServerConfig"),
    ],
)
def test_kinds_that_lose_claims_are_rejected_without_a_question(
    version: str, kind: str, words: str
) -> None:
    item = only(run(of_kind(version, kind)))
    assert (item.outcome, item.question) == (Outcome.REJECTED, None)
    assert words in item.reason
    assert any("extended-resource" in route for route in item.routes)
    by_class = only(run(of_kind(version, kind), answers={"strategy": "extended-resource"}))
    assert by_class.outcome is Outcome.TRANSLATED


def test_what_differs_between_releases_is_asked() -> None:
    item = only(run(of_kind("serving.kserve.io/v1alpha1", "ServingRuntime", "%s")))
    assert (item.question, item.hint) == ("accept", "ServingRuntime.serving.kserve.io")
    assert "up to KServe v0.20.0" in item.reason


@pytest.mark.parametrize("keeps", [True, False])
def test_a_crd_of_the_run_decides(keeps: bool) -> None:
    fields = "containers: {}, nodeSelector: {}" + (", resourceClaims: {}" if keeps else "")
    crd = (
        "---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
        "metadata: {name: jobs.example.org}\nspec:\n  group: example.org\n  names: {kind: Job}\n"
        "  versions:\n  - name: v1\n    schema: {openAPIV3Schema: {properties: {spec: {properties: "
        f"{{template: {{properties: {{spec: {{properties: {{{fields}}}}}}}}}}}}}}}}}}}\n"
    )
    text = of_kind("example.org/v1", "Job")
    assert only(run(text)).question == "accept"
    recorded = only(run(text, inventory=data_of(crd)))
    assert recorded.outcome is (Outcome.TRANSLATED if keeps else Outcome.REJECTED)
    assert keeps or "in the recorded objects has no resourceClaims" in recorded.reason
    item = only(run(text + crd))
    assert item.question is None
    assert item.outcome is (Outcome.TRANSLATED if keeps else Outcome.REJECTED)
    assert keeps or "a.yaml:9 has no resourceClaims" in item.reason


def test_each_row_says_where_it_was_read() -> None:
    assert all(row.source and row.kinds for row in kind_rows())
    named = [(row.group, kind) for row in kind_rows() for kind in row.kinds]
    assert len(named) == len(set(named))


@pytest.mark.parametrize("domain", ["dual-pod.llm-d.ai", "dual-pods.llm-d.ai"])
def test_a_pod_that_a_controller_copies_is_rejected(domain: str) -> None:
    """The copy would have a claim of its own, beside that of the pod that it serves."""
    text = (
        "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: r}\nspec:\n"
        "  selector: {matchLabels: {a: b}}\n  template:\n"
        f"    metadata: {{labels: {{a: b}}, annotations: {{{domain}/server-patch: '{{}}'}}}}\n"
        "    spec: {containers: [{name: c, image: i, resources: {limits: {nvidia.com/gpu: 1}}}]}\n"
    )
    item = only(run(text))
    assert item.outcome is Outcome.REJECTED
    assert "copy this pod" in item.reason
    assert only(run(text.replace("server-patch", "status"))).outcome is Outcome.TRANSLATED


TEMPLATE = (
    "apiVersion: template.openshift.io/v1\nkind: Template\nmetadata: {name: t, namespace: redhat-ods-applications}\n"
    'objects:\n- apiVersion: serving.kserve.io/v1alpha1\n  kind: ServingRuntime\n  metadata: {name: "${NAME}"}\n'
    "  spec:\n    containers:\n    - {name: c, image: i, resources: {limits: {nvidia.com/gpu: 1}}}\n"
    "parameters:\n- {name: NAME}\n"
)


def test_the_objects_of_a_template_of_openshift_are_asked_about_and_get_their_claims_beside_them() -> (
    None
):
    """The claim template is made where the Template is processed, and not in the namespace of the Template."""
    assert only(run(TEMPLATE)).hint == "ServingRuntime.serving.kserve.io"
    migration = run(TEMPLATE, answers={"accept": ["ServingRuntime.serving.kserve.io"]})
    assert migration.faults == ()
    (template,) = data_of(migration.files[0].text)
    runtime, claims = template["objects"]
    assert claims["kind"] == "ResourceClaimTemplate"
    assert "namespace" not in claims["metadata"]
    name = runtime["spec"]["resourceClaims"][0]["resourceClaimTemplateName"]
    assert name == claims["metadata"]["name"]
    assert name.startswith("${NAME}-")
    assert not list(run(migration.files[0].text).items())
