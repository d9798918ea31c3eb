"""A call of migrate: the files that it reads and the options of its run, for the command and for programs."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from dradsl.records import replace
from dradsl.values.deadline import NO_DEADLINE, Deadline, TimeOverError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dradsl.lint.input.reading import ReadFiles
    from dradsl.migrate.planning.answers import Answers, Options
    from dradsl.tree.charts.recipes import Recipe
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.tree.rendering.renderer import Renderer

__all__ = ["is_usable", "known_errors", "options_of", "read_files"]


def read_files(
    paths: Sequence[str],
    *,
    stdin_name: str = "<stdin>",
    outputs: Iterable[Path] = (),
    deadline: Deadline = NO_DEADLINE,
) -> ReadFiles:
    """The files of the paths, with the surrounding files that they depend on.

    Args:
        paths: files and folders; "-" is standard input, called `stdin_name`.
        outputs: folders that the run writes; files of an earlier run in them are no input.
        deadline: reading stops after a part of the time.

    Raises:
        UsageProblem: if a path does not exist.
    """
    from dradsl.lint.input.reading import read_paths

    paths = (*paths, *_helpers(paths))
    reading = read_paths(paths, stdin_name=stdin_name, deadline=deadline)
    for folder in outputs:
        if not any(_is_below(path, folder) for path in paths):
            sources = tuple(s for s in reading.sources if not _is_below(s.name, folder))
            reading = replace(reading, sources=sources)
    return reading


def is_usable(source: SourceText) -> bool:
    """Whether there is something to migrate in a file: it was read, or its text alone is enough."""
    stream = source.stream
    return bool(stream.documents) or not stream.problems


def options_of(
    sources: Sequence[SourceText],
    answers: Answers,
    *,
    kube_version: str | None = None,
    inventory: Iterable[Mapping[str, object]] = (),
    build_with: Sequence[str] = (),
    outputs: Iterable[Path] = (),
    on_disk: bool = True,
    deadline: Deadline = NO_DEADLINE,
) -> Options:
    """The options of a run on what was read.

    Args:
        sources: the files.
        answers: answers to questions.
        kube_version: the release to migrate for.
        inventory: recorded objects to prove the result with.
        build_with: programs that render both sides.
        outputs: folders that the run writes; kustomizations in them are not the user's.
        on_disk: the files are in folders, where other files may build them.
        deadline: when the run ends, without a result.

    Raises:
        UsageProblem, UnknownReleaseError, RecipeError: for what cannot be used.
    """
    from dradsl.migrate.planning.answers import Options
    from dradsl.tree.charts.recipes import read_recipe
    from dradsl.tree.kustomize.surrounding import look_around

    written = [one for one in outputs if not any(_is_below(each.name, one) for each in sources)]
    return Options(
        answers=answers,
        kube_version=kube_version,
        inventory=tuple(inventory),
        recipes=(
            *(read_recipe(Path(path)) for path in answers.for_run.recipes),
            *_recipes_of_packages(),
        ),
        around=look_around([source.name for source in sources], written) if on_disk else None,
        renderer=_renderer(build_with, kube_version, deadline),
        deadline=deadline,
    )


def _recipes_of_packages() -> Iterator[Recipe]:
    """Those beside the driver schemas of installed packages; a file that is no recipe is left out."""
    from dradsl.drivers.schema.installed import installed_schema_files
    from dradsl.tree.charts.recipes import RecipeError, read_recipe

    for file in installed_schema_files("."):
        with contextlib.suppress(RecipeError, OSError):
            yield read_recipe(Path(file))


def _is_below(path: str, folder: Path) -> bool:
    return Path(path).resolve().is_relative_to(folder.resolve())


def _helpers(paths: Sequence[str]) -> list[str]:
    """Files without a YAML extension: the named templates of charts, which may hold what the
    templates ask for, templates of YAML, and kustomizations. Links out of the tree are left out."""
    from dradsl.tree.files import Tree
    from dradsl.tree.inputs.choice import TEMPLATE_ENDINGS

    return sorted(
        str(found)
        for folder in paths
        if Path(folder).is_dir() and (tree := Tree.of(folder))
        for found in map(Path, tree.files(folder))
        if (
            (found.suffix == ".tpl" and "templates" in found.relative_to(folder).parts[:-1])
            or found.name == "Kustomization"
            or (found.name.endswith(TEMPLATE_ENDINGS) and ".y" in found.name)
        )
        and tree.real(found) is not None
    )


def _renderer(
    build_with: Sequence[str], kube_version: str | None, deadline: Deadline
) -> Renderer | None:
    """What runs the programs that the call names."""
    if not build_with:
        return None
    from dradsl.releases import newest_release
    from dradsl.tree.inputs.sources import UsageProblem
    from dradsl.tree.rendering.programs import BuildWithError, programs_of
    from dradsl.tree.rendering.renderer import Renderer

    try:
        programs = programs_of(build_with)
    except BuildWithError as error:
        raise UsageProblem(f"--build-with: {error}") from error
    return Renderer(programs, kube_version=kube_version or newest_release().name, deadline=deadline)


def known_errors() -> tuple[type[Exception], ...]:
    """The errors in the input or the call, which end a run with a message."""
    from dradsl.allocator.inventory.slices import InventoryError
    from dradsl.drivers.schema.model import SchemaError
    from dradsl.migrate.planning.answers import AnswersError
    from dradsl.recordings import RecordingError
    from dradsl.releases import UnknownReleaseError
    from dradsl.text.files import FileError
    from dradsl.tree.charts.recipes import RecipeError
    from dradsl.tree.inputs.sources import UsageProblem

    return (
        UsageProblem, FileError, AnswersError, SchemaError, InventoryError, RecordingError,
        UnknownReleaseError, RecipeError, TimeOverError,
    )  # fmt: skip
