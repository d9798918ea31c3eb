"""The verdicts on PodGroups and Workloads are about their claims, and no difference there goes unseen."""

from __future__ import annotations

import copy
import functools
from collections import Counter
from typing import Any

import pytest

from tests.verdicts import corpus

_FOLDER = corpus.FOLDER / "pod"


@functools.cache
def _cases() -> tuple[corpus.Case, ...]:
    return tuple(
        case
        for name in ("groups", "groups_generated")
        for case in corpus.read_corpus(_FOLDER / f"{name}.jsonl.gz")
    )


def _lines(release: str) -> list[dict[str, Any]]:
    return [case.answers[release][0][0] for case in _cases() if release in case.answers]


def _agree(upstream: dict[str, Any], ours: dict[str, Any]) -> bool:
    return corpus.agree("pod", ((upstream,),), [ours])


@pytest.mark.parametrize("release", ["1.36", "1.37"])
def test_every_sort_of_verdict_is_recorded_often(release: str) -> None:
    """What is compared is mostly not nothing: errors in claims, undecoded claims, stored claims."""
    sorts: Counter[str] = Counter()
    for line in _lines(release):
        errors = [one for one in line["errors"] if ".resourceClaims" in one["field"]]
        sorts["rejected"] += bool(errors)
        sorts["undecoded"] += "cannot unmarshal" in line.get("decodeError", "")
        sorts["unknown"] += any("resourceClaims" in one for one in line.get("strictErrors", ()))
        stored = str(line.get("object", {}))
        sorts["stored"] += "'resourceClaims'" in stored
        sorts["dropped"] += "object" in line and "'resourceClaims'" not in stored
        for one in errors:
            sorts[one["type"]] += 1
    for sort in ("rejected", "undecoded", "stored", "dropped", "FieldValueInvalid"):
        assert sorts[sort] >= 80, sorts
    for sort in ("unknown", "FieldValueDuplicate", "FieldValueRequired", "FieldValueTooMany"):
        assert sorts[sort] >= 20, sorts


@pytest.mark.parametrize("release", ["1.36", "1.37"])
def test_a_difference_in_claims_counts_and_no_other(release: str) -> None:
    """Each error, and each stored claim, is taken out of upstream's answer."""
    seen: Counter[str] = Counter()
    for line in _lines(release):
        for place, error in enumerate(line["errors"]):
            less = copy.deepcopy(line)
            twice = less["errors"].pop(place) in less["errors"]
            ours = ".resourceClaims" in error["field"]
            assert _agree(line, less) != (ours and not twice), line
            seen["of claims" if ours else "of others"] += 1
        claims = line.get("object", {}).get("spec", {}).get("resourceClaims")
        if claims:
            less = copy.deepcopy(line)
            less["object"]["spec"]["resourceClaims"].pop()
            assert not _agree(line, less)
            del less["object"]
            assert not _agree(line, less)
            seen["stored"] += 1
    assert all(seen[sort] > 50 for sort in ("of claims", "of others", "stored")), seen


def test_releases_without_such_claims_say_so() -> None:
    for release in ("1.34", "1.35"):
        told = Counter("no kind" in line.get("decodeError", "") for line in _lines(release))
        assert told[True] >= 20
