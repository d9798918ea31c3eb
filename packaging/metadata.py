"""What the metadata of the package says of the project's addresses, and nothing while it has none. hatchling asks."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

PLACES = Path("dradsl", "lint", "report", "places.py")
_LINK = re.compile(r"\[([^\]]+)\]\((?!https?://|#)([^)]+)\)")


def addresses(places: str) -> dict[str, str]:
    """The addresses that are set in the source of `places`, by their names there."""
    found: dict[str, str] = {}
    for statement in ast.parse(places).body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            name = statement.target.id
            if name in ("PROJECT_URL", "REPOSITORY_URL") and statement.value is not None:
                value = ast.literal_eval(statement.value)
                if value is not None:
                    found[name] = str(value)
    return found


def urls(found: dict[str, str]) -> dict[str, str]:
    """The links beside the description."""
    result = {}
    if "PROJECT_URL" in found:
        result["Documentation"] = f"{found['PROJECT_URL']}/"
        result["Changelog"] = f"{found['PROJECT_URL']}/contributing/changes/"
    if "REPOSITORY_URL" in found:
        result["Source"] = found["REPOSITORY_URL"]
        result["Issues"] = f"{found['REPOSITORY_URL']}/issues"
    return result


def description(readme: str, found: dict[str, str]) -> str:
    """The README away from the repository: links to files lead into it, or are plain text."""
    base = found.get("REPOSITORY_URL")
    return _LINK.sub(r"\1" if base is None else rf"[\1]({base}/blob/main/\2)", readme)


class CustomMetadataHook(MetadataHookInterface):
    """Found by its base class."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set what pyproject.toml leaves open."""
        found = addresses(Path(self.root, PLACES).read_text(encoding="utf-8"))
        readme = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["urls"] = urls(found)
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": description(readme, found),
        }
