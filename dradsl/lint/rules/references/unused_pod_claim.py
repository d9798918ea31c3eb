"""DRA415: a pod lists a claim that no container uses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dradsl.diagnostics import Severity
from dradsl.lint.rules.drivers.classes import drivers_of_class
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import PodView, Run
from dradsl.values.plain import list_at, member

CODE = "DRA415"
WORDS = ("resourceClaims",)


def check(run: Run) -> Iterator[RuleFinding]:
    for pod in run.pods():
        if not isinstance(pod.spec.get("containers"), list):
            continue  # a custom resource whose controller adds the containers
        entries = [entry.get("name") for _, entry in pod.container_claims()]
        used = {name for name in entries if isinstance(name, str)}
        listed = {str(entry.get("name")) for _, entry in pod.claims()}
        if listed <= used:
            continue
        used.update(_claims_below(pod.spec))
        for index, entry in pod.claims():
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
                CODE,
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
    from dradsl.lint.rules.references.lookup import claims_of_entry

    drivers: list[str | None] = []
    for claim in claims_of_entry(run, pod, entry):
        for request in claim.bodies():
            name = request.body.get("deviceClassName")
            drivers += (isinstance(name, str) and drivers_of_class(run, name)) or [None]
    schemas = [each and run.drivers.get(each) for each in drivers]
    if any(schema and schema.pod_scoped for schema in schemas):
        return True
    return False if schemas and all(schemas) else None
