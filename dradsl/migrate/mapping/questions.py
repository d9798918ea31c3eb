"""What a manifest does not contain: the questions, their answers, and the decisions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from dradsl.data import data_path
from dradsl.migrate.places import REMOVED
from dradsl.records import Record, field, replace
from dradsl.text.splitting import has_marks
from dradsl.values.names import dns1123_subdomain, is_extended_resource_name
from dradsl.values.shown import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


__all__ = ["FOR_ALL", "Decisions", "Question", "decided", "question_file", "questions", "texts_of"]


class Question(Record):
    """A question by its id, which is also its name in an answers file.

    `options` map each answer to its effect, the most likely one first; `only` names the vendor for whose resources an
    answer is possible. `free` questions take other texts as well; `many` collect texts.
    """

    id: str
    text: str
    options: Mapping[str, str]
    only: Mapping[str, str] = field(default_factory=dict)
    free: bool = False
    many: bool = False


@cache
def question_file() -> Mapping[str, Any]:
    """What `schemas/migration-questions.yaml` holds."""
    from dradsl.text.documents import load
    from dradsl.text.files import read_bytes

    data: Any = load(read_bytes(data_path("schemas", "migration-questions.yaml"))).documents[0].data
    return MappingProxyType(data)


@cache
def questions() -> Mapping[str, Question]:
    """All questions by their ids."""
    return MappingProxyType({row["id"]: Question(**row) for row in question_file()["questions"]})


class Decisions(Record):
    """The answers that hold for one pod; None is an open question.

    `node_labels` is "translate" (where sure) or "keep"; `tolerations` is "add" (as an admission
    plugin does for the request), "leave", or "shown": added where the run shows the taint. `accept` holds extended resources
    whose translation the user accepts. `claim_name` is the name of the one claim of the answer
    shared-claim, `classes` the DeviceClasses that the user names for extended resources.

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
    chart_places: str | None = None
    node_name: str | None = None
    accept: frozenset[str] = frozenset()
    node_labels: str = "translate"
    tolerations: str = "shown"
    claim_name: str | None = None
    classes: Mapping[str, str] = field(default_factory=dict)
    strategy: str = "claims"
    form: str = "files"
    recipes: tuple[str, ...] = ()

    @property
    def asks_by_name(self) -> bool:
        """Whether pods stay as they are, and go on asking by the names of resources."""
        return self.strategy == "extended-resource"


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
        of_decisions = "classes" if name == "class" else name.replace("-", "_")
        changes: dict[str, Any] = {of_decisions: _answer(name, value, decisions)}
        decisions = replace(decisions, **changes)
    return decisions


def _answer(name: str, value: object, decisions: Decisions) -> object:
    if name == "class":
        return {**decisions.classes, **_classes(value)}
    if name == "claim-name":
        if not isinstance(value, str) or (not has_marks(value) and dns1123_subdomain(value)):
            raise ValueError(f"claim-name: {shown(value)} is not a legal name of a ResourceClaim")
        return value
    if name == "recipes":
        return (*decisions.recipes, *texts_of(name, value))
    question = questions().get(name)
    options = tuple(question.options) if question else _CHOICES.get(name)
    if options is None:
        known = ", ".join((*questions(), *_CHOICES, "claim-name", "class", "recipes"))
        raise ValueError(f"no question is called {shown(name)} (there are: {known})")
    if question is not None and question.many:
        return decisions.accept | frozenset(texts_of(name, value))
    if not isinstance(value, str):
        raise ValueError(f"{name}: expected a text, not {shown(value)}")
    if value not in options and not (question is not None and question.free):
        raise ValueError(f"{name}: {shown(value)} is no answer (there are: {', '.join(options)})")
    return value


def texts_of(name: str, value: object, expected: str = "a list of names") -> list[str]:
    """The texts in an answer, which may be one text alone.

    Raises:
        ValueError: for another value, with the name of the answer and what was expected.
    """
    items = value if isinstance(value, list) else [value]
    if not all(isinstance(item, str) for item in items):
        raise ValueError(f"{name}: expected {expected}")
    return list(map(str, items))


def _classes(value: object) -> dict[str, str]:
    """DeviceClasses by extended resource, from a mapping or from texts such as `squat.ai/dri=gpu.amd.com`; behind a class
    how many units of the resource are one device, as in `aws.amazon.com/neuroncore=neuron.aws.com/2`."""
    if isinstance(value, Mapping):
        pairs = list(value.items())
    else:
        items = value if isinstance(value, list | tuple) else [value]
        pairs = [str(item).partition("=")[::2] for item in items]
    for resource, name in pairs:
        if not (isinstance(resource, str) and isinstance(name, str) and name):
            raise ValueError(f"class: expected RESOURCE=CLASS, not {shown(value)}")
        if resource != REMOVED and not is_extended_resource_name(resource):
            raise ValueError(f"class: {shown(resource)} is not the name of an extended resource")
        device_class, slash, units = name.partition(
            "/"
        )  # so many units of the resource are one device
        if dns1123_subdomain(device_class) or (slash and not (units.isdecimal() and int(units))):
            raise ValueError(f"class: {shown(name)} is not a legal name of a DeviceClass")
    return dict(pairs)
