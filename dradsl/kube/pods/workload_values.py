"""What the API server's validation rejects in a decoded Pod or workload as a whole: its metadata, its pod spec,
selectors against labels, strategies, the modes of Jobs, the schedule of a CronJob.

Sources: kubernetes pkg/apis/apps/validation, pkg/apis/batch/validation and pkg/apis/core/validation (validation.go) at
1.34.10 to 1.37.2.
"""

from __future__ import annotations

from dradsl.kube.pods.relations import pod_errors, selector_errors, volume_claim_errors
from dradsl.kube.pods.types import fields_of, types
from dradsl.kube.pods.values import Findings, constraint_errors
from dradsl.kube.pods.workloads import PLACES
from dradsl.kube.validation.formats import dns_label, expected, label_key
from dradsl.kube.validation.metadata import check_metadata
from dradsl.records import replace
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from dradsl.kube.context import Context
    from dradsl.kube.errors import FieldError, Path

__all__ = ["value_errors"]

_PERCENT = pattern(r"[0-9]+%")
_ZONE = pattern(r"(?!\.{1,2}$)[A-Za-z._0-9+][-A-Za-z._0-9+]{0,13}")
_SPEC: Path = ("spec",)
_LONGEST_CRON_JOB = 52
_GENERATED = "12345"  # as long as what the server appends


def value_errors(obj: Mapping[str, Any], release: str, context: Context) -> list[FieldError]:
    """The errors of an object that can be decoded, but for its claims and extended resources."""
    found = Findings(context.rules, release)
    kind = str(obj["kind"])
    obj = _without_nulls(obj, f"v1.{kind}")
    _metadata(obj, kind, found, context)
    place = PLACES[str(obj["apiVersion"]), kind]
    above: Any = obj
    for step in place[:-1]:
        above = above.get(step) or {}
    if kind != "Pod" and kind != "PodTemplate":
        _workload(obj.get("spec") or {}, kind, _SPEC, found)
    if kind == "Pod":
        pod_errors(obj.get("spec") or {}, place, found, is_pod=True)
    elif kind != "ReplicationController" or (obj.get("spec") or {}).get("template") is not None:
        _template(above, place[:-1], obj, found)
    return list(dict.fromkeys(map(_plain, found.errors)))


def _without_nulls(value: Any, type_: str) -> Any:
    """A value of a Go type without nulls: fields that are not set, and items that are empty."""
    is_ = types().get(type_, type_)
    if value is None:
        return {} if isinstance(is_, dict) else "" if is_ == "string" else 0
    if isinstance(is_, dict):
        fields = fields_of(type_)
        return {
            key: _without_nulls(each, fields[key].type)
            for key, each in value.items()
            if each is not None
        }
    if isinstance(value, list):
        return [_without_nulls(each, is_[2:].lstrip("*")) for each in value]
    if isinstance(value, dict) and is_.startswith("map["):
        return {key: _without_nulls(each, is_.partition("]")[2]) for key, each in value.items()}
    return value


def _plain(error: FieldError) -> FieldError:
    """An error without what only the declarative rules need, so that the same is said once."""
    return replace(error, value=_frozen(error.value))


def _frozen(value: object) -> object:
    return value if not isinstance(value, dict | list) else str(value)


def _metadata(obj: Mapping[str, Any], kind: str, found: Findings, context: Context) -> None:
    meta = dict(obj.get("metadata") or {})
    if not meta.get("name") and meta.get("generateName"):
        meta["name"] = meta["generateName"] + _GENERATED
    meta.setdefault("namespace", "default")
    meta["namespace"] = meta["namespace"] or "default"
    meta = {key: value for key, value in meta.items() if value is not None}
    found.errors += check_metadata(meta, context, namespaced=True)  # type: ignore[arg-type]
    name, at = meta.get("name") or "", ("metadata", "name")
    if kind == "StatefulSet" and name and "." in name:
        for message in dns_label(name):
            found.invalid(at, name, message)
    if kind == "CronJob" and len(name.encode()) > _LONGEST_CRON_JOB:
        found.invalid(at, name, "must be no more than 52 characters")
    spec = obj.get("spec") or {}
    if (
        kind == "Job"
        and spec.get("completionMode") == "Indexed"
        and (spec.get("completions") or 0) > 0
    ):
        host = f"{name}-{spec['completions'] - 1}"
        if dns_label(host):
            found.invalid(at, name, f"will not able to create pod with invalid DNS label: {host}")


