"""Pages of the Python API, made of signatures and docstrings of what `dradsl` offers."""

from __future__ import annotations

import enum
import importlib
import inspect
import re
from types import UnionType
from typing import TYPE_CHECKING, Any

from docs._pages.cells import cell
from dradsl.api import objects

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["PAGES", "python_index", "python_page"]

# Page -> (title, module, names). `dradsl` itself is told by what its names are for.
PAGES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "objects": (
        "Objects",
        "dradsl",
        (
            "App",
            "DeviceClass",
            "ResourceClaim",
            "ResourceClaimTemplate",
            "ResourceSlice",
            "DeviceTaintRule",
            "ComputeDomain",
            "KubernetesObject",
            "Manifest",
        ),
    ),
    "parts": (
        "Parts of objects",
        "dradsl",
        (
            "Request",
            "FirstAvailable",
            "Constraint",
            "same",
            "distinct",
            "Config",
            "Opaque",
            "Toleration",
            "Taint",
            "PodClaim",
            "Device",
            "Pool",
        ),
    ),
    "expressions": (
        "Selectors",
        "dradsl",
        ("Expression", "all_of", "any_of", "driver", "raw_cel", "cel_string"),
    ),
    "reading": (
        "Reading and errors",
        "dradsl",
        (
            "from_yaml",
            "from_dict",
            "DradslError",
            "ManifestError",
            "DuplicateObjectError",
            "DroppedFieldsError",
            "BuildError",
            "ParameterError",
        ),
    ),
    "functions": (
        "Check, simulate, migrate",
        "dradsl",
        (
            "lint",
            "simulate",
            "fit",
            "sweep",
            "migrate",
            "Fleet",
            "LintResult",
            "Finding",
            "Severity",
            "Span",
            "ObjectRef",
            "Related",
            "SimulationResult",
            "PodResult",
            "AllocatedDevice",
            "Sweep",
            "SweepRow",
            "MigrationResult",
            "MigratedFile",
            "MigrationItem",
        ),
    ),
    "typing": ("Annotations", "dradsl.typing", ()),
    "testing": ("Asserts for tests", "dradsl.testing", ()),
    "helm": ("Helm charts", "dradsl.integrations.helm", ()),
    "cdk8s": ("cdk8s", "dradsl.integrations.cdk8s", ()),
    "pulumi": ("Pulumi", "dradsl.integrations.pulumi", ()),
}

_ARGUMENT = re.compile(r"^(\*{0,2}\w+): (.*)$")
_LONG = 90


def _module(name: str) -> Any:
    # The functions themselves: `dradsl.lint` is a package that can be called.
    return importlib.import_module("dradsl.api" if name == "dradsl" else name)


def _object(module: str, name: str) -> Any:
    api = _module(module)
    return (
        getattr(api, name) if hasattr(api, name) else getattr(importlib.import_module(module), name)
    )


def _about(name: str, value: Any) -> str:
    """A docstring; that of the name of several types is below it."""
    if not isinstance(value, UnionType):
        return inspect.getdoc(value) or ""
    (about,) = re.findall(rf'^{name} = .*\n"""(.*)"""', inspect.getsource(objects), re.MULTILINE)
    return str(about)


def _names(page: str) -> tuple[str, ...]:
    _, module, names = PAGES[page]
    return names or tuple(importlib.import_module(module).__all__)


def python_index() -> Iterator[str]:
    """All names with their first sentences."""
    yield "# Python API\n"
    yield "Generated from the docstrings of this version. [Manifests in Python](../../dsl.md) and [Functions and"
    yield "tests](../../python-api.md) explain how the parts go together.\n"
    for page, (title, module, _) in PAGES.items():
        yield f"## {title}\n"
        yield "| Name | |"
        yield "| --- | --- |"
        for name in _names(page):
            about = _first(_about(name, _object(module, name)))
            yield f"| [`{name}`]({page}.md#{name}) | {cell(about)} |"
        yield ""
    yield "## Handles of drivers\n"
    yield "Typed names of what each driver publishes, generated from its [schema](../../drivers/index.md).\n"
    yield "| Module | Drivers | Devices |"
    yield "| --- | --- | --- |"
    for name, drivers, handles in _handles():
        links = ", ".join(f"[{each}](../../drivers/{each}.md)" for each in drivers)
        yield f"| `dradsl.devices.{name}` | {links} | {', '.join(f'`{each}`' for each in handles)} |"


def _handles() -> Iterator[tuple[str, list[str], list[str]]]:
    """Modules of `dradsl.devices` with their drivers and the handles of device types."""
    from dradsl.dsl.data.modules import MODULES
    from dradsl.typing import Handle

    for name, drivers in MODULES.items():
        module = importlib.import_module(f"dradsl.devices.{name}")
        handles = [each for each in module.__all__ if isinstance(getattr(module, each), Handle)]
        yield name, list(drivers), handles


