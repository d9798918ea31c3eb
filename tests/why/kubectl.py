"""A kubectl for tests: it plays the pages of a cluster that a folder holds, one JSON list for each resource.

It reads `PLAYED/RESOURCE.json` (or `RESOURCE.GROUP.json`) and answers `get --raw PATH?limit=N&continue=TOKEN` as an API
server does. `api-resources` prints what `PLAYED/served` has, or fails if there is no such file. Resources that `PLAYED/forbidden` names, one a line, may be read in the namespaces behind their names only. `PLAYED/namespace` is
that of the context.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

PROGRAM = f"""#!/bin/sh
exec {sys.executable} -S {Path(__file__)} "$@"
"""


def play(folder: Path, words: list[str]) -> int:
    """Answer one call."""
    with (folder / "calls").open("a") as calls:
        calls.write(" ".join(words) + "\n")
    if words[:2] == ["config", "view"]:
        sys.stdout.write((folder / "namespace").read_text("utf-8"))
        return 0
    if words[0] == "api-resources":
        served = folder / "served"
        sys.stdout.write(served.read_text("utf-8") if served.exists() else "")
        sys.stderr.write("" if served.exists() else "error: unknown command\n")
        return 0 if served.exists() else 1
    url = urlsplit(words[words.index("--raw") + 1])
    if url.path == "/version":
        sys.stdout.write((folder / "version.json").read_text("utf-8"))
        return 0
    parts = url.path.strip("/").split("/")
    resource, version = parts[-1], "/".join(parts[1:3] if parts[0] == "apis" else parts[1:2])
    namespace = parts[-2] if parts[-3] == "namespaces" else ""
    rights = (folder / "forbidden").read_text("utf-8") if (folder / "forbidden").exists() else ""
    for line in rights.splitlines():
        name, *allowed = line.split()
        if name == resource and namespace not in allowed:
            text = f'{resource} is forbidden: User "me" cannot list resource "{resource}"'
            sys.stderr.write(f"Error from server (Forbidden): {text}\n")
            return 1
    path = folder / f"{resource}.{version.partition('/')[0]}.json"
    path = path if path.exists() else folder / f"{resource}.json"
    if not path.exists() or json.loads(path.read_text("utf-8"))["apiVersion"] != version:
        said = "Error from server (NotFound): the server could not find the requested resource"
        sys.stderr.write(f"{said}\n")
        return 1
    page(path, parse_qs(url.query), namespace)
    return 0


def page(path: Path, query: dict[str, list[str]], namespace: str) -> None:
    """Print a page of a list."""
    whole: dict[str, Any] = json.loads(path.read_text("utf-8"))
    items = [
        one for one in whole["items"] if namespace in ("", one["metadata"].get("namespace", ""))
    ]
    begin, limit = int(query.get("continue", ["0"])[0]), int(query["limit"][0])
    end = begin + limit
    metadata = {"continue": str(end)} if end < len(items) else {}
    sys.stdout.write(json.dumps({**whole, "metadata": metadata, "items": items[begin:end]}))


if __name__ == "__main__":
    sys.exit(play(Path(os.environ["PLAYED"]), sys.argv[1:]))
