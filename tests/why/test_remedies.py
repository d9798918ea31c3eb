"""The advice by words of components (`dradsl/api/remedies.json`): each has its source, and recognizes what the component writes."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Any

import pytest
import yaml

import dradsl.api.remedies
from tests.why.test_causes import BASE, CAUSES, DEPLOY, HAS, failed_create, said, train
from tests.why.test_classes import CLASSES
from tests.why.test_controllers import CONTROLLERS
from tests.why.test_drivers import DRIVERS
from tests.why.test_facts import answer_of
from tests.why.test_incidents import NAMES, about
from tests.why.test_objects import OBJECTS
from tests.why.test_placing import PLACING
from tests.why.test_schedulers import SCHEDULERS

if TYPE_CHECKING:
    from collections.abc import Iterator

ROWS: list[dict[str, Any]] = [
    row
    for name in ("remedies_of_placing.json", "remedies.json")
    for row in json.loads(Path(dradsl.api.remedies.__file__).with_name(name).read_text("utf-8"))
]
MESSAGES: list[dict[str, str]] = [
    row
    for name in ("placing.yaml", "messages.yaml")
    for row in yaml.safe_load((Path(__file__).parent / name).read_text("utf-8"))
]


def first_row(text: str) -> dict[str, Any] | None:
    return next((row for row in ROWS if re.search(row["when"], text)), None)


def modules() -> Path | None:
    """The module cache of Go, if it has the sources of Kubernetes 1.37.2."""
    go = which("go")
    told = (
        subprocess.run([go, "env", "GOMODCACHE"], capture_output=True, text=True, check=False)
        if go
        else None
    )
    folder = Path(os.environ.get("GOMODCACHE") or (told.stdout.strip() if told else "")) / "k8s.io"
    return folder if (folder / "kubernetes@v1.37.2").is_dir() else None


def test_each_row_names_its_source() -> None:
    for row in ROWS:
        assert set(row["of"]) - {"words"} == {"release", "at"}
        assert re.search(r"\d", row["of"]["release"])
        assert re.search(r"\.(go|md)\b|https://", row["of"]["at"])


def test_each_message_is_recognized_and_each_row_has_one() -> None:
    found = [first_row(one["says"]) for one in MESSAGES]
    assert None not in found
    for row in ROWS:
        assert (row in found) is ("words" not in row["of"]), row["when"]


def test_words_of_dradsl_are_what_it_says() -> None:
    fixes = [about(name)["truth"].get("fix") or "" for name in NAMES]
    fixes += [change for *_, change in CAUSES.values()]
    fixes += [change for *_, change, _ in CLASSES.values()]
    fixes += [change for *_, change in DRIVERS.values()]
    fixes += [change for *_, change in CONTROLLERS.values()]
    fixes += [change for *_, change in PLACING.values()]
    fixes += [change for *_, change in OBJECTS.values()]
    fixes += [change for *_, change in SCHEDULERS.values()]
    own = [row for row in ROWS if "words" in row["of"]]
    assert own
    for row in own:
        start = re.split(r"[{;,:]", row["then"])[0].strip()
        assert any(start in fix or (fix and fix in row["then"]) for fix in fixes), row["then"]


@pytest.mark.parametrize(
    "one", [one for one in MESSAGES if "file" in one], ids=lambda one: one["words"][:40]
)
def test_words_are_in_the_source(one: dict[str, str]) -> None:
    folder = modules()
    if folder is None:
        pytest.skip("the sources of Kubernetes 1.37.2 are not there")
    module, _, path = one["file"].partition("/")
    version = "v1.37.2" if module == "kubernetes" else "v0.37.2"
    text = (folder / f"{module}@{version}" / path).read_text("utf-8")
    assert one["words"] in text or json.dumps(one["words"], ensure_ascii=False)[1:-1] in text


def commands() -> Iterator[str]:
    for row in ROWS:
        yield from row.get("commands", ())


def test_commands_only_look_or_add() -> None:
    allowed = (
        "get",
        "describe",
        "logs",
        "create serviceaccount",
        "label namespace",
        "label node",
        "api-resources",
        'patch {kind} {name} -n {namespace} -p \'{{"spec":{{"suspend":false',
        'patch pod {name} -n {namespace} --type=merge -p \'{{"metadata":{{"finalizers"',
        "rollout resume",
        'patch clusterrole {0} --type=json -p \'[{{"op": "add"',
        'patch clusterrole {4} --type=json -p \'[{{"op": "add"',
        'patch clusterrole {5} --type=json -p \'[{{"op": "add"',
        "scale",
    )
    assert all(one.startswith(tuple(f"kubectl {word}" for word in allowed)) for one in commands())


@pytest.mark.parametrize("one", MESSAGES, ids=lambda one: one["says"][:40])
def test_advice_for_what_a_controller_or_a_kubelet_writes(
    tmp_path: Path, one: dict[str, str]
) -> None:
    """The advice is in the answer, its templates filled in, wherever the message is a cause."""
    event = said("train", "FailedPrepareDynamicResources", one["says"])
    on_node = answer_of(tmp_path, [*HAS, train(node="n1", phase="Pending"), event], "ml/train")
    created = answer_of(tmp_path, [*BASE, *failed_create(one["says"])], DEPLOY)
    for answer in (on_node, created):
        assert answer["change"]
        assert not answer["tried"]
        text = answer["change"] + "".join(answer["patch"])
        assert not re.search(r"\{(\d|name|namespace|node)\}", text)
