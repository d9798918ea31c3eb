"""The examples: every recorded inventory with pods for it, and what `dradsl simulate` says."""

from __future__ import annotations

import json
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from dradsl.cli.simulate import command
from dradsl.kube.fields.decoding import decode
from dradsl.releases import get_release
from tests.golden import check_golden

INVENTORY = Path(__file__).parents[2] / "examples" / "inventory"
EXAMPLES = sorted(path for path in INVENTORY.iterdir() if path.is_dir())
RELEASE = "1.36"


def simulate(folder: Path, *arguments: str) -> Result:
    result = CliRunner().invoke(
        command,
        [
            "--slices",
            str(folder / "slices.yaml"),
            str(folder / "pods.yaml"),
            "--kube-version",
            RELEASE,
            *arguments,
        ],
        catch_exceptions=False,
    )
    assert result.exit_code in (0, 1), result.output
    return result


@pytest.mark.parametrize("folder", EXAMPLES, ids=lambda path: path.name)
def test_text(folder: Path) -> None:
    check_golden(folder / "expected.txt", simulate(folder).stdout)


@pytest.mark.parametrize("folder", EXAMPLES, ids=lambda path: path.name)
def test_json_agrees_with_yaml_and_the_api(folder: Path) -> None:
    document = json.loads(simulate(folder, "--output-format", "json").stdout)
    answers = ["fits", "chance", "never"]
    worst = max((pod["answer"] for pod in document["pods"]), key=answers.index)
    assert document["answer"] == worst
    written = simulate(folder, "--output-format", "yaml").stdout
    claims = [claim for claim in yaml.safe_load_all(written) if claim]
    allocations = [c["allocation"] for pod in document["pods"] for c in pod["claims"]]
    assert [claim["status"]["allocation"] for claim in claims] == allocations
    for claim in claims:
        # The API's own strict decoding: no unknown field, no wrong type.
        assert decode(claim, get_release(RELEASE)).problems == ()


class Structure(HTMLParser):
    """The elements of a page, and that they are closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.count: dict[str, int] = {}
        self.classes: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.count[tag] = self.count.get(tag, 0) + 1
        self.classes += (dict(attrs).get("class") or "").split()
        assert not {"src", "href"} & {name for name, _ in attrs}, "the page is self-contained"
        if tag not in ("meta", "br", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("folder", EXAMPLES[:8], ids=lambda path: path.name)
def test_html(folder: Path) -> None:
    page = simulate(folder, "--output-format", "html").stdout
    structure = Structure()
    structure.feed(page)
    structure.close()
    assert structure.open == []
    document: dict[str, Any] = json.loads(simulate(folder, "--output-format", "json").stdout)
    found = Counter(pod["answer"] for pod in document["pods"])
    for answer in ("fits", "chance", "never"):
        assert structure.classes.count(answer) == found[answer]
    assert structure.classes.count("node") == document["nodes"]
    if found["fits"]:
        assert structure.classes.count("now") >= 1
