"""Hover, completion, actions, names and formatting, asked by a real client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from dradsl.lsp.texts.places import Places
from tests.lsp.client import Editor, editor, run

if TYPE_CHECKING:
    from pathlib import Path

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
          deviceClassName: gpu.nvidia.com
          selectors:
          - cel:
              expression: |-
                device.attributes["gpu.nvidia.com"].architecture == "Hopper" &&
                device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("40Gi")) >= 0
      - name: nic
        firstAvailable:
        - name: fast
          deviceClassName: team-class
      constraints:
      - requests: [gpu, nic]
        matchAttribute: resource.kubernetes.io/pcieRoot
      config:
      - requests: ["nic/fast"]
        opaque:
          driver: gpu.nvidia.com
          parameters: {}
"""
POD = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: worker
  namespace: ml
spec:
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec:
      resourceClaims:
      - name: devices
        resourceClaimTemplateName: pair
      containers:
      - name: main
        image: x
        resources:
          claims:
          - name: devices
            request: gpu
"""
CLASS = """\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata:
  name: team-class
spec:
  selectors:
  - cel:
      expression: device.driver == "dra.net"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("template", TEMPLATE), ("pod", POD), ("class", CLASS)):
        (tmp_path / f"{name}.yaml").write_text(text)
    return tmp_path


async def hovered(ed: Editor, path: Path, mark: str, within: int = 1) -> str:
    found = await ed.client.text_document_hover_async(
        types.HoverParams(**ed.at(path, mark, within))
    )
    if found is None:
        return ""
    assert isinstance(found.contents, types.MarkupContent)
    return found.contents.value


async def offered(ed: Editor, path: Path, mark: str, within: int | None = None) -> dict[str, Any]:
    """What is offered behind `mark`, by label."""
    place = ed.at(path, mark, len(mark) if within is None else within)
    found = await ed.client.text_document_completion_async(types.CompletionParams(**place))
    assert isinstance(found, types.CompletionList)
    return {item.label: item for item in found.items}


async def accepted(ed: Editor, path: Path, item: types.CompletionItem) -> str:
    """The text after an item was taken."""
    assert isinstance(item.text_edit, types.TextEdit)
    return applied(ed, path, [item.text_edit])


def applied(ed: Editor, path: Path, edits: list[types.TextEdit]) -> str:
    text = ed.texts[path]
    places = Places(text, ed.encoding)
    for edit in sorted(edits, key=lambda each: each.range.start, reverse=True):
        start, end = places.offset(edit.range.start), places.offset(edit.range.end)
        text = text[:start] + edit.new_text + text[end:]
    return text


def test_hover(folder: Path) -> None:
    path = folder / "template.yaml"

    async def test() -> None:
        async with editor(folder) as ed:
            ed.open(path)
            await ed.settled()
            text = await hovered(ed, path, "architecture")
            assert "attribute of `gpu.nvidia.com`" in text
            assert "Hopper" in text
            assert "string" in text
            assert "capacity of `gpu.nvidia.com`" in await hovered(ed, path, "memory.comp")
            assert "kubernetes.Quantity.compareTo" in await hovered(ed, path, "compareTo")
            assert "Device types" in await hovered(ed, path, 'gpu.nvidia.com"].arch')
            assert "resource.kubernetes.io/pcieRoot" in await hovered(
                ed, path, "resource.kubernetes.io/p"
            )
            assert "DeviceClass gpu.nvidia.com" in await hovered(ed, path, "gpu.nvidia.com\n")
            text = await hovered(ed, path, "matchAttribute")
            assert "spec.spec.devices.constraints[0].matchAttribute" in text
            assert "optional" in text
            # A field of a text that cannot be read.
            ed.edit(path, len(TEMPLATE), len(TEMPLATE), "x: [\n")
            assert "deviceClassName" in await hovered(ed, path, "deviceClassName")
            ed.type(path, TEMPLATE.replace("deviceClassName: gpu", "deviceClass: gpu"))
            await ed.settled()
            assert "**DRA005 unknown-field**" in await hovered(ed, path, "deviceClass:")

    run(test())


