"""DRA940 and DRA941: the exporter of GPU metrics beside claims."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dradsl.diagnostics import FieldPath
from dradsl.lint.rules.coexistence.devices import classes_of
from dradsl.lint.rules.drivers.classes import drivers_of_class
from dradsl.lint.rules.ecosystem.versions import image_of, words_of
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import PodView, Run
from dradsl.values.plain import list_at, mapping_at

CODE_POD = "DRA940"
CODE_LIMIT = "DRA941"

_IMAGE = "dcgm-exporter"
_DRIVER = "gpu.nvidia.com"
_VARIABLE = "KUBERNETES_ENABLE_DRA"  # pkg/cmd/app.go, from 4.3.1-4.4.0
_FLAG = "--kubernetes-enable-dra"
_PODS = ("DCGM_EXPORTER_KUBERNETES",)
_FIRST = (4, 3, 1)
_LIMIT = "nvidia.com/gpu"
_TRUE = frozenset({"1", "t", "true"})  # strconv.ParseBool
WORDS = (_IMAGE,)


def check(run: Run) -> Iterator[RuleFinding]:
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
                + ("" if version is None or version >= _FIRST else "; take 4.3.1-4.4.0 or later"),
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
    if any(word.split("=")[0] == _FLAG for word in words_of(container)):
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
