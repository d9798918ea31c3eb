"""Files at the top of the repository as pages: how to contribute, what changed, how to report a hole."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["PROJECT_PAGES", "project_page", "with_project_links"]

ROOT = Path(__file__).resolve().parents[2]

# File of the repository -> page of the site.
PROJECT_PAGES = {
    "CONTRIBUTING.md": "contributing/index.md",
    "CHANGELOG.md": "contributing/changes.md",
    "SECURITY.md": "contributing/report-a-hole.md",
}
_LINK = re.compile(r"(\]\()((?:\.\./)*)([\w./-]+?\.md)(#[\w-]+)?\)")
_FOLDER = re.compile(
    r"\[([^\]]+)\]\(((?:\.\./)*)((?:tests|examples|rules|dradsl|editors|packaging|templates)/[^)]*)\)"
)


def project_page(file: str) -> str:
    """The text of the file, with links as they are from its page."""
    text = (ROOT / file).read_text(encoding="utf-8")

    def moved(link: re.Match[str]) -> str:
        if link[3].startswith("docs/"):
            return f"{link[1]}../{link[3].removeprefix('docs/')}{link[4] or ''})"
        if link[3] in PROJECT_PAGES:
            return f"{link[1]}../{PROJECT_PAGES[link[3]]}{link[4] or ''})"
        return link[0]

    return _LINK.sub(moved, text)


def with_project_links(markdown: str, page: str, repository: str | None) -> str:
    """Links out of docs/: to pages where there are such, else into the repository, or nowhere without an address."""
    up = "../" * page.count("/")

    def moved(link: re.Match[str]) -> str:
        # As many steps up as lead out of docs/, or a page made of a file at the top.
        if link[3] in PROJECT_PAGES and link[2] == up + "../":
            return f"{link[1]}{up}{PROJECT_PAGES[link[3]]}{link[4] or ''})"
        return link[0]

    def outside(link: re.Match[str]) -> str:
        if not of_the_top and link[2] != up + "../":
            return link[0]  # to a folder of the site
        if repository is None:
            return link[1]
        return f"[{link[1]}]({repository}/blob/main/{link[3]})"

    of_the_top = page in PROJECT_PAGES.values()
    if not of_the_top:
        markdown = _LINK.sub(moved, markdown)
    return _FOLDER.sub(outside, markdown)
