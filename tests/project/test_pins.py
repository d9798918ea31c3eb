"""The locks of .ci: an exact version with hashes of all that pyproject.toml asks for, and of what that needs."""

from __future__ import annotations

import importlib.metadata
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
SYSTEMS = ("linux", "darwin", "win32")
HASH = re.compile(r" --hash=sha256:([0-9a-f]{64})")


def lock(name: str) -> dict[Requirement, frozenset[str]]:
    """Requirement -> hashes of its archives."""
    text = (ROOT / ".ci" / name).read_text(encoding="utf-8").replace("\\\n   ", "")
    rows = [line for line in text.splitlines() if not line.startswith("#")]
    return {Requirement(HASH.sub("", row)): frozenset(HASH.findall(row)) for row in rows}


DEVELOPMENT = lock("lock-dev.txt")
WHEEL = lock("lock-wheel.txt")
BUILD = lock("lock-build.txt")
PUBLISH = lock("lock-publish.txt")


def pinned(
    pins: dict[Requirement, frozenset[str]], python: str, system: str = "linux"
) -> dict[str, Version]:
    """Package -> version, for a release of Python; one of each."""
    found: dict[str, Version] = {}
    for pin in pins:
        place = {"python_version": python, "sys_platform": system}
        if pin.marker is None or pin.marker.evaluate(place):
            (one,) = pin.specifier
            assert one.operator == "=="
            assert found.setdefault(canonicalize_name(pin.name), Version(one.version))
    return found


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_dependency_of_the_project_has_a_version(python: str, system: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras: dict[str, Any] = project["project"]["optional-dependencies"]
    own = project["project"]["dependencies"]
    needed = [*own, *project["build-system"]["requires"]]
    needed += [one for extra in extras.values() for one in extra]
    for pins, texts in ((DEVELOPMENT, needed), (WHEEL, own)):
        versions = pinned(pins, python, system)
        for text in texts:
            requirement = Requirement(text)
            name = canonicalize_name(requirement.name)
            assert name in versions, f"{name} is in no line: run .ci/pin"
            assert versions[name] in requirement.specifier, f"{name}: run .ci/pin"


@pytest.mark.parametrize("pins", [DEVELOPMENT, WHEEL, BUILD], ids=["development", "wheel", "build"])
def test_what_those_need_has_a_version_too(pins: dict[Requirement, frozenset[str]]) -> None:
    """For what is installed here: other systems may need more."""
    versions = pinned(pins, "3.11")
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


def test_every_version_has_hashes() -> None:
    assert [
        str(pin) for pin, hashes in (DEVELOPMENT | WHEEL | BUILD | PUBLISH).items() if not hashes
    ] == []


def test_what_publishes_brings_what_builds() -> None:
    """In the same versions, and the programs that the rehearsal and the workflows call."""
    versions = {pin.name: str(pin.specifier) for pin in PUBLISH}
    assert {"twine", "uv", "pipx", "pre-commit"} <= versions.keys()
    assert {pin.name: str(pin.specifier) for pin in BUILD}.items() <= versions.items()


def test_the_wheel_is_tried_with_the_versions_of_development() -> None:
    rows = {str(pin): hashes for pin, hashes in DEVELOPMENT.items()}
    for pins in (WHEEL, BUILD):
        assert pins
        assert {str(pin): hashes for pin, hashes in pins.items()}.items() <= rows.items()


@pytest.mark.parametrize(
    "name", ["lock-dev.txt", "lock-wheel.txt", "lock-build.txt", "lock-publish.txt"]
)
def test_lines_are_versions_and_hashes_and_nothing_else(name: str) -> None:
    """No index, no path: where archives come from is for the configuration of pip."""
    first, *lines = (ROOT / ".ci" / name).read_text(encoding="utf-8").splitlines()
    assert first.startswith("# ")
    pattern = r"[a-z0-9-]+==[0-9a-z.]+( ; [^/\\]+)? \\|    --hash=sha256:[0-9a-f]{64}( \\)?"
    assert [line for line in lines if not re.fullmatch(pattern, line)] == []
    names = [line.partition("==")[0] for line in lines if not line.startswith(" ")]
    assert names == sorted(names)


def test_the_run_installs_nothing_without_a_hash() -> None:
    text = (ROOT / ".ci" / "run").read_text(encoding="utf-8").replace("\\\n", " ")
    installs = [
        call
        for call in text.splitlines()
        if "/pip" in call and (" install " in call or " wheel " in call)
    ]
    assert len(installs) == 4
    # What has no hash there is the checkout and the wheel made of it, and neither brings others.
    assert all(
        "--require-hashes" in call or ("--no-deps" in call and ("-e ." in call or "dist" in call))
        for call in installs
    )
    for call in (
        "pip install --require-hashes -r .ci/lock-dev.txt",
        "--no-deps --no-build-isolation",
    ):
        assert call in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_the_hooks_name_the_versions_of_the_lock() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert hooks
    for hook in hooks:
        named = [Requirement(one) for one in hook["additional_dependencies"]]
        assert {str(one) for one in named} == {str(one) for one in WHEEL}


INSTALL = ".ci/install"


def test_users_install_what_has_a_hash() -> None:
    """The action, the component and the image, each by the one script, which lets pip take nothing else."""
    calls = (ROOT / INSTALL).read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    locked, own = (call for call in calls if " pip install " in call)
    assert "--require-hashes" in locked
    assert {"lock-wheel.txt", "lock-build.txt"} == set(re.findall(r"lock-\w+\.txt", locked))
    assert "--no-deps --no-build-isolation ." in own
    assert (ROOT / INSTALL).stat().st_mode & 0o111
    for name in ("action.yml", "Containerfile", "templates/lint/template.yml"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert INSTALL in text
        assert "pip install" not in text


PAGES = sorted((ROOT / "docs").rglob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_name_actions_by_commit_and_install_by_the_lock(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    used = re.findall(r"uses: (\S+)", text)
    assert [one for one in used if not re.fullmatch(r"\./\S+|\S+@[0-9a-f]{40}", one)] == []
    assert 'pip install "git+' not in text


@pytest.mark.parametrize("name", ["how-to/github.md", "how-to/gitlab.md"])
def test_pages_on_pull_requests_use_no_configuration_of_theirs(name: str) -> None:
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    calls = re.findall(
        r"^.*\bdradsl lint .*$", "".join(re.findall(r"```.*?```", text, re.DOTALL)), re.MULTILINE
    )
    assert calls
    assert [call for call in calls if "--isolated" not in call] == []
