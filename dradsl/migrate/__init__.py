"""From device plugins to resource claims: find the uses, plan what each becomes, edit, prove.

What cannot be known from the input is rejected with the question to answer, never guessed.
Names are imported when they are first used.

Called, as in `dradsl.migrate(...)`, it is a function: `help(dradsl.api.migrate)`.
Private: names may change in any version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dradsl.migrate.run import Options, migrate

__all__ = ["Options", "migrate"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from dradsl.migrate import run

    return getattr(run, name)
