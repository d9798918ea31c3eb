"""DRA424: a container asks for an extended resource that no DeviceClass has, and another name is near."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dradsl.lint.rules.coexistence.devices import plugin_drivers
from dradsl.lint.rules.references.evidence import evidence_of, finding_of
from dradsl.lint.rules.references.lookup import near_name
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.triggers import QUALIFIED
from dradsl.lint.view.view import Run

CODE = "DRA424"
WORDS = ((QUALIFIED,),)

_IMPLICIT = "deviceclass.resource.kubernetes.io/"
_PATH = ("spec", "extendedResourceName")


def check(run: Run) -> Iterator[RuleFinding]:
    for pod in run.pods():
        for _, name, path in pod.extended_resources():
            if name.startswith(_IMPLICIT):
                evidence = evidence_of(
                    run, "DeviceClass", name.removeprefix(_IMPLICIT), pod.manifest
                )
                found = finding_of(run, evidence, CODE, pod.manifest, path)
                if found is not None:
                    yield found
                continue
            known = run.remember("extended-resources", lambda: _names(run))
            near = None if name in known else next(near_name(name, known), None)
            if near is not None and not plugin_drivers(run, name):
                yield RuleFinding(
                    CODE,
                    pod.manifest,
                    path,
                    f"no DeviceClass among the manifests has the extended resource {name}",
                    on_key=True,
                    help=f'did you mean "{near}"?',
                )


def _names(run: Run) -> Sequence[str]:
    """The extended resources of the DeviceClasses of the run."""
    names = (run.written_value(each, _PATH) for each in run.index.kind("DeviceClass"))
    return tuple(sorted({each for each in names if isinstance(each, str) and each}))
