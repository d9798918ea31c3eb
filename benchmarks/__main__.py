"""`python -m benchmarks [NAME…]`: every benchmark, or those named; each prints ratios to its peer."""

from __future__ import annotations

import importlib
import sys

# Each module has `main() -> None`, which prints its own table.
NAMES = (
    "start",
    "lint",
    "editor",
    "real_manifests",
    "stream",
    "fleets",
    "why",
    "sweep",
    "peers",
    "cel",
    "allocator",
)


def main() -> None:
    asked = sys.argv[1:] or list(NAMES)
    unknown = [name for name in asked if name not in NAMES]
    if unknown:
        sys.exit(f"unknown benchmark {unknown[0]!r} (known: {', '.join(NAMES)})")
    sys.argv = sys.argv[:1]
    for name in asked:
        importlib.import_module(f"benchmarks.{name}").main()


main()
