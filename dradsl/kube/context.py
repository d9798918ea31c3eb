"""What validation of one object needs to know besides the object: gates, switches of the release, CEL."""

from __future__ import annotations

from dradsl.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.kube.expressions import Expressions
    from dradsl.releases import Features
    from dradsl.releases.server import Validation

__all__ = ["Context"]


class Context(Record):
    """Feature gates and switches of the release, and the judge of its CEL expressions."""

    features: Features
    rules: Validation
    expressions: Expressions

    @property
    def release(self) -> str:
        return self.features.release