def python_page(page: str) -> Iterator[str]:
    """One group of names."""
    title, module, _ = PAGES[page]
    yield f"# {title}\n"
    if module == "dradsl":
        yield f"All of them are imported from `dradsl`: `from dradsl import {_names(page)[0]}`.\n"
    else:
        about = inspect.getdoc(importlib.import_module(module)) or ""
        yield f"{about}\n\n```python\nfrom {module} import {', '.join(_names(page))}\n```\n"
    for name in _names(page):
        yield from _entry(name, _object(module, name))


def _entry(name: str, value: Any) -> Iterator[str]:
    yield f"## {name} {{ #{name} }}\n"
    if isinstance(value, UnionType):
        yield f"{_about(name, value)}\n"
        return
    if inspect.isclass(value) and issubclass(value, enum.Enum):
        yield from _doc(value)
        yield "Values: " + ", ".join(f"`{each.value!r}`" for each in value) + ".\n"
    elif inspect.isclass(value) and issubclass(value, BaseException):
        bases = ", ".join(base.__name__ for base in value.__bases__)
        yield f"```python\nclass {name}({bases})\n```\n"
        yield from _doc(value)
    elif inspect.isclass(value):
        if not inspect.isabstract(value):
            yield f"```python\n{_signature(name, value)}\n```\n"
        yield from _doc(value)
    else:
        yield f"```python\n{_signature(name, value)}\n```\n"
        yield from _doc(value)
        return
    yield from _members(name, value)


def _members(owner: str, value: type) -> Iterator[str]:
    """Public methods and properties, those of our own bases too."""
    seen: set[str] = set()
    for kind in value.__mro__:
        if not kind.__module__.startswith("dradsl"):
            continue
        for name, member in vars(kind).items():
            if name.startswith("_") or name in seen:
                continue
            seen.add(name)
            if isinstance(member, property):
                returns = (
                    _text(inspect.signature(member.fget).return_annotation) if member.fget else ""
                )
                yield f"### {owner}.{name} {{ #{owner}.{name} }}\n"
                yield f"```python\n{name}: {returns}\n```\n"
                yield from _doc(member)
            elif isinstance(member, (classmethod, staticmethod)) or inspect.isfunction(member):
                function: Any = getattr(member, "__func__", member)
                if not inspect.getdoc(function):
                    continue
                yield f"### {owner}.{name} {{ #{owner}.{name} }}\n"
                called = f"{owner}.{name}" if member is not function else name
                yield f"```python\n{_signature(called, function)}\n```\n"
                yield from _doc(function)


def _signature(name: str, value: Callable[..., Any]) -> str:
    signature = inspect.signature(value)
    parameters = [
        each
        for each in signature.parameters.values()
        if not each.name.startswith("_") and each.name not in ("self", "cls")
    ]
    words: list[str] = []
    starred = False
    for each in parameters:
        if each.kind is each.KEYWORD_ONLY and not starred:
            words.append("*")
            starred = True
        if each.kind is each.VAR_POSITIONAL:
            starred = True
        words.append(_parameter(each))
    returns = "" if inspect.isclass(value) else f" -> {_text(signature.return_annotation)}"
    line = f"{name}({', '.join(words)}){returns}"
    if len(line) <= _LONG:
        return line
    return "\n".join([f"{name}(", *(f"    {word}," for word in words), f"){returns}"])


def _parameter(parameter: inspect.Parameter) -> str:
    stars = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}.get(parameter.kind.name, "")
    text = f"{stars}{parameter.name}"
    if parameter.annotation is not parameter.empty:
        text += f": {_text(parameter.annotation)}"
    if parameter.default is not parameter.empty:
        shown = repr(parameter.default)
        text += f" = {'...' if '<' in shown or len(shown) > 40 else shown}"
    return text


def _text(annotation: Any) -> str:
    if annotation is inspect.Signature.empty:
        return "None"
    if isinstance(annotation, type):
        return annotation.__name__
    return str(annotation).replace("typing.", "").replace("Path_", "str | Path")


def _first(text: str) -> str:
    """The first sentence."""
    return text.partition("\n\n")[0]


def _doc(value: Any) -> Iterator[str]:
    """A docstring as Markdown: what it says, then parameters, results and errors as definitions."""
    text = inspect.getdoc(value) or ""
    section = ""
    entries: list[tuple[str, str]] = []
    for line in [*text.split("\n"), "End:"]:
        if line in ("Args:", "Returns:", "Raises:", "Yields:", "Attributes:", "End:"):
            yield from _entries(section, entries)
            section, entries = line[:-1], []
        elif not section:
            yield line.replace("<", "&lt;")
        elif found := _ARGUMENT.match(line.removeprefix("    ")):
            entries.append((found[1], found[2]))
        elif entries and line.strip():
            entries[-1] = (entries[-1][0], f"{entries[-1][1]} {line.strip()}")
        elif line.strip():
            entries.append(("", line.strip()))
    yield ""


def _entries(section: str, entries: list[tuple[str, str]]) -> Iterator[str]:
    if not entries:
        return
    title = {"Args": "Parameters"}.get(section, section)
    yield f"\n**{title}**\n"
    for name, meaning in entries:
        meaning = meaning[:1].upper() + meaning[1:]
        yield f"`{name}`\n:   {meaning}\n" if name else f"{meaning}\n"
