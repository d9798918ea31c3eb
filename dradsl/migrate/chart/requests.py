"""The devices that a template of a chart asks for, and the requests of claims that can take their place.

An amount is written in the template, or in values that the template writes whole as the resources of a container. Both
become a request of one model: an expression for the number, its conditions, and a name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dradsl.drivers.schema.catalogue import shipped_catalogue
from dradsl.migrate.chart.template import UnclearError
from dradsl.migrate.evidence import find_sharing_hint
from dradsl.migrate.mapping.resource import FRACTIONS, Hints, Rejection, Target, target_of
from dradsl.migrate.planning.plan import request_name
from dradsl.records import Record, replace
from dradsl.tree.charts.template_pods import steps_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from dradsl.migrate.chart.template import TemplateText
    from dradsl.migrate.mapping.questions import Decisions
    from dradsl.tree.charts.template_pods import TemplateContainer, TemplatePod

__all__ = ["ChartAmount", "Becomes", "PodRequests", "RequestReader", "TemplateRequest", "nested"]


class ChartAmount(Record):
    """Where a chart says an amount of a resource: at a `line` (from 0) of a template `file`, or in `values` that
    templates write whole as resources."""

    resource: str
    file: str = ""
    line: int = 0
    values: tuple[str, ...] = ()


class Becomes(Record):
    """What an amount becomes: a request like `target`, by an earlier run already if it is `done`; or why it `stays`, and
    the question whose answer may change that, with a likely one (`hint`)."""

    target: Target | None = None
    done: bool = False
    stays: str = ""
    question: str | None = None
    hint: str | None = None


class TemplateRequest(Record):
    """A request of a pod's claim: `name` is its name there, `helper` the named template of its `number`.

    `number` and `conditions` are expressions from the root. `at` is the line of `resources:` (from 0). The amounts of a container are at `lines`, or in `values`.
    """

    resource: str
    target: Target
    number: str
    conditions: tuple[str, ...]
    container: TemplateContainer
    at: int
    lines: tuple[int, ...] = ()
    values: tuple[str, ...] = ()
    name: str = ""
    helper: str = ""

    def amounts(self, file: str) -> Iterator[ChartAmount]:
        """Where the amounts of the request stand."""
        if self.values:
            yield ChartAmount(self.resource, values=self.values)
        for line in self.lines:
            yield ChartAmount(self.resource, file, line)


class PodRequests(Record):
    """A pod of a template whose amounts can all become requests of one claim."""

    template: TemplateText
    pod: TemplatePod
    helper: str
    stem: str
    requests: tuple[TemplateRequest, ...]
    namespace: str | None


class RequestReader:
    """Reads a template of a chart.

    `hints` are what the input says about a resource, for each cluster in question. `wanted` are the resources that values
    ask for, by the values that templates write as resources of a container.
    """

    def __init__(
        self,
        template: TemplateText,
        chart: str,
        decisions: Decisions,
        hints: Callable[[str], Sequence[Hints]],
        wanted: Mapping[tuple[str, ...], frozenset[str]],
    ) -> None:
        self._template, self._chart, self._decisions = template, chart, decisions
        self._hints, self._wanted = hints, wanted
        self._becomes: list[tuple[ChartAmount, Becomes]] = []
        self._found: list[PodRequests] = []

    def read(
        self, pods: Sequence[TemplatePod], key: str
    ) -> tuple[list[PodRequests], list[tuple[ChartAmount, Becomes]]]:
        """The pods that can have claims, and what becomes of all amounts. `key` is the switch in the values; if an earlier
        run put anything behind it, no pod is left."""
        lines = self._template.uses()
        self._note_done(
            pods, [n for n in lines if self._template.mentions_around(n, f"Values.{key}")]
        )
        if self._becomes:
            return [], self._becomes
        owned = [[(c, n) for c in pod.containers for n in c.single if n in lines] for pod in pods]
        left = sorted({*lines} - {line for own in owned for _, line in own})
        for number, (pod, own) in enumerate(zip(pods, owned, strict=True)):
            values = [(c, steps) for c in pod.containers for steps in self._values_of(c)]
            if not own and not values:
                continue
            try:
                found = self._pod(pod, self._stem(number), own, values, left)
            except UnclearError as error:
                self._leave(error, own, values)
                continue
            self._found.append(found)
            for each in found.requests:
                self._becomes += (
                    (a, Becomes(each.target)) for a in each.amounts(self._template.name)
                )
        lost = Becomes(stays="the pod of this count is not found: it stays")
        self._becomes += ((self._amount(line), lost) for line in left)
        return self._found, self._becomes

    def _amount(self, line: int) -> ChartAmount:
        entry = self._template.entry(line)
        return ChartAmount("" if entry is None else entry[0], self._template.name, line)

    def _note_done(self, pods: Sequence[TemplatePod], lines: Sequence[int]) -> None:
        """The amounts that an earlier run put behind the switch."""
        amounts = [self._amount(line) for line in lines]
        for container in (each for pod in pods for each in pod.containers):
            if ".deviceClaims." in (container.unknown or ""):
                for steps in self._values_of(container):
                    amounts += [ChartAmount(each, values=steps) for each in self._wanted[steps]]
        self._becomes += (
            (amount, Becomes(self._known_target(amount.resource), done=True)) for amount in amounts
        )

    def _values_of(self, container: TemplateContainer) -> list[tuple[str, ...]]:
        """The values that are the resources of a container and ask for devices."""
        found = map(steps_of, container.whole)
        return [steps for steps in found if steps is not None and self._wanted.get(steps)]

    def _stem(self, number: int) -> str:
        """The name of the file's pod of that number, as names of templates and objects begin."""
        name = self._template.name.removeprefix("templates/").partition(".")[0].lower()
        stem = re.sub(r"[^a-z0-9]+", "-", name).strip("-")
        return stem + (f"-{number + 1}" if number else "")

    def _pod(
        self,
        pod: TemplatePod,
        stem: str,
        own: Sequence[tuple[TemplateContainer, int]],
        values: Sequence[tuple[TemplateContainer, tuple[str, ...]]],
        left: Sequence[int],
    ) -> PodRequests:
        self._expect_room(pod, left, has_own=bool(own))
        helper = f"{self._chart}.deviceClaims.{stem}"
        found = [*self._written(own)]
        free = tuple(_without_claims(pod)) if values else ()
        for container, steps in values:
            found += self._of_values(container, steps, free)
        requests: list[TemplateRequest] = []
        for each in found:
            owner = "" if len(found) == 1 or "{{" in each.container.name else each.container.name
            name = request_name(each.resource, owner, {one.name for one in requests})
            requests.append(replace(each, name=name, helper=f"{helper}.{name}"))
        namespace = self._template.namespace(pod)
        return PodRequests(self._template, pod, helper, stem, tuple(requests), namespace)

    def _expect_room(self, pod: TemplatePod, left: Sequence[int], *, has_own: bool) -> None:
        """See to it that claims can be written into a pod, and are kept there.

        Raises:
            UnclearError: if not, or if that is not known.
        """
        template = self._template
        # An object may have several pods.
        parts = ((each, template.lines[slice(*sorted((each, pod.line)))]) for each in left)
        inner = next((n for n, part in parts if not any(x.startswith("---") for x in part)), None)
        if inner is not None:
            raise UnclearError(f"line {inner + 1} asks for devices in a form that is not read")
        if not template.keeps_claims(pod):
            raise UnclearError("whether pods of this kind keep claims is not known")
        if "helm.sh/hook" in template.text:
            raise UnclearError("a hook runs before the release has its claim template")
        own = pod.own_claims is not None
        if own or (pod.has_claims and (has_own or not pod.form.named)):
            raise UnclearError(
                f"the template writes {pod.form.claims} already, which would be there twice: use its own values"
            )
        if template.is_chomped(pod.line):
            raise UnclearError("the line above containers takes the line end away")

    def _written(self, own: Sequence[tuple[TemplateContainer, int]]) -> Iterator[TemplateRequest]:
        """The requests for amounts at lines of the template; limits and requests are one."""
        groups: dict[tuple[int, str], tuple[TemplateContainer, list[int]]] = {}
        for container, line in own:
            if container.own_claims:
                raise UnclearError("the template writes claims of the container itself")
            at = self._template.resources_above(container, line)
            entry = self._template.entry(line)
            if entry is None or self._template.amounts_above(line) is None:
                raise UnclearError(f"line {line + 1} is written in another form than KEY: COUNT")
            groups.setdefault((at, entry[0]), (container, []))[1].append(line)
        for (at, resource), (container, lines) in groups.items():
            target = self._target(resource)
            said = {self._template.amount(line) for line in lines}
            if len(said) > 1:
                raise UnclearError(f"limits and requests say {resource} in two ways")
            ((number, conditions),) = said
            yield TemplateRequest(resource, target, number, conditions, container, at, tuple(lines))

    def _of_values(
        self, container: TemplateContainer, steps: tuple[str, ...], free: tuple[str, ...]
    ) -> Iterator[TemplateRequest]:
        """The requests for what values ask for that are the resources of a container."""
        if len(container.whole) > 1 or container.unknown or container.own_claims:
            raise UnclearError("the template writes these resources in two ways")
        at = container.at or 0
        self._template.end_of_values(at)
        if self._template.lines[at].lstrip().startswith("- "):
            raise UnclearError("the container begins with its resources")
        conditions = (*self._template.conditions(at), *free)
        for resource in sorted(self._wanted[steps]):
            parts = [
                f'(get ({nested((*steps, part))} | default dict) "{resource}")'
                for part in ("limits", "requests")
            ]
            yield TemplateRequest(
                resource, self._target(resource), f"or {parts[0]} {parts[1]}", conditions, container,
                at, values=steps,
            )  # fmt: skip

    def _target(self, resource: str) -> Target:
        """What a resource becomes in every cluster in question.

        Raises:
            UnclearError: if that is no plain count of one class.
        """
        if resource in FRACTIONS:
            raise UnclearError(f"{resource} is a part of a GPU")
        text, name = self._template.text, self._template.name
        words = find_sharing_hint(text, name) if "gpu" in resource else None
        found = [
            target_of(
                resource,
                1,
                self._decisions,
                replace(hints, shared=hints.shared or words),
                shipped_catalogue(),
            )
            for hints in self._hints(resource)
        ]
        for each in found:
            if not isinstance(each, Target):
                open_one = each if isinstance(each, Rejection) else Rejection("")
                reason = f"{resource}: {each.reason}"
                raise UnclearError(reason, open_one.question, open_one.hint)
        target = found[0]
        if not isinstance(target, Target) or any(each != target for each in found):
            raise UnclearError(f"{resource} becomes something else in each cluster")
        if not target.whole or target.distinct is not None:
            raise UnclearError(f"{resource} becomes a share, which has no plain count")
        return target

    def _known_target(self, resource: str) -> Target | None:
        try:
            return self._target(resource)
        except UnclearError:
            return None

    def _leave(
        self,
        error: UnclearError,
        own: Sequence[tuple[TemplateContainer, int]],
        values: Sequence[tuple[TemplateContainer, tuple[str, ...]]],
    ) -> None:
        """Say why the amounts of a pod stay, with the lines to write by hand for those of the template."""
        said = str(error) if error.question else f"the count stays: {error}"
        stays = Becomes(stays=said, question=error.question, hint=error.hint)
        waiting = [ChartAmount(r, values=each) for _, each in values for r in self._wanted[each]]
        waiting += [self._amount(line) for _, line in own if error.question]
        self._becomes += ((amount, stays) for amount in waiting)
        for _, line in own if not error.question else ():
            resource, number = self._template.entry(line) or ("", "COUNT")
            target = self._known_target(resource) if resource else None
            request = request_name(resource or "gpu")
            text = (
                f"{said}. By hand: a ResourceClaimTemplate with the request {{name: {request}, "
                f"exactly: {{deviceClassName: {'CLASS' if target is None else target.device_class}, count: {number}}}}}; "
                "above containers resourceClaims: [{name: devices, resourceClaimTemplateName: NAME}]; in the resources, "
                f"for this line, claims: [{{name: devices, request: {request}}}]"
            )
            self._becomes.append((self._amount(line), Becomes(stays=text)))


def _without_claims(pod: TemplatePod) -> Iterator[str]:
    """Conditions for a pod to which the values may give claims of their own: then it gets no others."""
    own = pod.fields.get(pod.form.claims)
    for expression, more in (
        *(((own, ()),) if own else ()),
        *((each, (pod.form.claims,)) for each in pod.passed),
    ):
        steps = steps_of(expression)
        if steps is None:
            raise UnclearError("where the claims of the pod come from is not known")
        yield f"not ({nested((*steps, *more))})"


def nested(steps: Sequence[str]) -> str:
    """An expression for values of which any may be missing."""
    made = f".Values.{steps[0]}"
    for step in steps[1:]:
        made = (
            f"({made}).{step}" if step.isidentifier() else f'(get ({made} | default dict) "{step}")'
        )
    return made
