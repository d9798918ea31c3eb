"""Every example of every rule document, linted as a user would lint it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from dradsl.cel.checker.errors import Issue
from dradsl.cli import convert
from dradsl.cli.lint import command
from dradsl.diagnostics import Severity
from dradsl.kube.errors import FieldError, Format
from dradsl.lint.catalogue.messages import Words
from dradsl.lint.catalogue.rules import INTERNAL_ERROR
from dradsl.lint.pages.documents import RuleDocument, all_documents
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.text.documents import TextProblem
from maintenance.rule_examples import examples_of, without_expectations
from tests.golden import check_golden

if TYPE_CHECKING:
    from maintenance.rule_examples import Example

DOCUMENTS = {document.code: document for document in all_documents()}
PAIRS = [
    (document, example) for document in DOCUMENTS.values() for example in examples_of(document)
]


def params(pairs: list[tuple[RuleDocument, Example]]) -> list[Any]:
    """The pairs as test parameters, each called after its rule and its line in the document."""
    return [
        pytest.param(document, example, id=f"{document.code}-{example.kind}-{example.line}")
        for document, example in pairs
    ]


EXAMPLES = params(PAIRS)
BAD = params([(document, example) for document, example in PAIRS if example.kind == "bad"])
FIXED = params([(document, example) for document, example in PAIRS if example.fixed is not None])

# What an attachment is called on the command line.
FLAGS = {
    "context": "--context",
    "slices": "--slices",
    "driver-schema": "--driver-schema",
    "config": "--config",
}


def write(folder: Path, example: Example) -> list[str]:
    """Lay the example out as files; returns the arguments of the lint run, made in `folder`."""
    encoding = example.options.get("encoding", "utf-8")
    target = folder / "new" / example.file_name
    target.parent.mkdir(parents=True)
    target.write_bytes(example.source.encode(encoding))
    arguments = ["new"]
    for attachment in example.attachments:
        place = folder / attachment.role / attachment.name
        if attachment.role == "before":
            place = folder / "before" / "new" / example.file_name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(attachment.text, encoding="utf-8")
        if attachment.role == "before":
            arguments += ["--since", "before"]
        else:
            arguments += [FLAGS[attachment.role], str(place.relative_to(folder))]
    if not any(attachment.role == "config" for attachment in example.attachments):
        arguments.append("--isolated")
    if "kube-version" in example.options:
        arguments += ["--kube-version", example.options["kube-version"]]
    for gate in filter(None, example.options.get("feature-gates", "").split(",")):
        arguments += ["--feature-gates", gate]
    return arguments


def lint(folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]) -> Result:
    monkeypatch.chdir(folder)
    for name in ("COLUMNS", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    result = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert result.exit_code in (0, 1), result.output
    return result


def findings(folder: Path, monkeypatch: pytest.MonkeyPatch, example: Example) -> list[Any]:
    arguments = [*write(folder, example), "--output-format", "json"]
    found: list[Any] = json.loads(lint(folder, monkeypatch, arguments).stdout)["findings"]
    return found


@pytest.mark.parametrize(("document", "example"), EXAMPLES)
def test_example(
    document: RuleDocument, example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = findings(tmp_path, monkeypatch, example)
    got = sorted((one["line"], one["code"], one["severity"]) for one in found)
    expected = [
        (line, code, str(severity))
        for (line, code), severity in zip(example.expected, example.severities, strict=True)
    ]
    messages = "\n".join(f"{one['line']}: {one['code']} {one['message']}" for one in found)
    assert got == sorted(expected), messages


@pytest.mark.parametrize(("document", "example"), BAD)
def test_no_guess_fails_a_run(
    document: RuleDocument, example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By default a run fails for what follows from what is visible, never for an info alone."""
    worse = set(example.severities) - {Severity.INFO}
    assert lint(tmp_path, monkeypatch, write(tmp_path, example)).exit_code == int(bool(worse))