def _template(template: Any, path: Path, obj: Mapping[str, Any], found: Findings) -> None:
    meta = template.get("metadata") or {}
    found.labels((*path, "labels"), meta.get("labels"))
    for key in sorted(meta.get("annotations") or {}):
        for message in label_key(key.lower(), found.rules):
            found.invalid((*path, "annotations"), key, message)
    spec = template.get("spec") or {}
    claims = (obj.get("spec") or {}).get("volumeClaimTemplates") or []
    if obj["kind"] == "StatefulSet":
        spec = {key: value for key, value in spec.items() if key not in ("hostname", "subdomain")}
        names = [((each or {}).get("metadata") or {}).get("name") or "" for each in claims]
        added = [
            {"name": name, "persistentVolumeClaim": {"claimName": name}}
            for name in dict.fromkeys(names)
        ]
        if added:
            own = [v for v in spec.get("volumes") or () if (v or {}).get("name") not in names]
            spec["volumes"] = own + added
    pod_errors(spec, (*path, "spec"), found, is_pod=False)


def _workload(spec: Any, kind: str, path: Path, found: Findings) -> None:
    if kind == "CronJob":
        constraint_errors(_but(spec, "jobTemplate"), "v1.CronJobSpec", path, found)
        _schedule(spec, path, found)
        spec = (spec.get("jobTemplate") or {}).get("spec") or {}
        path = (*path, "jobTemplate", "spec")
    type_ = "v1.JobSpec" if kind in ("Job", "CronJob") else f"v1.{kind}Spec"
    constraint_errors(_but(spec, *_SELF), type_, path, found)
    if spec.get("selector") is not None and kind in ("Job", "CronJob"):
        constraint_errors(spec["selector"], "v1.LabelSelector", (*path, "selector"), found)
    template = spec.get("template") or {}
    pod = template.get("spec") or {}
    if kind in ("Job", "CronJob"):
        _job(spec, pod, path, found)
        if kind == "Job" and spec.get("manualSelector"):
            if spec.get("selector") is None:
                found.required((*path, "selector"))
            selector_errors(spec.get("selector"), (*path, "selector"), found)
            _matches(spec.get("selector") or {}, template, path, found)
        return
    at = (*path, "template", "spec")
    if pod.get("restartPolicy") not in (None, "", "Always"):
        found.one_of((*at, "restartPolicy"), pod["restartPolicy"], ("Always",))
    if pod.get("activeDeadlineSeconds") is not None:
        name = "ReplicaSet" if kind == "Deployment" else kind
        text = f"activeDeadlineSeconds in {name} is not Supported"
        found.forbidden((*at, "activeDeadlineSeconds"), text)
    selector = spec.get("selector")
    if kind == "ReplicationController":
        # By default the selector is the labels of the template.
        is_missing = not selector and not (template.get("metadata") or {}).get("labels")
    else:
        is_missing = selector is None and kind != "DaemonSet"
    if is_missing:
        found.required((*path, "selector"))
    if kind == "ReplicationController":
        if spec.get("template") is None:
            found.required((*path, "template"))
        elif selector:
            _matches({"matchLabels": selector}, template, path, found)
    elif selector is not None:
        before = len(found.errors)
        constraint_errors(selector, "v1.LabelSelector", (*path, "selector"), found)
        selector_errors(selector, (*path, "selector"), found)
        if kind != "DaemonSet" and len(found.errors) > before:
            text = "" if kind == "StatefulSet" else "invalid label selector"
            found.invalid((*path, "selector"), selector, text)
        elif not selector.get("matchLabels") and not selector.get("matchExpressions"):
            name = {"ReplicaSet": "deployment"}.get(kind, kind.lower())
            found.invalid((*path, "selector"), selector, f"empty selector is invalid for {name}")
        else:
            _matches(selector, template, path, found)
    else:
        labels = (template.get("metadata") or {}).get("labels") or {}
        text = "`selector` does not match template `labels`"
        found.invalid(
            (*path, "template", "metadata", "labels"), labels, text, "labels-not-selected"
        )
    _strategy(spec, kind, path, found)
    if kind == "Deployment":
        deadline, ready = spec.get("progressDeadlineSeconds"), spec.get("minReadySeconds") or 0
        if (600 if deadline is None else deadline) <= ready:
            at = (*path, "progressDeadlineSeconds")
            found.invalid(at, deadline, "must be greater than minReadySeconds")


