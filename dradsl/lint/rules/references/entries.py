"""DRA415, DRA417, DRA419, DRA421: claims of a pod that its containers do not use, or that are never allocated to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dradsl.diagnostics import FieldPath, Severity
from dradsl.lint.view.pods import PodView
from dradsl.lint.view.rule_finding import RelatedField, RuleFinding
from dradsl.lint.view.view import Run
from dradsl.values.plain import list_at, member

_UNUSED = "DRA415"
_NODE_NAME = "DRA417"
_TWICE = "DRA419"
_INIT_ONLY = "DRA421"
WORDS = ("resourceClaims",)


def check(run: Run) -> Iterator[RuleFinding]:
    for pod in run.pods:
        if pod.claims:
            yield from _unused(run, pod)
            yield from _node_name(pod)
            yield from _named_twice(pod)
            yield from _init_only(run, pod)


def _unused(run: Run, pod: PodView) -> Iterator[RuleFinding]:
    """A claim that no container uses."""
    if not isinstance(pod.spec.get("containers"), list):
        return  # a custom resource whose controller adds the containers
    entries = [entry.get("name") for _, entry in pod.container_claims]
    used = {name for name in entries if isinstance(name, str)}
    if {str(entry.get("name")) for _, entry in pod.claims} <= used:
        return
    used.update(_claims_below(pod.spec))
    for index, entry in pod.claims:
        name = entry.get("name")
        if not isinstance(name, str) or not name or name in used:
            continue
        attached = _is_attached_to_the_pod(run, pod, entry)
        if attached:
            continue
        made = pod.manifest.chart_output
        # A default for all pods of a chart that some of them use: the others get devices all the same.
        by_others = made is not None and name in made.used
        of = f" of {made.title}" if made is not None and by_others else ""
        yield RuleFinding(
            _UNUSED,
            pod.manifest,
            (*pod.at.path, "resourceClaims", index, "name"),
            f'no container{of} uses the claim "{name}": the pod reserves its devices, '
            "but no container gets them"
            + (", unless their driver serves the whole pod" if attached is None else ""),
            help="list it in the pod options of the controllers that use it"
            if by_others
            else f'add "- name: {name}" to resources.claims of the container that needs it',
            severity=Severity.INFO if by_others or attached is None else None,
        )


def _claims_below(spec: object) -> Iterator[str]:
    """What `resources.claims` name anywhere in a pod spec: KServe has its container under the name of
    a framework."""
    pending = [spec]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            for entry in list_at(value, "resources", "claims"):
                name = member(entry, "name")
                if isinstance(name, str):
                    yield name
            pending += value.values()
        elif isinstance(value, list):
            pending += value


def _is_attached_to_the_pod(run: Run, pod: PodView, entry: Mapping[str, object]) -> bool | None:
    """Whether a driver of the claim's devices serves the pod as a whole, as network drivers do; None if one
    of them is not known."""
    from dradsl.lint.rules.drivers.classes import drivers_of_class
    from dradsl.lint.rules.references.lookup import claims_of_entry

    drivers: list[str | None] = []
    for claim in claims_of_entry(run, pod, entry):
        for request in claim.bodies:
            drivers += drivers_of_class(run, request.class_name) or [None]
    schemas = [each and run.drivers.get(each) for each in drivers]
    if any(schema and schema.pod_scoped for schema in schemas):
        return True
    return False if schemas and all(schemas) else None


def _node_name(pod: PodView) -> Iterator[RuleFinding]:
    """A pod with claims presets spec.nodeName, so the scheduler never allocates them."""
    # In what was read from a cluster, the scheduler has written the name.
    if pod.spec.get("nodeName") and not pod.manifest.is_recorded:
        yield RuleFinding(
            _NODE_NAME,
            pod.manifest,
            (*pod.at.path, "nodeName"),
            "spec.nodeName bypasses the scheduler, and only the scheduler allocates claims",
            help="use nodeSelector or node affinity on kubernetes.io/hostname instead",
            on_key=True,
        )


def _named_twice(pod: PodView) -> Iterator[RuleFinding]:
    """Two entries of a pod name one ResourceClaim, and the pod never binds."""
    seen: dict[str, FieldPath] = {}
    for path, name in pod.named("resourceClaimName"):
        first = seen.setdefault(name, path)
        if first != path:
            yield RuleFinding(
                _TWICE,
                pod.manifest,
                path,
                f'ResourceClaim "{name}" is named by two entries: the pod never binds',
                help="name it in one entry, and that entry in every container that needs it",
                related=(RelatedField("the other entry", pod.manifest, first),),
            )


def _init_only(run: Run, pod: PodView) -> Iterator[RuleFinding]:
    """Only init containers use a claim, but the pod holds its devices until it ends."""
    patched = pod.manifest.is_patch or pod.manifest.build_context.completed
    if patched or not pod.spec.get("initContainers"):
        return
    from dradsl.lint.rules.references.lookup import claims_of_entry

    first, later = _users(pod)
    for index, entry in pod.claims:
        name = entry.get("name")
        if not isinstance(name, str) or name not in first or name in later:
            continue
        claims = claims_of_entry(run, pod, entry)
        bodies = (each.body for claim in claims for each in claim.bodies)
        if any(body.get("adminAccess") is True for body in bodies):
            continue  # no other pod lacks the devices
        yield RuleFinding(
            _INIT_ONLY,
            pod.manifest,
            (*pod.at.path, "resourceClaims", index, "name"),
            f'only init containers use the claim "{name}": its devices stay with the pod until it ends',
            help="do that work in a pod of its own, or let a container use the claim",
        )


def _users(pod: PodView) -> tuple[set[str], set[str]]:
    """The claims of containers that end before the pod begins, and those of all others."""
    first: set[str] = set()
    later: set[str] = set()
    containers = pod.spec.get("initContainers")
    for path, reference in pod.container_claims:
        part, index = path[len(pod.at.path)], path[len(pod.at.path) + 1]
        sidecar = (
            part == "initContainers"
            and isinstance(containers, list)
            and isinstance(index, int)
            and member(containers[index], "restartPolicy") == "Always"
        )
        name = reference.get("name")
        if isinstance(name, str):
            (first if part == "initContainers" and not sidecar else later).add(name)
    return first, later
