"""`dradsl build -o DIR`: whose the files in DIR are, and that nobody's work is lost."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from dradsl.cli.build import command

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, in no project."""
    folder = tmp_path / "top"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def _forgotten() -> Iterator[None]:
    """The modules of the test are imported by nobody else; those of dradsl stay."""
    yield
    for name in list(sys.modules):
        if name.partition(".")[0] in ("team", "acme_manifests"):
            del sys.modules[name]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command, [*arguments], catch_exceptions=False)


def module(path: Path, *classes: str, app: str = "app") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(apps(**{app: classes}))


def apps(**named: tuple[str, ...]) -> str:
    lines = ["from dradsl import App, DeviceClass"]
    for app, classes in named.items():
        lines.append(f"{app} = App()")
        select = "'device.driver == \"a.example.com\"'"
        lines += [f"{app}.add(DeviceClass({name!r}, select={select}))" for name in classes]
    return "\n".join(lines)


def names(folder: Path) -> list[str]:
    """The device classes that have a file in `folder`."""
    return sorted(path.stem.removeprefix("deviceclass_") for path in folder.glob("*.yaml"))


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def owner(path: Path) -> str:
    first = path.read_text("utf-8").splitlines()[0]
    return first.removeprefix("# Built by dradsl build from ").partition(";")[0]


# --- several modules ---


@pytest.mark.parametrize("order", [("a.py", "b.py"), ("b.py", "a.py")])
def test_two_modules_in_one_folder(top: Path, order: tuple[str, str]) -> None:
    module(top / "a.py", "one", "two")
    module(top / "b.py", "three")
    for name in order:
        assert run(name, "-o", "out").stdout.endswith(" 0 removed\n")
    assert names(top / "out") == ["one", "three", "two"]
    before = content(top / "out")
    for name in order:
        assert run(name, "-o", "out", "--check").exit_code == 0
        assert run(name, "-o", "out").stdout.endswith(": 0 written, 0 removed\n")
    assert content(top / "out") == before

    # What a module no longer builds goes, and nothing of the other one.
    module(top / "a.py", "two")
    result = run("a.py", "-o", "out", "--check")
    assert (result.exit_code, result.stdout) == (
        1,
        f"{Path('out/deviceclass_one.yaml')} is no longer built\n",
    )
    assert run("a.py", "-o", "out").stdout == "1 object in out: 0 written, 1 removed\n"
    assert names(top / "out") == ["three", "two"]


def test_two_apps_of_one_module(top: Path) -> None:
    (top / "m.py").write_text(apps(app=("one",), extra=("two",)))
    for target in ("m.py:app", "m.py:extra", "m.py"):
        assert run(target, "-o", "out").stdout.endswith(" 0 removed\n")
    assert names(top / "out") == ["one", "two"]
    assert owner(top / "out/deviceclass_one.yaml") == "../m.py:app"
    assert owner(top / "out/deviceclass_two.yaml") == "../m.py:extra"


def test_one_app_with_two_names(top: Path) -> None:
    (top / "m.py").write_text(apps(first=("one",)) + "\nsecond = first")
    for target in ("m.py", "m.py:second", "m.py:first"):
        assert run(target, "-o", "out").exit_code == 0
        assert owner(top / "out/deviceclass_one.yaml") == "../m.py:first"


def test_modules_of_one_name(top: Path) -> None:
    module(top / "one/app.py", "one")
    module(top / "two/app.py", "two")
    module(top / "app.py", "three")
    for name in ("one/app.py", "two/app.py", "app.py", "one/app.py"):
        assert run(name, "-o", "out").stdout.endswith(" 0 removed\n")
    assert names(top / "out") == ["one", "three", "two"]


@pytest.mark.parametrize("marker", ["pyproject.toml", ".git"])
@pytest.mark.parametrize("output", ["out", "one/out"])
def test_projects_of_one_layout(top: Path, marker: str, output: str) -> None:
    """Each project has an app.py at its top, and builds into a folder outside or of the other."""
    for project in ("one", "two"):
        module(top / project / "app.py", project)
        (top / project / marker).write_text("")
    for project in ("one", "two", "one"):
        assert run(f"{project}/app.py", "-o", output).stdout.endswith(" 0 removed\n")
    assert names(top / output) == ["one", "two"]


# --- the mark is the same everywhere ---


