"""Writes docs/exactness.md: `python -m tests.verdicts.table` (`--check` fails if it is stale).

The numbers come from replaying tests/verdicts; nothing in the document is typed by hand but the
reasons of known differences, which are in known.json.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from dradsl.releases import RELEASES
from tests.kube.workloads import figures, public
from tests.replay import SUBJECTS
from tests.upstream import preview
from tests.verdicts import as_files, corpus
from tests.verdicts.compare import outcomes

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["main", "render"]

DOCUMENT = Path(__file__).parents[2] / "docs" / "exactness.md"

_INTRO = """\
# How exact dradsl is

Kubernetes is the measure. This page says how often dradsl and Kubernetes give the same answer.

For each release, the [oracle](../tests/oracle/README.md) links the code of Kubernetes and answers questions. Questions and answers are recorded in `tests/verdicts`. dradsl must give the same answers, line by line, without Go. `python -m tests.verdicts.table` replays them and writes this page.

All numbers are about the recorded questions. Other questions may have other answers.

## Versions

{modules}

## Results

| subject | release | questions | agreed | share |
| --- | --- | --- | --- | --- |
{rows}

{features}

## The same scenarios through `dradsl simulate`

The rows `schedule` ask the code of dradsl directly. Here the scenarios are written as files, and the command is asked (`python -m tests.verdicts.as_files`, with all questions).

| release | scenarios | compared | pods | agreed | share |
| --- | --- | --- | --- | --- | --- |
{files}

What is compared:

- the answer: it fits, or never. `chance` agrees only where the release leaves the order of pools to chance;
- what each node says and why, the scores, and the node that is taken;
- the devices of each claim, and what the status of the pod says about them.

The plugin of upstream is asked alone, and the command answers for the whole scheduler. So an error of one node must give `never`, and of equal nodes the first by name is taken. A scenario is compared up to the point where it cannot be written as files, or where another plugin decides. The command lists these rules and counts the cases.

{preview}

## What is compared

