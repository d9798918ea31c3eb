"""The selectors of DeviceClasses, which filter devices before a request's own, and the drivers behind a class."""

from __future__ import annotations

from dradsl.lint.view.view import RequestView, Run
from dradsl.values.plain import list_at, member

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.drivers.schema.shapes import Shape
    from dradsl.tree.manifests.manifest import Manifest

__all__ = ["drivers_of_class", "drivers_shown", "expressions", "selectors_of_class", "shapes_of"]


def selectors_of_class(run: Run, name: str | None) -> tuple[str, ...] | None:
    """The expressions of a class of the run, or of one that a driver installs; None if unknown."""
    if name is None:
        return None
    return run.remember(("class-selectors", name), lambda: _selectors_of_class(run, name))


def _selectors_of_class(run: Run, name: str) -> tuple[str, ...] | None:
    manifest = run.index.find("DeviceClass", name)
    if manifest is not None:
        others = run.index.named("DeviceClass", name)
        if any(each.data.get("spec") != manifest.data.get("spec") for each in others):
            return None  # of several clusters, say: which one is meant is not known
        admission = run.admission(manifest)
        if admission is None or admission.object is None:
            return None
        from dradsl.kube.limits import MAX_SELECTORS

        found = expressions((admission.object.get("spec") or {}).get("selectors"))
        return found if len(found) <= MAX_SELECTORS else None  # no cluster has such a class
    known = run.drivers.device_class(name)
    return known[1].selectors if known is not None else None


def drivers_of_class(run: Run, name: str | None) -> frozenset[str]:
    """The drivers whose devices are in a class; empty if that is not known."""
    selectors = selectors_of_class(run, name)
    if not selectors:
        return frozenset()
    from dradsl.drivers.judge.reachable import drivers_of
    from dradsl.lint.rules.drivers.cases import shapes_behind

    return drivers_of(shapes_behind(run, selectors)) or frozenset()


def drivers_shown(run: Run, manifest: Manifest) -> frozenset[str]:
    """The drivers of the slices in the file of a manifest."""

    slices = run.index.in_file(manifest, "ResourceSlice")
    return frozenset(str(member(each.data, "spec", "driver")) for each in slices)


def shapes_of(run: Run, request: RequestView, *, own: bool = True) -> tuple[Shape, ...] | None:
    """The devices that a request can get, with or without its `own` selectors; None if its class is unknown."""
    before = selectors_of_class(run, request.class_name)
    if before is None:
        return None
    from dradsl.lint.rules.drivers.cases import shapes_behind

    return shapes_behind(
        run, (*before, *(expressions(request.body.get("selectors")) if own else ()))
    )


def expressions(selectors: object) -> tuple[str, ...]:
    """The CEL texts of a list of selectors."""
    texts = (member(each, "cel", "expression") for each in list_at(selectors))
    return tuple([text for text in texts if isinstance(text, str)])
