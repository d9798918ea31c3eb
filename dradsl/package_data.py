"""Where the data that ships with dradsl lies: `schemas/` and `rules/`, in a checkout or a wheel."""

from __future__ import annotations

from pathlib import Path

__all__ = ["data_path"]


def data_path(*parts: str) -> Path:
    """The path of shipped data, such as `data_path("schemas", "drivers")`.

    A wheel carries it inside the package (see `force-include` in pyproject.toml); a checkout has it
    beside the package.
    """
    package = Path(__file__).resolve().parent
    shipped = package / "_data"
    return (shipped if shipped.is_dir() else package.parent).joinpath(*parts)
