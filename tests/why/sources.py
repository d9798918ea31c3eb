"""Where the words of other projects are, by which `dradsl why` knows their messages: writes `sources.json`.

    python -m tests.why.sources OWNER/NAME=CLONE...

CLONE is a Git repository, bare or not; its HEAD is asked. A project that is not named keeps what was recorded.
`OWNER/NAME@COMMIT:PATH=FILE` asks one file of which only the text is at hand.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
TARGET = HERE / "sources.json"
Json = dict[str, Any]


def asked() -> list[Json]:
    """The words that have a project, of messages and of constants."""
    rows: list[Json] = []
    for name in ("messages", "placing", "constants"):
        rows += yaml.safe_load((HERE / f"{name}.yaml").read_text("utf-8"))
    return [row for row in rows if "project" in row]


def _git(clone: str, *words: str) -> str:
    call = ["git", "-C", clone, *words]
    return subprocess.run(call, capture_output=True, text=True, check=False).stdout.strip()


def _in_clone(clone: str, words: str) -> Json | None:
    """The first place in code that is not a test; code of the project itself goes before what it took from others."""
    found = _git(clone, "grep", "-n", "-F", "-e", words, "HEAD", "--", "*.go").splitlines()
    places = [one.split(":", 3)[1:3] for one in found if "_test.go:" not in one]
    if not places:
        return None
    path, line = min(places, key=lambda one: ("vendor/" in one[0], "/test/" in f"/{one[0]}"))
    commit = _git(clone, "rev-parse", "HEAD")
    release = _git(clone, "describe", "--tags") or commit[:12]
    return {"release": release, "commit": commit, "path": path, "line": int(line)}


def _in_file(commit: str, path: str, file: str, words: str) -> Json | None:
    lines = Path(file).read_text("utf-8").splitlines()
    at = next((number for number, line in enumerate(lines, 1) if words in line), None)
    return {"release": commit[:12], "commit": commit, "path": path, "line": at} if at else None


def main(arguments: list[str]) -> int:
    """Record them; the exit code is the number of words that are nowhere."""
    places = [one.rpartition("=")[::2] for one in arguments]
    old: dict[str, Json] = json.loads(TARGET.read_text("utf-8")) if TARGET.exists() else {}
    new: dict[str, Json] = {}
    missing = 0
    for row in asked():
        words, project = row["words"], row["project"]
        found = None
        for name, place in places:
            if name == project:
                found = found or _in_clone(place, words)
            elif name.startswith(f"{project}@"):
                commit, _, path = name.partition("@")[2].partition(":")
                found = found or _in_file(commit, path, place, words)
        found = {"project": project, **found} if found else old.get(words)
        if found is None:
            missing += 1
            sys.stderr.write(f"{project}: {words}\n")
        else:
            new[words] = found
    TARGET.write_text(json.dumps(new, indent=1) + "\n", "utf-8")
    return missing


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
