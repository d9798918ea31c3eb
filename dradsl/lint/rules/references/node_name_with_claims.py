"""DRA417: a pod with claims presets spec.nodeName, so the scheduler never allocates them."""

from __future__ import annotations

from dradsl.lint.view.found import Found

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dradsl.lint.view.view import Run

CODE = "DRA417"


def check(run: Run) -> Iterator[Found]:
    for pod in run.pods():
        if _is_running(pod.manifest.data):
            continue  # read from a cluster: the scheduler has written the name
        if pod.spec.get("nodeName") and any(True for _ in pod.claims()):
            yield Found(
                CODE,
                pod.manifest,
                (*pod.at.path, "nodeName"),
                "spec.nodeName bypasses the scheduler, and only the scheduler allocates claims",
                help="use nodeSelector or node affinity on kubernetes.io/hostname instead",
                on_key=True,
            )


def _is_running(data: Mapping[str, object]) -> bool:
    """Whether the object is the record of one in a cluster: only there it has a uid."""
    metadata = data.get("metadata")
    return isinstance(metadata, dict) and bool(metadata.get("uid"))
