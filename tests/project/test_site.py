"""The site: built without warnings, nothing from elsewhere, and the playground's Python run as the page runs it."""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import pytest
import yaml

if TYPE_CHECKING:
    from types import ModuleType

pytest.importorskip("mkdocs", reason="mkdocs belongs to the extra `docs`")
pytest.importorskip("material", reason="mkdocs-material belongs to the extra `docs`")

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    call = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "--quiet",
        "--site-dir",
        str(folder),
    ]
    done = subprocess.run(call, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    """No script, style, font or picture has the address of another host; links for readers may."""
    loads = re.compile(
        r"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=\"((?:https?:)?//[^\"]*)\""
    )
    pages = list(site.rglob("*.html"))
    assert len(pages) > 200
    assert [(page.name, loads.findall(page.read_text("utf-8"))[:1]) for page in pages
            if loads.search(page.read_text("utf-8"))] == []  # fmt: skip
    assert "mermaid" not in (site / "index.html").read_text("utf-8")
    styles = "".join(path.read_text("utf-8") for path in site.rglob("*.css"))
    assert not re.search(r"@import|url\((?:\"|')?(?:https?:)?//", styles)


def test_rules_drivers_and_schemas_have_pages(site: Path) -> None:
    rules = sorted(path.name.partition("-")[0] for path in (ROOT / "rules").glob("*.md"))
    assert sorted(path.name for path in (site / "rules").iterdir() if path.is_dir()) == rules
    assert (site / "drivers" / "gpu.nvidia.com" / "index.html").is_file()
    assert (site / "schemas" / "config.schema.json").is_file()
    assert (site / "schemas" / "kubernetes" / "1.36" / "v1.json").is_file()


def test_the_home_page_shows_a_file_and_what_is_said_of_it(site: Path) -> None:
    text = (site / "index.html").read_text("utf-8")
    assert "<!-- file" not in text
    assert "DeviceClass" in text
    assert "DRA201 unknown-attribute" in text


def test_selectors_are_coloured(site: Path) -> None:
    text = (site / "cel" / "index.html").read_text("utf-8")
    block = re.findall(r'<div class="[^"]*language-cel[^"]*">(.*?)</div>', text, re.DOTALL)[0]
    assert '<span class="s">' in block
    assert "err" not in re.findall(r'class="(\w+)"', block)


def test_a_site_without_its_parts_says_so(site: Path) -> None:
    text = (site / "playground" / "index.html").read_text("utf-8")
    assert re.search(r'<div id="pg"[^>]* hidden', text)
    assert "The parts of the playground are not on this site." in text
    assert "../assets/playground/page.js" in text
    assert (site / "assets" / "playground" / "page.js").is_file()
    assert not (site / "assets" / "playground" / "parts.json").exists()
    assert not list(site.rglob("*.py"))


# Menus and links ---------------------------------------------------------------------------------


class _Page(HTMLParser):
    """The links and the anchors of a page, and the links of its menu."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = {""}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for key, value in attrs:
            if key == "id" or (tag == "a" and key == "name"):
                self.anchors.add(value or "")
            elif key in ("href", "src"):
                self.links.append(value or "")


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, _Page]:
    found = sorted(site.rglob("*.html"))
    return {path: _Page(path.read_text("utf-8")) for path in found if path.name != "404.html"}


def target(page: Path, link: str) -> Path:
    """The file that an internal link leads to."""
    path = Path(os.path.normpath(page.parent / unquote(link.partition("#")[0].partition("?")[0])))
    path = page if link.startswith("#") else path
    return path / "index.html" if path.is_dir() else path


def dead(pages: dict[Path, _Page]) -> list[tuple[Path, str]]:
    """Links to files and anchors that are not there."""
    found = []
    for page, parsed in pages.items():
        for link in dict.fromkeys(parsed.links):
            if re.match(r"[a-z]+:|//", link):
                continue
            leads = target(page, link)
            anchor = unquote(link.partition("#")[2])
            # A skip link of the theme leads to an anchor that the page makes when it runs.
            lost = leads in pages and anchor not in pages[leads].anchors | {"__skip"}
            if not leads.is_file() or lost:
                found.append((page, link))
    return found


def test_no_link_is_dead(site: Path, pages: dict[Path, _Page]) -> None:
    assert [(page.relative_to(site).as_posix(), link) for page, link in dead(pages)] == []


def test_a_dead_link_is_found(tmp_path: Path) -> None:
    text = '<a href="other.html#no">a</a><a href="lost/">b</a><a href="other.html#yes">c</a>'
    (tmp_path / "one.html").write_text(text)
    (tmp_path / "other.html").write_text('<p id="yes">')
    both = {path: _Page(path.read_text("utf-8")) for path in tmp_path.iterdir()}
    assert [link for _, link in dead(both)] == ["other.html#no", "lost/"]


def test_every_page_is_in_the_menu(site: Path, pages: dict[Path, _Page]) -> None:
    """Pages of single rules and drivers are in the tables of their index instead."""
    home = site / "index.html"
    text = home.read_text("utf-8")
    menu = _Page(text[text.index("md-nav--primary") : text.index("<article")])
    named = {target(home, link) for link in menu.links}
    for folder in ("rules", "drivers"):
        index = site / folder / "index.html"
        assert index in named
        named |= {target(index, link) for link in pages[index].links}
    missing = [path.relative_to(site).as_posix() for path in pages.keys() - named]
    assert missing == []
    assert site / "exactness" / "index.html" in named


def test_the_menu_is_by_kind() -> None:
    settings = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
    kinds = [next(iter(entry)) for entry in settings["nav"]]
    assert kinds == [
        "Home",
        "Tutorials",
        "How-to",
        "Reference",
        "Explanation",
        "Playground",
        "Contributing",
    ]


# Pages made of the code ------------------------------------------------------------------------


def test_commands_have_pages_with_all_of_their_options(site: Path) -> None:
    from tests.project.test_docs import ALL, options_of

    for words, command in ALL.items():
        page = site / "reference" / "cli" / words[0] / "index.html"
        text = unescape(re.sub(r"<[^>]+>", "", page.read_text("utf-8")))
        assert "Exit codes" in text
        named = set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", text))
        assert options_of(command) - {"-h", "--help"} <= named, words
    lint = (site / "reference" / "cli" / "lint" / "index.html").read_text("utf-8")
    assert "<dt><code>--fail-on error|warning|info|never</code></dt>" in lint
    assert "Default: <code>warning</code>." in lint
    assert re.search(r"<li><strong>1</strong>: findings", lint)


@pytest.mark.parametrize(
    "text",
    [
        "Exit codes: 0 fine, 1 it is\n not, or not quite; 2 wrong usage.",
        "Exit codes:\n  0  fine\n  1  it is\n     not, or not quite\n  2  wrong usage",
    ],
)
def test_exit_codes_are_listed_however_a_help_text_names_them(text: str) -> None:
    module: Any = importlib.import_module("docs._pages.commands")
    assert module._EXIT_CODES.search(f"Do it.\n\n{text}").group().strip() == text
    listed = list(module._exit_codes(text))
    assert listed == [
        "- **0**: fine",
        "- **1**: it is not, or not quite",
        "- **2**: wrong usage",
        "",
    ]
    assert list(module._paragraphs("One.\n\n\b\na  1\nb  2\n\n\b\n")) == [
        "One.\n",
        "```text\na  1\nb  2\n```\n",
    ]


def test_the_python_api_is_whole(site: Path) -> None:
    import dradsl
    from docs._pages.python_api import PAGES

    listed = [name for _, module, names in PAGES.values() if module == "dradsl" for name in names]
    assert sorted(listed) == sorted({*dradsl.__all__} - {"__version__"})
    text = (site / "reference" / "python" / "functions" / "index.html").read_text("utf-8")
    for anchor in ("lint", "Fleet.from_file", "LintResult.ok"):
        assert f'id="{anchor}"' in text
    assert "<dt><code>kube_version</code></dt>" in text
    assert "Args:" not in text
    assert "Raises:" not in text


def test_the_filters_read_the_columns_that_there_are(site: Path) -> None:
    text = (site / "rules" / "index.html").read_text("utf-8")
    script = (ROOT / "docs" / "assets" / "rules.js").read_text("utf-8")
    (columns,) = re.findall(r"const \[(.*)\] = \[\.\.\.row\.cells\]", script)
    head = re.findall(r"<th>(.*?)</th>", text)[:6]
    assert head == ["Code", "Finds", "Severity", "Fix", "Kubernetes", "Name"]
    assert columns.split(", ") == ["code", "finds", "severity", "fix", "releases", "name"]
    assert 'id="rule-filter"' in text
    assert '<script src="../assets/rules.js">' in text


def test_reports_in_pages_are_coloured(site: Path) -> None:
    text = (site / "index.html").read_text("utf-8")
    assert 'DRA201 unknown-attribute <span class="report-error">error</span>:' in text
    (excerpt,) = re.findall(r'<span class="report-excerpt">(.*?)   = help', text, re.DOTALL)
    assert '<span class="report-error">^^^^^</span></span>' in excerpt


def test_pictures_are_drawn_for_phones_and_both_colours(site: Path) -> None:
    text = (site / "explanation" / "dra" / "index.html").read_text("utf-8")
    labels = re.findall(r'<svg [^>]*aria-label="([^"]{60,})"', text)
    folder = ROOT / "docs" / "assets" / "pictures"
    # The figures of a benchmark are drawn by their own program, and are on another page.
    drawings = sorted(path for path in folder.glob("*.svg") if path.name != "peers.svg")
    assert len(labels) == len(drawings) == 5
    styles = set()
    for path in drawings:
        drawing = path.read_text("utf-8")
        root = ET.fromstring(drawing)
        assert root.attrib["viewBox"].startswith("0 0 360 ")  # a unit is a pixel on a phone
        assert root[0].tag.endswith("title")
        styles.update(re.findall(r"<style>.*?</style>", drawing, re.DOTALL))
        drawn = re.sub(r"<style>.*?</style>", "", drawing, flags=re.DOTALL)
        assert not re.search(r"#[0-9a-f]{3}|href|<image|<script", drawn), path.name
    (style,) = styles
    assert all(int(size) >= 12 for size in re.findall(r"(\d+)px", style))


def test_no_link_to_a_repository_without_an_address(site: Path) -> None:
    from dradsl.lint.report.places import REPOSITORY_URL

    assert (
        REPOSITORY_URL is None
    )  # else the pages tell how to install from there: docs/design/release.md
    text = (site / "contributing" / "index.html").read_text("utf-8")
    assert "md-source" not in text
    assert "Edit this page" not in text


def test_an_address_gives_links_to_the_repository() -> None:
    from docs._pages.project import with_project_links

    text = "[a](../tests/x.py) [b](../../CHANGELOG.md#unreleased) [c](rules/index.md)"
    here = with_project_links(text, "design/text.md", None)
    assert (
        here == "[a](../tests/x.py) [b](../contributing/changes.md#unreleased) [c](rules/index.md)"
    )
    assert with_project_links("[a](../tests/x.py)", "lint.md", None) == "a"
    there = with_project_links("[a](../tests/x.py)", "lint.md", "https://code.example.com/d")
    assert there == "[a](https://code.example.com/d/blob/main/tests/x.py)"


def test_versions_stand_side_by_side(tmp_path: Path) -> None:
    module: Any = importlib.import_module("docs.versions")
    site, published = tmp_path / "site", tmp_path / "published"
    with pytest.raises(FileNotFoundError, match="run mkdocs build first"):
        module.publish(site, published, "0.9.0")
    site.mkdir()
    for version in ("0.9.0", "0.10.1", "0.9.3"):
        (site / "index.html").write_text(version)
        module.publish(site, published, version)
    assert (published / "0.9" / "index.html").read_text() == "0.9.3"
    assert (published / "latest" / "index.html").read_text() == "0.10.1"
    rows = json.loads((published / "versions.json").read_text("utf-8"))
    assert [(row["version"], row["aliases"]) for row in rows] == [("0.10", ["latest"]), ("0.9", [])]


def test_addresses_switch_on_what_needs_them(monkeypatch: pytest.MonkeyPatch) -> None:
    from mkdocs.config import load_config

    from dradsl.lint.report import places

    def settings() -> Any:
        config = load_config(str(ROOT / "mkdocs.yml"))
        return config.plugins.run_event("config", config)

    found = settings()
    assert (found.site_url, found.repo_url) == ("", None)
    assert "version" not in found.extra
    monkeypatch.setattr(places, "PROJECT_URL", "https://docs.example.com/d/latest")
    monkeypatch.setattr(places, "REPOSITORY_URL", "https://code.example.com/d")
    found = settings()
    assert found.site_url == "https://docs.example.com/d/latest/"
    assert (found.repo_url, found.edit_uri) == ("https://code.example.com/d", "edit/main/docs/")
    assert found.extra["version"] == {"provider": "mike"}
    assert "content.action.edit" in found.theme["features"]


# The playground ---------------------------------------------------------------------------------


@pytest.fixture
def playground(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = importlib.import_module("docs.playground_run")
    monkeypatch.setattr(module, "FLEETS", ROOT / "examples" / "inventory")
    return module


def test_the_playground_runs_what_it_offers(playground: ModuleType) -> None:
    parts: Any = importlib.import_module("docs.playground")
    examples = {name: (ROOT / path).read_text("utf-8") for name, path in parts.EXAMPLES.items()}
    code, text = playground.run("lint", examples["lint"], "1.36", "")
    assert (code, "DRA201 unknown-attribute error" in text) == (1, True)
    code, text = playground.run("cel", parts.SELECTOR, "1.36", "")
    assert (code, text.startswith("ok: bool"), "DRA209" in text) == (1, True, True)
    code, text = playground.run("cel", "device.", "1.36", "")
    assert (code, "compilation failed" in text) == (1, True)
    for fleet in parts.FLEETS:
        code, text = playground.run("simulate", examples["simulate"], "1.36", fleet)
        assert code in (0, 1), text
        assert "Kubernetes 1.36" in text
    code, text = playground.run("simulate", examples["simulate"], "1.36", "../../secret")
    assert (code, "no such file or directory" in text) == (2, True)


def test_the_archive_holds_nothing_compiled_and_is_always_the_same(tmp_path: Path) -> None:
    import zipfile

    parts: Any = importlib.import_module("docs.playground")
    for name in ("a.zip", "b.zip"):
        parts._application(tmp_path / name)
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    names = zipfile.ZipFile(tmp_path / "a.zip").namelist()
    assert not [name for name in names if name.endswith((".so", ".pyd", ".pyc"))]
    assert {"dradsl/cli/__init__.py", "click/__init__.py", "yaml/__init__.py"} <= set(names)
    assert "playground_run.py" in names
    assert any(name.startswith("dradsl/_data/schemas/drivers/") for name in names)
    assert len(names) == len(set(names))


def test_what_the_browser_is_expected_to_show_is_asked_for() -> None:
    from tests.playground.__main__ import EXPECTED, faults

    answers = {
        task: {"status": status, "output": text} for task, (status, text) in EXPECTED.items()
    }
    seen = {"answers": answers, "foreign": [], "failures": [], "overflow": 0}
    assert faults(seen) == []
    assert faults({**seen, "foreign": ["x"]}) == ["asks elsewhere: x"]
    assert faults({**seen, "overflow": 3}) == ["wider than a phone"]
    for task in EXPECTED:
        wrong = {**answers, task: {"status": "exit code 0", "output": ""}}
        assert len(faults({**seen, "answers": wrong})) == 1


def test_settings_of_the_theme() -> None:
    class Loader(yaml.SafeLoader):
        pass

    settings = yaml.load((ROOT / "mkdocs.yml").read_text("utf-8"), Loader)
    assert settings["theme"]["font"] is False
    media = [each["media"] for each in settings["theme"]["palette"]]
    assert "(prefers-color-scheme: dark)" in media
    assert "content.code.copy" in settings["theme"]["features"]
    assert settings["plugins"] == ["search"]
