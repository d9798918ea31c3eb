"""What a finding says about CEL and YAML, for readers who wrote Python."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dradsl.records import replace

if TYPE_CHECKING:
    from dradsl.diagnostics import Finding

__all__ = ["in_python"]

_VALUE = r'device\.(?P<source>attributes|capacity)\["(?P<domain>[^"]+)"\](?:\.(?P<name>\w+)|\["(?P<quoted>[^"]+)"\])'
_READ = re.compile(_VALUE)

# Rule -> what to do in Python, where the words for YAML tell nothing to an author of Python.
_HELP = {
    "DRA207": (
        "compare through a handle, which writes the guard: gpu.x == ..., or "
        'driver("...").attributes["x"] == ...; without `.unguarded`'
    ),
    "DRA219": (
        "name the schema that the handles were generated from: --driver-schema FILE, or "
        "driver-schema under [tool.dradsl]"
    ),
    "DRA319": "spread the devices over several ResourceClaims",
    "DRA325": 'name the key: Toleration.exists("example.com/old"); for every taint Toleration.any()',
    "DRA330": "give it requests=[Request(...)], or leave the claim out",
}


def in_python(finding: Finding) -> Finding:
    """The finding with a remedy in words of Python."""
    help_ = _HELP.get(finding.code)
    if help_ is None and finding.help is not None:
        help_ = _READ.sub(_as_handle, finding.help)
    return finding if help_ is None else replace(finding, help=help_)


def _as_handle(match: re.Match[str]) -> str:
    name = match["name"] or match["quoted"]
    return f'driver("{match["domain"]}").{match["source"]}["{name}"]'
