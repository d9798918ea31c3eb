"""DRA940, DRA941, DRA945 to DRA947: an exporter of metrics, autoscalers and inference pools that do not look at claims."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dradsl.diagnostics import FieldPath, Severity
from dradsl.lint.rules.coexistence.devices import classes_of, node_terms
from dradsl.lint.rules.drivers.classes import drivers_of_class
from dradsl.lint.rules.ecosystem.versions import image_of, words_of
from dradsl.lint.view.index import is_elsewhere, may_share_namespace
from dradsl.lint.view.pods import PodView
from dradsl.lint.view.rule_finding import RelatedField, RuleFinding
from dradsl.lint.view.view import Run
from dradsl.values.plain import list_at, mapping_at, member

CODE_POD = "DRA940"
CODE_LIMIT = "DRA941"
CODE_KARPENTER = "DRA945"
CODE_AUTOSCALER = "DRA946"
CODE_POOL = "DRA947"

_POOL_LABEL = "karpenter.sh/nodepool"
_IGNORE = (
    "IGNORE_DRA_REQUESTS",
    "--ignore-dra-requests",
)  # pkg/operator/options/options.go, from 1.7 on
_FLAG = "--enable-dynamic-resource-allocation"  # config/flags/flags.go: 1.32 to 1.34 off, from 1.35 on always
_FIRST, _ALWAYS = (1, 32, 0), (1, 35, 0)
_POOL_GROUPS = frozenset({"inference.networking.k8s.io", "inference.networking.x-k8s.io"})
_IMAGE = "dcgm-exporter"
_DRIVER = "gpu.nvidia.com"
_VARIABLE = "KUBERNETES_ENABLE_DRA"  # pkg/cmd/app.go, from 4.3.1-4.4.0
_DRA_FLAG = "--kubernetes-enable-dra"
_PODS = ("DCGM_EXPORTER_KUBERNETES",)
_FIRST_WITH_DRA = (4, 3, 1)
_LIMIT = "nvidia.com/gpu"
_TRUE = frozenset({"1", "t", "true"})  # strconv.ParseBool
WORDS = (("NodePool", "cluster-autoscaler", "InferencePool", _IMAGE),)


def check(run: Run) -> Iterator[RuleFinding]:
    yield from _exporters(run)
    claiming = [pod for pod in run.pods if pod.claims]
    if claiming:
        yield from _karpenter(run, claiming)
        yield from _autoscaler(run)
        yield from _pools(run, claiming)


def _karpenter(run: Run, claiming: Sequence[PodView]) -> Iterator[RuleFinding]:
    pools = [m for m in run.index.kind("NodePool") if m.group == "karpenter.sh"]
    if not pools or _looks_at_claims(run):
        return
    names = {pool.name for pool in pools}
    for pod in claiming:
        chosen = next((each for each in _selected(pod) if each[1] in names), None)
        if chosen is None or is_elsewhere(pools[0], pod.manifest):
            continue
        path, name = chosen
        pool = next(each for each in pools if each.name == name)
        yield RuleFinding(
            CODE_KARPENTER,
            pod.manifest,
            path,
            f"Karpenter makes no node of NodePool {name} for pods with claims, unless it is configured to look at them",
            help="from Karpenter 1.14 on set IGNORE_DRA_REQUESTS to false, where the cloud provider knows the "
            "devices of its machines; else keep nodes for these pods",
            upstream="pod has Dynamic Resource Allocation requirements that are not yet supported by Karpenter",
            related=(RelatedField("the NodePool", pool, ("metadata", "name")),),
        )


def _looks_at_claims(run: Run) -> bool:
    """Whether the run's Karpenter is configured not to ignore claims, or may be."""
    for pod in run.pods:
        for _, container in pod.containers:
            if any(
                word in (f"{_IGNORE[1]}=false", f"{_IGNORE[1]}=0") for word in words_of(container)
            ):
                return True
            for item in list_at(container, "env"):
                entry = mapping_at(item)
                if entry.get("name") == _IGNORE[0]:
                    return str(entry.get("value", "false")).lower() in ("false", "0", "f")
    return False


def _selected(pod: PodView) -> Iterator[tuple[FieldPath, str]]:
    """The NodePools that a pod demands."""
    name = mapping_at(pod.spec, "nodeSelector").get(_POOL_LABEL)
    if isinstance(name, str):
        yield (*pod.at.path, "nodeSelector", _POOL_LABEL), name
    for path, item in node_terms(pod):
        if member(item, "key") == _POOL_LABEL and member(item, "operator") == "In":
            yield from (((*path, "values"), str(value)) for value in list_at(item, "values"))


