"""The pages name options that exist, leave none out, and show what is true; tests/docs runs their commands."""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
import shlex
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest
import yaml
from click.testing import CliRunner

from dradsl.cli import _COMMANDS
from dradsl.cli.group import group_of
from tests.docs.world import BY_INDEX

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click.testing import Result

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
EXAMPLES = ROOT / "examples"
GROUP: click.Group = group_of(_COMMANDS)

# What users read. Pages on the design name options of the benchmarks too.
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md")), *sorted(EXAMPLES.rglob("README.md"))]
PAGES += [*sorted((DOCS / "tutorials").glob("*.md")), *sorted((DOCS / "how-to").glob("*.md"))]
NAMING = [*PAGES, *sorted((ROOT / "rules").glob("*.md"))]

# Options of other programs: Helm and the API server, then git.
FOREIGN = {"--post-renderer", "--post-renderer-args", "--runtime-config"}
FOREIGN |= {"--kubernetes-enable-dra", "--enable-dynamic-resource-allocation", "--set"}
FOREIGN |= {"--install-extension"}  # of VS Code
FOREIGN |= {"--dradsl-update"}  # of pytest, with our plugin
FOREIGN |= {"--filter", "--no-filter", "--refetch", "--unshallow"}
FOREIGN |= {"--rm", "--build-arg"}  # of podman
FOREIGN |= {"--tensor-parallel-size"}  # of vLLM
FOREIGN |= {
    "--message",
    "--short",
    "--all",
    "--wheel-dir",
    "--no-index",
    "--find-links",
    "--dry-run",
}


def run(*words: str) -> Result:
    return CliRunner().invoke(GROUP, words, prog_name="dradsl", catch_exceptions=False)


def fences(page: Path, language: str) -> list[str]:
    text = page.read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def commands() -> dict[tuple[str, ...], click.Command]:
    """Every command that does something by itself, by its words."""
    found: dict[tuple[str, ...], click.Command] = {}
    pending: list[tuple[tuple[str, ...], click.Command]] = [((), GROUP)]
    while pending:
        words, command = pending.pop()
        if isinstance(command, click.Group):
            context = click.Context(command)
            for name in command.list_commands(context):
                below = command.get_command(context, name)
                assert below is not None
                pending.append(((*words, name), below))
        if not isinstance(command, click.Group) or (words and command.invoke_without_command):
            found[words] = command
    return found


ALL = commands()


def options_of(command: click.Command) -> set[str]:
    names = command.get_help_option_names(click.Context(command))
    for parameter in command.params:
        names += [*parameter.opts, *parameter.secondary_opts]
    return {name for name in names if name.startswith("-")}


def calls(page: Path) -> Iterator[list[str]]:
    """The calls of dradsl in the blocks and in the inline code of a page, as words."""
    text = page.read_text("utf-8")
    blocks = re.findall(
        r"^ *```(?:sh|console|yaml)[^\n]*\n(.*?)^ *```", text, re.MULTILINE | re.DOTALL
    )
    lines = [line for block in blocks for line in block.split("\n")]
    lines += re.findall(r"`([^`\n]+)`", text)
    for line in lines:
        for part in re.split(r"(?<!\S)(?:\S*bin/)?dradsl (?=[a-z-]+(?!\S))", line.replace("…", ""))[
            1:
        ]:
            yield shlex.split(re.split(r" \\?\| | && ", part)[0], comments=True)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_calls_name_commands_and_options_that_exist(page: Path) -> None:
    for words in calls(page):
        if not words or words[0] in ("COMMAND", "--version"):
            continue
        name = tuple(words[:2]) if tuple(words[:2]) in ALL else (words[0],)
        if name not in ALL:
            assert isinstance(GROUP.get_command(click.Context(GROUP), words[0]), click.Group), words
            assert len(words) == 1 or words[1].isupper(), words
            continue
        known = options_of(ALL[name])
        for word in words[len(name) :]:
            option = word.partition("=")[0].split("|")[0]
            assert not re.match(r"--?[a-z]", option) or option in known, (words, option)


