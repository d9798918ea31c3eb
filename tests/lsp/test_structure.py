"""Completion that writes lists, items and required fields; hover and schemas that say what each field is for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml
from lsprotocol import types

from dradsl.data import data_path
from dradsl.kube.fields.table import KINDS, VERSIONS, Category, fields_of
from dradsl.kube.schemas import schema
from dradsl.releases import RELEASES
from tests.lsp.client import editor, run
from tests.lsp.test_answers import accepted, hovered, offered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.lsp.client import Editor

HEAD = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata:\n  name: one\n"
POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: p
spec:
  containers:
  - name: main
    image: x
    resources:
      CLAIMS
  PLACE
"""
_SHARED = {"ObjectMeta", "Condition", "NodeSelector", "OwnerReference", "ManagedFieldsEntry"}
"""Types of other API groups."""


def fields() -> Iterator[tuple[str, str]]:
    """Each type of the group with each of its fields, of every version and release."""
    waiting, seen = list(KINDS), set(_SHARED)
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        for version in VERSIONS:
            for release in RELEASES:
                for field in fields_of(name, version, release).values():
                    type_ = field.type
                    while type_.item is not None:
                        type_ = type_.item
                    if type_.category is Category.STRUCT:
                        waiting.append(type_.name)
                    if field.name not in ("apiVersion", "kind", "metadata"):
                        yield name, field.name


def test_every_field_has_a_text_and_every_text_a_field() -> None:
    path = Path(data_path("schemas", "field-descriptions.yaml"))
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    described = {(name, field) for name, texts in data.items() for field in texts}
    known = set(fields())
    assert known - described == set()
    of_pods = ("PodSpec", "PodResourceClaim", "ResourceRequirements", "ContainerClaim")
    # A merged type brings the fields that the other one has besides.
    more = {each for each in described - known if each[0] not in of_pods}
    assert {name for name, _ in more} <= {
        "ResourceClaimTemplateSpec",
        "DeviceSubRequest",
        "BasicDevice",
    }
    assert all(
        text.endswith(".") and len(text) < 300 for texts in data.values() for text in texts.values()
    )


def test_schemas_for_editors_have_the_texts() -> None:
    found = json.dumps(schema("v1", RELEASES["1.37"]))
    assert "At most 32; without any, nothing is allocated." in found
    assert "Default: `ExactCount`." in found
    assert "Needs the feature gate DRAConsumableCapacity." in found


async def take(ed: Editor, path: Path, label: str) -> None:
    """Take what is offered under a label at the end of the text."""
    text = ed.texts[path]
    item = (await offered(ed, path, text))[label]
    ed.type(path, await accepted(ed, path, item))


@pytest.mark.parametrize("release", ["1.34", "1.37"])
def test_a_template_from_an_empty_file(tmp_path: Path, release: str) -> None:
    path = tmp_path / "template.yaml"
    path.write_text(HEAD)

    async def test() -> None:
        async with editor(tmp_path, settings={"kubeVersion": release}) as ed:
            ed.open(path)
            head, name = HEAD.split("metadata:")
            ed.type(path, f"{head}me")
            await take(ed, path, "metadata")
            assert ed.texts[path] == f"{head}metadata:\n  name: "
            assert name == "\n  name: one\n"
            ed.type(path, f"{HEAD}sp")
            await take(ed, path, "spec")
            assert ed.texts[path] == (
                f"{HEAD}spec:\n  spec:\n    devices:\n      requests:\n        - name: \n"
                "          exactly:\n            deviceClassName: "
            )
            ed.type(path, ed.texts[path].replace("- name: ", "- name: gpu") + "gpu.nvidia.com")
            ed.type(path, ed.texts[path] + "\n            sel")
            await take(ed, path, "selectors")
            assert ed.texts[path].endswith(
                "selectors:\n              - cel:\n                  expression: |-\n" + " " * 20
            )
            ed.type(
                path,
                ed.texts[path] + 'device.attributes["gpu.nvidia.com"].architecture == "Hopper"\n',
            )
            ed.type(path, ed.texts[path] + "      con")
            await take(ed, path, "constraints")
            await ed.settled()
            assert "matchAttribute: " in ed.texts[path]
            assert yaml.safe_load(ed.texts[path])["spec"]["spec"]["devices"]["constraints"] == [
                {"requests": [None], "matchAttribute": None}
            ]

    run(test())


@pytest.mark.parametrize("column", ["      ", "        "])
def test_a_new_item_below_a_list(tmp_path: Path, column: str) -> None:
    path = tmp_path / "template.yaml"
    text = f"{HEAD}spec:\n  spec:\n    devices:\n      requests:\n{column}"

    async def test() -> None:
        async with editor(tmp_path) as ed:
            ed.open(path, text)
            await take(ed, path, "- name, exactly, deviceClassName")
            assert ed.texts[path] == (
                f"{text}- name: \n{column}  exactly:\n{column}    deviceClassName: "
            )
            ed.type(path, f"{text}- ")
            found = await offered(ed, path, f"{text}- ")
            assert "firstAvailable" in found
            assert not any(label.startswith("-") for label in found)

    run(test())


