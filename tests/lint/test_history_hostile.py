"""`dradsl lint --since REV` over trees and repositories whose settings name programs and addresses."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

from tests.lint.repositories import (
    claim,
    codes,
    commit,
    git,
    only_git_of_the_test,
    rejected,
    repository,
    wrapper,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# What a repository may name. {run} is a command that leaves a trace, {port} one that listens.
_REMOTE = """\
[extensions]
partialClone = origin
[remote "origin"]
promisor = true
"""
SETTINGS = {
    "uploadpack": 'url = .\nuploadpack = "{run}; git-upload-pack"\n',
    "uploadpack of a protocol that is allowed": 'url = file:///\nuploadpack = "{run}"\n[protocol "file"]\nallow = always\n',
    "ext": 'url = "ext::{run}"\n[protocol "ext"]\nallow = always\n[protocol]\nallow = always\n',
    "ssh": 'url = ssh://localhost/x\n[core]\nsshCommand = "{run};"\n[protocol "ssh"]\nallow = always\n',
    "http": 'url = http://127.0.0.1:{port}/x\n[protocol "http"]\nallow = always\n',
    "git": 'url = git://127.0.0.1:{port}/x\n[protocol "git"]\nallow = always\n',
    "proxy": 'url = git://localhost/x\n[core]\ngitProxy = "{script}"\n[protocol "git"]\nallow = always\n',
    "another name of the url": 'url = x:y\n[url "ext::{run} "]\ninsteadOf = x:\n[protocol "ext"]\nallow = always\n',
    "vcs": 'url = {run}\nvcs = ext\n[protocol "ext"]\nallow = always\n',
    "credentials": 'url = http://127.0.0.1:{port}/x\n[credential]\nhelper = "!{run}"\n[core]\naskPass = "{script}"\n',
    "bundles": "url = .\n[fetch]\nbundleURI = http://127.0.0.1:{port}/x\n",
    "monitor": 'url = .\n[core]\nfsmonitor = "{run};"\n',
    "hooks": "url = .\n[core]\nhooksPath = {hooks}\n",
    "alias": 'url = .\n[alias]\ncat-file = "!{run}"\nrev-parse = "!{run}"\nshow = "!{run}"\n',
    "pager": 'url = .\n[core]\npager = "{run};"\n[pager]\ncat-file = "{run};"\nshow = "{run};"\n',
    "filter": 'url = .\n[filter "x"]\nsmudge = "{run};"\nprocess = "{run};"\n[diff "x"]\ntextconv = "{run};"\ncommand = "{run};"\n[diff]\nexternal = "{run};"\n',
    "include": "url = .\n[include]\npath = {included}\n",
}
ATTRIBUTES = "* filter=x diff=x\n"

# What a git before 2.38 makes of the call: it knows neither the setting nor the variable.
OLD_GIT = """\
unset GIT_NO_LAZY_FETCH
for word do
  shift
  if [ "$word" = safe.bareRepository=explicit ]; then word=some.thing=else; fi
  set -- "$@" "$word"
