"""DRA422, DRA424, DRA902: extended resources of DeviceClasses: asked for in parts, missing, or of two classes.

An amount by class that is no whole number the API server takes: whatever is called kubernetes.io/ is native to it, and
only amounts of other domains have to be whole. The scheduler makes no request of it (createResourceRequestAndMappings of
kubernetes pkg/scheduler/framework/plugins/dynamicresources/extendeddynamicresources.go), and then fails to bind the pod.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from dradsl.diagnostics import FieldPath
from dradsl.lint.rules.coexistence.devices import plugin_drivers
from dradsl.lint.view.index import is_elsewhere
from dradsl.lint.view.pods import PodView
from dradsl.lint.view.rule_finding import RelatedField, RuleFinding
from dradsl.lint.view.triggers import QUALIFIED
from dradsl.lint.view.view import Run
from dradsl.tree.manifests.manifest import Manifest
from dradsl.values.plain import mapping_at

_PART = "DRA422"
_MISSING = "DRA424"
_SHARED = "DRA902"
_IMPLICIT = "deviceclass.resource.kubernetes.io/"
_PATH = ("spec", "extendedResourceName")
_SHOWN = 5  # other classes that a finding names
WORDS = ((QUALIFIED, _PATH[-1]),)


def check(run: Run) -> Iterator[RuleFinding]:
    carriers: dict[str, list[Manifest]] = {}
    for manifest in run.index.kind("DeviceClass"):
        name = run.written_value(manifest, _PATH)
        if isinstance(name, str) and name:
            carriers.setdefault(name, []).append(manifest)
    known = tuple(sorted(carriers))
    for pod in run.pods:
        by_class = any(name.startswith(_IMPLICIT) for _, name, _ in pod.extended_resources)
        if by_class and "DRAExtendedResource" in run.features:
            yield from _parts(pod)
        for _, name, path in pod.extended_resources:
            yield from _missing(run, pod, name, path, known)
    for manifest in run.of_kind("DeviceClass"):
        yield from _shared(run, manifest, carriers)


def _parts(pod: PodView) -> Iterator[RuleFinding]:
    """An amount of devices by class that is no whole number: the pod never binds."""
    for path, resources in pod.resources:
        for section in ("limits", "requests"):
            for name, amount in mapping_at(resources, section).items():
                if isinstance(name, str) and name.startswith(_IMPLICIT) and _is_part(amount):
                    yield RuleFinding(
                        _PART,
                        pod.manifest,
                        (*path, "resources", section, name),
                        f"{amount} of a device: the scheduler takes whole numbers only, and the pod never "
                        "starts",
                        help="write a whole number; shares are asked for by a claim with capacity.requests",
                        upstream="nil or empty request mappings",
                    )


def _is_part(amount: object) -> bool:
    from dradsl.values.quantity import exact_amount

    found = exact_amount(amount)
    return found is not None and found.denominator != 1


def _missing(
    run: Run, pod: PodView, name: str, path: FieldPath, known: Sequence[str]
) -> Iterator[RuleFinding]:
    """An extended resource that no DeviceClass has, where another name is near."""
    from dradsl.lint.rules.references.evidence import evidence_of, finding_of
    from dradsl.lint.rules.references.lookup import near_name

    if name.startswith(_IMPLICIT):
        evidence = evidence_of(run, "DeviceClass", name.removeprefix(_IMPLICIT), pod.manifest)
        yield from finding_of(run, evidence, _MISSING, pod.manifest, path)
        return
    near = None if name in known else next(near_name(name, known), None)
    if near is not None and not plugin_drivers(run, name):
        yield RuleFinding(
            _MISSING,
            pod.manifest,
            path,
            f"no DeviceClass among the manifests has the extended resource {name}",
            on_key=True,
            help=f'did you mean "{near}"?',
        )


def _shared(
    run: Run, manifest: Manifest, carriers: Mapping[str, list[Manifest]]
) -> Iterator[RuleFinding]:
    """Two DeviceClasses carry the same extended resource's name."""
    name = str(run.written_value(manifest, _PATH))
    every = (
        each
        for each in carriers.get(name, ())
        if each.name != manifest.name
        and not is_elsewhere(each, manifest)
        and not run.are_apart(each, manifest)
    )
    others = list(islice(every, _SHOWN))
    if others:
        more = len(carriers[name]) - 1 - len(others)
        names = " and ".join(sorted(str(other.name) for other in others))
        names += f" (of {more + len(others)} classes)" if more > 0 else ""
        yield RuleFinding(
            _SHARED,
            manifest,
            _PATH,
            f"{names} carries {name} as well: the class that was created later wins",
            help="let one class carry the name",
            related=tuple(RelatedField(f"{o.name} here", o, _PATH) for o in others),
        )
