"""What the libraries declare, in upstream's order: `declarations.txt`, which `dradsl.cel.checker.functions` reads.

They are apart from what the functions do, which is imported once something is evaluated. A block of the file is a
library: its name, then a line for each overload. `authorizer` is declared in every environment, but no variable of a
device selector has its types, so that its functions have nothing to work on (apiserver `pkg/cel/library/authz.go`).
"""

from __future__ import annotations

import functools

from dradsl.data import text_beside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["declarations"]


@functools.cache
def declarations() -> Mapping[str, str]:
    """The lines of each library."""
    blocks = text_beside(__file__, "declarations.txt").split("\n\n")
    return {name: lines for name, _, lines in (block.partition("\n") for block in blocks)}
