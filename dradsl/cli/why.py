"""`dradsl why`: which step stops a pod, who holds the devices it wants, and the smallest change that helps."""

from __future__ import annotations

import functools
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dradsl.cli.cluster_options import FORMAT, FROM_CLUSTER, GATES, RELEASE, release_and_features
from dradsl.cli.commands import Command
from dradsl.cli.errors import InputError
from dradsl.cli.options import flag, options_decorator, string
from dradsl.cli.say import put, say
from dradsl.values.plain import mapping_at

if TYPE_CHECKING:
    from dradsl.cli.options import OptionValues
    from dradsl.why.answer import Answer
    from dradsl.why.dump import Dump
    from dradsl.why.target import WhyTarget

    _Documents = list[dict[str, object]]

__all__ = ["command"]


_OPTIONS = (
    *FROM_CLUSTER,
    string("--namespace", "NAME", "The namespace of the target.", default="", short="-n"),
    RELEASE,
    GATES,
    flag("--diff", "Only print how to make each change: commands, and differences of objects."),
    FORMAT,
)


@click.command("why", cls=Command)
@click.argument("target", required=False, metavar="[TARGET]")
@click.argument("dumps", nargs=-1, metavar="[DUMP]...")
@options_decorator(_OPTIONS)
def command(**options: Any) -> None:
    """Say which step stops a pod, a claim, or the pods of a workload.

    TARGET is [NAMESPACE/]POD, KIND/NAME, or a FILE with manifests that you want to create. KIND is pod,
    claim, or that of a workload in the dump, such as deployment, job or raycluster. Without a target: all
    pods with claims that wait.

    A DUMP is a file or directory, or "-" for standard input: output of `kubectl get -o yaml`, a
    must-gather tree, or a file of `dradsl record`. Nothing is written to a cluster.

    \b
    Exit codes:
      0  nothing in the dump stops it
      1  something stops it
      2  wrong command line or input, no such object, or --timeout was reached
    """
    from dradsl.allocator.inventory.slices import InventoryError
    from dradsl.recordings import RecordingError

    try:
        code = _run(options)
    except (InventoryError, RecordingError, OSError) as error:
        raise InputError(str(error)) from error
    sys.exit(code)


def _run(options: OptionValues) -> int:
    from dradsl.api.known_classes import known_class
    from dradsl.api.origins import explained, written
    from dradsl.api.remedies import advised
    from dradsl.cli.cluster_needs import needed_lists
    from dradsl.cli.cluster_objects import asks_cluster, documents_in_files, dump_of
    from dradsl.why.examine import examine, examine_new, is_waiting, unknowns
    from dradsl.why.target import pods_of
    from dradsl.why.world import build_world, with_shown

    target, dumps = options["target"], list(options["dumps"])
    if target is not None and not dumps and not asks_cluster(dumps, options) and _is_file(target):
        target, dumps = None, [target]  # a dump alone: all pods of it that wait
    name = "" if target is None or _is_file(target) else target
    options = {**options, "namespace": _namespace_of(name, dumps, options)}
    given = list(documents_in_files([target] * bool(target and not name)))
    dump = dump_of(dumps, options, name, needs=functools.partial(needed_lists, given))
    guess, told = _release_of(dump)
    release, features = release_and_features(
        {**options, RELEASE.name: options[RELEASE.name] or guess}
    )
    usual = features
    features = usual if options[GATES.name] else with_shown(dump, release, usual)
    documents, manifests = _meant(dump, name, options["namespace"], given)
    asked = [pod for one in documents for pod in pods_of(dump, one)]
    if any(one.get("kind") == "ResourceClaim" for one in documents):
        asked = list(dump.all("Pod"))
    pending = [pod for pod in asked if is_waiting(pod)]
    world = build_world(dump, pending, manifests, release, features, known_class)
    both = (*examine(world, documents), *examine_new(world))
    found = [written(dump, advised(explained(dump, one))) for one in both]
    answers = _folded(sorted(found, key=lambda answer: answer.since) if target is None else found)
    if not answers:
        say("no pod with claims waits", err=True)
    unknown = unknowns(world, {answer.step for answer in answers})
    if not options[RELEASE.name] and told:
        unknown = (told, *unknown)
    if on := ", ".join(sorted(features.enabled - usual.enabled)):
        unknown = (f"feature gates: {on} judged as on, as the dump has fields of it", *unknown)
    _write(answers, unknown, dump, release.name, options)
    return 1 if any(answer.is_stopped for answer in answers) else 0


