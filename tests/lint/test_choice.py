"""Which files a run looks at: what git ignores, dot folders, what is no Kubernetes, templates."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from dradsl.tree.inputs.choice import BROKEN
from tests.lint.repositories import git, only_git_of_the_test
from tests.lint.trees import BAD, GOOD, as_json, lint, places, shown_files, write

if TYPE_CHECKING:
    from pathlib import Path

SETTINGS = '{\n  // a comment\n  "a": 1,\n}\n'
TERRAFORM = "%{ for name in names }\n- ${name}\n%{ endfor }\napiVersion: v1\n"
HELM = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Release.Name }}-x\n"
JINJA = "apiVersion: v1\n{% if x %}\nkind: Pod\n{% endif %}\n"


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only_git_of_the_test(tmp_path, monkeypatch)


def found(*words: str) -> list[str]:
    """The files with findings."""
    return sorted({path for path, *_ in places(*words)})


# What git ignores ---------------------------------------------------------------------------------


def test_ignored_files_and_folders(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            ".gitignore": "dist/\n*.gen.yaml\n",
            "a.yaml": BAD,
            "a.gen.yaml": BAD,
            "dist/a.yaml": BAD,
            "sub/.gitignore": "*.yaml\n!kept.yaml\n",
            "sub/kept.yaml": BAD,
            "sub/deep/lost.yaml": BAD,
            ".hidden/a.yaml": BAD,
            "node_modules/x/a.yaml": BAD,
        },
    )
    assert found() == ["a.yaml", "sub/kept.yaml"]
    assert found("dist", ".hidden", "sub/deep/lost.yaml", "a.gen.yaml") == [
        ".hidden/a.yaml",
        "a.gen.yaml",
        "dist/a.yaml",
        "sub/deep/lost.yaml",
    ]
    assert shown_files() == {
        "a.yaml": None,
        "sub/kept.yaml": None,
        "a.gen.yaml": "ignored by .gitignore",
        "dist/": "ignored by .gitignore",
        "sub/deep/lost.yaml": "ignored by sub/.gitignore",
        ".hidden/": "a dot folder: name it to have it read",
        "node_modules/": "never looked into",
    }


def test_what_holds_above_the_folder(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    write(
        tmp_path,
        {
            ".gitignore": "lost.yaml\n/only/here.yaml\n",
            ".git/info/exclude": "mine.yaml\n",
            "only/here.yaml": BAD,
            "only/lost.yaml": BAD,
            "only/mine.yaml": BAD,
            "only/a.yaml": BAD,
            "only/only/here.yaml": BAD,
        },
    )
    assert found("only") == ["only/a.yaml", "only/only/here.yaml"]
    assert found(str(tmp_path / "only")) == [
        str(tmp_path / "only" / "a.yaml"),
        str(tmp_path / "only" / "only" / "here.yaml"),
    ]
    assert found("only/*.yaml") == ["only/a.yaml"]
    assert found("**/here.yaml") == ["only/only/here.yaml"]


def test_a_repository_within_another_one(tmp_path: Path) -> None:
    """What the outer one ignores by name is no business of the inner one."""
    git(tmp_path, "init", "-q")
    write(
        tmp_path, {".gitignore": "lost.yaml\ngone/\n", "inner/lost.yaml": BAD, "gone/a.yaml": BAD}
    )
    for name in ("inner", "gone"):
        git(tmp_path / name, "init", "-q")
    write(tmp_path, {"inner/.git/info/exclude": "mine.yaml\n", "inner/mine.yaml": BAD})
    assert found() == ["inner/lost.yaml"]


def test_a_submodule_has_its_excludes_elsewhere(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    write(
        tmp_path,
        {
            ".git/modules/sub/info/exclude": "mine.yaml\n",
            "sub/.git": "gitdir: ../.git/modules/sub\n",
            "sub/mine.yaml": BAD,
            "sub/a.yaml": BAD,
        },
    )
    assert found() == ["sub/a.yaml"]


def test_ignored_folders_are_not_looked_into(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {".gitignore": "dist/\n", "a.yaml": GOOD})
    write(tmp_path, {f"dist/{number}/a.yaml": BAD for number in range(20)})
    listed: list[str] = []
    scan = os.scandir

    def listing(path: str) -> Any:
        listed.append(path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", listing)
    assert lint(".").exit_code == 0
    assert listed == ["."]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"a*b\n" * 3000, "has more than 2000 patterns"),
        (b"#" * (1024 * 1024 + 1), "the limit is 1048576"),
    ],
)
def test_an_ignore_file_that_is_not_read(tmp_path: Path, content: bytes, why: str) -> None:
    write(tmp_path, {"sub/.gitignore": content, "sub/a.yaml": BAD})
    result = lint(".")
    assert "sub/a.yaml:8:17: DRA005" in result.stdout
    assert "note: sub/.gitignore has" in result.stdout
    assert why in result.stdout


def test_ignore_files_that_are_none(tmp_path: Path) -> None:
    write(tmp_path, {"patterns": "*.yaml\n", "a/a.yaml": BAD, "b/a.yaml": BAD, "c/a.yaml": BAD})
    (tmp_path / "a" / ".gitignore").symlink_to(tmp_path / "patterns")  # nor does git follow it
    (tmp_path / "b" / ".gitignore").mkdir()
    (tmp_path / "c" / ".gitignore").write_bytes(b"\xff\xfe\0*.yaml\n")
    assert found() == ["a/a.yaml", "b/a.yaml", "c/a.yaml"]


# What is Kubernetes -------------------------------------------------------------------------------


def test_files_that_are_no_manifests(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a.yaml": GOOD,
            "tsconfig.json": SETTINGS,
            "translations.json": '{"kind": "Art", "a": 1, "a": 2}',
            "values.yaml": "image: x\nimage: y\n",
            "binary.json": b"\0\1\2",
            ".dradsl.yaml": "per-file-ignores: {deviceClassName.yaml: [DRA005]}\n",
        },
    )
    report = as_json(".")
    assert report["findings"] == []
    assert report["summary"] == {
        "files": 1, "documents": 1, "objects": 1, "skipped": 5, "rulesSwitchedOff": 0,
        "errors": 0, "warnings": 0, "infos": 0,
    }  # fmt: skip
    assert lint(".").stdout == (
        "note: skipped 1 file (the configuration of dradsl): .dradsl.yaml\n"
        "note: skipped 4 files (no Kubernetes objects); --show-files lists them\n"
        "All good: 1 file (1 document)\n"
    )
    assert [code for *_, code in places("tsconfig.json")] == ["DRA001"]


@pytest.mark.parametrize(
    "text",
    [
        "apiVersion: v1\nkind: X\n",
        "apiversion: v1\nKind: X\n",
        "kind: X\n'apiVersion' : v1\n",
        '{"kind": "Pod"}',
        "kind : 'ResourceClaim'\n",
        "group: resource.k8s.io\n",
        "a: {resourceClaims: []}\n",
        "resourceclaims: []\n",
        "x: deviceClassName\n",
    ],
)
def test_signs_of_kubernetes(tmp_path: Path, text: str) -> None:
    write(tmp_path, {"a.yaml": f"{text}b: [\n", "wide.yaml": f"{text}b: [\n".encode("utf-16")})
    about_claims = "resource" in text.lower() or "deviceClass" in text
    assert set(shown_files().values()) == {None if about_claims else BROKEN}
    assert {code for *_, code in places(".")} == ({"DRA001"} if about_claims else set())
    assert {code for *_, code in places("a.yaml", "wide.yaml")} == {"DRA001"}


@pytest.mark.parametrize(
    "text",
    [
        "run: {max: .inf}\nconfig:\n  apiVersion: x/v1\n  kind: C\n",
        "config:\n- apiVersion: x/v1\n  kind: C\nb: [\n",
        "apiVersion: 1.0\nimage:\n  password: %%PASSWORD%%\n",
        "apiVersion: v1\nb: [\n",
        "kind: Cluster\nb: [\n",
        "# kind: Pod\nspec:\n  kind: Pod\n  b: [\n",
        "items:\n- kind: Pod\n  apiVersion: v1\n  b: [\n",
    ],
)
def test_files_of_other_tools(tmp_path: Path, text: str) -> None:
    """Without `apiVersion` and `kind` at the top, or a word about claims, kubectl has no use for a file."""
    write(tmp_path, {"a.yaml": text})
    assert found() == []
    assert [code for *_, code in places("a.yaml")] == ["DRA001"]
    write(tmp_path, {"a.yaml": f"{text}resourceClaims: []\n"})
    assert found() == ["a.yaml"]


def test_pages_and_indented_manifests_hold_objects(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a.md": "1. step\n\n   ```yaml\n   apiVersion: v1\n   kind: Pod\n   claims: [\n   ```\n",
            "b.yaml": "  apiVersion: v1\n  kind: Pod\n  claims: [\n",
        },
    )
    assert found("--config", "include=*.md", ".") == ["a.md", "b.yaml"]


def test_broken_files_that_may_be_values(tmp_path: Path) -> None:
    """Claims in values of charts are looked for; what is wrong with the text is not our business."""
    write(tmp_path, {"a.yaml": "claims: {x: 1, x: 2}\n", "b.yaml": "claim: [\n"})
    report = as_json(".")
    assert (report["findings"], report["summary"]["skipped"]) == ([], 2)
    assert [code for *_, code in places("a.yaml", "b.yaml")] == ["DRA002", "DRA001"]


def test_values_of_other_charts_are_not_our_business(tmp_path: Path) -> None:
    twice = "a: 1\na: 2\n"
    write(
        tmp_path,
        {
            "comment.yaml": f"# apiVersion: v1\nx: y  # kind: Pod\n{twice}b: [\n",
            "extra.yaml": f"{twice}extra: [{{apiVersion: v1, kind: Service}}]\n",
            "claims.yaml": f"{twice}resourceClaims: []\n",
            "object.yaml": f"apiVersion: v1\nkind: X\n{twice}",
            "minified.json": '{"x": " # ", "apiVersion": "v1", "a": 1, "a": 2}',
        },
    )
    assert found() == ["claims.yaml"]
    named = ["comment.yaml", "extra.yaml", "minified.json", "object.yaml"]
    assert found(*named) == named


def test_broken_files_about_other_things_are_one_note(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "claim.yaml": GOOD,
            "broken.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: a\nspec: {}\n",
            "twice.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: a, name: b}\n",
            "text.yaml": b"apiVersion: v1\nkind: Service\nmetadata: {name: caf\xe9}\n",
            "volumes.yaml": "apiVersion: v1\nkind: Pod\npersistentVolumeClaim: [\n# claims: [{name: a}]\n",
        },
    )
    (tmp_path / "link.yaml").symlink_to("gone.yaml")
    result = lint(".")
    assert result.exit_code == 0
    assert result.stdout == (
        f"note: skipped 5 files ({BROKEN}); --show-files lists them\nAll good: 1 file (1 document)\n"
    )
    names = ["broken.yaml", "link.yaml", "text.yaml", "twice.yaml", "volumes.yaml"]
    assert shown_files() == {"claim.yaml": None, **dict.fromkeys(names, BROKEN)}
    assert as_json(".")["summary"]["skipped"] == len(names)
    for words in (names, ["--each-file", *names]):
        assert lint(*words).exit_code == 1
        assert found(*words) == names


@pytest.mark.parametrize(
    "asked",
    [
        "resources: {claims: [{name: gpu}]}",
        'resources: {limits: {cpu: 1, "nvidia.com/gpu": 1}}',
        "resources:\n  limits:\n    cpu: 1\n    memory: 1Gi\n\n    amd.com/gpu: '1'",
        "resources:\n  requests:\n      cpu: 1\n      gpu.intel.com/i915: 1",
        '"requests": {"example.com/x": 1}',
        "devicePlugin: {enabled: true}",
        "image: k8s-device-plugin",
    ],
)
def test_a_broken_pod_with_devices_is_an_error(tmp_path: Path, asked: str) -> None:
    write(tmp_path, {"a.yaml": f"apiVersion: v1\nkind: Pod\nspec: [\n{asked}\n"})
    assert [code for *_, code in places(".")] == ["DRA001"]


def test_an_equal_value_is_no_loss(tmp_path: Path) -> None:
    start = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nresourceClaims: "
    same = "[{name: a, name: a}, {x: [1, {b: c}], x: [1, {b: c}]}]\n"
    others = "[{a: 1, a: true}, {a: 1, a: '1'}, {a: {b: 1}, a: {}}, {a: 1, a: 2, a: 1}]\n"
    write(tmp_path, {"a.yaml": start + same, "b.yaml": start + others})
    twice = [one for one in as_json(".")["findings"] if one["code"] == "DRA002"]
    said = [(one["path"], one["severity"], "nothing is lost" in one["message"]) for one in twice]
    equal, lost = ("info", True), ("error", False)
    assert said == [("a.yaml", *equal)] * 2 + [
        ("b.yaml", *each) for each in (lost, lost, lost, equal, lost)
    ]


def test_the_own_baseline(tmp_path: Path) -> None:
    write(tmp_path, {"apiVersion.yaml": BAD})
    assert lint("--baseline", "known.json", "--write", ".").exit_code == 0
    summary = as_json(".", "--baseline", "known.json")["summary"]
    assert (summary["files"], summary["skipped"], summary["errors"]) == (1, 1, 0)
    assert lint("--output-format", "json", "--output", "report.json", ".").exit_code == 1
    assert shown_files() == {
        "apiVersion.yaml": None,
        "known.json": "a baseline or a report of dradsl",
        "report.json": "a baseline or a report of dradsl",
    }


def test_a_link_that_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").symlink_to("gone.yaml")
    assert shown_files() == {"a.yaml": BROKEN}
    assert (
        "a.yaml:1:1: DRA003 unreadable-file error: the file cannot be read: is a link to "
        "gone.yaml, which does not exist"
    ) in lint("a.yaml").stdout


# Templates ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.yaml", HELM),
        ("a.yaml", TERRAFORM),
        ("a.yaml", JINJA),
        ("a.tftpl.yaml", "apiVersion: v1\n- ${x}\n"),
        ("a.yaml.j2", "apiVersion: v1\n- x\n"),
        ("a.yaml.tmpl", "apiVersion: v1\n- [\n"),
    ],
)
def test_templates_are_not_judged(tmp_path: Path, name: str, text: str) -> None:
    write(tmp_path, {name: text})
    report = as_json(name)
    assert report["findings"] == []
    assert report["summary"]["files"] == 0
    assert report["summary"]["skipped"] == 1
    result = lint(name)
    assert (
        f"note: skipped 1 file (template, not judged: lint what is made of it, such as the output of `helm template`): {name}\n"
        in result.stdout
    )
    assert result.stdout.endswith("Nothing to check: no manifests found\n")
    assert (shown_files(name)[name] or "").startswith("template, not judged")


def test_a_readable_file_with_braces_is_judged_and_not_skipped(tmp_path: Path) -> None:
    text = BAD.replace("{name: gpu, ", '{name: gpu, annotations: {x: "{{ .Release.Name }}"}, ')
    write(tmp_path, {"a.yaml": text, "a.yaml.j2": BAD})
    for name in ("a.yaml", "a.yaml.j2"):
        report = as_json(name)
        assert [one["code"] for one in report["findings"]] == ["DRA005"]
        assert (report["summary"]["files"], report["summary"]["skipped"]) == (1, 0)
        assert "skipped" not in lint(name).stdout


def test_a_template_in_part(tmp_path: Path) -> None:
    """What can be read is judged, and what cannot and holds no braces is a mistake."""
    jinja = "a: {% x %}\n"
    write(tmp_path, {"a.yaml": f"{BAD}---\n{jinja}---\napiVersion: [\n"})
    assert places("a.yaml") == [("a.yaml", 8, 17, "DRA005"), ("a.yaml", 13, 1, "DRA001")]
    summary = as_json("a.yaml")["summary"]
    assert (summary["files"], summary["skipped"]) == (1, 0)
    write(tmp_path, {"b.yaml": f"{GOOD}---\n{jinja}"})
    assert lint("b.yaml").stdout == (
        "note: 1 document is a template, not judged: b.yaml\nAll good: 1 file (2 documents)\n"
    )


# Nothing ------------------------------------------------------------------------------------------


def test_nothing_was_checked(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": "apiVersion: x\n", "t/a.yaml": HELM})
    result = lint("a.yaml")
    assert result.stdout == "Nothing was checked: no Kubernetes object in 1 file (1 document)\n"
    assert result.exit_code == 0
    result = lint("t")
    assert result.stdout.endswith("Nothing to check: no manifests found\n")
    for words in ("a.yaml", "t"):
        failed = lint("--config", "fail-if-empty=true", "--exit-zero", words)
        assert failed.exit_code == 2
        assert failed.stderr == "dradsl lint: nothing was checked (fail-if-empty)\n"
    write(tmp_path, {"b.yaml": GOOD})
    assert lint("--config", "fail-if-empty=true", ".").exit_code == 0


@pytest.mark.parametrize("stdin", ["", " \n\n"])
def test_empty_standard_input(stdin: str) -> None:
    result = lint("-", stdin=stdin)
    assert result.exit_code == 2
    assert result.stderr == (
        "dradsl lint: standard input is empty; if a command before `|` writes it, that command failed\n"
    )
    assert lint("-", stdin="# nothing rendered\n").exit_code == 0


# Other endings ------------------------------------------------------------------------------------


def test_include(tmp_path: Path) -> None:
    page = f"```yaml\n{BAD}```\n"
    write(tmp_path, {"docs/a.md": page, "b.md": page, ".gitignore": "b.md\n", "docs/c.txt": BAD})
    assert found() == []
    assert found("--config", "include=*.md") == ["docs/a.md"]
    assert found("--config", "include=docs/**/*.txt", ".") == ["docs/c.txt"]
    assert found("docs/*.md") == ["docs/a.md"]
