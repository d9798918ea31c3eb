"""DRA708, DRA709: no recorded node has the devices of all claims of a pod, or node selectors or taints exclude each."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.rules.feasibility.trials import trials
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import PodView, Run

_NO_COMMON_NODE = "DRA708"
_NO_OPEN_NODE = "DRA709"


def check(run: Run) -> Iterator[RuleFinding]:
    for trial in trials(run):
        pod = trial.pod
        if not trial.without_both:
            if trial.apart:
                names = [str(entry.get("name")) for _, entry in pod.claims()]
                yield RuleFinding(
                    _NO_COMMON_NODE,
                    pod.manifest,
                    (*pod.at.path, "resourceClaims"),
                    f"each of the claims {', '.join(names[:5])} can be met, but no recorded node meets all of "
                    "them, even with every device free",
                    help="`dradsl simulate` says what each node lacks; spread the work over several pods",
                    upstream="cannot allocate all claims",
                    on_key=True,
                )
            continue
        field = _written(pod)
        if trial.without_places:
            text = f"spec.{field} excludes every recorded node that has the devices"
            helped = "select nodes that have them; the claim alone brings the pod to such a node"
        elif trial.without_taints:
            field = "tolerations" if pod.spec.get("tolerations") else "resourceClaims"
            text = "every recorded node that has the devices has a taint that the pod does not tolerate"
            helped = "add the toleration; `dradsl simulate` names the taint"
        else:
            text = "node selection and taints together exclude every recorded node that has the devices"
            helped = "`dradsl simulate` says of each node why"
        yield RuleFinding(
            _NO_OPEN_NODE, pod.manifest, (*pod.at.path, field), text, help=helped, on_key=True
        )


def _written(pod: PodView) -> str:
    for field in ("nodeSelector", "affinity"):
        if pod.spec.get(field):
            return field
    return "resourceClaims"
