"""The site: built without warnings, nothing from elsewhere, and the playground's Python run as the page runs it."""

from __future__ import annotations

import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import pytest
import yaml

from dradsl.scaffolding.recipes import recipe_names

if TYPE_CHECKING:
    from collections.abc import Callable
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


def test_a_plain_build_has_no_playground_and_names_none(site: Path) -> None:
    assert not (site / "playground").exists()
    assert not (site / "assets" / "playground").exists()
    assert not list(site.rglob("*.py"))
    text = (site / "index.html").read_text("utf-8")
    assert "playground" not in text.lower()
    assert "in your browser" not in text


@pytest.mark.parametrize("wanted", [True, False])
def test_the_playground_comes_whole_or_not_at_all(
    wanted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its tab, the link on the home page and its parts; the hooks as mkdocs calls them, without the package of npm."""
    from mkdocs.config import load_config
    from mkdocs.structure.files import get_files

    hooks: Any = importlib.import_module("docs._hooks")
    parts: Any = importlib.import_module("docs.playground")
    search: Any = importlib.import_module("docs._pages.search")
    monkeypatch.setenv("PLAYGROUND", "1" if wanted else "")
    monkeypatch.setattr(hooks, "_generated", lambda: ())
    monkeypatch.setattr(search, "improve_search", lambda site: None)
    monkeypatch.setattr(parts, "_core", lambda target: target.mkdir())
    monkeypatch.setattr(parts, "_application", lambda target: target.write_bytes(b""))
    config = load_config(str(ROOT / "mkdocs.yml"), site_dir=str(tmp_path))
    files = hooks.on_files(get_files(config), config)
    names = [file.src_uri for file in files]
    assert ("playground.md" in names) is wanted
    assert ("assets/playground/page.js" in names) is wanted
    assert config.nav is not None
    assert ({"Playground": "playground.md"} in config.nav) is wanted
    page = SimpleNamespace(file=SimpleNamespace(src_uri="index.md"))
    home = hooks.on_page_markdown((ROOT / "docs/index.md").read_text("utf-8"), page, config, files)
    assert ("playground" in home) is wanted
    (tmp_path / "assets/playground").mkdir(parents=True)
    (tmp_path / "assets/playground/page.js").write_text("")
    hooks.on_post_build(config)
    assert (tmp_path / "assets/playground/parts.json").exists() is wanted


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


def menu(page: Path) -> list[Path]:
    """The pages that the menu of a page leads to."""
    text = page.read_text("utf-8")
    links = _Page(text[text.index("md-nav--primary") : text.index("<article")]).links
    return [target(page, link) for link in links]


def test_every_page_is_in_the_menu(site: Path, pages: dict[Path, _Page]) -> None:
    """The menu of a page has what is around it, so it takes some steps through menus to reach all."""
    waiting, named = [site / "index.html"], {site / "index.html"}
    while waiting:
        for page in menu(waiting.pop()):
            if page in pages and page not in named:
                named.add(page)
                waiting.append(page)
    missing = [path.relative_to(site).as_posix() for path in pages.keys() - named]
    assert missing == []


def test_a_rule_has_its_neighbours(site: Path) -> None:
    """The pages of rules and drivers: in the menu, with the next, the one before, and the way back to the table."""
    for page, before, after, top in (
        ("rules/DRA202", "rules/DRA201", "rules/DRA203", "rules"),
        ("drivers/gpu.amd.com", "drivers/gaudi.intel.com", "drivers/gpu.example.com", "drivers"),
    ):
        path = site / page / "index.html"
        text = path.read_text("utf-8")
        named = menu(path)
        for other in (before, after, page, top):
            assert site / other / "index.html" in named, (page, other)
        for kind, other in (("prev", before), ("next", after)):
            (link,) = re.findall(
                rf'<a href="([^"]+)" class="md-footer__link md-footer__link--{kind}"', text
            )
            assert target(path, link) == site / other / "index.html"
        path_to = text[text.index('<nav class="md-path"') : text.index("<article")]
        assert site / top / "index.html" in [target(path, link) for link in _Page(path_to).links]


def test_tables_can_be_filtered_and_are_cards_on_a_phone(site: Path) -> None:
    assert '<div class="table-filter" data-rows="drivers">' in (
        site / "drivers/index.html"
    ).read_text("utf-8")
    text = (site / "drivers/gpu.nvidia.com/index.html").read_text("utf-8")
    assert '<div class="table-filter" data-rows="names">' in text
    assert "assets/site.js" in text
    for name in ("rules/index.html", "drivers/index.html", "drivers/gpu.nvidia.com/index.html"):
        body = (site / name).read_text("utf-8")
        for table in re.findall(r"<table.*?</table>", body, re.DOTALL):
            heads = len(re.findall(r"<th\b", table))
            if heads > 2:
                assert table.startswith(('<table class="cards">', '<table class="cards tall">'))
                assert table.count("<td data-column=") == table.count("<td") > 0


def test_the_cel_of_driver_pages_has_no_mistake(tmp_path: Path) -> None:
    """What a reader copies, below the driver: nothing that fails, never holds, or names what is gone."""
    import dradsl
    from dradsl.drivers.schema.catalogue import Catalogue

    module: Any = importlib.import_module("docs._pages.drivers")
    catalogue = Catalogue()
    classes: list[dict[str, Any]] = []
    for name in catalogue.names():
        schema = catalogue.get(name)
        assert schema is not None
        page = "\n".join(module.driver_page(schema))
        for cel in re.findall(r"`([^`]+)`\{ \.copied \}", page):
            selector = f'device.driver == "{name}" && {cel}'.replace("\\|", "|")
            spec = {"selectors": [{"cel": {"expression": selector}}]}
            classes.append(
                {
                    "apiVersion": "resource.k8s.io/v1",
                    "kind": "DeviceClass",
                    "metadata": {"name": f"c{len(classes)}"},
                    "spec": spec,
                }
            )
    assert len(classes) > 300
    file = tmp_path / "classes.yaml"
    file.write_text(yaml.safe_dump_all(classes, width=10000), "utf-8")
    found = dradsl.lint(file)
    wrong = [each for each in found.findings if str(each.severity) != "info"]
    assert [(each.code, each.message, classes[each.document or 0]) for each in wrong] == []


# Search ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def search(site: Path) -> Callable[[list[str]], list[str]]:
    """The first page that the search of the site finds, asked as its pages ask it."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("the search of the site is JavaScript: it needs node")

    def first(searches: list[str]) -> list[str]:
        call = [node, str(ROOT / "tests" / "docs" / "search.mjs"), str(site)]
        done = subprocess.run(
            call, input=json.dumps(searches), capture_output=True, text=True, check=True
        )
        return [pages[0][0].partition("#")[0] if pages else "" for pages in json.loads(done.stdout)]

    return first


@pytest.mark.parametrize(
    ("file", "least"), [("searches.yaml", 36), ("searches-2.yaml", 17), ("searches-3.yaml", 12)]
)
def test_searches_find_the_right_page_first(
    search: Callable[[list[str]], list[str]], site: Path, file: str, least: int
) -> None:
    rows = yaml.safe_load((ROOT / "tests" / "docs" / file).read_text("utf-8"))
    for row in rows:
        for page in row["right"]:
            assert (site / page.partition("#")[0] / "index.html").is_file(), page
    found = search([row["search"] for row in rows])
    missed = [
        (row["search"], page)
        for row, page in zip(rows, found, strict=True)
        if page not in {right.partition("#")[0] for right in row["right"]}
    ]
    assert len(rows) - len(missed) >= least, missed


def test_names_find_their_pages(search: Callable[[list[str]], list[str]], site: Path) -> None:
    """Codes of rules and names of drivers, though guides go first."""
    wanted = {
        page.parent.name: f"{folder}/{page.parent.name}/"
        for folder in ("rules", "drivers")
        for page in sorted((site / folder).glob("*/index.html"))
    }
    assert len(wanted) > 200
    found = search([*wanted])
    pairs = zip(wanted.items(), found, strict=True)
    assert [(words, page) for (words, right), page in pairs if page != right] == []


@pytest.mark.parametrize(
    "message",
    [
        "spec.devices.requests[0].exactly.count: Invalid value: 2: must not be specified",
        "0/3 nodes are available: 3 cannot allocate all claims. ~still waiting^",
        "error: -kueue +quota",
        'The Pod "a" is invalid: spec.resourceClaims[0]: Invalid value: must specify one of: `x`',
    ],
)
def test_pasted_messages_are_words(search: Callable[[list[str]], list[str]], message: str) -> None:
    """The operators of the search engine in a message are no operators."""
    assert search([message]) != [""]


def test_the_menu_is_by_kind() -> None:
    settings = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
    kinds = [next(iter(entry)) for entry in settings["nav"]]
    assert kinds == [
        "Home",
        "Install",
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
    """What the page runs, on a Python that has neither timers nor threads, as that of the page."""

    def start(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    module = importlib.import_module("docs.playground_run")
    monkeypatch.setattr(module, "FLEETS", ROOT / "examples" / "inventory")
    monkeypatch.setattr(sys, "platform", "emscripten")
    monkeypatch.delattr("signal.setitimer", raising=False)
    monkeypatch.setattr(threading.Thread, "start", start)
    return module


def test_the_playground_runs_what_it_offers(playground: ModuleType) -> None:
    parts: Any = importlib.import_module("docs.playground")
    examples = dict(parts._beginnings())
    code, text = playground.run("lint", examples["lint"], "1.36", "")
    assert (code, "DRA201 unknown-attribute error" in text) == (1, True)
    code, text = playground.run("cel", examples["cel"], "1.36", "")
    assert (code, "DRA107" in text) == (1, True)
    code, text = playground.run("cel", "device.", "1.36", "")
    assert (code, "compilation failed" in text) == (1, True)
    for fleet in parts.FLEETS:
        code, text = playground.run("simulate", examples["simulate"], "1.36", fleet)
        assert code in (0, 1), text
        assert "Kubernetes 1.36" in text
    code, text = playground.run("simulate", examples["simulate"], "1.36", "../../secret")
    assert (code, "no such file or directory" in text) == (2, True)


def test_the_playground_offers_each_recipe(playground: ModuleType) -> None:
    parts: Any = importlib.import_module("docs.playground")
    recipes = list(parts._recipes())
    assert tuple(each["name"] for each in recipes) == recipe_names()
    for each in recipes:
        code, text = playground.run("lint", each["text"], "1.37", "")
        assert (each["name"], code, text[:8]) == (each["name"], 0, "All good"), text


def test_the_archive_holds_nothing_compiled_and_is_always_the_same(tmp_path: Path) -> None:
    import zipfile

    parts: Any = importlib.import_module("docs.playground")
    for name in ("a.zip", "b.zip"):
        parts._application(tmp_path / name)
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    names = zipfile.ZipFile(tmp_path / "a.zip").namelist()
    assert not [name for name in names if name.endswith((".so", ".pyd", ".pyc"))]
    modules = ("dradsl.cli", "click", "yaml", "jsonschema", "referencing", "attrs")
    assert {f"{name.replace('.', '/')}/__init__.py" for name in modules} <= set(names)
    assert "jsonschema_specifications/schemas/draft202012/metaschema.json" in names
    assert "playground_run.py" in names
    assert any(name.startswith("dradsl/_data/schemas/drivers/") for name in names)
    assert len(names) == len(set(names))


def test_what_the_browser_is_expected_to_show_is_asked_for() -> None:
    from tests.playground.__main__ import EXPECTED, faults

    answers = {
        task: {"status": status, "output": text} for task, (status, text) in EXPECTED.items()
    }
    recipes = {
        name: {"input": f"# dradsl new {name}", "status": "exit code 0"} for name in recipe_names()
    }
    seen = {"answers": answers, "recipes": recipes, "foreign": [], "failures": [], "overflow": 0}
    assert faults(seen) == []
    assert faults({**seen, "foreign": ["x"]}) == ["asks elsewhere: x"]
    assert faults({**seen, "overflow": 3}) == ["wider than a phone"]
    bad = {**recipes, "gpu": {"input": "", "status": "exit code 0"}}
    assert len(faults({**seen, "recipes": bad})) == 1
    for task in EXPECTED:
        wrong = {**answers, task: {"status": "exit code 2", "output": ""}}
        assert len(faults({**seen, "answers": wrong})) == 1


def test_settings_of_the_theme() -> None:
    class Loader(yaml.SafeLoader):
        pass

    settings = yaml.load((ROOT / "mkdocs.yml").read_text("utf-8"), Loader)
    assert settings["theme"]["font"] is False
    media = [each["media"] for each in settings["theme"]["palette"]]
    assert "(prefers-color-scheme: dark)" in media
    assert "content.code.copy" in settings["theme"]["features"]
    assert [*settings["plugins"][0]] == ["search"]
