"""Which devices pass selectors, read from the look that judged the last of them."""

from __future__ import annotations

import pytest

from dradsl.drivers.judge.case import SelectorContext, case_of
from dradsl.drivers.judge.reachable import reachable
from dradsl.drivers.schema.catalogue import Catalogue

_GPU = "device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'gpu'"
_MIG = "device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'mig'"
_LARGE = 'device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("40Gi")) >= 0'
_PROFILE = 'device.attributes["gpu.nvidia.com"].profile == "1g.5gb"'


def _labels(selectors: tuple[str, ...]) -> tuple[list[str] | None, list[str]]:
    """The shapes that pass, by the case (None where it does not tell), and by themselves."""
    catalogue = Catalogue()
    *before, last = selectors
    case = case_of(last, catalogue, SelectorContext(before=tuple(before), class_known=True))
    assert case is not None
    passing = case.passing(among=len(selectors))
    shown = None if passing is None else [repr(shape) for shape in passing]
    return shown, [repr(shape) for shape in reachable(selectors, catalogue)]


@pytest.mark.parametrize(
    "selectors",
    [
        (_GPU,),
        (_MIG,),
        (_GPU, _LARGE),
        (_MIG, _PROFILE),
        (_MIG, _PROFILE, _LARGE),
        (_GPU, f"{_LARGE} || {_PROFILE}"),
        ('device.driver.startsWith("gpu.")',),
        ("true",),
        ("device.driver == 'dra.net'", 'device.attributes["dra.net"].rdma'),
    ],
)
def test_told_by_the_case(selectors: tuple[str, ...]) -> None:
    by_case, alone = _labels(selectors)
    assert by_case == alone
    assert alone


@pytest.mark.parametrize(
    "selectors",
    [
        # Nothing comes to the last one: it was judged without what is before it.
        (_GPU, "device.driver == 'dra.net'", "device.allowMultipleAllocations"),
        # What the name stands for was taken for granted.
        ("device.driver == 'gpu.nvidia.con'",),
        # Only the evaluator knows the constant.
        (_GPU, f'{_LARGE} && "a".size() == 1'),
        (_GPU, 'device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("40Gx")) >= 0'),
    ],
)
def test_not_told_where_something_was_assumed(selectors: tuple[str, ...]) -> None:
    assert _labels(selectors)[0] is None
