"""`dradsl.testing`: its asserts, and the plugin in a run of pytest."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from dradsl import App, Fleet, Request, ResourceClaimTemplate
from dradsl.devices.nvidia import gpu
from dradsl.testing import (
    assert_fits,
    assert_lint_clean,
    assert_pending,
    assert_snapshot,
    load_app,
)
from tests.plugin import OPTIONS

if TYPE_CHECKING:
    from pathlib import Path

FLEET = Fleet.of(gpu, count=4, capacity={gpu.memory: "80Gi"})


def app_with(*requests: Request) -> App:
    app = App(for_release="1.36")
    app.add(ResourceClaimTemplate("t", namespace="ml", requests=requests))
    return app


@pytest.mark.parametrize("nothing", [[], [App()], [[]]])
def test_nothing_is_not_clean(nothing: list[Any]) -> None:
    with pytest.raises(AssertionError, match="lint looked at nothing"):
        assert_lint_clean(*nothing)


def test_lint_clean() -> None:
    assert assert_lint_clean(app_with(Request("g", gpu))).ok
    bad = app_with(Request("g", gpu, select="device.nonsense"))
    with pytest.raises(AssertionError, match=r"test_testing.py:\d+:\d+: DRA102") as raised:
        assert_lint_clean(bad)
    assert "ResourceClaimTemplate ml/t" in str(raised.value)
    assert_lint_clean(bad, allow=["DRA102"])
    info = app_with(Request("g", "nowhere"))
    assert_lint_clean(info)
    with pytest.raises(AssertionError, match="DRA412"):
        assert_lint_clean(info, severity="info")
    with pytest.raises(ValueError, match="no severity is called 'bad'"):
        assert_lint_clean(info, severity="bad")  # type: ignore[arg-type] # what is to be rejected


def test_fits_and_pending() -> None:
    assert assert_fits(app_with(Request("g", gpu, count=4)), FLEET).pod("t").node == "node-1"
    with pytest.raises(AssertionError, match="does not fit: ml/t") as raised:
        assert_fits(app_with(Request("g", gpu, count=5)), FLEET)
    assert "4 devices seen, 4 left" in str(raised.value)
    assert_pending(app_with(Request("g", gpu, count=5)), FLEET, because="4 devices seen")
    with pytest.raises(AssertionError, match="every pod fits"):
        assert_pending(app_with(Request("g", gpu)), FLEET)
    with pytest.raises(AssertionError, match="does not hold 'taint'"):
        assert_pending(app_with(Request("g", gpu, count=5)), FLEET, because="taint")


def test_snapshots(tmp_path: Path) -> None:
    path = tmp_path / "deep/app.yaml"
    with pytest.raises(AssertionError, match="the app has no objects"):
        assert_snapshot(App(), path, update=True)
    with pytest.raises(AssertionError, match="there is no snapshot"):
        assert_snapshot(app_with(Request("g", gpu)), path)
    assert_snapshot(app_with(Request("g", gpu)), path, update=True)
    assert_snapshot(app_with(Request("g", gpu)), path)
    with pytest.raises(AssertionError, match=r"\+ +count: 2"):
        assert_snapshot(app_with(Request("g", gpu, count=2)), path)


def test_apps_of_modules(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(
        "from dradsl import App, DeviceClass\n"
        "def make(name: str) -> App:\n"
        "    app = App()\n"
        "    app.add(DeviceClass(name, select='true'))\n"
        "    return app\n"
    )
    app = load_app(f"{tmp_path}/m.py:make", {"name": "x"})
    assert [obj.to_dict()["metadata"]["name"] for obj in app.objects] == ["x"]


TEST = """
from dradsl import App, Request, ResourceClaimTemplate
from dradsl.devices.nvidia import gpu
import pytest

@pytest.mark.parametrize("team", ["a", "b/c"])
def test_template(dradsl_snapshot, team):
    app = App()
    app.add(ResourceClaimTemplate("t", namespace="ml", requests=[Request("g", gpu, count=COUNT)]))
    dradsl_snapshot(app)
    dradsl_snapshot(app, "again")
"""


def test_the_plugin(tmp_path: Path) -> None:
    def run(count: int, *options: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "test_x.py").write_text(TEST.replace("COUNT", str(count)))
        return subprocess.run(
            [sys.executable, "-m", "pytest", *OPTIONS, *options, "test_x.py"],
            capture_output=True, text=True, check=False, cwd=tmp_path,
        )  # fmt: skip

    assert "--dradsl-update" in run(1).stdout
    assert run(1, "--dradsl-update").returncode == 0
    stored = sorted(path.name for path in (tmp_path / "snapshots/test_x").iterdir())
    assert stored == [
        "test_template-a--again.yaml",
        "test_template-a.yaml",
        "test_template-b-c--again.yaml",
        "test_template-b-c.yaml",
    ]
    assert run(1).returncode == 0
    changed = run(2)
    assert changed.returncode == 1
    assert "count: 2" in changed.stdout
