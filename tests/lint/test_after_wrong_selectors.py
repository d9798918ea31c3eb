"""Selectors after one with a mistake: what follows from the mistake is not reported beside it."""

from __future__ import annotations

import json

import pytest

from dradsl.lint.engine.run import lint_text

_NVIDIA = 'device.attributes["gpu.nvidia.com"]'
_AMPERE = f'{_NVIDIA}.architecture == "Ampere"'
_HOPPER = f'{_NVIDIA}.architecture == "Hopper"'


def _selectors(*texts: str) -> str:
    return "".join(f"  - cel: {{expression: {json.dumps(text)}}}\n" for text in texts)


def _claim(class_name: str, *texts: str) -> str:
    """A claim of one request with these selectors."""
    listed = _selectors(*texts).replace("  - cel", "        - cel")
    return f"""\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {{name: a, namespace: ml}}
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: {class_name}
        selectors:
{listed}"""


def _class(text: str) -> str:
    return f"""\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {{name: own}}
spec:
  selectors:
{_selectors(f'device.driver == "gpu.nvidia.com" && {_NVIDIA}.type == "gpu" && ({text})')}---
"""


def _said(text: str) -> list[str]:
    found = lint_text(text).findings
    return [f"{one.severity.value} {one.code}" for one in found]


MISTAKES = [
    pytest.param(f'{_NVIDIA}.spelt == "x"', "DRA201", id="a name that no version publishes"),
    pytest.param(f'has({_NVIDIA}.spelt) && {_NVIDIA}.spelt == "x"', "DRA201", id="behind has()"),
    pytest.param(f'{_NVIDIA}.?spelt.orValue("") == "x"', "DRA201", id="an optional name"),
    pytest.param(f'{_NVIDIA}.architectrue == "Hopper"', "DRA201", id="a misspelt name"),
    pytest.param(f'{_NVIDIA}.architecture == "Hoper"', "DRA209", id="a misspelt value"),
]


@pytest.mark.parametrize(("mistake", "code"), MISTAKES)
@pytest.mark.parametrize("later", [_HOPPER, f'{_NVIDIA}.architecture in ["Hopper"]'])
def test_the_mistake_alone_is_reported(mistake: str, code: str, later: str) -> None:
    either = f"({mistake}) || {_AMPERE}"
    assert _said(_claim("gpu.nvidia.com", either, later)) == [f"warning {code}"]
    assert _said(_class(either) + _claim("own", later)) == [f"warning {code}"]


def test_what_is_certain_comes_once_the_mistake_is_fixed() -> None:
    blackwell = f'{_NVIDIA}.architecture == "Blackwell"'
    fixed = f"{blackwell} || {_AMPERE}"
    misspelt = fixed.replace('architecture == "Blackwell"', 'architectrue == "Blackwell"')
    assert _said(_claim("gpu.nvidia.com", misspelt, _HOPPER)) == ["warning DRA201"]
    assert _said(_claim("gpu.nvidia.com", fixed, _HOPPER)) == ["error DRA212"]


def test_a_contradiction_that_has_another_cause_stays() -> None:
    beside = f'({_NVIDIA}.spelt == "x" || {_NVIDIA}.type == "gpu") && {_AMPERE}'
    found = _said(_claim("gpu.nvidia.com", beside, _HOPPER))
    assert found == ["warning DRA201", "error DRA212"]
