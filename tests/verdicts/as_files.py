"""Recorded scenarios put to `dradsl simulate` as files: `python -m tests.verdicts.as_files`.

The replay asks the simulation from within; here the command itself is asked, as users do. Its answer
is compared with what upstream's plugin for devices answered. The command answers for the whole
scheduler, upstream's plugin for itself: where the two part for a reason that is not the plugin's, a
rule below says so, and what the rule leaves out is counted. Extended resources that no class stands behind
are another plugin's: they are taken out of the pods first. `--all` asks all questions made up at
random, and not a sample of them; `--show N` prints the first differences.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from click.testing import CliRunner

from dradsl.allocator.switches import plugin_of
from dradsl.cli.simulate import command
from dradsl.kube.fields.defaulting import default
from dradsl.releases import RELEASES
from dradsl.simulate.extended import IMPLICIT, class_by_resource, extended_resources, is_extended
from dradsl.simulate.nodes.requests import with_defaults
from tests.replay.protocol import QuestionError, gates_of
from tests.verdicts import corpus

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dradsl.releases import Release

__all__ = ["Found", "Tally", "compare", "main", "scenarios", "tally"]

_MADE_UP = {"generated.jsonl.gz": 8, "reserved.jsonl.gz": 5, "nodeallocatable.jsonl.gz": 3}
"""Files with questions made up at random, and every how many of those are asked. Rows with a note
are written by hand, and so is every row of another file."""

_KINDS = {
    "slices": ("resource.k8s.io/v1", "ResourceSlice"),
    "nodes": ("v1", "Node"),
    "classes": ("resource.k8s.io/v1", "DeviceClass"),
    "claims": ("resource.k8s.io/v1", "ResourceClaim"),
    "taintRules": ("resource.k8s.io/v1alpha3", "DeviceTaintRule"),
    "running": ("v1", "Pod"),
    "pods": ("v1", "Pod"),
}
_CODES = {"fits": "Success", "error": "Error"}
_OUT = "Unschedulable"
_TAKES = "nodeAllocatableResourceClaimStatuses"
_WORDS = (
    (
        re.compile(r"^ResourceClaim (\S+) is not in the input$"),
        r'could not find ResourceClaim "\1"',
    ),
    (
        re.compile(r"^ResourceClaimTemplate \S+ is not in the input$"),
        'pod "POD": ResourceClaim not created yet',
    ),
    (re.compile(r"^nothing offers \S+ here$"), "cannot fit resource"),
    (re.compile(r"^(resourceclaim not available on the node): .*"), r"\1"),
    (re.compile(r"^(cannot schedule extended resource claim): .*"), r"\1"),
    (
        re.compile(r"too little (\S+) for the pod and what its claims take of the node"),
        r"Insufficient \1",
    ),
)
"""What dradsl says otherwise than upstream's plugin, and upstream's words for it."""

_FULL = re.compile(r"^too little \S+ left$")
_MADE_UP_NAME = re.compile(r"(extended-resources)-\d+")

# Why a scenario, or the rest of it, is left out.
NO_DEVICES = "no pod wants devices"
LOCKED = "it changes a gate that is locked"
UNDEFAULTED = "a pending claim lacks what the API server fills in"
POD_UNDEFAULTED = "a pod lacks what the API server fills in, and claims take of nodes"
UNTOLD = "claims take of nodes, and a node does not tell its resources: enough for the command"
REJECTED = "the API server rejects the pod"
NATIVE = "a name made from a class counts for another plugin, and cannot go without renumbering"
FULL = "another plugin rejects a node that has too little left for the pod"
UNCOUNTED = "a pod without devices takes of its node, of which upstream's plugin was not told"
BY_CHANCE = "the pod before fits by chance"
ENDED = "an error of a node ends the attempt, and upstream's plugin was asked to go on"
TIED = "of equal nodes the command takes the first by name, upstream's plugin was given another"
WAITS = "the pod before waits for drivers that do not come"


@dataclass
class Found:
    """What came of one scenario: pods compared, differences, and why the rest was left out."""

    pods: int = 0
    by_chance: int = 0
    differences: list[str] = field(default_factory=list)
    left_out: str = ""


@dataclass
class Tally:
    """Scenarios: how many were asked, compared (at least one pod of each), and agreed; `left_out`
    counts those where nothing was compared, `cut` those of which an end was left out."""

    asked: int = 0
    compared: int = 0
    agreed: int = 0
    pods: int = 0
    by_chance: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    cut: Counter[str] = field(default_factory=Counter)
    differences: dict[str, list[str]] = field(default_factory=dict)

    def add(self, name: str, found: Found) -> None:
        """Counts one scenario."""
        self.asked += 1
        if found.pods or found.differences:
            self.compared += 1
            self.agreed += not found.differences
        elif not found.left_out:
            found.left_out = NO_DEVICES
        self.pods += found.pods
        self.by_chance += found.by_chance
        if found.left_out:
            (self.cut if found.pods else self.left_out)[found.left_out] += 1
        if found.differences:
            self.differences[name] = found.differences


def scenarios(path: Path, *, every: bool = False) -> Iterator[corpus.Case]:
    """The questions of a file that are put: those written by hand, and a sample of those made up."""
    step = 1 if every else _MADE_UP.get(path.name, 1)
    for number, case in enumerate(corpus.read_corpus(path)):
        if case.note or number % step == 0:
            yield case


def tally(release: str, paths: Iterable[Path], *, every: bool = False) -> Tally:
    """Puts the scenarios of some files to the command."""
    total = Tally()
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            for case in scenarios(path, every=every):
                if release in case.answers:
                    total.add(case.name, compare(case, RELEASES[release], Path(folder)))
    return total


def compare(case: corpus.Case, release: Release, folder: Path) -> Found:
    """Writes one scenario as files, asks the command, and compares pod by pod."""
    found = Found()
    try:
        scene = _Scene(case.question, release)
    except QuestionError:
        found.left_out = LOCKED
        return found
    if not all(_is_defaulted(one) for one in scene.objects("claims")):
        found.left_out = UNDEFAULTED
        return found
    document = _ask(scene, folder)
    if "failure" in document:
        found.differences.append(str(document["failure"]))
        return found
    allocated = {_key(one) for one in scene.objects("claims") if _allocation(one)}
    lines = [choices[0] for choices in case.answers[release.name]]
    for pod, line in zip(scene.pods, lines, strict=True):
        if line.get("preFilter", {}).get("code") == "Skip":
            if scene.takes_of_nodes:
                found.left_out = UNCOUNTED
                return found
            continue  # without devices it is another plugin's business, and takes none
        found.left_out = _not_alone(scene, pod, line, document)
        if found.left_out:
            return found
        report = _report_of(pod, document)
        if report is None:
            found.differences.append(f"{line['pod']}: dradsl has no answer")
            return found
        found.pods += 1
        found.by_chance += report["answer"] == "chance"
        wrong = list(_differences(scene, line, report, allocated, document["allocator"]))
        found.differences += [f"{line['pod']}: {one}" for one in wrong]
        found.left_out = _parted(scene, line, report)
        if found.left_out or wrong:
            return found
        allocated |= {_key(one) for one in line.get("claims", ()) if one.get("allocation")}
    return found


class _Scene:
    """A question at a release: its gates, and its pods without what is another plugin's business.

    Raises:
        QuestionError: if it changes a gate that is locked.
    """

    def __init__(self, question: Mapping[str, Any], release: Release) -> None:
        self.question = question
        self.release = release
        self.gates = gates_of(question, release, locked=True)
        self.switches = plugin_of(release.name)
        self.takes_of_nodes = "DRANodeAllocatableResources" in self.gates
        classes = {one["metadata"]["name"]: one for one in question.get("classes") or ()}
        self._first_form = self.switches.extended_first_form
        self._backed = (
            class_by_resource(classes, implicit=not self._first_form)
            if "DRAExtendedResource" in self.gates
            else {}
        )
        self.pods = [self._own(pod) for pod in self.objects("pods")]

    def objects(self, key: str) -> list[dict[str, Any]]:
        """The objects of a kind as an API server has them."""
        version, kind = _KINDS[key]
        prefix = {"claims": "claim", "pods": "pod", "running": "pod"}.get(key)
        return [
            _identified({"apiVersion": version, "kind": kind, **one}, prefix)
            for one in self.question.get(key) or ()
        ]

    def _own(self, pod: dict[str, Any]) -> dict[str, Any]:
        """The pod without extended resources, if no class stands behind any of them."""
        spec: Any = pod.get("spec") or {}
        asked = extended_resources(spec)
        return pod if any(one in self._backed for one in asked) else _without_extended(pod)

    def asks_native(self, pod: Mapping[str, Any]) -> bool:
        """Whether names made from classes are left, in a release where the plugin knows none."""
        spec: Any = pod.get("spec") or {}
        asked = extended_resources(spec)
        return self._first_form and any(one.startswith(IMPLICIT) for one in asked)


# Files


def _ask(scene: _Scene, folder: Path) -> dict[str, Any]:
    """What the command prints for a scenario."""
    cluster, pods = folder / "cluster.json", folder / "pods.json"
    _write(cluster, [one for key in _KINDS if key != "pods" for one in scene.objects(key)])
    _write(pods, scene.pods)
    gates, known = scene.gates, scene.release.gates.values()
    changed = [gate.name for gate in known if (gate.name in gates) is not gate.default]
    call = [
        str(pods),
        "--slices",
        str(cluster),
        "--config",
        "known-classes=false",
        "--output-format",
        "json",
    ]
    call += ["--kube-version", scene.release.name]
    for name in sorted(changed):
        call += ["--feature-gates", f"{name}={'true' if name in gates else 'false'}"]
    result = CliRunner().invoke(command, call)
    if result.exit_code not in (0, 1) or not isinstance(result.exception, SystemExit | None):
        return {"failure": result.output or repr(result.exception)}
    document = dict(json.loads(result.stdout))
    if (document["answer"] != "fits") is not bool(result.exit_code):
        return {"failure": f"exit code {result.exit_code} with answer {document['answer']}"}
    return document


def _write(path: Path, documents: Sequence[Mapping[str, Any]]) -> None:
    document = {"apiVersion": "v1", "kind": "List", "items": documents}
    path.write_text(json.dumps(document), "utf-8")


def _identified(document: Mapping[str, Any], prefix: str | None) -> dict[str, Any]:
    """The object with the namespace and UID that the oracle gives where a question has none."""
    if prefix is None:
        return dict(document)
    metadata = dict(document.get("metadata") or {})
    metadata["namespace"] = metadata.get("namespace") or "default"
    metadata["uid"] = metadata.get("uid") or f"{prefix}-{metadata['namespace']}-{metadata['name']}"
    return {**document, "metadata": metadata}


def _without_extended(pod: Mapping[str, Any]) -> dict[str, Any]:
    spec = dict(pod.get("spec") or {})
    for key in ("containers", "initContainers"):
        if spec.get(key):
            spec[key] = [_plain_container(one) for one in spec[key]]
    return {**pod, "spec": spec}


def _plain_container(container: Mapping[str, Any]) -> dict[str, Any]:
    resources = dict(container.get("resources") or {})
    for kind in ("requests", "limits"):
        if resources.get(kind):
            resources[kind] = {
                name: amount for name, amount in resources[kind].items() if not is_extended(name)
            }
    return {**container, "resources": resources} if resources else dict(container)


# What is left out


def _is_defaulted(claim: Mapping[str, Any]) -> bool:
    """Whether a claim has the defaults that count: nobody reads the spec of an allocated one."""
    filled = default(dict(claim))
    keys = ("status",) if _allocation(claim) else ("spec", "status")
    return all(filled.get(key) == claim.get(key) for key in keys)


def _not_alone(
    scene: _Scene, pod: Mapping[str, Any], line: Mapping[str, Any], document: Mapping[str, Any]
) -> str:
    """Why the plugin's answer for a pod is not the scheduler's; empty if it is."""
    if scene.asks_native(pod):
        return NATIVE
    if scene.takes_of_nodes:
        if with_defaults(pod["spec"]) != pod["spec"]:
            return POD_UNDEFAULTED
        if not all((one.get("status") or {}).get("allocatable") for one in scene.objects("nodes")):
            return UNTOLD
    report = _report_of(pod, document)
    if report is None:
        subject = f"Pod {pod['metadata']['name']}"
        rejected = {one["subject"] for one in document["notes"] if one["kind"] == "rejected"}
        return REJECTED if subject in rejected else ""
    full = {name for one in report["nodes"] if _is_full(one) for name in one["names"]}
    if any(one["node"] in full and one["code"] == "Success" for one in line.get("nodes", ())):
        return FULL
    return ""


def _is_full(verdict: Mapping[str, Any]) -> bool:
    """Whether NodeResourcesFit rejects a node, about which upstream was not asked."""
    return _FULL.match(str(verdict.get("reason"))) is not None


def _parted(scene: _Scene, line: Mapping[str, Any], report: Mapping[str, Any]) -> str:
    """Why the pods after this one meet another state in the command; empty if they do not."""
    if report["answer"] == "chance":
        return BY_CHANCE
    if line["chosen"] is None:
        return ""
    if any(one["code"] == "Error" for one in line["nodes"]):
        return ENDED
    if line["chosen"] != report["node"]:
        return TIED
    if line["preBind"]["code"] == "Wait" and scene.switches.waiting_counts_twice:
        return WAITS
    return ""


# Comparing


def _differences(
    scene: _Scene,
    line: Mapping[str, Any],
    report: Mapping[str, Any],
    allocated: set[tuple[str, str]],
    allocator: Mapping[str, Any],
) -> Iterator[str]:
    """What the command says otherwise than upstream."""
    expected, answer = _expected(line), report["answer"]
    # Where the order of pools is left to chance, upstream has been asked for one outcome.
    chance = answer == "chance" and not allocator["ordered"]
    if answer != expected and not chance:
        yield f"upstream {expected}, dradsl {answer}: {report.get('reason', '')}"
        return
    for point in ("preEnqueue", "preFilter"):
        status = line.get(point)
        if status is not None and status["code"] != "Success":
            theirs, ours = "; ".join(status["reasons"]), str(report.get("problem"))
            if theirs != _upstream_words(ours, line["pod"]):
                yield f"upstream {theirs!r}, dradsl {ours!r}"
            return
    if line.get("errorKind") == "crash":
        return
    yield from _node_differences(line, report)
    ends = any(one["code"] == "Error" for one in line["nodes"])
    if chance or ends:
        return
    best = _best(line)
    if report["node"] != (best[0] if best else None):
        yield f"upstream takes one of {best}, dradsl {report['node']}"
    elif line["chosen"] is not None and line["chosen"] == report["node"]:
        yield from _claim_differences(scene, line, report, allocated)


def _expected(line: Mapping[str, Any]) -> str:
    """What becomes of a pod: an error of one node ends each attempt on a small cluster."""
    errors = any(one["code"] == "Error" for one in line.get("nodes", ()))
    if line["chosen"] is None or errors or line.get("errorKind") == "crash":
        return "never"
    return "fits" if line["preBind"]["code"] in ("Success", "Wait") else "never"


def _best(line: Mapping[str, Any]) -> list[str]:
    """The nodes with the highest score, in order of names."""
    fitting = sorted(one["node"] for one in line["nodes"] if one["code"] == "Success")
    scores = line.get("scores")
    if scores is None:
        return fitting
    most = max((scores[name] for name in fitting), default=0)
    return [name for name in fitting if scores[name] == most]


def _node_differences(line: Mapping[str, Any], report: Mapping[str, Any]) -> Iterator[str]:
    """Of each node: whether the pod fits, an error ends the attempt, or the node is out, and why."""
    ours = {name: one for one in report["nodes"] for name in one["names"]}
    scores = line.get("scores") or {}
    for node in line["nodes"]:
        name, said = node["node"], ours.get(node["node"], {})
        codes = {
            _CODES.get(str(kind), _OUT) for kind in (said.get("verdict"), *said.get("mayBe", ()))
        }
        code = node["code"] if node["code"] in _CODES.values() else _OUT
        theirs, why = "; ".join(node.get("reasons", ())), str(said.get("reason"))
        if code not in codes:
            yield f"node {name}: upstream {code}, dradsl {said}"
        elif len(codes) > 1 or _is_full(said):
            continue
        elif code != "Success" and theirs != _upstream_words(why, line["pod"]):
            yield f"node {name}: upstream {theirs!r}, dradsl {why!r}"
        elif code == "Success" and scores.get(name, 0) != said["score"]:
            yield f"node {name}: upstream's score {scores[name]}, dradsl's {said['score']}"


def _upstream_words(text: str, pod: str) -> str:
    """A reason in the words of upstream, where dradsl says it for people or says more."""
    for pattern, words in _WORDS:
        text = pattern.sub(words.replace("POD", pod), text)
    return text


def _claim_differences(
    scene: _Scene,
    line: Mapping[str, Any],
    report: Mapping[str, Any],
    allocated: set[tuple[str, str]],
) -> Iterator[str]:
    """Which claims have got what by this pod, and what its status says of that."""
    operations = scene.switches.checks_operations
    theirs = {
        _MADE_UP_NAME.sub(r"\1", one["name"]): _comparable(one["allocation"], operations=operations)
        for one in line.get("claims", ())
        if one.get("allocation") and _key(one) not in allocated
    }
    ours = {
        one["claim"]: _comparable(one["allocation"], operations=operations)
        for one in report["claims"]
    }
    if theirs != ours:
        yield f"claims: upstream {json.dumps(theirs)}, dradsl {json.dumps(ours)}"
    if line["preBind"]["code"] == "Error":
        return
    mapped = (line.get("extendedResourceClaimStatus") or {}).get("requestMappings") or []
    if mapped != report.get("extendedResources", []):
        yield f"extended resources: upstream {mapped}, dradsl {report.get('extendedResources')}"
    if line.get(_TAKES, []) != report.get(_TAKES, []):
        yield f"taken of the node: upstream {line.get(_TAKES)}, dradsl {report.get(_TAKES)}"


def _comparable(value: object, *, operations: bool) -> object:
    """An allocation without the time, random IDs, and a field that older releases do not know."""
    if isinstance(value, list):
        return [_comparable(one, operations=operations) for one in value]
    if not isinstance(value, dict):
        return value
    left = {"allocationTimestamp"} if operations else {"allocationTimestamp", "skipNodeOperations"}
    return {
        key: "same" if key == "shareID" else _comparable(item, operations=operations)
        for key, item in value.items()
        if key not in left
    }


def _report_of(pod: Mapping[str, Any], document: Mapping[str, Any]) -> dict[str, Any] | None:
    """The command's answer for a pod."""
    found = (one for one in document["pods"] if (one["namespace"], one["name"]) == _key(pod))
    return next(found, None)


