"""DRA403 in values of a chart: resources with claims for a container whose pod lists none, whatever the values are.

A `migrate --set chart-places=write` of an older release, killed between two files, leaves such a chart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from dradsl.diagnostics import Severity
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.triggers import VALUES
from dradsl.lint.view.view import Run
from dradsl.text import mentions
from dradsl.values.patterns import pattern
from dradsl.values.plain import member

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.tree.charts.template_pods import TemplatePod

CODE = "DRA403"
WORDS = (VALUES,)
_TEMPLATES = "templates/"
_ACTION = pattern(r"\{\{.*?\}\}", re.DOTALL)
_INCLUDED = pattern(r'\b(?:include|template|tpl)\b[ \t(]*(?:"([^"]*)")?')


def check(run: Run) -> Iterator[RuleFinding]:
    for source in run.sources:
        if source.is_template or not source.holds_values:
            continue
        if not mentions.CLAIM_VALUES.is_in(source.stream.text):
            continue
        folder = source.name.rpartition("/")[0]
        pods = list(_pods_without(_templates(run, folder)))
        if not pods:
            continue
        from dradsl.tree.values.values import values_of

        for manifest in values_of(source):
            if manifest.kind != "values":
                continue
            for template, pod, steps in pods:
                claims = member(manifest.data, *steps, "claims")
                if isinstance(claims, list) and claims:
                    yield RuleFinding(
                        CODE,
                        manifest,
                        (*steps, "claims"),
                        f"{template} writes these claims into a container, and no resourceClaims into its pod "
                        f"(line {pod.line + 1})",
                        on_key=True,
                        help="put the limits back (git restore), or write resourceClaims into the template. A stopped "
                        "migrate --set chart-places=write may have left this",
                        severity=Severity.WARNING if pod.conditional else None,
                    )


def _templates(run: Run, folder: str) -> Mapping[str, str]:
    """The templates of the chart in a folder; none if no chart of the run lies there."""
    start = f"{folder}/" if folder else ""
    names = {source.name: source for source in run.sources if source.name.startswith(start)}
    if f"{start}Chart.yaml" not in names:
        return {}
    below = start + _TEMPLATES
    return {name: each.stream.text for name, each in names.items() if name.startswith(below)}


def _pods_without(
    templates: Mapping[str, str],
) -> Iterator[tuple[str, TemplatePod, tuple[str, ...]]]:
    """The pods that get no claims from these templates, each with the values that its containers have as resources."""
    texts = list(templates.values())
    if not texts or any("resourceClaims" in text for text in texts):
        return
    from dradsl.tree.charts.template_pods import helpers_in, is_built_in, pods_in, steps_of

    helpers = helpers_in(texts)
    for name, text in templates.items():
        # What another chart's template writes is not known.
        actions = " ".join(_ACTION.findall(text))
        if name.endswith(".tpl") or any(n not in helpers for n in _INCLUDED.findall(actions)):
            continue
        for pod in pods_in(text, helpers):
            if pod.has_claims or not is_built_in(text, pod.line) or _gets_more(text, pod):
                continue
            whole = {steps_of(each) for one in pod.containers for each in one.whole}
            for steps in sorted(each for each in whole if each):
                yield name, pod, steps


def _gets_more(text: str, pod: TemplatePod) -> bool:
    """Whether an action writes fields of the pod spec that are not known."""
    lines = text.splitlines()

    def belongs(line: str) -> bool:
        own = line.lstrip(" ")
        return not own or own.startswith(("{{", "#")) or len(line) - len(own) >= pod.indent

    first = last = pod.line
    while first and belongs(lines[first - 1]):
        first -= 1
    while last < len(lines) and belongs(lines[last]):
        last += 1
    writes = re.compile(rf"\bn?indent\s+{pod.indent}\b")
    return any(writes.search(line) for line in lines[first:last])
