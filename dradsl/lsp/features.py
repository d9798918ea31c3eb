"""The questions an editor asks about a place, and who answers them."""

from __future__ import annotations

from lsprotocol import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import ClassVar

    from dradsl.lsp.engine import Engine

__all__ = ["Features"]


class Features:
    """Answers with the texts of the engine; a text that cannot be read now is taken as it last could."""

    METHODS: ClassVar[Sequence[tuple[str, str, object]]] = ()

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
