"""The files around the package: README, CONTRIBUTING, the site, the wheel."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

from dradsl.lint.report import FORMATS
from dradsl.lint.settings.config import read_config
from maintenance.rule_examples import parse_examples
from tests.lint.report.sample import sample
from tests.lint.report.test_formats import rendered

ROOT = Path(__file__).parents[2]


def fences(path: Path, language: str) -> list[str]:
    return re.findall(
        rf"^```{language}\n(.*?)^```", path.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )


def test_readme_has_the_two_commands() -> None:
    run, test = fences(ROOT / "README.md", "sh")
    assert run.count("\n") == test.count("\n") == 1
    assert run.endswith(" && .venv/bin/dradsl lint --exit-zero examples/broken\n")
    assert test.endswith("pytest -q -n auto\n")
    assert "pip install --quiet -e '.[dev,docs]'" in test


def test_ci_runs_what_the_readme_says() -> None:
    """Its second command as it is written, taken out of it as `.ci/run` does, and once."""
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    for command in ('pip" install', " -e .", "mkdocs build --strict"):
        assert command in script
    (taken,) = re.findall(r"^  command=\$\((.*)\)$", script, re.MULTILINE)
    done = subprocess.run(
        ["bash", "-c", taken], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stdout == fences(ROOT / "README.md", "sh")[1]
    assert "pytest -q" not in script, "the tests would run twice"
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111, ".ci/run is not executable"
    subprocess.run(["bash", "-n", ROOT / ".ci" / "run"], check=True)


def test_links_between_files_lead_somewhere() -> None:
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md"):
        for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text("utf-8")):
            assert (path.parent / target).exists(), f"{path.name}: {target}"


def test_the_document_in_contributing_follows_the_form() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    body = re.search(r"^````markdown\n(.*?)^````", text, re.MULTILINE | re.DOTALL)
    assert body is not None
    bad, good = parse_examples(body[1].partition("## Examples")[2], 1, "CONTRIBUTING.md")
    assert (bad.expected, good.expected) == (((3, "DRA304"),), ())


@pytest.mark.parametrize("page", ["configuration.md", "ignores.md"])
def test_yaml_in_the_pages_is_yaml(page: str) -> None:
    found = fences(ROOT / "docs" / page, "yaml")
    assert found
    for text in found:
        # Some show the same key twice, to show two ways: only the syntax counts.
        assert list(yaml.compose_all(text))


def test_configurations_in_the_pages_are_valid(tmp_path: Path) -> None:
    page = ROOT / "docs" / "configuration.md"
    (own,) = fences(page, "yaml")
    (tmp_path / ".dradsl.yaml").write_text(own)
    assert read_config(tmp_path / ".dradsl.yaml").kube_version == ("1.35", "1.36")
    (project,) = fences(page, "toml")
    (tmp_path / "pyproject.toml").write_text(project)
    assert read_config(tmp_path / "pyproject.toml").exclude == ("vendor/",)


def test_the_json_of_the_pages_has_the_shape_of_the_real_one() -> None:
    (text,) = fences(ROOT / "docs" / "output.md", "json")
    shown = json.loads(text)
    real = json.loads(rendered("json", sample()))
    assert list(shown) == list(real)
    assert list(shown["summary"]) == list(real["summary"])
    assert list(shown["findings"][0]) == list(real["findings"][0])
    fixes = [finding["fix"] for finding in real["findings"] if finding["fix"]]
    assert list(shown["findings"][0]["fix"]["edits"][0]) == list(fixes[0]["edits"][0])


def test_commands_to_install_need_no_package_index_with_dradsl() -> None:
    """It is on none: a page names a checkout, or the address and the commit of a repository."""
    named: set[str] = set()
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")):
        named.update(
            re.findall(r"pip install (?:--\S+ |-e )*[\"']?([^\s\"'`]+)", page.read_text("utf-8"))
        )
    # What the lock names is on one, and so are these.
    # `dradsl @` is followed by the address of a repository; `-U` by nothing.
    others = {
        "-U",
        "dradsl",
        "uv",
        "yamllint",
        "pytest",
        "cdk8s",
        "pulumi",
        "wheels/dradsl-*.whl",
    }
    assert all(
        "pip install 'dradsl'" not in page.read_text("utf-8")
        and "pip install dradsl" not in page.read_text("utf-8")
        for page in (ROOT / "docs").rglob("*.md")
    )
    assert named - {"-r", *others} == {
        ".",
        ".[dev,docs]",
        ".[lsp]",
        "dist/dradsl-*.whl",  # that was built
        "./dradsl-source",
        "./dradsl-source[lsp]",
    }


def test_every_format_is_explained() -> None:
    page = (ROOT / "docs" / "output.md").read_text("utf-8").partition("## JSON")[0]
    assert re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) == list(FORMATS)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel of this checkout, built with the build backend at hand, without a network."""
    build = pytest.importorskip("hatchling.build", reason="building a wheel needs hatchling")
    target = tmp_path_factory.mktemp("dist")
    script = f"import {build.__name__} as b; print(b.build_wheel({str(target)!r}))"
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, check=True)
    (path,) = target.glob("*.whl")
    return zipfile.ZipFile(path)


