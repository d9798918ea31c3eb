"""The driver schemas as the recorded slices of `--slices` show them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from dradsl.drivers.catalogue import Catalogue

__all__ = ["with_slices"]


def with_slices(catalogue: Catalogue, paths: Iterable[Path]) -> Catalogue:
    """The catalogue, sharpened by the slices recorded in `paths`.

    Raises:
        SchemaError: if a recording cannot be read.
    """
    from dradsl.allocator.inventory import InventoryError
    from dradsl.allocator.recording import find_recordings, read_recording
    from dradsl.drivers.inventory import sharpened
    from dradsl.drivers.recorded import recorded_devices
    from dradsl.drivers.schema import SchemaError

    try:
        objects = [
            one for path in paths for file in find_recordings(path) for one in read_recording(file)
        ]
    except InventoryError as error:
        raise SchemaError(str(error)) from None
    slices = [one for one in objects if one.get("kind") in (None, "ResourceSlice")]
    return sharpened(catalogue, recorded_devices(slices))
