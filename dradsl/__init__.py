"""dradsl: lint, write, migrate and simulate Kubernetes DRA manifests.

Names are imported when they are first used: `import dradsl` itself costs next to nothing. What stands in
`__all__` is the public API; so are `dradsl.typing`, `dradsl.devices`, `dradsl.testing` and `dradsl.integrations`.
"""

from __future__ import annotations

import sys
from types import ModuleType

from dradsl._version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from dradsl.api import (
        AllocatedDevice as AllocatedDevice,
    )
    from dradsl.api import (
        Finding as Finding,
    )
    from dradsl.api import (
        Fleet as Fleet,
    )
    from dradsl.api import (
        LintResult as LintResult,
    )
    from dradsl.api import (
        MigratedFile as MigratedFile,
    )
    from dradsl.api import (
        MigrationItem as MigrationItem,
    )
    from dradsl.api import (
        MigrationResult as MigrationResult,
    )
    from dradsl.api import (
        ObjectRef as ObjectRef,
    )
    from dradsl.api import (
        PodResult as PodResult,
    )
    from dradsl.api import (
        Related as Related,
    )
    from dradsl.api import (
        Severity as Severity,
    )
    from dradsl.api import (
        SimulationResult as SimulationResult,
    )
    from dradsl.api import (
        Span as Span,
    )
    from dradsl.api import (
        fit as fit,
    )
    from dradsl.api import (
        lint as lint,
    )
    from dradsl.api import (
        migrate as migrate,
    )
    from dradsl.api import (
        simulate as simulate,
    )
    from dradsl.dsl import (
        App as App,
    )
    from dradsl.dsl import (
        ComputeDomain as ComputeDomain,
    )
    from dradsl.dsl import (
        Config as Config,
    )
    from dradsl.dsl import (
        Constraint as Constraint,
    )
    from dradsl.dsl import (
        Device as Device,
    )
    from dradsl.dsl import (
        DeviceClass as DeviceClass,
    )
    from dradsl.dsl import (
        DeviceTaintRule as DeviceTaintRule,
    )
    from dradsl.dsl import (
        DroppedFieldsError as DroppedFieldsError,
    )
    from dradsl.dsl import (
        DuplicateObjectError as DuplicateObjectError,
    )
    from dradsl.dsl import (
        Expression as Expression,
    )
    from dradsl.dsl import (
        FirstAvailable as FirstAvailable,
    )
    from dradsl.dsl import (
        KubernetesObject as KubernetesObject,
    )
    from dradsl.dsl import (
        Manifest as Manifest,
    )
    from dradsl.dsl import (
        ManifestError as ManifestError,
    )
    from dradsl.dsl import (
        Opaque as Opaque,
    )
    from dradsl.dsl import (
        PodClaim as PodClaim,
    )
    from dradsl.dsl import (
        Pool as Pool,
    )
    from dradsl.dsl import (
        Request as Request,
    )
    from dradsl.dsl import (
        ResourceClaim as ResourceClaim,
    )
    from dradsl.dsl import (
        ResourceClaimTemplate as ResourceClaimTemplate,
    )
    from dradsl.dsl import (
        ResourceSlice as ResourceSlice,
    )
    from dradsl.dsl import (
        Taint as Taint,
    )
    from dradsl.dsl import (
        Toleration as Toleration,
    )
    from dradsl.dsl import (
        all_of as all_of,
    )
    from dradsl.dsl import (
        any_of as any_of,
    )
    from dradsl.dsl import (
        cel_string as cel_string,
    )
    from dradsl.dsl import (
        distinct as distinct,
    )
    from dradsl.dsl import (
        driver as driver,
    )
    from dradsl.dsl import (
        from_dict as from_dict,
    )
    from dradsl.dsl import (
        from_yaml as from_yaml,
    )
    from dradsl.dsl import (
        raw_cel as raw_cel,
    )
    from dradsl.dsl import (
        same as same,
    )
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
