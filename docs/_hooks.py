"""What mkdocs asks of this site: generated pages, their places in the menus, the addresses of the project."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # the pages describe this checkout, not an installed dradsl

_FILE = re.compile(r"<!-- file (?P<path>[\w./-]+) -->")

# Folder -> the group of the menu that takes its pages, those that mkdocs.yml does not name.
_GROUPS = {
    "tutorials": "Tutorials",
    "how-to": "How-to",
    "explanation": "Explanation",
    "design": "Design",
}


PLAYGROUND = "playground.md"
_PLAYGROUND_ONLY = re.compile(r"<!-- playground -->.*?<!-- /playground -->\n?", re.DOTALL)


def with_playground() -> bool:
    """Say if the site gets its playground: `PLAYGROUND=1 mkdocs build` (it needs npm, and 16 MB)."""
    return os.environ.get("PLAYGROUND", "") not in ("", "0")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The addresses are in one place, which may be unset: then links are relative, and none leads to a host."""
    from dradsl._version import __version__
    from dradsl.lint.report.places import PROJECT_URL, REPOSITORY_URL

    config.copyright = f"dradsl {__version__}"
    config.site_url = "" if PROJECT_URL is None else f"{PROJECT_URL}/"
    if PROJECT_URL is not None:
        config.extra["version"] = {
            "provider": "mike"
        }  # the format of versions.json, see docs/versions.py
    if REPOSITORY_URL is not None:
        config.repo_url = REPOSITORY_URL
        config.edit_uri = "edit/main/docs/"
        config.theme["features"].append("content.action.edit")
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages; mkdocs calls it once the files under docs/ are known."""
    nav = config.nav or []
    if not with_playground():
        nav[:] = [entry for entry in nav if entry != {"Playground": PLAYGROUND}]
        for file in [
            each for each in files if each.src_uri.startswith(("assets/playground/", PLAYGROUND))
        ]:
            files.remove(file)
    _complete_nav(nav, [file.src_uri for file in files.documentation_pages()])
    for name, content in _generated():
        files.append(File.generated(config, name, content=content))
    return files


def _complete_nav(nav: list[Any], pages: list[str]) -> None:
    """Add generated pages, and pages that mkdocs.yml does not name: to the group of their folder, or at the end."""
    from docs._pages.commands import command_names
    from docs._pages.cookbook import cookbook_names
    from docs._pages.python_api import PAGES

    _group(nav, "Command line")[:] = [
        "reference/cli/index.md",
        *({f"dradsl {name}": f"reference/cli/{name}.md"} for name in command_names()),
    ]
    _group(nav, "Python API")[:] = [
        "reference/python/index.md",
        *({title: f"reference/python/{page}.md"} for page, (title, _, _) in PAGES.items()),
    ]
    _group(nav, "Rules").extend(_rules())
    _group(nav, "Drivers").extend(_drivers())
    _group(nav, "Cookbook")[:] = [
        "cookbook/index.md",
        *({name: f"cookbook/{name}.md"} for name in cookbook_names()),
    ]
    named = set(_pages_of(nav))
    for page in sorted(pages):
        folder = page.partition("/")[0]
        if page not in named and folder in _GROUPS:
            _group(nav, _GROUPS[folder]).append(page)
        elif page not in named and "/" not in page:
            nav.append(page)
    nav[:] = [entry for entry in nav if not isinstance(entry, dict) or [*entry.values()] != [[]]]


def _rules() -> Iterator[dict[str, list[dict[str, str]]]]:
    """The pages of the rules, by family."""
    from dradsl.lint.catalogue.rules import FAMILIES, RULES

    for family, title in FAMILIES.items():
        yield {
            f"{family}xx {title}": [
                {f"{code} {rule.name}": f"rules/{code}.md"}
                for code, rule in sorted(RULES.items())
                if int(code[3]) == family
            ]
        }


def _drivers() -> list[str]:
    from dradsl.drivers.schema.catalogue import Catalogue

    return [f"drivers/{name}.md" for name in Catalogue().names()]


def _group(nav: list[Any], title: str) -> list[Any]:
    """The list of a group, at whatever depth."""
    for entry in nav:
        for name, below in entry.items() if isinstance(entry, dict) else ():
            if name == title and isinstance(below, list):
                return below
            if isinstance(below, list):
                try:
                    return _group(below, title)
                except LookupError:
                    continue
    raise LookupError(f"mkdocs.yml: no group {title}")


def _pages_of(nav: Any) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    for item in nav.values() if isinstance(nav, dict) else nav if isinstance(nav, list) else ():
        yield from _pages_of(item)


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001 - the signature is that of mkdocs
    """Fill what pages leave open: the table of options, files of the repository."""
    from docs._pages.configuration import options
    from docs._pages.project import with_project_links
    from dradsl._version import __version__
    from dradsl.lint.report.places import REPOSITORY_URL

    markdown = _FILE.sub(_shown_file, markdown)
    if not with_playground():
        markdown = _PLAYGROUND_ONLY.sub("", markdown)
    markdown = with_project_links(markdown, page.file.src_uri, REPOSITORY_URL)
    if REPOSITORY_URL is not None:
        markdown = markdown.replace("<address>", REPOSITORY_URL).replace(
            "<commit>", f"v{__version__}"
        )
    if "<!-- options -->" in markdown:
        return markdown.replace("<!-- options -->", "\n".join(options()))
    return markdown


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001 - the signature is that of mkdocs
    """Mark up the reports that a page shows, put its drawings in, and name the columns in each row of wide tables."""
    from docs._pages.pictures import with_pictures
    from docs._pages.reports import with_reports
    from docs._pages.tables import with_cards

    return with_cards(with_pictures(with_reports(html)))


def on_post_build(config: MkDocsConfig) -> None:
    """Improve the search, once its index is written; add the parts of the playground."""
    from docs._pages.search import improve_search

    site = Path(config.site_dir)
    improve_search(site)
    if with_playground():
        from docs.playground import NotToBeHadError, build

        try:
            build(site)
        except NotToBeHadError as error:
            raise PluginError(f"playground: {error}") from error


def _shown_file(place: re.Match[str]) -> str:
    """A file of the repository as a block, without the comments at its top."""
    text = (ROOT / place["path"]).read_text(encoding="utf-8")
    lines = text.rstrip("\n").split("\n")
    first = next(number for number, line in enumerate(lines) if not line.startswith("#"))
    head = f'```yaml title="{place["path"]}" linenums="{first + 1}"'
    return "\n".join([head, *lines[first:], "```"])


def _generated() -> Iterator[tuple[str, str]]:
    from docs._pages import commands, cookbook, drivers, project, python_api, rules
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.lint.pages.documents import all_documents

    documents = all_documents()
    yield "rules/index.md", "\n".join(rules.rule_index(documents))
    for document in documents:
        yield f"rules/{document.code}.md", "\n".join(rules.rule_page(document))
    catalogue = Catalogue()
    schemas = [schema for name in catalogue.names() if (schema := catalogue.get(name))]
    yield "drivers/index.md", "\n".join(drivers.driver_index(schemas))
    for schema in schemas:
        yield f"drivers/{schema.name}.md", "\n".join(drivers.driver_page(schema))
    yield "cookbook/index.md", "\n".join(cookbook.cookbook_index())
    for name in cookbook.cookbook_names():
        yield f"cookbook/{name}.md", "\n".join(cookbook.cookbook_page(name))
    yield "reference/cli/index.md", "\n".join(commands.command_index())
    for name in commands.command_names():
        yield f"reference/cli/{name}.md", "\n".join(commands.command_page(name))
    yield "reference/python/index.md", "\n".join(python_api.python_index())
    for name in python_api.PAGES:
        yield f"reference/python/{name}.md", "\n".join(python_api.python_page(name))
    for file, page in project.PROJECT_PAGES.items():
        yield page, project.project_page(file)
    # As `dradsl schema export` prints them, for editors that fetch theirs from a site.
    kubernetes = (ROOT / "schemas" / "kubernetes").rglob("*.json")
    for path in sorted([*(ROOT / "schemas").glob("*.schema.json"), *kubernetes]):
        relative = path.relative_to(ROOT / "schemas").as_posix()
        yield f"schemas/{relative}", path.read_text(encoding="utf-8")
