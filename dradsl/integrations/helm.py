"""Charts of Helm from apps: typed values that stay open, templates, values.yaml and its JSON schema."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from dradsl.dsl.data.frozen import FrozenDict, freeze, thaw
from dradsl.dsl.expressions.placeholders import PLACEHOLDERS, PlaceholderStr
from dradsl.errors import DradslError
from dradsl.records import Record
from dradsl.tree.files import Tree
from dradsl.tree.replacing import write_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dradsl.dsl.building.app import App
    from dradsl.values.json_types import JsonObject

__all__ = ["Chart", "UnusedValueError"]


V = TypeVar("V", bound=bool | int | str | list[Any] | dict[str, Any])
_TYPES = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    tuple: "array",
    FrozenDict: "object",
}


def _schema_of(default: object) -> dict[str, object]:
    """The JSON schema of what a default shows: members of one type are all of it."""
    schema: dict[str, object] = {"type": _TYPES[type(default)]}
    members: Any = default.values() if isinstance(default, FrozenDict) else default
    kinds = {type(one) for one in members} if isinstance(default, tuple | FrozenDict) else set()
    if len(kinds) == 1 and kinds <= {*_TYPES}:
        key = "items" if isinstance(default, tuple) else "additionalProperties"
        schema[key] = {"type": _TYPES[kinds.pop()]}
    return schema


class UnusedValueError(DradslError, ValueError):
    """A value that no template uses: text was made of it, which only holds its default."""


class _Value(Record):
    default: object
    schema: dict[str, object]
    description: str


class Chart:
    """The values of a chart, and the files that an app gives it.

    Args:
        name: the chart's name.
        version: its version.
        description: what it is.
    """

    def __init__(self, name: str, *, version: str = "0.1.0", description: str = "") -> None:
        self.name: str = name
        self.version: str = version
        self.description: str = description
        self._values: dict[str, _Value] = {}
        self._open: list[str] = []

    def value(
        self,
        name: str,
        default: V,
        *,
        description: str = "",
        minimum: int | None = None,
        maximum: int | None = None,
        pattern: str | None = None,
        choices: Sequence[V] = (),
    ) -> V:
        """A value of the chart, to be used as what it is by default: a number, a text, a list or a map.

        A bool is for plain data, and for whole objects: `app.add(obj, when=value)`. A list or map is for plain
        data, a list of texts or numbers also for `in_`.

        Names, lint and `dradsl.simulate` see the default. Use it as it is: text made of it, such as
        `f"{value}-x"`, holds the default for good, and `files` says so. The schema asks for a quantity of
        a text that is compared with a capacity, and for a version of one that is compared with a version.

        Args:
            name: its name in values.yaml; dots lead into it: `gpus.count`.
            default: the value unless another is set; it also gives the type.
            description: for values.yaml and the schema.
            minimum: the least number.
            maximum: the greatest number.
            pattern: what a text matches.
            choices: all that it can be.
        """
        placeholder = next((one for one in PLACEHOLDERS if isinstance(default, one.plain)), None)
        if placeholder is None:
            raise TypeError(
                f"the default of value {name} is true or false, a whole number, a text, a list or a map, "
                f"not {default!r}"
            )
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9]*(\.[A-Za-z][A-Za-z0-9]*)*", name):
            raise ValueError(
                f"{name!r} is no name of a value: letters and digits, with dots between"
            )
        if name in self._values:
            raise ValueError(f"value {name} is there already")
        kind = placeholder.plain
        wrong = (kind is not int and (minimum, maximum) != (None, None)) or (
            kind is not str and pattern is not None
        )
        if wrong or (choices and kind not in (int, str)):
            raise TypeError(
                f"value {name}: minimum, maximum, pattern or choices do not fit {default!r}"
            )
        frozen = freeze(default, f"value {name}")
        schema = _schema_of(frozen)
        rules = {
            "minimum": minimum,
            "maximum": maximum,
            "pattern": pattern,
            "enum": [*choices] or None,
        }
        schema |= {key: rule for key, rule in rules.items() if rule is not None}
        self._values[name] = _Value(thaw(frozen), schema, description)
        self._open.append(f".Values.{name}")
        return cast("V", placeholder(frozen, f".Values.{name}", schema))

    def release_name(self, default: str) -> str:
        """The name of the release; `default` where nothing is rendered.

        Args:
            default: a name for checks.
        """
        return str(self._text(default, ".Release.Name"))

    def release_namespace(self, default: str) -> str:
        """The namespace of the release; `default` where nothing is rendered.

        Args:
            default: a namespace for checks.
        """
        return self._text(default, ".Release.Namespace")

    def _text(self, default: str, template: str) -> str:
        self._open.append(template)
        return PlaceholderStr(default, template, {})

    def values(self) -> dict[str, object]:
        """The defaults, as values.yaml has them."""
        found: JsonObject = {}
        for name, value in self._values.items():
            *outer, last = name.split(".")
            at = found
            for part in outer:
                at = at.setdefault(part, {})
            at[last] = value.default
        return found

    def schema(self) -> dict[str, object]:
        """The JSON schema of the values."""
        root: JsonObject = {
            "$schema": "https://json-schema.org/draft-07/schema#",
            "type": "object",
            "properties": {},
        }
        for name, value in self._values.items():
            *outer, last = name.split(".")
            at = root["properties"]
            for part in outer:
                inner = at.setdefault(part, {"type": "object", "properties": {}})
                at = inner["properties"]
            about = {"description": value.description} if value.description else {}
            at[last] = {**value.schema, **about, "default": value.default}
        return root

    def files(self, *apps: App) -> dict[str, str]:
        """The files of the chart, by their path in it.

        Args:
            apps: the apps whose objects are the templates.

        Raises:
            UnusedValueError: for a value that no template uses.
        """
        from dradsl.dsl.objects.yaml_text import to_yaml

        chart = {"apiVersion": "v2", "name": self.name, "version": self.version}
        if self.description:
            chart["description"] = self.description
        files: dict[str, str] = {}
        used: set[str] = set()
        for app in apps:
            templates, filled = app.templates()
            for name, text in templates.items():
                if f"templates/{name}" in files:
                    raise ValueError(f"two of the apps build {name}")
                files[f"templates/{name}"] = text
            used |= filled
        unused = [one for one in dict.fromkeys(self._open) if one not in used]
        if unused:
            raise UnusedValueError(
                f"no template uses {', '.join(unused)}: use the value as it is; text that was made of it, "
                "and versions, hold the default for good"
            )
        values = self.values()
        return {
            "Chart.yaml": to_yaml([chart]),
            "values.yaml": to_yaml([values]) if values else "{}\n",
            "values.schema.json": json.dumps(self.schema(), indent=2) + "\n",
            **files,
        }

    def write(self, folder: str | Path, *apps: App) -> None:
        """Write the chart into a folder of its own; templates that were there before are removed.

        Args:
            folder: the folder of the chart.
            apps: the apps whose objects are the templates.

        Raises:
            UnusedValueError: for a value that no template uses.
            FileExistsError: if a file that was not written by this is in the way.
            FileError: if a file cannot be read or written, or a link in the folder leads out of its tree.
        """
        mark = "# Built by dradsl; change the Python module instead.\n"
        start = mark.encode()
        top = Path(folder)
        tree = Tree.around(top)
        files = {
            name: text if name.endswith(".json") else mark + text
            for name, text in self.files(*apps).items()
        }
        for name in files:
            path = top / name
            is_marked = not name.endswith(".json")
            if is_marked and os.path.lexists(path) and not tree.read(path).startswith(start):
                raise FileExistsError(f"{path} was not written by dradsl")
        for name in next(tree.walk(top / "templates"), ("", [], []))[2]:
            path = top / "templates" / name
            if f"templates/{name}" in files or path.suffix != ".yaml":
                continue
            if tree.read(path).startswith(start):
                path.unlink()
        for name, text in files.items():
            tree.make_folder((top / name).parent)
            write_bytes(top / name, text.encode(), tree=tree)
