"""What the lines of a `.gitignore` mean, compared with git itself; and that no line takes indefinitely."""

from __future__ import annotations

import random
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from dradsl.tree.git.gitignore import IgnoreFile, TooManyPatternsError
from dradsl.values.limits import MOST_WILDCARDS

if TYPE_CHECKING:
    from pathlib import Path


def ignored(lines: str, path: str) -> bool:
    """As git decides: a path is ignored with a folder that holds it."""
    file = IgnoreFile.of(lines)
    steps = path.split("/")
    above = ["/".join(steps[:end]) for end in range(1, len(steps))]
    if any(file.decide(folder, is_folder=True) for folder in above):
        return True
    return bool(file.decide(path, is_folder=False))


@pytest.mark.parametrize(
    ("lines", "path", "expected"),
    [
        ("dist", "dist", True),
        ("dist/", "dist", False),  # a file of that name
        ("dist/", "a/dist/x.yaml", True),
        ("/dist/", "a/dist/x.yaml", False),
        ("a/dist", "a/dist/x.yaml", True),
        ("a/dist", "b/a/dist/x.yaml", False),
        ("*.yaml", "a/b/c.yaml", True),
        ("*.gen.yaml", "a.gen.yaml", True),
        ("*.gen.yaml", "a.yaml", False),
        ("*.yaml\n!keep.yaml", "x/keep.yaml", False),
        ("!keep.yaml\n*.yaml", "keep.yaml", True),
        ("dist/\n!dist/keep.yaml", "dist/keep.yaml", True),  # its folder is not looked into
        ("dist/*\n!dist/keep.yaml", "dist/keep.yaml", False),
        ("# x\n\n   \nx", "# x", False),
        ("\\#x", "#x", True),
        ("\\!x", "!x", True),
        ("x   ", "x", True),
        ("x\\ ", "x ", True),
        ("x\r\ny\r\n", "x", True),
        ("a/**/b", "a/b", True),
        ("a/**/b", "a/x/y/b", True),
        ("a/**", "a/x/y", True),
        ("**/b/c", "a/b/c", True),
        ("a**b", "axxb", True),
        ("/a**b", "ax/xb", False),
        ("[a-c].yaml", "b.yaml", True),
        ("[!a-c].yaml", "b.yaml", False),
        ("[^a-c].yaml", "d.yaml", True),
        ("[[:digit:]]", "7", True),
        ("[]a]", "]", True),
        ("a[", "a[", False),
        ("a\\", "a\\", False),
        ("a?c", "a/c", False),
        ("ä*", "äx", True),
    ],
)
def test_lines(lines: str, path: str, expected: bool) -> None:
    assert ignored(lines, path) is expected


PIECES = [
    "a",
    "b",
    "ab",
    ".",
    "*",
    "**",
    "/",
    "?",
    "[ab]",
    "[!a]",
    "[^b]",
    "\\*",
    "\\a",
    "!",
    "#",
    "[a-",
    "[]a]",
    "-",
    "[b-a]",
    "[a\\]]",
    "*.a",
    "foo",
    "[[:alpha:]]",
]
NAMES = ["a", "b", "ab", "ba", "foo", ".a", "b.a", "*", "]", "-", "#a", "!b", "["]


@pytest.mark.skipif(shutil.which("git") is None, reason="compared with git")
def test_git_says_the_same(tmp_path: Path) -> None:
    chance = random.Random(7)

    def some(words: list[str], most: int, between: str) -> str:
        return between.join(chance.choice(words) for _ in range(chance.randint(1, most)))

    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    for _ in range(120):
        lines = "\n".join(some(PIECES, 5, "") for _ in range(chance.randint(1, 4)))
        if "//" in lines:
            continue
        (tmp_path / ".gitignore").write_text(f"{lines}\n")
        paths = sorted({some(NAMES, 3, "/") for _ in range(40)})
        call = ["git", "check-ignore", "-z", "--stdin", "--no-index", "-n", "-v"]
        done = subprocess.run(
            call, cwd=tmp_path, input="\0".join(paths), capture_output=True, text=True, check=False
        )
        cells = done.stdout.split("\0")
        assert len(cells) == 4 * len(paths) + 1
        for at in range(0, len(cells) - 1, 4):
            source, _, pattern, path = cells[at : at + 4]
            theirs = bool(source) and not pattern.startswith("!")
            assert ignored(lines, path) is theirs, (lines, path, pattern)


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("*a" * 500 + "b", "a" * 4000),
        ("**/" * 340 + "b", "a/" * 2000 + "x"),
        ("/" + "?*" * 500 + "b", "a" * 4000),
        ("[a-z]*" * 400 + "!", "a" * 4000),
        ("*" * 4000 + "b", "a" * 4000),
        ("[" * 4000, "[" * 4000),
        ("\\" * 4001, "a"),
    ],
)
def test_no_line_takes_for_ever(line: str, path: str) -> None:
    """With backtracking none of them would end."""
    assert not IgnoreFile.of(line).decide(path, is_folder=False)


def test_many_lines() -> None:
    many = "\n".join(f"name-{number}\n*.ending{number}" for number in range(50_000))
    file = IgnoreFile.of(many)
    assert file.decide("a/x.ending49999", is_folder=False)
    assert not file.others
    with pytest.raises(TooManyPatternsError):
        IgnoreFile.of("a*b\n" * (MOST_WILDCARDS + 1))
