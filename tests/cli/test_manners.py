"""Help with examples and groups, hints for what is mistyped, completion, settings."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
import yaml
from click.shell_completion import ShellComplete
from click.testing import CliRunner, Result

from dradsl.cli import _COMMANDS
from dradsl.cli.group import group_of
from dradsl.cli.kubectl_dra import COMMANDS as KUBECTL_COMMANDS
from dradsl.cli.texts import help_texts

GROUP = group_of(_COMMANDS)
TEXTS = help_texts()
ROOT = Path(__file__).parents[2]
APP = """\
from dradsl import App, DeviceClass
app = App()
app.add(DeviceClass('a', select="device.driver == 'a'"))
"""
CLAIM = (ROOT / "examples/broken/class-name.yaml").read_text("utf-8")


SLICE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: d.example.com
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices: [{name: a}]
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  resourceClaims: [{name: c, resourceClaimName: x}]
  containers: [{name: c, image: i, resources: {claims: [{name: c}]}}]
"""


def run(*words: str) -> Result:
    return CliRunner().invoke(GROUP, words, prog_name="dradsl", catch_exceptions=False)


def command_of(words: list[str]) -> tuple[click.Command, int]:
    """The command that a call names, and how many words that takes."""
    here: click.Command = GROUP
    number = 0
    while isinstance(here, click.Group) and number < len(words):
        below = here.get_command(click.Context(here), words[number])
        if below is None:
            break
        here, number = below, number + 1
    return here, number


def all_commands() -> set[str]:
    found = set()
    for name in _COMMANDS:
        command, _ = command_of([name])
        found.add(name)
        if isinstance(command, click.Group):
            found |= {f"{name} {below}" for below in command.list_commands(click.Context(command))}
    return found


def test_every_command_has_examples_that_can_be_called() -> None:
    assert TEXTS.examples.keys() == all_commands()
    for key, rows in TEXTS.examples.items():
        assert rows
        printed = run(*key.split(), "--help").output
        for what, call in rows:
            assert f"  # {what}\n  {call}\n" in printed
            assert what.endswith(".")
            plain = re.sub(r"^eval \"\$\((.*)\)\"$", r"\1", call)
            parts = [part for part in re.split(r"[;|>]", plain) if part.split()[0] == "dradsl"]
            assert parts, call
            for part in parts:
                words = shlex.split(part)[1:]
                command, number = command_of(words)
                assert " ".join(words[:number]).startswith(key.split()[0]), call
                if isinstance(command, click.Group) and not command.invoke_without_command:
                    pytest.fail(f"{call}: names no command")
                known = {flag for each in command.params for flag in each.opts} | {"--help"}
                for word in words[number:]:
                    assert not word.startswith("-") or word == "-" or word in known, (call, word)
                assert complaint(command, words[number:]) == "", call


def complaint(command: click.Command, words: list[str]) -> str:
    """What is wrong with a call before anything is read."""
    if "--help" in words:
        return ""
    try:
        command.make_context(command.name, list(words))
    except click.BadParameter as error:
        missing = isinstance(error, click.MissingParameter)
        return error.format_message() if missing else ""  # files of examples are not there
    except click.UsageError as error:
        return error.format_message()
    return ""


def test_every_row_of_help_says_something() -> None:
    """Each option is explained; an argument is in the usage line, and has no row of its own."""
    for key in all_commands():
        command, _ = command_of(key.split())
        for each in command.params:
            assert getattr(each, "help", None) or isinstance(each, click.Argument), (key, each.name)
        metavars = [
            str(each.metavar) for each in command.params if isinstance(each, click.Argument)
        ]
        lines = run(*key.split(), "--help").output.split("\n")
        assert not {f"  {metavar}" for metavar in metavars} & set(lines), key


def test_groups_of_options_hold_each_option_once() -> None:
    for key, groups in TEXTS.option_groups.items():
        command, _ = command_of(key.split())
        named = [name for names in groups.values() for name in names]
        assert len(named) == len(set(named))
        options = {each.name for each in command.params if isinstance(each, click.Option)}
        assert set(named) == options, key
        printed = run(*key.split(), "--help-all").output
        assert all(f"\n{title}:\n" in printed for title in groups)


