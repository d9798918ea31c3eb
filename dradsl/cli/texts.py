"""What `--help` shows beyond the options themselves: examples of each command, and groups of many options.

Only help reads it (`texts.json`), so a run does not pay for it. Keys are the words of a command.
"""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING

from dradsl.records import Record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["HelpTexts", "help_texts"]


class HelpTexts(Record):
    """By the words of a command: what it does and the call, its options under titles, and those that only
    `--help-all` shows. Options that no title has are under "Options"."""

    examples: Mapping[str, Sequence[tuple[str, str]]]
    option_groups: Mapping[str, Mapping[str, Sequence[str]]]
    less_used: Mapping[str, Sequence[str]]


@functools.cache
def help_texts() -> HelpTexts:
    """The texts, read when help is first asked for."""
    from dradsl.text.files import SETTINGS_BYTES, read_bytes

    return HelpTexts(
        **json.loads(read_bytes(f"{__file__.removesuffix('.py')}.json", SETTINGS_BYTES))
    )
