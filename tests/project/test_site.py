"""The site: built without warnings, nothing from elsewhere, and the playground's Python run as the page runs it."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

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


def test_the_home_page_shows_a_file_and_what_is_said_of_it(site: Path) -> None:
    text = (site / "index.html").read_text("utf-8")
    assert "<!-- file" not in text
    assert "DeviceClass" in text
    assert "DRA201 unknown-attribute error" in text


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
