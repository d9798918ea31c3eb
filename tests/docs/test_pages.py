"""Every command and snippet of the pages: run, compiled, linted or parsed; see CONTRIBUTING.md."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import re
import shlex
import shutil
import tokenize
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest

from tests.docs.blocks import BLOCKS, PAGES, ROOT, Block, blocks_of, fences, name_of
from tests.docs.kinds import check_syntax, check_toml, check_yaml
from tests.docs.shell import Shell, commands_in, shows
from tests.docs.world import BEFORE, VARIABLES, checkout, everything, write

if TYPE_CHECKING:
    from pathlib import Path

# Languages that nothing here reads, and why.
ELSEWHERE = {
    "text": "output, compared in tests/project/test_docs.py",
    "markdown": "the shape of a rule's document: the documents of all rules are read",
    "lua": "Neovim: tests/editors",
    "elisp": "Emacs: tests/editors",
    "diff": "output",
    "mermaid": "a picture",
}
# Calls in blocks `sh` that cannot be run here, and why.
NOT_RUN = {
    "--watch": "runs until it is stopped",
    "--interactive": "asks",
    "--build-with": "needs Helm or Kustomize: tests/lint and tests/migrate run it where they are",
    "--from-cluster": "needs a cluster: tests/cli/test_kubectl.py has one that is made up",
    "--since": "needs a history: tests/lint has them",
    "--checkout": "needs the sources of drivers: tests/drivers has some that are made up",
    "completion": "for the shell",
    "lsp": "waits for an editor: tests/lsp",
}
# Packages that a page has its readers install: whether a block with one runs here, where it is installed.
TOOLS = {
    "cdk8s": shutil.which("node") is not None,  # its import starts node
    "pulumi": False,  # wants a deployment: tests/dsl/test_real_tools.py has one that is made up
    "pulumi_kubernetes": False,
}
CONSOLES = [page for page in PAGES if any(b.language == "console" for b in blocks_of(page))]
RUN = [page for page in PAGES if any(b.language == "python" for b in blocks_of(page))]


def place(block: Block) -> str:
    return block.place


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    (tmp_path / "dradsl").mkdir()
    return Shell(tmp_path / "dradsl", tmp_path / "home", monkeypatch)


def test_every_block_is_found() -> None:
    """None is hidden by a fence that does not end."""
    for page in PAGES:
        assert fences(page.read_text("utf-8")) % 2 == 0, name_of(page)
    assert {block.language for block in BLOCKS} >= {"console", "python", "sh", "yaml"}


# Commands with their output ---------------------------------------------------------------------


def is_list(block: Block) -> bool:
    """A list of commands, none of them with its output. In tutorials silence is an output, too."""
    if block.page.startswith("docs/tutorials/"):
        return False
    return not any(shown.strip() for _, shown in commands_in(block.text))


@pytest.mark.parametrize("page", CONSOLES, ids=name_of)
def test_commands_print_what_the_page_shows(
    page: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page from top to bottom: files that it shows are written, commands run in their order."""
    checkout(shell.folder, page.read_text("utf-8"))
    for prepare in BEFORE.get(name_of(page), ()):
        prepare(shell.folder)
    for name, value in VARIABLES.get(name_of(page), {}).items():
        monkeypatch.setenv(name, value)
    for block in blocks_of(page):
        if block.title and block.language != "console":
            write(shell.folder, {block.title: block.text})
        if block.language != "console" or is_list(block):
            continue
        assert block.text.startswith("$ "), f"{block.place}: what is before the first command?"
        commands = commands_in(block.text)
        for number, (command, shown) in enumerate(commands):
            following = commands[number + 1][0] if number + 1 < len(commands) else ""
            real = shell.run(command)
            assert shows(shown, real), f"{block.place}: $ {command}\n{real}"
            said = "echo $?" in (command, following)  # else a reader takes it to have worked
            assert said or shell.code in (0, 1, 3), f"{block.place}: $ {command}: {shell.code}"


def test_a_wrong_output_is_noticed(shell: Shell) -> None:
    real = shell.run("dradsl --version")
    assert shows("…", real)
    assert not shows("dradsl 9", real)
    assert not shows("", real)
    assert shows("one\n...\nfour", "one\ntwo\nthree\nfour\n")
    assert not shows("one\n...\nfour", "one\ntwo\nthree\nfive\n")
    assert not shows("one …\nthree", "one two\ntwo\nthree\n")


# Blocks by themselves ---------------------------------------------------------------------------


