"""`python -m tests.editors [NAME]...`: the set-ups of docs/editors.md in the editors themselves.

Each opens a manifest with a mistake and waits for the diagnostic: `neovim`, `emacs`, `helix`, and `vscode`, the extension
in code-server and Chromium. An editor that is not there is skipped, and said to be. `dradsl` has to be on the PATH. The
exit code is 1 if an editor showed something else.
"""

from __future__ import annotations

import argparse
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
EXTENSION = ROOT / "editors" / "vscode"
SECONDS = 60
CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: gpu, namespace: ml}
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu.nvidia.com
        counts: 2
"""
LINE = 10
MESSAGE = 'unknown field "counts"'

NEOVIM = """
local function fail(why) print(why); vim.cmd('cq!') end
local function found()
  for _, each in ipairs(vim.diagnostic.get(0)) do
    if each.lnum + 1 == %d and each.message:find('%s', 1, true) then return true end
  end
end
if not vim.wait(%d, found, 100) then fail('no diagnostic') end
local place = { textDocument = { uri = vim.uri_from_bufnr(0) }, position = { line = 8, character = 12 } }
local function asked(method)
  for _, each in pairs(vim.lsp.buf_request_sync(0, method, place, %d) or {}) do
    if each.result then return vim.inspect(each.result) end
  end
  return ''