def test_options_that_pages_name_exist() -> None:
    known = {"--version"}.union(*map(options_of, ALL.values())) | FOREIGN
    for page in NAMING:
        named = set(re.findall(r"(?<![\w-])--[a-z][\w-]+", page.read_text("utf-8")))
        assert named <= known, (page.name, named - known)


def test_every_option_stands_in_a_page() -> None:
    text = "\n".join(page.read_text("utf-8") for page in PAGES)
    named = set(re.findall(r"(?<![\w-])--[a-z][\w-]*", text))
    for words, command in ALL.items():
        missing = {name for name in options_of(command) if name.startswith("--")} - named
        assert missing <= {"--help", "--feature-gates"}, words


def test_every_command_stands_in_the_overview() -> None:
    text = (ROOT / "README.md").read_text("utf-8") + (DOCS / "lint.md").read_text("utf-8")
    for name in _COMMANDS:
        assert f"dradsl {name}" in text + (DOCS / "simulate.md").read_text("utf-8"), name


# Samples ----------------------------------------------------------------------------------------


def shows(shown: str, real: str, *, whole: bool = True) -> bool:
    """Whether a sample is what was printed; `…` in it stands for anything."""
    pattern = re.escape(shown.strip()).replace(re.escape("…"), ".*?")
    found = re.match(pattern + (r"\s*\Z" if whole else ""), real.strip(), re.DOTALL)
    return found is not None


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("COLUMNS", "FORCE_COLOR"):  # samples are printed into a file, lines unbroken
        monkeypatch.delenv(name, raising=False)
    good = (EXAMPLES / "manifests" / "training.yaml").read_text("utf-8")
    (tmp_path / "good.yaml").write_text(good)
    return tmp_path


@pytest.fixture
def checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    """The top of the repository as working directory, where pages say that calls are made."""
    monkeypatch.chdir(ROOT)
    for name in ("COLUMNS", "FORCE_COLOR"):  # samples are printed into a file, lines unbroken
        monkeypatch.delenv(name, raising=False)


def call_on_broken(page: Path) -> list[str]:
    """The first call of a page that lints the broken examples."""
    return next(words for words in calls(page) if any("examples/broken" in word for word in words))


@pytest.mark.parametrize(("page", "code"), [(ROOT / "README.md", 0), (DOCS / "lint.md", 1)])
def test_the_output_shown_is_the_real_one(page: Path, code: int, checkout: None) -> None:
    (shown,) = fences(page, "text")
    real = run(*call_on_broken(page))
    assert real.exit_code == code  # 0 in the README: its call is the end of a chain of commands
    assert shows(shown, real.stdout), real.stdout


def test_the_json_shown_is_the_real_one(checkout: None) -> None:
    (text,) = fences(DOCS / "output.md", "json")
    shown = json.loads(text)
    real = json.loads(run(*call_on_broken(DOCS / "output.md")).stdout)
    assert shows(shown["findings"][0].pop("help"), real["findings"][0].pop("help"))
    assert shown == real


def test_the_simulation_shown_is_the_real_one(folder: Path) -> None:
    _, _, shown = fences(DOCS / "simulate.md", "console")[0].partition("\n")  # below the call
    fleet = EXAMPLES / "inventory" / "gpu.nvidia.com-oke-gb200-full-gpu" / "slices.yaml"
    real = run("simulate", "good.yaml", "--slices", str(fleet), "--kube-version", "1.36")
    assert real.exit_code == 1
    assert shows(shown, real.stdout), real.stdout


FINDING = re.compile(r"^\S+:\d+:\d+: DRA\d{3} ", re.MULTILINE)


def findings_in(text: str) -> Iterator[tuple[str, str]]:
    """The findings in a report as text: the file that each names, and its lines."""
    starts = [match.start() for match in FINDING.finditer(text)]
    for start, end in pairwise([*starts, len(text)]):
        first, *below = text[start:end].split("\n")
        own = itertools.takewhile(lambda line: line[:1] in tuple(" 0123456789"), below)
        yield first.partition(":")[0], "\n".join([first, *own])


