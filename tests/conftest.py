"""Settings of all tests: what a property test takes depends on the machine and is no failure.

Every test asks all rules, see `tests.every_rule`. At the end of a run the tests that took most processor
time are named, see CONTRIBUTING.md.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests.every_rule import ask_every_rule

if TYPE_CHECKING:
    from collections.abc import Generator

settings.register_profile(
    "any-machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any-machine")


def _programs_of_this_python_first() -> None:
    """What tests start by its name (python, dradsl, pyright) is that of this environment.

    As in an activated one: the README calls pytest by its path.
    """
    here = str(Path(sys.executable).parent)
    paths = os.environ.get("PATH", os.defpath).split(os.pathsep)
    os.environ["PATH"] = os.pathsep.join([here, *(path for path in paths if path != here)])


_programs_of_this_python_first()

_without_words: list[str] = []
ask_every_rule(_without_words.append)

_PROPERTY = "processor time"
_SLOW = 5.0
_SHOWN = 10


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--case",
        default="",
        metavar="ID",
        help="of the recorded questions, put those alone whose names hold this text",
    )


def _used() -> float:
    """Seconds of processor time of this process and of those that it waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    before = _used()
    _without_words.clear()
    try:
        result = yield
    finally:
        item.user_properties.append((_PROPERTY, _used() - before))
    assert not _without_words, _without_words[0]
    return result


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    took = [
        (float(str(value)), report.nodeid)
        for reports in terminalreporter.stats.values()
        for report in reports
        if isinstance(report, pytest.TestReport) and report.when == "call"
        for name, value in report.user_properties
        if name == _PROPERTY
    ]
    slow = sorted((one for one in took if one[0] > _SLOW), reverse=True)[:_SHOWN]
    if slow:
        terminalreporter.section(f"more than {_SLOW:.0f} s of processor time")
        for seconds, test in slow:
            terminalreporter.write_line(f"{seconds:.1f}s {test}")
