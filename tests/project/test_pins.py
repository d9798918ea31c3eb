"""constraints-dev.txt: an exact version of all that pyproject.toml asks for, and of what that needs."""

from __future__ import annotations

import importlib.machinery
import importlib.metadata
import importlib.util
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).parents[2]
LINES = (ROOT / "constraints-dev.txt").read_text(encoding="utf-8").splitlines()
PINS = [Requirement(line) for line in LINES if not line.startswith("#")]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")


def loaded(path: Path) -> ModuleType:
    loader = importlib.machinery.SourceFileLoader("pin", str(path))
    spec = importlib.util.spec_from_loader("pin", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


PIN = loaded(ROOT / ".ci" / "pin")


def pinned(python: str) -> dict[str, Version]:
    """Package -> version, for a release of Python; one of each."""
    found: dict[str, Version] = {}
    for pin in PINS:
        if pin.marker is None or pin.marker.evaluate({"python_version": python}):
            (one,) = pin.specifier
            assert one.operator == "=="
            assert found.setdefault(canonicalize_name(pin.name), Version(one.version))
    return found


@pytest.mark.parametrize("python", PYTHONS)
def test_every_dependency_of_the_project_has_a_version(python: str) -> None:
    versions = pinned(python)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras: dict[str, Any] = project["project"]["optional-dependencies"]
    needed = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    for text in [*needed, *(one for extra in extras.values() for one in extra)]:
        requirement = Requirement(text)
        name = canonicalize_name(requirement.name)
        assert name in versions, f"{name} is in no line: run .ci/pin"
        assert versions[name] in requirement.specifier, f"{name}: run .ci/pin"


def test_what_those_need_has_a_version_too() -> None:
    """For what is installed here: other systems may need more."""
    versions = pinned("3.11")
    missing = set()
    for name, version in versions.items():
        try:
            package = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue
        if Version(package.version) != version:
            continue
        for text in package.requires or ():
            needed = Requirement(text)
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                missing |= {canonicalize_name(needed.name)} - set(versions)
    assert missing == set()


def test_lines_are_versions_and_nothing_else() -> None:
    pattern = r'[a-z0-9-]+==[0-9a-z.]+( ; python_version (>=|<) "3\.\d+"( and .*)?)?'
    assert [line for line in LINES[1:] if not re.fullmatch(pattern, line)] == []
    assert LINES[1:] == sorted(LINES[1:], key=lambda line: line.partition("==")[0])


def test_versions_that_differ_by_release() -> None:
    """.ci/pin gives each span of releases a line of its own."""
    found = {
        (3, 13): {"a": "2", "b": "1", "new": "5"},
        (3, 11): {"a": "1", "b": "1"},
        (3, 12): {"a": "1", "b": "1", "new": "5"},
        (3, 14): {"a": "3", "b": "1", "new": "5"},
    }
    assert PIN.lines(found) == [
        'a==1 ; python_version < "3.13"\n',
        'a==2 ; python_version >= "3.13" and python_version < "3.14"\n',
        'a==3 ; python_version >= "3.14"\n',
        "b==1\n",
        "new==5\n",
    ]


def test_the_run_uses_them() -> None:
    calls = (ROOT / ".ci" / "run").read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    installs = [call for call in calls if "/pip" in call and " install " in call]
    assert len(installs) == 2
    assert all(" -c constraints-dev.txt " in call for call in installs)
    assert " -c constraints-dev.txt " in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