done
exec "$GIT" "$@"
"""


class Trap:
    """Settings with their traces: a file that a command writes, and a port that is connected to."""

    def __init__(self, folder: Path, listener: socket.socket) -> None:
        self.folder = folder
        self.listener = listener
        self.trace = folder / "trace"
        folder.mkdir()
        run = f"touch {self.trace}"
        (folder / "hooks").mkdir()
        for path in (folder / "script", folder / "hooks" / "reference-transaction"):
            path.write_text(f"#!/bin/sh\n{run}\n")
            path.chmod(0o755)
        (folder / "included").write_text(
            f'[remote "origin"]\nuploadpack = "{run}; git-upload-pack"\n'
        )
        self.values = {
            "{run}": run,
            "{script}": str(folder / "script"),
            "{hooks}": str(folder / "hooks"),
            "{included}": str(folder / "included"),
            "{port}": str(listener.getsockname()[1]),
        }

    def config(self, settings: str, bare: str) -> str:
        text = f"[core]\nrepositoryformatversion = 1\nbare = {bare}\n{_REMOTE}{settings}"
        for mark, value in self.values.items():
            text = text.replace(mark, value)
        return text

    def assert_untouched(self) -> None:
        assert not self.trace.exists()
        with pytest.raises(BlockingIOError):
            self.listener.accept()


@pytest.fixture
def trap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Trap]:
    only_git_of_the_test(tmp_path, monkeypatch)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        yield Trap(tmp_path / "trap", listener)


def bare(folder: Path, config: str) -> None:
    """A folder of plain files that git takes for a bare repository."""
    for part in ("objects", "refs"):
        (folder / part).mkdir(parents=True)
        (folder / part / "keep").write_text("keep")
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "packed-refs").write_text(
        f"{'0' * 39}1 refs/remotes/origin/main\n{'0' * 39}2 refs/heads/main\n"
    )
    (folder / "config").write_text(config)


FOLDERS = ("pr", "a/b/c/pr")


def tree_with_bare_folders(tmp_path: Path, config: str) -> Path:
    """A clone of a repository that tracks such folders, each with a manifest; all were changed."""
    origin = repository(tmp_path / "origin")
    (origin / ".gitattributes").write_text(ATTRIBUTES)
    for number, name in enumerate(FOLDERS):
        bare(origin / name, config)
        (origin / name / "b.yaml").write_text(claim(2, f"b{number}"))
    commit(origin)
    git(tmp_path, "clone", "-q", "origin", "clone")
    clone = tmp_path / "clone"
    (clone / "a.yaml").write_text(claim(9))
    for number, name in enumerate(FOLDERS):
        (clone / name / "b.yaml").write_text(claim(9, f"b{number}"))
    return clone


@pytest.mark.parametrize("old", [False, True], ids=["this git", "an older git"])
@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_a_tracked_folder_that_looks_like_a_repository_counts_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trap: Trap, settings: str, old: bool
) -> None:
    clone = tree_with_bare_folders(tmp_path, trap.config(settings, bare="true"))
    if old:
        wrapper(tmp_path / "bin", monkeypatch, OLD_GIT)
    names = sorted(["a.yaml", *(f"{name}/b.yaml" for name in FOLDERS)])
    monkeypatch.chdir(clone)
    assert codes("--since", "origin/main") == [(name, "DRA314") for name in names]
    for name in FOLDERS:
        # From the top by name, from outside, from inside.
        found = [(f"{name}/b.yaml", "DRA314")]
        monkeypatch.chdir(clone)
        assert codes(name, "--since", "origin/main") == found
        monkeypatch.chdir(tmp_path)
        assert codes(f"clone/{name}/b.yaml", "--since", "origin/main") == [
            (f"clone/{name}/b.yaml", "DRA314")
        ]
        monkeypatch.chdir(clone / name)
        assert codes("--since", "origin/main") == [("b.yaml", "DRA314")]
    trap.assert_untouched()


def test_such_a_folder_outside_of_any_work_tree(tmp_path: Path, trap: Trap) -> None:
    bare(tmp_path / "pr", trap.config(SETTINGS["uploadpack"], bare="true"))
    (tmp_path / "pr" / "a.yaml").write_text(claim(2))
    assert "no git work tree holds" in rejected("pr", "--since", "origin/main")
    trap.assert_untouched()


@pytest.mark.parametrize("old", [False, True], ids=["this git", "an older git"])
@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_a_repository_with_such_settings_is_read_and_not_obeyed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trap: Trap, settings: str, old: bool
) -> None:
    """No commit can bring a `.git`, but an archive can."""
    top = repository(tmp_path / "top")
    inner = repository(top / "vendor" / "inner")
    (inner / ".gitattributes").write_text(ATTRIBUTES)
    (inner / "b.yaml").write_text(claim(2, "b"))
    commit(inner)
    (inner / "a.yaml").write_text(claim(9))
    (inner / "b.yaml").write_text(claim(9, "b"))
    oid = git(inner, "rev-parse", "HEAD:b.yaml")
    (inner / ".git" / "objects" / oid[:2] / oid[2:]).unlink()
    packed = f"{'0' * 39}1 refs/remotes/origin/main\n"
    (inner / ".git" / "packed-refs").write_text(packed)
    (inner / ".git" / "config").write_text(trap.config(settings, bare="false"))
    if old:
        wrapper(tmp_path / "bin", monkeypatch, OLD_GIT)
    found = [("a.yaml", "DRA314"), ("b.yaml", "DRA003")]
    monkeypatch.chdir(top)
    assert codes("--since", "HEAD") == [
        ("a.yaml", "DRA314"),
        *((f"vendor/inner/{name}", code) for name, code in found),
    ]
    monkeypatch.chdir(inner)
    assert codes("--since", "HEAD") == found
    assert "inner" in rejected("--since", "origin/main")  # a commit that only a fetch would get
    trap.assert_untouched()
