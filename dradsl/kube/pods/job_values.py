"""What the API server's validation rejects in decoded Jobs and CronJobs: modes, policies for failed pods and for
success, schedules.

Sources: kubernetes pkg/apis/batch/validation/validation.go at 1.34.10 to 1.37.2, and the parser of schedules that it
uses (robfig/cron v3).
"""

from __future__ import annotations

from dradsl.kube.pods.values import structs
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from dradsl.kube.errors import Path
    from dradsl.kube.pods.values import Findings, Relation

__all__ = ["RELATIONS"]

_ZONE = pattern(r"(?!\.{1,2}$)[A-Za-z._0-9+][-A-Za-z._0-9+]{0,13}")
_MOST_INDEXED = 100_000


def _job(spec: Any, path: Path, found: Findings) -> Any:
    indexed = spec.get("completionMode") == "Indexed"
    most, completions = spec.get("maxFailedIndexes"), spec.get("completions")
    if indexed and None not in (most, completions) and most > completions:
        text = "must be less than or equal to completions"
        found.invalid((*path, "maxFailedIndexes"), most, text)
    for name in ("parallelism", "maxFailedIndexes"):
        if indexed and (spec.get(name) or 0) > _MOST_INDEXED:
            more = " when completion mode is Indexed" if name == "parallelism" else ""
            text = f"must be less than or equal to {_MOST_INDEXED}{more}"
            found.invalid((*path, name), spec[name], text)
    has_policy, replacement = spec.get("podFailurePolicy") is not None, "podReplacementPolicy"
    if spec.get(replacement) is not None:
        known = ("Failed",) if has_policy else ("Failed", "TerminatingOrFailed")
        found.one_of((*path, replacement), spec[replacement], known)
    restart = found.pod.get("restartPolicy") or "Always"
    at = (*path, "template", "spec", "restartPolicy")
    if restart == "Always":
        found.required(at, 'valid values: "OnFailure", "Never"')
    elif restart == "OnFailure" and has_policy:
        text = 'only "Never" is supported when podFailurePolicy is specified'
        found.invalid(at, restart, text)
    else:
        found.one_of(at, restart, ("OnFailure", "Never"))
    # A policy for success is looked into only there.
    return spec if indexed else {**spec, "successPolicy": None}


def _success_rule(rule: Any, path: Path, found: Findings) -> None:
    count, indexes = rule.get("succeededCount"), rule.get("succeededIndexes")
    completions = found.job.get("completions")
    completions = 1 if completions is None else completions
    total = _indexes(indexes or "", completions)
    if total is None:
        text = "error parsing succeededIndexes: this is no list of ordered indexes"
        found.invalid((*path, "succeededIndexes"), indexes, text)
    limits = {completions: "specified completions"}
    if indexes is not None:
        limits[total or 0] = "indexes in the specified succeededIndexes field"
    for most, of in limits.items():
        if count is not None and count > most:
            text = f"must be less than or equal to {most} (the number of {of})"
            found.invalid((*path, "succeededCount"), count, text)


def _indexes(text: str, completions: int) -> int | None:
    """How many indexes a text such as `0,2-4` lists; None if it is not in order or in range."""
    total, last = 0, -1
    for each in text.split(",") if text else ():
        ends = each.split("-")
        if not all(end.isascii() and end.isdecimal() for end in ends) or len(ends) > _STEPS:
            return None
        low, high = int(ends[0]), int(ends[-1])
        if not last < low <= high < completions or (len(ends) == _STEPS and low == high):
            return None
        total, last = total + high - low + 1, high
    return total


def _exit_codes(codes: Any, path: Path, found: Findings) -> None:
    name, parts = codes.get("containerName"), ("containers", "initContainers")
    names = {each.get("name") for part in parts for _, each in structs(found.pod, part, path)}
    if name is not None and name not in names:
        text = "must be one of the container or initContainer names in the pod template"
        found.invalid((*path, "containerName"), name, text)
    values, at = [each or 0 for each in codes.get("values") or ()], (*path, "values")
    for index, value in enumerate(values):
        if value == 0 and codes.get("operator") == "In":
            found.invalid((*at, index), 0, "must not be 0 for the In operator")
        if value in values[:index]:
            found.duplicate((*at, index), value)
    if values != sorted(values):
        found.invalid(at, values, "must be ordered")


_CRON_RANGES = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))
_CRON_NAMES = (
    *((), (), ()),
    ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"),
    ("sun", "mon", "tue", "wed", "thu", "fri", "sat"),
)
_CRON_WORDS = frozenset(
    {"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"}
)
_STEPS = 2


def _schedule(spec: Any, path: Path, found: Findings) -> None:
    text = spec.get("schedule") or ""
    if text and "TZ" not in text and not text.startswith("@every ") and not _is_schedule(text):
        found.invalid((*path, "schedule"), text, _schedule_detail(text))
    zone = spec.get("timeZone")
    if zone == "":
        found.invalid((*path, "timeZone"), zone, "timeZone must be nil or non-empty string")
    elif zone is not None and not all(map(_ZONE.fullmatch, zone.split("/"))):
        found.invalid((*path, "timeZone"), zone, f"unknown time zone {zone}")


def _schedule_detail(text: str) -> str:
    fields = text.split()
    if len(fields) != len(_CRON_RANGES) and not text.startswith("@"):
        shown = " ".join(fields)
        return f"expected exactly 5 fields, found {len(fields)}: [{shown}]"
    return "this is no schedule"


def _is_schedule(text: str) -> bool:
    """Whether the parser of upstream (robfig/cron v3, standard form) reads it."""
    if text.startswith("@"):
        return text in _CRON_WORDS
    fields = text.split()
    return len(fields) == len(_CRON_RANGES) and all(
        _is_cron_range(part, *limits, names)
        for each, limits, names in zip(fields, _CRON_RANGES, _CRON_NAMES, strict=True)
        for part in each.split(",")
        if part
    )


def _is_cron_range(text: str, low: int, high: int, names: tuple[str, ...]) -> bool:
    span, *steps = text.split("/")
    if len(steps) >= _STEPS or (steps and not (steps[0].isdecimal() and int(steps[0]) > 0)):
        return False
    ends = span.split("-")
    if ends[0] in ("*", "?"):
        return True
    first = low or 0
    numbers = [
        names.index(each.lower()) + first
        if each.lower() in names
        else int(each)
        if each.isdecimal()
        else -1
        for each in ends
    ]
    return len(ends) <= _STEPS and low <= numbers[0] <= numbers[-1] <= high


RELATIONS: Mapping[str, Relation] = {
    "v1.CronJobSpec": _schedule,
    "v1.JobSpec": _job,
    "v1.PodFailurePolicyOnExitCodesRequirement": _exit_codes,
    "v1.SuccessPolicyRule": _success_rule,
}