def shown(*words: str) -> set[str]:
    """The options that a help names, but those that every program has."""
    found = re.findall(r"^  (?:-\w, )?(--[\w-]+)", run(*words).output, re.MULTILINE)
    return {*found} - {"--help", "--version"}


@pytest.mark.parametrize("words", sorted(TEXTS.less_used))
def test_help_shows_fifteen_options_and_how_to_see_the_others(words: str) -> None:
    short, whole = shown(*words.split(), "--help"), shown(*words.split(), "--help-all")
    command, _ = command_of(words.split())
    options = {
        each.opts[-1]: each.name for each in command.params if isinstance(each, click.Option)
    }
    assert whole == {*options}
    assert len(short) <= 15
    assert {options[each] for each in whole - short} == {*TEXTS.less_used[words]}
    said = f"`dradsl {words} --help-all` shows {len(whole - short)} more options.\n"
    assert said in run(*words.split(), "--help").output
    assert said not in run(*words.split(), "--help-all").output


@pytest.mark.parametrize(
    ("words", "same"),
    [
        (("help", "lint"), ("lint", "--help")),
        (("help", "schema", "show"), ("schema", "show", "--help")),
        (("help",), ("--help",)),
        (("-V",), ("--version",)),
    ],
)
def test_other_ways_to_ask(words: tuple[str, ...], same: tuple[str, ...]) -> None:
    assert run(*words).output == run(*same).output
    assert run(*words).exit_code == 0


def groups() -> list[str]:
    """The words of every group that cannot run without a command: "" is the program itself."""
    found = [(name, command_of(name.split())[0]) for name in ("", *sorted(all_commands()))]
    return [
        name
        for name, command in found
        if isinstance(command, click.Group) and not command.invoke_without_command
    ]


@pytest.mark.parametrize(
    ("word", "meant"),
    [("check", "lint"), ("validate", "lint"), ("explain", "rule"), ("version", "--version")],
)
def test_words_of_other_programs_lead_to_ours(word: str, meant: str) -> None:
    result = run(word)
    assert result.exit_code == 2
    assert f"no such command: {word}; did you mean {meant}?" in result.stderr


def test_a_call_without_words_shows_five_tasks_and_the_next_step() -> None:
    result = run()
    assert (result.exit_code, result.stdout) == (2, "")
    *tasks, empty, step = result.stderr.splitlines()
    assert [line.split()[:2] for line in tasks] == [
        ["dradsl", name] for name in ("lint", "why", "simulate", "migrate", "new")
    ]
    assert (empty, step.startswith("Start with `dradsl lint .`")) == ("", True)


@pytest.mark.parametrize("words", groups()[1:])
def test_a_group_without_a_command_shows_its_help(words: str) -> None:
    """With the exit code of click 8.2 and newer, also with older ones."""
    result = run(*words.split())
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == run(*words.split(), "--help").stdout
    assert len(result.stderr.splitlines()) > 10


def test_the_plugin_of_kubectl_without_a_command_shows_its_help() -> None:
    group = group_of({name: _COMMANDS[name] for name in KUBECTL_COMMANDS})
    result = CliRunner().invoke(group, [], prog_name="kubectl dra")
    assert result.exit_code == 2
    assert result.stderr.startswith("Usage: kubectl dra [OPTIONS] COMMAND [ARGS]...\n\n")
    assert "\n  devices   Show devices" in result.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("lnt",), "no such command: lnt; did you mean lint?\n"),
        (("schema", "shw"), "no such command: shw; did you mean show?\n"),
        (("help", "migrat"), "no such command: migrat; did you mean migrate?\n"),
        (("frobnicate",), "no such command: frobnicate\n"),
        (("help", "lint", "x"), "lint has no commands of its own"),
        (("rule", "DRA9999"), "unknown rule 'DRA9999'; `dradsl rule` lists them all\n"),
        (("rule", "DAR201"), "unknown rule 'DAR201'; did you mean DRA201?\n"),
        (("rule", "unknown-atribute"), "did you mean unknown-attribute?\n"),
        (("rule", "nothing-like-it"), "`dradsl rule` lists them all\n"),
    ],
)
def test_hints_for_what_is_mistyped(words: tuple[str, ...], said: str) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert said in result.stderr


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "claim.yaml").write_text(CLAIM)
    return tmp_path


