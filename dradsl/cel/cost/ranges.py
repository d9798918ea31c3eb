"""Amounts that saturate at 2**64 - 1: sizes of values and costs of evaluation, as ranges.

Source: cel-go `checker/cost.go` (SizeEstimate, CostEstimate).
"""

from __future__ import annotations

import math

from dradsl.records import dataclass

__all__ = ["MAX", "Estimate", "fixed", "scaled", "unknown"]

MAX = 2**64 - 1


@dataclass(frozen=True, slots=True)
class Estimate:
    """The least and the most something can be."""

    min: int
    max: int

    def plus(self, other: Estimate) -> Estimate:
        """The sum, at most the largest uint64."""
        return Estimate(min(self.min + other.min, MAX), min(self.max + other.max, MAX))

    def times(self, other: Estimate) -> Estimate:
        """The product, at most the largest uint64."""
        return Estimate(min(self.min * other.min, MAX), min(self.max * other.max, MAX))

    def scaled(self, factor: float) -> Estimate:
        """Times a factor, rounded up."""
        return Estimate(scaled(self.min, factor), scaled(self.max, factor))

    def union(self, other: Estimate) -> Estimate:
        """The range that holds both."""
        return Estimate(min(self.min, other.min), max(self.max, other.max))


def fixed(amount: int) -> Estimate:
    """An amount that is known exactly."""
    return Estimate(amount, amount)


def unknown() -> Estimate:
    """Anything at all."""
    return Estimate(0, MAX)


def scaled(amount: int, factor: float) -> int:
    """`amount * factor` rounded up, with the rounding of doubles that upstream has."""
    number = float(amount)
    if number > 0 and factor > 0 and number > float(MAX) / factor:
        return MAX
    return min(math.ceil(number * factor), MAX)
