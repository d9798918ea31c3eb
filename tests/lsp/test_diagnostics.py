"""Diagnostics: those of the changed text, those of the folder, and that they are what `dradsl lint` prints."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from lsprotocol import types

from dradsl.lint.engine.run import lint
from dradsl.lint.engine.session import Session
from dradsl.lsp.linting.project import Project, Stoppable
from dradsl.lsp.texts.buffers import Buffers
from dradsl.lsp.texts.places import Places, apply_changes
from tests.lsp.client import Editor, editor, run

ROOT = Path(__file__).parents[2]
FLEET = ROOT / "examples/inventory/gpu.nvidia.com-static-mig-mixed-a100"

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: gpu, namespace: ml}
spec:
  devices:
    requests:
    - name: gpu
      exactly: {deviceClassName: gpu.nvidia.com}
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: ml}
spec:
  resourceClaims: [{name: gpu, resourceClaimName: gpu}]
  containers: [{name: c, image: x, resources: {claims: [{name: gpu}]}}]
"""


def shown(editor: Editor) -> list[tuple[object, ...]]:
    """What an editor shows."""
    return sorted(
        (uri, each.range.start.line + 1, str(each.code), each.message.split("\n")[0])
        for uri, found in editor.diagnostics.items()
        for each in found
    )


def printed(folder: Path) -> list[tuple[object, ...]]:
    """What a fresh run on the files reports."""
    session = Session((str(folder),))
    report = lint(session.read(), session.config(), config_of=session.config_of)
    return sorted(
        (Path(each.path).as_uri(), each.span.line, each.code, each.message)
        for each in report.findings
    )


def test_what_a_diagnostic_says(tmp_path: Path) -> None:
    (tmp_path / "claim.yaml").write_text(CLAIM)
    (tmp_path / "other.yaml").write_text(CLAIM.replace("exactly", "exact"))

    async def test() -> None:
        async with editor(tmp_path) as ed:
            path = tmp_path / "claim.yaml"
            await ed.settled()
            assert ed.codes(tmp_path / "other.yaml")
            # Files that nobody opened are looked at too.
            assert shown(ed) == printed(tmp_path)
            ed.open(path, CLAIM.replace("exactly: {", "exactly: {counts: 2, "))
            await ed.settled()
            found = next(d for d in ed.diagnostics[path.as_uri()] if d.code == "DRA005")
            assert found.source == "dradsl"
            assert found.severity is types.DiagnosticSeverity.Error
            assert ed.text(found.range, path) == "counts"
            assert ed.publications[-1].version in (1, None)
            ed.type(path, CLAIM.replace("{name: gpu, ", "{name: gpu, name: gpu, "))
            await ed.settled()
            (twice,) = [d for d in ed.diagnostics[path.as_uri()] if d.code == "DRA002"]
            (first,) = twice.related_information or ()
            assert first.location.uri == path.as_uri()
            assert first.location.range.start < twice.range.start
            ed.close(path)
            await ed.settled()
            assert "DRA005" not in ed.codes(path)

    run(test())


def test_other_files_follow(tmp_path: Path) -> None:
    """A name that is changed in one file is missed in another."""
    (tmp_path / "claim.yaml").write_text(CLAIM)
    (tmp_path / "pod.yaml").write_text(POD)

    async def test() -> None:
        async with editor(tmp_path) as ed:
            claim, pod = tmp_path / "claim.yaml", tmp_path / "pod.yaml"
            ed.open(claim)
            await ed.settled()
            assert ed.codes(pod) == []
            at = CLAIM.index("gpu, namespace")
            ed.edit(claim, at, at + 3, "other")
            await ed.settled()
            assert ed.codes(pod) != []
            ed.edit(claim, at, at + 5, "gpu")
            await ed.settled()
            assert ed.codes(pod) == []

    run(test())


def test_the_changed_text_comes_first(tmp_path: Path) -> None:
    """The text at hand is told of alone, before the folder is looked at."""
    (tmp_path / "claim.yaml").write_text(CLAIM)
    (tmp_path / "pod.yaml").write_text(POD)

    async def test() -> None:
        async with editor(tmp_path) as ed:
            claim = tmp_path / "claim.yaml"
            ed.open(claim)
            await ed.settled()
            ed.publications.clear()
            at = CLAIM.index("gpu, namespace")
            ed.edit(claim, at, at + 3, "other")
            await ed.settled()
            told = [(each.uri, each.version) for each in ed.publications]
            assert told[0] == (claim.as_uri(), 2)
            assert (tmp_path / "pod.yaml").as_uri() in [uri for uri, _ in told[1:]]

    run(test())


