"""What the API server's validation rejects in a decoded Pod or workload as a whole: its metadata, its pod spec,
selectors against labels, strategies, the modes of Jobs, the schedule of a CronJob.

Sources: kubernetes pkg/apis/apps/validation, pkg/apis/batch/validation and pkg/apis/core/validation (validation.go) at
1.34.10 to 1.37.2.
"""

from __future__ import annotations

import functools

from dradsl.kube.pods.types import fields_of, types
from dradsl.kube.pods.values.pods import RELATIONS, pod_errors
from dradsl.kube.pods.values.structs import Findings, struct_errors
from dradsl.kube.pods.workloads import PLACES
from dradsl.kube.validation.formats import dns_label, expected, label_key
from dradsl.kube.validation.metadata import check_metadata
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from dradsl.kube.context import Context
    from dradsl.kube.errors import FieldError, Path
    from dradsl.kube.pods.values.structs import Relation

__all__ = ["value_errors"]

_PERCENT = pattern(r"[0-9]+%")
_DEADLINE = 600  # seconds, the default of a Deployment
_LABELS = ("template", "metadata", "labels")
_UID = "batch.kubernetes.io/controller-uid"
_LONGEST_CRON_JOB = 52
_GENERATED = "12345"  # as long as what the server appends


def value_errors(
    obj: Mapping[str, Any], release: str, context: Context, *, has_nulls: bool
) -> list[FieldError]:
    """The errors of an object that can be decoded, but for its claims and extended resources."""
    kind = str(obj["kind"])
    if has_nulls:
        obj = _without_nulls(obj, f"v1.{kind}")
    meta = dict(obj.get("metadata") or {})
    if not meta.get("name") and meta.get("generateName"):
        meta["name"] = meta["generateName"] + _GENERATED
    obj = {**obj, "metadata": meta}
    found = Findings(context.rules, release, _relations(kind), obj)
    _metadata(obj, kind, found, context)
    place: Path = PLACES[str(obj["apiVersion"]), kind]
    above: list[Any] = [obj]
    for step in place[:-1]:
        above.append(above[-1].get(str(step)) or {})
    spec = obj.get("spec") or {}
    if kind == "Pod":
        pod_errors(spec, place, found)
    else:
        found.pod = above[-1].get("spec") or {}
        if kind == "CronJob":
            struct_errors(spec, "v1.CronJobSpec", ("spec",), found)
        if kind in ("Job", "CronJob"):
            found.job = above[-2]
            _workload(found.job, kind, place[:-2], found)
        elif kind != "PodTemplate":
            _workload(spec, kind, ("spec",), found)
        selector = ("spec", "selector")
        skipped = kind == "ReplicationController" and spec.get("template") is None
        if kind == "StatefulSet":  # its template is looked into with a selector that can be read
            skipped = any(each.path[:2] == selector for each in found.errors if len(each.path) > 2)
        if not skipped:
            _template(above[-1], place[:-1], obj, found)
    return list({str(each): each for each in found.errors}.values())


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
            if each is not None and key in fields
        }
    if isinstance(value, list):
        return [_without_nulls(each, is_[2:].lstrip("*")) for each in value]
    if isinstance(value, dict) and is_.startswith("map["):
        return {key: _without_nulls(each, is_.partition("]")[2]) for key, each in value.items()}
    return value


def _metadata(obj: Mapping[str, Any], kind: str, found: Findings, context: Context) -> None:
    meta: Any = {**obj["metadata"], "namespace": obj["metadata"].get("namespace") or "default"}
    meta.pop("generation", None)
    found.errors += check_metadata(meta, context, namespaced=True)
    name, at = meta.get("name") or "", ("metadata", "name")
    if kind == "StatefulSet" and name and "." in name:
        for message in dns_label(name):
            found.invalid(at, name, message)
    if kind == "CronJob" and len(name.encode(errors="surrogatepass")) > _LONGEST_CRON_JOB:
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
    labels, spec = meta.get("labels") or {}, obj.get("spec") or {}
    if obj["kind"] == "Job" and not spec.get("manualSelector"):
        labels = {**labels, "job-name": found.name}
    found.labels((*path, "labels"), labels)
    for key in sorted(meta.get("annotations") or {}):
        for message in label_key(key.lower(), found.rules):
            found.invalid((*path, "annotations"), key, message)
    claims, spec = spec.get("volumeClaimTemplates") or (), template.get("spec") or {}
    if obj["kind"] == "StatefulSet":
        # The names of its pods come from the StatefulSet, some volumes from templates.
        spec = {key: value for key, value in spec.items() if key not in ("hostname", "subdomain")}
        names = [((each or {}).get("metadata") or {}).get("name") or "" for each in claims]
        added = {
            name: {"name": name, "persistentVolumeClaim": {"claimName": name}} for name in names
        }
        own = [added.pop((v or {}).get("name"), v) for v in spec.get("volumes") or ()]
        spec["volumes"] = [*own, *added.values()]
    pod_errors(spec, (*path, "spec"), found)


