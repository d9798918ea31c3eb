"""Programs that render run without a network and with their copy only, where the kernel can do that; else that is said."""

from __future__ import annotations

import shutil
import socket
import sys
from typing import TYPE_CHECKING

import pytest

from dradsl.confinement import FILES, NETWORK
from dradsl.tree.rendering.programs import run, said_of

if TYPE_CHECKING:
    from pathlib import Path

BASH = shutil.which("bash")
pytestmark = pytest.mark.skipif(BASH is None, reason="no bash to stand in for a program")
SECONDS = 30.0


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "copy").mkdir()
    (tmp_path / "secret").write_text("SECRET")
    (tmp_path / "copy" / "up").symlink_to(tmp_path / "secret")
    return tmp_path / "copy"


def need(confined: frozenset[str], what: str) -> None:
    if what not in confined:
        pytest.skip(f"this kernel does not take away: {what}")


def shell(script: str, home: Path) -> tuple[str, frozenset[str]]:
    """What a shell, which is no script itself, prints in place of a program; it goes on after errors."""
    assert BASH is not None
    made = run([BASH, "-c", script], str(home), SECONDS)
    assert made.unknown is None
    return made.text.decode(), made.confined


@pytest.mark.parametrize(
    "path", ["../secret", "up", "{tmp}/secret", "/etc/passwd", "/proc/1/environ"]
)
def test_no_file_but_those_of_the_copy_is_read(path: str, home: Path) -> None:
    path = path.replace("{tmp}", str(home.parent))
    said, confined = shell(f'(read -r line < {path} && echo "got $line"); echo end', home)
    need(confined, FILES)
    assert said == "end\n"


@pytest.mark.parametrize("path", ["../made", "{tmp}/made", "{tmp}/secret"])
def test_nothing_is_written_outside_the_copy(path: str, home: Path) -> None:
    path = path.replace("{tmp}", str(home.parent))
    said, confined = shell(f"echo x > {path}; echo y > within; read -r a < within; echo $a", home)
    need(confined, FILES)
    assert said == "y\n"
    assert not (home.parent / "made").exists()
    assert (home.parent / "secret").read_text() == "SECRET"


def test_a_folder_outside_is_not_listed(home: Path) -> None:
    said, confined = shell("echo ../*; echo *", home)
    need(confined, FILES)
    assert "secret" not in said
    assert "up" in said


PYTHON = """\
#!{python}
import socket, sys
for address in (("127.0.0.1", {port}), ("::1", {port})):
    try:
        socket.create_connection(address, timeout=5)
        print("connected")
    except OSError as error:
        print("no")
"""


@pytest.mark.parametrize("form", ["script", "program"])
def test_nothing_is_connected_not_even_to_this_machine(form: str, home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        port = server.getsockname()[1]
        if form == "script":
            program = home.parent / "helm"
            program.write_text(PYTHON.format(python=sys.executable, port=port))
            program.chmod(0o755)
            made = run([str(program)], str(home), SECONDS)
            said, confined = made.text.decode(), made.confined
            assert FILES not in confined, "a script may start what is elsewhere"
        else:
            said, confined = shell(
                f"(exec 3<>/dev/tcp/127.0.0.1/{port} && echo connected); echo no", home
            )
        need(confined, NETWORK)
        assert set(said.split()) == {"no"}
        with pytest.raises(TimeoutError):
            server.accept()


def test_what_holds_is_no_part_of_what_the_program_says(home: Path) -> None:
    assert BASH is not None
    made = run([BASH, "-c", "echo wrong >&2; exit 3"], str(home), SECONDS)
    assert made.unknown == "bash rejects it: wrong"


def test_a_program_that_cannot_be_started(home: Path) -> None:
    made = run([str(home / "none")], str(home), SECONDS)
    assert made.unknown is not None
    assert "cannot be started: No such file" in made.unknown


def test_elsewhere_nothing_is_confined_and_that_is_said(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    _, confined = shell("echo x", home)
    assert confined == frozenset()
    assert said_of(confined) == "not confined by the kernel"


@pytest.mark.parametrize(
    ("confined", "said"),
    [
        ({NETWORK}, "confined by the kernel: without a network"),
        ({FILES}, "confined by the kernel: without other files"),
        ({NETWORK, FILES}, "confined by the kernel: without a network and other files"),
        (set(), "not confined by the kernel"),
    ],
)
def test_what_is_said(confined: set[str], said: str) -> None:
    assert said_of(frozenset(confined)) == said
