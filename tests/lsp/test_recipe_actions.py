"""Code actions from recipes, asked by a real client: what they offer, and that they write what `dradsl new --for` writes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from lsprotocol import types

from dradsl.cli.new import command
from tests.lsp.client import Editor, editor, run

ROOT = Path(__file__).parents[2]
INVENTORY = ROOT / "examples/inventory"
INPUTS = ROOT / "tests/scaffolding/inputs"
TWO = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: app
  namespace: ml
spec:
  selector:
    matchLabels: {app: app}
  template:
    metadata:
      labels: {app: app}
    spec:
      containers:
      - name: first
        image: registry.example.com/first:1
        resources:
      - name: second   # a proxy
        image: registry.example.com/second:1
"""
POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: app
spec:
  containers:
  - name: main
    image: registry.example.com/app:1
"""
OF_NVIDIA = [
    "one GPU",
    "one GPU of 80 GB, or two of 40 GB",
    "two GPUs behind one PCIe root",
    "a MIG partition 1g.5gb",
    "one GPU for several pods",
    "a GPU that pods share by time slices",
]


async def offered(
    ed: Editor, path: Path, mark: str, within: int = 0, *only: str
) -> dict[str, types.CodeAction]:
    """The actions at a place, by what they add."""
    place = ed.at(path, mark, within)["position"]
    params = types.CodeActionParams(
        types.TextDocumentIdentifier(path.as_uri()),
        types.Range(place, place),
        types.CodeActionContext([], list(only) or None),
    )
    found = await ed.client.text_document_code_action_async(params)
    begin = "Add a claim: "
    return {
        each.title.removeprefix(begin): each
        for each in found or ()
        if isinstance(each, types.CodeAction) and each.title.startswith(begin)
    }


def written(ed: Editor, path: Path, action: types.CodeAction) -> str:
    """The text that an action makes; the file stays as it was."""
    before = ed.texts[path]
    assert action.edit is not None
    ed.apply(action.edit)
    after = ed.texts[path]
    ed.type(path, before)
    return after


def by_command(path: Path, text: str, *words: str) -> str:
    """The text that `dradsl new` makes of a file."""
    copy = path.with_name("copy.yaml")
    copy.write_bytes(text.encode())
    done = CliRunner().invoke(command, [*words, "--for", str(copy), "--write"])
    assert done.exit_code == 0, done.output
    return copy.read_bytes().decode()


def folder_with(tmp_path: Path, text: str, config: str = "") -> Path:
    (tmp_path / "work").mkdir()
    (tmp_path / ".dradsl.yaml").write_text(config)
    path = tmp_path / "work" / "a.yaml"
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize(
    ("mark", "container"),
    [("resources:", "first"), ("- name: second", "second"), ("m/second", "second")],
)
def test_the_change_is_that_of_the_command(mark: str, container: str, tmp_path: Path) -> None:
    path = folder_with(tmp_path, TWO, "driver-versions: {gpu.nvidia.com: v25.8.0}")

    async def test() -> None:
        async with editor(tmp_path) as ed:
            ed.open(path)
            await ed.settled()
            found = await offered(ed, path, mark)
            assert list(found) == OF_NVIDIA
            words = ("--set", f"container={container}", "--set", "driver=gpu.nvidia.com")
            for title, recipe in (
                ("one GPU", "gpu"),
                ("two GPUs behind one PCIe root", "gpu-pair"),
            ):
                assert written(ed, path, found[title]) == by_command(path, TWO, recipe, *words)
            mig = by_command(path, TWO, "mig", *words[:2], "--set", "profile=1g.5gb")
            assert written(ed, path, found["a MIG partition 1g.5gb"]) == mig
            # With the claim there is nothing more to offer.
            ed.type(path, written(ed, path, found["one GPU"]))
            await ed.settled()
            assert ed.codes(path) == []
            assert await offered(ed, path, mark) == {}

    run(test())


def test_windows_line_ends_and_a_comment_stay(tmp_path: Path) -> None:
    text = POD.replace("app:1\n", "app:1   # the newest\n").replace("\n", "\r\n")
    path = folder_with(tmp_path, text, "driver-versions: {gpu.example.com: v0.2.0}")

    async def test() -> None:
        async with editor(tmp_path) as ed:
            ed.open(path)
            await ed.settled()
            found = await offered(ed, path, "containers")
            after = written(ed, path, found["one GPU"])
            words = ("gpu", "--set", "driver=gpu.example.com")
            assert after == by_command(path, text, *words)
            assert "app:1   # the newest\r\n" in after
            assert after.count("\n") == after.count("\r\n")

    run(test())


def test_only_in_the_pod_and_only_when_asked(tmp_path: Path) -> None:
    path = folder_with(tmp_path, TWO, "driver-versions: {gpu.nvidia.com: v25.8.0}")

    async def test() -> None:
        async with editor(tmp_path) as ed:
            ed.open(path)
            await ed.settled()
            for mark in (
                "apiVersion",
                "matchLabels",
                "containers",
            ):  # of two containers, none is meant
                assert await offered(ed, path, mark) == {}
            assert await offered(ed, path, "resources:", 0, "quickfix") == {}
            assert len(await offered(ed, path, "resources:", 0, "refactor")) == len(OF_NVIDIA)

    run(test())


def test_only_for_drivers_of_the_workspace(tmp_path: Path) -> None:
    path = folder_with(tmp_path, POD)
    other = path.with_name("class.yaml")

    async def test() -> None:
        async with editor(tmp_path) as ed:
            ed.open(path)
            await ed.settled()
            assert await offered(ed, path, "image") == {}
            # A claim in another file names a class of a driver.
            claim = (
                "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c}\nspec:\n"
            )
            claim += (
                "  devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.amd.com}}]}\n"
            )
            ed.open(other, claim)
            await ed.settled()
            assert set(await offered(ed, path, "image")) == {OF_NVIDIA[i] for i in (0, 1, 2, 4)}
            ed.type(other, claim.replace("amd", "nvidia") + "---\n" + claim)
            await ed.settled()
            both = await offered(ed, path, "image")
            assert {"one GPU (gpu.nvidia.com)", "one GPU (gpu.amd.com)"} <= set(both)
            assert 'driver == "gpu.amd.com"' in written(
                ed, path, both["one GPU (gpu.amd.com)"]
            ) or (
                "deviceClassName: gpu.amd.com" in written(ed, path, both["one GPU (gpu.amd.com)"])
            )

    run(test())


def test_values_are_those_of_the_recording(tmp_path: Path) -> None:
    path = folder_with(tmp_path, POD, "slices: [fleet]")
    (tmp_path / "fleet").mkdir()
    shutil.copy(INVENTORY / "gpu.nvidia.com-static-mig-mixed-a100/slices.yaml", tmp_path / "fleet")

    async def test() -> None:
        async with editor(tmp_path) as ed:
            ed.open(path)
            await ed.settled()
            found = await offered(ed, path, "image")
            partitions = [title for title in found if "MIG" in title]
            assert partitions == [
                f"a MIG partition {each}" for each in ("1g.5gb", "2g.10gb", "3g.20gb")
            ]
            after = written(ed, path, found["a MIG partition 3g.20gb"])
            assert after == by_command(path, POD, "mig", "--set", "profile=3g.20gb")

    run(test())


def test_a_recording_without_partitions_offers_none(tmp_path: Path) -> None:
    path = folder_with(tmp_path, POD, "slices: [fleet]")
    (tmp_path / "fleet").mkdir()
    shutil.copy(INVENTORY / "gpu.nvidia.com-eks-p4d-a100-full-gpu/slices.yaml", tmp_path / "fleet")

    async def test() -> None:
        async with editor(tmp_path) as ed:
            ed.open(path)
            await ed.settled()
            found = await offered(ed, path, "image")
            assert "one GPU" in found
            assert [title for title in found if "MIG" in title] == []

    run(test())


@pytest.mark.parametrize(
    ("version", "there"), [("1.34", False), ("1.36", True), ("1.35-1.37", False)]
)
def test_no_recipe_of_a_later_release(version: str, there: bool, tmp_path: Path) -> None:
    config = f'kube-version: "{version}"\ndriver-versions: {{net.example.com: v0.4, gpu.example.com: v0.2.0}}'
    path = folder_with(tmp_path, POD, config)

    async def test() -> None:
        async with editor(tmp_path) as ed:
            ed.open(path)
            await ed.settled()
            found = await offered(ed, path, "image")
            assert "one GPU" in found
            assert any("bandwidth" in title for title in found) is there

    run(test())


def test_what_the_command_rejects_is_not_offered(tmp_path: Path) -> None:
    path = folder_with(tmp_path, POD, "driver-versions: {gpu.nvidia.com: v25.8.0}")
    names = ("plugin", "notebook", "custom", "chart", "broken", "generated-name", "taken")

    async def test() -> None:
        async with editor(tmp_path) as ed:
            ed.open(path)
            await ed.settled()
            assert "one GPU" in await offered(ed, path, "image")
            for name in names:
                text = (INPUTS / f"{name}.yaml").read_text()
                ed.type(path, text)
                await ed.settled()
                for mark in {line for line in text.splitlines() if line.strip()}:
                    assert await offered(ed, path, mark) == {}, f"{name}: {mark}"

    run(test())


def test_a_monitor_is_for_daemon_sets(tmp_path: Path) -> None:
    text = TWO.replace("Deployment", "DaemonSet").partition("      - name: second")[0]
    path = folder_with(tmp_path, text, "driver-versions: {gpu.nvidia.com: v25.8.0}")

    async def test() -> None:
        async with editor(tmp_path) as ed:
            ed.open(path)
            await ed.settled()
            found = await offered(ed, path, "image")
            assert list(found) == ["admin access to every GPU of the node"]
            after = written(ed, path, found["admin access to every GPU of the node"])
            assert after == by_command(path, text, "monitor")

    run(test())
