"""The results of the programs of `--build-with` for a migration: what they prove, what they do not, and the faults."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dradsl.migrate.proof.prove import placed, side_faults, withdrawn
from dradsl.records import replace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.overlays.loop import Built
    from dradsl.migrate.overlays.planned import Planner
    from dradsl.migrate.proof.charts import ChartProof
    from dradsl.migrate.result import FileMigration, Migration
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.tree.rendering.renderer import Renderer
    from dradsl.values.deadline import Deadline

__all__ = ["with_programs"]

_SHOWN = 3


def with_programs(
    migration: Migration,
    sources: Sequence[SourceText],
    built: Built,
    planner: Planner,
    renderer: Renderer,
    kube_version: str | None,
    inventory: tuple[Mapping[str, object], ...],
    deadline: Deadline,
    switches: Mapping[str, str],
) -> Migration:
    """The migration after both sides were rendered. Files with faults are not changed. `switches` are the keys of
    values that turn claims on, by the folders of their charts."""
    evidence: list[str] = []
    checks: list[str] = []
    wrong: dict[str, list[str]] = {}
    if renderer.programs.helm is not None:
        from dradsl.migrate.proof.charts import ChartRuns

        said = ChartRuns(
            migration, sources, built.sides, planner, renderer, deadline.check, switches
        ).run()
        checks += said.untried
        _judge(said, kube_version, inventory, planner.catalogue, deadline, evidence, wrong)
        files = tuple(_with_proof(file, said.proven) for file in migration.files)
        migration = replace(migration, files=files)
    if renderer.programs.kustomize is not None and migration.together:
        from dradsl.migrate.proof.kustomized import kustomized

        found = kustomized(built.sides, _texts(migration, sources), renderer, deadline.check)
        checks += found.untried
        if found.agreed:
            evidence.append(f"Kustomize builds the same before and after ({_names(found.agreed)})")
        for name in migration.together if found.faults else ():
            wrong.setdefault(name, []).extend(found.faults)
    faults = tuple(dict.fromkeys(fault for each in wrong.values() for fault in each))
    if any(name in migration.together for name in wrong):
        # Files that are built together are all right, or none of them is.
        wrong |= {name: wrong.get(name, list(faults)) for name in migration.together}
    return replace(
        migration,
        files=tuple(withdrawn(f, wrong[f.path]) if f.path in wrong else f for f in migration.files),
        evidence=(*migration.evidence, *evidence),
        faults=(*migration.faults, *faults),
        checks=(*migration.checks, *checks),
        together=migration.together - wrong.keys(),
    )


def _judge(
    said: ChartProof,
    kube_version: str | None,
    inventory: tuple[Mapping[str, object], ...],
    catalogue: Catalogue,
    deadline: Deadline,
    evidence: list[str],
    wrong: dict[str, list[str]],
) -> None:
    """Lint and place the rendered objects as well."""
    good = []
    for each in said.compared:
        faults = [*each.faults]
        sentences: list[str] = []
        if not faults:
            faults += [
                f"{each.side.name}, rendered: {fault}"
                for fault in side_faults(each.side, kube_version, deadline)
            ]
        if not faults and inventory:
            for ok, sentence in placed(each.side, kube_version, inventory, catalogue):
                (sentences if ok else faults).append(f"{each.side.name}, rendered: {sentence}")
        for name in each.files if faults else ():
            wrong.setdefault(name, []).extend(faults)
        if not faults:
            good.append(each.side)
            evidence.extend(sentences)
    if good:
        migrated = sum(side.migrated for side in good)
        evidence.insert(
            0,
            f"rendered before and after ({_names([side.name for side in good])}): the same objects, {migrated} "
            "of them with claims in the place of requests, and lint finds no new error",
        )


def _with_proof(file: FileMigration, proven: frozenset[tuple[str, int, int]]) -> FileMigration:
    items = tuple(
        replace(item, doubt=None, proven=True)
        if (item.path, item.span.line, item.span.column) in proven
        else item
        for item in file.items
    )
    return replace(file, items=items)


def _texts(migration: Migration, sources: Sequence[SourceText]) -> dict[str, bytes]:
    """The files that change, and those that are new, by real paths."""
    streams = {source.name: source.stream for source in sources}
    return {
        os.path.realpath(file.path): streams[file.path].encode(file.text)
        if file.path in streams
        else file.text.encode()
        for file in migration.files
        if file.text != file.before
    }


def _names(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