def test_an_editor_with_snippets_gets_places_to_fill_in(tmp_path: Path) -> None:
    path = tmp_path / "template.yaml"
    text = f"{HEAD}spec:\n  spec:\n    devices:\n      re"

    async def test() -> None:
        async with editor(tmp_path, snippets=True) as ed:
            ed.open(path, text)
            item = (await offered(ed, path, text))["requests"]
            assert item.insert_text_format is types.InsertTextFormat.Snippet
            assert item.insert_text_mode is types.InsertTextMode.AsIs
            assert isinstance(item.text_edit, types.TextEdit)
            assert item.text_edit.new_text == (
                "requests:\n        - name: $1\n          exactly:\n            deviceClassName: $2"
            )

    run(test())


def test_a_pod_from_its_claims(tmp_path: Path) -> None:
    path = tmp_path / "pod.yaml"
    first, rest = POD.split("CLAIMS")

    async def test() -> None:
        async with editor(tmp_path) as ed:
            ed.open(path, f"{first}c")
            await take(ed, path, "claims")
            done = ed.texts[path] + "gpu" + rest.replace("PLACE\n", "res")
            ed.type(path, done)
            await take(ed, path, "resourceClaims")
            pod = yaml.safe_load(
                ed.texts[path].replace("- name: \n    resource", "- name: gpu\n      resource")
            )
            assert pod["spec"]["containers"][0]["resources"]["claims"] == [{"name": "gpu"}]
            assert list(pod["spec"]["resourceClaims"][0]) == ["name", "resourceClaimTemplateName"]
            assert "Each container names those that it uses" in await hovered(
                ed, path, "resourceClaims"
            )
            assert "this container can use" in await hovered(ed, path, "claims:")
            text = await hovered(ed, path, "resourceClaimTemplateName")
            assert "deleted with the pod" in text

    run(test())


def test_constraints_offer_what_can_match(tmp_path: Path) -> None:
    path = tmp_path / "template.yaml"
    text = (
        f"{HEAD}spec:\n  spec:\n    devices:\n      requests:\n      - name: gpu\n        exactly:\n"
        "          deviceClassName: gpu.nvidia.com\n          count: 2\n      constraints:\n      - "
    )

    async def test() -> None:
        async with editor(tmp_path) as ed:
            ed.open(path, f"{text}matchAttribute: ")
            await ed.settled()
            match = list(await offered(ed, path, f"{text}matchAttribute: "))
            assert match[0].startswith("resource.kubernetes.io/")
            assert "gpu.nvidia.com/uuid" not in match
            ed.type(path, f"{text}distinctAttribute: ")
            assert "gpu.nvidia.com/uuid" in await offered(ed, path, f"{text}distinctAttribute: ")

    run(test())


def test_hover_says_what_a_field_is_for(tmp_path: Path) -> None:
    path = tmp_path / "class.yaml"
    text = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: a}\nspec:\n  extendedResourceName: a.b/c\n"

    async def test() -> None:
        async with editor(tmp_path) as ed:
            ed.open(path, text)
            found = await hovered(ed, path, "extendedResourceName")
            assert "The extended resource that this class serves" in found
            assert "optional" in found

    run(test())


def test_a_template_of_helm(tmp_path: Path) -> None:
    path = tmp_path / "templates" / "claim.yaml"
    path.parent.mkdir()
    text = (
        "{{- if .Values.gpu }}\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata:\n"
        '  name: {{ include "x.name" . }}\nspec:\n  devices:\n    requests:\n    - name: gpu\n      exactly:\n'
        "        deviceClassName: gpu.nvidia.com\n        count: {{ .Values.count }}\n        selectors:\n        - cel:\n"
        '            expression: device.attributes["gpu.nvidia.com"].architectur == "Hopper"\n{{- end }}\n'
    )

    async def test() -> None:
        async with editor(tmp_path) as ed:
            ed.open(path, text)
            await ed.settled()
            assert ed.codes(path) == ["DRA201"]
            assert "as many devices as `count` says" not in await hovered(ed, path, "count")
            assert "How many devices" in await hovered(ed, path, "count")
            right = text.replace("architectur ", "architecture ")
            ed.type(path, right)
            await ed.settled()
            assert ed.codes(path) == []
            assert "attribute of `gpu.nvidia.com`" in await hovered(ed, path, "architecture")
            before = right.index("architecture")
            found = await offered(ed, path, right[:before])
            assert {"architecture", "productName"} <= {*found}
            tokens = await ed.client.text_document_semantic_tokens_full_async(
                types.SemanticTokensParams(types.TextDocumentIdentifier(path.as_uri()))
            )
            assert tokens is not None
            assert tokens.data

    run(test())
