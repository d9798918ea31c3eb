"""`dradsl lint` as a user calls it: paths, exit codes, fixes, ignores, baselines, updates."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from dradsl.cli.lint import command

if TYPE_CHECKING:
    from pathlib import Path

GOOD = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: gpu, namespace: ml}
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu.nvidia.com
        count: 2  # two of them
"""
BAD = GOOD.replace("count: 2", "count: -2")
FLAT = GOOD.replace(
    """\
      exactly:
        deviceClassName: gpu.nvidia.com
        count: 2  # two of them
""",
    """\
      deviceClassName: gpu.nvidia.com
      count: 2  # two of them
""",
)
COUNT_LINE = 10


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(*words: str, stdin: str | bytes = "") -> Result:
    return CliRunner().invoke(command, words, input=stdin)


def codes(*words: str, stdin: str = "") -> list[tuple[str, int, str]]:
    """Path, line and code of each finding, from the JSON report."""
    report = json.loads(run(*words, "--output-format", "json", stdin=stdin).stdout)
    return [(f["path"], f["line"], f["code"]) for f in report["findings"]]


# Paths and exit codes


def test_working_directory_is_the_default(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.yaml").write_text(BAD)
    (tmp_path / "b.json").write_text("[]")
    (tmp_path / "notes.txt").write_text("not: [yaml")
    assert codes() == [("deep/a.yaml", COUNT_LINE, "DRA304")]
    assert run().exit_code == 1


def test_clean_files_exit_with_zero(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(GOOD)
    result = run("a.yaml")
    assert (result.exit_code, result.stdout) == (0, "All good: 1 file (1 document)\n")


def test_rules_that_were_asked_for_and_cannot_run_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(GOOD)
    note = "note: no recorded slices (--slices): DRA701 to DRA710 did not run"
    assert note in run("--select", "DRA7", "a.yaml").stdout.splitlines()
    assert "--slices" not in run("--select", "ALL", "a.yaml").stdout


def test_standard_input_and_its_name() -> None:
    assert codes("-", "--stdin-filename", "x/y.yaml", stdin=BAD) == [
        ("x/y.yaml", COUNT_LINE, "DRA304")
    ]


def test_globs_and_exclusion(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.yaml").write_text(BAD)
    assert [path for path, *_ in codes("[ab].yaml")] == ["a.yaml", "b.yaml"]
    assert [path for path, *_ in codes(".", "--exclude", "b.yaml")] == ["a.yaml", "c.yaml"]


def test_a_file_named_twice_is_checked_once(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(BAD)
    assert len(codes("a.yaml", "./a.yaml", ".")) == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["none.yaml"], "no such file or directory: none.yaml"),
        (["*.none"], "no file matches"),
        ([".", "--kube-version", "1.20"], "unknown Kubernetes release"),
        ([".", "--select", "DRA9999"], "DRA9999"),
        ([".", "--feature-gates", "Nothing=true"], "Nothing"),
        ([".", "--kube-version", "1.37", "--feature-gates", "DRAAdminAccess=false"], "locked"),
        ([".", "--since", "no-such-folder-or-revision"], "--since"),
        ([".", "--slices", "none.json"], "--slices"),
        ([".", "--baseline", "none.json"], "none.json"),
        ([".", "--config", "none.yaml"], "none.yaml"),
    ],
)
def test_calls_that_cannot_be_carried_out(tmp_path: Path, words: list[str], message: str) -> None:
    (tmp_path / "a.yaml").write_text(GOOD)
    result = run(*words)
    assert result.exit_code == 2
    assert message in result.output
    assert "Traceback" not in result.output


def test_what_fails_the_run(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(GOOD.replace("count: 2", "count: 0"))  # DRA317, a warning
    assert run("a.yaml").exit_code == 1
    assert run("a.yaml", "--fail-on", "error").exit_code == 0
    assert run("a.yaml", "--fail-on", "never").exit_code == 0
    assert run("a.yaml", "--exit-zero").exit_code == 0
    assert run("a.yaml", "--ignore", "DRA317").exit_code == 0
    assert run("a.yaml", "--severity", "error").stdout.splitlines()[-1][:8] == "All good"


def test_statistics_and_output_file(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(BAD)
    result = run("a.yaml", "--output-format", "statistics", "--output", "report.txt")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "1  DRA304  invalid-count" in (tmp_path / "report.txt").read_text()


# Releases


def test_a_finding_says_in_which_releases_it_holds(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(
        GOOD + "        tolerations:\n        - {key: a, operator: Exists}\n"
    )
    report = json.loads(
        run("a.yaml", "--kube-version", "1.34-1.37", "--output-format", "json").stdout
    )
    dropped = {tuple(f["kubernetes"]) for f in report["findings"] if f["code"] == "DRA503"}
    assert dropped == {("1.35",)}  # 1.34 forgot to drop tolerations of claims
    assert run("a.yaml", "--kube-version", "1.36").exit_code == 0
    on = ("--feature-gates", "DRADeviceTaints=true")
    assert run("a.yaml", "--kube-version", "1.35", *on).exit_code == 0


# Bad input


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"\x00\x01\x02binary", "DRA003"),
        (b"a: \xe9\n", "DRA003"),
        (b"a: [b\n", "DRA001"),
        (b"a: " + b"[" * 5000, "DRA004"),
        (b"a: &a [x,x]\nb: &b [*a,*a]\n" + b"c: " + b"[" * 200, "DRA004"),
        (b"a: 1\na: 2\n", "DRA002"),
    ],
)
def test_unreadable_text_is_a_finding(tmp_path: Path, data: bytes, code: str) -> None:
    (tmp_path / "a.yaml").write_bytes(data)
    assert [found for *_, found in codes("a.yaml")] == [code]


def test_a_broken_document_does_not_hide_the_others(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(f"{GOOD}---\na: [b\n---\n{BAD}")
    assert [code for *_, code in codes("a.yaml")] == ["DRA001", "DRA304"]


def test_a_file_that_goes_away(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").symlink_to("gone.yaml")
    assert codes("a.yaml") == [("a.yaml", 1, "DRA003")]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(GOOD)
    (tmp_path / "a.yaml").chmod(0)
    assert codes("a.yaml") == [("a.yaml", 1, "DRA003")]


def test_helm_templates_are_skipped_with_a_note(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("kind: Pod\nmetadata:\n  name: {{ .Values.name }}\n")
    result = run("a.yaml")
    assert result.exit_code == 0
    assert "skipped 1 file" in result.stdout


# Fixes


def test_fix_keeps_comments_and_is_done_after_one_call(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(FLAT)
    assert run("a.yaml", "--diff").exit_code == 1
    assert file.read_text() == FLAT
    assert run("a.yaml", "--fix").exit_code == 0
    assert file.read_text() == GOOD
    assert run("a.yaml", "--diff").stdout == ""


def test_unsafe_fixes_are_left_alone_unless_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    misspelt = GOOD.replace("deviceClassName", "deviceClasName")
    file.write_text(misspelt)
    assert run("a.yaml", "--fix").exit_code == 1
    assert file.read_text() == misspelt
    assert run("a.yaml", "--fix", "--unsafe-fixes").exit_code == 0
    assert file.read_text() == GOOD


def test_fix_keeps_the_encoding_and_the_line_ends(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_bytes(FLAT.replace("\n", "\r\n").encode("utf-16"))
    assert run("a.yaml", "--fix").exit_code == 0
    assert file.read_bytes().decode("utf-16") == GOOD.replace("\n", "\r\n")


# Ignores and baselines


def test_ignores_hide_and_are_reported_when_idle(tmp_path: Path) -> None:
    marked = BAD.replace("count: -2  # two", "count: -2  # dradsl: ignore[DRA304] two")
    (tmp_path / "a.yaml").write_text(marked)
    assert run("a.yaml").exit_code == 0
    (tmp_path / "a.yaml").write_text(marked.replace("-2", "2"))
    assert codes("a.yaml") == [("a.yaml", COUNT_LINE, "DRA010")]


def test_standard_input_is_not_written_to_a_file(tmp_path: Path) -> None:
    result = CliRunner().invoke(command, ["-", "--fix", "--stdin-filename", "a.yaml"], input=BAD)
    assert result.exit_code == 2
    assert "standard input" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_baseline_reports_what_is_new(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(BAD)
    assert run("a.yaml", "--baseline", "base.json", "--write").exit_code == 0
    assert run("a.yaml", "--baseline", "base.json").exit_code == 0
    (tmp_path / "a.yaml").write_text("# moved down\n" + BAD + "    - {name: x_y}\n")
    found = {code for *_, code in codes("a.yaml", "--baseline", "base.json")}
    assert found == {"DRA301", "DRA306"}


# Updates


def test_since_a_folder(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    (tmp_path / "old" / "a.yaml").write_text(GOOD)
    (tmp_path / "new" / "a.yaml").write_text(GOOD.replace("count: 2", "count: 3"))
    assert codes("new", "--since", "old") == [("new/a.yaml", 4, "DRA314")]
    assert codes("old", "--since", "old") == []


def test_since_a_revision(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        identity = ("-c", "user.name=x", "-c", "user.email=x@example.com")
        subprocess.run(["git", *identity, *words], check=True, capture_output=True, cwd=tmp_path)

    git("init", "-q")
    (tmp_path / "a.yaml").write_text(GOOD)
    git("add", "a.yaml")
    git("commit", "-qm", "first")
    (tmp_path / "a.yaml").write_text(GOOD.replace("count: 2", "count: 3"))
    assert codes("a.yaml", "--since", "HEAD") == [("a.yaml", 4, "DRA314")]
    assert run("a.yaml", "--since", "--output=x").exit_code == 2


# The process as a whole


def test_an_internal_failure_says_so_without_a_traceback(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(GOOD)
    program = (
        "import dradsl.lint.engine.run as engine\n"
        "def fail(*a, **k): raise RuntimeError('boom')\n"
        "engine.lint = fail\n"
        "import sys; sys.argv = ['dradsl', 'lint', 'a.yaml']\n"
        "from dradsl.cli import main; main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 2
    assert "internal error: RuntimeError: boom" in done.stderr
    assert "Traceback" not in done.stderr
