"""Where a migration goes: to files, to standard output, or into the report alone."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from dradsl.migrate.edits.operations import component, joined, name_references
from dradsl.text.documents import load
from dradsl.text.files import FileError
from dradsl.text.render import render_block
from dradsl.tree.files import Tree
from dradsl.tree.inputs.choice import looks_like_kubernetes
from dradsl.tree.inputs.sources import UsageProblem
from dradsl.tree.replacing import write_bytes, write_in_order
from dradsl.values.counted import plural
from dradsl.values.plain import member
from dradsl.values.printable import diff_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dradsl.migrate.result import FileMigration, Migration
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.values.json_types import JsonMapping

__all__ = [
    "Printer",
    "between",
    "claims_path",
    "rendered_objects",
    "unread",
    "write_migration",
]


class Printer(Protocol):
    """Where output is printed: contents as they are, and reports, which do their own escaping."""

    def contents(self, *texts: str) -> None:
        """Print contents on standard output, bytes that are no UTF-8 as they were read."""

    def report(self, text: str, *, err: bool) -> None:
        """Print a report, on standard error if `err`."""


# A file beside the patches in a Kustomize component: the fields in which they name claim templates.
_REFERENCES = "name-references.yaml"


def write_migration(
    migration: Migration,
    sources: Sequence[SourceText],
    given: Mapping[str, object],
    written: list[str],
    printer: Printer,
) -> list[FileError]:
    """Write the files and the report as the options of the call say; `written` gets the files' names.

    Returns why files of manifests could not be written; all others are written.

    Raises:
        FileError: if another file cannot be written; `written` names the files before it, which were written.
        UsageProblem: if something else than manifests is to be patched.
    """
    writes_text = not (
        given["scan"] or given["questions"] or (given["check"] and not given["diff"])
    )
    to_stdout = writes_text and not (given["write"] or given["output"])
    failures: list[FileError] = []
    if writes_text:
        for name in _write_files(
            migration, sources, given, failures, printer if to_stdout else None
        ):
            written.append(name)  # noqa: PERF402 - a failure must not lose those before it
    _write_report(migration, given, printer, to_stdout=to_stdout)
    return failures


def unread(source: SourceText) -> list[str]:
    """Why a file cannot be read: it may ask for devices, so it must be reported.

    Not reported is a file that was found in a folder and names neither Kubernetes nor an extended
    resource, such as the settings of an editor.
    """
    stream = source.stream
    text = stream.text  # empty if it cannot be decoded
    may_ask = not text or looks_like_kubernetes(text) or _EXTENDED.search(text) is not None
    if stream.is_template or (source.top is not None and not may_ask):
        return []
    problems = [] if stream.documents else list(stream.problems[:1])
    for document in stream.documents:
        problems += [each for each in document.problems if each.fatal][:1]
    return [
        f"{source.name}:{each.span.line}:{each.span.column}: cannot be read: {each.message}"
        for each in problems
    ]


# A key such as `nvidia.com/gpu:`, not a URL.
_EXTENDED = re.compile(r"""(?<![\w./-])\w[\w.-]*\.[a-z]{2,}/[\w.-]+["']?[ \t]*:""")


def between(before: str, after: str) -> str:
    """The separator between the texts of two files that become one stream of documents."""
    if not before or not after:
        return ""
    end = "" if before.endswith("\n") else "\n"
    return end if after.startswith("---") else f"{end}---\n"


def rendered_objects(objects: Iterable[Mapping[str, object]]) -> str:
    """Objects as a YAML stream."""
    return "---\n".join(render_block(obj) + "\n" for obj in objects)


def claims_path(path: str) -> str:
    """The file beside `path` that takes the new objects which `path` itself cannot hold. For values in
    the folder of a chart it is a template of that chart, which is installed with them."""
    stem, dot, _ = path.rpartition(".")
    own = Path(f"{stem if dot else path}.claims.yaml")
    if own.parent.joinpath("Chart.yaml").is_file():
        own = own.parent / "templates" / own.name
    # Helm renders no file whose name begins with an underscore.
    return str(own.with_name(own.name.lstrip("_")))


