"""The names that a package says it has are there, also those that are imported when first used."""

from __future__ import annotations

import importlib

import pytest

from tests.project.test_layers import PACKAGE

PACKAGES = sorted(
    ".".join(path.parent.relative_to(PACKAGE.parent).parts) for path in PACKAGE.rglob("__init__.py")
)


@pytest.mark.parametrize("name", PACKAGES)
def test_names(name: str) -> None:
    package = importlib.import_module(name)
    for each in getattr(package, "__all__", ()):
        assert getattr(package, each) is not None, each
