"""A report that holds what formats find hard: odd characters, long lines, fixes, related places."""

from __future__ import annotations

from pathlib import Path

from dradsl.diagnostics import Edit, Finding, Fix, ObjectRef, Related, Severity, Span
from dradsl.lint.report import Report, sort_key
from dradsl.tree.inputs.sources import NotLinted

HERE = Path(__file__).parent
TRAINING = "training.yaml"
WIDE = "wide, 50%.yaml"
SOURCES = {name: (HERE / "input" / name).read_bytes().decode("utf-8") for name in (TRAINING, WIDE)}
CLAIM = ObjectRef("resource.k8s.io/v1", "ResourceClaimTemplate", None, "training-pair")


def span_of(path: str, words: str) -> Span:
    """The place where `words` first are in an input file."""
    before, found, _ = SOURCES[path].partition(words)
    assert found, words
    line = before.count("\n") + 1
    column = len(before) - (before.rfind("\n") + 1) + 1
    rows = words.split("\n")
    end = len(rows[-1]) + (column if len(rows) == 1 else 1)
    return Span(line, column, line + len(rows) - 1, end)


def sample() -> Report:
    """Seven findings of all severities in two files and one without source."""
    findings = (
        Finding(
            "DRA201",
            "unknown-attribute",
            Severity.ERROR,
            'driver gpu.nvidia.com publishes no attribute "model"; did you mean "productName"?',
            TRAINING,
            span_of(TRAINING, "model"),
            object=CLAIM,
            field="spec.spec.devices.requests[0].exactly.selectors[0].cel.expression",
            help="known for type gpu: architecture, brand, productName",
            why="an unknown name is a run-time error: the scheduler aborts the whole pod",
            upstream="accepted by the API server; scheduler: CEL runtime error: no such key: model",
            fix=Fix('replace by "productName"', (Edit(span_of(TRAINING, "model"), "productName"),)),
        ),
        Finding(
            "DRA008",
            "misplaced-field",
            Severity.ERROR,
            "count belongs into exactly",
            TRAINING,
            span_of(TRAINING, "count: 0"),
            object=CLAIM,
            field="spec.spec.devices.requests[0].count",
            upstream='strict decoding error: unknown field "count"\nsecond line',
            kubernetes=("1.34", "1.35"),
            fix=Fix(
                "move it into exactly",
                (
                    Edit(Span(11, 1, 11, 1), "          count: 0\n"),
                    Edit(Span(15, 1, 16, 1), ""),
                ),
            ),
        ),
        Finding(
            "DRA304",
            "invalid-count",
            Severity.WARNING,
            "count has no meaning with allocationMode: All",
            TRAINING,
            span_of(TRAINING, "allocationMode: All"),
            object=CLAIM,
            field="spec.spec.devices.requests[1].exactly.count",
            fix=Fix("remove count", (Edit(Span(17, 52, 17, 62), ""),), "unsafe"),
            origin="chart/templates/claim.yaml",
        ),
        Finding(
            "DRA309",
            "empty-constraint",
            Severity.INFO,
            "the constraint spans one request only\nthat is allowed",
            TRAINING,
            span_of(TRAINING, "- matchAttribute: gpu.nvidia.com/pcieRoot\n        requests: [gpu]"),
            object=CLAIM,
            field="spec.spec.devices.constraints[0]",
            related=(
                Related("the request is here", TRAINING, span_of(TRAINING, "name: gpus")),
                Related("the class is here", "classes.yaml", Span(3, 1, 3, 5)),
            ),
        ),
        Finding(
            "DRA009",
            "invalid-object-name",
            Severity.ERROR,
            "100% <wrong>: use a-z & 0-9",
            WIDE,
            span_of(WIDE, "karte"),
        ),
        Finding(
            "DRA001",
            "yaml-syntax",
            Severity.ERROR,
            "a tab cannot indent",
            WIDE,
            span_of(WIDE, "namespace"),
        ),
        Finding(
            "DRA003",
            "unreadable-file",
            Severity.ERROR,
            "permission denied",
            "/elsewhere/secret.yaml",
            Span(1, 1, 1, 1),
        ),
    )
    return Report(
        findings=tuple(sorted(findings, key=sort_key)),
        files=3,
        documents=12,
        objects=12,
        skipped=tuple(
            NotLinted(f"chart/templates/{name}.yaml", "contains Helm template actions")
            for name in ("a", "b", "c", "d")
        ),
        notes=("no inventory (--slices): 3 rules that need one were skipped",),
        sources=SOURCES,
    )