@pytest.mark.parametrize(
    ("call", "options"),
    [
        ("lint claim.yaml", "context slices driver-schema config baseline"),
        ("build app.py", "context slices driver-schema params"),
        ("migrate claim.yaml", "slices driver-schema"),
        ("simulate claim.yaml", "slices what-if"),
    ],
)
def test_a_path_that_is_not_there_names_its_option(call: str, options: str, folder: Path) -> None:
    (folder / "app.py").write_text(APP)
    for option in options.split():
        result = run(*call.split(), f"--{option}", "nope")
        assert result.exit_code == 2
        said = f"--{option}: no such file or directory: nope\n"
        assert re.fullmatch(f"(dradsl {call.split()[0]}|Error): {said}", result.stderr), option


def test_a_path_in_a_configuration_that_is_not_there_is_no_fault_of_dradsl(folder: Path) -> None:
    (folder / "app.py").write_text(APP)
    (folder / ".dradsl.yaml").write_text("context: [nope]\n")
    result = run("build", "app.py")
    assert result.exit_code == 2
    assert result.stderr == "dradsl build: no such file or directory: nope\n"


def test_concise(folder: Path) -> None:
    lines = run("lint", "--output-format", "concise", "claim.yaml").stdout.splitlines()
    assert len(lines) == 2
    assert re.match(r"claim\.yaml:12:26: warning DRA412 no DeviceClass ", lines[0])
    assert lines[1] == "1 warning in 1 file (1 document)"
    counted = run("lint", "--output-format", "statistics", "claim.yaml").stdout
    assert counted.startswith("1  DRA412  missing-device-class")


def test_a_document_of_one_line_is_cropped_in_pipes(folder: Path) -> None:
    one = json.dumps({**yaml.safe_load(CLAIM), "status": {"x": ["y"] * 100}})
    (folder / "claim.yaml").unlink()
    (folder / "claim.json").write_text(one)
    result = run("lint", "claim.json")
    assert "DRA412" in result.stdout
    excerpts = [line for line in result.stdout.splitlines() if line.startswith("1 | ")]
    assert excerpts
    assert max(map(len, excerpts)) <= 164 < len(one)


def test_files_that_look_like_a_configuration_are_named(folder: Path) -> None:
    (folder / ".dradsl.yml").write_text("ignore: [DRA412]\n")
    said = "dradsl lint: .dradsl.yml is not read: the name is .dradsl.yaml\n"
    result = run("lint", "claim.yaml")
    assert (result.exit_code, result.stderr) == (1, said)
    (folder / ".dradsl.yaml").write_text("ignore: [DRA412]\n")
    (folder / "pyproject.toml").write_text("[tool.other]\n# dradsl\n")
    assert run("lint", "claim.yaml").stderr == said
    (folder / "pyproject.toml").write_text("[tool.dradsl]\nignore = []\n")
    result = run("lint", "claim.yaml")
    both = said + (
        "dradsl lint: [tool.dradsl] of pyproject.toml is not read: .dradsl.yaml comes before it\n"
    )
    assert (result.exit_code, result.stderr) == (0, both)
    assert run("lint", "--quiet", "claim.yaml").stderr == ""
    assert run("lint", "--isolated", "claim.yaml").stderr == ""


def test_settings(folder: Path) -> None:
    (folder / ".dradsl.yaml").write_text("severities: {DRA412: error}\nkube-version: '1.36'\n")
    text = run("lint", "--show-settings", "--ignore", "DRA5").stdout
    assert text.startswith("# from ")
    shown = yaml.safe_load(text)
    assert (shown["severities"], shown["ignore"]) == ({"DRA412": "error"}, ["DRA5"])
    data = json.loads(run("lint", "--show-settings", "--output-format", "json").stdout)
    assert Path(data["source"]).name == ".dradsl.yaml"
    assert data["settings"]["kube-version"] == ["1.36"]
    (folder / ".dradsl.yaml").write_text(text)  # what is printed can be used
    assert yaml.safe_load(run("lint", "--show-settings").stdout) == shown


# Completion -------------------------------------------------------------------------------------


def completed(*words: str) -> list[str]:
    found = ShellComplete(GROUP, {}, "dradsl", "_DRADSL_COMPLETE")
    return [item.value for item in found.get_completions(list(words[:-1]), words[-1])]


