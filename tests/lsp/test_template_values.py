"""Templates of charts in the editor: what the values of the chart make of actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from tests.lsp.client import Editor, editor, run
from tests.lsp.test_answers import hovered, offered

if TYPE_CHECKING:
    from pathlib import Path

TEMPLATE = """\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata:
  name: {{ .Release.Name }}-gpu
spec:
  selectors:
  - cel:
      expression: device.driver == "gpu.nvidia.com" && device.attributes["gpu.nvidia.com"].{{ .Values.gpu.name }} == "Hopper"
  - cel:
      expression: {{ .Values.gpu. | quote }}
"""
VALUES = "gpu:\n  name: architectur\n  rules: [a]\n"


def test_values_in_templates(tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "Chart.yaml").write_text("apiVersion: v2\nname: x\nversion: 1.0.0\n")
    values, template = tmp_path / "values.yaml", tmp_path / "templates" / "class.yaml"
    values.write_text(VALUES)
    template.write_text(TEMPLATE)

    async def test() -> None:
        async with editor(tmp_path) as ed:
            ed.open(template)
            await ed.settled()
            assert codes(ed, template) == [("DRA201", 8, types.DiagnosticSeverity.Warning)]
            said = await hovered(ed, template, "gpu.name")  # with what DRA201 is about
            assert said.startswith("**gpu.name**, values.yaml:2\n```yaml\narchitectur\n```\n")
            assert set(await offered(ed, template, "{{ .Values.gpu.", within=15)) == {
                "name",
                "rules",
            }
            assert await hovered(ed, template, "Release") == ""
            place = types.DefinitionParams(**ed.at(template, "gpu.name", 1))
            every = await ed.client.text_document_definition_async(place)
            assert isinstance(every, list)
            (found,) = every
            assert isinstance(found, types.Location)
            assert (found.uri, found.range.start.line) == (values.as_uri(), 1)
            # The text of the values that is open counts.
            ed.open(values)
            at = VALUES.index("architectur") + len("architectur")
            ed.edit(values, at, at, "e")
            assert "architecture\n" in await hovered(ed, template, "gpu.name")

    run(test())


def codes(ed: Editor, path: Path) -> list[tuple[str, int, object]]:
    found = ed.diagnostics.get(path.as_uri(), [])
    return [(str(each.code), each.range.start.line + 1, each.severity) for each in found]