def _write_files(
    migration: Migration,
    sources: Sequence[SourceText],
    given: JsonMapping,
    failures: list[FileError],
    printer: Printer | None,
) -> Iterator[str]:
    if migration.form != "files":
        yield from _write_patches(migration, given["output"])
        return
    by_name = {source.name: source for source in sources}
    if given["write"]:
        _expect_committed(migration, by_name, given)
    if printer is not None:
        _print_files(migration, by_name, given, printer)
        return
    # Files that are built together are all written, or none of them; the new files first.
    together = [file for file in migration.files if file.path in migration.together]
    if given["write"]:
        yield from _write_together(together, by_name, given, failures)
    for file in migration.files:
        if given["write"] and file.path in migration.together:
            continue
        try:
            for path, data, expected, tree in _writes(file, by_name.get(file.path), given):
                write_bytes(path, data, expected=expected, tree=tree)
                yield str(path)
        except FileError as error:
            failures.append(error)
        except Exception as error:
            if os.environ.get("DRADSL_DEBUG"):
                raise
            said = " ".join(f"{type(error).__name__}: {error}".split())
            more = "please report this, DRADSL_DEBUG=1 shows where it happened"
            failures.append(FileError("failed", file.path, f"internal error: {said}; {more}"))


def _print_files(
    migration: Migration, sources: Mapping[str, SourceText], given: JsonMapping, printer: Printer
) -> None:
    """Print what was named, and of what was found in folders the files that change."""
    before, printed = "", 0
    for file in migration.files:
        source = sources.get(file.path)
        found = source is not None and (source.top is not None or file.kind == "template")
        if not file.changed and (given["diff"] or found):
            continue
        printed += 1
        printer.contents("" if given["diff"] else between(before, file.text))
        _to_stdout(file, given, printer)
        before = "\n" if file.added else file.text
    same = len(migration.files) - printed
    if same and not given["quiet"] and not given["diff"]:
        said = f"{plural(printed, 'file')} printed; {same} not printed: nothing changes\n"
        printer.report(said, err=True)


def _expect_committed(
    migration: Migration, sources: Mapping[str, SourceText], given: Mapping[str, object]
) -> None:
    if given["force"]:
        return
    from dradsl.migrate.edits.in_place import expect_committed

    contents = {
        file.path: sources[file.path].stream.encode(file.before)
        for file in migration.files
        if file.text != file.before and file.path in sources
    }
    expect_committed(contents)


def _write_together(
    files: Sequence[FileMigration],
    sources: Mapping[str, SourceText],
    given: Mapping[str, object],
    failures: list[FileError],
) -> list[str]:
    """Write files that are built together; if one cannot be written, the others are restored."""
    written: list[str] = []
    files = sorted(files, key=lambda file: _turn(file.path, sources))
    try:
        every = [each for file in files for each in _writes(file, sources.get(file.path), given)]
        for name in write_in_order(every):
            written.append(str(name))  # noqa: PERF401 - a failure must not lose those before it
    except FileError as error:
        done = {os.path.normpath(name) for name in written}
        for file in files:
            source = sources.get(file.path)
            if os.path.normpath(file.path) not in done or file.text == file.before:
                continue
            if source is None:
                Path(file.path).unlink(missing_ok=True)
            else:
                write_bytes(file.path, source.stream.encode(file.before))
        failures.append(error)
        return []
    return written


def _turn(name: str, sources: Mapping[str, SourceText]) -> int:
    """When a file is written: whatever was written before then works without those that follow. Templates serve both
    ways, the named ones first, and a schema allows the keys that values get."""
    *folders, base = name.replace("\\", "/").split("/")
    if "templates" in folders:
        return 0 if base.endswith(".tpl") else 1 if name not in sources else 2
    if base.endswith(".schema.json"):
        return 3
    if name not in sources:
        return 4
    return 5 if base in ("values.yaml", "values.yml") else 6


def _write(path: Path, text: str, tree: Tree | None = None) -> Iterator[str]:
    write_bytes(path, text.encode(), tree=tree)
    yield str(path)


def _write_patches(migration: Migration, folder: Path) -> Iterator[str]:
    """A component of Kustomize; or what a HelmRelease of Flux needs: its post-renderer takes only inline patches, so the
    new objects are in a file for the Kustomization that applies the release."""
    for file in migration.files:
        if file.changed and file.kind != "manifests":
            raise UsageProblem(
                f"form: {migration.form} patches manifests; {file.path} holds {file.kind}"
            )
    tree = Tree.around(folder)
    tree.make_folder(folder)
    if migration.form == "kustomize":
        _reject_overwriting(folder, tree)
    patches = joined(patch for file in migration.files for patch in file.patches)
    added = [obj for file in migration.files for obj in file.added]
    if added:
        yield from _write(folder / "claims.yaml", rendered_objects(added))
    texts = [render_block(list(patch.operations)) + "\n" for patch in patches]
    if migration.form == "flux":
        inline = [
            {"target": dict(patch.target), "patch": text}
            for patch, text in zip(patches, texts, strict=True)
        ]
        fields = {"spec": {"postRenderers": [{"kustomize": {"patches": inline}}]}}
        if inline:
            yield from _write(folder / "post-renderers.yaml", render_block(fields) + "\n")
        return
    for patch, text in zip(patches, texts, strict=True):
        yield from _write(folder / patch.file_name, text, tree=tree)
    resources = ["claims.yaml"] if added else []
    references = name_references(patches) if resources else {}
    if references:
        yield from _write(folder / _REFERENCES, rendered_objects([references]))
    kustomization = component(patches, resources, [_REFERENCES] if references else [])
    yield from _write(folder / "kustomization.yaml", rendered_objects([kustomization]))