| subject | compared |
| --- | --- |
| `alloc` | for each node, the allocation results with their configs, node selectors, shares and consumed capacity, or the error and its kind |
| `cel` | the verdict of the compiler with messages, positions and source excerpts; the result type and the cost estimate; for each device the value or the runtime error, and the actual cost up to the limit. Derived attributes (1.37): the value that the allocator gets |
| `validate` | objects and YAML texts: decoding errors, errors as type, field and detail, warnings, and the stored object |
| `pod` | errors of a pod in its claims and extended resources. For a PodGroup or Workload the decoding error, the errors in its lists of claims (also that there are none, where the server does not check them), and which of these lists are stored |
| pods and workloads | decoding of whole objects: 18,796 edits of nineteen objects, of each release (a key mistyped, with other capitals or moved, a value of another type, null). Upstream rejects 15,278 on 1.34, 15,183 on 1.35, 14,986 on 1.36 and 1.37. dradsl gives the same error, or the same strict errors, for all but the 633 edits after which the object mentions no claims or devices, and no other error |
| values of pods and workloads | what validation says of whole objects (`ApiServer.workload_values` with `ApiServer.pod`; DRA407, DRA408), as type and field of each error, [see below](#values-of-pods-and-workloads) |
| `schedule` | for each pod and node whether the plugin for devices accepts the pod, the reasons against it in full, scores, the claims as they are written, and what claims take of the node as it is written to the pod |
| `quota` | how much each claim counts, and each pod by its extended resources, by the keys of a ResourceQuota; the rejection of the admission plugin in full, with claims and pods created one after the other. `dradsl lint` is asked the same about claims (DRA909, DRA910) |
| `quantity`, `semver`, `yaml` | everything, except the wording of YAML syntax errors |

Some answers of upstream differ from run to run:

- `alloc`: on 1.34 and 1.35, and wherever upstream loops over a Go map, several answers are possible. They were recorded from repeated runs with the slices in other orders. The answer of dradsl must be one of them. Each recorded answer must also be an answer of dradsl for some order of pools and slices (`python -m tests.verdicts.orders`). Steps of a search are compared where a question asks for them. Share IDs are random upstream, and are made equal.
- `cel`: where a loop runs over a Go map, the result of each device must be one of those that were seen.

## What is not compared

- **Text of CEL syntax errors** (`alloc`, `cel`, `pod`, `validate`). Only the place of the first error is compared, and that the expression is rejected. The texts of upstream come from a parser generator. Its parser goes on after an error and can report more. dradsl stops at the first error. For `?!`, upstream reports `?` and then the missing operand at 1:3; dradsl reports only the first. For `[, 1]`, upstream calls the `1` extraneous and dradsl mismatched, at the same place.
- **Text of a crash**, and of YAML that cannot be read.
- `validate`: order and repetition of errors, because upstream reports some twice and loops over maps; and how an empty field is written.
- `schedule`: the words of the API server for a claim that is reserved twice.
- `quota`: two classes with one extended resource. Upstream counts the one that comes last.

## Values of pods and workloads

Whole objects with one edit (a field dropped, moved, doubled, emptied, with another value) and the rows of the tests of upstream's own validation were put to the registry of each release. The checks were made with the objects of `bases.yaml` in view and fixed after the first public sample and the tests; the second public sample was asked after the first. The third was chosen by a rule written before (`tests/kube/workloads/README.md`) and asked once, and nothing was changed for it. `python -m tests.kube.workloads.verdicts` and `python -m tests.kube.workloads.tables` ask again and write the figures. A row of a test is the call that the test makes; a call about a part of a pod becomes a pod with that part.

{workloads}

These are the fifty fields that most of the {objects:,} pods and workloads of 212 public repositories use, and what upstream rejected in them in the objects above, all releases together.

{fields}

At other fields, too, rejections are not found: {missed}.

Paths are upstream's, but for StatefulSets with volume claim templates: upstream counts the volumes of these first, dradsl shows the place in the document. Where upstream prints a whole struct of Go as the value, the words differ.

## Known differences

{known}
"""


def _modules() -> str:
    """Which upstream modules answered, from the first line of a corpus."""
    path = corpus.corpora("alloc")[0]
    recorded = corpus.read_header(path)["recorded"]
    lines = [
        "| release | k8s.io/kubernetes | k8s.io/dynamic-resource-allocation | cel-go |",
        "| --- | --- | --- | --- |",
    ]
    for release, modules in recorded.items():
        found = (
            modules["k8s.io/kubernetes"],
            modules["k8s.io/dynamic-resource-allocation"],
            modules["github.com/google/cel-go"],
        )
        lines.append(
            f"| {release} | " + " | ".join(name.removeprefix("v") for name in found) + " |"
        )
    return "\n".join(lines)


def _counts() -> Iterator[tuple[str, str, int, int]]:
    for subject in sorted(SUBJECTS):
        asked: Counter[str] = Counter()
        agreed: Counter[str] = Counter()
        for _, release, _, same in outcomes(subject):
            asked[release] += 1
            agreed[release] += same
        for release in RELEASES:
            if asked[release]:
                yield subject, release, asked[release], agreed[release]


def _rows(counts: list[tuple[str, str, int, int]]) -> str:
    rows = []
    for subject, release, asked, agreed in counts:
        share = _share(agreed, asked)
        rows.append(f"| {subject} | {release} | {asked:,} | {agreed:,} | {share} |")
    return "\n".join(rows)


def _files() -> str:
    """The scenarios of the plugin as files for the command."""
    rows = []
    for release in RELEASES:
        found = as_files.tally(release, corpus.corpora("schedule"), every=True)
        rows.append(
            f"| {release} | {found.asked:,} | {found.compared:,} | {found.pods:,} | "
            f"{found.agreed:,} | {_share(found.agreed, found.compared)} |"
        )
    return "\n".join(rows)


def _share(agreed: int, asked: int) -> str:
    return f"{100 * agreed / asked:.2f} %" if agreed < asked else "100 %"


def _features() -> str:
    """How much of the allocation corpus is about devices that are really handed out."""
    nodes = several = 0
    for path in corpus.corpora("alloc"):
        for case in corpus.read_corpus(path):
            for lines in case.answers.values():
                for choices in lines:
                    nodes += 1
                    results = sum(
                        len(one.get("devices", {}).get("results", ()))
                        for one in choices[0].get("allocations") or ()
                    )
                    several += results >= 2
    share = 100 * several / max(nodes, 1)
    return (
        f"The allocation corpus has {nodes:,} answers for a node. {several:,} of them ({share:.0f} %) "
        "hand out two devices or more."
    )


def _known() -> str:
    entries = corpus.known_entries()
    if not entries:
        return "None in what is compared."
    lines = []
    for entry in entries:
        cases = len(entry["cases"])
        plural = "question" if cases == 1 else "questions"
        releases = ", ".join(entry["releases"])
        lines.append(f"- `{entry['subject']}`, {releases}, {cases} {plural}: {entry['reason']}")
    return "\n".join(lines)


def render() -> str:
    """The document for the code and the recordings as they are."""
    return _INTRO.format(
        modules=_modules(),
        rows=_rows(list(_counts())),
        features=_features(),
        files=_files(),
        preview=preview.section(),
        workloads=figures.samples(),
        objects=public.number(),
        fields=figures.fields(),
        missed=figures.missed(),
        known=_known(),
    )


def main(arguments: list[str] | None = None) -> int:
    """Writes or checks the document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args(arguments)
    text = render()
    if options.check:
        stale = not DOCUMENT.exists() or DOCUMENT.read_text("utf-8") != text
        sys.stdout.write(
            "docs/exactness.md is stale\n" if stale else "docs/exactness.md is current\n"
        )
        return int(stale)
    DOCUMENT.parent.mkdir(exist_ok=True)
    DOCUMENT.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
