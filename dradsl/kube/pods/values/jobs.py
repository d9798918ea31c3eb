"""What the API server's validation rejects in decoded Jobs and CronJobs: modes, policies for failed pods and for
success, schedules.

Sources: kubernetes pkg/apis/batch/validation/validation.go at 1.34.10 to 1.37.2, and the parser of schedules that it
uses (robfig/cron v3).
"""

from __future__ import annotations

from dradsl.kube.pods.values.structs import structs
from dradsl.values.gotext import quote
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from dradsl.kube.errors import Path
    from dradsl.kube.pods.values.structs import Findings, Relation

__all__ = ["RELATIONS"]

_ZONE = pattern(r"(?!\.{1,2}$)[A-Za-z._0-9+][-A-Za-z._0-9+]{0,13}")
_MOST_INDEXED = 100_000
_LONGEST_RANGE = 21  # characters of two indexes
_DIGITS = 18  # of a number that is in range


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
        digits = all(end.isascii() and end.isdecimal() for end in ends)
        if not digits or len(ends) > 2 or len(each) > _LONGEST_RANGE:
            return None
        low, high = int(ends[0]), int(ends[-1])
        if not last < low <= high < completions or (len(ends) == 2 and low == high):
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


_CRON_FIELDS = (
    *((0, 59, ""), (0, 23, ""), (1, 31, "")),
    (1, 12, "jan feb mar apr may jun jul aug sep oct nov dec"),
    (0, 6, "sun mon tue wed thu fri sat"),
)
_CRON_WORDS = frozenset(
    {"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"}
)


def _cron_job(spec: Any, path: Path, found: Findings) -> None:
    text, zone = spec.get("schedule") or "", spec.get("timeZone")
    try:
        if text and "TZ" not in text and not text.startswith("@every "):
            _read_schedule(text)
    except ValueError as error:
        found.invalid((*path, "schedule"), text, str(error))
    if zone and not all(map(_ZONE.fullmatch, zone.split("/"))):
        found.invalid((*path, "timeZone"), zone, f"unknown time zone {zone}")


def _read_schedule(text: str) -> None:
    """Read a schedule as the parser of upstream does.

    Raises:
        ValueError: with that parser's words.
    """
    if text.startswith("@"):
        if text not in _CRON_WORDS:
            raise ValueError(f"unrecognized descriptor: {text}")
        return
    fields = text.split()
    if len(fields) != len(_CRON_FIELDS):
        shown = " ".join(fields)
        raise ValueError(f"expected exactly 5 fields, found {len(fields)}: [{shown}]")
    for each, (low, high, names) in zip(fields, _CRON_FIELDS, strict=True):
        for part in filter(None, each.split(",")):
            _read_range(part, low, high, names.split())


def _read_range(text: str, low: int, high: int, names: list[str]) -> None:
    """Read `FROM-TO/STEP`, of which all but the first may be missing."""
    span, *steps = text.split("/")
    first, *more = span.split("-")
    start, end = low, high
    if first not in ("*", "?"):
        start, *ends = (
            low + names.index(each.lower()) if each.lower() in names else _number(each)
            for each in (first, *more[:1])
        )
        end = ends[0] if ends else start
        if more[1:]:
            raise ValueError(f"too many hyphens: {text}")
    if steps[1:]:
        raise ValueError(f"too many slashes: {text}")
    step = _number(steps[0]) if steps else 1
    if steps and not more:
        end = high
    if start < low:
        raise ValueError(f"beginning of range ({start}) below minimum ({low}): {text}")
    if end > high:
        raise ValueError(f"end of range ({end}) above maximum ({high}): {text}")
    if start > end:
        raise ValueError(f"beginning of range ({start}) beyond end of range ({end}): {text}")
    if not step:
        raise ValueError(f"step of range should be a positive number: {text}")


def _number(text: str) -> int:
    is_number = text.isascii() and text.removeprefix("+").isdecimal()
    if not is_number or len(text) > _DIGITS:
        what = "value out of range" if is_number else "invalid syntax"
        raise ValueError(
            f"failed to parse int from {text}: strconv.Atoi: parsing {quote(text)}: {what}"
        )
    return int(text)


RELATIONS: Mapping[str, Relation] = {
    "v1.CronJobSpec": _cron_job,
    "v1.JobSpec": _job,
    "v1.PodFailurePolicyOnExitCodesRequirement": _exit_codes,
    "v1.SuccessPolicyRule": _success_rule,
}