def _allocation(claim: Mapping[str, Any]) -> object:
    return (claim.get("status") or {}).get("allocation")


def _key(document: Mapping[str, Any]) -> tuple[str, str]:
    metadata = document.get("metadata") or document
    return metadata.get("namespace") or "default", metadata.get("name") or ""


# Figures


def main(arguments: list[str] | None = None) -> int:
    """Prints the figures of each release."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="all made-up questions, not a sample")
    parser.add_argument("--release", action="append", choices=list(RELEASES))
    parser.add_argument("--show", type=int, default=0, metavar="N")
    options = parser.parse_args(arguments)
    write = sys.stdout.write
    write("release  asked  compared  agreed   pods  by chance\n")
    failed = False
    for release in options.release or RELEASES:
        total = tally(release, corpus.corpora("schedule"), every=options.all)
        failed |= total.agreed < total.compared
        write(
            f"{release:7}  {total.asked:5}  {total.compared:8}  {total.agreed:6}  {total.pods:5}  "
            f"{total.by_chance:9}\n"
        )
        for what, counted in (("left out", total.left_out), ("end left out", total.cut)):
            for reason, number in counted.most_common():
                write(f"  {number:5} {what}: {reason}\n")
        for name, texts in list(total.differences.items())[: options.show]:
            write("\n    ".join([f"  {name}", *(text[:2000] for text in texts)]) + "\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