def _namespace_of(name: str, dumps: list[str], options: OptionValues) -> str:
    """The namespace of the target that the call, or for a cluster the context of kubectl, names."""
    from dradsl.cli.cluster_objects import asks_cluster, namespace_of_context
    from dradsl.why.target import read_target

    meant, given = read_target(name, options["namespace"]), str(options["namespace"])
    if not name or meant.namespace or not asks_cluster(dumps, options):
        return given
    return namespace_of_context(options) or "default"


def _meant(
    dump: Dump, target: str, namespace: str, manifests: _Documents
) -> tuple[_Documents, _Documents]:
    """The objects of the dump that a call asks about, and manifests that it does not have."""
    from dradsl.why.dump import key_of
    from dradsl.why.examine import waiting_in
    from dradsl.why.target import KINDS

    if target:
        return _find_one(dump, target, namespace), []
    if not manifests:
        return waiting_in(dump, namespace), []
    there = [dump.get(str(one.get("kind")), key_of(one)) for one in manifests]
    known = [one for one in there if one is not None and one["kind"] in KINDS.values()]
    return (known, []) if all(there) else ([], manifests)


def _find_one(dump: Dump, target: str, namespace: str) -> list[dict[str, object]]:
    """The object that the call names."""
    from dradsl.why.dump import label_of
    from dradsl.why.target import find, read_target

    meant = read_target(target, namespace)
    documents = find(dump, meant)
    if not documents:
        raise InputError(_not_found(dump, meant))
    if len(documents) > 1:
        names = ", ".join(label_of(one) for one in documents)
        raise InputError(f"{meant.label}: several are meant, name one: {names}")
    return documents


def _is_file(text: str) -> bool:
    return text == "-" or Path(text).exists()


def _release_of(dump: Dump) -> tuple[str | None, str]:
    """The release of the API server, or what kubelets tell of it, as no API server is older; and what is not
    known of it."""
    from dradsl.releases import RELEASES
    from dradsl.why.dump import VERSION

    names = list(RELEASES)
    versions = [str(one.get("gitVersion")) for one in dump.all(VERSION)]
    infos = (mapping_at(node, "status", "nodeInfo") for node in dump.all("Node"))
    kubelets = [str(info.get("kubeletVersion") or "") for info in infos]
    given = max((one for one in map(_minor, versions or kubelets) if one), default=None)
    if given is None:
        return (
            None,
            f"the release of the control plane: judged as {names[-1]}, as kubelets do not tell",
        )
    newest, who = "{}.{}".format(*given), "the API server is" if versions else "kubelets are"
    oldest = _minor(names[0]) or ()
    near = newest if newest in RELEASES else names[0 if given < oldest else -1]
    if versions and near == newest:
        return near, ""
    nearest = "" if near == newest else ", the nearest that dradsl knows"
    return (
        near,
        f"the release of the control plane: judged as {near}{nearest}, as {who} of {newest}",
    )


def _minor(version: str) -> tuple[int, int] | None:
    """The major and minor number of a version such as v1.36.2-gke.1."""
    found = re.match(r"v?(\d+)\.(\d+)\+?(?:\.|$)", version)
    return (int(found[1]), int(found[2])) if found else None


def _not_found(dump: Dump, target: WhyTarget) -> str:
    from difflib import get_close_matches

    known = ["/".join(key) for key in dump.keys(target.kind)]
    wanted = f"{target.namespace or 'default'}/{target.name}"
    near = get_close_matches(wanted, known, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]}?" if near else ""
    return f"{target.label} is not found{hint or '; without a name, all that waits is shown'}"


def _folded(answers: list[Answer]) -> list[Answer]:
    """Answers that say the same of several pods as one."""
    from dataclasses import replace

    found: dict[object, Answer] = {}
    for answer in answers:
        key = (
            answer.step,
            answer.state,
            answer.cause,
            answer.details,
            answer.change and answer.change.text,
            answer.devices,
        )
        first = found.get(key)
        found[key] = (
            answer if first is None else replace(first, alike=(*first.alike, answer.subject))
        )
    return list(found.values())


def _write(
    answers: list[Answer], unknown: tuple[str, ...], dump: Dump, name: str, options: OptionValues
) -> None:
    import io

    out = io.StringIO()
    read = dump.counts
    if options["output_format"] == "json":
        from dradsl.why.report.json import render as as_json

        as_json(answers, unknown, read, name, out)
    else:
        from dradsl.why.report.text import render as as_text

        as_text(answers, unknown, read, name, out, diff=options["diff"])
    put(out.getvalue())
