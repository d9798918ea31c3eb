"""The pytest plugin: snapshots of what apps build, and `--dradsl-update` to write them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from dradsl.dsl.building.app import App

__all__ = ["Snapshot", "dradsl_snapshot"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds `--dradsl-update`."""
    parser.getgroup("dradsl").addoption(
        "--dradsl-update",
        action="store_true",
        default=False,
        help="Write the snapshots of built manifests instead of comparing.",
    )


class Snapshot:
    """Compares what apps build with files beside the test; made by the fixture `dradsl_snapshot`.

    Args:
        folder: where the files are.
        test: the name of the test.
        update: write the files instead.
    """

    def __init__(self, folder: Path, test: str, *, update: bool) -> None:
        self._folder = folder
        self._test = test
        self._update = update

    def __call__(self, app: App, name: str = "") -> None:
        """Fail unless `app` builds what its snapshot holds.

        Args:
            app: the app.
            name: tells several snapshots of one test apart.
        """
        from dradsl.testing import assert_snapshot

        plain = re.sub(r"[^A-Za-z0-9._-]+", "-", f"{self._test}-{name}" if name else self._test)
        path = self._folder / f"{plain.strip('-')}.yaml"
        assert_snapshot(app, path, update=self._update)


@pytest.fixture
def dradsl_snapshot(request: pytest.FixtureRequest) -> Snapshot:
    """`dradsl_snapshot(app)` compares the built YAML with a file in `snapshots/` beside the test."""
    update = bool(request.config.getoption("--dradsl-update"))
    folder = request.path.parent / "snapshots" / request.path.stem
    return Snapshot(folder, request.node.name, update=update)
