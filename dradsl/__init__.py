"""dradsl: lint, write, migrate and simulate Kubernetes DRA manifests.

Names are imported when they are first used: `import dradsl` itself costs next to nothing. What is in
`__all__` is the public API; so are `dradsl.typing`, `dradsl.devices`, `dradsl.testing` and `dradsl.integrations`.
"""

# ruff: noqa: F403, F405 - type checkers follow the stars, and `__all__` says which names count

from __future__ import annotations

import sys
from types import ModuleType

from dradsl._version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from dradsl.api import *
    from dradsl.dsl import *
    from dradsl.dsl.building.factories import ParameterError as ParameterError
    from dradsl.dsl.building.loading import BuildError as BuildError
    from dradsl.errors import DradslError as DradslError

__all__ = [
    "__version__",
    # objects
    "App",
    "ComputeDomain",
    "DeviceClass",
    "DeviceTaintRule",
    "KubernetesObject",
    "Manifest",
    "ResourceClaim",
    "ResourceClaimTemplate",
    "ResourceSlice",
    # parts of them
    "Config",
    "Constraint",
    "Device",
    "FirstAvailable",
    "Opaque",
    "PodClaim",
    "Pool",
    "Request",
    "Taint",
    "Toleration",
    "distinct",
    "same",
    # expressions
    "Expression",
    "all_of",
    "any_of",
    "cel_string",
    "driver",
    "raw_cel",
    # reading, and what can go wrong
    "BuildError",
    "DradslError",
    "DroppedFieldsError",
    "DuplicateObjectError",
    "ManifestError",
    "ParameterError",
    "from_dict",
    "from_yaml",
    # what the commands do, as functions
    "lint",
    "simulate",
    "fit",
    "sweep",
    "migrate",
    # what they take and give
    "AllocatedDevice",
    "Finding",
    "Fleet",
    "LintResult",
    "MigratedFile",
    "MigrationItem",
    "MigrationResult",
    "ObjectRef",
    "PodResult",
    "Related",
    "Severity",
    "SimulationResult",
    "Span",
    "Sweep",
    "SweepRow",
]

_OF_API = frozenset(__all__[__all__.index("lint") :])
# Functions of the API that are called as the packages behind them.
_PACKAGES = frozenset({"lint", "migrate", "simulate"})


class _CallablePackage(ModuleType):
    """A package that is called as the function of its name: `dradsl.lint(app)`."""

    def __call__(self, *arguments: object, **keywords: object) -> object:
        return self.__wrapped__(*arguments, **keywords)

    @property
    def __wrapped__(self) -> Callable[..., object]:  # for `inspect.signature` and `help`
        from dradsl import api

        function: Callable[..., object] = getattr(api, self.__name__.rpartition(".")[2])
        return function


class _Root(ModuleType):
    """This module: a package that it is given for one of its functions becomes callable."""

    def __setattr__(self, name: str, value: object) -> None:
        if name in _PACKAGES and type(value) is ModuleType:
            value.__class__ = _CallablePackage
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Root


def __getattr__(name: str) -> object:
    if name in _PACKAGES:
        import importlib

        # The import hands the package to this module, see `_Root`.
        return importlib.import_module(f"{__name__}.{name}")
    if name in __all__:
        from dradsl import dsl

        source: object = dsl
        if name in _OF_API:
            from dradsl import api as source
        elif name == "DradslError":
            from dradsl import errors as source
        elif name in ("BuildError", "ParameterError"):
            from dradsl.dsl.building import loading as source
        value: object = getattr(source, name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
