"""DRA331, DRA332, DRA336: what a claim says twice: in alternatives, in requests, or in its class and itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dradsl.lint.view.rule_finding import RelatedField, RuleFinding
from dradsl.lint.view.view import ClaimView, RequestView, Run
from dradsl.tree.manifests.manifest import Manifest
from dradsl.values.plain import list_at, mapping_at, member, string_at

_ALTERNATIVES = "DRA331"
_REQUESTS = "DRA332"
_CONFIG = "DRA336"
_MANY = 3
WORDS = (("ResourceClaim", "ResourceClaimTemplate"),)


def check(run: Run) -> Iterator[RuleFinding]:
    for claim in run.claims:
        if not claim.manifest.is_patch:
            yield from _alternatives(run, claim)
            yield from _requests(run, claim)
        yield from _config(run, claim)


def _alternatives(run: Run, claim: ClaimView) -> Iterator[RuleFinding]:
    """An alternative that asks for the same as an earlier one, or for more, is never chosen."""
    by_parent: dict[object, list[tuple[Mapping[str, object], str]]] = {}
    for request in claim.bodies:
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
                _ALTERNATIVES,
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
    given = (*(selectors_of_class(run, string_at(later, "deviceClassName")) or ()), *narrow)
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


def _requests(run: Run, claim: ClaimView) -> Iterator[RuleFinding]:
    """Three or more requests that differ in nothing but the name: a count says the same."""
    found: list[list[RequestView]] = []
    for request in claim.bodies:
        if request.parent is None and request.body.get("allocationMode") == "ExactCount":
            same = next((each for each in found if each[0].body == request.body), None)
            if same is None:
                found.append([request])
            else:
                same.append(request)
    for alike in found:
        names = [each.name for each in alike]
        if len(alike) < _MANY or _is_named(claim, names) or _is_used(run, names):
            continue
        counts = [each.body.get("count") for each in alike]
        total = sum(each if isinstance(each, int) else 1 for each in counts)
        yield RuleFinding(
            _REQUESTS,
            claim.manifest,
            claim.written((*alike[0].path[:-1], "name")),
            f"{len(alike)} requests ask for the same: {', '.join(names[:5])}; the scheduler tries them "
            "in more orders",
            help=f"write one request with count: {total}",
        )


def _is_named(claim: ClaimView, names: list[str]) -> bool:
    """Whether a constraint or a configuration mentions some of them."""
    lists = [
        member(item, "requests") or ()
        for field in ("constraints", "config")
        for item in list_at(claim.devices, field)
    ]
    return any(not set(names).isdisjoint(each) for each in lists)


def _is_used(run: Run, names: list[str]) -> bool:
    """Whether some container is given one of them alone: then they are different."""
    used = run.remember("requests-of-containers", lambda: _used(run))
    return not used.isdisjoint(names)


def _used(run: Run) -> frozenset[object]:
    found = (each for pod in run.pods for _, each in pod.container_claims)
    return frozenset(name for each in found if isinstance(name := each.get("request"), str))


def _config(run: Run, claim: ClaimView) -> Iterator[RuleFinding]:
    """A claim repeats the configuration of its class, word for word."""
    configs = list_at(claim.devices, "config")
    if len(configs) != 1:
        return  # the last one of a driver may decide: then the order matters
    opaque = member(configs[0], "opaque")
    named = claim.named(member(configs[0], "requests")) if opaque else ()
    classes = [*dict.fromkeys(each.class_name for each in named if each.class_name is not None)]
    found = [run.index.meant("DeviceClass", name, claim.manifest) for name in classes]
    if found and all(len(each) == 1 and _has(run, each[0], opaque) for each in found):
        yield RuleFinding(
            _CONFIG,
            claim.manifest,
            claim.written((*claim.path, "devices", "config", 0, "opaque")),
            f'class "{classes[0]}" has the same configuration: the driver gets it twice',
            help="leave it out, unless the class is to change without this claim",
            on_key=True,
            related=(RelatedField("the same", found[0][0], ("spec", "config")),),
        )


def _has(run: Run, device_class: Manifest, opaque: object) -> bool:
    admission = run.admission(device_class)
    configs = list_at(None if admission is None else admission.spec, "config")
    return any(mapping_at(each).get("opaque") == opaque for each in configs)