def test_nothing_is_missed_before_the_folder_was_read(tmp_path: Path) -> None:
    """What a file names may be in one that is still to be read."""
    (tmp_path / "claim.yaml").write_text(CLAIM)
    pod = tmp_path / "pod.yaml"
    pod.write_text(POD.replace("claims: [{name: gpu}]", "claims: [{name: gpu, request: gpu}]"))

    async def test() -> None:
        async with editor(tmp_path) as ed:
            ed.open(pod)
            await ed.settled()
            assert [each.diagnostics for each in ed.publications if each.diagnostics] == []

    run(test())
    alone = Project(str(tmp_path), Buffers())
    assert alone.lint_one(str(pod)) == ()


def test_work_that_a_newer_text_stops_gives_nothing(tmp_path: Path) -> None:
    """Neither a part of the findings nor a folder that was read in part."""
    (tmp_path / "claim.yaml").write_text(CLAIM.replace("exactly", "exact"))
    project, stopped = Project(str(tmp_path), Buffers()), Stoppable()
    stopped.stop()
    assert project.lint_all(stopped) is None
    assert project.work is None
    report = project.lint_all(Stoppable())
    assert report is not None
    assert report.findings != ()


def test_configuration(tmp_path: Path) -> None:
    """It is found as lint does, read anew when it changes, and its mistakes are shown in it."""
    config, path = tmp_path / ".dradsl.yaml", tmp_path / "claim.yaml"
    wrong = CLAIM.replace("exactly: {", "exactly: {counts: 2, ")
    path.write_text(wrong)
    config.write_text("ignore: [DRA005]\n")

    async def test() -> None:
        async with editor(tmp_path) as ed:
            ed.open(path)
            await ed.settled()
            assert ed.codes(path) == []
            config.write_text("ignore: []\n")
            ed.told(config)
            await ed.settled()
            assert ed.codes(path) == ["DRA005"]
            config.write_text("ignore: []\nnonsense: 1\n")
            ed.told(config)
            await ed.settled()
            (said,) = ed.diagnostics[config.as_uri()]
            assert "nonsense" in said.message
            assert said.range.start.line == 1
            assert any("nonsense" in message for message in ed.messages)
            assert ed.codes(path) == ["DRA005"]
            config.unlink()
            ed.told(config)
            await ed.settled()
            assert ed.diagnostics[config.as_uri()] == []

    run(test())


def test_several_folders(tmp_path: Path) -> None:
    """Each has a configuration of its own; one that goes takes its diagnostics along."""
    wrong = CLAIM.replace("exactly: {", "exactly: {counts: 2, ")
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        folder.mkdir()
        (folder / "claim.yaml").write_text(wrong)
    (two / ".dradsl.yaml").write_text("ignore: [DRA005]\n")

    async def test() -> None:
        async with editor(one, two) as ed:
            await ed.settled()
            assert ed.codes(one / "claim.yaml") == ["DRA005"]
            assert ed.codes(two / "claim.yaml") == []
            (two / ".dradsl.yaml").unlink()
            ed.told(two / ".dradsl.yaml")
            await ed.settled()
            assert ed.codes(two / "claim.yaml") == ["DRA005"]
            removed = [types.WorkspaceFolder(one.as_uri(), "one")]
            ed.client.workspace_did_change_workspace_folders(
                types.DidChangeWorkspaceFoldersParams(
                    types.WorkspaceFoldersChangeEvent([], removed)
                )
            )
            await ed.settled()
            assert ed.codes(one / "claim.yaml") == []
            assert ed.codes(two / "claim.yaml") == ["DRA005"]

    run(test())


def test_one_file_without_a_folder(tmp_path: Path) -> None:
    path = tmp_path / "claim.yaml"
    path.write_text(CLAIM)

    async def test() -> None:
        async with editor() as ed:
            ed.open(path, CLAIM.replace("exactly: {", "exactly: {counts: 2, "))
            await ed.settled()
            assert ed.codes(path) == ["DRA005"]
            ed.close(path)
            await ed.settled()
            assert ed.codes(path) == []

    run(test())


def test_a_text_on_no_disk(tmp_path: Path) -> None:
    """A file that was not saved yet belongs to the folder."""
    (tmp_path / "pod.yaml").write_text(POD)

    async def test() -> None:
        async with editor(tmp_path) as ed:
            await ed.settled()
            before = ed.codes(tmp_path / "pod.yaml")
            ed.open(tmp_path / "claim.yaml", CLAIM)
            await ed.settled()
            assert before
            assert ed.codes(tmp_path / "pod.yaml") == []

    run(test())