@pytest.mark.parametrize(
    ("before", "after", "wanted", "not_wanted"),
    [
        (
            "          deviceClassName: gpu.nvidia.com",
            "          deviceClassName: ",
            "team-class",
            "pair",
        ),
        (
            "          deviceClassName: gpu.nvidia.com",
            "          deviceClassName: ",
            "gpu.nvidia.com",
            "nic",
        ),
        (
            "          deviceClassName: gpu.nvidia.com",
            "          all",
            "allocationMode",
            "requests",
        ),
        (
            "          deviceClassName: gpu.nvidia.com",
            "          allocationMode: ",
            "ExactCount",
            "Equal",
        ),
        ("      - requests: [gpu, nic]", "      - requests: [gpu, ", "nic/fast", "pair"),
        ("      - requests: [gpu, nic]", "      - requests:\n        - ", "gpu", "matchAttribute"),
        (
            "        matchAttribute: resource.kubernetes.io/pcieRoot",
            "        matchAttribute: ",
            "gpu.nvidia.com/architecture",
            "dra.net/rdma",
        ),
        ("          driver: gpu.nvidia.com", "          driver: ", "dra.net", "team-class"),
        ("kind: ResourceClaimTemplate", "kind: ", "ResourceClaim", "Pod"),
        (
            "apiVersion: resource.k8s.io/v1",
            "apiVersion: ",
            "resource.k8s.io/v1",
            "resource.k8s.io/v1alpha3",
        ),
        ("  namespace: ml", "  namespace: ", "ml", "default"),
    ],
)
def test_completion_in_yaml(
    folder: Path, before: str, after: str, wanted: str, not_wanted: str
) -> None:
    path = folder / "template.yaml"

    async def test() -> None:
        async with editor(folder) as ed:
            ed.open(path)
            await ed.settled()
            ed.type(path, TEMPLATE.replace(before, after, 1))
            found = await offered(ed, path, after)
            assert wanted in found
            assert not_wanted not in found
            done = await accepted(ed, path, found[wanted])
            head = after.rstrip("al") if wanted == "allocationMode" else after
            assert f"{head}{wanted}" in done

    run(test())


@pytest.mark.parametrize(
    ("before", "after", "wanted", "not_wanted"),
    [
        ("resourceClaimTemplateName: pair", "resourceClaimTemplateName: ", "pair", "gpu"),
        (
            "        resourceClaimTemplateName: pair",
            "        resource",
            "resourceClaimName",
            "name",
        ),
        ("          - name: devices", "          - name: ", "devices", "main"),
        ("            request: gpu", "            request: ", "gpu", "devices"),
        ("          claims:", "          c", "claims", "image"),
    ],
)
def test_completion_in_pods(
    folder: Path, before: str, after: str, wanted: str, not_wanted: str
) -> None:
    path = folder / "pod.yaml"

    async def test() -> None:
        async with editor(folder) as ed:
            ed.open(path)
            await ed.settled()
            ed.type(path, POD.replace(before, after, 1))
            found = await offered(ed, path, after)
            assert wanted in found
            assert not_wanted not in found

    run(test())


@pytest.mark.parametrize(
    ("written", "wanted", "not_wanted"),
    [
        ("dev", "device", "architecture"),
        ("device.", "attributes", "architecture"),
        ("device.attributes[", '"gpu.nvidia.com"', "architecture"),
        ('device.attributes["', "gpu.nvidia.com", "architecture"),
        ('device.attributes["gpu.nvidia.com"].', "architecture", "memory"),
        ('device.attributes["gpu.nvidia.com"].arch', "architecture", "memory"),
        ('device.capacity["gpu.nvidia.com"].', "memory", "architecture"),
        ('device.attributes["gpu.nvidia.com"].architecture == "', "Hopper", "memory"),
        ('device.attributes["gpu.nvidia.com"].architecture == ', '"Hopper"', "memory"),
        ('device.attributes["gpu.nvidia.com"].architecture in ["Hopper", "', "Blackwell", "memory"),
        ('device.attributes["gpu.nvidia.com"].architecture.', "startsWith", "compareTo"),
        ('device.attributes["gpu.nvidia.com"].driverVersion.', "compareTo", "startsWith"),
        ('device.capacity["gpu.nvidia.com"].memory.', "isGreaterThan", "major"),
        ('device.driver == "', "gpu.nvidia.com", "architecture"),
        ('cel.bind(d, device.attributes["gpu.nvidia.com"], d.', "architecture", "memory"),
        ("true && qu", "quantity", "architecture"),
        ('has(device.attributes["gpu.nvidia.com"].', "architecture", "memory"),
    ],
)
def test_completion_in_cel(folder: Path, written: str, wanted: str, not_wanted: str) -> None:
    path = folder / "template.yaml"
    at = TEMPLATE.index("device.attributes")
    end = TEMPLATE.index("      - name: nic")

    async def test() -> None:
        async with editor(folder) as ed:
            ed.open(path)
            await ed.settled()
            for rest in ("\n", "\nx: [\n"):  # readable, and not
                ed.type(path, TEMPLATE[:at] + written + rest + TEMPLATE[end:])
                found = await offered(ed, path, TEMPLATE[:at] + written)
                assert wanted in found, rest
                assert not_wanted not in found
            done = await accepted(ed, path, found[wanted])
            assert done.startswith(TEMPLATE[:at] + written[:3])
            assert wanted + "\n" in done

    run(test())


