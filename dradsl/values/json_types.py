"""The types of data that no type describes: YAML and JSON before its shape is known, for type checkers alone.

An object of resource.k8s.io whose kind is known is one of `dradsl.kube.fields.typed_dicts`, what is read
of pods and nodes one of `dradsl.kube.pods.typed_dicts`. `Mapping[str, object]` is data of which no
member is read, or whose members are looked at before they are used. docs/design says what is left for these.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

__all__ = ["JsonMapping", "JsonObject"]

JsonObject: TypeAlias = dict[str, Any]
"""An object as a parser of YAML or JSON gives it, or one that is being put together."""
JsonMapping: TypeAlias = Mapping[str, Any]
"""The same, only read."""
