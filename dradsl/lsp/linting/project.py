"""One folder, or one file without a folder, as `dradsl lint` would see it: read, and linted in part or as a whole."""

from __future__ import annotations

import math
import os
import threading
import time

from dradsl.lint.catalogue.rules import traits_of
from dradsl.lint.engine.run import lint
from dradsl.lint.engine.session import Session
from dradsl.lint.engine.state import RunInput
from dradsl.lint.input.reading import read_inputs
from dradsl.lsp.linting.changes import Linted, changed_part, in_documents
from dradsl.lsp.linting.inventory import Inventories
from dradsl.lsp.linting.settings import Settings
from dradsl.records import replace
from dradsl.tree.applied.surroundings import Surroundings, look_around, with_variables
from dradsl.tree.inputs.sources import OUTSIDE, Input, SourceText
from dradsl.values.deadline import Deadline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.diagnostics import Finding
    from dradsl.lint.report.model import Report
    from dradsl.lint.settings.config import LintConfig
    from dradsl.lsp.texts.buffers import Buffers

__all__ = ["Project", "Stoppable"]

_ENDINGS = (".yaml", ".yml", ".json")


class Stoppable(Deadline):
    """A deadline that can be ended early (a newer text makes the work useless), or after some seconds."""

    __slots__ = ("_event",)

    _event: threading.Event

    def __init__(self, seconds: float = math.inf) -> None:
        object.__setattr__(self, "moment", time.monotonic() + seconds)
        object.__setattr__(self, "seconds", seconds)
        object.__setattr__(self, "_event", threading.Event())

    def stop(self) -> None:
        """End the work."""
        self._event.set()

    @property
    def is_over(self) -> bool:
        return self._event.is_set() or self.moment <= time.monotonic()

    @property
    def words(self) -> str:
        return "a newer text came" if self._event.is_set() else super().words