def _autoscaler(run: Run) -> Iterator[RuleFinding]:
    for pod in run.pods:
        for path, container in pod.containers:
            name, version = image_of(container)
            if name != "cluster-autoscaler" or version is None or version >= _ALWAYS:
                continue
            if version >= _FIRST and any(
                word == _FLAG or word.lower() == f"{_FLAG}=true" for word in words_of(container)
            ):
                continue
            shown = ".".join(str(part) for part in version[:2])
            yield RuleFinding(
                CODE_AUTOSCALER,
                pod.manifest,
                (*path, "image"),
                f"Cluster Autoscaler {shown} does not look at claims"
                + ("" if version < _FIRST else f" without {_FLAG}")
                + ": it makes no nodes for the devices of pods that wait",
                help=f"add {_FLAG}=true, or take 1.35 or later"
                if version >= _FIRST
                else "take 1.35 or later",
            )


def _pools(run: Run, claiming: Sequence[PodView]) -> Iterator[RuleFinding]:
    """Pools of inference endpoints whose pods share one claim."""
    for pool in run.manifests:
        if pool.kind != "InferencePool" or pool.group not in _POOL_GROUPS:
            continue
        selector = mapping_at(pool.data, "spec", "selector")
        labels = mapping_at(selector.get("matchLabels", selector))
        for pod in claiming if labels else ():
            own = mapping_at(pod.at.metadata, "labels")
            if not labels.items() <= own.items() or not (
                may_share_namespace(pool, pod.manifest) and not is_elsewhere(pool, pod.manifest)
            ):
                continue
            replicas = pod.at.replicas
            for _, claim in pod.named("resourceClaimName"):
                if replicas is not None and replicas > 1:
                    yield RuleFinding(
                        CODE_POOL,
                        pool,
                        ("spec", "selector"),
                        f'the {replicas} endpoints of {pod.manifest.title} share the devices of claim "{claim}": '
                        "requests are spread over them as if each had its own",
                        on_key=True,
                        help="name a ResourceClaimTemplate, which gives each pod devices of its own",
                        severity=Severity.INFO,
                    )


# The exporter of GPU metrics


def _exporters(run: Run) -> Iterator[RuleFinding]:
    for pod in run.pods:
        for path, container in pod.containers:
            name, version = image_of(container)
            if name != _IMAGE or not _has_claims(run):
                continue
            yield from _limit(pod, path, container)
            if "envFrom" in container or pod.manifest.is_patch:
                continue  # what is there is not known
            said = _said(container)
            if said is None:
                continue
            yield RuleFinding(
                CODE_POD,
                pod.manifest,
                (*path, "image"),
                said,
                help=f'set the variable {_VARIABLE} to "true", and let its ServiceAccount list '
                "resourceslices of resource.k8s.io"
                + (
                    ""
                    if version is None or version >= _FIRST_WITH_DRA
                    else "; take 4.3.1-4.4.0 or later"
                ),
            )


def _has_claims(run: Run) -> bool:
    """Whether the run has claims for NVIDIA's GPUs."""
    return run.remember(
        "nvidia-claims",
        lambda: any(
            _DRIVER in drivers_of_class(run, name)
            for claim in run.claims
            for name in dict.fromkeys(classes_of(claim))
        ),
    )


def _said(container: Mapping[str, object]) -> str | None:
    """What is lost; None where the container asks for the pods of claims, or for no pods at all."""
    values = dict(_variables(container))
    if any(word.split("=")[0] == _DRA_FLAG for word in words_of(container)):
        return None
    asked = values.get(_VARIABLE, "")
    if asked is None or str(asked).lower() in _TRUE:
        return None
    if any(str(values[name]).lower() not in _TRUE for name in _PODS if values.get(name)):
        return None
    return f"metrics of GPUs that pods have by claims name no pod: {_VARIABLE} is not set"


def _variables(container: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """The container's variables; None as the value of one that comes from elsewhere."""
    for item in list_at(container, "env"):
        entry = mapping_at(item)
        yield str(entry.get("name")), None if "valueFrom" in entry else entry.get("value", "")


def _limit(pod: PodView, path: FieldPath, container: Mapping[str, object]) -> Iterator[RuleFinding]:
    for section in ("limits", "requests"):
        amounts = mapping_at(container, "resources", section)
        if str(amounts.get(_LIMIT, "0")) != "0":
            yield RuleFinding(
                CODE_LIMIT,
                pod.manifest,
                (*path, "resources", section, _LIMIT),
                f"the exporter asks for {_LIMIT}: where DRA took the place of the device plugin it stays Pending, "
                "elsewhere it keeps a GPU from workloads",
                on_key=True,
                help="leave it out: the exporter sees all GPUs of the node by the runtime class nvidia",
            )
            return