# Where sentences are, by class and field, below the findings and in them.
SENTENCES: tuple[tuple[type, str], ...] = (
    (FieldError, "detail"),
    (Format, "rule"),
    (Format, "hint"),
    (Issue, "message"),
    (Words, "message"),
    (Words, "help"),
    (Words, "upstream"),
    (RuleFinding, "message"),
    (RuleFinding, "help"),
    (RuleFinding, "upstream"),
    (TextProblem, "message"),
    (TextProblem, "upstream"),
)


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
def test_no_sentence_decides(
    document: RuleDocument, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With one text for all of them, the same is found at the same places."""
    bad = [example for example in examples_of(document) if example.kind == "bad"]
    said = [places(tmp_path / f"said-{n}", monkeypatch, each) for n, each in enumerate(bad)]
    for owner, name in SENTENCES:
        monkeypatch.setattr(owner, name, property(lambda _: "a sentence"))
    mute = [places(tmp_path / f"mute-{n}", monkeypatch, each) for n, each in enumerate(bad)]
    assert mute == said


def places(folder: Path, monkeypatch: pytest.MonkeyPatch, example: Example) -> set[Any]:
    keys = ("path", "line", "column", "endLine", "endColumn", "code", "severity", "kubernetes")
    found = findings(folder, monkeypatch, example)
    return {tuple(str(one[key]) for key in keys) for one in found}


@pytest.mark.parametrize(("document", "example"), BAD)
def test_fixes_are_as_the_document_says(
    document: RuleDocument, example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = [one for one in findings(tmp_path, monkeypatch, example) if one["code"] == document.code]
    applied = {one["fix"]["applicability"] for one in own if one["fix"]}
    assert applied <= {document.fix}


@pytest.mark.parametrize(("document", "example"), BAD)
def test_commands_that_a_help_names_work(
    document: RuleDocument, example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A finding that sends its reader to `--fix`, or after that to `dradsl convert`, is gone then."""
    arguments = write(tmp_path, example)
    target = tmp_path / "new" / example.file_name

    def found() -> list[Any]:
        options = [*arguments, "--output-format", "json"]
        listed: list[Any] = json.loads(lint(tmp_path, monkeypatch, options).stdout)["findings"]
        return listed

    before = found()
    for words, done, call in (
        ("`dradsl lint --fix`", command, [*arguments, "--fix"]),
        ("`dradsl convert`", convert.command, [str(target), "--write"]),
    ):
        named = {one["code"] for one in before if words in (one["help"] or "")}
        if named:
            CliRunner().invoke(done, call, catch_exceptions=False)
            assert not named & {one["code"] for one in found()}, words


@pytest.mark.parametrize(("document", "example"), FIXED)
def test_fixed(
    document: RuleDocument, example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = [*write(tmp_path, example), "--fix"]
    if document.fix == "unsafe":
        arguments.append("--unsafe-fixes")
    lint(tmp_path, monkeypatch, arguments)
    target = tmp_path / "new" / example.file_name
    once = target.read_text(encoding="utf-8")
    assert without_expectations(once) == example.fixed
    lint(tmp_path, monkeypatch, arguments)
    assert target.read_text(encoding="utf-8") == once, "a second fix changed more"


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
def test_rendered(document: RuleDocument, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a user reads for each bad example; good ones have nothing to show."""
    parts = []
    bad = [example for example in examples_of(document) if example.kind == "bad"]
    for number, example in enumerate(bad, 1):
        folder = tmp_path / str(number)
        shown = lint(folder, monkeypatch, write(folder, example)).stdout
        # Counted, so that a line more above leaves the golden files as they are.
        parts.append(f"--- example {number}\n{shown}")
    check_golden(
        Path(__file__).parent / "golden" / "rules" / f"{document.code}.txt", "\n".join(parts)
    )


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
def test_the_document_has_examples_of_the_rule(document: RuleDocument) -> None:
    codes = {code for example in examples_of(document) for _, code in example.expected}
    # No manifest is meant to make dradsl fail; tests/lint/test_isolate.py brings it about.
    assert document.code in codes or document.code == INTERNAL_ERROR, (
        "no bad example of the rule itself"
    )
    assert any(example.kind == "good" for example in examples_of(document))
    if document.fix != "none":
        assert any(example.fixed for example in examples_of(document)), "no example of the fix"