class Project:
    """What is known of one folder. Only one thread at a time may call it."""

    def __init__(
        self,
        root: str,
        buffers: Buffers,
        *,
        settings: Settings | None = None,
        inventories: Inventories | None = None,
    ) -> None:
        self.root = root
        self.is_folder = os.path.isdir(root)
        self.work: RunInput | None = None
        self.settings = settings or Settings()
        self._inventories = inventories or Inventories()
        self._buffers = buffers
        self._session = self._new_session()
        self._context: tuple[SourceText, ...] | None = None
        self._builds = self.is_folder  # until that is known
        self._reported: set[tuple[str, str, str]] = set()
        self._linted: dict[str, Linted] = {}

    def _new_session(self) -> Session:
        return Session((self.root,), self.settings.overrides(self.root))

    def holds(self, path: str) -> bool:
        """Whether a file lies in the folder, or is the file."""
        return path == self.root or path.startswith(self.root.rstrip("/") + "/")

    def config_of(self, path: str) -> LintConfig:
        """The configuration for a file, as of the last reading.

        Raises:
            ConfigError: if it cannot be used.
        """
        return self._session.config_of(path)

    def lint_all(self, deadline: Deadline) -> Report | None:
        """What `dradsl lint` would report now, with the editor's texts; None if it was stopped.

        Raises:
            ConfigError, UsageProblem, and others that `dradsl lint` reports as wrong calls.
        """
        # Anew, since configurations may have changed.
        session = self._session = self._new_session()
        config = session.config()
        work = self._read(session, deadline)
        if deadline.is_over:
            return None
        self.work, self._context = work, None
        if self.is_folder:
            names = {source.name for source in (*work.sources, *work.context)}
            self._buffers.keep(names | {each.name for each in work.skipped})
        report = lint(work, config, config_of=session.config_of, deadline=deadline)
        return None if deadline.is_over else self._taken(work, _without_known(config, report))

    def _taken(self, work: RunInput, report: Report) -> Report:
        """Remember what is wanted of a report on the whole."""
        self._linted = {
            source.name: Linted(
                source.stream, tuple(each for each in report.findings if each.path == source.name)
            )
            for source in work.sources
            if source.name in self._buffers.open
        }
        self._builds = any(map(_may_build, work.sources))
        self._reported = {(each.path, each.code, each.message) for each in report.findings}
        return report

    def lint_one(self, path: str) -> tuple[Finding, ...]:
        """What is found in one file, with what is known of the others; rules that look at all may say more later.

        In a file of many documents only those that changed are judged again, with the others to look into.
        Where files are built of others, what is missing in one may come from another: then nothing new is said but
        of the text itself, until the whole is looked at.
        """
        session, config = self._session, self._session.config()
        work = self.work
        if work is None:
            work = RunInput(sources=())
        elif not self._concerns(path, work):
            return ()
        reading = self._read_one(session, path)
        sources = whole = with_variables(reading)
        others = self._others(work, path)
        changed = changed_part(whole[0], self._linted.get(path)) if len(whole) == 1 else None
        if changed is not None:
            sources, others = (changed.judged,), (*others, changed.others)
        around = work.surroundings or look_around(sources)
        builders = tuple(
            (os.path.realpath(each.name), each.stream) for each in others if _may_build(each)
        )
        part = replace(
            work,
            sources=sources,
            context=(*work.context, *others),
            failures=(),
            skipped=(),
            unread=0,
            notes=(),
            surroundings=Surroundings((*around.files, *builders), around.tops),
        )
        report = lint(part, config, config_of=session.config_of)
        report = _without_known(config, report)
        found = tuple(each for each in report.findings if each.path == path)
        if changed is not None:
            now = dict.fromkeys(in_documents(found, whole[0].stream))
            found = tuple(sorted((*now, *changed.kept), key=lambda each: (each.span, each.code)))
        if len(whole) == 1:
            self._linted[path] = Linted(whole[0].stream, found)
        return tuple(
            each
            for each in found
            if not self._builds
            or traits_of(each.code).about == "text"
            or (path, each.code, each.message) in self._reported
        )

    def _read(self, session: Session, deadline: Deadline) -> RunInput:
        buffers = self._buffers
        if not self.is_folder and not os.path.lexists(self.root):
            sources = with_variables(self._read_one(session, self.root))
            return RunInput(sources=sources, surroundings=look_around(sources))
        work = session.read(
            deadline,
            content_of=buffers.content_of,
            parse=buffers.parse,
            recorded=self._inventories.read,
        )
        known = {source.name for source in work.sources} | {each.name for each in work.skipped}
        new = [
            source
            for path in sorted(buffers.open)
            if path not in known and self.holds(path) and not os.path.lexists(path)
            if path.endswith(_ENDINGS) and not session.config_of(path).excluded(path)
            for source in self._read_one(session, path)
        ]
        if not new:
            return work
        sources = tuple(sorted((*work.sources, *with_variables(new)), key=lambda each: each.name))
        return replace(work, sources=sources, surroundings=look_around(sources))

    def _read_one(self, session: Session, path: str) -> tuple[SourceText, ...]:
        top = self.root if self.is_folder else None
        each = Input(path, path, explicit=not self.is_folder, top=top)
        buffers = self._buffers
        own = session.own_files()
        return read_inputs(
            [each], filtered=True, own=own, content_of=buffers.content_of, parse=buffers.parse
        ).sources

    def _concerns(self, path: str, work: RunInput) -> bool:
        """Whether `dradsl lint` of the folder reads the file."""
        if not self.is_folder or not os.path.lexists(path):
            return not self.is_folder or path.endswith(_ENDINGS)
        skipped = {each.name for each in work.skipped if each.reason != OUTSIDE}
        read = {source.name for source in work.sources} | skipped
        return path in read or path in {failure.path for failure in work.failures}

    def _others(self, work: RunInput, path: str) -> tuple[SourceText, ...]:
        """All files but one, to be looked into."""
        if self._context is None:
            self._context = tuple(replace(each, context=True) for each in work.sources)
        return tuple(each for each in self._context if each.name != path)


def _may_build(source: SourceText) -> bool:
    text = source.stream.text
    name = os.path.basename(source.name).lower()
    return name.startswith("kustomization") or "fluxcd.io/" in text or "argoproj.io/" in text


def _without_known(config: LintConfig, report: Report) -> Report:
    """The report without what the baseline of the configuration accepts."""
    if config.baseline is None:
        return report
    from dradsl.lint.report.baseline import new_findings

    return replace(report, findings=new_findings(config.baseline, report.findings, report.sources))
