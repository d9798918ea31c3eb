"""The tolerations of requests, each with its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dradsl.diagnostics import FieldPath
from dradsl.lint.view.view import ClaimView, RequestView, Run
from dradsl.values.plain import list_at

__all__ = ["tolerations_of"]


def tolerations_of(
    run: Run,
) -> Iterator[tuple[ClaimView, RequestView, FieldPath, Mapping[str, object]]]:
    """Each toleration with its claim, its request and its path in the v1 object."""
    for claim in run.claims():
        for request in claim.bodies():
            for index, each in enumerate(list_at(request.body, "tolerations")):
                if isinstance(each, dict):
                    yield claim, request, (*request.path, "tolerations", index), each