def test_completion_keeps_what_was_known(folder: Path) -> None:
    """Names of a file that cannot be read now are those it had."""
    template, pod = folder / "template.yaml", folder / "pod.yaml"

    async def test() -> None:
        async with editor(folder) as ed:
            ed.open(template)
            ed.open(pod)
            await ed.settled()
            ed.type(template, TEMPLATE.replace("metadata:", "metadata: [", 1))
            ed.type(pod, POD.replace("Name: pair", "Name: "))
            await ed.settled()
            assert "pair" in await offered(ed, pod, "resourceClaimTemplateName: ")

    run(test())


def test_definition_and_references(folder: Path) -> None:
    template, pod = folder / "template.yaml", folder / "pod.yaml"

    async def test() -> None:
        async with editor(folder) as ed:
            ed.open(template)
            ed.open(pod)
            await ed.settled()

            async def defined(path: Path, mark: str, within: int = 1) -> list[tuple[str, int]]:
                found = await ed.client.text_document_definition_async(
                    types.DefinitionParams(**ed.at(path, mark, within))
                )
                assert isinstance(found, list)
                places = [each for each in found if isinstance(each, types.Location)]
                return [(each.uri, each.range.start.line) for each in places]

            assert await defined(pod, "pair") == [(template.as_uri(), 3)]
            assert await defined(pod, "gpu") == [(template.as_uri(), 9)]
            assert await defined(pod, "devices\n            request") == [(pod.as_uri(), 11)]
            assert await defined(template, "gpu, nic") == [(template.as_uri(), 9)]
            assert await defined(template, "nic/fast", 5) == [(template.as_uri(), 19)]
            assert await defined(template, "nic/fast", 1) == [(template.as_uri(), 17)]
            assert await defined(template, "team-class") == [((folder / "class.yaml").as_uri(), 3)]
            ((schema, line),) = await defined(template, "gpu.nvidia.com\n")
            assert schema.endswith("/schemas/drivers/gpu.nvidia.com.yaml")
            assert line > 0

            found = await ed.client.text_document_references_async(
                types.ReferenceParams(
                    context=types.ReferenceContext(include_declaration=True),
                    **ed.at(template, "gpu\n", 1),
                )
            )
            assert sorted((each.uri, each.range.start.line) for each in found or ()) == [
                (pod.as_uri(), 19),
                (template.as_uri(), 9),
                (template.as_uri(), 22),
            ]

    run(test())


def test_rename(folder: Path) -> None:
    """A request, then the template: in all files, and nothing else changes."""
    template, pod = folder / "template.yaml", folder / "pod.yaml"

    async def test() -> None:
        async with editor(folder) as ed:
            ed.open(template)
            await ed.settled()

            async def renamed(mark: str, new: str) -> dict[Path, str]:
                edit = await ed.client.text_document_rename_async(
                    types.RenameParams(new_name=new, **ed.at(template, mark, 1))
                )
                assert edit is not None
                for each in (template, pod):
                    ed.texts.setdefault(each, each.read_text())
                by_uri = {each.as_uri(): each for each in ed.texts}
                return {
                    by_uri[uri]: applied(ed, by_uri[uri], list(edits))
                    for uri, edits in (edit.changes or {}).items()
                }

            assert await renamed("gpu\n", "accelerator") == {
                template: TEMPLATE.replace("- name: gpu", "- name: accelerator").replace(
                    "[gpu, nic]", "[accelerator, nic]"
                ),
                pod: POD.replace("request: gpu", "request: accelerator"),
            }
            assert await renamed("nic\n", "net") == {
                template: TEMPLATE.replace("- name: nic", "- name: net")
                .replace("[gpu, nic]", "[gpu, net]")
                .replace("nic/fast", "net/fast")
            }
            assert await renamed("pair", "couple") == {
                template: TEMPLATE.replace("name: pair", "name: couple"),
                pod: POD.replace("Name: pair", "Name: couple"),
            }
            with pytest.raises(JsonRpcException, match="already"):
                await renamed("gpu\n", "nic")
            with pytest.raises(JsonRpcException, match="no name"):
                await renamed("gpu\n", "Not A Name")
            rejected = await ed.client.text_document_prepare_rename_async(
                types.PrepareRenameParams(**ed.at(template, "deviceClassName", 1))
            )
            assert rejected is None

    run(test())


