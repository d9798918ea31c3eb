"""The results of the programs of `--build-with` for a migration: what they prove, what they do not, and the faults.

What was built before and after is built again by Kustomize: both must agree.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dradsl.migrate.overlays.compare import as_file, identity, lint_faults
from dradsl.migrate.overlays.drafts import EditedFiles
from dradsl.migrate.proof.prove import ProofResult, placed, with_results
from dradsl.records import replace
from dradsl.text.documents import expand_list
from dradsl.tree.builder import TreeBuilder
from dradsl.tree.kustomize.parts.files import Files
from dradsl.tree.kustomize.surrounding import top_of
from dradsl.values.counted import first_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from dradsl.migrate.proof.charts import Compared
    from dradsl.migrate.result import BuildPair, EditedTree, FileMigration, Migration
    from dradsl.migrate.survey import RunEvidence
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.tree.kustomize.parts.outcome import Overlay
    from dradsl.tree.rendering.renderer import Renderer

__all__ = ["with_programs"]


def with_programs(
    migration: Migration,
    edited: EditedTree,
    survey: RunEvidence,
    renderer: Renderer,
    switches: Mapping[str, str],
) -> Migration:
    """The migration after both sides were rendered. Files with faults are not changed. `switches` are the keys of
    values that turn claims on, by the folders of their charts."""
    result = ProofResult()
    if renderer.programs.helm is not None:
        from dradsl.migrate.proof.charts import ChartRuns

        runs = ChartRuns(migration, edited.sides, survey, renderer, switches)
        compared, untried, proven = runs.run()
        result.checks += untried
        _judge(compared, survey, result)
        files = tuple(_with_proof(file, proven) for file in migration.files)
        migration = replace(migration, files=files)
    if renderer.programs.kustomize is not None and migration.together:
        texts = _texts(migration, survey.sources)
        check = survey.options.deadline.check
        agreed, faults, untried = _kustomized(edited.sides, texts, renderer, check)
        result.checks += untried
        if agreed:
            names = first_of(agreed)
            result.evidence.append(f"Kustomize builds the same before and after ({names})")
        for name in migration.together if faults else ():
            result.wrong.setdefault(name, []).extend(faults)
    if renderer.confinement is not None:
        result.checks.append(f"the programs of --build-with were {renderer.confinement}")
    if any(name in migration.together for name in result.wrong):
        # Files that are built together are all right, or none of them is.
        every = list(dict.fromkeys(fault for each in result.wrong.values() for fault in each))
        for name in migration.together:
            result.wrong.setdefault(name, every)
    return with_results(migration, result)


def _judge(compared: Iterable[Compared], survey: RunEvidence, result: ProofResult) -> None:
    """Lint and place the rendered objects as well."""
    options = survey.options
    good = []
    for each in compared:
        faults = [*each.faults]
        sentences: list[str] = []
        title = f"{each.side.name}, rendered"
        if not faults:
            found = lint_faults(as_file(each.side), options.kube_version, options.deadline)
            faults += [f"{title}: {fault}" for fault in found]
        if not faults and options.inventory:
            for ok, sentence in placed(as_file(each.side), survey):
                (sentences if ok else faults).append(f"{title}: {sentence}")
        for name in each.files if faults else ():
            result.wrong.setdefault(name, []).extend(faults)
        if not faults:
            good.append(each.side)
            result.evidence.extend(sentences)
    if good:
        migrated = sum(side.migrated for side in good)
        result.evidence.insert(
            0,
            f"rendered before and after ({first_of([side.name for side in good])}): the same objects, {migrated} "
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


def _kustomized(
    sides: Sequence[BuildPair],
    texts: Mapping[str, bytes],
    renderer: Renderer,
    check: Callable[[], None],
) -> tuple[list[str], list[str], list[str]]:
    """Build the folders of `sides` by Kustomize, as they are and with `texts`, by real paths, in them: the names of those for
    which it agrees; errors, and what it did not build, in sentences."""
    agreed: list[str] = []
    faults: list[str] = []
    untried: list[str] = []
    for side in sides:
        if side.folder is None:
            continue
        check()
        top = top_of(side.folder)
        disk = Files([top])
        rest: list[dict[object, object]] = []
        for when, files in (("", disk), ("after the migration ", EditedFiles(disk, texts))):
            overlay = TreeBuilder(files).overlay(side.folder)
            said = _built(side.folder, top, renderer, texts if when else {})
            if isinstance(said, str):
                if when:
                    faults.append(f"{side.name}: {when}Kustomize does not build it: {said}")
                else:
                    untried.append(f"{side.name} is not built by Kustomize: {said}")
                break
            wrong = list(_different(overlay, said))
            if wrong:
                faults.append(f"{side.name}: {when}Kustomize builds {wrong[0]}")
                break
            rest.append(_besides(overlay, said))
        else:
            if rest[0] == rest[1]:
                agreed.append(side.name)
            else:
                untried.append(f"{side.name}: Kustomize builds other objects of charts afterwards")
    return agreed, faults, untried


def _built(
    folder: str, top: str, renderer: Renderer, texts: Mapping[str, bytes]
) -> list[object] | str:
    """What Kustomize builds of a folder with `texts` in place of files; or why it does not."""
    rendered = renderer.overlay(folder, top=top, texts=texts)
    if rendered.unknown is not None:
        return rendered.unknown
    return [
        data for document in rendered.stream().documents for _, data in expand_list(document.data)
    ]


def _different(overlay: Overlay, said: list[object]) -> Iterator[str]:
    """The objects that differ from those of our builder. What it does not build, such as charts, is no difference."""
    own = {identity(each.data): each.data for each in overlay.objects}
    theirs = {identity(each): each for each in said}
    for key in own if overlay.unknowns else {**own, **theirs}:
        if own.get(key) != theirs.get(key):
            yield f"{key[1]} {key[3]} otherwise than dradsl"


def _besides(overlay: Overlay, said: list[object]) -> dict[object, object]:
    """The objects that our builder does not build."""
    own = {identity(each.data) for each in overlay.objects}
    return {identity(each): each for each in said if identity(each) not in own}