def _workload(spec: Any, kind: str, path: Path, found: Findings) -> None:
    before = len(found.errors)
    type_ = "v1.JobSpec" if kind == "CronJob" else f"v1.{kind}Spec"
    struct_errors(spec, type_, path, found)
    template, selector, at = spec.get("template") or {}, spec.get("selector"), (*path, "selector")
    wrong = any(each.path[: len(at)] == at for each in found.errors[before:])
    labels = (template.get("metadata") or {}).get("labels") or {}
    if kind in ("Job", "CronJob"):
        if kind == "Job" and not wrong:
            _job_labels(spec, labels, path, found)
        return
    if kind == "ReplicationController":
        if selector and spec.get("template") is not None:
            _matches({"matchLabels": selector}, labels, path, found)
        elif not selector and not labels:  # its default
            found.required(at)
    elif selector is None:
        _matches(None, labels, path, found)
    elif wrong and kind != "DaemonSet":
        text = "" if kind == "StatefulSet" else "invalid label selector"
        found.invalid(at, selector, text)
    elif not selector.get("matchLabels") and not selector.get("matchExpressions"):
        name = {"ReplicaSet": "deployment"}.get(kind, kind.lower())
        found.invalid(at, selector, f"empty selector is invalid for {name}")
    elif not wrong:
        _matches(selector, labels, path, found)


def _deployment(spec: Any, path: Path, found: Findings) -> None:
    deadline, ready = spec.get("progressDeadlineSeconds"), spec.get("minReadySeconds") or 0
    if (_DEADLINE if deadline is None else deadline) <= ready:
        at = (*path, "progressDeadlineSeconds")
        found.invalid(at, deadline, "must be greater than minReadySeconds")


def _job_labels(spec: Any, labels: Any, path: Path, found: Findings) -> None:
    """The selector of a Job and the labels of its pods, which the server makes unless told otherwise."""
    selector = spec.get("selector") or {}
    if spec.get("manualSelector"):
        _matches(selector, labels, path, found)
        return
    made = {
        f"{prefix}{key}": value
        for key, value in (("controller-uid", "the UID of the Job"), ("job-name", found.name))
        for prefix in ("", "batch.kubernetes.io/")
    }
    for key in made.keys() & labels.keys():
        if labels[key] != made[key]:
            place = (*path, "template", "metadata", f"labels[{key}]")
            found.invalid(place, labels[key], f"must be '{made[key]}'")
    if not _fits(selector, made):
        found.invalid((*path, "selector"), selector, "`selector` not auto-generated")
    uid = {_UID: made[_UID], **(selector.get("matchLabels") or {})}
    _matches({**selector, "matchLabels": uid}, {**made, **labels}, path, found)


def _matches(selector: Any, labels: Any, path: Path, found: Findings) -> None:
    """Whether the labels of the template match a valid selector; nothing matches none."""
    if selector is None or not _fits(selector, labels):
        text, place = "`selector` does not match template `labels`", (*path, *_LABELS)
        found.invalid(place, labels, text, "labels-not-selected")


def _fits(selector: Any, labels: Any) -> bool:
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
    return fits


def _strategy(strategy: Any, path: Path, found: Findings) -> None:
    if strategy.get("type") not in (None, "", "RollingUpdate"):
        return
    rolling, at = strategy.get("rollingUpdate") or {}, (*path, "rollingUpdate")
    if path[-1] == "strategy":
        _rolling(rolling, at, ("25%", "25%"), found)
    else:
        _rolling(rolling, at, (1, 0), found, exclusive=True)


def _rolling(
    rolling: Any, path: Path, defaults: tuple[Any, Any], found: Findings, *, exclusive: bool = False
) -> None:
    amounts = {}
    for name, default in zip(("maxUnavailable", "maxSurge"), defaults, strict=True):
        value = rolling.get(name)
        value = default if value is None else value
        before = len(found.errors)
        _amount(value, (*path, name), found)
        amounts[name] = _number(value)
        limited = isinstance(value, str) and (exclusive or name == "maxUnavailable")
        if limited and amounts[name] > 100 and len(found.errors) == before:
            found.invalid((*path, name), value, "must not be greater than 100%")
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


def _number(value: Any) -> int:
    if not isinstance(value, str):
        return int(value)
    digits = value.removesuffix("%") if _PERCENT.fullmatch(value) else value
    # More digits are more than all, too.
    return int(digits[:9]) if digits.lstrip("+-").isdecimal() else 0


@functools.cache
def _relations(kind: str) -> Mapping[str, Relation]:
    """The relations of the structs that are in objects of a kind."""
    if kind in ("Job", "CronJob"):
        from dradsl.kube.pods.values import jobs

        return {**RELATIONS, **jobs.RELATIONS}
    return {
        **RELATIONS,
        "v1.DaemonSetUpdateStrategy": _strategy,
        "v1.DeploymentSpec": _deployment,
        "v1.DeploymentStrategy": _strategy,
    }