# What is judged with more than its own fields.
_SELF = ("template", "selector")


def _but(spec: Any, *names: str) -> dict[str, Any]:
    return {key: value for key, value in spec.items() if key not in names}


def _matches(selector: Any, template: Any, path: Path, found: Findings) -> None:
    """Whether the labels of the template match the selector, if this one is valid."""
    labels = (template.get("metadata") or {}).get("labels") or {}
    if any(error.path[: len(path) + 1] == (*path, "selector") for error in found.errors):
        return
    fits = all(
        labels.get(key) == (value or "") and key in labels
        for key, value in (selector.get("matchLabels") or {}).items()
    )
    for rule in selector.get("matchExpressions") or ():
        key, operator, values = rule.get("key"), rule.get("operator"), rule.get("values") or ()
        if operator in ("In", "Exists"):
            fits &= key in labels and (operator == "Exists" or labels[key] in values)
        else:
            fits &= key not in labels or (operator == "NotIn" and labels[key] not in values)
    if not fits:
        text = "`selector` does not match template `labels`"
        found.invalid(
            (*path, "template", "metadata", "labels"), labels, text, "labels-not-selected"
        )


def _strategy(spec: Any, kind: str, path: Path, found: Findings) -> None:
    key = "strategy" if kind == "Deployment" else "updateStrategy"
    strategy, at = spec.get(key) or {}, (*path, key)
    type_ = strategy.get("type") or "RollingUpdate"
    rolling = strategy.get("rollingUpdate")
    if kind == "StatefulSet":
        _stateful(spec, type_, rolling, at, found)
    elif kind == "Deployment":
        if type_ == "Recreate":
            if rolling is not None:
                text = "may not be specified when strategy `type` is 'Recreate'"
                found.forbidden((*at, "rollingUpdate"), text)
        elif type_ == "RollingUpdate":
            _rolling(rolling or {}, (*at, "rollingUpdate"), ("25%", "25%"), found)
        else:
            found.one_of(at, type_, ("Recreate", "RollingUpdate"))
    elif kind == "DaemonSet":
        if type_ == "RollingUpdate":
            _rolling(rolling or {}, (*at, "rollingUpdate"), (1, 0), found, exclusive=True)
        elif type_ != "OnDelete":
            found.one_of(at, type_, ("RollingUpdate", "OnDelete"))


def _rolling(
    rolling: Any, path: Path, defaults: tuple[Any, Any], found: Findings, *, exclusive: bool = False
) -> None:
    amounts = {}
    for name, default in zip(("maxUnavailable", "maxSurge"), defaults, strict=True):
        value = rolling.get(name)
        value = default if value is None else value
        before = len(found.errors)
        _amount(value, (*path, name), found)
        if (exclusive or name == "maxUnavailable") and len(found.errors) == before:
            _at_most_all(value, (*path, name), found)
        amounts[name] = _number(value)
    if exclusive and amounts["maxUnavailable"] and amounts["maxSurge"]:
        text = "may not be set when maxUnavailable is non-zero"
        found.invalid((*path, "maxSurge"), rolling.get("maxSurge"), text)
    elif not any(amounts.values()):
        if exclusive:
            found.required((*path, "maxUnavailable"), "cannot be 0 when maxSurge is 0")
        else:
            text = "may not be 0 when `maxSurge` is 0"
            found.invalid((*path, "maxUnavailable"), rolling.get("maxUnavailable"), text)


