"""The table of the Go types of Kubernetes' own kinds with pods, of all releases together.

`python -m tests.kube.workloads.types` asks upstream's types of each release (`make -C tests/oracle
bin/workloads-1.37`, and so on) and writes `dradsl/kube/pods/types.json`.

A named type is the object of its fields, or the string of what it is (`json`: it reads itself). A field is
`TYPE EMBEDDED since=RELEASE until=RELEASE`: the type as Go writes it, the embedded struct that has the field
(or `-`), and the releases, where it is not in all that have the type.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import dradsl
from dradsl.releases import RELEASES

TABLE = Path(dradsl.__file__).parent / "kube" / "pods" / "types.json"
ORACLES = Path(__file__).parents[2] / "oracle" / "bin"


def merged(of_releases: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The types of releases in one table.

    Raises:
        ValueError: if a type is not the same in two releases.
    """
    found: dict[str, Any] = {}
    known: dict[tuple[str, str], dict[str, str]] = {}  # a field's type by release
    for release, types in of_releases.items():
        for name, type_ in types.items():
            if isinstance(type_, str):
                if found.setdefault(name, type_) != type_:
                    raise ValueError(f"{name} is {found[name]} and {type_}")
                continue
            found.setdefault(name, {})
            for field, row in type_.items():
                known.setdefault((name, field), {})[release] = row
    for (name, field), rows in known.items():
        if len(set(rows.values())) > 1:
            raise ValueError(f"{name}.{field} is {rows}")
        having = [release for release, types in of_releases.items() if name in types]
        found[name][field] = _row(rows, having)
    return {
        name: type_ if isinstance(type_, str) else dict(sorted(type_.items()))
        for name, type_ in sorted(found.items())
    }


def _row(rows: dict[str, str], releases: list[str]) -> str:
    there = [release in rows for release in releases]
    first, last = there.index(True), len(there) - 1 - there[::-1].index(True)
    if not all(there[first : last + 1]):
        raise ValueError(f"a field with a gap: {rows}")
    type_, _, embedded = next(iter(rows.values())).partition(" ")
    marks = [f"since={releases[first]}"] if first else []
    marks += [f"until={releases[last]}"] if last < len(there) - 1 else []
    return " ".join((type_, *([embedded or "-"] if embedded or marks else []), *marks))


def of_release(release: str) -> dict[str, Any]:
    """The types of a release, as its oracle writes them."""
    asked = [str(ORACLES / f"workloads-{release}"), "types"]
    done = subprocess.run(asked, text=True, capture_output=True, check=True)
    types: dict[str, Any] = json.loads(done.stdout)
    return types


def text_of(table: dict[str, Any]) -> str:
    """The table as JSON, a type a line."""
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(type_)}" for name, type_ in table.items())
    return f"{{\n{lines}\n}}\n"


if __name__ == "__main__":
    TABLE.write_text(text_of(merged({each: of_release(each) for each in RELEASES})), "ascii")
