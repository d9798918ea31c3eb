"""The versions of cel-go that releases carry, and the libraries of Kubernetes' base environment.

Source: apiserver `pkg/cel/environment/base.go`, cel-go v0.26.0 and v0.29.2.
"""

from __future__ import annotations

import functools
from types import MappingProxyType

from dradsl.cel.checker.environment import Dialect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dradsl.cel.runtime.values import Value

__all__ = ["DIALECTS", "base_declarations", "base_functions"]

DIALECTS: Mapping[str, Dialect] = {
    "0.26": Dialect("0.26"),
    "0.29": Dialect(
        "0.29",
        keeps_optionals=True,
        backtick_names=True,
        strict_or_value=True,
        leading_dot_is_global=True,
        matches_function_cost=True,
        starts_with_costs_argument=True,
        range_limit=1_000_000,
        without=frozenset({"int64_to_duration"}),
    ),
}


# Upstream: MustBaseEnvSet (k8s.io/apiserver/pkg/cel/environment/base.go)
def base_declarations(*, lists: bool, own_lists_last: bool = False) -> list[str]:
    """Tables of declarations in upstream's order, which decides between overloads where a type is open.

    `lists`: with the list library of cel-go; `own_lists_last`: that of Kubernetes is added last.
    """
    from dradsl.cel.library.declarations import declarations

    own = ["lists of Kubernetes"]
    names = [
        "standard", "url", "regex", *([] if own_lists_last else own), "authorizer", "optionals", "quantity", "strings",
        "sets", "ip", "cidr", "named formats", "two variable", "semver", *(["lists"] if lists else ()),
        *(own if own_lists_last else ()),
    ]  # fmt: skip
    return [declarations()[name] for name in names]


@functools.cache
def base_functions(dialect: Dialect) -> Mapping[str, Callable[..., Value]]:
    """What the functions of the base libraries do, by overload."""
    from dradsl.cel.library import (
        cidr,
        format as named_format,
        includes,
        ip,
        lists,
        lists_ext,
        optionals,
        quantity,
        regex,
        semver,
        sets,
        standard,
        strings,
        url,
    )

    functions: dict[str, Callable[..., Value]] = {}
    for module in (
        standard, url, regex, lists, optionals, quantity, strings, sets, ip, cidr, named_format,
        semver, lists_ext, includes,
    ):  # fmt: skip
        functions.update(module.FUNCTIONS)
    if dialect.range_limit is not None:
        functions["lists_range"] = lists_ext.bounded_range(dialect.range_limit)
        functions["string_index_of_string_int"] = strings.index_of_clamped
        functions["string_last_index_of_string_int"] = strings.last_index_of_clamped
    return MappingProxyType(functions)
