"""DRA412: a request names a DeviceClass that neither the run nor a known driver defines."""

from __future__ import annotations

import functools

from dradsl.diagnostics import Severity
from dradsl.lint.view.rule_finding import RuleFinding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dradsl.lint.view.view import ClaimView, RequestView, Run

CODE = "DRA412"
_LIKE_ENOUGH = 0.6
_UNKNOWN = "add the DeviceClass to the manifests, or show where it lives with --context PATH"
WORDS = ("deviceClassName",)


def check(run: Run) -> Iterator[RuleFinding]:
    for claim in run.claims():
        for request in claim.bodies():
            if request.parent is None:
                yield from missing_class(run, claim, request, CODE)


def missing_class(
    run: Run, claim: ClaimView, request: RequestView, code: str
) -> Iterator[RuleFinding]:
    """The finding for one request whose class is nowhere to be found (shared with DRA413)."""
    name = request.body.get("deviceClassName")
    if not isinstance(name, str) or not name:
        return
    if run.index.holds("DeviceClass", name, claim.manifest) or name in run.installed_classes():
        return
    if _is_of_own_driver(run, name):
        return
    from dradsl.drivers.schema.suggest import near_domain
    from dradsl.lint.rules.references.lookup import meant, near_by

    known = run.remember(
        "known-classes",
        lambda: tuple(sorted({*run.index.names("DeviceClass"), *run.installed_classes()})),
    )

    def nearest() -> str | None:
        # What is looked at again, as other values have it, holds the same classes as a rule.
        names = tuple(near_by(name, known))
        return run.remember(
            ("near-class", name, names), lambda: near_class(name, names), by="schemas"
        )

    near = meant(run, ("DeviceClass", name), nearest)
    # Only the cluster knows all classes, but a typing error can be seen.
    slip = near is not None and run.remember(
        ("slip", name, near), lambda: near_domain(name, (near,)) is not None, by="schemas"
    )
    yield RuleFinding(
        code,
        claim.manifest,
        claim.written((*request.path, "deviceClassName")),
        f'no DeviceClass "{name}" among the manifests or the classes that known drivers install',
        help=_UNKNOWN if near is None else f'did you mean "{near}"?',
        upstream=f"request {request.reference}: device class {name} does not exist",
        severity=Severity.WARNING if slip else None,
    )


def _is_of_own_driver(run: Run, name: str) -> bool:
    """Whether the class is called like a driver whose schema the run was given, without any class: by
    convention the driver installs one of its own name."""
    if not run.drivers.settled(name):
        return False
    schema = run.drivers.get(name)
    return schema is not None and not schema.classes


def near_class(name: str, known: Iterable[str]) -> str | None:
    """The class that was probably meant, or None.

    A domain that both names end in makes them look alike where they differ on purpose
    (imex.nvidia.com and mig.nvidia.com): what stands before it is compared.
    """
    from difflib import SequenceMatcher

    known = tuple(known)
    words = _words(name)
    same = next((each for each in known if _words(each) == words), None)
    if same is not None:
        return same  # nvidia-mig is mig.nvidia.com
    likeness: dict[str, float] = {}
    for each in known:
        own, other = _without_common_end(name, each)
        if not own or not other:
            # A label is missing or too many (nvidia.com, gpu.nvidia.com).
            likeness[each] = 0.7
        elif _same_letters(own, other) > _LIKE_ENOUGH:
            # The letters are near enough for a look at their order, which takes longer.
            likeness[each] = SequenceMatcher(None, own, other).ratio()
    most = max(likeness.values(), default=0.0)
    if most <= _LIKE_ENOUGH:
        return None
    # The rest of the names tells those apart that are equally alike before it.
    best = [each for each in likeness if likeness[each] == most]
    if len(best) == 1:
        return best[0]
    return max(best, key=lambda each: SequenceMatcher(None, name, each).ratio())


@functools.lru_cache(1024)
def _words(name: str) -> frozenset[str]:
    """The words of a name, without the ends of domains."""
    return frozenset(name.replace("-", ".").split(".")) - {"com", "io", "dev", "org", "net"}


def _same_letters(one: str, other: str) -> float:
    """The most that `SequenceMatcher.ratio` of two texts can be (its `quick_ratio`)."""
    length = len(one) + len(other)
    most = 2 * min(len(one), len(other)) / length
    if most <= _LIKE_ENOUGH:
        return most
    common = 0
    for letter in set(one) & set(other):
        common += min(one.count(letter), other.count(letter))
    return 2 * common / length


def _without_common_end(one: str, other: str) -> tuple[str, str]:
    mine, theirs = one.split("."), other.split(".")
    while mine and theirs and mine[-1] == theirs[-1]:
        mine.pop()
        theirs.pop()
    return ".".join(mine), ".".join(theirs)
