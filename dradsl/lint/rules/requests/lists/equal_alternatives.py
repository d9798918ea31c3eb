"""DRA331: an alternative that asks for the same as an earlier one, or for more: it is never chosen."""

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
            # One without a class says nothing that the API server reads: that is the mistake.
            if request.parent is None or "deviceClassName" not in request.body:
                continue
            own = {key: value for key, value in request.body.items() if key != "name"}
            earlier = by_parent.setdefault(request.path[:-1], [])
            for index, (body, name) in enumerate(earlier):
                same = body == own
                if not _named_alike(claim, request.parent, request.name, name) or not (
                    same or _asks_for_more(run, claim, own, body)
                ):
                    continue
                yield RuleFinding(
                    CODE,
                    claim.manifest,
                    (*claim.written(request.path), "name"),
                    f'alternative "{request.name}" asks for {"the same as" if same else "no less than"} '
                    f'"{name}", which is tried before it: it is never chosen',
                    help="leave it out, or ask for something else"
                    if same
                    else f'put it before "{name}", or leave it out',
                    related=(
                        RelatedField(
                            "the same" if same else "asks for less",
                            claim.manifest,
                            claim.written((*request.path[:-1], index, "name")),
                        ),
                    ),
                )
                break
            earlier.append((own, request.name))


def _asks_for_more(
    run: Run, claim: ClaimView, later: Mapping[str, object], earlier: Mapping[str, object]
) -> bool:
    """Whether what the later one can have is enough for the earlier one, whatever the devices are."""
    if run.inventory or claim.manifest.build_context.holes:
        return False  # of recorded devices DRA705 says it
    differ = {key for key in {*later, *earlier} if later.get(key) != earlier.get(key)}
    if not differ <= {"count", "selectors", "tolerations"}:
        return False
    more, less = later.get("count", 1), earlier.get("count", 1)
    if not (isinstance(more, int) and isinstance(less, int) and more >= less):
        return False
    tolerated = list_at(earlier, "tolerations")
    if later.get("allocationMode") == "All" or not all(
        one in tolerated for one in list_at(later, "tolerations")
    ):
        return False
    return _selects_less(run, later, earlier)


def _selects_less(run: Run, later: Mapping[str, object], earlier: Mapping[str, object]) -> bool:
    """Whether each device that passes the selectors of the later one passes those of the earlier one."""
    from dradsl.lint.rules.drivers.cases import shapes_behind
    from dradsl.lint.rules.drivers.classes import expressions, selectors_of_class

    narrow, wide = expressions(later.get("selectors")), expressions(earlier.get("selectors"))
    more = [text for text in wide if text not in narrow]
    if not more:
        return True
    name = later.get("deviceClassName")
    given = (*((selectors_of_class(run, name) if isinstance(name, str) else None) or ()), *narrow)
    if not narrow or any("${" in text for text in (*narrow, *more)):
        return False
    fails = "!(" + " && ".join(f"({text})" for text in more) + ")"
    return bool(shapes_behind(run, given)) and not shapes_behind(run, (*given, fails))


def _named_alike(claim: ClaimView, parent: str, one: str, other: str) -> bool:
    """Whether constraints mention both alternatives or neither: they decide about what fits."""
    for each in list_at(claim.devices, "constraints"):
        named = member(each, "requests")
        if named and (f"{parent}/{one}" in named) != (f"{parent}/{other}" in named):
            return False
    return True
