"""What is wrong with a configuration."""

from __future__ import annotations

from dradsl.errors import DradslError
from dradsl.text.files import StrPath

__all__ = ["ConfigError"]


class ConfigError(DradslError, ValueError):
    """A configuration that cannot be used: file (None: the command line), line if known, reason."""

    def __init__(self, path: StrPath | None, message: str, line: int | None = None) -> None:
        place = "" if path is None else f"{path}:{line}: " if line else f"{path}: "
        super().__init__(place + message)
        self.path = path
        self.message = message
        self.line = line