def test_words_are_completed() -> None:
    from dradsl.lint.catalogue.rules import RULES

    assert completed("lint", "--select", "DRA50") == [
        code for code in RULES if code.startswith("DRA50")
    ]
    assert "DRA1,unknown-attribute" in completed("lint", "--ignore", "DRA1,unknown")
    assert completed("lint", "--kube-version", "1.36") == ["1.36"]
    assert "DRAAdminAccess=true" in completed("simulate", "--feature-gates", "DRAAdmin")
    assert completed("schema", "show", "gpu.nv") == ["gpu.nvidia.com"]
    assert completed("schema", "export", "gpu.nv") == ["gpu.nvidia.com"]
    assert completed("comp") == ["completion"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell_is_one(shell: str, tmp_path: Path) -> None:
    result = run("completion", shell)
    assert "_DRADSL_COMPLETE" in result.stdout
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"no {shell} here")
    script = tmp_path / "script"
    script.write_text(result.stdout)
    done = subprocess.run([program, "-n", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


# Options that would be ignored ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--show-files --output-format sarif", "there is no format sarif for it"),
        ("--show-settings --output-format github", "there is no format github for it"),
        ("--show-files --show-settings", "cannot be used together"),
        ("--show-files --fix", "cannot be used together"),
        ("--show-files --output out.txt", "--output cannot be used together"),
        ("--diff --output-format json", "--diff and --output-format cannot"),
        ("--diff --output out.txt", "--diff and --output cannot"),
        ("--diff --baseline b.json --write", "--diff and --write cannot"),
        ("--baseline b.json --write --output-format json", "--write and --output-format"),
        ("--write", "--write writes a baseline: give --baseline FILE"),
    ],
)
def test_an_option_that_would_be_ignored_is_rejected(
    words: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "claim.yaml").write_text(CLAIM)
    result = run("lint", *words.split(), "claim.yaml")
    assert result.exit_code == 2
    assert message in result.stderr
    assert not result.stdout
    assert {path.name for path in tmp_path.iterdir()} == {"claim.yaml"}


@pytest.mark.parametrize(
    "words",
    ["--show-files --output-format json", "--show-settings --output-format json", "--fix --diff"],
)
def test_options_that_go_together(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "claim.yaml").write_text(CLAIM)
    assert run("lint", *words.split(), "claim.yaml").exit_code in (0, 1)


# What works alike in every command --------------------------------------------------------------

# A call of each that prints something, without a cluster.
PRINTING = {
    "lint": "lint --isolated claim.yaml",
    "rule": "rule DRA301",
    "rule test": "rule test --isolated rules.yaml",
    "cel check": "cel check true",
    "cel eval": "cel eval true --slices slices.yaml",
    "cel explain": "cel explain true",
    "cel fmt": "cel fmt true",
    "schema": "schema --driver dra.net",
    "schema show": "schema show dra.net",
    "schema infer": "schema infer slices.yaml",
    "schema check": "schema check slices.yaml",
    "schema export": "schema export dra.net",
    "simulate": "simulate claim.yaml pod.yaml --slices slices.yaml",
    "why": "why pod.yaml slices.yaml",
    "devices": "devices slices.yaml",
    "record": "record slices.yaml",
    "to-python": "to-python claim.yaml",
    "new": "new extended-resource --slices slices.yaml",
    "convert": "convert claim.yaml",
    "completion": "completion bash",
}
# Their product is a folder, or a server.
OTHERS = {"build", "migrate", "lsp"}


def test_every_command_is_called() -> None:
    assert {*PRINTING} | OTHERS == all_commands() - {"cel"}


@pytest.fixture
def files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("COLUMNS", raising=False)  # a file has no width, a terminal may
    (folder / "slices.yaml").write_text(SLICE)
    (folder / "pod.yaml").write_text(POD)
    shutil.copy(ROOT / "examples/custom-rules/acme.yaml", folder / "rules.yaml")
    return folder


