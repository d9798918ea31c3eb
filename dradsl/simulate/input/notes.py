"""Something about the input that the user should know."""

from __future__ import annotations

from dradsl.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["Note", "notes_on_files"]


class Note(Record):
    """Something about the input that the user should know.

    `kind`: "dropped" (fields of disabled gates), "rejected" (the API server would not take the
    object, so it is left out), "ignored", "assumed" (what the input lacks, or what a controller makes),
    "contradiction" (objects that do not agree), or "unhealthy" (devices that are reported to be).
    """

    kind: str
    subject: str
    text: str


def notes_on_files(left_out: Mapping[str, Sequence[str]]) -> Iterator[Note]:
    """A note for each reason why files were left out."""
    from dradsl.values.counted import first_of

    for reason, names in left_out.items():
        several = f"{len(names)} files ({first_of(names)})"
        yield Note("ignored", several if len(names) > 1 else names[0], reason)
