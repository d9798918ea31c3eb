"""The Python in docs/dsl.md and the pages beside it runs, and prints what it says."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

from dradsl import App
from dradsl.dsl.data.modules import MODULES

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "dsl.md").read_text(encoding="utf-8")


def run(text: str) -> dict[str, Any]:
    """The names that the blocks of a page leave behind."""
    namespace: dict[str, Any] = {"__name__": "docs"}
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert blocks
    for block in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block, "dsl.md", "exec"), namespace)
        said = " ".join(line.strip("# ") for line in block.splitlines() if line.startswith("#"))
        assert " ".join(printed.getvalue().split()) == " ".join(said.split())
    return namespace


def test_code_runs() -> None:
    namespace = run(TEXT)
    assert isinstance(namespace["app"], App)
    assert len(namespace["app"].objects) == 2
    assert {"claim", "server"} <= namespace.keys()


def test_code_of_the_other_pages_runs() -> None:
    names = run((DOCS / "build.md").read_text(encoding="utf-8"))
    assert len(names["make"]("vision").objects) == len(names["chart_app"].objects) == 1
    run((DOCS / "to-python.md").read_text(encoding="utf-8"))


def test_expressions_of_the_table_exist() -> None:
    from dradsl import driver, raw_cel
    from dradsl.devices.cpu import grouped
    from dradsl.devices.dranet import nic
    from dradsl.devices.nvidia import gpu, mig

    names: dict[str, Any] = {
        "gpu": gpu,
        "mig": mig,
        "nic": nic,
        "grouped": grouped,
        "driver": driver,
    }
    names |= {"raw_cel": raw_cel, "name": "a"}
    rows = re.findall(r"^\| (`.*?) \|", TEXT, re.MULTILINE)
    codes = [
        code
        for row in rows
        for code in re.findall(r"`((?:gpu|nic|grouped|driver|raw_cel).*?)`", row)
    ]
    assert len(codes) > 10
    for code in codes:
        assert eval(code, dict(names)) is not None


def test_all_modules_are_named() -> None:
    for module in MODULES:
        assert f"`{module}`" in TEXT
