"""What a finding says about CEL and YAML, for readers who wrote Python.

A remedy of lint names fields, CEL and options of the command line. For what a builder made it is put in other words:
fields become arguments, CEL becomes expressions, gates those of the app. Rules whose remedy is another one in Python, or
that offer none because their message says it all in YAML, have a text of their own.
"""

from __future__ import annotations

import importlib
import re
from typing import TYPE_CHECKING

from dradsl.dsl.checking.python_calls import argument_of, call_of
from dradsl.lint.catalogue.table import REMEDIES
from dradsl.records import replace
from dradsl.text.paths import parse_path

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dradsl.diagnostics import Finding

__all__ = ["in_python"]

_SHOWN = "show it with context=... of dradsl.lint, or `dradsl build --context PATH`"

_MISSING = re.compile(r"add the (\w+) to the manifests, or show .*--context PATH")
_VALUE = r'device\.(?P<source>attributes|capacity)\["(?P<domain>[^"]+)"\](?:\.(?P<name>\w+)|\["(?P<quoted>[^"]+)"\])'


def _as_handle(match: re.Match[str]) -> str:
    """What CEL reads, read through a handle: a shipped one if it knows the name."""
    domain, name = match["domain"], match["name"] or match["quoted"]
    handle = _handle_with(domain, name)
    if handle is not None:
        return f"{handle}.{name}"
    if domain.endswith("kubernetes.io"):  # of no driver: every handle has it by this name
        return f'{match["source"]}["{domain}/{name}"]'
    return f'driver("{domain}").{match["source"]}["{name}"]'


def _handle_with(driver: str, name: str) -> str | None:
    """The shipped handle of a driver that has an attribute or capacity of that name."""
    from dradsl.dsl.data.modules import module_of
    from dradsl.dsl.expressions.attributes import Attribute, Capacity
    from dradsl.dsl.expressions.handle import Handle

    module = module_of(driver)
    if module is None or not name.isidentifier():
        return None
    for title, one in vars(importlib.import_module(f"dradsl.devices.{module}")).items():
        if isinstance(one, Handle) and one.__device__.driver == driver:
            value = getattr(type(one), name, None)
            if isinstance(value, Attribute | Capacity) and value.domain == driver:
                return title
    return None


# What is in remedies -> the same in Python, in this order.
_CEL: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(rf"has\({_VALUE}\)"), lambda match: f"{_as_handle(match)}.exists()"),
    (re.compile(_VALUE), _as_handle),
    # Of a name that no shipped handle has, only one of the user's own knows that it is a version.
    (
        re.compile(r'driver\("[^"]*"\)\.attributes\["(\w+)"\](?=\.compareTo\(semver)'),
        r"handle.\1",
    ),
    (re.compile(r'\.compareTo\((?:quantity|semver)\(("[^"]*")\)\) ([<>=!]=?) 0'), r" \2 \1"),
    (re.compile(r'compareTo\((?:quantity|semver)\(("[^"]*")\)\)'), r">= \1"),
    (re.compile(r'(?:quantity|semver)\(("[^"]*")\)'), r"\1"),
    (re.compile(r'device\.driver == ("[^"]*")'), r"driver(\1)"),
    (re.compile(r"!\((.*)\)"), r"~(\1)"),
    (re.compile(r"\.startsWith\("), ".startswith("),
    (re.compile(r"\.endsWith\("), ".endswith("),
    (re.compile(r" ?&&"), " &"),
    (re.compile(r" ?\|\|"), " |"),
)  # fmt: skip
_LINT_FIX = " (`dradsl lint --fix` does it)"
_GATE = re.compile(r"(?:pass |say so to dradsl: )?--feature-gates? (\w+)=(true|false)")
_FIELDS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\ballocationMode:? (All|ExactCount)\b"), r'allocation_mode="\1"'),
    (re.compile(r"\beffect: (\w+)"), r'effect="\1"'),
    (re.compile(r"\boperator:? (Equal|Exists)\b"), r'operator="\1"'),
    (re.compile(r"\bcount:? (\d+)( each)?\b"), r"count=\1\2"),
    (re.compile(r"\bcapacity\.requests\.(\w+)"), r'capacity={"\1": ...}'),
    (re.compile(r"\btolerationSeconds\b"), "seconds="),
    (re.compile(r"\bextendedResourceName\b"), "extended_resource_name="),
    (re.compile(r"\bdeviceClassName\b"), "device_class"),
    (re.compile(r"\bfirstAvailable\b"), "FirstAvailable"),
    (
        re.compile(r"text from elsewhere must be quoted"),
        'quote text from elsewhere: raw_cel("...{}", text), cel_string(text)',
    ),
    (re.compile(r"\bunder driver-versions\b"), "under driver-versions of [tool.dradsl]"),
)  # fmt: skip


def in_python(finding: Finding, data: Mapping[str, object], *, built: bool) -> Finding:
    """The finding with a remedy in words of Python.

    Args:
        finding: what lint says of the YAML.
        data: the object that it is about.
        built: a builder made it; else it is plain data, with the fields of YAML.
    """
    help_ = _remedy(finding, data, built=built)
    return finding if help_ == finding.help else replace(finding, help=help_)


def _remedy(finding: Finding, data: Mapping[str, object], *, built: bool) -> str | None:
    said = finding.help
    when, own = REMEDIES.get(finding.code, ("", None))
    if not built and when == "pods":
        return own
    if said is not None and (missing := _MISSING.search(said)):
        add = f"add the {missing[1]} with app.add, or name the app that does: App(uses=[...])"
        return f"{add}; if others make it, {_SHOWN}"
    if not built:
        return None if said is None else _GATE.sub(_gate, said.replace(_LINT_FIX, ""))
    if when == "always":
        return own
    if said is None:
        return own if when == "otherwise" else _change(finding, data)
    said = _GATE.sub(_gate, said)
    for pattern, by in (*_CEL, *_FIELDS):
        said = pattern.sub(by, said)
    return said


def _gate(match: re.Match[str]) -> str:
    return f'say so: App(feature_gates={{"{match[1]}": {match[2].title()}}})'


def _change(finding: Finding, data: Mapping[str, object]) -> str | None:
    """The call and the argument at which the field is to be changed."""
    if finding.field is None:
        return None
    call, below = call_of(data, parse_path(finding.field))
    argument = argument_of(call, below)
    return f"change {argument}= of {call}" if argument else f"change {call}"
