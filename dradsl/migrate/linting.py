"""What lint finds in files and builds after a migration, and did not find before."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from dradsl.migrate.result import FileMigration

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dradsl.migrate.result import BuildPair
    from dradsl.values.deadline import Deadline

__all__ = ["as_file", "lint_faults", "side_faults"]


def as_file(side: BuildPair) -> FileMigration:
    """A build as one file of manifests."""
    from dradsl.migrate.output import rendered_objects

    before, after = (
        rendered_objects([each.data for each in objects if isinstance(each.data, dict)])
        for objects in (side.before, side.after)
    )
    return FileMigration(side.name, "manifests", before, after, workloads=side.workloads)


def side_faults(side: BuildPair, kube_version: str | None, deadline: Deadline) -> list[str]:
    """The errors that lint finds in a build, and did not find before."""
    return list(lint_faults(as_file(side), kube_version, deadline))


def lint_faults(file: FileMigration, kube_version: str | None, deadline: Deadline) -> Iterator[str]:
    """The errors that lint finds in a file, and did not find before."""
    deadline.check()
    # In values, only the new objects are manifests.
    old, new = (file.before, file.text) if file.kind == "manifests" else ("", "")
    before = Counter(_errors(old, (), file.path, kube_version))
    after = Counter(_errors(new, file.added, file.path, kube_version))
    for code, message in after - before:
        yield f"{code} {message}"


def _errors(
    text: str, added: Sequence[Mapping[str, object]], name: str, kube_version: str | None
) -> Iterator[tuple[str, str]]:
    from dradsl.diagnostics import Severity
    from dradsl.lint.engine.run import lint_sources
    from dradsl.migrate.output import rendered_objects
    from dradsl.text.documents import load
    from dradsl.tree.inputs.sources import SourceText

    sources = [SourceText(name, load(text.encode("utf-8", "surrogatepass")))]
    if added:
        sources.append(SourceText("claims", load(rendered_objects(added).encode())))
    report = lint_sources(sources, (kube_version,) if kube_version else ())
    for finding in report.findings:
        if finding.severity is Severity.ERROR:
            # Lines move, so errors that differ only in a line number are the same.
            yield finding.code, re.sub(r"\bline [0-9]+", "a line", finding.message)
