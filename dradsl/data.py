"""Where dradsl's data lies: `rules/` and `schemas/`, in a checkout and in an installed wheel alike."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

__all__ = ["DataMissingError", "data_folder", "data_path"]


class DataMissingError(RuntimeError):
    """The installation lacks a data folder; `str()` says which and where it was looked for."""


def data_folder(name: Literal["rules", "schemas"]) -> Path:
    """The folder `name`: `dradsl/_data/<name>` in a wheel, the top of the tree in a checkout.

    Raises:
        DataMissingError: if neither exists.
    """
    package = Path(__file__).resolve().parent
    candidates = (package / "_data" / name, package.parent / name)
    for candidate in candidates:
        if candidate.is_dir():
            return candidate
    places = " and ".join(str(c) for c in candidates)
    raise DataMissingError(f"the folder {name!r} of dradsl is missing (looked at {places})")


def data_path(name: Literal["rules", "schemas"], *parts: str) -> Path:
    """A path below `data_folder(name)`, such as `data_path("schemas", "drivers")`."""
    return data_folder(name).joinpath(*parts)
