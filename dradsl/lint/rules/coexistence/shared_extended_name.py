"""DRA902: two DeviceClasses carry the same extended resource's name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice

from dradsl.lint.view.index import is_elsewhere
from dradsl.lint.view.pages import are_apart
from dradsl.lint.view.rule_finding import RelatedField, RuleFinding
from dradsl.lint.view.view import Run
from dradsl.tree.manifests.manifest import Manifest

CODE = "DRA902"
_PATH = ("spec", "extendedResourceName")
_SHOWN = 5  # other classes that a finding names
WORDS = ("extendedResourceName",)


def check(run: Run) -> Iterator[RuleFinding]:
    carriers: defaultdict[str, list[Manifest]] = defaultdict(list)
    for manifest in run.index.kind("DeviceClass"):
        name = run.written_value(manifest, _PATH)
        if isinstance(name, str) and name:
            carriers[name].append(manifest)
    for manifest in run.manifests:
        if manifest.kind != "DeviceClass":
            continue
        name = run.written_value(manifest, _PATH)
        others = list(islice(_others(run, carriers.get(str(name), ()), manifest), _SHOWN))
        if others:
            more = len(carriers[str(name)]) - 1 - len(others)
            names = " and ".join(sorted(str(other.name) for other in others))
            names += f" (of {more + len(others)} classes)" if more > 0 else ""
            yield RuleFinding(
                CODE,
                manifest,
                _PATH,
                f"{names} carries {name} as well: the class that was created later wins",
                help="let one class carry the name",
                related=tuple(RelatedField(f"{o.name} here", o, _PATH) for o in others),
            )


def _others(run: Run, carriers: Iterable[Manifest], manifest: Manifest) -> Iterator[Manifest]:
    return (
        each
        for each in carriers
        if each.name != manifest.name
        and not is_elsewhere(each, manifest)
        and not are_apart(run, each, manifest)
    )
