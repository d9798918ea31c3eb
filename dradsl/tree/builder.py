"""What Kustomize, Flux and Argo CD build of files: the one place that makes builders of overlays."""

from __future__ import annotations

from dradsl.tree.kustomize.overlays.overlay import OverlayBuilder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from dradsl.tree.flux.kustomizations import VariableSources
    from dradsl.tree.kustomize.parts.files import Files
    from dradsl.tree.kustomize.parts.outcome import Overlay
    from dradsl.tree.nodes import ValueNode

__all__ = ["TreeBuilder"]


class TreeBuilder:
    """Builds of some files. Overlays share what several of them take in; `forget` a file that changes meanwhile."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self._shared: OverlayBuilder | None = None

    def overlay(self, folder: str) -> Overlay:
        """The kustomization of a folder, built as `kustomize build` does it."""
        if self._shared is None:
            self._shared = self._new()
        return self._shared.build(folder)

    def forget(self, path: str) -> None:
        """Build anew what holds a file."""
        if self._shared is not None:
            self._shared.forget(path)

    def flux(
        self, kustomization: ValueNode, tops: Iterable[str], sources: VariableSources
    ) -> Overlay:
        """What a Kustomization of Flux builds of its folder, which counts from the first of `tops` that has it."""
        from dradsl.tree.flux.kustomizations import build_flux

        return build_flux(self._new(restricted=False), kustomization, tops, sources)

    def argo_cd(self, source: ValueNode, top: str) -> Overlay | None:
        """What a source of an Application builds of a folder below `top`; None for a chart or another place."""
        from dradsl.tree.argo_cd.applications import build_source

        return build_source(self._new(), source, top)

    def _new(self, *, restricted: bool = True) -> OverlayBuilder:
        return OverlayBuilder(self.files, restricted=restricted)
