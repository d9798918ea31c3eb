"""Lists the functions of the Go files that dradsl follows: `python -m tests.upstream.record [RELEASE ...]`.

Needs Go. The versions are those of the oracle (tests/oracle/releases/*.mod), so that what is listed is
what was asked. Writes `functions.txt`: a file a block, a function a line, a hash of its text a release.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from tests.upstream.files import FOLLOWED, IN_PART
from tests.upstream.functions import Functions, read, write

__all__ = ["main"]

ORACLE = Path(__file__).parents[1] / "oracle"


def main(arguments: list[str] | None = None) -> int:
    """Ask for the releases that are named, or all that the oracle has; keep the others."""
    # Not the earlier patches, such as 1.34.9: their allocator alone is asked.
    known = sorted(
        path.stem for path in (ORACLE / "releases").glob("*.mod") if path.stem.count(".") == 1
    )
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("releases", nargs="*", default=known)
    options = parser.parse_args(arguments)
    recorded = read()
    for release in options.releases:
        recorded[release] = _functions(release)
        sys.stdout.write(f"{release}: {len(recorded[release])} functions\n")
    write({name: recorded[name] for name in sorted(recorded, key=_order)})
    return 0


def _order(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))


def _functions(release: str) -> Functions:
    found: Functions = {}
    for module, version in _versions(release).items():
        folder = Path(_download(f"{module}@{version}"))
        paths = {
            path.relative_to(folder).as_posix(): path
            for pattern in FOLLOWED[module]
            for path in folder.glob(pattern)
            if not path.name.endswith("_test.go") and not fnmatch.fnmatch(path.name, "mock*")
        }
        shown = "" if module == "k8s.io/kubernetes" else f"{module}/"
        names = {str(path): shown + name for name, path in paths.items()}
        for line in _list(sorted(names)):
            path, function, mark = line.split()
            name = names[path]
            part = IN_PART.get(name)
            if part is None or re.search(part, function):
                found[name, function] = mark
    return found


def _versions(release: str) -> dict[str, str]:
    """The version of each module that the oracle of a release is linked with."""
    listed = json.loads(_go("mod", "edit", "-json", f"releases/{release}.mod"))
    versions = {each["Path"]: each["Version"] for each in listed["Require"]}
    for each in listed["Replace"] or ():
        versions[each["Old"]["Path"]] = each["New"]["Version"]
    # A pre-release has not all of them.
    return {module: versions[module] for module in FOLLOWED if module in versions}


def _download(module: str) -> str:
    return str(json.loads(_go("mod", "download", "-json", module))["Dir"])


def _list(paths: list[str]) -> list[str]:
    return _go("run", "./functions", *paths).splitlines()


def _go(*arguments: str) -> str:
    # A pre-release may want a newer Go than the one that is installed.
    environment = {**os.environ, "GOTOOLCHAIN": "auto"}
    command = ["go", *arguments]
    done = subprocess.run(
        command, cwd=ORACLE, env=environment, check=True, capture_output=True, text=True
    )
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