@pytest.mark.parametrize("page", RUN, ids=name_of)
def test_python_runs_and_prints_what_it_says(
    page: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The blocks of a page one after the other; what they print is in their comments."""
    monkeypatch.chdir(shell.folder)
    monkeypatch.syspath_prepend(shell.folder)
    checkout(shell.folder, page.read_text("utf-8"))
    names: dict[str, Any] = {"__name__": "docs"}
    consoles = " ".join(b.text for b in blocks_of(page) if b.language == "console").split()
    for block in blocks_of(page):
        if block.title and block.language != "console":
            write(shell.folder, {block.title: block.text})
        if block.language != "python" or (block.title and block.title in consoles):
            continue  # a module that a command of the page runs
        if not has_packages(block.text):
            continue
        own = {"__name__": "docs"} if block.title else names
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block.text, block.place, "exec"), own)
        rest = " ".join(comments_of(block.text))
        for line in printed.getvalue().splitlines():
            words = " ".join(line.split())
            assert words in rest, f"{block.place} prints: {line}"
            rest = rest.partition(words)[2]


def has_packages(text: str) -> bool:
    """Whether the packages of other projects that a block wants are here, and run here."""
    named = [tool for tool in TOOLS if re.search(rf"^(import|from) {tool}\b", text, re.MULTILINE)]
    return all(TOOLS[tool] and find_spec(tool) for tool in named)


def comments_of(text: str) -> list[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    comments = [one.string.strip("# ") for one in tokens if one.type == tokenize.COMMENT]
    return " ".join(comments).split()


@pytest.mark.parametrize("block", [b for b in BLOCKS if b.language == "yaml"], ids=place)
def test_yaml_is_what_the_page_says(block: Block, shell: Shell) -> None:
    outputs = [b.text for b in BLOCKS if b.page == block.page and b.language == "console"]
    check_yaml(block, block.text, shell, "\n".join(outputs))


def test_a_broken_manifest_is_noticed(shell: Shell) -> None:
    text = (ROOT / "examples/broken/old-request.yaml").read_text("utf-8")
    block = Block("page.md", 1, "yaml", "claim.yaml", text)
    with pytest.raises(AssertionError, match="not said to be broken"):
        check_yaml(block, text, shell, "")
    check_yaml(block, text, shell, "claim.yaml:11:7: DRA505 shape-of-other-version error: …")
    marked = text.replace("deviceClassName: g", "deviceClassName:  g").split("\n")
    marked[10] += "  # error: DRA505"
    check_yaml(block, "\n".join(marked), shell, "")
    marked[10] += "\n# error: DRA201"
    with pytest.raises(AssertionError, match="not found"):
        check_yaml(block, "\n".join(marked), shell, "")


@pytest.mark.parametrize("block", [b for b in BLOCKS if b.language == "toml"], ids=place)
def test_toml_is_read(block: Block, shell: Shell) -> None:
    check_toml(block.text, shell)


@pytest.mark.parametrize("block", [b for b in BLOCKS if b.language == "json"], ids=place)
def test_json_parses(block: Block) -> None:
    json.loads(block.text)


@pytest.mark.parametrize("block", [b for b in BLOCKS if b.language == "cel"], ids=place)
def test_cel_compiles(block: Block, shell: Shell) -> None:
    said = shell.call(["cel", "check", " ".join(block.text.split())], "")
    assert shell.code == 0, said


def test_every_language_is_known() -> None:
    read = {"console", "sh", "python", "yaml", "toml", "json", "cel"}
    assert [b.place for b in BLOCKS if b.language not in read | ELSEWHERE.keys()] == []


# Commands without their output ------------------------------------------------------------------


_LISTS = [
    block
    for block in BLOCKS
    if block.language == "sh" or (block.language == "console" and is_list(block))
]


@pytest.mark.parametrize("block", _LISTS, ids=place)
def test_the_shell_understands(block: Block) -> None:
    check_syntax(re.sub(r"<\w+>|^\$ ", "", block.text, flags=re.MULTILINE))


def calls_in(text: str) -> list[list[str]]:
    """The calls of dradsl in a block `sh`, each with a redirection at its end, if there is one."""
    found = []
    for line in re.sub(r"^\$ ", "", re.sub(r"\\\n", " ", text), flags=re.MULTILINE).split("\n"):
        reader = shlex.shlex(line, posix=True, punctuation_chars=";|&")
        reader.whitespace_split = True
        for is_end, part in itertools.groupby(reader, lambda word: set(word) <= set(";|&")):
            words = list(part)
            if not is_end and words[0] == "dradsl":
                found.append(words[1:])
    return found


def expanded(word: str, shell: Shell) -> list[str]:
    """A word as a shell hands it over."""
    found = sorted(shell.folder.glob(word)) if "*" in word else []
    return [path.relative_to(shell.folder).as_posix() for path in found] or [word]


@pytest.mark.parametrize("block", [b for b in _LISTS if calls_in(b.text)], ids=place)
def test_calls_without_output_work(block: Block, shell: Shell) -> None:
    """Each is run where what it names is there: it ends as the page on exit codes says."""
    everything(shell.folder)
    for prepare in BEFORE.get(block.page, ()):
        prepare(shell.folder)
    write(shell.folder, {b.title: b.text for b in BLOCKS if b.page == block.page and b.title})
    for words in calls_in(block.text):
        shutil.rmtree(shell.folder / "out", ignore_errors=True)
        if NOT_RUN.keys() & {word.partition("=")[0] for word in words}:
            continue
        target = words[-1] if ">" in words else ""
        taken = [each for word in words[: -2 if target else None] for each in expanded(word, shell)]
        stdin = (shell.folder / "training.yaml").read_text("utf-8")
        said = shell.call(taken, stdin)
        assert shell.code in (0, 1, 3), f"{block.place}: dradsl {shlex.join(words)}\n{said}"
        if target:
            write(shell.folder, {target: said})
