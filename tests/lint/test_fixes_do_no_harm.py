"""After any fix the file parses, nothing else is wrong at that place, and no error has become weaker."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from dradsl.diagnostics import Severity
from dradsl.drivers.schema.catalogue import Catalogue
from dradsl.lint.engine.run import lint_text
from dradsl.lint.pages.documents import all_documents
from dradsl.lint.settings.config import LintConfig
from dradsl.text.edits import apply, compatible
from maintenance.rule_examples import examples_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dradsl.diagnostics import Finding
    from dradsl.lint.report.model import Report

ROOT = Path(__file__).parents[2]
EXAMPLES = [
    (document.code, example)
    for document in all_documents()
    for example in examples_of(document)
    if example.file_name.endswith(".yaml")
]
TEXTS = [example.source for _, example in EXAMPLES] + [
    path.read_text("utf-8")
    for pattern in (
        "broken/*.yaml",
        "manifests/*.yaml",
        "inventory/*/*.yaml",
        "migrations/*/after/*",
    )
    for path in sorted((ROOT / "examples").glob(pattern))
    if path.suffix == ".yaml" and path.stat().st_size < 6000
]

_BROKEN = {"DRA001", "DRA002", "DRA003", "DRA099"}
"""The file cannot be read, or not all of it."""
_RECOGNIZED = ("apiVersion", "kind", "metadata")
"""Until these are right, nothing below them is looked at."""
_OF_NAMES = {f"DRA{number}" for number in (101, 102, 103, 201, 202, 203, 204, 205, 206, 220)}
"""In CEL: what hides the rest of the selector, and must not come instead of another one of them."""
_READ_NOW = (
    "the pod has no claim ",
    "the constraint names no attribute",
    "the request needs exactly or firstAvailable",
)
"""Of a field above, about the contents of the one that has its right name now."""


def report_of(text: str, release: str | None) -> Report:
    releases = (release,) if release else ()
    return lint_text(text, "a.yaml", LintConfig(root=ROOT, kube_version=releases))


def harm(text: str, release: str | None = None) -> Iterator[str]:
    """What is wrong after fixes of `text`: after each alone, all safe ones, and all."""
    before = report_of(text, release)
    fixable = [one for one in before.findings if one.fix is not None]
    for one in fixable:
        assert one.fix is not None
        if not one.fix.title.removeprefix("write").removeprefix("rename to").strip():
            yield f"{one.code}: the title of the fix says nothing"
    safe = [one for one in fixable if one.fix is not None and one.fix.applicability == "safe"]
    alone = [[one] for one in fixable]
    for several in alone if len(fixable) < 2 else [*alone, safe, fixable]:
        text_after, made = fixed(text, several)
        after = report_of(text_after, release)
        for wrong in compared(before, after, made):
            yield f"{[(one.code, one.fix and one.fix.title) for one in made]}: {wrong}"
    if fixable:
        yield from endless(text, release)


def fixed(text: str, findings: Sequence[Finding]) -> tuple[str, list[Finding]]:
    """The text with the fixes of these findings, and the findings of which it was made."""
    fixes = compatible(text, [one.fix for one in findings if one.fix is not None])
    made = [one for one in findings if any(one.fix is fix for fix in fixes)]
    return apply(text, [edit for fix in fixes for edit in fix.edits]), made


def endless(text: str, release: str | None) -> Iterator[str]:
    seen = {text}
    for _ in range(10):
        text, _ = fixed(text, report_of(text, release).findings)
        if text in seen:
            if fixed(text, report_of(text, release).findings)[0] != text:
                yield "fixes undo each other"
            return
        seen.add(text)
    yield "there is always one more fix"


def compared(before: Report, after: Report, made: Sequence[Finding]) -> Iterator[str]:
    known = {key(one) for one in before.findings}
    for one in after.findings:
        if key(one) not in known and any(is_harm(one, corrected) for corrected in made):
            yield f"new {one.severity} {one.code} at {one.field}: {one.message}"
    for one in before.findings:
        weaker = [
            other
            for other in after.findings
            if key(other) == key(one) and other.severity.rank > one.severity.rank
        ]
        if weaker and one.severity is Severity.ERROR:
            yield f"weaker: {one.code} {one.message}"
    for one in made:
        there = [key(other) for other in after.findings].count(key(one))
        if there >= [key(other) for other in before.findings].count(key(one)):
            yield f"not gone: {one.code} {one.message}"


def key(finding: Finding) -> tuple[object, ...]:
    """What is the same finding after a fix elsewhere: a message may name a line."""
    message = re.sub(r"\bline [0-9]+", "line", finding.message)
    return finding.code, finding.document, finding.field, message


def is_harm(new: Finding, corrected: Finding) -> bool:
    """Whether a finding comes from the fix, and was not hidden by what it fixed."""
    if new.code in _BROKEN:
        return True
    if new.document != corrected.document:
        return False
    place, here = corrected.field or "", new.field or ""
    if place.endswith(".expression") and here == place:
        weaker = new.severity.rank > corrected.severity.rank
        return new.code in _OF_NAMES or (weaker and new.code == corrected.code)
    above, _, last = place.rpartition(".")
    if last in _RECOGNIZED or corrected.code in ("DRA007", "DRA501") or not above:
        return False
    if corrected.fix is not None and corrected.fix.title.startswith(("rename", "move")):
        # The field as it is now contradicts one beside it.
        return here == above and not new.message.startswith(_READ_NOW)
    return here == place and corrected.code != "DRA006"


# Changes of one line --------------------------------------------------------------------------


def _misspelt(line: str, random: Random) -> str:
    words = list(re.finditer(r"[A-Za-z]{4,}", line))
    if not words:
        return line
    found = random.choice(words)
    word, at = found[0], random.randrange(1, len(found[0]) - 1)
    other = (
        word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        word[:at] + word[at + 1 :],
        word[:at] + word[at] + word[at:],
        word.lower(),
        word.swapcase(),
    )
    return line[: found.start()] + random.choice(other) + line[found.end() :]


def _quoted(line: str, random: Random) -> str:
    written = re.match(r"^(\s*(?:- )?[\w.]+: )([\w.]+)$", line)
    return f'{written[1]}"{written[2]}"' if written else line.replace('"', "")


def _indented(line: str, random: Random) -> str:
    return random.choice([f"  {line}", line.removeprefix("  ")])


def _left_out(line: str, random: Random) -> str:
    return ""


def _without_brackets(line: str, random: Random) -> str:
    return re.sub(r'\["([\w.]+)"\]', r".\1", line)


def _with_field(line: str, random: Random) -> str:
    field = random.choice(["string", "int", "foo", "value"])
    return re.sub(r"(\]\.\w+)", rf"\1.{field}", line)


def _other_operator(line: str, random: Random) -> str:
    return re.sub(r"==|>=|<=|>|<", random.choice(["==", ">=", "!=", "<", "<="]), line)


def _other_literal(line: str, random: Random) -> str:
    return re.sub(r'"[^"]*"$', random.choice(["80", "true", '"1.2"', '"80Gi"']), line)


def _other_version(line: str, random: Random) -> str:
    version = random.choice(["v1beta1", "v1beta2", "v1", "v1alpha3"])
    return re.sub(r"resource.k8s.io/\w+", f"resource.k8s.io/{version}", line)


def _other_kind(line: str, random: Random) -> str:
    kind = random.choice(["ResourceClaim", "ResourceClaimTemplate", "DeviceClass", "Pod"])
    return re.sub(r"kind: \w+", f"kind: {kind}", line)


CHANGES: tuple[Callable[[str, Random], str], ...] = (
    *[_misspelt] * 4,
    *(_quoted, _indented, _left_out, _without_brackets, _with_field),
    *(_other_operator, _other_literal, _other_version, _other_kind),
)


def mutated(random: Random) -> str:
    """One of the texts after one to three changes."""
    lines = random.choice(TEXTS).split("\n")
    for _ in range(random.randint(1, 3)):
        for _ in range(20):
            at = random.randrange(len(lines))
            line = random.choice(CHANGES)(lines[at], random)
            if line != lines[at]:
                lines[at] = line
                break
    return "\n".join(lines)


# ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", range(8))
def test_of_the_examples_of_all_rules(part: int) -> None:
    for code, example in EXAMPLES[part::8]:
        wrong = list(harm(example.source, example.options.get("kube-version")))
        assert not wrong, f"{code}:{example.line}: {wrong}"


@pytest.mark.parametrize("part", range(10))
def test_of_changed_manifests(part: int) -> None:
    fixes = 0
    for seed in range(part * 50, part * 50 + 50):
        text = mutated(Random(seed))
        wrong = list(harm(text))
        assert not wrong, f"seed {seed}: {wrong}\n{text}"
        fixes += fixed(text, report_of(text, None).findings)[0] != text
    assert fixes >= 5


CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: gpu
  namespace: ml
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: {}
        selectors:
"""
SELECTOR = "        - cel:\n            expression: '{}'\n"
OTHER = 'device.attributes["gpu.nvidia.com"].architecture == "Hopper"'


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ('{}.gpu.nvidia.com.productName == "NVIDIA L4"', '{}["gpu.nvidia.com"].productName == "NVIDIA L4"'),
        ('"Ada Lovelace" == {}.gpu.nvidia.com.architecture', '"Ada Lovelace" == {}["gpu.nvidia.com"].architecture'),
        ("has({}.gpu.nvidia.com.productName)", 'has({}["gpu.nvidia.com"].productName)'),
        ('{}.resource.kubernetes.io.pcieRoot == "pci0000:00"', '{}["resource.kubernetes.io"].pcieRoot == "pci0000:00"'),
        ('{}.gpu.nvidia.com.prodName == "NVIDIA L4"', None),
    ],
)  # fmt: skip
@pytest.mark.parametrize("others", [(), ("before",), ("behind",), ("before", "behind")])
@pytest.mark.parametrize("class_name", ["gpu.nvidia.com", "mine.example.com"])
def test_a_domain_without_brackets(
    written: str, meant: str | None, others: tuple[str, ...], class_name: str
) -> None:
    """It is a run-time error on every device, also beside other selectors; the fix is what is meant."""
    written = written.format("device.attributes")
    selectors = [written]
    if "before" in others:
        selectors.insert(0, OTHER)
    if "behind" in others:
        selectors.append(OTHER)
    known = class_name == "gpu.nvidia.com" or "before" in others
    text = CLAIM.format(class_name) + "".join(map(SELECTOR.format, selectors))
    found = [one for one in report_of(text, None).findings if one.code[:4] == "DRA2"]
    line = text[: text.index(written)].count("\n") + 1
    (one, *names) = [one for one in found if one.span.line == line]
    assert [each.code for each in names] == ["DRA201"] * ("prodName" in written and not known)
    assert (one.code, one.severity) == ("DRA202", Severity.ERROR)
    if meant is None:
        assert one.fix is None or not known
        return
    assert one.fix is not None
    fixed_text = fixed(text, [one])[0]
    assert fixed_text == text.replace(written, meant.format("device.attributes"))
    assert not [one for one in report_of(fixed_text, None).findings if one.code == "DRA202"]


