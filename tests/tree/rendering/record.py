"""Asks Kustomize's decoder: `python -m tests.tree.rendering.record PROGRAM`.

PROGRAM is built of tests/oracle/kustomizations (`make -C tests/oracle bin/kustomizations`).
"""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from typing import Any

from dradsl.tree.rendering.decoding import KUSTOMIZATION, decoded, json_text
from dradsl.tree.rendering.programs import NotRenderedError
from tests.tree.rendering.kustomization_cases import RECORDED, cases

__all__ = ["answers", "rewritten"]


def rewritten(data: bytes) -> tuple[str | None, str | None]:
    """The text that Kustomize gets of a kustomization, or why it gets none."""
    try:
        found = decoded(data, "kustomization.yaml")
        return json_text(found.checked(KUSTOMIZATION, lambda text, *_: text)), None
    except (NotRenderedError, ValueError) as error:
        return None, str(error)


def answers(program: str, texts: list[bytes]) -> list[dict[str, Any]]:
    """What Kustomize reads in each text: `kustomization`, or an `error`."""
    lines = "".join(json.dumps({"data": base64.b64encode(each).decode()}) + "\n" for each in texts)
    done = subprocess.run([program], input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


if __name__ == "__main__":
    asked = cases()
    written = [rewritten(each)[0] for each in asked]
    read = answers(sys.argv[1], asked)
    # What dradsl writes must be read as what it is written of.
    again = iter(answers(sys.argv[1], [each.encode() for each in written if each is not None]))
    for answer, text in zip(read, written, strict=True):
        assert text is None or next(again) == answer, (text, answer)
    rows = []
    for data, answer, text in zip(asked, read, written, strict=True):
        row: dict[str, Any] = {"data": base64.b64encode(data).decode(), "read": answer}
        if text is not None:
            row["written"] = text
        rows.append(json.dumps(row, sort_keys=True))
    RECORDED.write_text("[\n" + ",\n".join(rows) + "\n]\n")
