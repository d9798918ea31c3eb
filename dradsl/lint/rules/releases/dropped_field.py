"""DRA503: the API server silently drops a field whose feature gate is off in the release."""

from __future__ import annotations

from dradsl.lint.found import Found

TYPE_CHECKING = False
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
            gates = " and ".join(dropped.gates)
            verb = "is" if len(dropped.gates) == 1 else "are"
            yield Found(
                CODE,
                manifest,
                dropped.path,
                f"the API server drops this field without a word: {gates} {verb} off",
                help=f"turn it on in the cluster and pass --feature-gate {dropped.gates[0]}=true, "
                "or do without the field",
                on_key=True,
            )
