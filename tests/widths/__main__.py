"""Open every page of a site at three widths, light and dark: `python -m tests.widths SITE [FOLDER for screenshots]`.

SITE is what `mkdocs build` made. Reports what scrolls sideways, what is cut, and text that is hard to read. Needs npm, node
and Chromium (CHROMIUM names it); says so and ends with 0 where one of them is missing.
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
from collections import Counter
from pathlib import Path
from typing import Any

from tests.playground.__main__ import missing

DRIVER = Path(__file__).with_name("drive.mjs")
# Pages of each kind, of which there are pictures.
PICTURES = (
    "", "install/", "lint/", "why/", "rules/", "rules/DRA201/", "drivers/", "drivers/gpu.nvidia.com/", "cookbook/",
    "cookbook/gpu-pair/", "how-to/vllm/", "how-to/github/", "tutorials/why-is-my-pod-pending/", "reference/cli/lint/",
    "reference/python/functions/", "explanation/dra/", "configuration/", "limits/", "exactness/", "mistakes/",
)  # fmt: skip


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is that of the library
        pass


def pages(site: Path) -> list[dict[str, Any]]:
    """The pages of a site, by their addresses."""
    found = sorted(
        path.parent.relative_to(site).as_posix() + "/" for path in site.rglob("index.html")
    )
    names = ["" if page == "./" else page for page in found]
    return [{"page": name, "picture": name in PICTURES} for name in names]


def look(site: Path, pictures: Path | None) -> dict[str, Any]:
    """What the browser saw."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        call = ["npm", "install", "--silent", "--no-save", "--prefix", folder, "puppeteer-core@25"]
        subprocess.run(call, cwd=folder, check=True)
        (work / "drive.mjs").write_bytes(DRIVER.read_bytes())  # beside what it imports
        (work / "pages.json").write_text(json.dumps(pages(site)), "utf-8")
        handler = functools.partial(_Quiet, directory=str(site))
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            browser = os.environ.get("CHROMIUM") or shutil.which("chromium") or ""
            address = f"http://127.0.0.1:{server.server_port}"
            words = ["node", str(work / "drive.mjs"), address, browser, str(work / "pages.json")]
            words += [str(pictures)] if pictures else []
            done = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True)
            server.shutdown()
    *found, last = map(json.loads, done.stdout.splitlines())
    return {**last, "found": found}


def main() -> int:
    """Print what is wrong, the most frequent first; 1 if something is."""
    lacking = missing()
    if lacking:
        print(f"skipped: {lacking} is not here")
        return 0
    site = Path(sys.argv[1])
    pictures = Path(sys.argv[2]) if sys.argv[2:] else None
    if pictures:
        pictures.mkdir(parents=True, exist_ok=True)
    seen = look(site, pictures)
    counted = Counter(each["wrong"] for each in seen["found"])
    for wrong, times in counted.most_common():
        where = next(each for each in seen["found"] if each["wrong"] == wrong)
        print(f"{times:5} {wrong}  (first: /{where['page']} {where['width']} {where['scheme']})")
    print(f"{seen['opened']} pages opened, {sum(counted.values())} faults")
    return int(bool(counted))


if __name__ == "__main__":
    sys.exit(main())
