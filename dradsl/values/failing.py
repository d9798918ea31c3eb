"""Work on many items of which some may make dradsl itself fail: the others are worked on all the same."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    T = TypeVar("T")
    R = TypeVar("R")

__all__ = ["apart_from_failing"]


def apart_from_failing(
    items: Sequence[T], work: Callable[[Sequence[T]], R], known: tuple[type[Exception], ...] = ()
) -> tuple[R, list[tuple[T, Exception]]]:
    """What `work` makes of `items`, and those that had to be left out, because it fails with them.

    `work` may be done several times and must change nothing. Errors of the `known` types are no
    mistakes of ours and are raised; so is, with the variable DRADSL_DEBUG set, any other, and where no
    item is to blame.
    """
    kept = list(items)
    failed: list[tuple[T, Exception]] = []
    while True:
        try:
            return work(kept), failed
        except known:
            raise
        except Exception:
            if os.environ.get("DRADSL_DEBUG") or _outcome(work, (), known) is not None:
                raise
            number, error = _first_failing(kept, work, known)
            failed.append((kept.pop(number), error))


def _first_failing(
    items: Sequence[T], work: Callable[[Sequence[T]], object], known: tuple[type[Exception], ...]
) -> tuple[int, Exception]:
    """The first item with which, after those before it, `work` fails; all of them together do."""
    passing, failing = 0, len(items)
    error = _outcome(work, items, known)
    while failing - passing > 1:
        middle = (passing + failing) // 2
        found = _outcome(work, items[:middle], known)
        if found is None:
            passing = middle
        else:
            failing, error = middle, found
    return failing - 1, error or RuntimeError("failed once, and then no more")


def _outcome(
    work: Callable[[Sequence[T]], object], items: Sequence[T], known: tuple[type[Exception], ...]
) -> Exception | None:
    try:
        work(items)
    except known:
        return None
    except Exception as error:  # noqa: BLE001 - whatever it is, one item is to blame for it
        return error
    return None
