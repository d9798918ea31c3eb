"""The errors that end a migration with a message."""

from __future__ import annotations

__all__ = ["known_errors"]


def known_errors() -> tuple[type[Exception], ...]:
    """The errors in the input or the call, which end a run with a message."""
    from dradsl.allocator.inventory.slices import InventoryError
    from dradsl.drivers.schema.model import SchemaError
    from dradsl.migrate.planning.answers import AnswersError
    from dradsl.recordings import RecordingError
    from dradsl.releases import UnknownReleaseError
    from dradsl.text.files import FileError
    from dradsl.tree.charts.recipes import RecipeError
    from dradsl.tree.inputs.sources import UsageProblem
    from dradsl.values.deadline import TimeOverError

    return (
        UsageProblem, FileError, AnswersError, SchemaError, InventoryError, RecordingError,
        UnknownReleaseError, RecipeError, TimeOverError,
    )  # fmt: skip
