"""Where dradsl's data lies: `rules/` and `schemas/`, in a checkout and in an installed wheel alike, and tables beside modules."""

from __future__ import annotations

import os

from dradsl.errors import DradslError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

__all__ = ["DataMissingError", "data_folder", "data_path", "text_beside"]


class DataMissingError(DradslError, RuntimeError):
    """The installation lacks a data folder; `str()` says which and where it was looked for."""


def data_folder(name: Literal["rules", "schemas"]) -> str:
    """The folder `name`: `dradsl/_data/<name>` in a wheel, the top of the tree in a checkout.

    Raises:
        DataMissingError: if neither exists.
    """
    package = os.path.dirname(os.path.realpath(__file__))
    candidates = (
        os.path.join(package, "_data", name),
        os.path.join(os.path.dirname(package), name),
    )
    for candidate in candidates:
        if os.path.isdir(candidate):
            return candidate
    places = " and ".join(candidates)
    raise DataMissingError(f"the folder {name!r} of dradsl is missing (looked at {places})")


def data_path(name: Literal["rules", "schemas"], *parts: str) -> str:
    """A path below `data_folder(name)`, such as `data_path("schemas", "drivers")`."""
    return os.path.join(data_folder(name), *parts)


def text_beside(module: str, name: str) -> str:
    """The text of a file in the folder of a module, which says its `__file__`."""
    with open(os.path.join(os.path.dirname(module), name), encoding="utf-8") as file:
        return file.read()
