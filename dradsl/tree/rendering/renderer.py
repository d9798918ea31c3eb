"""The door: charts and overlays of trees rendered by the programs that a caller names, each once."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from dradsl.tree.rendering.programs import Programs, RenderedText, programs_of, said_of
from dradsl.values.deadline import NO_DEADLINE, Deadline
from dradsl.values.limits import MOST_CALLS, SECONDS_OF_A_PROGRAM

__all__ = ["API_VERSIONS", "Renderer"]

# What charts ask of a cluster before they write claims (Capabilities.APIVersions).
API_VERSIONS = (
    "resource.k8s.io/v1",
    "resource.k8s.io/v1/DeviceClass",
    "resource.k8s.io/v1/ResourceClaim",
    "resource.k8s.io/v1/ResourceClaimTemplate",
)


class Renderer:
    """Renders for one run. What cannot be rendered, and what needs a program that was not named, is unknown."""

    def __init__(
        self,
        programs: Programs,
        *,
        kube_version: str | None = None,
        seconds: float = SECONDS_OF_A_PROGRAM,
        total: float = 10 * SECONDS_OF_A_PROGRAM,
        deadline: Deadline = NO_DEADLINE,
    ) -> None:
        """`seconds` for each call, `total` for all, none after the `deadline`; `kube_version` such as 1.36 is what charts see."""
        self.programs = programs
        self._kube_version = kube_version
        self._seconds = seconds
        self._left = total
        self._deadline = deadline
        self._known: dict[tuple[str | bytes, ...], RenderedText] = {}
        self._confined: frozenset[str] | None = None

    @property
    def confinement(self) -> str | None:
        """In words, what the kernel kept every program from so far; None if none was run."""
        return None if self._confined is None else said_of(self._confined)

    @classmethod
    def of(cls, entries: Iterable[str], *, kube_version: str | None = None) -> Renderer:
        """One for the entries of `--build-with`.

        Raises:
            BuildWithError: for what names no program.
        """
        return cls(programs_of(entries), kube_version=kube_version)

    def chart(
        self,
        folder: str,
        *,
        top: str,
        values: Sequence[Mapping[str, object]] = (),
        release: str = "release-name",
        namespace: str = "default",
        texts: Mapping[str, bytes] | None = None,
    ) -> RenderedText:
        """What helm makes of the chart in a folder of the tree `top`; of the values the last win. `texts`, by real
        paths, go before what the files of the chart hold."""
        if self.programs.helm is None:
            return RenderedText(unknown="no helm was named")
        from dradsl.tree.rendering.charts import render_chart

        try:
            said = json.dumps(values, sort_keys=True)
        except (TypeError, ValueError, RecursionError) as error:
            return RenderedText(unknown=f"the values cannot be handed over: {error}")
        helm = self.programs.helm

        def render(seconds: float) -> RenderedText:
            return render_chart(
                helm,
                folder,
                top=top,
                values=values,
                release=release,
                namespace=namespace,
                kube_version=self._kube_version,
                api_versions=API_VERSIONS,
                texts=texts,
                seconds=seconds,
            )

        key = ("chart", os.path.realpath(folder), release, namespace, said, *_changed(texts))
        return self._once(key, render)

    def overlay(
        self, folder: str, *, top: str, texts: Mapping[str, bytes] | None = None
    ) -> RenderedText:
        """What kustomize builds of a folder of the tree `top`; `texts` as for a chart. What charts give is that of
        the helm that was named."""
        from dradsl.tree.rendering.overlays import render_overlay

        def render(seconds: float) -> RenderedText:
            return render_overlay(self.programs, folder, top=top, texts=texts, seconds=seconds)

        key = ("overlay", os.path.realpath(folder), *_changed(texts))
        return self._once(key, render)

    def _once(
        self, key: tuple[str | bytes, ...], render: Callable[[float], RenderedText]
    ) -> RenderedText:
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= MOST_CALLS or self._left <= 0:
                return RenderedText(unknown="the run has rendered enough")
            begun = time.monotonic()
            seconds = min(self._seconds, self._left, self._deadline.moment - begun)
            found = self._known[key] = render(seconds)
            self._left -= time.monotonic() - begun
            if found.unknown is None or found.confined:
                here = found.confined
                self._confined = here if self._confined is None else self._confined & here
        return found


def _changed(texts: Mapping[str, bytes] | None) -> tuple[str | bytes, ...]:
    return tuple(each for pair in sorted((texts or {}).items()) for each in pair)
