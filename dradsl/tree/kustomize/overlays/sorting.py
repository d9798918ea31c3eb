"""The order in which Kustomize gives out objects (api/internal/builtins/SortOrderTransformer.go)."""

from __future__ import annotations

from dradsl.tree.kustomize.parts.files import KustomizeError
from dradsl.tree.kustomize.parts.specs import ORDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dradsl.tree.kustomize.parts.resources import Resource
    from dradsl.tree.nodes import ValueNode

__all__ = ["in_order"]


def in_order(resources: Sequence[Resource], options: ValueNode | None) -> list[Resource]:
    """The objects as `sortOptions` says, else by kind.

    Raises:
        KustomizeError: if the options are invalid.
    """
    order: Mapping[str, int] = ORDER
    if options is not None and not options.is_null:
        how, legacy = options.get("order"), options.get("legacySortOptions")
        text = "" if how is None else how.text
        if text not in ("fifo", "legacy"):
            raise KustomizeError(
                "the field 'sortOptions.order' must be one of [fifo, legacy]", options.at
            )
        if text == "fifo":
            if legacy is not None and not legacy.is_null:
                raise KustomizeError(
                    "the field 'sortOptions.legacySortOptions' is set but the selected sort order is "
                    "'fifo', not 'legacy'",
                    options.at,
                )
            return list(resources)
        if legacy is not None and not legacy.is_null:
            first, last = legacy.get("orderFirst"), legacy.get("orderLast")
            firsts = [each.text for each in first.items] if first is not None else []
            lasts = [each.text for each in last.items] if last is not None else []
            order = {
                **{kind: index - len(firsts) for index, kind in enumerate(firsts)},
                **{kind: index + 1 for index, kind in enumerate(lasts)},
            }

    def key(resource: Resource) -> tuple[int, str, str]:
        now = resource.id
        kind = now.kind
        by_kind = f"{kind.group or '~G'}_{kind.version or '~V'}_{kind.kind or '~K'}"
        shown = ".".join(
            (kind.kind or "[noKind]", kind.version or "[noVer]", kind.group or "[noGrp]")
        )
        return (
            order.get(kind.kind, 0),
            by_kind,
            f"{shown}|{now.namespace or '~X'}|{now.name or '~N'}",
        )

    return sorted(resources, key=key)
