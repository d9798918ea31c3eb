"""`python -m tests.breaks [WORD]`: take away each protection of docs/security.md, and see its test fail.

Works on a copy of the files that git knows. A claim whose test passes nevertheless, or does not run, is printed; the
exit code is 1 then. With a WORD: only the claims that have it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.breaks.table import ROOT, Break, breaks, claims

_SECONDS = 300.0  # for one test


def main(words: list[str]) -> int:
    tests = claims()
    unnoticed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "dradsl"
        _copy(copy)
        for each in breaks():
            (claim,) = (full for full in tests if full.startswith(each.claim))
            if words and not any(word in claim for word in words):
                continue
            result = _tried(each, tests[claim], copy)
            unnoticed += not result.startswith("noticed")
            print(f"{result}: {claim}", flush=True)
    print(f"{unnoticed} not noticed")
    return 1 if unnoticed else 0


def _copy(target: Path) -> None:
    names = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    for name in names.split("\0"):
        if name and (ROOT / name).exists():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target / name, follow_symlinks=False)


def _tried(each: Break, test: str, copy: Path) -> str:
    missing = [name for name in each.needs if shutil.which(name) is None]
    if missing:
        return f"not tried, without {' and '.join(missing)}"
    try:
        for edit in each.edits:
            edit.apply(copy)
        return _asked(test, copy)
    finally:
        for edit in each.edits:
            shutil.copy(ROOT / edit.file, copy / edit.file)


def _asked(test: str, copy: Path) -> str:
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", test],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        out, _ = process.communicate(timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        return "noticed, as it does not end"
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    last = (out.strip().splitlines() or [""])[-1]
    if process.returncode == 1 and " failed" in last:
        return "noticed"
    return f"NOT NOTICED ({last})"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
