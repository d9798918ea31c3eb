"""DRA901: a pod asks for devices of one driver twice, by extended resource and by claim."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.rules.coexistence.devices import drivers_of_pod, plugin_drivers
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.triggers import QUALIFIED
from dradsl.lint.view.view import Run

CODE = "DRA901"
WORDS = ("resourceClaims", QUALIFIED)


def check(run: Run) -> Iterator[RuleFinding]:
    for pod in run.pods():
        claimed = None
        for _, resource, path in pod.extended_resources():
            if claimed is None:
                claimed = drivers_of_pod(run, pod)
            both = sorted(plugin_drivers(run, resource) & claimed.keys())
            if both:
                yield RuleFinding(
                    CODE,
                    pod.manifest,
                    path,
                    f'the pod asks for {resource} besides claim "{claimed[both[0]]}", which is '
                    f"served by {both[0]}: it gets both",
                    on_key=True,
                    help=f"take {resource} out of limits and requests, or the claim out of the pod",
                )
