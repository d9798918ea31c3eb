"""CEL expressions as the API server judges them when an object is written: length, compiler, cost.

The compiler is imported when the first expression is judged, since most objects hold none.

Source: kubernetes pkg/apis/resource/validation/validation.go (validateCELExpression,
convertCELErrorToValidationError) at 1.34.10 to 1.37.1.
"""

from __future__ import annotations

from dradsl.kube.errors import (
    INTERNAL,
    INVALID,
    ExpressionFault,
    FieldError,
    forbidden,
    too_long,
)
from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.kube.errors import ExpressionKind
    from dradsl.releases import Features, Release

__all__ = ["ExpressionVerdict", "Expressions"]

_MOST = 10_000  # expressions remembered; what comes after is compiled each time
# The field errors that upstream makes of what is wrong with an expression.
_TYPES = {
    "cel-syntax": INVALID,
    "cel-does-not-compile": INVALID,
    "cel-not-bool": INVALID,
    "cel-internal-error": INTERNAL,
}


@dataclass(frozen=True, slots=True)
class ExpressionVerdict:
    """The verdict on one expression.

    `error` says why it is rejected, at an empty path; None if the server takes it. `cost` is the
    estimate of its cost (2**64 - 1: no bound is known) and `result_type` the type of its value as
    upstream prints it; both are None for an expression that was not compiled.
    """

    error: FieldError | None
    cost: int | None = None
    result_type: str | None = None

    @property
    def accepted(self) -> bool:
        return self.error is None

    @property
    def fault(self) -> ExpressionFault | None:
        """What the compiler has against it, if that is why it is rejected."""
        return None if self.error is None else self.error.fault


class Expressions:
    """The judge of expressions for one release with its gates; it remembers what it was asked."""

    __slots__ = ("_features", "_judged", "_release")

    def __init__(self, release: Release, features: Features) -> None:
        self._release = release
        self._features = features
        self._judged: dict[tuple[str, ExpressionKind], ExpressionVerdict] = {}

    def judge(self, text: str, kind: ExpressionKind) -> ExpressionVerdict:
        """What the server says of an expression of that kind."""
        found = self._judged.get((text, kind))
        if found is None:
            found = self._judge(text, kind)
            if len(self._judged) < _MOST:
                self._judged[text, kind] = found
        return found

    def _judge(self, text: str, kind: ExpressionKind) -> ExpressionVerdict:
        from dradsl.cel.dra import COST_LIMIT, MAX_LENGTH, compile_selector

        if len(text.encode("utf-8", "surrogatepass")) > MAX_LENGTH:
            return ExpressionVerdict(too_long((), "cel-too-long", MAX_LENGTH))
        compiled = compile_selector(text, self._release, self._features, kind)
        failure = compiled.error
        if failure is not None:
            fault = ExpressionFault(kind, compiled.issues, compiled.environment)
            reason: str = failure.reason
            if reason == "cel-not-bool" and kind == "derived":
                reason = "cel-does-not-compile"  # a derived attribute may be of other types, too
            error_type = _TYPES[failure.reason]
            return ExpressionVerdict(
                FieldError((), reason, error_type, failure.detail, compiled.text, data=fault)
            )
        error = None
        if compiled.max_cost > COST_LIMIT:
            error = forbidden((), "cel-too-complex", "too complex, exceeds cost limit")
        return ExpressionVerdict(error, compiled.max_cost, compiled.result_type)