def test_wheel_contents(wheel: zipfile.ZipFile) -> None:
    names = set(wheel.namelist())
    assert {"dradsl/py.typed", "dradsl/_data/schemas/config.schema.json"} <= names
    for folder in ("rules", "schemas"):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file():
                assert f"dradsl/_data/{path.relative_to(ROOT).as_posix()}" in names
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"dradsl"}
    assert not [name for name in names if "__pycache__" in name or name.startswith("dradsl/tests")]


def test_the_metadata_names_no_address_until_there_is_one(wheel: zipfile.ZipFile) -> None:
    from dradsl.lint.report.places import PROJECT_URL, REPOSITORY_URL

    (name,) = (each for each in wheel.namelist() if each.endswith(".dist-info/METADATA"))
    text = wheel.read(name).decode("utf-8")
    assert ("Project-URL: " in text) is any((PROJECT_URL, REPOSITORY_URL))
    assert "](docs/" not in text  # links into a folder that an index does not have
    assert "Mistakes in them show up late" in text


def test_addresses_go_into_the_metadata() -> None:
    pytest.importorskip("hatchling", reason="the hook is one of hatchling")
    source = ROOT / "packaging" / "metadata.py"
    spec = importlib.util.spec_from_file_location("packaging_metadata", source)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.addresses((ROOT / module.PLACES).read_text("utf-8")) == {}
    found = module.addresses(
        'PROJECT_URL: str | None = "https://docs.example.com/d"\n'
        'REPOSITORY_URL: str | None = "https://code.example.com/d"\n'
    )
    assert module.urls(found) == {
        "Documentation": "https://docs.example.com/d/",
        "Changelog": "https://docs.example.com/d/contributing/changes/",
        "Source": "https://code.example.com/d",
        "Issues": "https://code.example.com/d/issues",
    }
    assert module.urls({}) == {}
    readme = "[a](docs/a.md) [b](https://example.com)"
    assert module.description(readme, {}) == "a [b](https://example.com)"
    linked = "[a](https://code.example.com/d/blob/main/docs/a.md) [b](https://example.com)"
    assert module.description(readme, found) == linked


def test_the_sdist_holds_what_a_build_needs_and_no_more(tmp_path: Path) -> None:
    build = pytest.importorskip("hatchling.build", reason="building needs hatchling")
    script = f"import {build.__name__} as b; print(b.build_sdist({str(tmp_path)!r}))"
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, check=True)
    (path,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(path) as packed:
        names = [name.partition("/")[2] for name in packed.getnames()]
    assert {name.partition("/")[0] for name in names} - {".gitignore"} == {
        "CHANGELOG.md",
        "LICENSE",
        "PKG-INFO",
        "README.md",
        "dradsl",
        "maintenance",
        "packaging",
        "pyproject.toml",
        "rules",
        "schemas",
    }
    assert [name for name in names if name.startswith("packaging/")] == ["packaging/metadata.py"]


def test_the_changes_have_a_section_for_this_version() -> None:
    from dradsl._version import __version__

    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert re.search(rf"^## {re.escape(__version__)}\b", text, re.MULTILINE)


def test_files_can_be_checked_out_on_every_system() -> None:
    """Windows and macOS take names that differ in capitals for one; Windows has names that no file may have."""
    listed = ["git", "ls-files", "-z"]
    result = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=False)
    if result.returncode:
        pytest.skip("not a Git checkout: it cannot be told which files belong to it")
    names = [name for name in result.stdout.split("\0") if name]
    assert len({name.lower() for name in names}) == len(names)
    reserved = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
    for name in names:
        assert not re.search(r'[<>:"|?*\\]', name), name
        assert len(name) < 160, name  # a path has 260 signs there, with the folder of the checkout
        for step in name.split("/"):
            assert not reserved.fullmatch(step), name
            assert not step.endswith((".", " ")), name
    assert "* text=auto eol=lf" in (ROOT / ".gitattributes").read_text("utf-8").splitlines()


def test_wheel_finds_its_own_data(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    wheel.extractall(tmp_path)  # noqa: S202 - our own wheel
    script = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "import dradsl.data as data\n"
        "print(data.data_folder('schemas'))"
    )
    result = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == str(tmp_path / "dradsl" / "_data" / "schemas")


def test_hooks_name_commands_that_exist() -> None:
    from dradsl.cli import _COMMANDS

    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert [hook["id"] for hook in hooks][:2] == ["dradsl-lint", "dradsl-lint-all"]
    for hook in hooks:
        program, command, *_ = hook["entry"].split()
        assert program == "dradsl"
        assert command in _COMMANDS
        assert hook["language"] == "python"


def test_no_address_of_a_site_that_is_not_there() -> None:
    """`PROJECT_URL` is the only place that may name one; a name in an annotation is not an address."""
    listed = ["git", "ls-files", "-z", "--", "*.md", "*.json", "*.yml", "*.yaml", "*.toml", "*.py"]
    result = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=False)
    if result.returncode:
        pytest.skip("not a Git checkout: it cannot be told which files belong to it")
    for name in filter(None, result.stdout.split("\0")):
        if (ROOT / name).is_file() and not name.startswith("tests/"):
            found = re.findall(r"https?://[\w.-]*dradsl[\w.-]*", (ROOT / name).read_text("utf-8"))
            assert name == "dradsl/lint/report/places.py" or not found, (name, found)


def test_the_version_stands_in_one_place() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert "version" in project["project"]["dynamic"]