def test_findings_that_pages_show_come_from_files_of_the_repository(checkout: None) -> None:
    """Whatever page shows one: each is printed for the file that it names, as it is shown.

    Blocks `console` have files of their own: see tests/docs.
    """
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
    pages += [*DOCS.rglob("*.md"), *EXAMPLES.rglob("*.md"), *(ROOT / "rules").glob("*.md")]
    seen = 0
    for page in pages:
        for text in re.findall(
            r"^ *```(?!console)\w+[^\n]*\n(.*?)^ *```",
            page.read_text("utf-8"),
            re.DOTALL | re.MULTILINE,
        ):
            for path, shown in findings_in(text):
                seen += 1
                assert (ROOT / path).is_file(), f"{page.name}: {path} is no file of the repository"
                real = [one for _, one in findings_in(run("lint", path).stdout)]
                assert any(shows(shown, one) for one in real), f"{page.name}: {shown}"
    assert seen >= 2


def test_the_broken_examples_give_what_their_table_says(checkout: None) -> None:
    table = (EXAMPLES / "broken" / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| (\S+\.yaml) \| .* \| (.*) \|$", table, re.MULTILINE)
    real = json.loads(run("lint", "examples/broken", "--output-format", "json").stdout)
    found: dict[str, list[str]] = {}
    for one in real["findings"]:
        found.setdefault(Path(one["path"]).name, []).append(one["code"])
    assert {name: codes.split(", ") for name, codes in rows} == found
    assert real["summary"]["files"] == len(found)


def test_the_other_manifests_are_clean(checkout: None) -> None:
    assert run("lint", "examples/manifests").exit_code == 0


def test_the_ignores_shown_hide_a_finding(folder: Path) -> None:
    claim = re.sub(r"\n +selectors:.*", "\n        count: 0\n", BY_INDEX, flags=re.DOTALL)
    claim = claim.replace("training}", "training, namespace: ml}")
    comments, annotation = fences(DOCS / "ignores.md", "yaml")
    shown = [claim.replace("count: 0", way) for way in comments.strip().split("\n\n")]
    indented = [text.replace("\ncount: 0", "\n        count: 0") for text in shown]
    (lines,) = re.findall(r"annotations:\n.*", annotation)
    noted = claim.replace("{name: training, namespace: ml}", "\n  name: training\n  " + lines)
    (folder / "claim.yaml").write_text(claim)
    assert "DRA317" in run("lint", "claim.yaml", "--quiet").stdout
    for text in (*indented, noted):
        (folder / "claim.yaml").write_text(text)
        assert run("lint", "claim.yaml", "--quiet").stdout == "", text


def test_the_module_in_the_readme_builds(folder: Path) -> None:
    (code,) = fences(ROOT / "README.md", "python")
    (folder / "app.py").write_text(code)
    built = run("build", "app.py")
    assert built.exit_code == 0, built.output
    assert [one["kind"] for one in yaml.safe_load_all(built.stdout)] == [
        "DeviceClass",
        "ResourceClaimTemplate",
    ]


def test_the_conversion_shown_is_the_real_one(folder: Path) -> None:
    before, after = fences(DOCS / "convert.md", "yaml")
    (folder / "claim.yaml").write_text(before)
    assert run("convert", "claim.yaml").stdout == after
    assert run("convert", "claim.yaml", "--check").exit_code == 1


def test_the_driver_schema_shown_can_be_used(folder: Path) -> None:
    (text,) = fences(DOCS / "driver-schemas.md", "yaml")[-1:]
    (folder / "own.yaml").write_text(text)
    name = yaml.safe_load(text)["driver"]
    shown = run("schema", "show", name, "--driver-schema", "own.yaml")
    assert shown.exit_code == 0
    assert re.search(r"^ +rack +string +sometimes", shown.stdout, re.MULTILINE)


def test_the_page_on_exactness_says_what_its_generator_says() -> None:
    """The numbers take minutes (`python -m tests.verdicts.table --check`), the words do not."""
    from tests.kube.workloads import figures, public
    from tests.upstream.preview import section
    from tests.verdicts import table

    words = re.escape(table._INTRO)
    words = re.sub(r"\\\{([a-z]+)(?::,)?\\\}", r"(?P<\1>.*?)", words)
    page = re.fullmatch(words, (DOCS / "exactness.md").read_text("utf-8"), re.DOTALL)
    assert page is not None
    assert page["modules"] == table._modules()
    assert page["known"] == table._known()
    assert page["preview"] == section()
    assert page["workloads"] == figures.samples()
    assert page["objects"] == f"{public.number():,}"
    assert page["fields"] == figures.fields()
    assert page["missed"] == figures.missed()


# Tables -----------------------------------------------------------------------------------------


def test_every_key_of_a_recipe_is_explained() -> None:
    from dradsl.tree.charts.recipes import Recipe, RecipePlace

    table = (DOCS / "migrate-recipes.md").read_text("utf-8").partition("### Keys")[2]
    rows = [row.partition("|")[0] for row in re.findall(r"^\| (`.*)$", table, re.MULTILINE)]
    named = set(re.findall(r"`([a-z-]+)`", " ".join(rows)))
    fields = {f.name for read in (Recipe, RecipePlace) for f in dataclasses.fields(read)}
    fields = (fields - {"name", "places", "earlier"}) | {"recipe", "pods"}  # as the file has them
    assert named == {name.replace("_", "-") for name in fields}


def test_every_question_of_a_migration_has_its_row() -> None:
    from dradsl.migrate.mapping.questions import questions

    page = (DOCS / "migrate.md").read_text("utf-8").partition("## Questions")[2]
    named = set(re.findall(r"^\| .*? \| `([a-z-]+)", page.partition("## Where")[0], re.MULTILINE))
    assert set(questions()) <= named


def test_the_answers_shown_can_be_used(folder: Path) -> None:
    (text,) = (each for each in fences(DOCS / "migrate.md", "yaml") if "answers:" in each)
    (folder / "answers.yaml").write_text(text)
    scanned = run("migrate", "--scan", "--answers", "answers.yaml", "good.yaml")
    assert scanned.exit_code == 3, scanned.output  # nothing there to migrate


@pytest.mark.parametrize("name", ["broken", "builders", "migrations", "tutorials"])
def test_every_example_stands_in_its_table(name: str) -> None:
    text = (EXAMPLES / name / "README.md").read_text("utf-8")
    rows = " ".join(re.findall(r"^\| ([^|]+) \|", text, re.MULTILINE))
    named = set(re.findall(r"[\w.-]+", rows)) - {"File", "folder", "---"}
    there = {each.name for each in (EXAMPLES / name).iterdir() if each.name[0] not in "_."}
    assert named == there - {"README.md"}


def test_the_schema_for_editors_is_there_and_takes_manifests(folder: Path) -> None:
    import jsonschema

    (text,) = fences(DOCS / "lint.md", "yaml")
    (name,) = re.findall(r"\$schema=(\S+)", text)
    (call,) = (each for each in calls(DOCS / "lint.md") if each[:2] == ["schema", "export"])
    assert call[-2:] == ["-o", name]
    assert run(*call).exit_code == 0
    schema = json.loads((folder / name).read_text("utf-8"))
    _, template, _ = yaml.safe_load_all((EXAMPLES / "manifests/training.yaml").read_text("utf-8"))
    jsonschema.validate(template, schema)
    template["spec"]["spec"]["devices"]["request"] = []
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(template, schema)


def test_every_option_of_the_configuration_is_explained() -> None:
    """The table in docs/configuration.md is made of the schema: see docs/_hooks.py."""
    from dradsl.lint.settings.options import OPTIONS

    schema: dict[str, Any] = json.loads((ROOT / "schemas/config.schema.json").read_text("utf-8"))
    assert set(schema["properties"]) == set(OPTIONS)
    assert all(each.get("description") for each in schema["properties"].values())
    assert "<!-- options -->" in (DOCS / "configuration.md").read_text("utf-8")