def _reject_overwriting(folder: Path, tree: Tree) -> None:
    """A kustomization in the folder must be a component, as an earlier run writes it."""
    from dradsl.tree.kustomize.kustomization import NAMES

    for path in (folder / name for name in NAMES):
        if os.path.lexists(path):
            documents = load(tree.read(path)).documents
            data = documents[0].data if documents else None
            if not (isinstance(data, dict) and data.get("kind") == "Component"):
                raise UsageProblem(
                    f"{path} is no component: form: kustomize needs a folder of its own"
                )


def _to_stdout(file: FileMigration, given: Mapping[str, object], printer: Printer) -> None:
    if given["diff"]:
        printer.contents(*_diff(file.path, file.before, file.text))
        if file.added:
            printer.contents(*_diff(claims_path(file.path), "", rendered_objects(file.added)))
        return
    printer.contents(file.text)
    if file.added:
        start = "" if file.text.endswith("\n") else "\n"
        printer.contents(f"{start}---\n{rendered_objects(file.added)}")


def _writes(
    file: FileMigration, source: SourceText | None, given: JsonMapping
) -> Iterator[tuple[Path, bytes, bytes | None, Tree | None]]:
    """What is to be written for a file: paths with contents, what they are expected to hold, and their tree."""
    target = _target(file.path, given["output"])
    tree = _tree_of(target, source)
    if given["output"] is not None:
        tree = Tree.around(given["output"])
        tree.make_folder(target.parent)
    if source is None:  # new
        yield target, file.text.encode(), b"" if given["write"] else None, tree
        return
    if file.added:
        path = Path(claims_path(str(target)))
        if path.parent != target.parent:
            tree.make_folder(path.parent)
        for data, expected in _objects_in(path, file.added, keep=given["write"], tree=tree):
            yield path, data, expected, tree
    stream = source.stream
    if given["output"] is not None:
        yield target, stream.encode(file.text), None, tree
    elif file.text != file.before:
        yield target, stream.encode(file.text), stream.encode(stream.text), tree


def _objects_in(
    path: Path, objects: Sequence[Mapping[str, object]], *, keep: bool, tree: Tree | None
) -> Iterator[tuple[bytes, bytes | None]]:
    """The content of a file with new objects, and the content that it is expected to have."""
    before = ""
    expected = b"" if keep else None
    if keep and os.path.lexists(path):
        expected = (tree or Tree.around(path.parent)).read(path)
        stream = load(expected)
        known = [_identity(document.data) for document in stream.documents]
        objects = [obj for obj in objects if _identity(obj) not in known]
        before = stream.text
    if objects:
        new = rendered_objects(objects)
        yield (before + between(before, new) + new).encode(), expected


def _identity(obj: object) -> object:
    return member(obj, "kind"), *(member(obj, "metadata", key) for key in ("namespace", "name"))


def _tree_of(path: Path, source: SourceText | None) -> Tree:
    """Where what is written for a file must lie."""
    if source is None or source.top is None:
        return Tree.around(path.parent)
    return Tree.of(source.top)


def _target(name: str, output: Path | None) -> Path:
    if output is None:
        return Path(name)
    path = Path(name.strip("<>"))
    inside = [part for part in path.parts if part not in ("..", path.anchor)]
    return output.joinpath(*inside)


def _diff(name: str, before: str, after: str) -> Iterable[str]:
    from dradsl.text.diff import unified_diff

    shown = diff_name(name)
    return unified_diff(before, after, shown if before else "/dev/null", shown)


def _write_report(
    migration: Migration, given: JsonMapping, printer: Printer, *, to_stdout: bool
) -> None:
    path = given["report"]
    if path is None and given["quiet"]:
        return
    from dradsl.migrate.report.sections import rendered

    text = rendered(migration, given["output_format"])
    if path is not None:
        write_bytes(path, text.encode("utf-8", "replace"))
    else:
        printer.report(text, err=to_stdout)
