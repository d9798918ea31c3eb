"""What kinds of objects do with claims in their pod templates: keep, drop or reject them, and since when.

Each row was read from the CRDs or the validation of the project, at the releases that it names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from dradsl.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["KIND_ROWS", "KindRow", "Verdict", "row_of"]

# `varies`: releases or installations differ, so the user is asked.
Verdict = Literal["keeps", "drops", "rejects", "varies"]


@dataclass(frozen=True, slots=True)
class KindRow:
    """Kinds of a group ("*" is all of them). `since` is the first release for which the verdict holds, `why` is
    the explanation in a report."""

    group: str
    kinds: tuple[str, ...]
    verdict: Verdict
    source: str
    since: str = ""
    why: str = ""


def row_of(group: str, kind: str) -> KindRow | None:
    """The row of a kind; None for a kind that is not in the table."""
    return next(_rows(group, kind), None)


def _rows(group: str, kind: str) -> Iterator[KindRow]:
    return (row for row in KIND_ROWS if row.group == group and {"*", kind} & {*row.kinds})


_CRD = "config/crd/bases"

KIND_ROWS: tuple[KindRow, ...] = (
    *(KindRow(group, ("*",), "keeps", "Kubernetes' own") for group in ("", "apps", "batch")),
    KindRow(
        "batch.volcano.sh", ("Job", "CronJob"), "keeps",
        "volcano-sh/volcano config/crd/volcano/bases", "Volcano v1.8.1",
    ),
    KindRow(
        "flow.volcano.sh", ("JobFlow", "JobTemplate"), "keeps",
        "volcano-sh/volcano config/crd/jobflow/bases @ ed72c7c8",
    ),
    KindRow(
        "jobset.x-k8s.io", ("JobSet",), "keeps",
        "kubernetes-sigs/jobset config/components/crd/bases, all from v0.1.0",
    ),
    KindRow(
        "leaderworkerset.x-k8s.io", ("LeaderWorkerSet",), "keeps",
        f"kubernetes-sigs/lws {_CRD}, all from v0.1.0",
    ),
    KindRow(
        "disaggregatedset.x-k8s.io", ("DisaggregatedSet",), "keeps",
        f"kubernetes-sigs/lws {_CRD} @ 060ab4d",
    ),
    KindRow(
        "ray.io", ("RayCluster", "RayJob", "RayService", "RayCronJob"), "keeps",
        f"ray-project/kuberay ray-operator/{_CRD}", "KubeRay v1.1.0",
    ),
    KindRow(
        "trainer.kubeflow.org", ("TrainingRuntime", "ClusterTrainingRuntime"), "keeps",
        "kubeflow/trainer manifests/base/crds", "Kubeflow Trainer v2.0.0",
    ),
    KindRow(
        "trainer.kubeflow.org", ("TrainJob", "OptimizationJob"), "drops",
        "kubeflow/trainer manifests/base/crds @ 8c0f5059",
        why="claims stand in the TrainingRuntime that it names",
    ),
    KindRow(
        "kubeflow.org", ("PyTorchJob", "TFJob", "XGBoostJob", "PaddleJob", "JAXJob"), "keeps",
        "kubeflow/training-operator manifests/base/crds", "Training Operator v1.7.0",
    ),
    KindRow(
        "kubeflow.org", ("MPIJob",), "keeps",
        "kubeflow/mpi-operator manifests/base, kubeflow/training-operator manifests/base/crds",
        "MPI Operator v0.5.0 and Training Operator v1.7.0",
    ),
    KindRow(
        "apps.nvidia.com", ("NIMService",), "drops",
        "NVIDIA/k8s-nim-operator api/apps/v1alpha1/nimservice_types.go @ f63f74d7",
        why="its operator takes claims from spec.draResources, from v3.0.0 on: the template must write that",
    ),
    KindRow(
        "kubeflow.org", ("Notebook",), "drops",
        "kubeflow/manifests applications/jupyter/notebook-controller/upstream/crd/bases, "
        "kubeflow/kubeflow components/notebook-controller/config/crd/bases v1.9.2",
    ),
    KindRow(
        "serving.kserve.io", ("InferenceService",), "keeps",
        "kserve/kserve config/crd/full", "KServe v0.11.0",
    ),
    KindRow(
        "serving.kserve.io", ("LLMInferenceService", "LLMInferenceServiceConfig"), "keeps",
        "kserve/kserve config/crd/full/llmisvc", "KServe v0.16.0",
    ),
    KindRow(
        "serving.kserve.io", ("ServingRuntime", "ClusterServingRuntime"), "varies",
        "kserve/kserve config/crd/full @ aaac4e29, pkg/apis/serving/v1alpha1/servingruntime_types.go",
        why="releases up to KServe v0.20.0 drop them, later ones keep them",
    ),
    KindRow(
        "argoproj.io", ("Workflow", "WorkflowTemplate", "ClusterWorkflowTemplate", "CronWorkflow"),
        "keeps", "argoproj/argo-workflows manifests/base/crds/full", "Argo Workflows v4.1.0",
    ),
    KindRow(
        "workload.codeflare.dev", ("AppWrapper",), "keeps",
        f"project-codeflare/appwrapper {_CRD} @ b47a99e: templates are kept as they are",
    ),
    KindRow(
        "grove.io", ("PodCliqueSet", "PodClique"), "keeps",
        "ai-dynamo/grove operator/api/core/v1alpha1/crds @ fcc3b3bb",
    ),
    KindRow(
        "sparkoperator.k8s.io", ("SparkApplication", "ScheduledSparkApplication", "SparkConnect"),
        "keeps", f"kubeflow/spark-operator {_CRD} @ 38082f33: pod templates are kept as they are",
    ),
    KindRow(
        "machinelearning.seldon.io", ("SeldonDeployment",), "varies",
        "SeldonIO/seldon-core v1.18.2 operator/config/crd/bases, helm-charts/seldon-core-operator",
        why="the CRD of the Helm chart drops them, that of the Kustomize base keeps them",
    ),
    KindRow(
        "mlops.seldon.io", ("ServerConfig", "SeldonConfig"), "keeps",
        f"SeldonIO/seldon-core operator/{_CRD} @ 7b77f8b7",
    ),
    KindRow(
        "mlops.seldon.io", ("Server", "SeldonRuntime"), "drops",
        f"SeldonIO/seldon-core operator/{_CRD} @ 7b77f8b7",
        why="claims stand in the ServerConfig that it names",
    ),
    KindRow(
        "kubevirt.io",
        ("VirtualMachine", "VirtualMachineInstance", "VirtualMachineInstanceReplicaSet"), "keeps",
        "kubevirt/kubevirt staging/src/kubevirt.io/api/core/v1/schema.go", "KubeVirt v1.6.0",
    ),
    KindRow(
        "pool.kubevirt.io", ("VirtualMachinePool",), "keeps",
        "kubevirt/kubevirt staging/src/kubevirt.io/api/core/v1/schema.go", "KubeVirt v1.6.0",
    ),
    KindRow(
        "serving.knative.dev", ("Service", "Configuration", "Revision"), "rejects",
        "knative/serving pkg/apis/serving/fieldmask.go v0.50.0",
        why="its webhook lets a fixed list of pod fields through",
    ),
)  # fmt: skip
