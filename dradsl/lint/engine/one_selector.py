"""One selector, judged as lint judges it in a DeviceClass, or in a request of one."""

from __future__ import annotations

import json

from dradsl.diagnostics import Finding
from dradsl.lint.engine.run import lint_text
from dradsl.lint.settings.config import LintConfig
from dradsl.records import replace

__all__ = ["findings_of_selector"]

_CLASS = """\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: class}
spec:
  selectors:
  - cel:
      expression: """
_CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: claim, namespace: default}
spec:
  devices:
    requests:
    - name: request
      exactly:
        deviceClassName: NAME
        selectors:
        - cel:
            expression: """


def findings_of_selector(
    text: str, config: LintConfig, class_name: str | None = None
) -> tuple[Finding, ...]:
    """What lint reports of the expression `text`, at its places there: findings of the families 1 and 2.

    It is a selector of a DeviceClass, or with `class_name` of a request for that class.
    """
    before = _CLASS if class_name is None else _CLAIM.replace("NAME", json.dumps(class_name))
    indent = before.rpartition("\n")[2].index("expression") + 2
    plain = all(character.isprintable() or character in "\n\t" for character in text)
    if plain and text.strip():
        lines = "".join(f"\n{' ' * indent}{line}" for line in text.split("\n"))
        written, line, column = f"|{2}-{lines}\n", before.count("\n") + 1, indent
    else:  # on one line, with escapes: places are those of the first line
        written, line, column = json.dumps(text) + "\n", before.count("\n"), indent + 11
    found = lint_text(before + written, "selector", config).findings
    return tuple(
        replace(
            each,
            span=replace(
                each.span,
                line=max(each.span.line - line, 1),
                column=max(each.span.column - column, 1),
                end_line=max(each.span.end_line - line, 1),
                end_column=max(each.span.end_column - column, 1),
            ),
        )
        for each in found
        if each.code[3] in "12"
    )