def _amount(value: Any, path: Path, found: Findings) -> None:
    """A number, or a percentage."""
    if not isinstance(value, str):
        found.named(path, value, ">=0")
    elif not _PERCENT.fullmatch(value):
        text = "a valid percent string must be a numeric string followed by an ending '%'"
        found.invalid(path, value, expected(text, "[0-9]+%", "1%", "93%"))


def _at_most_all(value: Any, path: Path, found: Findings) -> None:
    if isinstance(value, str) and _number(value) > 100:
        found.invalid(path, value, "must not be greater than 100%")


def _number(value: Any) -> int:
    if not isinstance(value, str):
        return int(value)
    digits = value.removesuffix("%") if _PERCENT.fullmatch(value) else value
    return int(digits) if digits.lstrip("+-").isdecimal() else 0


def _stateful(spec: Any, type_: str, rolling: Any, at: Path, found: Findings) -> None:
    path = at[:-1]
    policy = spec.get("podManagementPolicy") or "OrderedReady"
    if policy not in ("OrderedReady", "Parallel"):
        text = "must be 'OrderedReady' or 'Parallel'"
        found.invalid((*path, "podManagementPolicy"), policy, text)
    if type_ == "OnDelete" and rolling is not None:
        text = "only allowed for updateStrategy 'RollingUpdate'"
        found.invalid((*at, "rollingUpdate"), rolling, text)
    elif type_ not in ("OnDelete", "RollingUpdate"):
        found.invalid(at, type_, "must be 'RollingUpdate' or 'OnDelete'")
    start = (spec.get("ordinals") or {}).get("start") or 0
    found.named((*path, "ordinals.start"), start, ">=0")
    for index, claim in enumerate(spec.get("volumeClaimTemplates") or ()):
        place = (*path, "volumeClaimTemplates", index, "spec")
        claim_spec = (claim or {}).get("spec") or {}
        volume_claim_errors(claim_spec, place, found)


_MOST_INDEXED = 100_000
_ACTIONS = ("Count", "FailIndex", "FailJob", "Ignore")


def _job(spec: Any, pod: Any, path: Path, found: Findings) -> None:
    indexed = spec.get("completionMode") == "Indexed"
    plain = spec.get("completionMode") in (None, "NonIndexed")
    if indexed and spec.get("completions") is None and spec.get("parallelism") is not None:
        found.required((*path, "completions"), "when completion mode is Indexed")
    per_index, most = spec.get("backoffLimitPerIndex"), spec.get("maxFailedIndexes")
    if most is not None and per_index is None:
        found.required((*path, "backoffLimitPerIndex"), "when maxFailedIndexes is specified")
    if indexed and most is not None and most > (spec.get("completions") or most):
        text = "must be less than or equal to completions"
        found.invalid((*path, "maxFailedIndexes"), most, text)
    for name in ("backoffLimitPerIndex", "maxFailedIndexes"):
        if plain and spec.get(name) is not None:
            found.invalid((*path, name), spec[name], "requires indexed completion mode")
    for name in ("parallelism", "maxFailedIndexes"):
        if indexed and (spec.get(name) or 0) > _MOST_INDEXED:
            more = " when completion mode is Indexed" if name == "parallelism" else ""
            text = f"must be less than or equal to {_MOST_INDEXED}{more}"
            found.invalid((*path, name), spec[name], text)
    if spec.get("successPolicy") is not None:
        at = (*path, "successPolicy")
        if not indexed:
            found.invalid(at, spec["successPolicy"], "requires indexed completion mode")
        elif not spec["successPolicy"].get("rules"):
            text = "at least one rules must be specified when the successPolicy is specified"
            found.required((*at, "rules"), text)
        else:
            for index, rule in enumerate(spec["successPolicy"]["rules"]):
                _success_rule(rule, (*at, "rules", index), spec.get("completions"), found)
    policy, place = spec.get("podFailurePolicy"), (*path, "podFailurePolicy", "rules")
    names = {
        (each or {}).get("name") or ""
        for part in ("containers", "initContainers")
        for each in pod.get(part) or ()
    }
    for index, rule in enumerate((policy or {}).get("rules") or ()):
        _failure_rule(rule or {}, (*place, index), found, names, per_index)
    replacement = spec.get("podReplacementPolicy")
    if replacement is not None:
        known = ("Failed",) if policy is not None else ("Failed", "TerminatingOrFailed")
        found.one_of((*path, "podReplacementPolicy"), replacement, known)
    restart = pod.get("restartPolicy") or "Always"
    at = (*path, "template", "spec", "restartPolicy")
    if restart == "Always":
        found.required(at, 'valid values: "OnFailure", "Never"')
    elif restart not in ("OnFailure", "Never"):
        found.one_of(at, restart, ("OnFailure", "Never"))
    elif policy is not None and restart != "Never":
        text = 'only "Never" is supported when podFailurePolicy is specified'
        found.invalid(at, restart, text)


