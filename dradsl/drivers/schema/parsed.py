"""The shipped driver files as plain data, by their parsed form (`dradsl.text.shipped`) if it is the one of the file."""

from __future__ import annotations

from dradsl.text.shipped import parsed_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dradsl.text.files import StrPath

__all__ = ["load_shipped"]


def load_shipped(path: StrPath) -> Any:
    """The plain data of a shipped YAML file."""
    data = parsed_data(path)
    if data is not None:
        return data
    from dradsl.drivers.schema.yaml_data import load_yaml
    from dradsl.text.files import read_bytes

    return load_yaml(read_bytes(path).decode(), str(path))
