"""Where device plugins are used: pods with their containers, and amounts anywhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from dradsl.records import Record, dataclass, field
from dradsl.values.plain import list_at, mapping_at, mappings_at
from dradsl.values.quantity import exact_amount

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dradsl.text.paths import FieldPath
    from dradsl.tree.charts.recipes import Match, ObjectsAt
    from dradsl.tree.manifests.manifest import Manifest

__all__ = [
    "BUILT_IN",
    "REMOVED",
    "ContainerAt",
    "PodAt",
    "Role",
    "Use",
    "effective_amounts",
    "is_extended",
    "is_passthrough",
    "whole",
]

Role = Literal["main", "init", "sidecar"]

# Resources of Kubernetes itself whose names have a slash.
# The name of GPUs that the kubelet itself served up to Kubernetes 1.10 (CHANGELOG-1.11: support is removed).
REMOVED = "alpha.kubernetes.io/nvidia-gpu"
BUILT_IN = frozenset({"", "apps", "batch"})
"""The groups of Kubernetes whose objects have pods."""
_NATIVE = ("kubernetes.io", "requests.", "limits.")


class Use(Record):
    """What one container asks for of one extended resource; an amount that is not written is None.

    `path` leads from the document's root to the amount that is written first, `beside` to another amount of it whose
    mapping is elsewhere.
    """

    resource: str
    limit: object
    request: object
    path: FieldPath
    beside: FieldPath = ()

    @property
    def amount(self) -> object:
        """The limit, or the request where no limit is written."""
        return self.request if self.limit is None else self.limit

    @property
    def text(self) -> str:
        return f"{self.resource}: {self.amount}"


class ContainerAt(Record):
    """A container with its uses. `path` leads to its mapping `data`; `name` is
    empty for the one container that the values of a chart describe. `resources` are the keys from `data` to its
    resources, none if it is these."""

    path: FieldPath
    name: str
    role: Role
    data: Mapping[str, object]
    uses: tuple[Use, ...]
    resources: tuple[str, ...] = ("resources",)

    @property
    def written(self) -> Mapping[str, object]:
        """The resources as they are written."""
        return mapping_at(self.data, *self.resources)

    @property
    def claims(self) -> tuple[Mapping[str, object], ...]:
        """Entries of `resources.claims`."""
        return tuple(mappings_at(self.written, "claims"))

    def variables(self) -> Mapping[str, object]:
        """Environment variables with the values written here (None: taken from elsewhere)."""
        env = self.data.get("env")
        if isinstance(env, dict):  # as charts write them
            return {str(n): v.get("value") if isinstance(v, dict) else v for n, v in env.items()}
        named = (each for each in mappings_at(self.data, "env") if "name" in each)
        return {str(each["name"]): each.get("value") for each in named}


class PodAt(Record):
    """A pod spec, or what an operator makes one of, with every container that uses a plugin.

    `role` distinguishes the pods of one object ("" if there is one). If there is no pod spec:
    `blocked` says why no claim is possible there, `off` that nothing is deployed from it, `set_values`
    what an operator's or chart's own fields get instead of claims (`{template}` is the name of the
    claim template). With `chart_writes_template` the chart writes the claim template itself, by the number of devices alone. `keep_zero_limits`
    are resources whose key a controller looks for in the limits: it stays, with 0. `count_fields` are fields that get
    the number of devices (`{count}`) of resources `count_resources`. `pod_fields` is False if tolerations and labels do not belong there.
    `rendered` says that helm renders the pods of it.

    If the values of a chart have the fields of the pod elsewhere, `spec` is what the chart makes of them,
    `fields` says where each field is, and `shared` names those that are in the defaults of all pods.
    `needs` says what the chart lacks if it is blocked, `question` is the question whose answer would change that.
    `match` is the recipe that found the pod, `objects` the place in the values at `root` for whole objects.
    Values in a file of their own may go to a namespace that the run shows (`goes_to`).
    """

    manifest: Manifest
    path: FieldPath
    spec: Mapping[str, object]
    annotations: Mapping[str, object]
    containers: tuple[ContainerAt, ...]
    role: str = ""
    replicas: int | None = 1
    blocked: str | None = None
    off: str | None = None
    set_values: tuple[tuple[str, object], ...] = ()
    chart_writes_template: bool = False
    keep_zero_limits: tuple[str, ...] = ()
    count_fields: tuple[tuple[str, str], ...] = ()
    count_resources: tuple[str, ...] = ()
    pod_fields: bool = True
    rendered: bool = False
    notes: tuple[str, ...] = ()
    fields: Mapping[str, FieldPath] = field(default_factory=dict)
    shared: frozenset[str] = frozenset()
    needs: tuple[str, ...] = ()
    question: str | None = None
    match: Match | None = None
    objects: ObjectsAt | None = None
    root: FieldPath = ()
    goes_to: str | None = None

    def field_at(self, name: str) -> FieldPath:
        """Where a field of the pod is, or belongs."""
        return self.fields.get(name, (*self.path, name))

    def inherited(self, name: str) -> Iterator[object]:
        """The items that the pod's own list must also hold, since it replaces the default."""
        yield from list_at(self.spec, name) if name in self.shared else ()

    @property
    def title(self) -> str:
        title = "values" if self.manifest.kind == "values" else self.manifest.title
        return f"{title} ({self.role})" if self.role else title


def is_passthrough(use: Use) -> bool:
    """Whether this is a device of a virtual machine of KubeVirt, which a claim's request replaces."""
    return use.path[-1:] == ("deviceName",)


def is_extended(name: str) -> bool:
    """Whether a resource is an extended one, by its name (k8s.io/component-helpers
    `IsExtendedResourceName`: a domain that does not belong to Kubernetes), or REMOVED."""
    if name == REMOVED:
        return True
    domain, slash, _ = name.partition("/")
    if not slash:
        return False
    return not domain.endswith(_NATIVE[0]) and not name.startswith(_NATIVE[1:])


def whole(value: object) -> int | None:
    """The value of a quantity that is a whole number; None if it is not, or below zero."""
    exact = exact_amount(value.strip() if isinstance(value, str) else value)
    return int(exact) if exact is not None and exact.denominator == 1 and exact >= 0 else None


@dataclass(slots=True)
class _Sum:
    main: int = 0
    init: int = 0
    sidecars: int = 0


def effective_amounts(containers: tuple[ContainerAt, ...]) -> dict[str, int]:
    """How much of each resource a pod needs, as the scheduler counts it.

    Containers add up; init containers run one after the other, beside the sidecars that were
    started before them (k8s.io/component-helpers resource `PodRequests`).
    """
    sums: dict[str, _Sum] = {}
    for container in containers:
        for use in container.uses:
            each = sums.setdefault(use.resource, _Sum())
            amount = whole(use.amount) or 0
            if container.role == "main":
                each.main += amount
            elif container.role == "sidecar":
                each.sidecars += amount
                each.init = max(each.init, each.sidecars)
            else:
                each.init = max(each.init, each.sidecars + amount)
    return {name: max(each.main + each.sidecars, each.init) for name, each in sums.items()}
