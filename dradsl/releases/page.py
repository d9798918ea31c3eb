"""What one release is: the record that every page `v1_*.py` fills in.

A page says what differs from the release before it, so that it reads as the list of changes; the
first page says everything. No field has a default: a page that forgets one does not load.
"""

from __future__ import annotations

from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from dradsl.releases.scheduling import AllocatorVariant, Plugin
    from dradsl.releases.server import CelLibraries, Validation

__all__ = ["ALPHA", "ALPHA_ON", "BETA", "BETA_ON", "GA", "GA_ON", "LOCKED", "Fields", "Page"]

# The stage of a feature gate and its default, as the generated table writes them.
ALPHA, ALPHA_ON = "a", "A"
BETA, BETA_ON = "b", "B"
GA, GA_ON = "g", "G"
LOCKED = "G!"
"""GA, on, and cannot be turned off."""


@dataclass(frozen=True, slots=True)
class Fields:
    """Fields of resource.k8s.io that come or go with a release: type -> names, separated by spaces.

    Types are named as in `dradsl/kube/fields/table.py`, `TYPE@VERSION` included. The fields of the
    first release, and those of types that are new, need no row.
    """

    added: Mapping[str, str]
    removed: Mapping[str, str]
    no_longer_required: Mapping[str, str]
    """Fields that the published schemas required up to the release before."""


@dataclass(frozen=True, slots=True)
class Page:
    """All that is special about a release."""

    name: str
    """The minor release, such as "1.36"."""

    patch: str
    """The newest patch that was compared."""

    gates: Mapping[str, str]
    """Feature gate -> stage and default; gates that the release does not know have no row.

    Source: pkg/features/kube_features.go
    """

    served: Mapping[str, tuple[str, ...]]
    """API version of resource.k8s.io -> its kinds; all but v1 need --runtime-config.

    Source: api/resource/*/zz_generated.prerelease-lifecycle.go
    """

    fields: Fields
    cel: CelLibraries
    validation: Validation

    stable: AllocatorVariant
    incubating: AllocatorVariant
    experimental: AllocatorVariant

    earlier_patches: Mapping[str, Mapping[str, Any]]
    """What differs in every variant of older patches of which there are recorded answers."""

    plugin: Plugin

    @property
    def variants(self) -> tuple[AllocatorVariant, AllocatorVariant, AllocatorVariant]:
        """The implementations of the allocator in the order in which upstream tries them."""
        return self.stable, self.incubating, self.experimental
