"""DRA902: two DeviceClasses carry the same extended resource's name."""

from __future__ import annotations

from collections import defaultdict

from dradsl.lint.view.found import Found, RelatedField

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.lint.input.manifests import Manifest
    from dradsl.lint.view.view import Run

CODE = "DRA902"
_PATH = ("spec", "extendedResourceName")


def check(run: Run) -> Iterator[Found]:
    carriers: defaultdict[str, list[Manifest]] = defaultdict(list)
    for manifest in run.index.kind("DeviceClass"):
        name = run.written_value(manifest, _PATH)
        if isinstance(name, str) and name:
            carriers[name].append(manifest)
    for manifest in run.manifests:
        name = run.written_value(manifest, _PATH) if manifest.kind == "DeviceClass" else None
        others = [m for m in carriers.get(str(name), ()) if m.name != manifest.name]
        if others:
            names = " and ".join(sorted(str(other.name) for other in others))
            yield Found(
                CODE,
                manifest,
                _PATH,
                f"{names} carries {name} as well: the class that was created later wins",
                help="let one class carry the name",
                related=tuple(RelatedField(f"{o.name} here", o, _PATH) for o in others),
            )
