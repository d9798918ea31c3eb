"""Objects of a cluster for `record`, `why`, `devices` and `claims`: from files, standard input, or kubectl."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from dradsl.cli.errors import InputError
from dradsl.cli.say import say

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["documents_in_files", "documents_of_cluster"]


def documents_in_files(paths: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The objects in files, directories, or (`-`) on standard input."""
    from dradsl.recordings import MAX_BYTES, documents_in, find_recordings, read_recording
    from dradsl.text.files import read_standard_input

    for path in paths:
        if path == "-":
            yield from documents_in(read_standard_input(MAX_BYTES))
            continue
        for found in find_recordings(Path(path)):
            yield from read_recording(found)


def documents_of_cluster(
    kinds: Sequence[str], kubectl: str, context: str | None, needed: Sequence[str], missing: str
) -> Iterator[dict[str, Any]]:
    """The objects of the cluster; the user's kubectl is the only program that is started, and it only reads.

    A kind that cannot be read is said (`missing` and its name), and if it is `needed` an error.
    """
    from dradsl.programs import ProgramError, ask, find_program
    from dradsl.recordings import MAX_BYTES, RecordingError, documents_in
    from dradsl.values.printable import one_line

    for kind in kinds:
        words = ["get", kind, "--all-namespaces", "-o", "json"]
        if context:
            words.append(f"--context={context}")
        try:
            answer = ask([find_program(kubectl), *words], MAX_BYTES)
        except ProgramError as error:
            raise InputError(f"{kubectl} get {kind}: {one_line(str(error))}") from error
        if answer.code:
            text = one_line(answer.errors.decode(errors="replace"))
            text = text or f"ended with exit code {answer.code} and said nothing"
            if kind in needed:
                raise InputError(f"{' '.join([kubectl, *words])}: {text}")
            # Older clusters know fewer kinds, and not everybody may read all of them.
            say(f"{missing}: {kind}: {text}", err=True)
            continue
        try:
            yield from documents_in(answer.out)
        except RecordingError as error:
            raise InputError(f"{kubectl} get {kind}: {one_line(str(error))}") from error
