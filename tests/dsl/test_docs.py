"""What docs/dsl.md names is there; tests/docs runs its Python."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from dradsl.dsl.data.modules import MODULES

TEXT = (Path(__file__).parents[2] / "docs" / "dsl.md").read_text(encoding="utf-8")


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
