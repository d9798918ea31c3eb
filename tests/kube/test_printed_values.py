"""Values in messages are printed as a real API server printed them."""

from __future__ import annotations

import json

import pytest

from dradsl.kube.errors import duplicate
from dradsl.kube.server.api_server import ApiServer
from dradsl.releases import RELEASES
from tests.oracle.controlplane.judging import ours
from tests.oracle.controlplane.words import PAGE, QUESTIONS, objects

WORDS = json.loads(PAGE.read_text("utf-8"))
OBJECTS = dict(objects())


@pytest.mark.parametrize("release", ["1.36", "1.37"])
@pytest.mark.parametrize("name", QUESTIONS)
def test_words_of_the_server(name: str, release: str) -> None:
    server = ApiServer(RELEASES[release], RELEASES[release].features())
    recorded = {tuple(error) for error in WORDS[release][name]}
    judged = ours(server, OBJECTS[name]).errors
    assert judged
    if OBJECTS[name]["kind"] == "Pod":  # of which other things are wrong too
        assert judged <= recorded
    else:
        assert judged == recorded


def test_html_is_escaped() -> None:
    error = duplicate(("a",), "", {"cel": {"expression": "a && b < c"}})
    assert error.message == r'Duplicate value: {"cel":{"expression":"a \u0026\u0026 b \u003c c"}}'
