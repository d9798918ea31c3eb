"""Configuration is found in the tree that is checked, so it is hostile input as manifests are."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from dradsl.cli.lint import command
from dradsl.lint.settings.config import LintConfig, load_config, read_config
from dradsl.lint.settings.problems import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

MANIFEST = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: x}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu.nvidia.com}}]}}
"""

BOMB = "- &a0 [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"- &a{i} [{','.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 9)
)
SELF = "&a [*a]"

YAML: list[tuple[str, str]] = [
    ("select: " + "[" * 100_000, "levels deep"),
    ("select: " + "{a: " * 33 + "}" * 33, "levels deep"),
    ("a:\n" + "".join(" " * i + "b:\n" for i in range(1, 60)), "levels deep"),
    (f"fail-on:\n{BOMB}", "alias"),
    (f"feature-gates: {SELF}", "alias"),
    ("x: &x 1\nseverity: *x", "alias"),
    ("select: [" + "DRA301," * 300_000 + "]", "the limit is 1048576"),
    ("select: [" + "a," * 200_000 + "]", "the limit is 20000"),
    ("select: [" + "DRA301," * 19_000 + "nonsense]", "no rule has the code"),
    ("exclude: [" + "a," * 1001 + "]", "the limit is 1000"),
    ("exclude: [" + "a" * 1025 + "]", "the limit is 1024"),
    ("per-file-ignores: {? " + "a" * 2000 + " : []}", "the limit is 1024"),
    ("fail-on: [" + "x," * 19_000 + "]", "expects one of"),
    ("severity: " + "x" * 500_000, "expects one of"),
    ("feature-gates: {DRAAdminAccess: [" + "x," * 19_000 + "]}", "true or false"),
    ("kube-version: [[" + "x," * 19_000 + "]]", "in quotes"),
    ("kube-version: " + "1" * 500_000, ""),
    ("kube-version: " + "9" * 5000, ""),
    ("baseline: {a: [" + "x," * 19_000 + "]}", "expects a path"),
    ("k" * 1000 + ": 1", "unknown option"),
    ("fail-on: !!bool abc", "is not YAML"),
    ("fail-on: !!int abc", "is not YAML"),
    ("fail-on: !!float abc", "is not YAML"),
    ("fail-on: !!timestamp abc", ""),
    ("fail-on: !!binary '*'", ""),
    ("fail-on: !!set [a]", ""),
    ("fail-on: !!omap {a: b}", ""),
    ("fail-on: !!merge abc", ""),
    ("? [a, b]\n: c", "is not YAML"),
    ("<<: 1", "is not YAML"),
    ("a: 1\n---\nb: 1", "more than one document"),
    ('driver-schema: ["a\\0b"]', "null character"),
    ("slices: [/]", "outside"),
    ("context: [..]", "outside"),
    ("baseline: /dev/zero", "outside"),
    ("driver-schema: [/proc/self/environ]", "outside"),
]

TOML: list[tuple[str, str]] = [
    ("select=" + "[" * 100_000, "levels deep"),
    ("x={a=" * 33, "levels deep"),
    ("x" + ".x" * 100_000 + "=1", "levels deep"),
    ("[a" + ".a" * 100_000 + "]", "levels deep"),
    ("x='[[[['\ny=" + "[" * 40, "levels deep"),
    ('x="""' + '\\"""' * 100_000, "is not TOML"),
    ("x=" + '"\\' * 200_000, "is not TOML"),
    ("x='''" + "''a" * 100_000, "is not TOML"),
    ("select=" + "9" * 5000, "is not TOML"),
    ("fail-on=0x" + "f" * 100_000, "expects one of"),
    ("fail-on=2026-99-99", "is not TOML"),
    ("x='" + "a" * 1_100_000 + "'", "the limit is 1048576"),
    ("exclude=[" + "'a'," * 1001 + "]", "the limit is 1000"),
    ("select=[" + "'dra3'," * 30_000 + "'nonsense']", "no rule has the code"),
    ('baseline="a\\u0000b"', "null character"),
    ("context=['../..']", "outside"),
]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a manifest; what lies beside it is outside."""
    folder = tmp_path / "tree"
    folder.mkdir()
    (folder / "claim.yaml").write_text(MANIFEST)
    monkeypatch.chdir(folder)
    return folder


def run(*words: str) -> Result:
    return CliRunner().invoke(command, list(words), catch_exceptions=False)


def rejected(result: Result, message: str) -> None:
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr) < 1000


@pytest.mark.parametrize(("text", "message"), YAML, ids=lambda text: text[:30])
def test_yaml(text: str, message: str, tree: Path) -> None:
    (tree / ".dradsl.yaml").write_text(text)
    rejected(run("."), message)


@pytest.mark.parametrize(("text", "message"), TOML, ids=lambda text: text[:30])
def test_toml(text: str, message: str, tree: Path) -> None:
    (tree / "pyproject.toml").write_text(f"[tool.dradsl]\n{text}\n")
    rejected(run("."), message)


def test_what_toml_may_hold(tree: Path) -> None:
    """Brackets and dots in strings and comments nest nothing."""
    text = "[" * 50 + "." * 50
    (tree / "pyproject.toml").write_text(
        f'[tool.other]  # {text}\na = \'{text}\'\nb = "{text}\\"{text}"\n'
        f'c = """{text}\n\\"""{text}"""""\nd = \'\'\'{text}\n\'\'{text}\'\'\'\'\n'
        "e = [[1.5, 2.5], [3.5,\n 4.5]]\n[[x.y]]\n[[x.y]]\n[tool.dradsl]\nignore = ['DRA301']\n"
    )
    assert load_config(tree).ignore == ("DRA301",)


