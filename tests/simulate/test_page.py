"""The page of a simulation: groups of nodes, reasons once, contrast, and what a browser makes of it."""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from dradsl.simulate.report import html
from tests.simulate.test_capacity import named
from tests.simulate.test_cli import template
from tests.simulate.test_what_is_there import base, run, written

if TYPE_CHECKING:
    from pathlib import Path

BROWSER = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)


def page(folder: Path, pods: int, nodes: int) -> str:
    given = written(folder, "pods", template(), named("w", pods))
    words = [given, "--slices", base(folder), "--output-format", "html"]
    return run(*words, *(["--copies", f"n1={nodes - 1}"] if nodes > 1 else [])).stdout


def test_nodes_that_look_alike_are_one_group(tmp_path: Path) -> None:
    text = page(tmp_path, 3, 10)
    assert text.count('<article class="group"') == 2
    assert text.count('<div class="node"') == 10
    assert "<h3>7 nodes, n1-copy-3 to n1-copy-9: 1 free<span class=hits></span></h3>" in text
    assert "<h3>3 nodes, n1 to n1-copy-2: 1 allocated now<span class=hits></span></h3>" in text
    assert "gpu-0: default/w-0-gpu" in text


def test_the_summary_comes_first_and_each_reason_once(tmp_path: Path) -> None:
    text = page(tmp_path, 60, 50)
    assert text.index('id="summary"') < text.index('id="pods"') < text.index('id="fleet"')
    assert "<li>60 pods: 50 fit, 10 never start</li>" in text
    assert "47 more pods, with the same result" in text
    assert text.count("cannot allocate all claims") == 1


def test_the_page_says_what_it_shows_and_when(tmp_path: Path) -> None:
    text = page(tmp_path, 3, 10)
    assert "<title>dradsl simulate: base.json: 10 nodes, Kubernetes 1.36</title>" in text
    assert re.search(
        r"<p>base.json: 10 nodes, Kubernetes 1\.36; dradsl \S+; \d{4}-\d\d-\d\d \d\d:\d\d UTC</p>",
        text,
    )


def test_a_bar_for_each_model(tmp_path: Path) -> None:
    text = page(tmp_path, 3, 10)
    assert 'aria-label="a: 3 used now, 7 free" viewBox="0 0 10 1"' in text
    parts = re.findall(r'<rect class="(\w+)" x="(\d+)" width="(\d+)"', text)
    assert parts == [("now", "0", "3"), ("free", "3", "7")]


def test_devices_say_what_they_are_without_a_pointer(tmp_path: Path) -> None:
    text = page(tmp_path, 1, 1)
    assert '<li class="device now">gpu-0 a</li>' in text
    assert "title=" not in text


def test_a_browser_runs_nothing_but_the_script_of_the_page(tmp_path: Path) -> None:
    """The policy names the one style and the one script by their hashes, and lets the page load nothing."""
    text = page(tmp_path, 1, 1)
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]+)"', text)
    parts = dict(part.split(maxsplit=1) for part in policy.split("; "))
    assert parts["default-src"] == parts["base-uri"] == parts["form-action"] == "'none'"
    for tag, key in (("style", "style-src"), ("script", "script-src")):
        (inner,) = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inner.encode()).digest()).decode()
        assert parts[key] == f"'sha256-{digest}'"
        assert text.count(f"<{tag}") == 1
    assert text.index(policy) < text.index("<style>")
    # What the policy would stop.
    assert re.search(r"<[a-z]+[^>]*\s(?:style|on[a-z]+|src|href)=", text) is None


def luminance(colour: str) -> float:
    whole = colour.lstrip("#")
    whole = "".join(c * 2 for c in whole) if len(whole) == 3 else whole
    parts = [int(whole[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_text_can_be_read() -> None:
    light = dict(re.findall(r"--([\w-]+): (#\w+)", html._part("css").partition("@media")[0]))
    dark = light | dict(
        re.findall(
            r"--([\w-]+): (#\w+)", html._part("css").partition("@media")[2].partition("} }")[0]
        )
    )
    assert dark["back"] != light["back"]
    for colours in (light, dark):
        for ground in ("back", "panel", "free", "before", "stripe", "trouble"):
            assert contrast(colours["text"], colours[ground]) >= 4.5, ground
        assert contrast(colours["on-now"], colours["now"]) >= 4.5
        assert contrast(colours["line"], colours["back"]) >= 3
    for colour in re.findall(r"background: (#\w{6})", html._part("css")):
        assert contrast("#fff", colour) >= 4.5, colour


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
def test_a_browser_finds_and_filters(tmp_path: Path) -> None:
    script = (
        "<script>const said = [];"
        'const tell = () => said.push(document.getElementById("shown").textContent);'
        'tell(); word.value = "n1-copy-19"; filter(); tell();'
        'word.value = "default/w-0-gpu"; filter(); tell();'
        'word.value = ""; state.value = "now"; filter(); tell();'
        'said.push([...document.querySelectorAll(".group")].filter(one => !one.hidden).length);'
        'document.body.dataset.said = said.join("|");</script></body>'
    )
    path = tmp_path / "page.html"
    made = page(tmp_path, 2, 200).replace("</body>", script)
    # The policy lets no script in but the page's own, so not that of this test either.
    path.write_text(re.sub("<meta http-equiv[^>]*>", "", made), "utf-8")
    assert BROWSER is not None
    call = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/u"]
    done = subprocess.run(
        [*call, "--dump-dom", path.as_uri()],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    shown = re.search(r'data-said="([^"]*)"', done.stdout)
    assert shown is not None, done.stderr[-400:]
    # n1-copy-19, and n1-copy-190 to n1-copy-199
    assert shown[1].split("|") == [
        "200 nodes shown",
        "11 nodes shown",
        "1 node shown",
        "2 nodes shown",
        "1",
    ]
