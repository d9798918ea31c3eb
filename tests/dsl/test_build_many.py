"""`dradsl build` of several modules, folders, packages and factories in one call."""

from __future__ import annotations

import importlib
import json
import sys
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from dradsl import BuildError
from dradsl.cli.build import command
from dradsl.testing import load_app, load_apps

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command, [*arguments], catch_exceptions=False)


def write(path: Path, *names: str, head: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = ["from dradsl import App, DeviceClass, Request, ResourceClaimTemplate", head]
    lines += ["app = App()"]
    lines += [f"app.add(DeviceClass({name!r}, select={SELECT!r}))" for name in names]
    path.write_text("\n".join(lines))


SELECT = 'device.driver == "a.example.com"'

FACTORY = """
from typing import Literal
from dradsl import App, DeviceClass

def make(team: str, size: int = 2, kind: Literal["x", "y"] = "x", parts: list[int] = []) -> App:
    app = App()
    app.add(DeviceClass(f"{team}-{kind}-{size + sum(parts)}", select='device.driver == "a.example.com"'))
    return app
"""


def names(folder: Path) -> list[str]:
    return sorted(path.stem.removeprefix("deviceclass_") for path in folder.glob("*.yaml"))


def marks(folder: Path) -> dict[str, str]:
    return {
        path.stem.removeprefix("deviceclass_"): path.read_text()
        .partition("build from ")[2]
        .partition(";")[0]
        for path in folder.glob("*.yaml")
    }


def test_several_modules(top: Path) -> None:
    write(top / "a.py", "one", "two")
    write(top / "b.py", "three")
    assert run("a.py", "b.py", "-o", "out").stdout == "3 objects in out: 3 written, 0 removed\n"
    assert marks(top / "out") == {
        "one": "../a.py:app",
        "two": "../a.py:app",
        "three": "../b.py:app",
    }
    # One of them alone is the same build as before.
    assert run("a.py", "-o", "out", "--check").exit_code == 0
    assert run("b.py", "a.py", "-o", "out").stdout.endswith(": 0 written, 0 removed\n")
    stream = run("a.py", "b.py").stdout
    assert stream.count("kind: DeviceClass") == 3
    assert stream.count("---\n") == 2


def test_an_object_may_move_from_one_module_to_another(top: Path) -> None:
    write(top / "a.py", "one", "two")
    write(top / "b.py", "three")
    run("a.py", "b.py", "-o", "out")
    write(top / "a.py", "one")
    write(top / "b.py", "two", "three")
    assert run("b.py", "-o", "out").exit_code == 2
    assert run("a.py", "b.py", "-o", "out").stdout == "3 objects in out: 1 written, 0 removed\n"
    assert marks(top / "out")["two"] == "../b.py:app"


def test_two_modules_with_one_object(top: Path) -> None:
    write(top / "a.py", "one")
    write(top / "b.py", "one")
    result = run("a.py", "b.py", "-o", "out", "--force")
    assert result.exit_code == 2
    assert "is built by ../a.py:app and by ../b.py:app" in result.stderr
    assert not (top / "out").exists()


def test_a_folder(top: Path) -> None:
    write(top / "org/a.py", "one")
    write(top / "org/deep/b.py", "two")
    (top / "org/helper.py").write_text("x = 1")
    (top / "org/test_a.py").write_text("raise RuntimeError('tests are not built')")
    write(top / "org/.hidden/c.py", "never")
    assert run("org", "-o", "out").stdout == "2 objects in out: 2 written, 0 removed\n"
    assert names(top / "out") == ["one", "two"]
    assert run("org/", "-o", "out", "--check").exit_code == 0
    (top / "empty").mkdir()
    assert "no module there has an App" in run("empty").stderr


def test_the_working_directory(top: Path) -> None:
    write(top / "a.py", "one")
    assert run(".", "-o", "out").stdout == "1 object in out: 1 written, 0 removed\n"


def test_a_package(top: Path) -> None:
    (top / "org").mkdir()
    (top / "org/__init__.py").write_text("")
    write(top / "org/base.py", "base")
    (top / "org/apps.py").write_text(
        "from dradsl import App, DeviceClass\n"
        "from .base import app as platform\n"
        "app = App()\n"
        f"app.add(DeviceClass('own', select={SELECT!r}))\n"
    )
    # By its dotted name, as a folder, and one file of it: relative imports work each time.
    for target in ("org", "./org"):
        result = run(target, "-o", "out")
        assert result.exit_code == 0, result.output
        assert marks(top / "out") == {"base": "../org/base.py:app", "own": "../org/apps.py:app"}
    assert run("org/apps.py", "-o", "out", "--check").exit_code == 0


def test_folders_with_helpers_of_one_name(top: Path) -> None:
    for team in ("one", "two"):
        head = "from helper import NAME"
        write(top / team / "app.py", head=head)
        with (top / team / "app.py").open("a") as file:
            file.write(f"\napp.add(DeviceClass(NAME, select={SELECT!r}))\n")
        (top / team / "helper.py").write_text(f"NAME = {team!r}")
    assert run("one/app.py", "two/app.py", "-o", "out").exit_code == 0
    assert names(top / "out") == ["one", "two"]


def test_a_shared_app_is_built_once(top: Path) -> None:
    write(top / "m/base.py", "base")
    (top / "m/a_user.py").write_text("from base import app\n")
    assert run("m", "-o", "out").stdout == "1 object in out: 1 written, 0 removed\n"
    assert marks(top / "out") == {"base": "../m/base.py:app"}


def test_names_of_another_module_of_the_call(top: Path) -> None:
    """A class that another module builds is known, also by its name."""
    write(top / "a.py", "big")
    claim = "app.add(ResourceClaimTemplate('t', requests=[Request('r', 'big')]))"
    write(top / "b.py")
    with (top / "b.py").open("a") as file:
        file.write("\n" + claim)
    assert "DRA412" in run("b.py").stderr
    assert "DRA412" not in run("a.py", "b.py").stderr


# --- factories ---


def test_factories(top: Path) -> None:
    (top / "m.py").write_text(FACTORY)
    assert run("m.py:make", "-o", "out", "--set", "team=a").exit_code == 0
    # The sole function that says it returns an App need not be named.
    call = ("m.py", "-o", "out", "--set", "team=b", "--set", "size=3", "--set", "kind=y")
    assert run(*call, "--set", "parts=1,2").exit_code == 0
    # Two calls of one factory are two builds, which leave each other alone.
    assert names(top / "out") == ["a-x-2", "b-y-6"]
    assert marks(top / "out")["a-x-2"] == "../m.py:make(team=a)"
    assert run("m.py", "-o", "out", "--set", "team=a", "--check").exit_code == 0


def test_factories_with_a_name(top: Path) -> None:
    (top / "m.py").write_text(FACTORY.replace("App()", "App(name=team)"))
    run("m.py", "-o", "out", "--set", "team=a")
    assert run("m.py", "-o", "out", "--set", "team=a", "--set", "size=5").stdout == (
        "1 object in out: 1 written, 1 removed\n"
    )


def test_an_imported_app_is_not_the_modules_own(top: Path) -> None:
    """A factory's module imports the app that its own uses: that one is built where it was made."""
    write(top / "platform.py", "classes")
    used = FACTORY.replace("App()", "App(uses=[platform])")
    (top / "plat.py").write_text((top / "platform.py").read_text().replace("app", "platform"))
    (top / "m.py").write_text("from plat import platform\n" + used)
    assert run("m.py", "-o", "out", "--set", "team=a").exit_code == 0
    assert names(top / "out") == ["a-x-2"]
    (top / "own.py").write_text(
        "from plat import platform\nfrom dradsl import *\nteam = App(uses=[platform])\n"
        'team.add(DeviceClass("of-team", select=driver("a.example.com")))\n'
    )
    assert run("own.py", "-o", "own").exit_code == 0
    assert names(top / "own") == ["of-team"]
    # A module that has nothing else hands on what it imports.
    (top / "again.py").write_text("from plat import platform\n")
    assert run("again.py", "-o", "again").exit_code == 0
    assert names(top / "again") == ["classes"]


def test_a_file_of_parameters(top: Path) -> None:
    (top / "m.py").write_text(FACTORY)
    (top / "prod.yaml").write_text("team: prod\nsize: 4\nparts: [1, 1]\n")
    (top / "dev.toml").write_text("team = 'dev'\n")
    assert run("m.py", "-o", "p", "--params", "prod.yaml").exit_code == 0
    assert run("m.py", "-o", "d", "--params", "dev.toml", "--set", "size=1").exit_code == 0
    assert (names(top / "p"), names(top / "d")) == (["prod-x-6"], ["dev-x-1"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "m.py:make needs a value for team: say --set team=..."),
        (["--set", "tea=1", "--set", "team=x"], "has no parameter tea; did you mean team?"),
        (
            ["--set", "team=x", "--set", "size=big"],
            "size: expected a valid integer, unable to parse string as an integer, not 'big'",
        ),
        (["--set", "team=x", "--set", "kind=z"], "kind: expected 'x' or 'y', not 'z'"),
        (["--set", "team"], "--set: expected NAME=VALUE, not 'team'"),
        (["--set", "team=a", "--set", "team=b"], "--set: team is given twice"),
        (["--params", "no.yaml"], "--params: no such file or directory: no.yaml"),
        (["--params", "bad.yaml"], "--params bad.yaml: expected one mapping"),
        (["--params", "text.yaml"], "parameter size: expected a valid integer, not 'three'"),
    ],
)
def test_parameters_that_cannot_be_used(top: Path, arguments: list[str], message: str) -> None:
    (top / "m.py").write_text(FACTORY)
    (top / "bad.yaml").write_text("[1]")
    (top / "text.yaml").write_text("{team: a, size: three}")
    result = run("m.py", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_parameters_without_a_factory(top: Path) -> None:
    write(top / "a.py", "one")
    result = run("a.py", "--set", "team=a")
    assert "--set team: nothing here takes parameters; say MODULE:FUNCTION" in result.stderr
    (top / "m.py").write_text("def make():\n    return 3\n")
    assert "m.py:make returns 3, not an App" in run("m.py:make").stderr


def test_the_schema_of_parameters(top: Path) -> None:
    (top / "m.py").write_text(FACTORY)
    schema = json.loads(run("m.py", "--params-schema").stdout)
    assert schema["required"] == ["team"]
    assert schema["properties"]["kind"]["enum"] == ["x", "y"]
    assert schema["properties"]["kind"]["default"] == "x"
    assert schema["properties"]["parts"]["items"] == {"type": "integer"}


TYPED = """
import enum
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated
from pydantic import BaseModel, Field
from dradsl import App, DeviceClass, driver

class Kind(enum.Enum):
    FAST = "fast"

class Team(BaseModel):
    name: str
    gpus: Annotated[int, Field(ge=1)] = 1

@dataclass
class Owner:
    mail: str

def make(
    team: Team, shares: dict[str, int], owner: Owner, kinds: frozenset[Kind] = frozenset(), home: Path = Path(".")
) -> App:
    app = App()
    assert isinstance(owner, Owner) and isinstance(home, Path)
    for name in (team.name, *shares, *(kind.name.lower() for kind in kinds)):
        app.add(DeviceClass(f"{name}-{team.gpus + sum(shares.values())}", select=driver("a.example.com")))
    return app
"""


def test_parameters_by_annotations(top: Path) -> None:
    (top / "m.py").write_text(TYPED)
    (top / "p.yaml").write_text(
        "{team: {name: v, gpus: 2}, shares: {a: 1}, owner: {mail: x}, kinds: [fast], home: /x}"
    )
    assert run("m.py", "--params", "p.yaml", "-o", "p").exit_code == 0
    assert names(top / "p") == ["a-3", "fast-3", "v-3"]
    words = ["--set", "team={name: w}", "--set", "shares={}", "--set", "owner={mail: z}"]
    assert run("m.py", *words, "-o", "w").exit_code == 0
    assert names(top / "w") == ["w-1"]


def test_all_problems_of_parameters_at_once(top: Path) -> None:
    (top / "m.py").write_text(TYPED)
    (top / "p.yaml").write_text("{team: {gpus: 0}, shares: {a: x}, owner: {mail: 1}}")
    done = run("m.py", "--params", "p.yaml")
    assert done.exit_code == 2
    for message in (
        "parameter team.name: field required",
        "parameter team.gpus: expected greater than or equal to 1, not 0",
        "parameter shares.a: expected a valid integer, not 'x'",
        "parameter owner.mail: expected a valid string, not 1",
    ):
        assert message in done.stderr


def test_the_schema_of_typed_parameters(top: Path) -> None:
    (top / "m.py").write_text(TYPED)
    schema = json.loads(run("m.py", "--params-schema").stdout)
    assert schema["$defs"]["Team"]["properties"]["gpus"]["minimum"] == 1
    assert schema["required"] == ["team", "shares", "owner"]
    assert schema["additionalProperties"] is False


def test_one_app_for_each_file_of_parameters(top: Path) -> None:
    (top / "m.py").write_text(FACTORY)
    (top / "env").mkdir()
    for name in ("dev", "prod"):
        (top / "env" / f"{name}.yaml").write_text(f"team: {name}\n")
    (top / "env" / "readme.txt").write_text("")
    for number, words in enumerate(
        (
            ["env/*.yaml"],
            ["env/dev.yaml", "--params", "env/prod.yaml"],
            ["env/dev.yaml", "env/prod.yaml"],
        )
    ):
        assert run("m.py", "-o", f"out{number}", "--params", *words).exit_code == 0
        assert names(top / f"out{number}" / "dev") == ["dev-x-2"]
        assert names(top / f"out{number}" / "prod") == ["prod-x-2"]
    assert run("m.py", "-o", "out0", "--check", "--params", "env/*.yaml").exit_code == 0
    assert "several apps (dev, prod): give -o DIR" in run("m.py", "--params", "env/*.yaml").stderr
    (top / "more").mkdir()
    (top / "more" / "dev.yaml").write_text("team: x\n")
    twice = run("m.py", "-o", "o", "--params", "env/dev.yaml", "--params", "more/dev.yaml")
    assert "--params: two files are called dev" in twice.stderr


@pytest.mark.parametrize(
    "how",
    [
        "apps = {n: one(n) for n in ('a', 'b')}",
        "def make() -> dict[str, App]:\n    return {n: one(n) for n in ('a', 'b')}",
    ],
)
def test_a_dict_of_apps(top: Path, how: str) -> None:
    """They go to several clusters: the same object may be in both, and no app sees the other's."""
    (top / "m.py").write_text(
        "from dradsl import *\ndef one(name):\n    app = App()\n"
        "    app.add(DeviceClass(name, select=driver('a.example.com')))\n"
        "    app.add(DeviceClass('same', select=driver('a.example.com')))\n    return app\n" + how
    )
    assert run("m.py", "-o", "out").exit_code == 0
    assert names(top / "out" / "a") == ["a", "same"]
    assert names(top / "out" / "b") == ["b", "same"]
    (top / "bad.py").write_text(
        (top / "m.py").read_text().replace("n: one(n)", "n + '/..': one(n)")
    )
    assert "'a/..' cannot be the name of a folder" in run("bad.py", "-o", "bad").stderr


def test_a_dict_of_apps_for_each_file_of_parameters(top: Path) -> None:
    """Environments by clusters: each app goes to a folder of its name in that of its parameters."""
    (top / "m.py").write_text(
        "from dradsl import *\ndef make(stage: str, clusters: list[str]) -> dict[str, App]:\n"
        "    apps = {name: App() for name in clusters}\n    for name, app in apps.items():\n"
        "        app.add(DeviceClass(f'{name}-{stage}', select=driver('a.example.com')))\n"
        "    return apps\n"
    )
    (top / "env").mkdir()
    (top / "env" / "dev.yaml").write_text("stage: dev\nclusters: [east]\n")
    (top / "env" / "prod.yaml").write_text("stage: prod\nclusters: [east, west]\n")
    result = run("m.py", "-o", "out", "--params", "env/*.yaml")
    assert result.exit_code == 0, result.stderr
    assert names(top / "out" / "dev" / "east") == ["east-dev"]
    assert names(top / "out" / "prod" / "east") == ["east-prod"]
    assert names(top / "out" / "prod" / "west") == ["west-prod"]
    assert run("m.py", "-o", "out", "--check", "--params", "env/*.yaml").exit_code == 0


def test_programs_give_what_annotations_name(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not only what a file can hold: models and enums, of a module that both import."""
    monkeypatch.syspath_prepend(str(top))
    (top / "own_settings.py").write_text(
        "from pydantic import BaseModel\nclass Team(BaseModel):\n    name: str\n    gpus: int = 1\n"
    )
    (top / "m.py").write_text(
        "from dradsl import *\nfrom own_settings import Team\n"
        "def make(stage: str, teams: list[Team]) -> dict[str, App]:\n"
        "    apps = {team.name: App() for team in teams}\n    for name, app in apps.items():\n"
        "        app.add(DeviceClass(f'{name}-{stage}', select=driver('a.example.com')))\n"
        "    return apps\n"
    )
    settings = importlib.import_module("own_settings")
    monkeypatch.setitem(sys.modules, "own_settings", settings)
    teams = [settings.Team(name="a"), settings.Team(name="b")]
    apps = load_apps("m.py:make", {"stage": "x", "teams": teams})
    assert {name: [one.key[-1] for one in app] for name, app in apps.items()} == {
        "a": ["a-x"],
        "b": ["b-x"],
    }
    with pytest.raises(BuildError, match="has several apps: load_apps gives them"):
        load_app("m.py:make", {"stage": "x", "teams": teams})
    with pytest.raises(BuildError, match="parameter teams"):
        load_apps("m.py:make", {"stage": "x", "teams": [object()]})
    assert len(load_app("m.py:make", {"stage": "x", "teams": teams[:1]})) == 1


# --- what differs ---


def test_diff(top: Path) -> None:
    write(top / "a.py", "one", "two")
    run("a.py", "-o", "out")
    assert (
        run("a.py", "-o", "out", "--diff").exit_code,
        run("a.py", "-o", "out", "--diff").stdout,
    ) == (0, "")
    write(top / "a.py", "two", "three")
    (top / "out/deviceclass_two.yaml").write_text(
        (top / "out/deviceclass_two.yaml").read_text().replace("a.example.com", "b.example.com")
    )
    before = {path.name: path.read_bytes() for path in (top / "out").iterdir()}
    result = run("a.py", "-o", "out", "--diff")
    assert result.exit_code == 1
    assert {path.name: path.read_bytes() for path in (top / "out").iterdir()} == before
    lines = result.stdout.splitlines()
    assert "--- out/deviceclass_one.yaml" in lines  # removed
    assert "+++ out/deviceclass_three.yaml" in lines  # new
    assert any(line[:1] == "-" and "b.example.com" in line for line in lines)
    # The same as a patch makes the folder what the build makes it.
    check = run("a.py", "-o", "out", "--check").stdout
    assert any(line[:1] == "+" and "a.example.com" in line for line in check.splitlines())
    assert run("a.py", "--diff").exit_code == 2


def test_kustomize(top: Path) -> None:
    write(top / "a.py", "one")
    write(top / "b.py", "two")
    assert run("a.py", "b.py", "-o", "out", "--layout", "component").exit_code == 0
    text = (top / "out/kustomization.yaml").read_text()
    assert "kind: Component" in text
    assert "- deviceclass_one.yaml\n- deviceclass_two.yaml\n" in text
    assert run("a.py", "b.py", "-o", "out", "--layout", "component", "--check").exit_code == 0
    # Without it, the file goes: it is the build's.
    run("a.py", "b.py", "-o", "out")
    assert not (top / "out/kustomization.yaml").exists()


# --- errors and notes ---


def test_the_calls_that_led_to_an_error(top: Path) -> None:
    (top / "lib.py").write_text(
        "from dradsl import Request\ndef request(name):\n    return Request(name, 'c')\n"
    )
    (top / "m.py").write_text(
        "from dradsl import App\nfrom lib import request\napp = App()\nrequest('No Name')\n"
    )
    result = run("m.py")
    assert result.exit_code == 2
    assert "lib.py:3: ValueError: the name of a request: 'No Name'" in result.stderr
    assert "called from m.py:4" in result.stderr
    assert "Traceback" not in result.stderr
    lines = run("m.py", "--traceback").stderr.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[1] == f'  File "{top / "m.py"}", line 4, in <module>'
    assert lines[2] == "    request('No Name')"
    assert lines[-3].startswith("ValueError: the name of a request: 'No Name'")
    assert lines[-2:] == result.stderr.splitlines()[-2:]


@pytest.mark.parametrize(
    ("source", "first", "last"),
    [
        ("import nope\n", "Traceback (most recent call last):", "ModuleNotFoundError: No module"),
        ("x = (\n", '  File "', "SyntaxError: '(' was never closed"),
        (
            "raise ValueError('a\\x1b[1m\\n  b')\n",
            "Traceback (most recent",
            "ValueError: a␛[1m\n  b\n",
        ),
        (
            "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise KeyError('k') from e\n",
            "Traceback (most recent call last):",
            "\nZeroDivisionError: division by zero\n\nThe above exception was the direct cause",
        ),
        ("raise SystemExit(3)\n", "Traceback (most recent call last):", "SystemExit: 3"),
    ],
)
def test_a_traceback_begins_in_the_module(top: Path, source: str, first: str, last: str) -> None:
    """It has lines; other control characters are shown, not obeyed."""
    (top / "m.py").write_text(source)
    said = run("m.py", "--traceback").stderr
    assert said.startswith(first)
    assert "m.py" in said.splitlines()[first.startswith("Traceback")]
    assert last in said
    assert "␊" not in said
    assert "/dradsl/" not in said
    assert "importlib" not in said


def test_findings_name_object_cel_and_callers(top: Path) -> None:
    (top / "lib.py").write_text(
        "from dradsl import Request, ResourceClaimTemplate\n"
        "def template(team, extra):\n"
        "    requests = [Request('r', 'gpu.nvidia.com', select=extra)]\n"
        "    return ResourceClaimTemplate(f'{team}-t', namespace=team, requests=requests)\n"
    )
    (top / "m.py").write_text(
        "from dradsl import App\nfrom lib import template\napp = App()\n"
        "for team in ('vision', 'nlp'):\n"
        "    app.add(template(team, 'device.nonsense' if team == 'nlp' else 'true'))\n"
    )
    text = run("m.py").stderr
    assert "lib.py:3:55: DRA102" in text
    assert (
        "ResourceClaimTemplate nlp/nlp-t, spec.spec.devices.requests[0].exactly.selectors[0]"
        in text
    )
    assert "cel.expression: device.nonsense" in text
    assert "m.py:5:13: called from here" in text
    # A comment at the caller hides it, and the library is left alone.
    source = (top / "m.py").read_text()
    (top / "m.py").write_text(source.replace("'true'))", "'true'))  # dradsl: ignore[DRA102]"))
    assert "DRA102" not in run("m.py").stderr


def test_the_line_of_the_argument(top: Path) -> None:
    (top / "m.py").write_text(
        "from dradsl import App, Request, ResourceClaim\napp = App()\n"
        "app.add(ResourceClaim('c', requests=[\n"
        "    Request(\n        'r',\n        'gpu.nvidia.com',\n        count=1,\n"
        "        select=[\n            'true',\n            'device.nonsense',\n        ],\n    )]))\n"
    )
    assert "m.py:10:13: DRA102" in run("m.py").stderr


def test_a_forgotten_add(top: Path) -> None:
    write(top / "a.py", "one")
    with (top / "a.py").open("a") as file:
        file.write("\nResourceClaimTemplate('t', namespace='ml', requests=[Request('r', 'one')])\n")
    result = run("a.py", "-o", "out")
    assert result.exit_code == 1
    assert not (top / "out").exists()
    said = "a.py:5:1: DRA410 missing-claim-template warning: ResourceClaimTemplate ml/t is built, and no app adds it"
    assert said in result.stderr
    assert run("a.py", "--ignore", "DRA410").exit_code == 0
    text = (top / "a.py").read_text()
    (top / "a.py").write_text(text.rstrip() + "  # dradsl: ignore[DRA410] for tests\n")
    assert run("a.py").exit_code == 0
    (top / "b.py").write_text(
        f"from dradsl import App, DeviceClass\napp = App()\nDeviceClass('x', select={SELECT!r})\n"
    )
    result = run("b.py")
    assert result.exit_code == 2
    assert "b.py:3: DeviceClass x is built, and no app adds it" in result.stderr


def test_a_class_that_no_app_adds(top: Path) -> None:
    head = f"BIG = DeviceClass('big', select={SELECT!r})"
    write(top / "a.py", head=head)
    with (top / "a.py").open("a") as file:
        file.write("\napp.add(ResourceClaimTemplate('t', requests=[Request('r', BIG)]))\n")
    result = run("a.py")
    assert 'request r names the DeviceClass "big", which no app adds' in result.stderr
    assert result.exit_code == 1
    assert "DRA412 missing-device-class warning" in result.stderr
    for more in ("app.add(BIG)", "other = App(); other.add(BIG); app.uses = (other,)"):
        text = (top / "a.py").read_text()
        (top / "c.py").write_text(f"{text}{more}\n")
        assert "no app adds" not in run("c.py:app", "--ignore", "ALL").stderr
        assert "no app adds" not in run("c.py:app").stderr


def test_what_a_library_offers_may_go_unused(top: Path) -> None:
    (top / "library.py").write_text(
        f"from dradsl import DeviceClass\nBIG = DeviceClass('big', select={SELECT!r})\n"
        f"SMALL = DeviceClass('small', select={SELECT!r})\n"
    )
    (top / "a.py").write_text(
        "from dradsl import App, DeviceClass\nfrom library import BIG\napp = App()\napp.add(BIG)\n"
    )
    result = run("a.py")
    assert result.exit_code == 0
    assert "note: library.py:3: DeviceClass small is built, and no app adds it" in result.stderr


def test_devices_for_tests_are_no_forgotten_objects(top: Path) -> None:
    write(top / "a.py", "one")
    with (top / "a.py").open("a") as file:
        file.write("\nfrom dradsl import Fleet\nfrom dradsl.devices.nvidia import gpu\n")
        file.write("FLEET = Fleet.of(gpu, count=2)\n")
    result = run("a.py")
    assert (result.exit_code, result.stderr) == (0, "")


@pytest.mark.parametrize("asked", ["h10", "h1000", "h20", "h010"])
def test_a_class_of_nearly_that_name(top: Path, asked: str) -> None:
    (top / "a.py").write_text(
        "from dradsl import App, DeviceClass, Request, ResourceClaim\napp = App()\n"
        f"app.add(DeviceClass('h100', select={SELECT!r}))\napp.add(DeviceClass('a', select={SELECT!r}))\n"
        f"app.add(ResourceClaim('c', namespace='x', requests=[Request('r', {asked!r})]))\n"
    )
    result = run("a.py")
    near = asked in ("h10", "h1000", "h010")
    assert result.exit_code == int(near)
    assert ('did you mean "h100"?' in result.stderr) == near
    assert result.stderr.count("missing-device-class") == 1
    assert run("a.py", "--ignore", "DRA412").exit_code == 0


def test_options_of_lint(top: Path) -> None:
    (top / "a.py").write_text(
        "from dradsl import App, Request, ResourceClaim\napp = App(for_release='1.37')\n"
        "app.add(ResourceClaim('c', namespace='x', requests=[Request('r', 'nowhere')]))\n"
    )
    assert "DRA412" in run("a.py").stderr
    assert "DRA412" not in run("a.py", "--ignore", "DRA412").stderr
    (top / "classes.yaml").write_text(
        "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: nowhere}\nspec: {}\n"
    )
    assert "DRA412" not in run("a.py", "--context", "classes.yaml").stderr
    # The call goes before what the app is for: 1.34 knows no derived attributes.
    (top / "d.py").write_text(
        "from dradsl import App, Request, ResourceClaim\napp = App(for_release='1.37')\n"
        "derived = {'x.example.com/a': 'device.driver'}\n"
        "request = Request('r', 'gpu.nvidia.com', derived_attributes=derived)\n"
        "app.add(ResourceClaim('c', namespace='x', requests=[request]))\n"
    )
    assert "derivedAttributes" in run("d.py", "--kube-version", "1.34").stderr
    result = run("a.py", "-o", "out", "--report", "-", "--output-format", "json")
    assert result.stdout.startswith("{")
    assert run("a.py", "--report", "-").exit_code == 2


def test_findings_never_point_into_an_installed_library(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = top / "venv/lib/site-packages"
    (library / "orglib_x").mkdir(parents=True)
    (library / "orglib_x/__init__.py").write_text(
        "from dradsl import Request, ResourceClaimTemplate\n"
        "def template(extra):\n"
        "    request = Request('r', 'gpu.nvidia.com', select=extra)\n"
        "    return ResourceClaimTemplate('t', namespace='ml', requests=[request])\n"
    )
    monkeypatch.syspath_prepend(str(library))
    (top / "m.py").write_text(
        "from dradsl import App\nfrom orglib_x import template\napp = App()\n"
        "def own(extra):\n    return template(extra)\napp.add(own('device.nonsense'))\n"
    )
    text = run("m.py").stderr
    assert text.startswith("m.py:5:12: DRA102"), text
    assert "m.py:6:9: called from here" in text
    assert "orglib_x" not in text
