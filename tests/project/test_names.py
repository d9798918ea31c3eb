"""Every name that a module or a package offers is there, also one that is imported when asked for."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

import dradsl

MODULES = sorted(
    found.name
    for found in pkgutil.walk_packages(dradsl.__path__, "dradsl.")
    if not found.name.endswith("__main__")
)


@pytest.mark.parametrize("part", sorted({name.split(".")[1] for name in MODULES}))
def test_names_are_there(part: str) -> None:
    top = f"dradsl.{part}"
    for name in MODULES:
        if name == top or name.startswith(f"{top}."):
            module = importlib.import_module(name)
            for offered in getattr(module, "__all__", ()):
                assert hasattr(module, offered), f"{name}.{offered}"


def test_names_of_the_library_are_there() -> None:
    assert [name for name in dradsl.__all__ if not hasattr(dradsl, name)] == []
