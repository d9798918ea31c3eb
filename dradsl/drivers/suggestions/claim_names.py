"""The name of a claim or template in a text to write for a pod, where the manifests show which one is meant."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from dradsl.diagnostics import FieldPath

__all__ = ["with_claim_name"]

_BLANK = re.compile(
    "resourceClaimTemplateName: …"
    "(}| for a claim of its own, or resourceClaimName: … for one that is there)"
)
_FIELDS = {
    "resourceClaimTemplateName": "ResourceClaimTemplate",
    "resourceClaimName": "ResourceClaim",
}


def with_claim_name(
    text: str | None,
    path: FieldPath,
    read: Callable[[FieldPath], object],
    names: Callable[[str], tuple[str, ...]],
) -> str | None:
    """A remedy at a path of a pod with a name in place of the blank; `names` has those of a kind.

    It is the name of the entry, which `read` gives, else the only one of both kinds.
    """
    blank = _BLANK.search(text or "")
    if text is None or blank is None or "resourceClaims" not in path:
        return text
    entry = read(path[: path.index("resourceClaims") + 2])
    own = entry.get("name") if isinstance(entry, dict) else entry
    known = [(field, name) for field, kind in _FIELDS.items() for name in names(kind)]
    meant = [each for each in known if each[1] == own] or (known if len(known) == 1 else [])
    if not meant:
        return text
    after = "}" if blank[1] == "}" else ""
    return text.replace(blank[0], f"{meant[0][0]}: {meant[0][1]}{after}")
