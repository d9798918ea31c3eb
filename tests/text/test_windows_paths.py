"""Paths as Windows has them: drives, shares of servers, backslashes. Python's rules for it are there on every system."""

from __future__ import annotations

import ntpath
import os
import posixpath
from types import SimpleNamespace

import pytest

from dradsl.lint.report import places
from dradsl.text import files
from dradsl.tree.kustomize import kustomization

# A path, it from the root on, and as it is shown in C:\sources.
WINDOWS = [
    (r"a\b.yaml", "C:/sources/a/b.yaml", "a/b.yaml"),
    ("./a//b.yaml", "C:/sources/a/b.yaml", "a/b.yaml"),
    (r"C:\sources\a.yaml", "C:/sources/a.yaml", "a.yaml"),
    ("C:/sources/./a.yaml", "C:/sources/a.yaml", "a.yaml"),
    (r"C:\sources", "C:/sources", "."),
    (r"C:\sources-old\a.yaml", "C:/sources-old/a.yaml", "C:/sources-old/a.yaml"),
    (r"D:\x\y.yaml", "D:/x/y.yaml", "D:/x/y.yaml"),
    (r"\x.yaml", "C:/x.yaml", "C:/x.yaml"),
    ("C:\\", "C:/", "C:/"),
    (r"\\server\share\a.yaml", "//server/share/a.yaml", "//server/share/a.yaml"),
]
POSIX = [
    ("a/b.yaml", "/sources/a/b.yaml", "a/b.yaml"),
    ("a/./b//c.yaml", "/sources/a/b/c.yaml", "a/b/c.yaml"),
    (r"a\b.yaml", "/sources/a\\b.yaml", r"a\b.yaml"),  # a sign like any other
    ("/", "/", "/"),
    ("../a", "/sources/../a", "../a"),
    (".", "/sources", "."),
]


def system(monkeypatch: pytest.MonkeyPatch, module: object, path: object, here: str) -> None:
    """Give a module the paths of a system, and a working directory there."""
    names = SimpleNamespace(
        path=path, sep=vars(path)["sep"], getcwd=lambda: here, PathLike=os.PathLike
    )
    monkeypatch.setattr(module, "os", names)


@pytest.mark.parametrize(("path", "whole", "shown"), WINDOWS)
def test_windows(path: str, whole: str, shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (files, places, kustomization):
        system(monkeypatch, module, ntpath, r"C:\sources")
    assert files.absolute(path) == whole
    assert files.relative(path, r"C:\sources") == shown
    assert places.relative_path(path, r"C:\sources") == shown


@pytest.mark.parametrize(("path", "whole", "shown"), POSIX)
def test_elsewhere(path: str, whole: str, shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    system(monkeypatch, files, posixpath, "/sources")
    assert files.absolute(path) == whole
    assert files.relative(path, "/sources") == shown.removeprefix("/sources/")


def test_a_kustomization_in_a_folder_of_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    system(monkeypatch, kustomization, ntpath, r"C:\sources")
    assert kustomization.is_kustomization(r"base\kustomization.yaml")
