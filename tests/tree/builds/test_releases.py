"""The values of releases, put together as Flux and Argo CD do it, with their places."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from dradsl.tree.kustomize.parts.files import Files, TextFile
from dradsl.tree.nodes import SourceDocument, SourcePlace, ValueNode, of
from dradsl.tree.releases import complete_release, complete_source
from tests.tree.builds.flux_cases import RECORDED, cases, release_of

if TYPE_CHECKING:
    from pathlib import Path

ROWS: list[dict[str, Any]] = json.loads(RECORDED.read_text())


def node_of(text: str, file: str = "object.yaml") -> ValueNode:
    document = TextFile(file, text.encode()).stream.documents[0]
    return of(document.data, SourcePlace(SourceDocument(file, document)))


def test_all_cases_are_recorded() -> None:
    asked = [{key: value for key, value in row.items() if key != "answer"} for row in ROWS]
    assert asked == cases()


def our_release(row: dict[str, Any]) -> Any:
    """Ours, or None where nothing is said."""
    found = {
        each["name"]: node_of(json.dumps({"kind": "ConfigMap", **each}), f"{each['name']}.yaml")
        for each in row["objects"]
    }
    release = node_of(json.dumps(release_of(row)))
    made = complete_release(release, lambda _kind, name: found.get(name), Files([]))
    if made is None:
        return None
    spec: Any = made.plain()
    assert "valuesFrom" not in spec["spec"]
    return spec["spec"].get("values", {})


@pytest.mark.parametrize("row", ROWS, ids=[str(index) for index in range(len(ROWS))])
def test_values_are_those_of_flux(row: dict[str, Any]) -> None:
    """What Flux rejects is not known; what is not known to us, Flux may know."""
    answer = row["answer"]
    ours = our_release(row)
    if "error" in answer:
        assert ours is None
    elif ours is not None:
        assert ours == (answer.get("values") or {})


def test_most_are_known() -> None:
    answered = [row for row in ROWS if "error" not in row["answer"]]
    assert len(answered) > 150
    known = sum(our_release(row) is not None for row in answered)
    assert known >= len(answered) - 8, known


def test_values_keep_their_places() -> None:
    release = node_of(
        json.dumps(
            release_of(
                {"references": [{"kind": "ConfigMap", "name": "m"}], "values": {"a": {"c": 2}}}
            )
        )
    )
    found = node_of(
        "kind: ConfigMap\ndata:\n  values.yaml: |\n    a:\n      b: 1\n    d: [x]\n", "map.yaml"
    )
    made = complete_release(release, lambda *_: found, Files([]))
    assert made is not None
    own, other = made.get("spec", "values", "a", "c"), made.get("spec", "values", "a", "b")
    assert own is not None
    assert own.at is not None
    assert (own.at.origin.file, own.at.path) == ("object.yaml", ("spec", "values", "a", "c"))
    assert other is not None
    assert other.at is not None
    assert (other.at.origin.file, other.at.path) == ("map.yaml", ("a", "b"))
    assert other.at.origin.within is not None
    assert other.at.origin.within.path == ("data", "values.yaml")


@pytest.mark.parametrize(
    "text",
    [
        "kind: ConfigMap\ndata: {other: 'a: 1'}\n",
        "kind: ConfigMap\ndata: {values.yaml: 'a: ${A}'}\n",
        "kind: ConfigMap\ndata: {values.yaml: 'ENC[AES256_GCM,data:x]'}\n",
        "kind: ConfigMap\ndata: {values.yaml: 'a: 1'}\nsops: {version: 1}\n",
    ],
)
def test_values_that_are_not_known(text: str) -> None:
    row = {"references": [{"kind": "ConfigMap", "name": "m"}], "values": {"a": 1}}
    made = complete_release(
        node_of(json.dumps(release_of(row))), lambda *_: node_of(text), Files([])
    )
    assert made is None


def test_an_optional_reference_to_nothing_is_not_known() -> None:
    """It may be in the cluster."""
    row = {"references": [{"kind": "ConfigMap", "name": "m", "optional": True}], "values": {}}
    assert (
        complete_release(node_of(json.dumps(release_of(row))), lambda *_: None, Files([])) is None
    )


# Argo CD


def test_sources_of_argo_cd(tmp_path: Path) -> None:
    (tmp_path / "chart").mkdir()
    (tmp_path / "chart" / "one.yaml").write_text("a: 1\nb: {c: 1}\n")
    (tmp_path / "two.yaml").write_text("b: {d: 2}\n")
    source = node_of(
        "path: chart\nhelm:\n  valueFiles: [one.yaml, /two.yaml, $values/two.yaml]\n"
        "  valuesObject: {b: {d: 3}}\n  values: 'e: 5'\n"
        "  parameters: [{name: b.e, value: '4'}, {name: f, value: '4', forceString: true}]\n"
    )
    made = complete_source(source, Files([str(tmp_path)]), str(tmp_path))
    assert made is not None
    assert made.plain() == {
        "path": "chart",
        "helm": {"valuesObject": {"a": 1, "b": {"c": 1, "d": 3, "e": 4}, "f": "4"}},
    }
    place = made.get("helm", "valuesObject", "b", "c")
    assert place is not None
    assert place.at is not None
    assert place.at.origin.file == str(tmp_path / "chart" / "one.yaml")
    assert place.at.origin.within is None


@pytest.mark.parametrize(
    "helm",
    [
        "{valueFiles: [missing.yaml]}",
        "{valueFiles: ['https://example.com/v.yaml']}",
        "{valueFiles: ['{{ x }}.yaml']}",
        "{valueFiles: [../../outside.yaml]}",
        "{fileParameters: [{name: a, path: b}]}",
        "{parameters: [{name: a, value: '$${X}'}, {name: b, value: '${X}'}]}",
        "{values: '- a'}",
    ],
)
def test_sources_that_are_not_known(helm: str, tmp_path: Path) -> None:
    top = tmp_path / "tree"
    top.mkdir()
    (tmp_path / "outside.yaml").write_text("a: 1\n")
    source = node_of(f"path: chart\nhelm: {helm}\n")
    assert complete_source(source, Files([str(top)]), str(top)) is None