NAMES = sorted(
    {
        (schema.name, entry.domain, entry.name)
        for schema in map(Catalogue().get, Catalogue().names())
        if schema is not None
        for kind in schema.device_types
        for entry in kind.attributes.values()
        if len(entry.name) > 5 and entry.name.isalnum() and entry.domain == schema.name
    }
)


@pytest.mark.parametrize("literal", ["true", "7", '"a"'])
def test_no_name_of_another_type_is_written(literal: str) -> None:
    """Beside a literal, the fix of a misspelt name never makes a comparison of two types."""
    fixes = 0
    for driver, domain, name in NAMES[::3]:
        written = name[:3] + name[2:]
        expression = (
            f'device.driver == "{driver}" && device.attributes["{domain}"].{written} == {literal}'
        )
        text = CLAIM.format("mine.example.com") + SELECTOR.format(expression)
        report = report_of(text, None)
        fixable = [one for one in report.findings if one.code == "DRA201" and one.fix is not None]
        after = report_of(fixed(text, fixable)[0], None).findings
        assert not [one.message for one in after if one.code == "DRA206"], (driver, name)
        fixes += bool(fixable)
    assert fixes > 1


@pytest.mark.parametrize(
    ("one", "other", "beside"),
    [
        ("firstavailable: [{name: a, deviceClassName: c}]", "exactly: {deviceClassName: c}", "name: r"),
        ("exactlly: {deviceClassName: c}", "firstAvailable: [{name: a, deviceClassName: c}]", "name: r"),
    ],
)  # fmt: skip
def test_no_second_one_of_a_group_is_offered(one: str, other: str, beside: str) -> None:
    text = CLAIM[: CLAIM.index("    - name")] + f"    - {beside}\n      {other}\n      {one}\n"
    found = [each for each in report_of(text, None).findings if each.code == "DRA005"]
    assert len(found) == 1
    assert found[0].fix is None
    (alone,) = report_of(text.replace(f"      {other}\n", ""), None).findings[:1]
    assert alone.fix is not None
