"""DRA503: the API server silently drops a field whose feature gate is off in the release."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.lint.found import Found

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.lint.run import Run

CODE = "DRA503"


def check(run: Run) -> Iterator[Found]:
    for manifest in run.manifests:
        admission = run.admission(manifest)
        if admission is None:
            continue
        for dropped in admission.dropped:
            yield Found(
                CODE,
                manifest,
                admission.written_path(dropped.path),
                "the API server drops this field without a word: feature gate "
                f"{dropped.gate} is off",
                help=f"turn the gate on in the cluster and pass --feature-gate {dropped.gate}=true, "
                "or do without the field",
                on_key=True,
            )
