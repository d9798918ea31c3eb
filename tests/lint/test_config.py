"""Configuration: reading, finding, merging, and its agreement with the published schema."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

from dradsl.cli.lint import command
from dradsl.cli.lint_options import OPTIONS as of_command, config_in, overrides_in
from dradsl.cli.options import read_plainly
from dradsl.data import data_folder
from dradsl.diagnostics import Severity
from dradsl.lint.catalogue.presets import presets
from dradsl.lint.settings.config import (
    Configs,
    LintConfig,
    find_config,
    load_config,
    merge,
    read_config,
)
from dradsl.lint.settings.options import OPTIONS
from dradsl.lint.settings.problems import ConfigError

SCHEMA = json.loads(
    (Path(data_folder("schemas")) / "config.schema.json").read_text(encoding="utf-8")
)

GOOD: list[tuple[str, Any, Any]] = [
    ("select", ["DRA3", "ALL"], ("DRA3", "ALL")),
    ("select", ["dra301", "request-shape"], ("dra301", "request-shape")),
    ("extend-select", ["DRA7"], ("DRA7",)),
    ("ignore", [], ()),
    ("per-file-ignores", {"a/*.yaml": ["DRA3"]}, {"a/*.yaml": ("DRA3",)}),
    ("severity", "warning", Severity.WARNING),
    ("fail-on", "never", "never"),
    ("kube-version", "1.36", ("1.36",)),
    ("kube-version", "1.34-1.36", ("1.34", "1.35", "1.36")),
    ("kube-version", ["v1.36.2", "1.34"], ("1.34", "1.36.2")),
    ("kube-version", "1.36.99,1.35.1-1.37", ("1.35.1", "1.36", "1.37")),
    ("feature-gates", {"DRAConsumableCapacity": True}, {"DRAConsumableCapacity": True}),
    ("driver-versions", {"gpu.nvidia.com": "25.8"}, {"gpu.nvidia.com": "25.8"}),
    ("exclude", ["charts/**"], ("charts/**",)),
    ("output-format", "sarif", "sarif"),
]

# (key, value, part of the message, whether a JSON Schema can see it too)
BAD: list[tuple[str, Any, str, bool]] = [
    ("select", "DRA3", "expects a list of strings, such as ['DRA3']", True),
    ("select", [3], "expects a list of strings", True),
    ("select", ["DRA999"], "no rule has the code, prefix or name 'DRA999'", False),
    ("ignore", ["request-shap"], "did you mean request-shape?", False),
    ("per-file-ignores", ["DRA3"], "expects a table of path patterns", True),
    ("per-file-ignores", {"a": "DRA3"}, "expects a list", True),
    ("severity", "warn", "did you mean warning?", True),
    ("severity", "never", "expects one of error, warning, info", True),
    ("fail-on", True, "expects one of error, warning, info, never", True),
    ("kube-version", 1.36, 'write "1.36" in quotes', True),
    ("kube-version", "1.20", "unknown Kubernetes release", False),
    ("kube-version", "1.36-1.34", "runs backwards", False),
    ("feature-gates", {"DRAConsumableCapacty": True}, "did you mean DRAConsumableCapacity?", False),
    ("feature-gates", {"DRAConsumableCapacity": "yes"}, "true or false", True),
    ("feature-gates", ["DRAConsumableCapacity"], "expects a table", True),
    ("slices", "inventory", "expects a list", True),
    ("driver-versions", {"gpu.nvidia.com": 25.8}, 'write the version "25.8" in quotes', True),
    ("driver-versions", "25.8", "expects a table", True),
    ("baseline", ["a"], "expects a path", True),
    ("output-format", "xml", "expects one of text, concise, statistics, json", True),
]


def as_file(folder: Path, key: str, value: Any) -> Path:
    path = folder / ".dradsl.yaml"
    path.write_text(json.dumps({key: value}), encoding="utf-8")  # JSON is YAML
    return path


@pytest.mark.parametrize(("key", "value", "expected"), GOOD)
def test_values(tmp_path: Path, key: str, value: Any, expected: Any) -> None:
    config = read_config(as_file(tmp_path, key, value))
    assert getattr(config, OPTIONS[key].field) == expected
    jsonschema.validate({key: value}, SCHEMA)


@pytest.mark.parametrize(("key", "value", "message", "in_schema"), BAD)
def test_bad_values(tmp_path: Path, key: str, value: Any, message: str, in_schema: bool) -> None:
    path = as_file(tmp_path, key, value)
    with pytest.raises(ConfigError) as caught:
        read_config(path)
    assert caught.value.line == 1
    assert str(caught.value).startswith(f"{path}:1: {key}: ")
    assert message in caught.value.message
    valid = not list(jsonschema.Draft202012Validator(SCHEMA).iter_errors({key: value}))
    assert valid is not in_schema


def test_the_schema_has_the_same_options() -> None:
    assert set(SCHEMA["properties"]) == set(OPTIONS)
    fields = {field.name for field in dataclasses.fields(LintConfig)} - {
        "root",
        "source",
        "own",
        "isolated",
    }
    assert fields == {option.field for option in OPTIONS.values()}
    choices = {key: list(option.choices) for key, option in OPTIONS.items() if option.choices}
    described = SCHEMA["properties"].items()
    assert choices == {key: each["enum"] for key, each in described if "enum" in each}
    assert choices["preset"] == list(presets())


def test_the_command_line_has_the_keys_that_say_what_they_are() -> None:
    flags = {flag for option in of_command for flag in option.flags}
    assert {f"--{key}" for key, option in OPTIONS.items() if option.help} <= flags
    assert {f"--{key}" for key in OPTIONS} - flags == {
        "--per-file-ignores",
        "--severities",
        "--driver-versions",
        "--extend-select",
        "--custom-rules",
        "--include",
        "--fail-if-empty",
        "--known-classes",
        "--node-order",
    }


@pytest.mark.parametrize(
    ("option", "words", "expected"),
    [
        ("--select", ("DRA1, DRA2", "DRA304"), {"select": ["DRA1", "DRA2", "DRA304"]}),
        ("--kube-version", ("1.35,1.36",), {"kube-version": ["1.35", "1.36"]}),
        (
            "--feature-gates",
            ("DRAAdminAccess=false",),
            {"feature-gates": {"DRAAdminAccess": False}},
        ),
        ("--exclude", ("a,b",), {"exclude": ["a,b"]}),
        ("--slices", ("a,b",), {"slices": ["a,b"]}),
        ("--baseline", ("known.json",), {"baseline": "known.json"}),
        ("--namespace", ("ml",), {"namespace": "ml"}),
        ("--config", ("include=*.md", "include=*.txt"), {"include": ["*.md", "*.txt"]}),
        ("--config", ("extend-select=DRA1, DRA2",), {"extend-select": ["DRA1", "DRA2"]}),
        ("--config", ("include=['a,b', c]",), {"include": ["a,b", "c"]}),
        (
            "--config",
            ("fail-if-empty=true", "namespace=true"),
            {"fail-if-empty": True, "namespace": "true"},
        ),
        (
            "--config",
            ("driver-versions={dra.net: v1.2}",),
            {"driver-versions": {"dra.net": "v1.2"}},
        ),
        ("--config", ("timeout=5m",), {"timeout": "5m"}),
    ],
)
def test_a_call_gives_the_key_that_a_file_gives(
    option: str, words: tuple[str, ...], expected: dict[str, object]
) -> None:
    values = read_plainly([each for word in words for each in (option, word)], of_command)
    assert values is not None
    assert overrides_in(values) == expected


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("inclued=*.md",), "--config: unknown option 'inclued'; did you mean include?"),
        (("nope.yaml",), "--config: no such file or directory: nope.yaml"),
        ((".", ".."), "--config: expected one file, found . and .."),
        (("include=[",), "--config include"),
        (("fail-if-empty=yes",), "--config fail-if-empty: is true or false, not 'yes'"),
        (("severities={DRA1: bad}",), "--config severities: expects one of"),
        (("extend-select=DRA9999",), "--config extend-select: no rule has"),
        (("severity=bad",), "--severity: expects one of"),
    ],
)
def test_values_of_a_call_that_cannot_be_used(words: tuple[str, ...], message: str) -> None:
    call = [each for word in words for each in ("--config", word)]
    result = CliRunner().invoke(command, ["--isolated", *call, "-"], input="a: 1\n")
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_file_may_have_the_form_of_a_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ignore=ALL").write_text("severity: error\n")
    assert config_in(["ignore=ALL"]) == ("ignore=ALL", {})
    assert config_in(["ignore=DRA1", "ignore=ALL"]) == ("ignore=ALL", {"ignore": ["DRA1"]})


def test_the_schema_has_the_same_defaults() -> None:
    config = LintConfig(root=Path())
    for key, described in SCHEMA["properties"].items():
        if "default" in described:
            default = described["default"]
            expected = tuple(default) if isinstance(default, list) else default
            assert getattr(config, OPTIONS[key].field) == expected


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    path = tmp_path / ".dradsl.yaml"
    path.write_text("slices: [inventory]\ncontext: [/etc/x]\nbaseline: known.json\n")
    config = read_config(path)
    assert config.slices == (str(tmp_path / "inventory"),)
    assert config.context == ("/etc/x",)
    assert config.baseline == str(tmp_path / "known.json")


def test_paths_below_the_working_directory_stay_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "deploy").mkdir()
    (tmp_path / "deploy" / ".dradsl.yaml").write_text("context: [classes]\n")
    monkeypatch.chdir(tmp_path)
    config = load_config(Path("deploy"))
    assert config.context == ("deploy/classes",)
    assert merge(config, {"context": ["./other"]}).context == ("other",)


def test_pyproject(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(
        '[project]\nname = "dradsl"\n[tool.other]\nselect = 1\n'
        '[tool.dradsl]\nselect = ["DRA3"]\n[tool.dradsl.feature-gates]\nDRAConsumableCapacity = true\n'
    )
    config = load_config(tmp_path)
    assert (config.source, config.select) == (str(path), ("DRA3",))
    assert config.feature_gates == {"DRAConsumableCapacity": True}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[tool.dradsl]\n\nselct = []\n", 3),
        ("[tool.x]\nselct = 1\n[tool.dradsl]\nselct = []\n", 4),
        ("[tool.dradsl]\nignore = []\n[tool.dradsl.selct]\na = 1\n", 3),
        ('[tool.dradsl]\n"selct" = []\n', 2),
    ],
)
def test_unknown_option_in_toml(tmp_path: Path, text: str, line: int) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match="unknown option 'selct'; did you mean select") as caught:
        read_config(path)
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        (".dradsl.yaml", b"select: [", "is not YAML"),
        (".dradsl.yaml", b"\xff\xfe\x00", "is not YAML"),
        (".dradsl.yaml", b"- select", "is not a table"),
        (".dradsl.yaml", b"42", "is not a table"),
        (".dradsl.yaml", b"select: []\nselect: []\n", "duplicate key"),
        (".dradsl.yaml", b"selct: []\n", "did you mean select"),
        (".dradsl.yaml", b"1: []\n", "unknown option '1'"),
        (".dradsl.yaml", b"a: !!python/object:os.system {}\n", "unknown option 'a'"),
        (".dradsl.yaml", b"[" * 5000, "is not YAML"),
        ("pyproject.toml", b"[tool.dradsl\n", "is not TOML"),
        ("pyproject.toml", b"dradsl = '\xff'\n", "is not UTF-8"),
        ("pyproject.toml", b"[tool]\ndradsl = 3\n", "is not a table"),
    ],
)
def test_bad_files(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(ConfigError, match=message):
        load_config(tmp_path)


def test_missing_explicit_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        load_config(tmp_path, tmp_path / "none.yaml")


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n"])
def test_empty_file_is_the_default(tmp_path: Path, text: str) -> None:
    (tmp_path / ".dradsl.yaml").write_text(text)
    config = load_config(tmp_path)
    assert dataclasses.replace(config, source=None) == LintConfig(root=str(tmp_path))


def test_search_goes_up_and_stops_at_the_repository(tmp_path: Path) -> None:
    (tmp_path / ".dradsl.yaml").write_text("ignore: [DRA1]\n")
    repository = tmp_path / "repository"
    deep = repository / "a" / "b"
    deep.mkdir(parents=True)
    assert find_config(deep) == str(tmp_path / ".dradsl.yaml")
    (repository / ".git").mkdir()
    assert find_config(deep) is None
    (repository / "pyproject.toml").write_text("[project]\nname = 'other'\n")
    assert find_config(deep) is None
    (repository / "pyproject.toml").write_text("[tool.dradsl]\n")
    assert find_config(deep) == str(repository / "pyproject.toml")
    (repository / ".dradsl.yaml").write_text("")
    assert find_config(deep) == str(repository / ".dradsl.yaml")
    (repository / "a" / ".dradsl.yaml").write_text("")
    assert find_config(deep) == str(repository / "a" / ".dradsl.yaml")


def test_configs_read_each_file_once(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".dradsl.yaml").write_text("ignore: [DRA1]\n")
    (tmp_path / "inner").mkdir()
    configs = Configs()
    assert configs.for_folder(tmp_path) is configs.for_folder(tmp_path / "inner")


def test_merge() -> None:
    config = LintConfig(
        root=Path("/project"),
        select=("DRA3",),
        extend_select=("DRA4",),
        ignore=("DRA304",),
        kube_version=("1.34",),
        feature_gates={"DRAAdminAccess": True, "DRADeviceTaints": True},
    )
    merged = merge(
        config,
        {
            "select": ["DRA6"],
            "ignore": ["DRA603"],
            "kube-version": ["1.35", "1.36"],
            "feature-gates": {"DRADeviceTaints": False},
            "slices": ["inventory"],
            "severity": None,
        },
        Path("/here"),
    )
    assert merged.select == ("DRA6",)
    assert merged.extend_select == ()
    assert merged.ignore == ("DRA304", "DRA603")
    assert merged.kube_version == ("1.35", "1.36")
    assert merged.feature_gates == {"DRAAdminAccess": True, "DRADeviceTaints": False}
    assert merged.slices == ("/here/inventory",)
    assert (merged.severity, merged.root) == (config.severity, config.root)
    assert merge(config, {}) == config


def test_merge_extends_when_both_are_given() -> None:
    merged = merge(LintConfig(root=Path()), {"select": ["DRA3"], "extend-select": ["DRA4"]})
    assert (merged.select, merged.extend_select) == (("DRA3",), ("DRA4",))


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("select", ["DRA999"], "--select: no rule"),
        ("feature-gates", {"X": True}, "--feature-gates: no feature gate"),
        ("kube-version", ["2"], "--kube-version: unknown"),
    ],
)
def test_merge_names_the_flag(key: str, value: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        merge(LintConfig(root=Path()), {key: value})


@pytest.mark.parametrize(
    ("select", "ignore", "enabled"),
    [
        (("ALL",), (), True),
        (("ALL",), ("DRA304",), False),
        (("ALL",), ("invalid-count",), False),
        (("ALL",), ("DRA3",), False),
        (("ALL",), ("ALL",), False),
        (("DRA304",), ("DRA3",), True),
        (("DRA3",), ("DRA304",), False),
        (("DRA3",), ("DRA3",), False),
        (("DRA4",), (), False),
        (("INVALID-COUNT",), ("DRA30",), True),
        ((), (), False),
    ],
)
def test_the_narrowest_selector_decides(
    select: tuple[str, ...], ignore: tuple[str, ...], enabled: bool
) -> None:
    config = LintConfig(root=Path(), select=select, ignore=ignore)
    assert config.enabled("DRA304", "invalid-count") is enabled


def test_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = LintConfig(
        root=tmp_path,
        per_file_ignores={"tests/*.yaml": ("DRA3",)},
        exclude=("charts/", "*.gen.yaml"),
    )
    monkeypatch.chdir(tmp_path)
    assert config.ignored_in(Path("tests/a.yaml"), "DRA304", "invalid-count")
    assert config.ignored_in(tmp_path / "tests/a.yaml", "DRA304", "invalid-count")
    assert not config.ignored_in(Path("tests/a.yaml"), "DRA401", "claim-source")
    assert not config.ignored_in(Path("a.yaml"), "DRA304", "invalid-count")
    assert config.excluded(Path("charts/x/y.yaml"))
    assert config.excluded(Path("deep/er/x.gen.yaml"))
    assert not config.excluded(Path("chart/y.yaml"))
