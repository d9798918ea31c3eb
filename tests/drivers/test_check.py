"""Selectors against driver schemas: each listed mistake is found, its correction is clean."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dradsl.drivers.judge.case import SelectorContext
from dradsl.drivers.judge.check import check_selector
from dradsl.drivers.judge.reachable import reachable, reachable_drivers
from dradsl.drivers.judge.selector_facts import DriverWithoutSchema
from dradsl.drivers.schema.catalogue import Catalogue
from dradsl.drivers.schema.yaml_data import load_yaml
from dradsl.observations import Impact
from tests.drivers.codes import code_of, words_of

if TYPE_CHECKING:
    from dradsl.observations import Observation

DATA = Path(__file__).parent / "data"
CATALOGUE = Catalogue()
LIST = "DRA229"  # of every list, right or wrong: lint leaves it out where the gate is on


@dataclass(frozen=True)
class Mistake:
    context: SelectorContext
    written: str
    code: str
    at: str | None
    fixed: str | None
    right: str
    also: tuple[str, ...]


def context_of(name: str) -> SelectorContext:
    if name == "own":
        return SelectorContext(is_class=True)
    if name == "none":
        return SelectorContext()
    found = CATALOGUE.device_class(name)
    assert found is not None, name
    return SelectorContext(before=found[1].selectors, class_name=name, class_known=True)


def mistakes() -> list[Any]:
    path = DATA / "mistakes.yaml"
    rows = []
    for group in load_yaml(path.read_text(encoding="utf-8"), path.name):
        for number, case in enumerate(group["cases"], 1):
            fixed = case.get("fixed")
            mistake = Mistake(
                context_of(group["class"]),
                case["written"],
                case["code"],
                case.get("at"),
                case["right"] if fixed == "right" else fixed,
                case["right"],
                tuple(case.get("also", ())),
            )
            rows.append(pytest.param(mistake, id=f"{group['class']}-{number}-{case['code']}"))
    return rows


def at(text: str, finding: Observation) -> str:
    """The part of the selector that the finding is about."""
    assert finding.span is not None
    return text[slice(*finding.span)]


def apply(text: str, finding: Observation) -> str:
    assert finding.fix is not None
    return text[: finding.fix.start] + finding.fix.text + text[finding.fix.end :]


@pytest.mark.parametrize("mistake", mistakes())
def test_listed_mistakes(mistake: Mistake) -> None:
    found = check_selector(mistake.written, CATALOGUE, mistake.context)
    codes = [code for each in found if (code := code_of(each)) != LIST]
    assert sorted(codes) == sorted((mistake.code, *mistake.also))
    finding = next(each for each in found if code_of(each) == mistake.code)
    assert at(mistake.written, finding) == mistake.at
    if mistake.fixed is not None:
        assert apply(mistake.written, finding) == mistake.fixed


@pytest.mark.parametrize("mistake", mistakes())
def test_their_corrections_are_clean(mistake: Mistake) -> None:
    found = check_selector(mistake.right, CATALOGUE, mistake.context)
    assert [each for each in found if code_of(each) != LIST] == []


NVIDIA = 'device.attributes["gpu.nvidia.com"]'
GPU = context_of("gpu.nvidia.com")
OWN = SelectorContext(is_class=True)

CLEAN = [
    # guards, in every form
    (f'has({NVIDIA}.addressingMode) && {NVIDIA}.addressingMode == "ATS"', GPU),
    (f'{NVIDIA}.addressingMode == "ATS" && has({NVIDIA}.addressingMode)', GPU),
    (f'!has({NVIDIA}.addressingMode) || {NVIDIA}.addressingMode == "ATS"', GPU),
    (f'has({NVIDIA}.addressingMode) ? {NVIDIA}.addressingMode == "ATS" : false', GPU),
    (f'"addressingMode" in {NVIDIA} && {NVIDIA}["addressingMode"] == "ATS"', GPU),
    (f'{NVIDIA}.?addressingMode.orValue("None") != "None"', GPU),
    (f'{NVIDIA}[?"addressingMode"].hasValue()', GPU),
    (f'{NVIDIA}.?addressingMode.optMap(x, x == "ATS").orValue(false)', GPU),
    # a default of one's own is no value of the attribute
    (f'{NVIDIA}.?addressingMode.orValue("none") == "none"', GPU),
    (f'{NVIDIA}.?addressingMode.orValue("") in ["", "ATS"]', GPU),
    (f'(has({NVIDIA}.addressingMode) ? {NVIDIA}.addressingMode : "-") != "-"', GPU),
    (f'{NVIDIA}.?gpuModuleID.orValue("none") == "none"', GPU),
    (f'{NVIDIA}.productName != "" && {NVIDIA}.brand == "Nvidia"', GPU),
    # folds and bindings
    (f'["Hopper", "Ampere"].exists(x, x == {NVIDIA}.architecture)', GPU),
    (f'cel.bind(a, {NVIDIA}, a.brand == "Nvidia" && a.architecture == "Hopper")', GPU),
    # device types narrow what may be read
    (
        f'device.driver == "gpu.nvidia.com" && ({NVIDIA}.type != "mig" || {NVIDIA}.profile == "1g.5gb")',
        OWN,
    ),
    (
        f'device.driver == "gpu.nvidia.com" && ({NVIDIA}.type == "mig" ? {NVIDIA}.profile == "1g.5gb" : {NVIDIA}.type == "gpu")',
        OWN,
    ),
    # missing only where the driver's options say so
    ('device.attributes["dra.cpu"].numaNodeID == 0', context_of("dra.cpu")),
    # drivers narrow
    (
        f'(device.driver == "gpu.nvidia.com" && {NVIDIA}.type == "gpu") || (device.driver == "gpu.amd.com" && device.attributes["gpu.amd.com"].type == "amdgpu")',
        OWN,
    ),
    ('device.driver in ["gpu.nvidia.com", "gpu.amd.com"]', OWN),
    # another attribute of the device decides
    (f'{NVIDIA}.architecture.lowerAscii() == "hopper"', GPU),
    (f'{NVIDIA}.architecture.startsWith("Ada")', GPU),
    (f'{NVIDIA}.productName.matches("H[12]00")', GPU),
    (f"{NVIDIA}.cudaComputeCapability.major() * 10 >= 80", GPU),
    ('device.capacity["gpu.nvidia.com"].memory.asInteger() > 1000', GPU),
    # a class that is not known may guard or select the type
    (f'{NVIDIA}.profile == "1g.5gb"', SelectorContext()),
    (f'{NVIDIA}.type == "mig"', SelectorContext()),
    # nothing is known of other domains and drivers
    ('device.attributes["example.org"].anything == 1', SelectorContext()),
    ("device.allowMultipleAllocations", GPU),
    # what does not parse is upstream's matter
    ("device.attributes[", GPU),
    ("", GPU),
]


@pytest.mark.parametrize(("text", "context"), CLEAN)
def test_right_selectors_are_clean(text: str, context: SelectorContext) -> None:
    assert check_selector(text, CATALOGUE, context) == []


def manifests() -> list[Any]:
    path = DATA / "manifests.yaml"
    rows = load_yaml(path.read_text(encoding="utf-8"), path.name)
    return [pytest.param(row, id=f"{row['source'][:40]}-{n}") for n, row in enumerate(rows)]


@pytest.mark.parametrize("row", manifests())
def test_selectors_of_published_manifests(row: dict[str, Any]) -> None:
    own = row.get("own", False)
    known = not own and row.get("class") != "unknown"
    context = SelectorContext(tuple(row.get("before", ())), class_known=known, is_class=own)
    found = check_selector(row["text"], CATALOGUE, context)
    seen = [{"code": code_of(f), "at": at(row["text"], f)} for f in found]
    assert seen == row["findings"]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        # the removed name is no mistake where an older driver is in use
        (f"{NVIDIA}.index == 0", []),
        (f'{NVIDIA}.pcieBusID == "0000:01:00.0"', []),
        ('device.attributes["resource.kubernetes.io"].pciBusID == "0000:01:00.0"', ["DRA214"]),
        # guarded, it is no failure, but nothing passes
        (f'has({NVIDIA}.addressingMode) && {NVIDIA}.addressingMode == "ATS"', ["DRA214"]),
        (f'{NVIDIA}.addressingMode == "ATS"', ["DRA214"]),
        # v25.3 always wrote it
        ('device.attributes["resource.kubernetes.io"].pcieRoot == "pci0000:01"', []),
    ],
)
def test_the_driver_version_in_use_decides(text: str, codes: list[str]) -> None:
    catalogue = Catalogue(versions={"gpu.nvidia.com": ("v25.3",)})
    assert [code_of(f) for f in check_selector(text, catalogue, GPU)] == codes


def test_several_driver_versions_must_all_have_the_name() -> None:
    catalogue = Catalogue(versions={"gpu.nvidia.com": ("v25.3", "v25.8")})
    (finding,) = check_selector(f"{NVIDIA}.index == 0", catalogue, GPU)
    assert code_of(finding) == "DRA207"
    assert check_selector(f'{NVIDIA}.brand == "Nvidia"', catalogue, GPU) == []


def test_an_unknown_driver_is_one_note_and_its_names_are_left_alone() -> None:
    text = 'device.driver == "npu.example.org" && device.attributes["npu.example.org"].cores > 3'
    (finding,) = check_selector(text, CATALOGUE, OWN)
    assert finding.facts == DriverWithoutSchema("npu.example.org")


def test_later_selectors_of_a_list_are_judged_after_earlier_ones() -> None:
    first = f'device.driver == "gpu.nvidia.com" && {NVIDIA}.type == "mig"'
    context = SelectorContext(before=(first,), is_class=True)
    assert check_selector(f'{NVIDIA}.profile == "1g.5gb"', CATALOGUE, context) == []
    (finding,) = check_selector(f'{NVIDIA}.type == "gpu"', CATALOGUE, context)
    assert code_of(finding) == "DRA213"


@pytest.mark.parametrize(
    ("selectors", "drivers"),
    [
        (["device.driver == 'gpu.nvidia.com'"], {"gpu.nvidia.com"}),
        (["device.driver in ['dra.net', 'dra.cpu']"], {"dra.net", "dra.cpu"}),
        (["device.driver == 'dra.net'", "device.driver == 'dra.cpu'"], set()),
        (["true"], None),
        ([], None),
        # a driver without schema may publish in the domain of another
        (["has(device.attributes['gpu.nvidia.com'].type)"], None),
    ],
)
def test_which_drivers_selectors_reach(selectors: list[str], drivers: set[str] | None) -> None:
    found = reachable_drivers(selectors, CATALOGUE)
    assert found == (None if drivers is None else frozenset(drivers))


def test_which_device_types_selectors_reach() -> None:
    known = CATALOGUE.device_class("mig.nvidia.com")
    assert known is not None
    assert [shape.label for shape in reachable(known[1].selectors, CATALOGUE)] == ["mig"]


HOSTILE = [
    "(" * 200 + "true" + ")" * 200,
    " && ".join([f'{NVIDIA}.productName == "{i}"' for i in range(60)]),
    " || ".join([f'{NVIDIA}.?brand.orValue("") == "{i}"' for i in range(60)]),
    " || ".join([f'{NVIDIA}.?partition{i}.orValue(0) == {i}' for i in range(60)]),
    " + ".join(["1"] * 240) + " == 240",
    "[" + ", ".join(["1"] * 3000) + "].all(x, x == 1)",
    "[[[[1].map(a, a)].map(b, b)].map(c, c)].size() == 1",
    "[1,2,3,4].all(a, " * 9 + f'{NVIDIA}.brand != "x"' + ")" * 9,
    " || ".join(f'device.driver == "{name}"' for name in CATALOGUE.names())
    + " || " + " || ".join([f'{NVIDIA}.?productName.orValue("") == "{i}"' for i in range(99)]),
    f'{NVIDIA}.productName.matches("(a*)*b")',
    f'{NVIDIA}.productName == "\U0001f600\\u0000"',
    "!" * 200 + "true",
    '"' + "x" * 9000 + '" == device.driver',
    f'{NVIDIA}["{"y" * 5000}"] == 1',
    'device.attributes["' + "d" * 5000 + '"].x == 1',
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_selectors_end(text: str) -> None:
    for context in (GPU, OWN, SelectorContext()):
        for finding in check_selector(text, CATALOGUE, context):
            assert words_of(finding).message
            assert finding.span is not None
            start, end = finding.span
            assert 0 <= start <= end <= len(text)


def test_positions_count_code_points() -> None:
    text = f'"\U0001f600" != "é" && {NVIDIA}.model == "NVIDIA L4"'
    (finding,) = check_selector(text, CATALOGUE, GPU)
    assert at(text, finding) == "model"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        # the value is judged as that of the name which is meant, at its own place
        (
            f'{NVIDIA}.prodctName == "A100"',
            [("DRA201", "prodctName"), ("DRA209", '"A100"')],
        ),
        (f'{NVIDIA}.prodctName == "NVIDIA L4"', [("DRA201", "prodctName")]),
        (
            f'{NVIDIA}.driver_version == "550" && {NVIDIA}.architecure == "Hopper"',
            [("DRA201", "driver_version"), ("DRA208", '"550"'), ("DRA201", "architecure")],
        ),
        (
            'device.attributes.gpu.nvidia.com.architecture == "hopper"',
            [("DRA202", "gpu.nvidia.com"), ("DRA209", '"hopper"')],
        ),
        # a value of another type hides a name that no device has
        (
            'device.attributes["dra.net"].rdma == "true" && device.attributes["dra.net"].speed > 1',
            [("DRA206", '"true"'), ("DRA201", "speed")],
        ),
        # what only other versions publish may have other values
        (
            'device.attributes["gpu.intel.com"].healthy == true',
            [("DRA214", "healthy")],
        ),
    ],
)
def test_values_of_misspelt_names(text: str, found: list[tuple[str, str]]) -> None:
    own = [name for name in ("gpu.nvidia.com", "gpu.intel.com") if name in text]
    seen = check_selector(text, CATALOGUE, context_of(own[0] if own else "none"))
    assert [(code_of(each), at(text, each)) for each in seen] == found


UUID = f"{NVIDIA}.uuid"


@pytest.mark.parametrize(
    ("text", "possible"),
    [
        (f'{UUID}.startsWith("GPU-1") && {UUID}.startsWith("GPU-12")', True),
        (f'{UUID}.startsWith("GPU-1") && {UUID}.startsWith("GPU-2")', False),
        (f'{UUID}.startsWith("GPU-1") && !{UUID}.startsWith("GPU-12")', True),
        (f'{UUID}.startsWith("GPU-12") && !{UUID}.startsWith("GPU-1")', False),
        (f'{UUID}.startsWith("GPU-12") && !{UUID}.contains("1")', False),
        (f'!{UUID}.contains("1") && {UUID}.endsWith("12")', False),
        (f'{UUID}.endsWith("12") && {UUID}.endsWith("2")', True),
        (f'{UUID}.endsWith("12") && {UUID}.endsWith("22")', False),
        (f'{UUID}.contains("a") && {UUID}.contains("b")', True),
        (f'{UUID}.contains("ab") && !{UUID}.contains("b")', False),
        (f'{UUID}.startsWith("GPU") && {UUID}.matches("^X")', True),  # patterns are not compared
    ],
)
def test_tests_of_one_text_that_exclude_each_other(text: str, possible: bool) -> None:
    codes = [code_of(each) for each in check_selector(text, CATALOGUE, GPU)]
    assert ("DRA212" in codes) is not possible


def test_a_value_beside_a_misspelt_name_is_no_error_where_the_selector_may_hold() -> None:
    text = f'!has({NVIDIA}.prodctName) || {NVIDIA}.uuid.isGreaterThan(semver("1.0.0"))'
    seen = check_selector(text, CATALOGUE, GPU)
    assert [(code_of(each), each.impact) for each in seen] == [
        ("DRA201", Impact.MISLEADING),
        ("DRA206", Impact.MISLEADING),
    ]
