"""What must hold between the findings of lint and the devices that the allocator gives.

An error of families 2 and 7 (and of a constant that cannot be computed) means that no conforming fleet
meets the claim. A selector that can never match, or always fails, is never silent.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dradsl.allocator.engine.plan import ClassRecord
from dradsl.allocator.engine.selectors import CelSelectors
from dradsl.allocator.fleets.views import Fleets
from dradsl.cel.dra import compile_selector, device_view
from dradsl.cel.runtime.values import CelRuntimeError
from dradsl.diagnostics import Severity
from dradsl.drivers.judge.reachable import reachable
from dradsl.drivers.schema.shapes import Standing
from dradsl.drivers.schema.suggest import near_domain
from dradsl.kube.server.api_server import ApiServer
from dradsl.lint.engine.run import lint_text
from dradsl.lint.settings.config import LintConfig
from dradsl.releases import get_release
from dradsl.simulate.cluster import ClusterBuilder
from tests.precision.fleets import (
    CATALOGUE,
    NOBODY,
    device,
    drivers,
    name_of,
    node,
    shapes,
    unknown_device,
)
from tests.precision.selectors import Case, constants_of, names_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

    from dradsl.cel.dra import DeviceView
    from dradsl.diagnostics import Finding
    from tests.precision.fleets import Constants

__all__ = ["Breach", "Tally", "examine"]

RELEASE = get_release("1.36")
FEATURES = RELEASE.features()
CONFIG = LintConfig(root=str(Path.cwd()), kube_version=("1.36",))
SELECTORS = CelSelectors(RELEASE, FEATURES)
QUIET = frozenset({"DRA219"})  # says that nothing is known
TRIES = 200
"""Devices, besides the fleets, for which a claim with an error must not be met."""
WITNESSES = 20_000
"""Devices of which one must pass, where no fleet met a claim without a finding."""

Json = dict[str, Any]


@dataclass(frozen=True)
class Breach:
    """A law that a case breaks: which, with what findings, and the node that shows it."""

    law: str
    case: Case
    findings: tuple[str, ...]
    shown_by: str = ""

    def __str__(self) -> str:
        said = "\n  ".join(self.findings) or "nothing"
        return f"{self.law}\n{self.case.manifest()}lint says:\n  {said}\n{self.shown_by}"


@dataclass
class Tally:
    """What was looked at, and what was found."""

    cases: int = 0
    rejected: int = 0
    pairs: int = 0
    errors: int = 0
    silent: int = 0
    fits: int = 0
    breaches: list[Breach] = field(default_factory=list)

    def line(self) -> str:
        return (
            f"{self.pairs} pairs of {self.cases} claims and conforming fleets ({self.rejected} claims "
            f"rejected by the API server): {self.errors} claims with an error, {self.silent} without a "
            f"finding, {self.fits} pairs fit, {len(self.breaches)} breaches"
        )


def examine(random: Random, case: Case, nodes: int, tally: Tally) -> None:
    """Lint a case, put it to `nodes` conforming fleets, and note what does not agree."""
    server = ApiServer(RELEASE, FEATURES)
    if not all(server.expression(text, "new").accepted for text in case.texts()):
        tally.rejected += 1
        return
    tally.cases += 1
    found = lint_text(case.manifest(), config=CONFIG).findings
    said = tuple(f"{f.severity} {f.code} {f.message}" for f in found)
    errors = [f for f in found if f.severity is Severity.ERROR and _counts(f)]
    tally.errors += bool(errors)
    fitting = _fitting(random, case, nodes, tally)
    if errors and (fitting is not None or _is_matched(random, case, TRIES)):
        tally.breaches.append(Breach("an error, and the claim is met", case, said, str(fitting)))
    if {f.code for f in found} - QUIET:
        return
    tally.silent += 1
    if fitting is None and _is_known(case) and not _is_matched(random, case, WITNESSES):
        tally.breaches.append(Breach("no finding, and no device passes", case, said))


def _counts(finding: Finding) -> bool:
    return finding.code[3] in "27" or finding.code == "DRA107"


def _selectors_of(case: Case) -> tuple[str, ...]:
    if case.class_selectors is not None:
        return case.class_selectors
    known = CATALOGUE.device_class(case.class_name)
    assert known is not None
    return known[1].selectors


def _fitting(random: Random, case: Case, nodes: int, tally: Tally) -> Json | None:
    """The first fleet of one node that meets the claim, as plain objects."""
    constants = constants_of(case)
    documents: list[list[Json]] = []
    builder = ClusterBuilder(ApiServer(RELEASE, FEATURES))
    for number in range(nodes):
        count = random.choice((1, 1, 2, 3))
        devices = [_device(random, case, constants) for _ in range(count)]
        made = list(node(random, f"n{number}", devices))
        documents.append(made)
        for each in made:
            builder.add_recorded(each)
    cluster = builder.build()
    classes = {case.class_name: ClassRecord(case.class_name, _selectors_of(case))}
    fleets = Fleets(cluster.inventory, classes, RELEASE, FEATURES, SELECTORS)
    request = {
        "name": "a",
        "exactly": {
            "deviceClassName": case.class_name,
            "allocationMode": "ExactCount",
            "count": 1,
            "selectors": [{"cel": {"expression": text}} for text in case.selectors],
        },
    }
    claim: Any = {
        "metadata": {"name": "c", "namespace": "ml"},
        "spec": {"devices": {"requests": [request]}},
    }
    allocator = fleets.allocator(claim)
    fitting = None
    for place in cluster.inventory.nodes:
        tally.pairs += 1
        if allocator.allocate(place).fits:
            tally.fits += 1
            fitting = fitting or {"fleet": documents[int(place.name[1:])]}
    return fitting


def _is_known(case: Case) -> bool:
    """Whether all of it is worked out: no names that may be anything, no parts of texts."""
    if any(function in text for text in case.texts() for function in (".split(", ".lowerAscii(")):
        return False
    reached = reachable(_selectors_of(case), CATALOGUE)
    return all(
        shape.driver is not None and shape.standing(name_of(*name)) is not Standing.UNKNOWN
        for shape in reached
        for name in names_of(case)
    )


def _is_matched(random: Random, case: Case, tries: int) -> bool:
    """Whether one of so many conforming devices passes class and selectors."""
    constants = constants_of(case)
    texts = (*_selectors_of(case), *case.selectors)
    compiled = [compile_selector(text, RELEASE, FEATURES, "stored") for text in texts]
    for each in _devices(random, case, constants, tries):
        try:
            if all(selector.match(each) for selector in compiled):
                return True
        except CelRuntimeError:
            continue
    return False


def _device(random: Random, case: Case, constants: Constants) -> tuple[str, Json]:
    """A driver and a device of it: mostly the one of the case, at times another or one without schema."""
    named = names_of(case)
    draw = random.random()
    if draw < 0.1:
        # A slip of the keyboard in a known driver's name is nobody's name.
        tested = [n for n in constants["string"] if "." in n and not _is_known_name(n)]
        return random.choice([NOBODY, *tested]), unknown_device(random, constants, named)
    driver = case.driver
    if draw < 0.25:
        others = [name for name in drivers() if any(f'"{name}"' in text for text in case.texts())]
        driver = random.choice(others or drivers())
    return driver, device(random, random.choice(shapes(driver)), constants, named)


def _is_known_name(driver: str) -> bool:
    names = CATALOGUE.names()
    mistaken = driver in CATALOGUE.index().mistaken or near_domain(driver, names) is not None
    return driver in names or mistaken


def _devices(random: Random, case: Case, constants: Constants, tries: int) -> Iterable[DeviceView]:
    for _ in range(tries):
        driver, made = _device(random, case, constants)
        yield device_view(driver, made)