@pytest.mark.parametrize("words", PRINTING.values(), ids=PRINTING)
def test_output_quiet_color_and_timeout_in_every_command(words: str, files: Path) -> None:
    plain = run(*words.split())
    assert plain.stdout
    before = {path.name for path in files.iterdir()}
    given = run(*words.split(), "-o", "out", "--timeout", "10m", "--color", "always")
    assert (given.exit_code, given.stdout) == (plain.exit_code, "")
    assert (files / "out").read_text("utf-8") == plain.stdout  # no colour in a file
    assert {path.name for path in files.iterdir()} == before | {"out"}
    assert run(*words.split(), "-o", "-").stdout == plain.stdout
    quiet = run(*words.split(), "-q")
    assert quiet.exit_code == plain.exit_code
    assert len(quiet.output) <= len(plain.output)
    assert "note:" not in quiet.stderr
    wrong = run(*words.split(), "--timeout", "soon")
    assert wrong.exit_code == 2
    assert "--timeout: expects seconds or a duration" in wrong.stderr


@pytest.mark.parametrize("words", [("rule", "DRA301"), ("lint", "--isolated", "claim.yaml")])
def test_color_may_be_before_the_command(words: tuple[str, ...], folder: Path) -> None:
    assert "\x1b[" in run("--color", "always", *words).stdout
    assert "\x1b[" not in run("--color", "always", *words, "--color", "never").stdout
    assert "\x1b[" not in run(*words).stdout


def test_a_call_that_fails_writes_no_output(folder: Path) -> None:
    (folder / "out").write_text("before")
    for words in ("rule DRA9999", "lint nope.yaml", "devices nope.yaml", "schema show nope"):
        result = run(*words.split(), "-o", "out")
        assert (result.exit_code, result.stdout) == (2, "")
        assert (folder / "out").read_text() == "before"
    result = run("rule", "DRA301", "-o", "no/such/folder")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("dradsl: no/such/folder: ")


# The names that a person meets -------------------------------------------------------------------

PAGE = ROOT / "docs/design/commands.md"


def long_names() -> dict[str, set[str]]:
    """The long name of each option, with the commands that have it; a group of commands is one."""
    found: dict[str, set[str]] = {}
    for key in all_commands():
        for each in command_of(key.split())[0].params:
            if isinstance(each, click.Option):
                found.setdefault(max(each.opts, key=len), set()).add(key.split()[0])
    return found


def named_on_the_page(title: str) -> dict[str, str]:
    """The options in the rows of a table, each with its row."""
    section = PAGE.read_text("utf-8").split(f"\n## {title}\n")[1].split("\n## ")[0]
    rows = [row for row in section.splitlines() if row.startswith("| `")]
    return {name: row for row in rows for name in re.findall(r"(?<=`)--[a-z-]+(?=`)", row)}


def test_there_are_at_most_seventy_names_and_the_page_has_them() -> None:
    names = long_names()
    common = {
        name: row
        for name, row in named_on_the_page("Options in several commands").items()
        if name in row.split("|")[1]
    }
    single = named_on_the_page("Options of one command")
    assert {*names} == {*common} | {*single}
    assert {*common} >= {name for name, commands in names.items() if len(commands) > 1}
    for name in {*single} - {*common}:
        assert names[name] == {single[name].split("`")[1]}, name
    assert len(names) <= 70
    said = re.search(r"These are (\d+) names, (\d+) of them", PAGE.read_text("utf-8"))
    assert said is not None
    assert said.groups() == (str(len(names)), str(len(common)))


def test_no_command_shows_more_than_fifteen_options() -> None:
    for key in all_commands():
        assert len(shown(*key.split(), "--help")) <= 15, key


def test_an_option_has_one_short_name_everywhere() -> None:
    shorts: dict[str, set[str]] = {}
    for key in all_commands():
        for each in command_of(key.split())[0].params:
            if isinstance(each, click.Option) and len(each.opts) > 1:
                shorts.setdefault(min(each.opts, key=len), set()).add(max(each.opts, key=len))
    assert shorts == {"-o": {"--output"}, "-q": {"--quiet"}, "-n": {"--namespace"}}


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps a working directory from being removed")
def test_a_working_directory_that_is_gone_is_named(tmp_path: Path) -> None:
    words = f"rmdir {tmp_path} && exec {sys.executable} -m dradsl --version"
    done = subprocess.run(
        ["sh", "-c", words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert (
        done.stderr == "dradsl: the working directory cannot be read: No such file or directory\n"
    )
