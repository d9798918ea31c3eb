"""YAML of schema files as plain data, with the scalars of YAML 1.2."""

from __future__ import annotations

import functools

from dradsl.drivers.schema.model import SchemaError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from yaml import CSafeLoader, SafeLoader

    AnyLoader = CSafeLoader | SafeLoader

__all__ = ["load_yaml"]

_LONGEST = 300  # characters of a reader's complaint, which may quote what it read


def load_yaml(text: str, source: str) -> Any:
    """Plain data of YAML text, scalars as YAML 1.2 reads them (no dates, `yes` is a text).

    Raises:
        SchemaError: if it is not YAML; `source` names the file in the message.
    """
    from dradsl.text.bounds import excess
    from dradsl.text.documents import SCHEMA_LIMITS
    from dradsl.text.pyyaml import yaml

    too_much = excess(text, SCHEMA_LIMITS)
    if too_much is not None:
        raise SchemaError(f"{source}: {too_much}")
    try:
        return yaml.load(text, Loader=_loader())
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        raise SchemaError(f"{source}: not YAML: {line}{error.problem}") from None
    # Tags with values that they do not fit end in all of these.
    except (
        yaml.YAMLError,
        ValueError,
        LookupError,
        AttributeError,
        TypeError,
        OverflowError,
        RecursionError,
    ) as error:
        reason = " ".join(str(error).split())[:_LONGEST] or type(error).__name__
        raise SchemaError(f"{source}: not YAML: {reason}") from None


@functools.cache
def _loader() -> type[AnyLoader]:
    """A safe loader that resolves booleans, numbers, null and merge keys only."""
    import re

    from dradsl.text.pyyaml import HAS_LIBYAML, yaml

    base: type[AnyLoader] = yaml.CSafeLoader if HAS_LIBYAML else yaml.SafeLoader
    loader: type[AnyLoader] = type("PlainLoader", (base,), {"yaml_implicit_resolvers": {}})
    for tag, pattern, first in (
        ("bool", r"true|false", "tf"),
        ("int", r"[-+]?(?:0|[1-9][0-9]*)", "-+0123456789"),
        ("float", r"[-+]?[0-9]+\.[0-9]+(e[-+]?[0-9]+)?", "-+0123456789"),
        ("null", r"~|null|", ["~", "n", ""]),
        ("merge", r"<<", "<"),
    ):
        loader.add_implicit_resolver(
            f"tag:yaml.org,2002:{tag}", re.compile(f"^(?:{pattern})$"), list(first)
        )
    return loader
