"""Whole objects in values of charts, in the editor."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lsprotocol import types

from dradsl.tree.charts.values_objects import with_open_texts
from tests.lsp.client import Editor, editor, run
from tests.lsp.test_answers import hovered, offered

if TYPE_CHECKING:
    from pathlib import Path

OBJECTS = """\
image: app
extraObjects:
- apiVersion: resource.k8s.io/v1
  kind: ResourceClaimTemplate
  metadata:
    name: gpu
  spec:
    spec:
      devices:
        requests:
        - name: gpu
          exactly:
            deviceClassName: gpu.nvidia.com
            selectors:
            - cel:
                expression: device.attributes["gpu.nvidia.com"].architecture == "Hopper"
            
- |
  apiVersion: resource.k8s.io/v1
  kind: ResourceClaimTemplate
  metadata:
    name: {{ .Release.Name }}-gpu
  spec:
    spec:
      devices:
        requests:
        - name: gpu
          exactly:
            deviceClassName: {{ .Values.class }}
            selectors:
            - cel:
                expression: device.attributes["gpu.nvidia.com"].architecture == "Hopper"
            
"""  # noqa: W293 - completion on an empty line


def codes(ed: Editor, path: Path) -> list[tuple[str, int]]:
    found = ed.diagnostics.get(path.as_uri(), [])
    return [(str(each.code), each.range.start.line + 1) for each in found]


@pytest.mark.parametrize("number", [0, 1])
def test_objects_in_values_are_objects(tmp_path: Path, number: int) -> None:
    """An object of the YAML, and one in a text with templates: diagnostics, hover, completion and tokens."""

    async def test() -> None:
        path = tmp_path / "values.yaml"
        first, second = OBJECTS.split("- |\n")
        parts = [first, "image: app\nextraObjects:\n- |\n" + second]
        path.write_text(parts[number])
        async with editor(tmp_path) as ed:
            ed.open(path)
            await ed.settled()
            assert codes(ed, path) == []
            assert "DeviceClass" in await hovered(ed, path, "deviceClassName")
            assert "Hopper" in await hovered(ed, path, "architecture")
            blank = 'Hopper"\n            '
            assert {"count", "adminAccess"} <= (await offered(ed, path, blank)).keys()
            assert "architecture" in await offered(ed, path, '"gpu.nvidia.com"].')
            params = types.SemanticTokensParams(types.TextDocumentIdentifier(path.as_uri()))
            found = await ed.client.text_document_semantic_tokens_full_async(params)
            assert found is not None
            assert len(found.data) > 10
            ed.type(path, parts[number].replace("deviceClassName:", "deviceClasName:"))
            await ed.settled()
            assert codes(ed, path)[:1] == [("DRA005", 13 + number)]

    run(test())


@pytest.mark.parametrize("line", [" " * 1_000_000 + "x: 1", "-" + " " * 1_000_000 + "x"])
def test_long_blank_lines_are_read_once(line: str) -> None:
    """With the square of its length this would take an hour."""
    assert with_open_texts(f"{line}\n{OBJECTS}") == f"{line}\n{with_open_texts(OBJECTS)}"
