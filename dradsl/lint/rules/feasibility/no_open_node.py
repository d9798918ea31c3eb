"""DRA709: node selectors or taints keep a pod from every recorded node that has its devices."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.rules.feasibility.trials import trials
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import PodView, Run

CODE = "DRA709"


def check(run: Run) -> Iterator[RuleFinding]:
    for trial in trials(run):
        if not trial.without_both:
            continue
        if trial.without_places:
            field = _written(trial.pod)
            text = f"spec.{field} excludes every recorded node that has the devices"
            helped = "select nodes that have them; the claim alone brings the pod to such a node"
        elif trial.without_taints:
            field = "tolerations" if trial.pod.spec.get("tolerations") else "resourceClaims"
            text = "every recorded node that has the devices has a taint that the pod does not tolerate"
            helped = "add the toleration; `dradsl simulate` names the taint"
        else:
            field = _written(trial.pod)
            text = "node selection and taints together exclude every recorded node that has the devices"
            helped = "`dradsl simulate` says of each node why"
        yield RuleFinding(
            CODE, trial.pod.manifest, (*trial.pod.at.path, field), text, help=helped, on_key=True
        )


def _written(pod: PodView) -> str:
    for field in ("nodeSelector", "affinity"):
        if pod.spec.get(field):
            return field
    return "resourceClaims"
