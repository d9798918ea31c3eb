"""Writes docs/exactness.md: `python -m tests.verdicts.table` (`--check` fails if it is stale).

The numbers come from replaying tests/verdicts; nothing in the document is typed by hand but the
reasons of known differences, which stand in known.json.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from dradsl.releases import RELEASES
from dradsl.replay import SUBJECTS
from tests.upstream import preview
from tests.verdicts import as_files, corpus
from tests.verdicts.compare import outcomes

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["main", "render"]

DOCUMENT = Path(__file__).parents[2] / "docs" / "exactness.md"

_INTRO = """\
# How exact dradsl is

Kubernetes is the measure. For each release the [oracle](../tests/oracle/README.md) links upstream's own code and answers questions; the questions and answers are recorded in `tests/verdicts`, and our code has to give the same answers, line by line, without Go. This page is generated from a replay: `python -m tests.verdicts.table`.

{modules}

| subject | release | questions | agreed | share |
| --- | --- | --- | --- | --- |
{rows}

{features}

## The same scenarios through `dradsl simulate`

The rows `schedule` ask our code from within. Here the scenarios are written as files, and the command itself is asked, as users do (`python -m tests.verdicts.as_files`, here with all questions).

| release | scenarios | compared | pods | agreed | share |
| --- | --- | --- | --- | --- | --- |
{files}

Compared are the answer (it fits, or never; "by chance" agrees only where the release leaves the order of pools to chance), what each node says and why, the scores, the node that is taken, the devices of each claim, and what the pod's status says of them. Upstream's plugin is asked alone, the command answers for the whole scheduler: an error of one node has to give "never", and of equal nodes the first by name is taken. What cannot be put as files, or what another plugin decides, is left out by rules that the command lists with a count; a scenario is compared up to there.

{preview}

## What is compared

- `alloc`: per node the allocation results with their configs, node selectors, shares and consumed capacity, or the error and its kind. Share IDs are random upstream and are made equal. On 1.34 and 1.35 (and wherever else upstream walks a Go map) several answers are possible; the recorded set comes from repeated runs with the slices in other orders, and ours has to be one of them; and each recorded answer is ours under some order of pools and slices (`python -m tests.verdicts.orders`). The steps of a search are compared where a question asks for them.
- `cel`: the compiler's verdict with upstream's messages, positions and source excerpts, except for syntax errors (see below), the result type, the cost estimate, and per device the value or the runtime error and the actual cost of the evaluation, which upstream stops at its limit. Derived attributes (1.37): the value as the allocator gets it. Where a loop runs over a Go map, each device's result has to be one of those seen.
- `validate`: objects and YAML texts: decoding errors, errors as type, field and detail, warnings, and the stored object. Order and repetition of errors are not compared (upstream reports some twice and walks maps), nor how an empty field is written.
- `pod`: the errors of a pod in its claims and extended resources; of a PodGroup or Workload the decoding error, the errors in its lists of claims (also that there are none where the server does not get to look at them), and which of these lists it stores.
- `schedule`: per pod and node whether the plugin for devices lets the pod pass, the reasons against it in full, scores, the claims as they are written, and what claims take of the node as it is written to the pod. How the API server words that a claim is reserved twice is not compared.
- `quota`: as how much each claim counts, and each pod by its extended resources, by the keys of a ResourceQuota; and the refusal of the admission plugin in full, claims and pods being created one after the other. Two classes that carry one extended resource are left out: upstream counts whichever comes last. `dradsl lint` is asked the same of claims (DRA909, DRA910).
- `quantity`, `semver`, `yaml`: everything, but for the wording of YAML syntax errors.

## What is not compared

Of the syntax errors of a CEL expression only the place of the first is compared (`alloc`, `cel`, `pod`, `validate`): not its text, its source excerpt, or the errors after it, of which upstream may report more. Upstream's texts come from a parser generator, whose parser goes on after an error: it leaves a token out, and reports what is wrong with the rest. dradsl stops at the first error. So of `?!` upstream reports `?` and then the missing operand at 1:3, dradsl the first alone, and of `[, 1]` upstream calls the `1` extraneous, dradsl mismatched, at the same place. That an expression is refused, and where first, is the same. The texts of a crash and of YAML that cannot be read are not compared either. All numbers are about the recorded questions; other expressions may differ.

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
        f"Of {nodes:,} answers per node in the allocation corpus {several:,} ({share:.0f} %) "
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
