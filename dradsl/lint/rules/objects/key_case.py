"""DRA005 for pods with claims: keys that are fields but for their capitals (`resourceclaims`), `claim` for `claims`."""

from __future__ import annotations

from dradsl.lint.view.rule_finding import RuleFinding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.lint.view.view import Run

CODE = "DRA005"

# What looks like a pod spec in a custom resource may have fields of its own.
_GROUPS = frozenset({"", "apps", "batch"})


def check(run: Run) -> Iterator[RuleFinding]:
    for manifest in run.manifests:
        pods = run.pods_of(manifest) if manifest.group in _GROUPS else ()
        if not pods:
            continue
        from dradsl.kube.pods import fields

        if manifest.kind not in fields.WORKLOADS:
            continue
        for pod in pods:
            if not fields.asks_for_claims(pod.spec):
                continue
            for path, name in fields.wrong_names(pod.spec):
                from dradsl.lint.fixes.shape import renamed_at
                from dradsl.text.paths import format_path

                whole = (*pod.at.path, *path)
                yield RuleFinding(
                    CODE,
                    manifest,
                    whole,
                    f'unknown field "{path[-1]}"',
                    help=f'did you mean "{name}"?',
                    upstream=f'unknown field "{format_path(whole)}"',
                    on_key=True,
                    fix=renamed_at(manifest, whole, name),
                )
