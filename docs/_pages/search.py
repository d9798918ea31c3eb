"""The search of the site: guides before rules, the words that people use, and searches as they are pasted.

mkdocs-material makes an index and a worker that searches it. This changes both in the site that was built: pages get the
weight of their folder and words from `search.yaml`, and `assets/search.js` goes before the worker.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import yaml

__all__ = ["improve_search"]

MESSAGES = "what-kubernetes-says"
"""The section of rules with messages of the API server and the scheduler, which people paste."""
_NAME = re.compile(
    r"[\w-]+(?:\.[\w-]+)+"
)  # of drivers and fields in the examples: they have pages of their own
FOLDER = Path(__file__).parent
BEFORE = FOLDER.parent / "assets" / "search.js"


def improve_search(site: Path) -> None:
    """Rewrite the index and the worker of a built site."""
    settings = yaml.safe_load((FOLDER / "search.yaml").read_text("utf-8"))
    index = site / "search" / "search_index.json"
    found = json.loads(index.read_text("utf-8"))
    pages = {entry["location"].partition("#")[0] for entry in found["docs"]}
    lost = sorted(settings["words"].keys() - pages)
    if lost:
        raise LookupError(f"docs/_pages/search.yaml: no such page: {', '.join(lost)}")
    for entry in found["docs"]:
        page, _, anchor = entry["location"].partition("#")
        entry["boost"] = weight(page, settings["weights"])
        if anchor == MESSAGES:
            entry |= {"boost": 1.7, "keywords": _NAME.sub("", entry["text"])}
        if not anchor and page in settings["words"]:
            entry["keywords"] = settings["words"][page]
    found["config"]["fields"] = settings["fields"]
    index.write_text(json.dumps(found, separators=(",", ":")), "utf-8")
    (worker,) = (site / "assets" / "javascripts" / "workers").glob("search.*.min.js")
    before = BEFORE.read_text("utf-8")
    if not worker.read_text("utf-8").startswith(before):
        worker.write_text(before + worker.read_text("utf-8"), "utf-8")


def weight(page: str, weights: dict[str, Any]) -> float:
    """The weight of the longest folder that a page is in."""
    return float(weights[max((each for each in weights if page.startswith(each)), key=len)])