def _success_rule(rule: Any, path: Path, completions: int | None, found: Findings) -> None:
    count, indexes = rule.get("succeededCount"), rule.get("succeededIndexes")
    if count is None and indexes is None:
        text = "at least one of succeededCount or succeededIndexes must be specified"
        found.required(path, text)
    completions = 1 if completions is None else completions
    total = _indexes(indexes or "", completions)
    if total is None:
        text = "error parsing succeededIndexes: this is no list of ordered indexes"
        found.invalid((*path, "succeededIndexes"), indexes, text)
    if count is None:
        return
    at = (*path, "succeededCount")
    found.named(at, count, ">=0")
    if count > completions:
        text = f"must be less than or equal to {completions} (the number of specified completions)"
        found.invalid(at, count, text)
    if indexes is not None and count > (total or 0):
        text = (
            f"must be less than or equal to {total or 0} (the number of indexes in the specified"
            " succeededIndexes field)"
        )
        found.invalid(at, count, text)


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


def _choice(value: Any, path: Path, known: tuple[str, ...], found: Findings) -> None:
    """One of a list, which upstream writes differently where there is none."""
    if not value:
        quoted = " ".join(f'"{each}"' for each in known)
        found.required(path, f"valid values: [{quoted}]")
    else:
        found.one_of(path, value, known)


def _failure_rule(
    rule: Any, path: Path, found: Findings, names: set[str], per_index: object
) -> None:
    if rule.get("action") == "FailIndex" and per_index is None:
        text = "requires the backoffLimitPerIndex to be set"
        found.invalid((*path, "action"), "FailIndex", text)
    else:
        _choice(rule.get("action"), (*path, "action"), _ACTIONS, found)
    codes, conditions = rule.get("onExitCodes"), rule.get("onPodConditions") or ()
    if codes is not None and conditions:
        text = "specifying both OnExitCodes and OnPodConditions is not supported"
        found.invalid(path, rule, text)
    if codes is None and not conditions:
        text = "specifying one of OnExitCodes and OnPodConditions is required"
        found.invalid(path, rule, text)
    for index, condition in enumerate(conditions):
        at = (*path, "onPodConditions", index, "status")
        status = (condition or {}).get("status") or "True"  # the default
        _choice(status, at, ("False", "True", "Unknown"), found)
    if codes is None:
        return
    at = (*path, "onExitCodes")
    _choice(codes.get("operator"), (*at, "operator"), ("In", "NotIn"), found)
    values = [each or 0 for each in codes.get("values") or ()]
    if codes.get("containerName") is not None and codes["containerName"] not in names:
        text = "must be one of the container or initContainer names in the pod template"
        found.invalid((*at, "containerName"), codes["containerName"], text)
    if not values:
        found.invalid((*at, "values"), None, "at least one value is required")
    for index, value in enumerate(values):
        if value == 0 and codes.get("operator") == "In":
            found.invalid((*at, "values", index), 0, "must not be 0 for the In operator")
        if value in values[:index]:
            found.duplicate((*at, "values", index), value)
    if values != sorted(values):
        found.invalid((*at, "values"), values, "must be ordered")


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
    text, at = spec.get("schedule") or "", (*path, "schedule")
    if not text:
        return
    if "TZ" in text:
        detail = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
        found.invalid(at, text, detail)
    elif not text.startswith("@every ") and not _is_schedule(text):
        found.invalid(at, text, _schedule_detail(text))
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
