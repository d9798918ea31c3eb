"""CEL for device selectors: the environment that names `device`, and selectors ready to match.

The only module of this package that knows devices. Source: dynamic-resource-allocation
`cel/compile.go` and the limits of the API (`resource/v1/types.go`).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from dradsl.cel.dialects import DIALECTS, base_declarations
from dradsl.cel.environment import Environment, Sized
from dradsl.cel.functions import FunctionTable
from dradsl.cel.macros import ALL_MACROS
from dradsl.cel.types import ANY, BOOL, DYN, STRING, Type, map_of, struct
from dradsl.releases import get_release

if TYPE_CHECKING:
    from dradsl.releases import CelLibraries, Features, Release

__all__ = [
    "COST_LIMIT",
    "MAX_LENGTH",
    "CompileFailure",
    "Mode",
    "device_environment",
]

COST_LIMIT = 1_000_000
"""CELSelectorExpressionMaxCost: of the estimate on create, and of each evaluation."""

MAX_LENGTH = 10 * 1024
"""CELSelectorExpressionMaxLength, in bytes."""

Mode = Literal["new", "stored"]
"""Whether an expression is just being written, or was accepted before."""

_DEVICE = "kubernetes.DRADevice"
_ENTRIES, _DOMAIN, _ID, _DRIVER, _VALUE = 32, 63, 32, 63, 64


@dataclass(frozen=True, slots=True)
class CompileFailure:
    """Why a selector is refused: type and detail as the API server gives them."""

    type: str
    detail: str


def device_environment(
    release: Release | str, features: Features | None = None, mode: Mode = "new"
) -> Environment:
    """The environment that a release compiles device selectors in.

    `features` are the gates that are on (the release's defaults, if None).
    """
    if isinstance(release, str):
        release = get_release(release)
    on = release.features() if features is None else features
    return _environment(
        release.cel,
        release.name,
        "DRAConsumableCapacity" in on,
        "DRAListTypeAttributes" in on,
        mode,
    )


@functools.cache
def _environment(
    libraries: CelLibraries, name: str, consumable: bool, lists: bool, mode: Mode
) -> Environment:
    stored = mode == "stored"
    dialect = DIALECTS[libraries.cel_go]
    dyn = lists or (stored and libraries.dyn_in_stored)
    attribute = DYN if dyn else ANY
    results = (BOOL, attribute)
    if lists and not libraries.dyn_in_stored:
        results = (BOOL, ANY, DYN)
    list_library = stored or libraries.lists_in_new
    macros = ALL_MACROS
    if not list_library:
        macros = {key: macro for key, macro in ALL_MACROS.items() if key[0] != "sortBy"}
    tables = base_declarations(lists=list_library)
    if libraries.includes is not None and (stored or lists):
        tables.append(_includes(libraries.includes))
    return Environment(
        name=f"{name}/{mode}{'+capacity' if consumable else ''}{'+lists' if lists else ''}",
        functions=FunctionTable(tables, dialect.without),
        variables={"device": struct(_DEVICE)},
        dialect=dialect,
        structs={_DEVICE: _fields(attribute, allocations=stored or consumable)},
        sizes={"device": _sizes()},
        macros=macros,
        results=results,
        cost_limit=COST_LIMIT,
    )


def _includes(form: str) -> str:
    from dradsl.cel.library import includes

    return includes.DECLARATIONS_136 if form == "bounded" else includes.DECLARATIONS


def _fields(attribute: Type, *, allocations: bool) -> dict[str, Type]:
    fields = {
        "driver": STRING,
        "attributes": map_of(STRING, map_of(STRING, attribute)),
        "capacity": map_of(STRING, map_of(STRING, struct("kubernetes.Quantity"))),
    }
    if allocations:
        fields["allowMultipleAllocations"] = BOOL
    return fields


def _sizes() -> Sized:
    domain, name, value = Sized(_DOMAIN), Sized(_ID), Sized(_VALUE)
    attributes = Sized(_ENTRIES, keys=name, items=value, any_field=value)
    capacities = Sized(_ENTRIES, keys=name, items=Sized(0))
    return Sized(
        0,
        fields={
            "driver": Sized(_DRIVER),
            "attributes": Sized(_ENTRIES, keys=domain, items=attributes),
            "capacity": Sized(_ENTRIES, keys=domain, items=capacities),
            "allowMultipleAllocations": Sized(1),
        },
    )