def huge(path: Path) -> None:
    path.touch()
    os.truncate(path, 2**40)


MAKERS: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "folder": Path.mkdir,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "huge": huge,
}
CALLS = ("--config {}", "--baseline {}", "--slices {}", "--driver-schema {}")


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", MAKERS)
def test_what_is_no_file_is_not_waited_for(call: str, kind: str, tree: Path) -> None:
    MAKERS[kind](tree / "it")
    if kind == "folder" and call.startswith("--driver-schema"):
        return  # a folder of schemas, that has none
    words = call.format("it").split()
    result = run("claim.yaml", *words)
    rejected(result, "it")


@pytest.mark.parametrize("key", ["baseline", "slices", "driver-schema", "context"])
def test_pipes_that_a_configuration_names(key: str, tree: Path) -> None:
    os.mkfifo(tree / "p.yaml")
    value = "p.yaml" if key == "baseline" else "[p.yaml]"
    (tree / ".dradsl.yaml").write_text(f"{key}: {value}\n")
    result = run("claim.yaml")
    assert result.exit_code in (1, 2)
    assert "p.yaml" in result.output


def test_selectors_count_once(tree: Path) -> None:
    (tree / ".dradsl.yaml").write_text(
        "ignore: [" + "DRA301, dra301, ' Dra301', DRA4," * 4000 + "]"
    )
    assert load_config(tree).ignore == ("DRA301", "DRA4")


# --- the tree ---


def test_a_configuration_from_elsewhere(tree: Path) -> None:
    """Nothing of what it holds is said, as it may be anything."""
    secret = tree.parent / "secret"
    secret.write_text("root:secret\n")
    (tree / ".dradsl.yaml").symlink_to(secret)
    result = run(".")
    rejected(result, "is a link out of")
    assert "root" not in result.stderr.replace(str(tree), "")
    (tree / ".dradsl.yaml").unlink()
    (tree / "pyproject.toml").symlink_to(secret)
    assert run(".").exit_code == 0
    secret.write_text("[tool.dradsl]\nsecret = 1\n")
    result = run(".")
    rejected(result, "is a link out of")
    assert "secret" not in result.stderr
    # The caller may mean it.
    secret.write_text("ignore: [DRA301]\n")
    (tree / ".dradsl.yaml").symlink_to(secret)
    assert run(".", "--config", ".dradsl.yaml").exit_code == 0


def test_links_within_the_tree(tree: Path) -> None:
    (tree / "shared.yaml").write_text("ignore: [DRA301]\n")
    (tree / "inner").mkdir()
    (tree / "inner" / ".dradsl.yaml").symlink_to("../shared.yaml")
    with pytest.raises(ConfigError, match="is a link out of"):
        load_config(tree / "inner")
    (tree / ".git").mkdir()
    assert load_config(tree / "inner").ignore == ("DRA301",)


def test_paths_up_to_the_top_of_the_work_tree(tree: Path) -> None:
    (tree / "a" / "b").mkdir(parents=True)
    (tree / "a" / "b" / ".dradsl.yaml").write_text("context: [../../classes]\n")
    with pytest.raises(ConfigError, match="is outside"):
        load_config(tree / "a" / "b")
    (tree / ".git").mkdir()
    assert load_config(tree / "a" / "b").context == ("a/b/../../classes",)
    (tree / "classes").symlink_to("..")
    with pytest.raises(ConfigError, match="is outside"):
        load_config(tree / "a" / "b")


def test_a_named_configuration_may_name_anything(tree: Path) -> None:
    (tree / "mine.yaml").write_text("context: [/elsewhere]\n")
    assert read_config(tree / "mine.yaml") == load_config(tree, tree / "mine.yaml")
    assert isinstance(read_config(tree / "mine.yaml"), LintConfig)


@pytest.mark.parametrize("key", ["context", "slices", "driver-schema"])
@pytest.mark.parametrize("value", ["[inner]", "['inner/*.yaml']"])
def test_links_below_what_a_configuration_names(key: str, value: str, tree: Path) -> None:
    secret = tree.parent / "secret.yaml"
    secret.write_text("secret: 1\n")
    (tree / "inner").mkdir()
    (tree / "inner" / "a.yaml").symlink_to(secret)
    (tree / ".dradsl.yaml").write_text(f"{key}: {value}\n")
    result = run("claim.yaml")
    rejected(result, "is a link out of")
    # What the call names instead is its own affair.
    assert "is a link out of" not in run("claim.yaml", f"--{key}", "claim.yaml").stderr