end
if not asked('textDocument/hover'):find('deviceClassName', 1, true) then fail('no hover') end
place.position.character = 25
if not asked('textDocument/completion'):find('mig.nvidia.com', 1, true) then fail('no completion') end
vim.cmd('qa!')
"""
EMACS = """
(find-file "claim.yaml")
(call-interactively #'eglot)
(defun found ()
  (seq-some (lambda (each)
              (and (= %d (line-number-at-pos (flymake-diagnostic-beg each)))
                   (string-match-p (regexp-quote %s) (flymake-diagnostic-text each))))
            (flymake-diagnostics)))
(let ((end (+ (float-time) %d)))
  (while (and (< (float-time) end) (not (found))) (accept-process-output nil 0.1)))
(kill-emacs (if (found) 0 1))
"""


class Missing(Exception):
    """The editor is not there."""


def fence(heading: str, number: int = 0) -> str:
    """A code block of docs/editors.md, below a heading."""
    page = (ROOT / "docs" / "editors.md").read_text(encoding="utf-8")
    part = page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    found: list[str] = re.findall(r"(?ms)^```\w+\n(.*?)^```$", part)
    return found[number]


def program(*names: str) -> str:
    for name in names:
        path = shutil.which(name)
        if path is not None:
            return path
    raise Missing(f"{names[0]} not found")


def called(*call: str, folder: Path) -> str | None:
    """What a call that fails says."""
    try:
        done = subprocess.run(
            call, cwd=folder, capture_output=True, text=True, timeout=3 * SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return "it did not end"
    return None if done.returncode == 0 else (done.stdout + done.stderr).strip()


def neovim(folder: Path) -> str | None:
    """Version 0.11 and newer have a set-up of their own."""
    nvim = program("nvim")
    said = subprocess.run([nvim, "--version"], capture_output=True, text=True, check=True).stdout
    numbers = re.search(r"v(\d+)\.(\d+)", said)
    new = numbers is not None and (int(numbers[1]), int(numbers[2])) >= (0, 11)
    (folder / "init.lua").write_text(fence("Neovim", 0 if new else 1))
    wait = SECONDS * 1000
    (folder / "check.lua").write_text(NEOVIM % (LINE, MESSAGE, wait, wait))
    file = str(folder / "check.lua")
    return called(
        *(nvim, "--headless", "-u", str(folder / "init.lua"), "claim.yaml"),
        *("-c", f"luafile {file}"),
        folder=folder / "workspace",
    )


def emacs(folder: Path) -> str | None:
    """With yaml-mode, and eglot where Emacs does not bring it along."""
    path = program("emacs")
    start = "(require 'package) (package-initialize) (require 'yaml-mode) (require 'eglot)"
    test = f"(unless (ignore-errors {start} t) (kill-emacs 3))"
    if subprocess.run([path, "--batch", "--eval", test], capture_output=True).returncode == 3:
        raise Missing("yaml-mode or eglot of emacs not found")
    (folder / "init.el").write_text(f"{start}\n{fence('Emacs')}")
    quoted = '"' + MESSAGE.replace('"', '\\"') + '"'
    (folder / "check.el").write_text(EMACS % (LINE, quoted, SECONDS))
    return called(
        *(path, "--batch", "-l", str(folder / "init.el"), "-l", str(folder / "check.el")),
        folder=folder / "workspace",
    )


def helix(folder: Path) -> str | None:
    """In a terminal, since it has no other way."""
    path = program("hx", "helix")
    config = folder / "home" / ".config" / "helix"
    config.mkdir(parents=True)
    (config / "languages.toml").write_text(fence("Helix"))
    (config / "config.toml").write_text("")
    env = {**os.environ, "HOME": str(folder / "home"), "TERM": "xterm-256color"}
    env |= {"XDG_CONFIG_HOME": str(folder / "home" / ".config"), "LINES": "40", "COLUMNS": "160"}
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder / "workspace")
        os.execve(path, [path, f"claim.yaml:{LINE}"], env)  # noqa: S606 - the path of an editor, found before
    said = ""
    end = time.monotonic() + SECONDS
    try:
        while time.monotonic() < end and MESSAGE not in plain(said):
            if select.select([terminal], [], [], 0.5)[0]:
                said += os.read(terminal, 65536).decode("utf-8", "replace")
    except OSError:
        pass
    finally:
        os.kill(child, 15)
        os.waitpid(child, 0)
        os.close(terminal)
    return None if MESSAGE in plain(said) else plain(said)[-2000:]


def plain(said: str) -> str:
    """What a terminal was sent, without what moves and colours."""
    return re.sub(
        r"\x1b(?:\[[0-9;:?<>=]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()].|.)", "", said
    )


def vscode(_folder: Path) -> str | None:
    """The extension: built, packaged, and tried in code-server."""
    npm = program("npm")
    if os.environ.get("CODE_SERVER") is None:
        program("code-server")
    if os.environ.get("CHROMIUM") is None:
        program("chromium", "chromium-browser", "google-chrome")
    if not (EXTENSION / "node_modules").is_dir():
        wrong = called(npm, "ci", folder=EXTENSION)
        if wrong is not None:
            return wrong
    wrong = called(npm, "run", "package", folder=EXTENSION)
    if wrong is not None:
        return wrong
    done = subprocess.run(
        [npm, "run", "test:engine"], cwd=EXTENSION, capture_output=True, text=True, check=False
    )
    if "skipped: " in done.stdout:
        raise Missing(done.stdout.partition("skipped: ")[2].strip())
    return None if done.returncode == 0 else done.stdout + done.stderr


EDITORS: dict[str, Callable[[Path], str | None]] = {
    "neovim": neovim,
    "emacs": emacs,
    "helix": helix,
    "vscode": vscode,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.editors")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(EDITORS)}")
    names = parser.parse_args().names or list(EDITORS)
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for name in names:
        if name not in EDITORS:
            parser.error(f"no such editor: {name}")
        with tempfile.TemporaryDirectory(prefix="dradsl-editors-") as made:
            folder = Path(made).resolve()
            (folder / "workspace").mkdir()
            (folder / "workspace" / "claim.yaml").write_text(CLAIM)
            (folder / "workspace" / ".dradsl.yaml").write_text("")
            start = time.monotonic()
            try:
                program("dradsl")
                wrong = EDITORS[name](folder)
            except Missing as missing:
                counts["skipped"] += 1
                print(f"{name}: skipped: {missing}")
                continue
        seconds = time.monotonic() - start
        counts["passed" if wrong is None else "failed"] += 1
        print(f"{name}: " + (f"ok ({seconds:.0f} s)" if wrong is None else f"FAILED\n{wrong}"))
    print(", ".join(f"{count} {word}" for word, count in counts.items()))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