def test_code_actions(folder: Path) -> None:
    path = folder / "template.yaml"

    async def test() -> None:
        async with editor(folder) as ed:
            wrong = TEMPLATE.replace("deviceClassName: gpu", "deviceClassname: gpu")
            ed.open(path, wrong)
            await ed.settled()

            async def offered(mark: str, *only: str) -> dict[str, types.CodeAction]:
                start = ed.at(path, mark)["position"]
                params = types.CodeActionParams(
                    types.TextDocumentIdentifier(path.as_uri()),
                    types.Range(start, start),
                    types.CodeActionContext(ed.diagnostics[path.as_uri()], list(only) or None),
                )
                found = await ed.client.text_document_code_action_async(params)
                return {
                    each.title: each for each in found or () if isinstance(each, types.CodeAction)
                }

            def done(action: types.CodeAction) -> str:
                assert action.edit is not None
                ((uri, edits),) = (action.edit.changes or {}).items()
                assert uri == path.as_uri()
                return applied(ed, path, list(edits))

            found = await offered("deviceClassname")
            (fix,) = [each for title, each in found.items() if "deviceClassName" in title]
            assert done(fix) == TEMPLATE
            (ignore,) = [each for title, each in found.items() if title == "DRA005: ignore here"]
            assert "          # dradsl: ignore[DRA005]\n          deviceClassname" in done(ignore)
            ed.type(path, done(ignore))
            await ed.settled()
            assert "DRA005" not in ed.codes(path)
            ed.type(path, wrong)
            await ed.settled()
            assert await offered("constraints") == {} or "DRA005: ignore here" not in await offered(
                "constraints"
            )

            old = TEMPLATE.replace("resource.k8s.io/v1", "resource.k8s.io/v1beta2")
            ed.type(path, old)
            await ed.settled()
            (convert,) = (await offered("requests:", "refactor")).values()
            assert done(convert) == TEMPLATE

    run(test())


def test_no_action_on_a_newer_text(folder: Path) -> None:
    """Fixes are of the text that was linted: on another one there are none until it is linted too."""
    from dradsl.lsp.linting.engine import Engine

    path = str(folder / "a.yaml")
    engine = Engine(lambda *_: None, lambda _: None)
    first = engine.buffers.put("file:///a", path, CLASS, 1)
    engine._told[path] = first
    engine.findings[path] = ()
    second = engine.buffers.put("file:///a", path, CLASS + "\n", 2)
    engine.findings[path] = (object(),)  # type: ignore[assignment] # anything will do
    assert engine.current(first) != ()
    assert engine.current(second) == ()


def test_symbols(folder: Path) -> None:
    path = folder / "template.yaml"

    async def test() -> None:
        async with editor(folder) as ed:
            ed.open(path)
            found = await ed.client.text_document_document_symbol_async(
                types.DocumentSymbolParams(types.TextDocumentIdentifier(path.as_uri()))
            )
            (one,) = found or ()
            assert isinstance(one, types.DocumentSymbol)
            assert (one.name, one.detail) == ("pair", "ResourceClaimTemplate")
            assert [each.name for each in one.children or ()] == ["gpu", "nic", "fast"]

    run(test())


def test_formatting(folder: Path) -> None:
    """Selectors get the form of `dradsl cel fmt`; all else stays, and once is enough."""
    path = folder / "template.yaml"
    wild = TEMPLATE.replace('.architecture == "Hopper" &&', '.architecture=="Hopper"&&(true)&&')
    plain = CLASS.replace('device.driver == "dra.net"', "device.driver  ==  'dra.net'")

    async def test() -> None:
        async with editor(folder) as ed:
            ed.open(path, wild + "---\n" + plain)

            async def formatted() -> str:
                edits = await ed.client.text_document_formatting_async(
                    types.DocumentFormattingParams(
                        types.TextDocumentIdentifier(path.as_uri()),
                        types.FormattingOptions(2, True),
                    )
                )
                return applied(ed, path, list(edits or ()))

            once = await formatted()
            assert '.architecture == "Hopper" &&\n                true &&\n' in once
            assert "device.driver == 'dra.net'" in once
            assert once.count("\n") == ed.texts[path].count("\n") + 1
            ed.type(path, once)
            assert await formatted() == once

    run(test())
