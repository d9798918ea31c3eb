"""Plain data as YAML in PyYAML's layout, in which nothing commands a terminal or a log."""

from __future__ import annotations

from dradsl.values.patterns import pattern
from dradsl.values.printable import LOG_COMMAND, printable, without_halves

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    import yaml

__all__ = ["dump_yaml"]

_LOG_COMMAND = pattern(LOG_COMMAND)
_NEVER = 2**31  # columns: longer than any line


def dump_yaml(data: object, *, width: int = 80, short_leaves: bool = False) -> str:
    """`data` as YAML, keys in their order. What commands a terminal or a log is escaped.

    With `short_leaves` a small mapping of plain values is on one line.
    """
    text = _dump(data, width, short_leaves, quoted=False)
    if printable(text, keep_newlines=True) == text:
        return text
    # All texts in double quotes, where everything can be escaped, and no line begins inside of one.
    text = _dump(data, _NEVER, short_leaves, quoted=True)
    return _LOG_COMMAND.sub(r"\\x23", text)


def _dump(data: object, width: int, short_leaves: bool, *, quoted: bool) -> str:
    import yaml

    class Dumper(yaml.SafeDumper):
        """A class of its own: representers belong to classes."""

    def mapping(dumper: yaml.SafeDumper, value: Mapping[str, Any]) -> yaml.MappingNode:
        node = dumper.represent_mapping("tag:yaml.org,2002:map", value.items())
        leaf = all(not isinstance(each, dict) for each in value.values())
        node.flow_style = leaf and 0 < len(value) <= 8
        return node

    def text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
        whole = without_halves(value)
        return dumper.represent_scalar(
            "tag:yaml.org,2002:str", whole, style='"' if quoted else None
        )

    Dumper.add_representer(str, text)
    if short_leaves:
        Dumper.add_representer(dict, mapping)
    options: dict[str, Any] = {"Dumper": Dumper, "sort_keys": False, "width": width}
    written: str = yaml.dump(data, allow_unicode=not quoted, **options)
    return written
