"""DRA904: a pod with claims selects nodes by labels that the device plugin's side keeps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dradsl.diagnostics import FieldPath
from dradsl.drivers.schema.device_plugin import LabelMatch, find_labels, translate_label
from dradsl.lint.rules.coexistence.devices import drivers_of_pod
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import PodView, Run
from dradsl.values.plain import list_at, mapping_at, member

CODE = "DRA904"
_AFFINITY = ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
WORDS = ("resourceClaims", ("nodeSelector", "nodeAffinity"))


def check(run: Run) -> Iterator[RuleFinding]:
    for pod in run.pods():
        conditions = list(_conditions(pod))
        if not conditions:
            continue
        claimed = drivers_of_pod(run, pod)
        for path, key, value in conditions:
            for match in _labels(run, key):
                if match.driver.name not in claimed or match.label.stays:
                    continue
                cel = translate_label(match, key, value) if value is not None else None
                sure = cel.selector if cel is not None and cel.certain else None
                yield RuleFinding(
                    CODE,
                    pod.manifest,
                    path,
                    f"node label {key} is kept by feature discovery, which comes and goes with "
                    "the device plugin: without it no node has the label, or an old value of it",
                    on_key=path[-1] == key,
                    help=f"select devices in the claim instead: {sure}" if sure else None,
                )
                break


def _labels(run: Run, key: str) -> Sequence[LabelMatch]:
    return run.remember(("labels", key), lambda: find_labels(key, run.drivers), by="schemas")


def _conditions(pod: PodView) -> Iterator[tuple[FieldPath, str, str | None]]:
    """Labels that a pod demands, with the value if there is just one."""
    for key, value in mapping_at(pod.spec, "nodeSelector").items():
        yield (*pod.at.path, "nodeSelector", key), key, str(value)
    terms = list_at(pod.spec, *_AFFINITY, "nodeSelectorTerms")
    for number, term in enumerate(terms):
        for index, item in enumerate(list_at(term, "matchExpressions")):
            name, values = member(item, "key"), member(item, "values")
            single = isinstance(values, list) and len(values) == 1
            plain = single and member(item, "operator") == "In"
            path = (*pod.at.path, *_AFFINITY, "nodeSelectorTerms", number)
            if isinstance(name, str):
                only = str(values[0]) if plain and isinstance(values, list) else None
                yield (*path, "matchExpressions", index, "key"), name, only
