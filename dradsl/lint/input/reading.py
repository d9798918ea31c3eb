"""Reading the files of a run; what cannot be read becomes a finding, never an exception."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from dradsl.diagnostics import Finding, Span
from dradsl.lint.catalogue.rules import INTERNAL_ERROR, RULES, Rule, rule_named
from dradsl.lint.settings.config import LintConfig
from dradsl.records import Record, replace
from dradsl.text.documents import Stream, load
from dradsl.text.files import FileError, read_bytes, read_standard_input
from dradsl.tree.inputs.sources import (
    MARKDOWN,
    OUTSIDE,
    STDIN,
    Choice,
    Input,
    NotLinted,
    SourceText,
    UsageProblem,
    find_inputs,
)
from dradsl.values.deadline import NO_DEADLINE, Deadline

__all__ = [
    "NO_MEMORY",
    "ReadFiles",
    "internal_error",
    "load_named",
    "read_inputs",
    "read_paths",
    "unreadable",
]

_SHARE = 0.75  # of the time of a run: what was read is to be checked as well


class ReadFiles(Record):
    """The files that could be read, and a finding for each that could not.

    `skipped` are the files that were found and are no manifests, and the links out of the tree, which were not
    followed; `left_out` what was not even opened, if that was asked for;
    `notes` is what the reader of a report should know. So many files as `unread` says came too late.
    """

    sources: tuple[SourceText, ...]
    failures: tuple[Finding, ...]
    skipped: tuple[NotLinted, ...] = ()
    left_out: tuple[NotLinted, ...] = ()
    notes: tuple[str, ...] = ()
    unread: int = 0


def read_paths(
    paths: Sequence[str],
    config_of: Callable[[str], LintConfig] | None = None,
    stdin_name: str = "<stdin>",
    *,
    filtered: bool = False,
    handed_over: bool = False,
    listing: bool = False,
    own: Sequence[str] = (),
    included: Callable[[str], bool] = lambda _name: False,
    deadline: Deadline = NO_DEADLINE,
    content_of: Callable[[str], bytes] | None = None,
    parse: Callable[[str, bytes], Stream] | None = None,
) -> ReadFiles:
    """Read everything under `paths`; "-" is standard input, called `stdin_name` in findings.

    Of folders it reads what git does not ignore, outside of dot folders. With `filtered` it reads
    only those of the files found that look like Kubernetes, with `handed_over` also of those that
    the call names; `own` are files of dradsl itself, which
    are left out. `listing` asks for all that is left out. `included` names files with other endings
    that are read all the same. Reading stops after a part of the time until `deadline`, so that what
    was read is checked; standard input has been waited for already. `content_of` and `parse` are as for
    `read_inputs`.

    Raises:
        UsageProblem: if a path does not exist, or with `filtered`, if nothing at all comes from
            standard input.
    """
    left_out: list[NotLinted] | None = [] if listing else None
    choice = Choice(included, left_out)
    wanted = []
    for each in find_inputs([path for path in paths if path != STDIN], choice=choice):
        if config_of and not each.explicit and config_of(each.name).excluded(each.path):
            choice.leave_out(each.name, "left out by `exclude`")
        else:
            wanted.append(replace(each, explicit=False) if handed_over else each)
    last = deadline.part(_SHARE) if deadline.is_set else deadline
    reading = read_inputs(
        wanted, filtered=filtered, own=own, deadline=last, content_of=content_of, parse=parse
    )
    reading = replace(reading, left_out=tuple(left_out or ()), notes=tuple(choice.problems))
    if STDIN in paths:
        data = read_standard_input()
        if filtered and not data.strip():
            raise UsageProblem(
                "standard input is empty; if a command before `|` writes it, that command failed"
            )
        source = SourceText(stdin_name, load_named(stdin_name, data))
        return replace(reading, sources=(source, *reading.sources))
    return reading


def load_named(name: str, data: bytes, *, variables: bool = False) -> Stream:
    """The documents in the content of a file: all of it, or the fenced parts of a Markdown page.

    `variables` is as for `load`.
    """
    if name.endswith(MARKDOWN):
        from dradsl.text.fences import split_page

        return load(data, splitter=split_page, variables=variables)
    return load(data, variables=variables, parts_once=True)


def read_inputs(
    inputs: Sequence[Input],
    *,
    context: bool = False,
    filtered: bool = False,
    own: Sequence[str] = (),
    deadline: Deadline = NO_DEADLINE,
    content_of: Callable[[str], bytes] | None = None,
    parse: Callable[[str, bytes], Stream] | None = None,
) -> ReadFiles:
    """Read files; one that cannot be read (gone, no permission, too large) is a DRA003 finding.

    With `filtered` files that were found, not named, are read only if they look like Kubernetes;
    those in `own` never. Files whose turn comes after `deadline` are counted. `content_of` gives the
    bytes of a path and raises FileError, `parse` the documents of a name and bytes: an editor has texts that
    are on no disk, and has parsed most files before.
    """
    content_of, parse = content_of or read_bytes, parse or load_named
    sources: list[SourceText] = []
    failures: list[Finding] = []
    skipped: list[NotLinted] = []
    unread = 0
    for each in inputs:
        if unread or deadline.is_over:
            unread += 1
            continue
        if each.outside:
            skipped.append(NotLinted(each.name, OUTSIDE))
            continue
        try:
            data = content_of(each.path)
            values_only = False
            if filtered and not each.explicit:
                from dradsl.tree.inputs.choice import NOT_KUBERNETES

                reason, values_only = _judged(each, data, own)
                if reason is not None:
                    skipped.append(NotLinted(each.name, reason, reason != NOT_KUBERNETES))
                    continue
            stream = parse(each.name, data)
        except FileError as error:
            if filtered and each.top is not None and error.reason == "missing":
                # It was listed, so it is a link to nothing.
                from dradsl.tree.inputs.choice import BROKEN

                skipped.append(NotLinted(each.name, BROKEN, named=False))
                continue
            failures.append(unreadable(each.name, error))
        except Exception as error:
            if os.environ.get("DRADSL_DEBUG"):
                raise
            failures.append(internal_error(each.name, error))
        else:
            sources.append(SourceText(each.name, stream, context, each.top, values_only))
    return ReadFiles(tuple(sources), tuple(failures), tuple(skipped), unread=unread)


def _judged(each: Input, data: bytes, own: Sequence[str]) -> tuple[str | None, bool]:
    """Why a file that was found is not read, None if it is; and whether it may be values at most."""
    from dradsl.tree.inputs import choice

    name = os.path.basename(each.path)
    if name in choice.SETTINGS_NAMES:
        return choice.CONFIGURATION, False
    if name in choice.KUSTOMIZATIONS or name == "Chart.yaml":
        return None, False  # it need not say what it is
    if own and os.path.realpath(each.path) in own:
        return choice.NAMED, False
    text = _text(data)
    if choice.is_baseline(text):
        return choice.BASELINE, False
    if choice.looks_like_kubernetes(text, nested=name.endswith(MARKDOWN)):
        return None, False
    return (None, True) if choice.may_hold_values(text) else (choice.NOT_KUBERNETES, False)


def _text(data: bytes) -> str:
    """The kind of a file's content, as far as it can be recognised."""
    if data.isascii():  # nearly all are, and no other reading is possible then
        return data.decode("ascii")
    from dradsl.text.decoding import DecodingError, decode

    try:
        return decode(data, len(data)).text
    except DecodingError:
        return data.decode("utf-8", "replace")


