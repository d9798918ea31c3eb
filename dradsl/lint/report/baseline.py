"""Baselines: accept the findings of today, report those that come after."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence

from dradsl.diagnostics import Finding
from dradsl.lint.report.fingerprint import fingerprints
from dradsl.lint.report.places import SourceLines, relative_path
from dradsl.lint.settings.problems import ConfigError
from dradsl.text.files import BASELINE_BYTES, FileError, StrPath, absolute, read_bytes
from dradsl.tree.replacing import write_bytes

__all__ = ["new_findings", "write_baseline"]

_VERSION = 1

Entry = tuple[str, str, str]  # code, path relative to the baseline's folder, fingerprint


def new_findings(
    path: StrPath, findings: Sequence[Finding], sources: Mapping[str, str]
) -> tuple[Finding, ...]:
    """The findings that a baseline file does not hold; `sources` are the texts by path, as in a report.

    Raises:
        ConfigError: if it cannot be read or is not a baseline.
    """
    known = {_read_entry(row, path) for row in _rows(path)}
    keys = _entries(findings, sources, _root_of(path))
    return tuple(f for f, key in zip(findings, keys, strict=True) if key not in known)


def _rows(path: StrPath) -> list[object]:
    try:
        data = json.loads(read_bytes(path, BASELINE_BYTES))
    except FileError as error:
        reason = str(error).removeprefix(f"{error.path}: ")
        raise _wrong(path, f"cannot be read: {reason}") from error
    except (ValueError, RecursionError) as error:
        raise _wrong(path, f"is not JSON: {error}") from error
    if not isinstance(data, dict) or data.get("version") != _VERSION:
        raise _wrong(path, f"is not a baseline of version {_VERSION}")
    rows = data.get("findings")
    if not isinstance(rows, list):
        raise _wrong(path, "has no list of findings")
    return rows


def _wrong(path: StrPath, reason: str) -> ConfigError:
    return ConfigError(None, f"{path}: {reason}")


def write_baseline(path: StrPath, findings: Sequence[Finding], sources: Mapping[str, str]) -> int:
    """Write all `findings` as a baseline, whole or not at all; returns how many it holds.

    Raises:
        FileError: if the file cannot be written.
    """
    entries = sorted(_entries(findings, sources, _root_of(path)))
    rows = [{"code": code, "path": file, "fingerprint": mark} for code, file, mark in entries]
    text = json.dumps({"version": _VERSION, "findings": rows}, indent=2) + "\n"
    write_bytes(path, text.encode("utf-8"))
    return len(rows)


def _root_of(path: StrPath) -> str:
    return os.path.dirname(absolute(path))


def _read_entry(row: object, path: StrPath) -> Entry:
    if isinstance(row, dict):
        code, file, mark = row.get("code"), row.get("path"), row.get("fingerprint")
        if isinstance(code, str) and isinstance(file, str) and isinstance(mark, str):
            return code, file, mark
    raise _wrong(path, "a finding without code, path and fingerprint")


def _entries(findings: Iterable[Finding], sources: Mapping[str, str], root: StrPath) -> list[Entry]:
    listed = tuple(findings)
    marks = fingerprints(listed, SourceLines(sources))
    paths = {path: relative_path(path, root) for path in {finding.path for finding in listed}}
    return [(f.code, paths[f.path], mark) for f, mark in zip(listed, marks, strict=True)]
