"""The recorded scenarios, written as files, get upstream's answers from `dradsl simulate` itself."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest

from dradsl.releases import RELEASES
from tests.verdicts import as_files, corpus

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# At least so many scenarios of a file are compared, and not left out, by release.
_LEAST = {
    "facts": {"1.34": 14, "1.35": 12, "1.36": 14, "1.37": 12},
    "fractions": {"1.37": 2},
    "generated": {"1.34": 39, "1.35": 39, "1.36": 60, "1.37": 60},
    # The API server rejects some of these pods: huge pages without cpu or memory, requests above limits.
    "nodeallocatable": {"1.36": 260, "1.37": 257},
    "plugin": {"1.34": 130, "1.35": 120, "1.36": 120, "1.37": 120},
    "reserved": {"1.36": 50, "1.37": 45},
}
_ITEMS = [(release, name) for name, least in _LEAST.items() for release in least]
_SHOWN = 5

Line = dict[str, Any]


def _path(name: str) -> Path:
    return corpus.FOLDER / "schedule" / f"{name}.jsonl.gz"


@pytest.mark.parametrize(("release", "name"), _ITEMS)
def test_the_command_answers_as_upstream(release: str, name: str) -> None:
    total = as_files.tally(release, [_path(name)])
    shown = "\n".join(f"{key}: {texts}" for key, texts in list(total.differences.items())[:_SHOWN])
    assert not total.differences, f"{len(total.differences)} scenarios differ:\n{shown[:5000]}"
    assert total.compared >= _LEAST[name][release], total.left_out
    assert total.agreed == total.compared
    assert total.compared + total.left_out.total() == total.asked


def test_all_files_are_asked() -> None:
    assert {path.name for path in corpus.corpora("schedule")} == {
        f"{name}.jsonl.gz" for name in _LEAST
    }


def _never_fits(line: Line) -> None:
    line["nodes"] = [{**one, "code": "Unschedulable"} for one in line["nodes"]]
    line["chosen"] = None


def _says_another_reason(line: Line) -> None:
    line["preFilter"] = {"code": "Unschedulable", "reasons": ["no such class"]}
    line["chosen"] = None


def _has_an_error(line: Line) -> None:
    line["nodes"][0] = {"node": line["nodes"][0]["node"], "code": "Error", "reasons": ["runtime"]}


def _takes_another_node(line: Line) -> None:
    line["scores"] = {one["node"]: int(one["node"] != line["chosen"]) for one in line["nodes"]}


def _takes_another_device(line: Line) -> None:
    (claim,) = line["claims"]
    claim["allocation"]["devices"]["results"][0]["device"] += "-other"


def _rejects_a_node(line: Line) -> None:
    other = next(one for one in line["nodes"] if one["node"] != line["chosen"])
    other |= {"code": "Unschedulable", "reasons": ["cannot allocate all claims"]}


def _is_not_bound(line: Line) -> None:
    line["preBind"] = {"code": "Error", "reasons": ["rejected"]}


@pytest.mark.parametrize(
    "change",
    [
        _never_fits,
        _says_another_reason,
        _has_an_error,
        _takes_another_node,
        _takes_another_device,
        _rejects_a_node,
        _is_not_bound,
    ],
)
def test_another_answer_would_be_noticed(change: Callable[[Line], None], tmp_path: Path) -> None:
    release = RELEASES["1.37"]
    case = next(case for case in corpus.read_corpus(_path("plugin")) if _is_plain(case))
    assert not as_files.compare(case, release, tmp_path).differences
    lines = copy.deepcopy(case.answers[release.name])
    change(lines[0][0])
    changed = corpus.Case(case.subject, case.file, case.question, {release.name: lines})
    assert as_files.compare(changed, release, tmp_path).differences, json.dumps(lines[0][0])


def _is_plain(case: corpus.Case) -> bool:
    """Whether the first pod gets one claim, and there is a second node for it."""
    if "1.37" not in case.answers:
        return False
    line = case.answers["1.37"][0][0]
    claims, nodes = line.get("claims", ()), line.get("nodes", ())
    given = case.question["claims"]
    return (
        line["chosen"] is not None
        and len(claims) == 1
        and "allocation" in claims[0]
        and not any((one.get("status") or {}).get("allocation") for one in given)
        and len(nodes) > 1
        and all(one["code"] == "Success" for one in nodes)
    )


def test_what_the_command_cannot_be_asked_is_left_out(tmp_path: Path) -> None:
    release = RELEASES["1.37"]
    case = next(case for case in corpus.read_corpus(_path("plugin")) if _is_plain(case))
    claims = copy.deepcopy(case.question["claims"])
    for claim in claims:
        del claim["spec"]["devices"]["requests"][0]["exactly"]["allocationMode"]
    for more, reason in (
        ({"claims": claims}, as_files.UNDEFAULTED),
        ({"features": {"DRAAdminAccess": False}}, as_files.LOCKED),
    ):
        changed = corpus.Case(case.subject, case.file, {**case.question, **more}, case.answers)
        found = as_files.compare(changed, release, tmp_path)
        assert (found.left_out, found.pods, found.differences) == (reason, 0, [])
