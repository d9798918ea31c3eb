"""Semantic tokens of CEL: each word where it is in the file, whatever the YAML around it does to the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lsprotocol import types

from dradsl.lsp.selectors.tokens import LEGEND, tokens
from dradsl.lsp.texts.places import Places
from dradsl.text.documents import load
from tests.lsp.client import editor, run

if TYPE_CHECKING:
    from pathlib import Path

HEAD = """\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: c}
spec:
  selectors:
  - cel:
"""
WORDS = [
    ("device", "variable"),
    ("driver", "property"),
    ("==", "operator"),
    ('"é🙂.example.com"', "string"),
    ("&&", "operator"),
    ("device", "variable"),
    ("attributes", "property"),
    ('"a.example"', "namespace"),
    ("exists", "method"),
    ("x", "variable"),
    ("x", "variable"),
    ("in", "keyword"),
    ("quantity", "function"),
    ("1", "number"),
]
ONE_LINE = 'device.driver == "é🙂.example.com" && device.attributes["a.example"].exists(x, x in quantity(1))'


def decoded(text: str, encoding: str = "utf-16") -> list[tuple[str, str]]:
    """The words with their types, cut out of the file as an editor does."""
    places = Places(text, encoding)
    found, line, column = [], 0, 0
    data = tokens("a.yaml", load(text.encode()), places).data
    for at in range(0, len(data), 5):
        down, right, length, kind, _ = data[at : at + 5]
        line, column = line + down, (0 if down else column) + right
        start = places.offset(types.Position(line, column))
        end = places.offset(types.Position(line, column + length))
        found.append((text[start:end], LEGEND.token_types[kind]))
    return found


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
@pytest.mark.parametrize(
    "written",
    [
        "      expression: |\n        " + ONE_LINE.replace("&& ", "&&\n        ") + "\n",
        "      expression: >-\n        " + ONE_LINE.replace("&& ", "&&\n        ") + "\n",
        "      expression: " + ONE_LINE + "\n",
        "      expression: '" + ONE_LINE + "'\n",
        "      expression:\n        " + ONE_LINE.replace("&& ", "&&\n        ") + "\n",
        "      {expression: '" + ONE_LINE.replace("&& ", "&&\n        ") + "'}\n",
    ],
    ids=["block", "folded", "plain", "quoted", "plain-lines", "quoted-lines"],
)
def test_each_style(written: str, encoding: str) -> None:
    assert decoded(HEAD + written, encoding) == WORDS


def test_escapes() -> None:
    """Words are as the file writes them."""
    text = HEAD + '      expression: "device.driver == \\"a\\\\x41\\u00e9\\" // \\u0041ll"\n'
    assert decoded(text) == [
        ("device", "variable"),
        ("driver", "property"),
        ("==", "operator"),
        ('\\"a\\\\x41\\u00e9\\"', "string"),
        ("// \\u0041ll", "comment"),
    ]


def test_comments_and_words_of_ones_own() -> None:
    written = """\
      expression: |-
        // one
        cel.bind(dom, device.attributes[?"a.example"], dom.?model.orValue('') // two
        == "x" && device.capacity["a.example"]["memory"] > 1.5)
"""
    assert decoded(HEAD + written) == [
        ("// one", "comment"),
        ("cel", "variable"),
        ("bind", "method"),
        ("dom", "variable"),
        ("device", "variable"),
        ("attributes", "property"),
        ("?", "operator"),
        ('"a.example"', "namespace"),
        ("dom", "variable"),
        ("?", "operator"),
        ("model", "property"),
        ("orValue", "method"),
        ("''", "string"),
        ("// two", "comment"),
        ("==", "operator"),
        ('"x"', "string"),
        ("&&", "operator"),
        ("device", "variable"),
        ("capacity", "property"),
        ('"a.example"', "namespace"),
        ('"memory"', "property"),
        (">", "operator"),
        ("1.5", "number"),
    ]


def test_what_cannot_be_read_has_what_can() -> None:
    """Text that is no CEL, and an anchor that is used twice."""
    assert decoded(HEAD + "      expression: 'device.\"'\n")[0] == ("device", "variable")
    text = HEAD + "      expression: &a true\n  - cel:\n      expression: *a\n"
    assert decoded(text) == [("true", "keyword")]
    assert decoded("a: [\n") == []
    assert decoded("{{ if }}\n") == []


def test_over_the_wire(tmp_path: Path) -> None:
    """Whole files, and parts of them."""
    path = tmp_path / "class.yaml"
    path.write_text(
        HEAD + "      expression: true\n  - cel:\n      expression: device.driver == 'a'\n"
    )

    async def test() -> None:
        async with editor(tmp_path) as ed:
            ed.open(path)
            document = types.TextDocumentIdentifier(path.as_uri())
            whole = await ed.client.text_document_semantic_tokens_full_async(
                types.SemanticTokensParams(document)
            )
            assert whole is not None
            assert len(whole.data) == 5 * 5
            first = types.Range(types.Position(6, 0), types.Position(7, 0))
            part = await ed.client.text_document_semantic_tokens_range_async(
                types.SemanticTokensRangeParams(document, first)
            )
            assert part is not None
            assert list(part.data) == [6, 18, 4, LEGEND.token_types.index("keyword"), 0]

    run(test())
