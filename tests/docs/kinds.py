"""What a block of YAML or TOML is for, told from its keys, and the check that each kind gets."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from typing import TYPE_CHECKING, Any

import yaml

from dradsl.lint.settings.options import OPTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.docs.blocks import Block
    from tests.docs.shell import Shell

# What the other kinds are, and who else looks at them.
FRAGMENTS = {
    "text": "part of an object, or the file of another program, such as a kustomization: it parses",
    "hooks": "for pre-commit: tests/project/test_pre_commit.py runs them",
    "pipeline": "for GitHub or GitLab: bash reads what they run, tests/project/test_docs.py its options",
}


# A page that shows an older API version does so on purpose, and everybody sees it.
_SEEN = {"DRA502"}


def kind_of(documents: list[Any], title: str = "") -> str:
    documents = [each for each in documents if each is not None]
    if documents and all(isinstance(one, dict) for one in documents):
        if all({"apiVersion", "kind"} < one.keys() for one in documents):
            return "manifests"
        keys = set().union(*documents)
        for key, kind in (("rules", "rules"), ("deviceTypes", "schema"), ("answers", "answers")):
            if key in keys:
                return kind
        if keys & set(OPTIONS) and title in ("", ".dradsl.yaml"):
            return "configuration"
    flat = json.dumps(documents)
    if '"hooks":' in flat:
        return "hooks"
    if '"run":' in flat or '"script":' in flat:
        return "pipeline"
    return "text"


def check_yaml(block: Block, text: str, shell: Shell, around: str) -> None:
    """`text` is that of the block, `around` what the page shows of dradsl's output."""
    documents = list(yaml.safe_load_all(text))
    kind = kind_of(documents, block.title)
    name = block.title.rpartition("/")[2] or "shown.yaml"
    file = shell.folder / name
    if kind in ("manifests", "rules", "schema", "answers"):
        file.write_text(text)
    match kind:
        case "manifests":
            check_manifests(text, name, shell, around)
        case "configuration":
            check_configuration(text, ".dradsl.yaml", shell)
        case "rules":
            said = shell.run(f"dradsl rule test {name}")
            tested = f"rule test {block.title}" in around  # the page shows what comes of it
            assert shell.code == 0 or (shell.code == 1 and tested), said
        case "schema":
            driver = documents[0]["driver"]
            said = shell.run(f"dradsl schema show {driver} --driver-schema {name}")
            assert shell.code == 0, said
        case "answers":
            said = shell.run(f"dradsl migrate --scan --answers {name} {name}")
            assert shell.code == 3, said  # nothing there to migrate
        case "pipeline":
            for script in scripts_of(documents):
                check_syntax(script)
        case _:
            assert kind in FRAGMENTS


def check_manifests(text: str, name: str, shell: Shell, around: str) -> None:
    """What the comments of the block say is found, as in the documents of rules; nothing else is.

    A finding that the page's own output names for this file need not be said again.
    """
    said = shell.run(f"dradsl lint --isolated --output-format json {name}")
    report = json.loads(said)
    assert report["summary"]["documents"] > 0
    found = {
        (each["line"], each["code"])
        for each in report["findings"]
        if each["severity"] != "info" and each["code"] not in _SEEN
    }
    wanted = {
        (number, code)
        for number, line in enumerate(text.split("\n"), 1)
        for codes in re.findall(
            r"(?:#|//) (?:error|warning): ([A-Z]{3}\d{3}(?:, [A-Z]{3}\d{3})*)", line
        )
        for code in codes.split(", ")
    }
    printed = re.findall(rf"^(?:\S*/)?{re.escape(name)}:(\d+):\d+: (\w+) ", around, re.MULTILINE)
    shown = {(int(line), code) for line, code in printed}
    assert wanted <= found, f"not found: {wanted - found}"
    assert found <= wanted | shown, f"not said to be broken: {found - wanted - shown}"


def check_configuration(text: str, name: str, shell: Shell) -> None:
    """Read as the file that it is, in a folder of a repository, by a run that finds it."""
    shell.run("git init --quiet")
    folder = shell.folder / "deploy"
    folder.mkdir()
    (folder / name).write_text(text)
    (folder / "pod.yaml").write_text("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n")
    for named in re.findall(r"[\w./-]+\.ya?ml\b", text):
        (folder / named).parent.mkdir(parents=True, exist_ok=True)
        (folder / named).write_text("rules: []\n" if "rules" in named else "")
    shell.run("cd deploy")
    said = shell.run("dradsl lint --show-settings pod.yaml")
    assert shell.code == 0, said
    assert name in said


def check_toml(text: str, shell: Shell) -> None:
    data = tomllib.loads(text)
    if "dradsl" in data.get("tool", {}):
        check_configuration(text, "pyproject.toml", shell)


def scripts_of(data: object) -> Iterator[str]:
    """What a pipeline hands to a shell."""
    if isinstance(data, list):
        for each in data:
            yield from scripts_of(each)
    elif isinstance(data, dict):
        for key, value in data.items():
            if key in ("run", "script", "before_script"):
                yield from [value] if isinstance(value, str) else value
            else:
                yield from scripts_of(value)


def check_syntax(script: str) -> None:
    checked = subprocess.run(["bash", "-n", "-c", script], capture_output=True, text=True)
    assert (checked.returncode, checked.stderr) == (0, ""), script
