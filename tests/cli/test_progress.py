"""Progress is shown on a terminal, of long runs, and nowhere else."""

from __future__ import annotations

import io

import pytest

from dradsl.cli import progress


class Stream(io.StringIO):
    def __init__(self, *, terminal: bool) -> None:
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


@pytest.mark.parametrize(
    ("terminal", "pods", "shown"),
    [
        (True, 199, ""),
        (True, 450, "\rlooked at 200 pods\rlooked at 400 pods\r\x1b[K"),
        (False, 450, ""),
    ],
)
def test_pods(monkeypatch: pytest.MonkeyPatch, *, terminal: bool, pods: int, shown: str) -> None:
    out = Stream(terminal=terminal)
    monkeypatch.setattr(progress, "stream", lambda *, err: out)
    with progress.pods_placed() as advance:
        for _ in range(pods):
            advance(1)
    assert out.getvalue() == shown