@pytest.mark.usefixtures("_forgotten")
def test_the_mark_does_not_depend_on_the_working_directory(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module(top / "team/stable_mark.py", "one")
    (top / "team/__init__.py").write_text("")
    monkeypatch.setattr(sys, "path", [*sys.path, str(top)])
    calls = [
        (".", "team/stable_mark.py", "out"),
        (".", "./team/stable_mark.py:app", "./out/"),
        (".", "team/../team/stable_mark.py", "team/../out"),
        (".", "team.stable_mark", "out"),
        (".", "team.stable_mark:app", str(top / "out")),
        ("team", "stable_mark.py", "../out"),
        ("team", "team.stable_mark:app", "../out"),
        ("out", "../team/stable_mark.py", "."),
        ("..", str(top / "team/stable_mark.py"), str(top / "out")),
    ]
    for number, (folder, target, output) in enumerate(calls):
        monkeypatch.chdir(top / folder)
        result = run(target, "-o", output)
        written = 0 if number else 1
        assert f": {written} written, 0 removed\n" in result.stdout, (folder, target)
        assert run(target, "-o", output, "--check").exit_code == 0
    assert owner(top / "out/deviceclass_one.yaml") == "../team/stable_mark.py:app"


@pytest.mark.parametrize("marker", ["", "pyproject.toml", ".git"])
@pytest.mark.usefixtures("_forgotten")
def test_the_mark_does_not_depend_on_the_machine(
    top: Path, monkeypatch: pytest.MonkeyPatch, marker: str
) -> None:
    built = []
    for home in ("here", "some/where/else"):
        project = top / home / "project"
        module(project / "team/app.py", "one")
        if marker:
            (project / marker).write_text("")
        monkeypatch.chdir(project)
        for output in ("out", "deploy/team"):
            run("team/app.py", "-o", output)
            built.append((output, content(project / output)))
    assert built[:2] == built[2:]
    assert str(top).encode() not in repr(built).encode()


@pytest.mark.parametrize(
    ("pyproject", "name"),
    [
        ("[project]\nname = 'infra'\n", "infra"),
        ("[project]\nname = 3\n", "clone"),
        ("project = 3", "clone"),
        ("[tool.other]\n", "clone"),
        ("not toml", "clone"),
    ],
)
def test_the_mark_in_a_folder_outside_the_project(top: Path, pyproject: str, name: str) -> None:
    for home in ("one/clone", "two/deeper/clone"):
        module(top / home / "team/app.py", "one")
        (top / home / "pyproject.toml").write_text(pyproject)
        (top / home / ".git").mkdir()
        result = run(f"{home}/team/app.py", "-o", "out")
        assert result.exit_code == 0, result.output
        assert owner(top / "out/deviceclass_one.yaml") == f"{name}//team/app.py:app"


@pytest.mark.usefixtures("_forgotten")
def test_installed_modules_are_named_by_their_dotted_name(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (top / ".git").mkdir()
    packages = top / ".venv/lib/python3.99/site-packages"
    module(packages / "acme_manifests/classes.py", "one")
    monkeypatch.setattr(sys, "path", [*sys.path, str(packages)])
    assert run("acme_manifests.classes", "-o", "out").exit_code == 0
    assert owner(top / "out/deviceclass_one.yaml") == "acme_manifests.classes:app"


@pytest.mark.parametrize("name", ["größe.py", "a b.py", "{{x}}%.py", "a; b: #c.py", "x\u2028y.py"])
def test_marks_of_odd_names(top: Path, name: str) -> None:
    module(top / name, "one", "two")
    assert run(name, "-o", "out").exit_code == 0
    first, *rest = (top / "out/deviceclass_one.yaml").read_text("utf-8").splitlines()
    assert first.startswith("# Built by dradsl build from ../")
    assert rest[0] == "apiVersion: resource.k8s.io/v1"
    assert not any(brace in first for brace in "{}")  # Helm would run it
    module(top / name, "one")
    assert run(name, "-o", "out").stdout == "1 object in out: 0 written, 1 removed\n"


# --- files that are in the way ---


@pytest.mark.parametrize("check", [[], ["--check"]])
def test_a_file_of_another_module_is_not_overwritten(top: Path, check: list[str]) -> None:
    module(top / "a.py", "left", "same")
    run("a.py", "-o", "out")
    module(top / "a.py", "same")
    before = content(top / "out")
    module(top / "b.py", "new", "same")
    result = run("b.py", "-o", "out", "--output-format", "json", "--report", "r.json", *check)
    assert result.exit_code == 2
    assert result.stdout == ""
    path = Path("out/deviceclass_same.yaml")
    assert f"{path} was built by ../a.py:app, and ../b.py:app would overwrite it" in result.stderr
    assert "--force" in result.stderr
    assert content(top / "out") == before
    assert not (top / "r.json").exists()


@pytest.mark.parametrize(
    "text",
    ["kind: Own\n", "", "# a comment\n# Built by dradsl build from ../b.py:app; x\n", "\xff"],
)
def test_a_file_without_a_mark_is_not_overwritten(top: Path, text: str) -> None:
    module(top / "b.py", "new", "same")
    path = top / "out/deviceclass_same.yaml"
    path.parent.mkdir()
    path.write_text(text, encoding="latin-1")
    for check in ([], ["--check"]):
        result = run("b.py", "-o", "out", *check)
        assert result.exit_code == 2
        assert "same.yaml was not written by dradsl build" in result.stderr
    assert names(top / "out") == ["same"]
    assert path.read_text("latin-1") == text
    result = run("b.py", "-o", "out", "--force", "--check")
    assert (result.exit_code, path.read_text("latin-1")) == (1, text)
    result = run("b.py", "-o", "out", "--force")
    assert result.exit_code == 0
    assert "2 written, 0 removed" in result.stdout
    assert f"note: {path.relative_to(top)} was not written by dradsl build" in result.stdout
    assert run("b.py", "-o", "out", "--check").stdout == ""


def test_force_takes_over_and_the_other_module_is_told(top: Path) -> None:
    module(top / "a.py", "left", "same")
    module(top / "b.py", "same")
    run("a.py", "-o", "out")
    result = run("b.py", "-o", "out", "--force")
    assert result.exit_code == 0
    # Of the files of others it removes none, even so.
    assert names(top / "out") == ["left", "same"]
    assert "was built by ../a.py:app; it is now built by ../b.py:app" in result.stdout
    assert run("b.py", "-o", "out", "--force").stdout == "1 object in out: 0 written, 0 removed\n"
    result = run("a.py", "-o", "out")
    assert (result.exit_code, "was built by ../b.py:app" in result.stderr) == (2, True)


def test_things_that_are_no_files(top: Path) -> None:
    module(top / "a.py", "one", "two")
    run("a.py", "-o", "out")
    kept = top / "kept.yaml"
    (top / "out/deviceclass_two.yaml").rename(kept)
    (top / "out/link.yaml").symlink_to(kept)
    (top / "out/folder.yaml").mkdir()
    module(top / "a.py", "one")
    assert run("a.py", "-o", "out").stdout == "1 object in out: 0 written, 0 removed\n"
    assert (top / "out/link.yaml").exists()
    (top / "out/deviceclass_one.yaml").unlink()
    (top / "out/deviceclass_one.yaml").mkdir()
    result = run("a.py", "-o", "out")
    assert result.exit_code == 2
    assert "deviceclass_one.yaml: is " in result.stderr


def test_files_with_windows_line_ends_are_still_ones_own(top: Path) -> None:
    module(top / "a.py", "one", "two")
    run("a.py", "-o", "out")
    for path in (top / "out").iterdir():
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    module(top / "a.py", "one")
    assert run("a.py", "-o", "out").stdout == "1 object in out: 1 written, 1 removed\n"


# --- apps without objects ---


@pytest.mark.parametrize(
    "options", [[], ["-o", "out"], ["-o", "out", "--check"], ["--report", "r.json"]]
)
def test_an_app_without_objects_is_rejected(top: Path, options: list[str]) -> None:
    module(top / "a.py", "one")
    run("a.py", "-o", "out")
    before = content(top / "out")
    module(top / "a.py")
    result = run("a.py", *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "app.add was never called" in result.stderr
    assert content(top / "out") == before
    assert not (top / "r.json").exists()


def test_a_build_that_fails_lint_touches_nothing(top: Path) -> None:
    module(top / "a.py", "one")
    run("a.py", "-o", "out")
    before = content(top / "out")
    (top / "a.py").write_text(
        "from dradsl import App, DeviceClass\napp = App()\n"
        "app.add(DeviceClass('two', select='device.nonsense'))\n"
    )
    assert run("a.py", "-o", "out").exit_code == 1
    assert content(top / "out") == before


# --- what somebody else does meanwhile ---


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("deviceclass_a.yaml", "edit"),  # written: it differs
        ("deviceclass_new.yaml", "edit"),  # written: it was not there
        ("deviceclass_gone.yaml", "edit"),  # removed
        ("deviceclass_a.yaml", "remove"),
        ("deviceclass_gone.yaml", "remove"),
    ],
)
def test_what_was_changed_meanwhile_is_left_alone(
    name: str, how: str, top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import dradsl.dsl.checking.check as checking

    module(top / "app.py", "a", "b", "gone")
    assert run("app.py", "-o", "out").exit_code == 0
    mark = "select='device.driver == \"other.example.com\"'"
    text = apps(app=("a", "b", "new")).replace("select='device.driver == \"a.example.com\"'", mark)
    (top / "app.py").write_text(text)
    real = checking.check_app

    def check(*args: Any) -> Any:
        path = top / "out" / name
        if how == "remove":
            path.unlink()
        else:
            with path.open("a") as file:
                file.write("# mine\n")
        return real(*args)

    monkeypatch.setattr(checking, "check_app", check)
    result = run("app.py", "-o", "out")
    if (how, name) == ("remove", "deviceclass_gone.yaml"):
        assert result.exit_code == 0  # it is gone, as the build wants it
    else:
        assert result.exit_code == 2
        assert f"out/{name}: was " in result.stderr
        assert "since it was read" in result.stderr
    left = content(top / "out")
    if how == "edit":
        assert left[name].endswith(b"# mine\n")
    else:
        assert name not in left
    for other in ("a", "b", "new"):
        file = f"deviceclass_{other}.yaml"
        assert file == name or b"other.example.com" in left[file]
    assert name == "deviceclass_gone.yaml" or "deviceclass_gone.yaml" not in left
