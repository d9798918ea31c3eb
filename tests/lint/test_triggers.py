"""Rules are left out where the objects of a run do not hold the words that they speak of, however these are written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dradsl.lint.catalogue.table import CHECKS
from dradsl.lint.engine import examine
from dradsl.lint.view import triggers
from dradsl.lint.view.triggers import hold
from tests.lint.trees import GOOD, places, write

if TYPE_CHECKING:
    from pathlib import Path

    from dradsl.lint.view.view import Run

ADMIN = GOOD.replace("{deviceClassName", "{adminAccess: true, deviceClassName")
CODE = "DRA324"  # whose one word is adminAccess


@pytest.fixture
def left_out(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The rules that were not asked, by their modules."""
    found: list[str] = []

    def note(check: str, _run: Run) -> tuple[()]:
        found.append(check)
        return ()

    monkeypatch.setattr(examine, "_left_out", note)
    return found


def indented(text: str, by: str) -> str:
    return "".join(by + line for line in text.splitlines(keepends=True))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(ADMIN, id="plain"),
        pytest.param(ADMIN.replace("adminAccess", r'"admin\u0041ccess"'), id="escape"),
        pytest.param(ADMIN.encode("utf-16"), id="utf-16"),
        pytest.param("apiVersion: v1\nkind: List\nitems:\n-\n" + indented(ADMIN, "  "), id="list"),
        pytest.param(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  a.yaml: |\n"
            + indented(ADMIN, "    "),
            id="embedded",
        ),
        pytest.param(
            "---\n".join(
                [GOOD.replace("name: gpu,", f"name: g{i},") for i in range(400)] + [ADMIN]
            ),
            id="last of many",
        ),
    ],
)
def test_a_word_counts_however_it_is_written(tmp_path: Path, text: str | bytes) -> None:
    write(tmp_path, {"a.yaml": text})
    assert CODE in [code for *_, code in places(str(tmp_path))]


def test_a_word_in_another_file_counts(tmp_path: Path, left_out: list[str]) -> None:
    quota = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: ml}\nspec: {}\n"
    write(tmp_path, {"a.yaml": GOOD, "context/b.yaml": quota})
    assert places(str(tmp_path / "a.yaml"), "--context", str(tmp_path / "context")) == []
    assert "coexistence.quota_below" not in left_out
    assert "slices.pools" in left_out


def test_without_its_words_a_rule_is_left_out(tmp_path: Path, left_out: list[str]) -> None:
    write(tmp_path, {"a.yaml": GOOD})
    assert places(str(tmp_path)) == []
    assert len(left_out) > len(CHECKS) // 2
    assert "requests.admin_access" in left_out
    assert "references.missing" not in left_out


def test_of_a_large_run_any_rule_is_asked(
    tmp_path: Path, left_out: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"a.yaml": GOOD})
    monkeypatch.setattr(triggers, "_WORTH_IT", 3)
    assert places(str(tmp_path)) == []
    assert left_out == []


def test_each_item_has_to_be_there_of_a_tuple_one() -> None:
    needed = (("a", "b"), ("c",))
    assert not hold({"c"}, needed)
    assert not hold({"a", "b"}, needed)
    assert hold({"b", "c"}, needed)
    assert hold(None, needed)
    assert hold(set(), ())


def test_every_word_of_the_table_is_one_that_can_be_found() -> None:
    """A tuple in the wrong place would make words of the letters of one."""
    for check, _, needed in CHECKS:
        for some in needed:
            assert some, check
            assert all(isinstance(each, int) or len(each) > 1 or each == "/" for each in some), some


def test_findings_in_a_long_stream_are_those_of_the_object_alone(tmp_path: Path) -> None:
    """Of a long stream equal parts are one value, also within one object."""
    claims = "resources: {claims: [{name: missing}], limits: {cpu: 1}}"
    pod = (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: ml}\nspec:\n  containers:\n"
        f"  - {{name: a, image: x, {claims}}}\n  - {{name: b, image: x, {claims}}}\n"
        "  resourceClaims:\n  - {name: missin, resourceClaimName: ${CLAIM}}\n"
    )
    write(tmp_path, {"alone.yaml": pod})
    alone = places(str(tmp_path / "alone.yaml"))
    filling = "---\n".join(GOOD.replace("name: gpu,", f"name: g{i},") for i in range(2000))
    write(tmp_path, {"long.yaml": f"{filling}---\n{pod}"})
    first = filling.count("\n") + 1
    found = places(str(tmp_path / "long.yaml"))
    assert [(line - first, column, code) for _, line, column, code in found] == [
        (line, column, code) for _, line, column, code in alone
    ]
    assert {code for *_, code in found} >= {"DRA403"}
