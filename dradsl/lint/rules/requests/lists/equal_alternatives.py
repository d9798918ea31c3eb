"""DRA331: an alternative that asks for the very same as an earlier one: it is never chosen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dradsl.lint.view.rule_finding import RelatedField, RuleFinding
from dradsl.lint.view.view import ClaimView, Run
from dradsl.values.plain import list_at, member

CODE = "DRA331"
WORDS = ("firstAvailable",)


def check(run: Run) -> Iterator[RuleFinding]:
    for claim in run.claims():
        by_parent: dict[object, list[tuple[Mapping[str, object], str]]] = {}
        if claim.manifest.is_patch:
            continue
        for request in claim.bodies():
            if request.parent is None or _is_empty(request.body):
                continue
            own = _without_name(request.body)
            earlier = by_parent.setdefault(request.path[:-1], [])
            same = next((index for index, (body, _) in enumerate(earlier) if body == own), None)
            if same is not None and _named_alike(
                claim, request.parent, request.name, earlier[same][1]
            ):
                path = claim.written(request.path)
                yield RuleFinding(
                    CODE,
                    claim.manifest,
                    (*path, "name"),
                    f'alternative "{request.name}" asks for the same as "{earlier[same][1]}", which is '
                    "tried before it: it is never chosen",
                    help="leave it out, or ask for something else",
                    related=(
                        RelatedField(
                            "the same",
                            claim.manifest,
                            claim.written((*request.path[:-1], same, "name")),
                        ),
                    ),
                )
            earlier.append((own, request.name))


def _without_name(body: Mapping[str, object]) -> Mapping[str, object]:
    return {key: value for key, value in body.items() if key != "name"}


def _is_empty(body: Mapping[str, object]) -> bool:
    """Whether an alternative says nothing that the API server reads: that is the mistake."""
    return "deviceClassName" not in body


def _named_alike(claim: ClaimView, parent: str, one: str, other: str) -> bool:
    """Whether constraints mention both alternatives or neither: they decide about what fits."""
    for each in list_at(claim.devices(), "constraints"):
        named = member(each, "requests")
        if named and (f"{parent}/{one}" in named) != (f"{parent}/{other}" in named):
            return False
    return True
