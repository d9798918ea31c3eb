"""What programs call: the functions behind the commands, with typed results.

`import dradsl` offers all of it by its short name; nothing else in dradsl is promised to stay.
"""

from __future__ import annotations

from dradsl.api.fleet import Fleet
from dradsl.api.linting import lint
from dradsl.api.migrating import MigratedFile, MigrationItem, MigrationResult, migrate
from dradsl.api.simulating import (
    AllocatedDevice,
    PodResult,
    SimulationResult,
    fit,
    simulate,
)
from dradsl.api.sweeping import Sweep, SweepRow, sweep
from dradsl.diagnostics import Finding, ObjectRef, Related, Severity, Span
from dradsl.dsl.checking.results import LintResult

__all__ = [
    "AllocatedDevice",
    "Finding",
    "Fleet",
    "LintResult",
    "MigratedFile",
    "MigrationItem",
    "MigrationResult",
    "ObjectRef",
    "PodResult",
    "Related",
    "Severity",
    "SimulationResult",
    "Span",
    "Sweep",
    "SweepRow",
    "fit",
    "lint",
    "migrate",
    "simulate",
    "sweep",
]
