"""Build the site with the playground and use it in a browser: `python -m tests.playground [FOLDER for screenshots]`.

Needs npm, node and Chromium (CHROMIUM names it); says so and ends with 0 where one of them is missing.
"""

from __future__ import annotations

import functools
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from dradsl.scaffolding.recipes import recipe_names

ROOT = Path(__file__).parents[2]
DRIVER = Path(__file__).with_name("drive.mjs")

# What each task has to say.
EXPECTED = {
    "lint": (
        "exit code 1",
        'DRA201 unknown-attribute error: driver gpu.nvidia.com publishes no attribute "computeCapability"',
    ),
    "cel": ("exit code 1", "DRA107"),
    "simulate": ("exit code 1", "does not fit on the only node"),
    "shared": ("exit code 1", "does not fit on the only node"),
    "placed": ("exit code 0", "fits on the only node"),
}


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is that of the library
        pass


def missing() -> str | None:
    """What is needed and not here."""
    browser = os.environ.get("CHROMIUM") or shutil.which("chromium")
    names = {"npm": shutil.which("npm"), "node": shutil.which("node"), "chromium": browser}
    return next((name for name, path in names.items() if not path), None)


def drive(work: Path, pictures: Path | None) -> tuple[dict[str, Any], int]:
    """What the browser saw, and the size of what it loads."""
    site = work / "site"
    call = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(site)]
    subprocess.run(call, cwd=ROOT, check=True, env={**os.environ, "PLAYGROUND": "1"})
    size = json.loads((site / "assets/playground/parts.json").read_text("utf-8"))["bytes"]
    install = [
        "npm",
        "install",
        "--silent",
        "--no-save",
        "--prefix",
        str(work),
        "puppeteer-core@25",
    ]
    subprocess.run(install, cwd=work, check=True)
    script = work / "drive.mjs"  # beside what it imports
    script.write_bytes(DRIVER.read_bytes())
    handler = functools.partial(_Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = os.environ.get("CHROMIUM") or shutil.which("chromium") or ""
        address = f"http://127.0.0.1:{server.server_port}"
        words = ["node", str(script), address, browser, *([str(pictures)] if pictures else [])]
        done = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, timeout=600)
        server.shutdown()
    seen: dict[str, Any] = json.loads(done.stdout)
    return seen, size


def faults(seen: dict[str, Any]) -> list[str]:
    """What is not as it has to be."""
    found = [f"asks elsewhere: {url}" for url in seen["foreign"]] + list(seen["failures"])
    if seen["overflow"] > 0:
        found.append("wider than a phone")
    for name, answer in seen["recipes"].items():
        if f"# dradsl new {name}" not in answer["input"] or "exit code 0" not in answer["status"]:
            found.append(f"recipe {name}: {answer}")
    if tuple(seen["recipes"]) != recipe_names():
        found.append(f"recipes: {list(seen['recipes'])}")
    for task, (status, text) in EXPECTED.items():
        answer = seen["answers"][task]
        if status not in answer["status"] or text not in answer["output"]:
            found.append(f"{task}: {answer}")
    return found


def main() -> int:
    """Print sizes and times; 1 if something is wrong."""
    lacking = missing()
    if lacking:
        print(f"skipped: {lacking} is not here")
        return 0
    pictures = Path(sys.argv[1]) if sys.argv[1:] else None
    with tempfile.TemporaryDirectory() as folder:
        seen, size = drive(Path(folder), pictures)
    print(f"{len(seen['recipes'])} recipes")
    print(f"loads {size / 1e6:.1f} MB, starts in {seen['startMs'] / 1000:.1f} s")
    for task, answer in seen["answers"].items():
        print(f"{task}: {answer['status']}")
    wrong = faults(seen)
    print("\n".join(wrong) or "all good")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
