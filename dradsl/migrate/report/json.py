"""The report as JSON: version 1 of the shape that docs/migrate.md describes."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from dradsl.migrate.report.open_questions import open_questions
from dradsl.migrate.result import Outcome
from dradsl.values.printable import json_text

if TYPE_CHECKING:
    from dradsl.migrate.report.open_questions import OpenQuestion
    from dradsl.migrate.result import FileMigration, Item, Migration

__all__ = ["render"]


def render(migration: Migration, out: TextIO) -> None:
    """Write the report to `out`."""
    data = {
        "version": 1,
        "strategy": migration.strategy,
        "files": [_file(file) for file in migration.files],
        "questions": [_question(each) for each in open_questions(migration.items())],
        "nextSteps": list(migration.next_steps),
        "checklist": list(migration.checklist),
        "names": list(migration.names),
        "evidence": list(migration.evidence),
        "checks": list(migration.checks),
        "faults": list(migration.faults),
        "summary": {str(outcome): migration.count(outcome) for outcome in Outcome},
    }
    out.write(json_text(data, ascii_only=False) + "\n")


def _question(asked: OpenQuestion) -> dict[str, object]:
    return {
        "question": asked.question.id,
        "text": asked.question.text,
        "reason": asked.reason,
        "workloads": list(asked.workloads),
        "uses": len(asked.items),
        "choices": [{"answer": answer, "effect": effect} for answer, effect in asked.choices],
    }


def _file(file: FileMigration) -> dict[str, object]:
    return {
        "path": file.path,
        "kind": file.kind,
        "changed": file.changed,
        "notes": list(file.notes),
        "uses": [_item(item) for item in file.items],
        "workloads": [
            {"object": each.title, "before": dict(each.before), "after": dict(each.after)}
            for each in file.workloads
        ],
    }


def _item(item: Item) -> dict[str, object]:
    return {
        "line": item.span.line,
        "column": item.span.column,
        "endLine": item.span.end_line,
        "endColumn": item.span.end_column,
        "object": item.object,
        "where": item.where,
        "before": item.before,
        "outcome": str(item.outcome),
        "after": item.after,
        "reason": item.reason,
        "notes": list(item.notes),
        "question": item.question,
        "hint": item.hint,
        "routes": list(item.routes),
        "doubt": item.doubt,
        "proven": item.proven,
    }
