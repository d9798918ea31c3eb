"""YAML of schema files as plain data, with the scalars of YAML 1.2."""

from __future__ import annotations

import functools

from dradsl.drivers.schema.model import SchemaError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["load_yaml"]


def load_yaml(text: str, source: str) -> Any:
    """Plain data of YAML text, scalars as YAML 1.2 reads them (no dates, `yes` is a text).

    Raises:
        SchemaError: if it is not YAML; `source` names the file in the message.
    """
    import yaml

    try:
        return yaml.load(text, Loader=_loader())  # noqa: S506 - a safe loader with fewer types
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        raise SchemaError(f"{source}: not YAML: {line}{error.problem}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise SchemaError(f"{source}: not YAML: {reason}") from None


@functools.cache
def _loader() -> Any:
    import re

    import yaml

    class PlainLoader(yaml.CSafeLoader):
        """Safe loader that resolves booleans, numbers, null and merge keys only."""

    PlainLoader.yaml_implicit_resolvers = {}
    for tag, pattern, first in (
        ("bool", r"true|false", "tf"),
        ("int", r"[-+]?(?:0|[1-9][0-9]*)", "-+0123456789"),
        ("float", r"[-+]?[0-9]+\.[0-9]+(e[-+]?[0-9]+)?", "-+0123456789"),
        ("null", r"~|null|", ["~", "n", ""]),
        ("merge", r"<<", "<"),
    ):
        PlainLoader.add_implicit_resolver(
            f"tag:yaml.org,2002:{tag}", re.compile(f"^(?:{pattern})$"), list(first)
        )
    return PlainLoader
