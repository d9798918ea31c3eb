"""The action that migrates the requests of a file: an edit where it is proven, a reason where not."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from lsprotocol import types

from dradsl.api import migrate
from dradsl.lsp.answers.migration import line_edits
from dradsl.lsp.texts.places import Places
from tests.lsp.client import Editor, editor, run

if TYPE_CHECKING:
    from pathlib import Path

POD = """\
# A comment stays.
apiVersion: v1
kind: Pod
metadata:
  name: worker
spec:
  containers:
  - name: main
    image: registry.example/train:1.0
    resources:
      limits:
        nvidia.com/gpu: 1
"""


async def offers(ed: Editor, path: Path, mark: str) -> list[str]:
    """The titles of the actions that rewrite what stands at a mark."""
    place = ed.at(path, mark)["position"]
    params = types.CodeActionParams(
        types.TextDocumentIdentifier(path.as_uri()),
        types.Range(place, place),
        types.CodeActionContext([], only=[types.CodeActionKind.RefactorRewrite]),
    )
    return [each.title for each in await ed.client.text_document_code_action_async(params) or ()]


async def carried_out(ed: Editor, uri: str) -> Any:
    """What the command of the action answers."""
    params = types.ExecuteCommandParams("dradsl.migrate", [uri])
    return await ed.client.workspace_execute_command_async(params)


def test_a_use_is_migrated(tmp_path: Path) -> None:
    path = tmp_path / "pod.yaml"
    path.write_text(POD)

    async def test() -> None:
        async with editor(tmp_path) as ed:
            ed.open(path)
            await ed.settled()
            titles = await offers(ed, path, "nvidia.com/gpu")
            assert titles == ["Migrate nvidia.com/gpu of this file to claims"]
            result = await carried_out(ed, path.as_uri())
            assert result["applied"]
            await ed.settled()
            text = ed.texts[path]
            (file,) = migrate(path).files
            assert text == file.after
            assert "kind: ResourceClaimTemplate" in text
            assert text.startswith("# A comment stays.\n")
            assert ed.codes(path) == []
            # Nothing is left to be migrated, and the file on the disk was not touched.
            assert await offers(ed, path, "worker") == []
            assert path.read_text() == POD

    run(test())


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("nvidia.com/gpu: 1", "nvidia.com/gpu: half", "half"),
        ("nvidia.com/gpu", "nvidia.com/mig-1g.5gb", ""),
    ],
)
def test_what_is_not_proven_is_refused(
    tmp_path: Path, before: str, after: str, reason: str
) -> None:
    """The reason is that of `dradsl migrate`, and the text stays."""
    path = tmp_path / "pod.yaml"
    text = POD.replace(before, after)
    path.write_text(text)
    refused = [one for one in migrate(path).items if one.outcome == "refused"]

    async def test() -> None:
        async with editor(tmp_path) as ed:
            ed.open(path)
            await ed.settled()
            assert len(await offers(ed, path, "main")) == 1
            result = await carried_out(ed, path.as_uri())
            assert result["applied"] is not bool(refused)
            assert (ed.texts[path] == text) is bool(refused)
            if refused:
                assert reason in result["reason"]
                assert result["reason"].endswith(refused[0].reason)
                assert any(result["reason"] in each for each in ed.messages)

    run(test())


def test_files_without_uses_offer_nothing(tmp_path: Path) -> None:
    path = tmp_path / "pod.yaml"
    path.write_text(POD.replace("nvidia.com/gpu", "cpu"))

    async def test() -> None:
        async with editor(tmp_path) as ed:
            ed.open(path)
            await ed.settled()
            assert await offers(ed, path, "cpu") == []
            assert (await carried_out(ed, path.as_uri()))["applied"] is False
            result = await carried_out(ed, "untitled:x")
            assert result["reason"] == "the file is not open"

    run(test())


def test_edits_of_lines_make_the_other_text() -> None:
    draw = random.Random(3)
    for _ in range(300):
        before, after = (
            "".join(draw.choices(["a\n", "b\n", "c\r\n", "é🙂\n", "\n", "x"], k=draw.randrange(9)))
            for _ in range(2)
        )
        places = Places(before)
        text = before
        for edit in reversed(line_edits(before, after, places)):
            start, end = places.offset(edit.range.start), places.offset(edit.range.end)
            text = text[:start] + edit.new_text + text[end:]
        assert text == after
