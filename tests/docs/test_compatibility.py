"""docs/how-to/compatibility.md says what the code has; UPDATE_GOLDEN=1 writes its tables."""

from __future__ import annotations

import os
import re
import tomllib
from typing import TYPE_CHECKING

import pytest

from dradsl.drivers.schema.catalogue import Catalogue
from dradsl.releases import RELEASES, Release, Served, get_release
from tests.docs.blocks import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = ROOT / "docs" / "how-to" / "compatibility.md"
USUAL = {"DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"}


def versions_of(release: Release, served: Served) -> str:
    """API versions with that answer; kinds are named where there are others than the usual ones."""
    kinds: dict[str, set[str]] = {}
    for (version, kind), answer in release.served.items():
        if answer is served:
            kinds.setdefault(version, set()).add(kind)
    found = []
    for version, those in kinds.items():
        rest = sorted(those - USUAL)
        if those >= USUAL:
            found.append(version + (f" (and {', '.join(rest)})" if rest else ""))
        else:
            found.append(f"{version} ({', '.join(sorted(those))} only)")
    return ", ".join(found)


def releases() -> Iterator[str]:
    yield "| Release | Compared with | resource.k8s.io | Also |"
    yield "| --- | --- | --- | --- |"
    for name in RELEASES:
        release = get_release(name)
        yes, opt_in = versions_of(release, Served.YES), versions_of(release, Served.OPT_IN)
        yield f"| {name} | {release.patch} | {yes} | {opt_in} |"


def drivers() -> Iterator[str]:
    catalogue = Catalogue()
    yield "| Driver | Vendor | Versions | Known |"
    yield "| --- | --- | --- | --- |"
    for name in catalogue.names():
        schema = catalogue.get(name)
        assert schema is not None
        versions = schema.version_order
        few = versions if len(versions) <= 5 else (versions[0], "…", *versions[-3:])
        yield f"| `{name}` | {schema.vendor} | {', '.join(few)} | {schema.completeness} |"


def python() -> Iterator[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    tested = re.findall(r":: (3\.\d+)", "\n".join(project["classifiers"]))
    needs = project["requires-python"].removeprefix(">=")
    yield f"CPython {needs} or newer; {', '.join(tested)} are named in the package."


TABLES = {"releases": releases, "drivers": drivers, "python": python}


@pytest.mark.parametrize("name", TABLES)
def test_the_tables_are_those_of_the_code(name: str) -> None:
    rows = "\n".join(TABLES[name]())
    place = re.compile(rf"(<!-- {name} -->\n)(.*?)(<!-- end -->)", re.DOTALL)
    text = PAGE.read_text("utf-8")
    wanted, count = place.subn(lambda found: f"{found[1]}\n{rows}\n\n{found[3]}", text)
    assert count == 1
    if os.environ.get("UPDATE_GOLDEN"):
        PAGE.write_text(wanted)
    assert PAGE.read_text("utf-8") == wanted
