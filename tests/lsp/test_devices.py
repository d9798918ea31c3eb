"""Recorded devices in the editor: hover, hints, completion, why, within a time; and the settings that name them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcRequestCancelled

from dradsl.lsp.fleet.asking import Asker, LateError
from dradsl.lsp.fleet.placing import PlacingQuestion, place
from dradsl.lsp.fleet.recorded import Recorded
from dradsl.lsp.linting.inventory import Inventories
from dradsl.lsp.linting.settings import Settings, read_settings
from dradsl.recordings import find_recordings, read_recording
from dradsl.releases import newest_release
from dradsl.values.deadline import Deadline, TimeOverError
from tests.lsp.client import Editor, editor, run
from tests.lsp.test_answers import hovered, offered

FLEET = Path(__file__).parents[2] / "examples/inventory/gpu.nvidia.com-static-mig-mixed-a100"

TEMPLATE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata:
  name: pair
  namespace: ml
spec:
  spec:
    devices:
      requests:
      - name: gpu
        exactly:
          deviceClassName: mig.nvidia.com
          selectors:
          - cel:
              expression: |-
                device.attributes["gpu.nvidia.com"].profile == "3g.20gb" &&
                device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("10Gi")) >= 0
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: ml}
spec:
  resourceClaims:
  - name: gpu
    resourceClaimTemplateName: pair
  containers: [{name: c, image: x, resources: {claims: [{name: gpu}]}}]
"""
CLASS = """\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: whole}
spec:
  selectors:
  - cel: {expression: 'device.driver == "gpu.nvidia.com" && device.attributes["gpu.nvidia.com"].type == "gpu"'}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("template", TEMPLATE), ("pod", POD), ("class", CLASS)):
        (tmp_path / f"{name}.yaml").write_text(text)
    (tmp_path / ".dradsl.yaml").write_text("slices: [fleet]\n")
    (tmp_path / "fleet").mkdir()
    (tmp_path / "fleet" / "slices.yaml").write_bytes((FLEET / "slices.yaml").read_bytes())
    return tmp_path


def recorded() -> Recorded:
    release = newest_release()
    objects = [each for file in find_recordings(FLEET) for each in read_recording(file)]
    return Recorded(objects, release, release.features())


async def hints(ed: Editor, path: Path) -> list[types.InlayHint]:
    whole = types.Range(types.Position(0, 0), types.Position(1000, 0))
    document = types.TextDocumentIdentifier(path.as_uri())
    found = await ed.client.text_document_inlay_hint_async(types.InlayHintParams(document, whole))
    return list(found or ())


def test_hover(folder: Path) -> None:
    template, pod = folder / "template.yaml", folder / "pod.yaml"

    async def test() -> None:
        async with editor(folder) as ed:
            ed.open(template)
            ed.open(pod)
            await ed.settled()
            text = await hovered(ed, template, "profile")
            assert 'Recorded**: `"1g.5gb"` (2)' in text
            assert "1 device without it" in text
            assert "**1 of 4 recorded devices of class `mig.nvidia.com`** match" in text
            assert '== "3g.20gb"`: 1 pass, 3 fail (`"1g.5gb"`, `"2g.10gb"`)' in text
            assert "Matching: `node-0001/gpu-0-mig-3g20gb-9-4`" in text
            # On no attribute: the selector alone.
            assert "recorded devices of class" in await hovered(ed, template, "&&")
            for path, mark in ((template, "pair"), (pod, "p, name"), (pod, "pair"), (pod, "Pod")):
                text = await hovered(ed, path, mark)
                assert "**Fits** on 1 of 1 recorded node" in text, mark
                assert "gpu-0-mig-3g20gb-9-4" in text
            at = TEMPLATE.index("3g.20gb")
            ed.edit(template, at, at + 7, "9g.90gb")
            await ed.settled()
            text = await hovered(ed, pod, "pair")
            assert "**Does not fit** on any of 1 recorded node" in text
            assert "selector: 4 fail" in text
            # What the API server rejects is no question of devices.
            at = TEMPLATE.index("          selectors")
            ed.edit(template, at, at, "          count: -1\n")
            await ed.settled()
            assert "**The API server rejects it**" in await hovered(ed, template, "pair")

    run(test())


def test_hints(folder: Path) -> None:
    template = folder / "template.yaml"

    async def test() -> None:
        async with editor(folder) as ed:
            ed.open(template)
            ed.open(folder / "class.yaml")
            await ed.settled()
            (hint,) = await hints(ed, template)
            assert hint.label == "cost 12, matches 1 of 4 devices"
            assert hint.position == types.Position(16, 89)
            assert isinstance(hint.tooltip, types.MarkupContent)
            assert "1 pass, 3 fail" in hint.tooltip.value
            (hint,) = await hints(ed, folder / "class.yaml")
            assert str(hint.label).endswith("matches 1 of 5 devices")
            # A class of the folder comes before the one that the driver brings along.
            ed.edit(template, TEMPLATE.index("mig."), TEMPLATE.index("mig.") + 14, "whole")
            await ed.settled()
            (hint,) = await hints(ed, template)
            assert hint.label == "cost 12, matches 0 of 1 device, fails on 1"
            ed.configure({"inlayHints": {"matches": False}})
            await ed.settled()
            assert [each.label for each in await hints(ed, template)] == ["cost 12"]
            ed.configure({"inlayHints": {"matches": False, "cost": False}})
            await ed.settled()
            assert await hints(ed, template) == []
            ed.configure({})
            ed.type(template, TEMPLATE.replace('"10Gi")', '"10Gi"'))
            await ed.settled()
            assert await hints(ed, template) == []  # it does not compile

    run(test())


def test_completion(folder: Path) -> None:
    """Recorded values first, units behind numbers, and attributes that only recorded devices show."""
    slices = folder / "fleet" / "slices.yaml"
    slices.write_text(
        slices.read_text()
        .replace("      brand:\n", "      lane:\n        string: north\n      brand:\n", 1)
        .replace("driver: gpu.nvidia.com", "driver: gpu.nvidia.com")
        + "---\n"
        + slices.read_text().replace("gpu.nvidia.com", "odd.example.com").replace("0001", "0002")
    )
    template = folder / "template.yaml"

    async def test() -> None:
        async with editor(folder) as ed:
            ed.open(template)
            await ed.settled()
            found = await offered(ed, template, '.profile == "')
            assert next(iter(found)) == "1g.5gb"
            assert found["3g.20gb"].detail == "recorded"
            assert found["7g.80gb"].detail == "value of profile"
            found = await offered(ed, template, 'quantity("10')
            assert {"10Gi", "10Mi", "10G"} <= set(found)
            assert "4864Mi" in await offered(ed, template, 'quantity("')
            ed.type(template, TEMPLATE.replace("profile ==", "l"))
            assert "lane" in await offered(ed, template, '"].l')
            ed.type(
                template, TEMPLATE.replace('["gpu.nvidia.com"].profile', '["odd.example.com"].p')
            )
            assert "productName" in await offered(ed, template, '"].p')
            ed.type(template, TEMPLATE.replace('["gpu.nvidia.com"].profile', '["'))
            assert "odd.example.com" in await offered(ed, template, 'attributes["')

    run(test())


def test_why_a_claim_does_not_fit(folder: Path) -> None:
    """The request of our extension."""
    held = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "busy", "namespace": "ml"},
        "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "whole"}}]}},
        "status": {
            "allocation": {
                "devices": {
                    "results": [
                        {
                            "request": "r",
                            "driver": "gpu.nvidia.com",
                            "pool": "node-0001",
                            "device": "gpu-0-mig-3g20gb-9-4",
                        }
                    ]
                }
            }
        },
    }
    import json

    (folder / "fleet" / "held.json").write_text(json.dumps(held))

    async def test() -> None:
        async with editor(folder) as ed:
            await ed.settled()
            # The only device that matches is held.
            place = {"line": 3, "character": 8}
            params = {"uri": (folder / "template.yaml").as_uri(), "position": place}
            why = await ed.ask("dradsl/why", params)
            assert (why["title"], why["answer"]) == ("ResourceClaimTemplate pair", "never")
            assert "ml/busy" in why["text"]
            params["uri"] = (folder / "nothing.yaml").as_uri()
            assert await ed.ask("dradsl/why", params) is None
            assert await ed.ask("dradsl/why", {}) is None

    run(test())


def test_without_recorded_devices(folder: Path) -> None:
    (folder / ".dradsl.yaml").unlink()
    template = folder / "template.yaml"

    async def test() -> None:
        async with editor(folder) as ed:
            ed.open(template)
            await ed.settled()
            assert "recorded" not in await hovered(ed, template, "profile")
            assert await hovered(ed, template, "pair") == ""
            params = {"uri": template.as_uri(), "position": {"line": 3, "character": 8}}
            why = await ed.ask("dradsl/why", params)
            assert why["answer"] is None
            assert "slices" in why["text"]
            assert [each.label for each in await hints(ed, template)] == ["cost 12"]

    run(test())


def test_settings(folder: Path) -> None:
    """Recordings and releases of the editor come before those of the configuration; wrong settings are told."""
    (folder / ".dradsl.yaml").write_text('kube-version: "1.36"\n')
    template = folder / "template.yaml"

    async def test() -> None:
        async with editor(folder, settings={"slices": ["fleet"]}) as ed:
            ed.open(template)
            await ed.settled()
            assert "Recorded" in await hovered(ed, template, "profile")
            ed.configure({"slices": "nowhere", "kubeVersion": "1.34", "python": {"build": "yes"}})
            await ed.settled()
            assert "Recorded" not in await hovered(ed, template, "profile")
            assert any("no such file or folder: nowhere" in each for each in ed.messages)
            assert any("python.build: expected true or false" in each for each in ed.messages)
            ed.configure({"slices": str(folder / "fleet"), "kubeVersion": ["9.99"]})
            await ed.settled()
            assert any("9.99" in each for each in ed.messages)
            ed.configure(None)
            await ed.settled()
            assert "Recorded" not in await hovered(ed, template, "profile")

    run(test())


def test_settings_that_are_asked_for(folder: Path) -> None:
    """A client that sends none is asked."""
    (folder / ".dradsl.yaml").unlink()
    template = folder / "template.yaml"

    async def test() -> None:
        async with editor(folder, answers={"slices": ["fleet"]}) as ed:
            ed.open(template)
            await ed.settled()
            assert "Recorded" not in await hovered(ed, template, "profile")
            params = types.DidChangeConfigurationParams(None)
            ed.client.workspace_did_change_configuration(params)
            for _ in range(100):
                await ed.settled()
                if "Recorded" in await hovered(ed, template, "profile"):
                    return
            raise AssertionError("the settings were not taken")

    run(test())


def test_several_folders_have_recordings_of_their_own(tmp_path: Path) -> None:
    """A relative path is that of each folder; where one has no such file, its configuration counts."""
    one, two = tmp_path / "one", tmp_path / "two"
    for each in (one, two):
        each.mkdir()
        (each / "template.yaml").write_text(TEMPLATE)
    (one / "cluster").mkdir()
    (one / "cluster" / "slices.yaml").write_bytes((FLEET / "slices.yaml").read_bytes())

    async def test() -> None:
        async with editor(one, two, settings={"slices": ["cluster"]}) as ed:
            for each in (one, two):
                ed.open(each / "template.yaml")
            await ed.settled()
            assert "Recorded" in await hovered(ed, one / "template.yaml", "profile")
            assert "Recorded" not in await hovered(ed, two / "template.yaml", "profile")
            assert ed.messages == []

    run(test())


def test_a_recording_that_changes(folder: Path) -> None:
    template, slices = folder / "template.yaml", folder / "fleet" / "slices.yaml"

    async def test() -> None:
        async with editor(folder) as ed:
            ed.open(template)
            await ed.settled()
            assert '"3g.20gb"` (1)' in await hovered(ed, template, "profile")
            slices.write_text(slices.read_text().replace("3g.20gb", "1g.5gb"))
            ed.told(slices)
            await ed.settled()
            assert '"1g.5gb"` (3)' in await hovered(ed, template, "profile")
            slices.write_text("kind: [\n")
            ed.told(slices)
            await ed.settled()
            assert any("slices.yaml" in each for each in ed.messages)
            assert '"1g.5gb"` (3)' in await hovered(ed, template, "profile")

    run(test())


def test_an_answer_that_takes_too_long(folder: Path) -> None:
    template = folder / "template.yaml"

    async def test() -> None:
        async with editor(folder, settings={"simulate": {"seconds": 0.000001}}) as ed:
            ed.open(template)
            await ed.settled()
            text = await hovered(ed, template, "profile")
            assert "attribute of `gpu.nvidia.com`" in text
            assert "gave no answer within 1e-06 s" in text
            assert "gave no answer" in await hovered(ed, template, "pair")
            assert [each.label for each in await hints(ed, template)] == ["cost 12"]
            ed.configure({})
            await ed.settled()
            assert "**Fits** on 1 of 1" in await hovered(ed, template, "pair")

    run(test())


def test_work_that_is_late_or_cancelled_stops() -> None:
    """The thread is told, and asks the next question."""

    async def test() -> None:
        asker = Asker()
        ended: list[str] = []

        def endless(deadline: Deadline) -> None:
            try:
                while True:
                    deadline.check()
            finally:
                ended.append(deadline.words)

        with pytest.raises(LateError):
            await asker.ask(endless, 0.05)
        task = asyncio.ensure_future(asker.ask(endless, 60))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asker.ask(lambda _: "here", 60) == "here"
        assert len(ended) == 2
        asker.stop()

    asyncio.run(test())


def test_the_editor_cancels(folder: Path) -> None:
    """A question that the editor takes back has no answer, and others have theirs."""
    template = folder / "template.yaml"

    async def test() -> None:
        async with editor(folder) as ed:
            ed.open(template)
            await ed.settled()
            place: Any = ed.at(template, "pair", 1)
            # Nothing has been loaded yet, so this one waits for the thread.
            future = ed.client.protocol.send_request(
                types.TEXT_DOCUMENT_HOVER, types.HoverParams(**place), msg_id="first"
            )
            ed.client.cancel_request(types.CancelParams("first"))
            with pytest.raises(JsonRpcRequestCancelled):
                await asyncio.wrap_future(future)
            assert "**Fits** on 1 of 1" in await hovered(ed, template, "pair")

    run(test())


def test_the_simulation_ends_with_its_time() -> None:
    release = newest_release()
    claim = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "c"},
        "spec": {
            "devices": {
                "requests": [{"name": "r", "exactly": {"deviceClassName": "mig.nvidia.com"}}]
            }
        },
    }
    question = PlacingQuestion(claim, (), recorded().objects, release, release.features())
    placed = place(question)
    assert placed is not None
    assert (placed.answer, placed.fitting, placed.nodes) == ("fits", 1, 1)
    with pytest.raises(TimeOverError):
        place(question, Deadline(0.0, 1.0))
    nothing = PlacingQuestion(
        {"kind": "ConfigMap"}, (), recorded().objects, release, release.features()
    )
    assert place(nothing) is None


def test_matches_of_selectors_that_fail() -> None:
    fleet = recorded()
    found = fleet.matches('device.attributes["gpu.nvidia.com"].nothing == "x"')
    assert found is not None
    assert (found.of, found.matched, found.errors) == (5, 0, 5)
    assert found.clauses[0].values == ("no such key: nothing",)
    assert fleet.matches("device.") is None
    # A device on which a selector of the class fails is not asked.
    none = fleet.matches("true", ['device.attributes["gpu.nvidia.com"].nothing == "x"'])
    assert none is not None
    assert (none.of, none.matched) == (0, 0)


def test_recordings_are_read_once(tmp_path: Path) -> None:
    inventories = Inventories()
    file = tmp_path / "slices.yaml"
    file.write_bytes((FLEET / "slices.yaml").read_bytes())
    first = inventories.read([tmp_path])
    assert inventories.read([tmp_path]) is first
    assert inventories.holds(str(file))
    assert not inventories.holds(str(tmp_path.parent / "other.yaml"))
    file.write_text(file.read_text().replace("3g.20gb", "1g.5gb") + "\n")
    assert inventories.read([tmp_path]) != first


@pytest.mark.parametrize(
    ("given", "wanted", "problems"),
    [
        (None, Settings(), 0),
        ({}, Settings(), 0),
        ({"dradsl": None}, Settings(), 0),
        ({"dradsl": {"slices": "a"}}, Settings(slices=("a",)), 0),
        ({"python.build": True}, Settings(build=True), 0),
        ({"python": {"build": True}}, Settings(build=True), 0),
        ({"python": {"build": 1}}, Settings(), 1),
        ({"slices": [1]}, Settings(), 1),
        ({"slices": None, "kubeVersion": ""}, Settings(), 0),
        ({"kubeVersion": "1.36"}, Settings(kube_version=("1.36",)), 0),
        ({"inlayHints": {"cost": False}}, Settings(cost_hints=False), 0),
        ({"simulate": {"seconds": 0}}, Settings(), 1),
        ({"simulate": {"seconds": 1000}}, Settings(), 1),
        ({"simulate": {"seconds": 5}}, Settings(seconds=5.0), 0),
        ([], Settings(), 1),
        ("x", Settings(), 1),
    ],
)
def test_what_settings_may_be(given: object, wanted: Settings, problems: int) -> None:
    found, wrong = read_settings(given)
    assert found == wanted
    assert len(wrong) == problems


def test_what_follows_from_recordings_alone_is_worked_out_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not with each keystroke: a fleet may be large. A recording that changes is another one."""
    from dradsl.drivers.schema import sharpen
    from dradsl.lsp.linting.project import Project, Stoppable
    from dradsl.lsp.texts.buffers import Buffers
    from dradsl.simulate.cluster import ClusterBuilder

    calls: list[str] = []
    sharpened, build = sharpen.sharpened, ClusterBuilder.build

    def counted_sharpened(*args: Any) -> Any:
        calls.append("sharpened")
        return sharpened(*args)

    def counted_build(self: ClusterBuilder) -> Any:
        calls.append("build")
        return build(self)

    monkeypatch.setattr(sharpen, "sharpened", counted_sharpened)
    monkeypatch.setattr(ClusterBuilder, "build", counted_build)
    path = folder / "template.yaml"
    path.write_text(TEMPLATE.replace("3g.20gb", "9g.90gb"))
    project = Project(str(folder), Buffers())
    report = project.lint_all(Stoppable())
    assert report is not None
    assert any(each.code.startswith("DRA7") for each in report.findings)
    before = sorted(calls)
    assert before.count("sharpened") == 1
    assert set(project.lint_one(str(path))) == {
        each for each in report.findings if each.path == str(path)
    }
    assert project.lint_all(Stoppable()) is not None
    assert sorted(calls) == before
    slices = folder / "fleet" / "slices.yaml"
    slices.write_text(slices.read_text().replace("3g.20gb", "9g.90gb"))
    report = project.lint_all(Stoppable())
    assert report is not None
    assert not any(each.code.startswith("DRA7") for each in report.findings)
    assert len(calls) > len(before)


def test_a_large_file(folder: Path) -> None:
    """It is judged, and answers questions; what editors ask after each keystroke has no answer."""
    large = folder / "large.yaml"
    text = TEMPLATE.replace("name: pair", "name: first").replace("count", "count")
    more = "".join(
        f"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{n}}}\ndata: {{x: {'y' * 400}}}\n"
        for n in range(1300)
    )
    large.write_text(text + more)
    assert len(large.read_text()) > 512 * 1024

    async def test() -> None:
        async with editor(folder) as ed:
            ed.open(large)
            await ed.settled()
            assert ed.codes(large) == []
            document = types.TextDocumentIdentifier(large.as_uri())
            assert await hints(ed, large) == []
            params = types.SemanticTokensParams(document)
            assert await ed.client.text_document_semantic_tokens_full_async(params) is None
            assert "recorded devices of class" in await hovered(ed, large, "profile")
            at = text.index("deviceClassName")
            ed.edit(large, at, at + len("deviceClassName"), "deviceClass")
            await ed.settled()
            assert "DRA005" in ed.codes(large)

    run(test())
