"""Rule documents: reading the form, rejecting what does not follow it, showing it on a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from dradsl.cli.markdown import render_markdown
from dradsl.data import data_folder
from dradsl.diagnostics import Severity
from dradsl.lint.pages.documents import (
    DocumentError,
    RuleDocument,
    UnknownRuleError,
    all_documents,
    document_paths,
    load_document,
    parse_document,
)
from maintenance.rule_examples import examples_of
from maintenance.rule_tables import check_front_matter
from tests.golden import check_golden

HERE = Path(__file__).parent

TEXT = """\
---
code: DRA304
name: invalid-count
family: 3
severity: error
releases: 1.35-1.36
fix: safe
needs: [classes]
source: pkg/apis/resource/validation
where: [dradsl/kube/validation/claim.py]
traits: {about: value, hides: nothing, compares: nothing, elsewhere: [], patch: no, shown: same, ignore: yes, editor: plain}
---
# The count contradicts the mode

## What it finds

A `count` together with `allocationMode: All`.

## Why it hurts

The **API server** rejects it, see [the reference](https://example.com/x).

- one item that is so long that it has to go on in a second line of the terminal it is read on
- another

## How to fix

Remove one.

```sh
kubectl get pods
```

## Examples

```yaml title="context" file="classes.yaml"
kind: DeviceClass
```

```yaml title="bad: both" kube-version="1.36" feature-gates="DRAAdminAccess=true"
count: 2 # error: DRA304
mode: All # warning: DRA305, DRA306
cel: |
  a // error: DRA101
text: "# error: DRA999 is not at the end"
```

```yaml title="fixed"
count: 2
```

```json title="bad" expect="DRA001@2 warning:DRA010@1"
{
```

```yaml title="good" file="nested/good.yaml"
count: 2
```
"""
NAME = "DRA304-invalid-count.md"


def checked(text: str) -> RuleDocument:
    """The document, as the generator of the table takes it."""
    if text.startswith("---"):
        check_front_matter(text, NAME)
    return parse_document(text, NAME)


def test_front_matter() -> None:
    document = parse_document(TEXT, NAME)
    assert (document.code, document.name, document.family) == ("DRA304", "invalid-count", 3)
    assert (document.severity, document.fix) == (Severity.ERROR, "safe")
    assert (document.releases, document.needs) == (("1.35", "1.36"), ("classes",))
    assert document.title == "The count contradicts the mode"
    assert document.section("How to fix").startswith("Remove one.")
    assert document.section("Elsewhere") == ""


def test_examples() -> None:
    bad, broken, good = examples_of(parse_document(TEXT, NAME))
    assert (bad.kind, bad.caption, bad.file_name) == ("bad", "both", "example.yaml")
    assert bad.expected == ((1, "DRA304"), (2, "DRA305"), (2, "DRA306"), (4, "DRA101"))
    assert bad.severities == (
        Severity.ERROR,
        Severity.WARNING,
        Severity.WARNING,
        Severity.ERROR,
    )
    assert bad.options == {"kube-version": "1.36", "feature-gates": "DRAAdminAccess=true"}
    assert bad.fixed == "count: 2\n"
    assert TEXT.split("\n")[bad.line - 1].startswith("count: 2 # error")
    assert bad.source == bad.text
    assert (broken.text, broken.file_name) == ("{\n", "example.json")
    assert broken.expected == ((1, "DRA010"), (2, "DRA001"))
    assert broken.severities == (Severity.WARNING, Severity.ERROR)
    assert (good.kind, good.file_name, good.expected) == ("good", "nested/good.yaml", ())
    (context,) = good.attachments
    assert (context.role, context.name, context.text) == (
        "context",
        "classes.yaml",
        "kind: DeviceClass\n",
    )


def test_repeated_lines() -> None:
    text = TEXT.replace(
        "count: 2 # error: DRA304\n",
        'before: 1\n- {name: "gpu-{n}"} # × 3\nafter: 1 # error: DRA304\n// a {n} && // × 2\n',
    )
    example = examples_of(parse_document(text, NAME))[0]
    assert example.source.split("\n")[:7] == [
        "before: 1",
        '- {name: "gpu-1"}',
        '- {name: "gpu-2"}',
        '- {name: "gpu-3"}',
        "after: 1 # error: DRA304",
        "// a 1 &&",
        "// a 2 &&",
    ]
    assert example.expected[0] == (5, "DRA304")
    assert "× 3" in example.text


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("---\ncode", "code", "does not start with front matter"),
        ("fix: safe\n", "", "'fix' is a required property"),
        ("fix: safe", "fix: sometimes", "fix: 'sometimes' is not one of"),
        ("fix: safe", "fix: [", "front matter: "),
        ("family: 3", "family: 4", "family is the first digit"),
        ("severity: error", "severity: fatal", "severity: 'fatal' is not one of"),
        ("releases: 1.35-1.36", "releases: 1.2-1.3", "releases: unknown"),
        ("needs: [classes]", "needs: classes", "needs: 'classes' is not of type 'array'"),
        ("name: invalid-count", "name: bad-count", "holds DRA304-bad-count"),
        ("# The count", "The count", "starts with '# '"),
        ("## Why it hurts", "## Why", "section 'Why it hurts' is missing"),
        (
            "\nRemove one.\n\n```sh\nkubectl get pods\n```\n",
            "\n",
            "'How to fix' is missing or empty",
        ),
        ("count: 2 # error: DRA304", "count: 2", None),
        (
            '"good" file="nested/good.yaml"\ncount: 2',
            '"good"\ncount: 2 # error: DRA304',
            "a good example",
        ),
        (
            '```json title="bad" expect="DRA001@2 warning:DRA010@1"',
            '```json title="bad"',
            "a bad example",
        ),
        ('title="bad: both"', 'title="worse"', "a fence titled 'worse'"),
        ('title="bad: both"', "title=bad", "title=bad"),
        ('file="nested/good.yaml"\ncount: 2\n```\n', "\ncount: 2\n", "never closed"),
    ],
)
def test_form(old: str, new: str, message: str | None) -> None:
    text = TEXT.replace(old, new, 1)
    assert text != TEXT
    if message is None:
        examples_of(checked(text))
    else:
        with pytest.raises(DocumentError, match=message) as caught:
            examples_of(checked(text))
        assert str(caught.value).startswith(NAME)


def test_folder(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text(TEXT)
    assert document_paths(tmp_path) == {"DRA304": tmp_path / NAME}
    assert load_document("dra304", tmp_path) == load_document("Invalid-Count", tmp_path)
    assert all_documents(tmp_path) == (load_document("DRA304", tmp_path),)
    with pytest.raises(UnknownRuleError):
        load_document("DRA305", tmp_path)
    (tmp_path / "DRA304-other.md").write_text(TEXT)
    with pytest.raises(DocumentError, match="has the same code"):
        document_paths(tmp_path)
    (tmp_path / "DRA304-other.md").rename(tmp_path / "README.md")
    with pytest.raises(DocumentError, match="is called DRAnnn-name"):
        document_paths(tmp_path)


def test_terminal() -> None:
    body = TEXT.partition("---\n# ")[2]
    check_golden(HERE / "golden" / "rule.txt", render_markdown(f"# {body}", 60, color=False))
    check_golden(HERE / "golden" / "rule-color.txt", render_markdown(f"# {body}", 60, color=True))


@pytest.mark.parametrize(
    "path", sorted(Path(data_folder("rules")).glob("*.md")), ids=lambda path: path.stem
)
def test_shipped_documents(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    check_front_matter(text, path.name)
    assert examples_of(parse_document(text, path.name))