# Findings about files that could not be checked at all: unreadable ones, and our own mistakes

NO_MEMORY = "not enough memory"
"""What a MemoryError says: it is no error of dradsl itself."""

_SHOWN = 200  # characters of an exception's text, which may quote the file


def unreadable(name: str, error: FileError, what: str = "the file") -> Finding:
    """DRA003 or DRA004: `what`, the file called `name` or a state of it, cannot be read."""
    reason = str(error).removeprefix(f"{error.path}: ")
    rule = rule_named("yaml-limit" if error.reason == "too-large" else "unreadable-file")
    return _finding(rule, name, f"{what} cannot be read: {reason}")


def internal_error(name: str, error: Exception) -> Finding:
    """DRA099: dradsl itself failed while it looked at the file called `name`."""
    if isinstance(error, MemoryError):
        help_ = "give the run more memory, or check fewer files at once"
        return _finding(
            RULES[INTERNAL_ERROR], name, f"the file was not checked: {NO_MEMORY}", help_
        )
    said = " ".join(f"{type(error).__name__}: {error}".split())
    said = said if len(said) <= _SHOWN else f"{said[:_SHOWN]}..."
    help_ = "please report this; DRADSL_DEBUG=1 shows where it happened"
    return _finding(
        RULES[INTERNAL_ERROR], name, f"internal error, the file was not checked: {said}", help_
    )


def _finding(rule: Rule, name: str, message: str, help_: str | None = None) -> Finding:
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=rule.severity,
        message=message,
        path=name,
        span=Span.point(1, 1),
        help=help_,
    )
