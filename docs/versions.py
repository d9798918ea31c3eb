"""File a built site under its version, beside older ones: `python -m docs.versions SITE PUBLISHED`.

PUBLISHED is the folder that a web server shows. It gets a folder for each minor version, `latest` with the newest, and
`versions.json`, which the menu of the theme reads. Older versions stay as they are.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

_START = """\
<!doctype html>
<title>dradsl</title>
<meta http-equiv="refresh" content="0; url=latest/">
<a href="latest/">dradsl</a>
"""


def publish(site: Path, published: Path, version: str) -> list[str]:
    """Put the site into its place; the versions that are there, newest first."""
    if not (site / "index.html").is_file():
        raise FileNotFoundError(f"{site} holds no site: run mkdocs build first")
    published.mkdir(parents=True, exist_ok=True)
    _replace(site, published / _minor(version))
    folders = [path.name for path in published.iterdir() if re.fullmatch(r"\d+\.\d+", path.name)]
    versions = sorted(folders, key=_order, reverse=True)
    if versions[0] == _minor(version):
        _replace(site, published / "latest")
    rows = [
        {"version": each, "title": each, "aliases": ["latest"] if each == versions[0] else []}
        for each in versions
    ]
    (published / "versions.json").write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    (published / "index.html").write_text(_START, encoding="utf-8")
    return versions


def _replace(site: Path, folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)
    shutil.copytree(site, folder)


def _minor(version: str) -> str:
    return ".".join(version.split(".")[:2])


def _order(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


if __name__ == "__main__":
    from dradsl._version import __version__

    if len(sys.argv) != 3:
        sys.exit("usage: python -m docs.versions SITE PUBLISHED")
    try:
        found = publish(Path(sys.argv[1]), Path(sys.argv[2]), __version__)
    except OSError as problem:
        sys.exit(f"versions: {problem}")
    sys.stdout.write(f"versions: {', '.join(found)}\n")
