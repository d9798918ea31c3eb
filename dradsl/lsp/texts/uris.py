"""Addresses of files, as editors write them, and paths."""

from __future__ import annotations

import os

from pygls import uris

__all__ = ["path_of", "uri_of"]


def path_of(uri: str) -> str | None:
    """The path of a `file:` address; None for others, such as those of texts without a file."""
    if not uri.startswith("file:"):
        return None
    path = uris.to_fs_path(uri)
    return None if path is None else os.path.abspath(path)


def uri_of(path: str) -> str:
    """The address of a file."""
    return uris.from_fs_path(os.path.abspath(path)) or ""
