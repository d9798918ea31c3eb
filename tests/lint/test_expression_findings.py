"""What the CEL compiler says of an expression becomes a code by its kind, not by its words."""

from __future__ import annotations

import pytest

from dradsl.lint import lint_text
from dradsl.lint.settings.config import LintConfig

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {{name: c, namespace: ml}}
spec:
  devices:
    requests:
    - name: a
      exactly:
        deviceClassName: gpu.example.com
        {holder}
    constraints: [{{matchAttribute: e.example.com/k}}]
"""
SELECTOR = "selectors: [{{cel: {{expression: {text!r}}}}}]"
DERIVED = "derivedAttributes: [{{name: e.example.com/k, expression: {text!r}}}]"


@pytest.mark.parametrize(
    ("form", "text", "code", "message"),
    [
        (
            SELECTOR,
            "device.driver ='x'",
            "DRA101",
            "Syntax error: token recognition error at: '=''",
        ),
        (SELECTOR, "device.nope", "DRA102", "undefined field 'nope'"),
        # The parser's as well: macros are expanded there.
        (SELECTOR, "has(device)", "DRA101", "invalid argument to has() macro"),
        (SELECTOR, "device.driver", "DRA103", "must evaluate to bool or the unknown type"),
        # Texts that look like what the compiler says are only texts.
        (SELECTOR, 'device.nope == "Syntax error: "', "DRA102", "undefined field 'nope'"),
        (DERIVED, "1.5", "DRA102", "must evaluate to a primitive scalar"),
        (SELECTOR, 'device.driver.matches("(")', "DRA102", ""),
    ],
)
def test_codes(form: str, text: str, code: str, message: str) -> None:
    manifest = CLAIM.format(holder=form.format(text=text))
    config = LintConfig(
        root=".", kube_version=("1.37",), feature_gates={"DRADerivedAttributes": True}
    )
    (finding,) = [f for f in lint_text(manifest, config=config).findings if f.code < "DRA2"]
    assert finding.code == code
    assert finding.message.startswith(message)
    assert "<input>" not in finding.message


def test_the_advice_is_about_the_issue_that_is_shown() -> None:
    text = "device.driver.startsWith(device.nope) && has(device)"
    manifest = CLAIM.format(holder=SELECTOR.format(text=text))
    (finding,) = [f for f in lint_text(manifest).findings if f.code < "DRA2"]
    assert finding.message == "invalid argument to has() macro"
    assert str(finding.help).startswith('write has(device.attributes["DRIVER"].NAME)')


@pytest.mark.parametrize(
    ("text", "help_"),
    [
        (
            'device.attributes["x.example.com"].v.isGreaterThan("535")',
            'write the argument as a version: semver("535.0.0")',
        ),
        (
            'device.attributes["x.example.com"].v.compareTo("80Gi") > 0',
            'write device.capacity["x.example.com"].v.compareTo(quantity("80Gi")) > 0',
        ),
        (
            'device.attributes["memory"].isGreaterThan(quantity("70Gi"))',
            'write device.capacity["gpu.example.com"].memory.isGreaterThan(quantity("70Gi"))',
        ),
        (
            'quantity("1Gi") < device.capacity["memory"]',
            'write device.capacity["gpu.example.com"].memory.compareTo(quantity("1Gi")) > 0',
        ),
        (
            'devices["gpus"].driver == device.driver',
            "did you mean the variable device? It is one device: a constraint compares those of several requests",
        ),
    ],
)
def test_help(text: str, help_: str) -> None:
    found = lint_text(CLAIM.format(holder=SELECTOR.format(text=text))).findings
    assert [each.help for each in found if each.code == "DRA102"] == [help_]


@pytest.mark.parametrize(
    ("more", "others"),
    [("", False), (" || true", True)],
)
def test_other_parts_are_spoken_of_where_there_are_some(more: str, others: bool) -> None:
    text = f'device.attributes["nvidia.com"].memory == "a"{more}'
    (why,) = [
        each.why
        for each in lint_text(CLAIM.format(holder=SELECTOR.format(text=text))).findings
        if each.code == "DRA202" and each.why and "select what it names" in each.why
    ]
    assert ("other parts" in why) is others