def test_what_is_left_out_stays_out(tmp_path: Path) -> None:
    """Files that lint does not read in the folder are not judged in the editor either."""
    (tmp_path / ".dradsl.yaml").write_text("exclude: [old]\n")
    for name in ("old", ".hidden", "new"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.yaml").write_text(CLAIM.replace("exactly", "exact"))

    async def test() -> None:
        async with editor(tmp_path) as ed:
            await ed.settled()
            for name in ("old", ".hidden", "new"):
                ed.open(tmp_path / name / "a.yaml")
            await ed.settled()
            assert shown(ed) == printed(tmp_path)
            assert ed.codes(tmp_path / "new" / "a.yaml") != []
            assert ed.codes(tmp_path / "old" / "a.yaml") == []
            assert ed.codes(tmp_path / ".hidden" / "a.yaml") == []

    run(test())


@pytest.mark.parametrize("tree", ["completed", "namespaces", "scopes", "values-patches"])
def test_nothing_wrong_is_said_on_the_way(tree: str) -> None:
    """What is said of a file at once, a look at all files says too: here others build it."""
    folder = ROOT / "tests" / "tree" / "trees" / tree
    project = Project(str(folder), Buffers())
    report = project.lint_all(Stoppable())
    assert report is not None
    assert project.work is not None
    for source in project.work.sources:
        wanted = [each for each in report.findings if each.path == source.name]
        assert set(project.lint_one(source.name)) <= set(wanted)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_columns_in_the_encoding_of_the_editor(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "claim.yaml"
    path.write_text(CLAIM.replace("exactly: {", 'exactly: {"🙂é": 1, counts: 2, '))

    async def test() -> None:
        async with editor(tmp_path, encodings=[encoding]) as ed:
            ed.open(path)
            await ed.settled()
            assert ed.capabilities.position_encoding == encoding
            texts = {ed.text(each.range, path) for each in ed.diagnostics[path.as_uri()]}
            assert "counts" in texts

    run(test())


SIGNS = [
    "\n",
    "  ",
    ":",
    "- ",
    '"',
    "#",
    "---\n",
    "🙂",
    "\u2028",
    "\r\n",
    "\x0b",
    "é",
    "{{",
    "${X}",
    "gpu",
]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8", "utf-32"])
def test_changes_are_applied_as_meant(encoding: str) -> None:
    """Positions in each encoding lead to the same characters, whatever signs are there."""
    draw = random.Random(7)
    text = CLAIM
    for _ in range(400):
        start = draw.randrange(len(text) + 1)
        end = min(len(text), start + draw.choice([0, 0, 1, 3, 20]))
        if text[start - 1 : start + 1] == "\r\n" or text[end - 1 : end + 1] == "\r\n":
            continue  # no position of an editor
        new = "".join(draw.choices(SIGNS, k=draw.randrange(4)))
        change = types.TextDocumentContentChangePartial(
            Places(text, encoding).range(start, end), new
        )
        wanted = text[:start] + new + text[end:]
        assert apply_changes(text, [change], encoding) == wanted
        text = wanted


def test_positions_count_utf16() -> None:
    places = Places("a🙂b\r\nc\rd\u2028e\n")
    assert places.position(2) == types.Position(0, 3)
    assert places.offset(types.Position(0, 3)) == 2
    assert places.position(5) == types.Position(1, 0)
    assert places.position(7) == types.Position(2, 0)
    assert places.position(9) == types.Position(2, 2)
    assert Places("é🙂b", "utf-8").position(2) == types.Position(0, 6)


@pytest.mark.parametrize("seed", [24, 25])
def test_random_edits(tmp_path: Path, seed: int) -> None:
    """A thousand edits and deletions in all: nothing breaks, and what is shown is what a fresh run reports."""
    names: list[Path] = []
    for path in sorted((ROOT / "examples").rglob("*.yaml"))[:400]:
        data = path.read_bytes()
        if b"resource.k8s.io" in data and len(data) < 4000 and len(names) < 8:
            names.append(tmp_path / f"{len(names)}.yaml")
            names[-1].write_bytes(data)
    assert len(names) == 8
    (tmp_path / "fleet").mkdir()
    (tmp_path / "fleet" / "slices.yaml").write_bytes((FLEET / "slices.yaml").read_bytes())
    (tmp_path / ".dradsl.yaml").write_text("slices: [fleet]\n")
    originals = {path: path.read_bytes().decode() for path in names}
    draw = random.Random(seed)

    async def asked(ed: Editor, path: Path, offset: int) -> None:
        """Every question at some place: an answer or none, and no error."""
        document = types.TextDocumentIdentifier(path.as_uri())
        place = Places(ed.texts[path], ed.encoding).position(offset)
        client, range_ = ed.client, types.Range(place, place)
        context = types.CodeActionContext(ed.diagnostics.get(path.as_uri(), []))
        await client.text_document_hover_async(types.HoverParams(document, place))
        await client.text_document_completion_async(types.CompletionParams(document, place))
        await client.text_document_definition_async(types.DefinitionParams(document, place))
        await client.text_document_references_async(
            types.ReferenceParams(types.ReferenceContext(True), document, place)
        )
        await client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
        await client.text_document_formatting_async(
            types.DocumentFormattingParams(document, types.FormattingOptions(2, True))
        )
        await client.text_document_code_action_async(
            types.CodeActionParams(document, range_, context)
        )
        whole = types.Range(types.Position(0, 0), types.Position(10_000, 0))
        await client.text_document_inlay_hint_async(types.InlayHintParams(document, whole))
        await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(document))
        await client.text_document_semantic_tokens_range_async(
            types.SemanticTokensRangeParams(document, range_)
        )
        at = {"line": place.line, "character": place.character}
        await ed.ask("dradsl/why", {"uri": document.uri, "position": at})
        if await client.text_document_prepare_rename_async(
            types.PrepareRenameParams(document, place)
        ):
            await client.text_document_rename_async(
                types.RenameParams(text_document=document, position=place, new_name="brand-new")
            )

    async def same(ed: Editor) -> None:
        await ed.settled()
        for path, text in ed.texts.items():
            path.write_bytes(text.encode())
        assert shown(ed) == printed(tmp_path)

    async def test() -> None:
        async with editor(tmp_path) as ed:
            for path in names:
                ed.open(path)
            for step in range(500):
                path = draw.choice(names)
                text = ed.texts[path]
                start = draw.randrange(len(text) + 1)
                if draw.random() < 0.5:
                    new, end = "", min(len(text), start + draw.choice([1, 2, 5, 40]))
                else:
                    new, end = "".join(draw.choices(SIGNS, k=draw.randrange(1, 3))), start
                if "\r\n" in (text[start - 1 : start + 1], text[end - 1 : end + 1]):
                    continue
                ed.edit(path, start, end, new)
                if step % 5 == 4:
                    await asked(ed, path, draw.randrange(len(ed.texts[path]) + 1))
                if step % 100 == 99:
                    await same(ed)
                    for each in names:  # texts that can be read again
                        if draw.random() < 0.7:
                            ed.type(each, originals[each])
            await same(ed)
            assert ed.messages == []

    run(test())


def test_without_pygls(tmp_path: Path) -> None:
    """The command says what is missing."""
    (tmp_path / "pygls.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'pygls'\", name='pygls')\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "dradsl", "lsp"],
        env={"PYTHONPATH": f"{tmp_path}:{ROOT}", "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 2
    assert "with its extra `lsp`" in done.stderr


def said(*messages: dict[str, object]) -> bytes:
    """Messages as they are sent."""
    bodies = [json.dumps({"jsonrpc": "2.0", **each}).encode() for each in messages]
    return b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in bodies)


@pytest.mark.parametrize("goodbye", [True, False])
def test_it_ends_with_the_editor(goodbye: bool) -> None:
    """Whether the editor says goodbye or is gone."""
    messages: list[dict[str, object]] = [
        {"id": 1, "method": "initialize", "params": {"capabilities": {}}},
        {"method": "initialized", "params": {}},
    ]
    if goodbye:
        messages += [{"id": 2, "method": "shutdown"}, {"method": "exit"}]
    done = subprocess.run(
        [sys.executable, "-m", "dradsl", "lsp", "--stdio"],
        input=said(*messages),
        capture_output=True,
        check=False,
        timeout=60,
        cwd=ROOT,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"documentSymbolProvider" in done.stdout


def test_the_mistake_of_the_editors_is_told_in_these_words() -> None:
    """`python -m tests.editors`, which no usual run starts, waits for this message."""
    from dradsl.lint.engine.run import lint_text
    from tests.editors.__main__ import CLAIM, LINE, MESSAGE

    (finding,) = lint_text(CLAIM, "claim.yaml").findings
    assert (finding.message, finding.span.line) == (MESSAGE, LINE)
