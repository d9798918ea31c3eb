"""Paths as Windows has them: drives, shares of servers, backslashes. Python's rules for it are there on every system."""

from __future__ import annotations

import ntpath
import os
import posixpath
from types import SimpleNamespace

import pytest

from dradsl.lint.report import places
from dradsl.repository import kustomization
from dradsl.text import files

# A path, it from the root on, and as it is shown in C:\work.
WINDOWS = [
    (r"a\b.yaml", "C:/work/a/b.yaml", "a/b.yaml"),
    ("./a//b.yaml", "C:/work/a/b.yaml", "a/b.yaml"),
    (r"C:\work\a.yaml", "C:/work/a.yaml", "a.yaml"),
    ("C:/work/./a.yaml", "C:/work/a.yaml", "a.yaml"),
    (r"C:\work", "C:/work", "."),
    (r"C:\workshop\a.yaml", "C:/workshop/a.yaml", "C:/workshop/a.yaml"),
    (r"D:\x\y.yaml", "D:/x/y.yaml", "D:/x/y.yaml"),
    (r"\x.yaml", "C:/x.yaml", "C:/x.yaml"),
    ("C:\\", "C:/", "C:/"),
    (r"\\server\share\a.yaml", "//server/share/a.yaml", "//server/share/a.yaml"),
]
POSIX = [
    ("a/b.yaml", "/work/a/b.yaml", "a/b.yaml"),
    ("a/./b//c.yaml", "/work/a/b/c.yaml", "a/b/c.yaml"),
    (r"a\b.yaml", "/work/a\\b.yaml", r"a\b.yaml"),  # a sign like any other
    ("/", "/", "/"),
    ("../a", "/work/../a", "../a"),
    (".", "/work", "."),
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
        system(monkeypatch, module, ntpath, r"C:\work")
    assert files.absolute(path) == whole
    assert files.relative(path, r"C:\work") == shown
    assert places.relative_path(path, r"C:\work") == shown


@pytest.mark.parametrize(("path", "whole", "shown"), POSIX)
def test_elsewhere(path: str, whole: str, shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    system(monkeypatch, files, posixpath, "/work")
    assert files.absolute(path) == whole
    assert files.relative(path, "/work") == shown.removeprefix("/work/")


def test_a_kustomization_in_a_folder_of_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    system(monkeypatch, kustomization, ntpath, r"C:\work")
    assert kustomization.is_kustomization(r"base\kustomization.yaml")
