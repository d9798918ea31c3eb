"""What a manifest does not contain: the questions, their answers, and the decisions."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from dradsl.records import dataclass, field, replace
from dradsl.text.splitting import has_marks
from dradsl.values.names import dns1123_subdomain, is_extended_resource_name
from dradsl.values.shown import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


__all__ = ["FOR_ALL", "QUESTIONS", "Decisions", "Question", "decided"]


@dataclass(frozen=True, slots=True)
class Question:
    """A question by its id, which is also its name in an answers file.

    `options` map each answer to its effect. `free` questions take other texts as well;
    `many` collect texts.
    """

    id: str
    text: str
    options: Mapping[str, str]
    free: bool = False
    many: bool = False


def _question(
    name: str, text: str, options: dict[str, str], *, free: bool = False, many: bool = False
) -> tuple[str, Question]:
    return name, Question(name, text, MappingProxyType(options), free, many)


QUESTIONS: Mapping[str, Question] = MappingProxyType(
    dict(
        (
            _question(
                "mig-strategy",
                "Which MIG strategy does the device plugin of these nodes run with?",
                {
                    "none": "nvidia.com/gpu is a whole GPU",
                    "mixed": "nvidia.com/gpu is a whole GPU, MIG devices have names of their own",
                    "single": "nvidia.com/gpu is a MIG device; mig-profile says which",
                },
            ),
            _question(
                "mig-profile",
                "Which MIG profile do the nodes have, such as 1g.10gb?",
                {"none": "their GPUs are not divided: nvidia.com/gpu is a whole GPU"},
                free=True,
            ),
            _question(
                "sharing",
                "Does one unit stand for a whole device, or for a share of one?",
                {
                    "exclusive": "a whole device: the nodes do not share it",
                    "consumable-shares": "a share: NVIDIA's DRA driver (v0.5 or later) runs with "
                    "ConsumableShares, which publishes the capacity `shares`",
                    "unlimited-shares": "a share of any number: NVIDIA's DRA driver (v0.5 or later) runs "
                    "with consumableShares: unlimited",
                    "shared-claim": "a share: all these workloads of a namespace name one "
                    "ResourceClaim, and run on the node of its device",
                    "admin-access": "all devices of the node, whoever else has them: adminAccess, "
                    "for namespaces labelled resource.kubernetes.io/admin-access",
                },
            ),
            _question(
                "init-containers",
                "Init containers ask for another number of devices than the containers do; "
                "what should they get?",
                {"separate": "devices of their own: the pod then holds the sum of both"},
            ),
            _question(
                "visible-devices",
                "The container names devices in an environment variable; what becomes of it?",
                {
                    "remove": "take it out: the claim alone says which devices are visible",
                    "keep": "leave it; it may show devices that the claim does not hold",
                },
            ),
            _question(
                "fraction-driver",
                "Which driver will share devices by memory and cores?",
                {
                    "hami": "hami-core-gpu.project-hami.io, HAMi's own DRA driver",
                    "nvidia": "gpu.nvidia.com v0.5 or later with ConsumableShares: memory",
                },
            ),
            _question(
                "existing-claims",
                "The pod has claims already; are they for other devices?",
                {"other-devices": "yes: a claim is added beside them"},
            ),
            _question(
                "operator",
                "Which way does the cluster take from the device plugin to the DRA driver?",
                {
                    "standalone": "the device plugin goes off, the driver's own chart goes in",
                    "gpucluster": "the GPU operator's GPUCluster (experimental): for a new cluster "
                    "or a full change-over, not in place",
                },
            ),
            _question(
                "chart-places",
                "The chart stands among the files; may its templates get a switch that makes claims of the limits?",
                {"write": "yes: values turn it on; without them the chart renders what it did"},
            ),
            _question(
                "accept",
                "Can this be relied on in your cluster? Naming it vouches for it.",
                {},
                free=True,
                many=True,
            ),
        )
    )
)


@dataclass(frozen=True, slots=True)
class Decisions:
    """The answers that hold for one pod; None is an open question.

    `node_labels` is "translate" (where sure) or "keep"; `tolerations` is "add" (as an admission
    plugin does for the request), "leave", or "shown": added where the run shows the taint. `accept` holds extended resources
    whose translation the user accepts. `claim_name` is the name of the one claim of the answer
    shared-claim, `classes` the DeviceClasses that the user names for extended resources. While there are `asking` uses,
    by file and line, the device plugin stays on.

    For the run as a whole: by `strategy` "claims" pods get claims, by "extended-resource" DeviceClasses answer the requests
    as they are. `form` says what is written: the migrated "files", a component for "kustomize", or patches for post-renderers
    of "flux". `recipes` are files that say how further charts ask for devices.
    """

    mig_strategy: str | None = None
    mig_profile: str | None = None
    sharing: str | None = None
    init_containers: str | None = None
    visible_devices: str | None = None
    fraction_driver: str | None = None
    existing_claims: str | None = None
    operator: str | None = None
    chart_places: str | None = None
    accept: frozenset[str] = frozenset()
    node_labels: str = "translate"
    tolerations: str = "shown"
    claim_name: str | None = None
    classes: Mapping[str, str] = field(default_factory=dict)
    asking: tuple[str, ...] = ()
    strategy: str = "claims"
    form: str = "files"
    recipes: tuple[str, ...] = ()


_CHOICES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "node-labels": ("translate", "keep"),
        "tolerations": ("shown", "add", "leave"),
        "strategy": ("claims", "extended-resource"),
        "form": ("files", "kustomize", "flux"),
    }
)
FOR_ALL = frozenset({"strategy", "form", "recipes"})
"""Answers that hold for a run as a whole, and for no workload alone."""


def decided(decisions: Decisions, answers: Mapping[str, object]) -> Decisions:
    """`decisions`, overridden by answers by the questions' ids.

    Raises:
        ValueError: for an unknown question, or an answer that the question does not accept.
    """
    for name, value in answers.items():
        changes: dict[str, Any] = {_field(name): _answer(name, value, decisions)}
        decisions = replace(decisions, **changes)
    return decisions


def _field(name: str) -> str:
    return "classes" if name == "class" else name.replace("-", "_")


def _answer(name: str, value: object, decisions: Decisions) -> object:
    if name == "class":
        return {**decisions.classes, **_classes(value)}
    if name == "claim-name":
        return _claim_name(value)
    if name == "recipes":
        return (*decisions.recipes, *_names(name, value))
    question = QUESTIONS.get(name)
    options = tuple(question.options) if question else _CHOICES.get(name)
    if options is None:
        known = ", ".join((*QUESTIONS, *_CHOICES, "claim-name", "class", "recipes"))
        raise ValueError(f"no question is called {shown(name)} (there are: {known})")
    if question is not None and question.many:
        return decisions.accept | frozenset(_names(name, value))
    if not isinstance(value, str):
        raise ValueError(f"{name}: expected a text, not {shown(value)}")
    if value not in options and not (question is not None and question.free):
        raise ValueError(f"{name}: {shown(value)} is no answer (there are: {', '.join(options)})")
    return value


def _names(name: str, value: object) -> list[str]:
    items = value if isinstance(value, list) else [value]
    if not all(isinstance(item, str) for item in items):
        raise ValueError(f"{name}: expected a list of names")
    return list(map(str, items))


def _classes(value: object) -> dict[str, str]:
    """DeviceClasses by extended resource, from a mapping or from texts such as `squat.ai/dri=gpu.amd.com`."""
    if isinstance(value, Mapping):
        pairs = list(value.items())
    else:
        items = value if isinstance(value, list | tuple) else [value]
        pairs = [str(item).partition("=")[::2] for item in items]
    for resource, name in pairs:
        if not (isinstance(resource, str) and isinstance(name, str) and name):
            raise ValueError(f"class: expected RESOURCE=CLASS, not {shown(value)}")
        if not is_extended_resource_name(resource):
            raise ValueError(f"class: {shown(resource)} is not the name of an extended resource")
        if dns1123_subdomain(name):
            raise ValueError(f"class: {shown(name)} is not a legal name of a DeviceClass")
    return dict(pairs)


def _claim_name(value: object) -> str:
    if not isinstance(value, str) or (not has_marks(value) and dns1123_subdomain(value)):
        raise ValueError(f"claim-name: {shown(value)} is not a legal name of a ResourceClaim")
    return value
