"""The limits of what an input may hold or produce. Each has the row of docs/limits.md above it.

A row has what is limited and what happens beyond it. `{}` is the number. Only numbers are here, so that a
command which needs one loads no text.
"""

from __future__ import annotations

__all__ = [
    "ISOLATED_SECONDS",
    "MOST_BRACKETS",
    "MOST_BUILT",
    "MOST_BUILT_HERE",
    "MOST_DIGITS",
    "MOST_FILLED",
    "MOST_FILLED_IN_ALL",
    "MOST_RECORDED",
]

# The largest public kustomizations have some hundred objects.
# | Objects of one build of Kustomize, Flux or Argo CD | {} | not built: lint says so in a note, `migrate` refuses what is built of it |
MOST_BUILT_HERE = 4_000

# | Objects of all builds of a run | {} | the same |
MOST_BUILT = 200_000

# Upstream: kubernetes staging/src/k8s.io/apiserver/pkg/server/config.go, MaxRequestBodyBytes (1.37).
# | Characters that variables of Flux come to, in an object: the largest request that the API server takes | {} | the same |
MOST_FILLED = 3 * 1024 * 1024

# | Characters that variables of Flux come to, in all builds of a run | {} | the same |
MOST_FILLED_IN_ALL = 64 * 1024 * 1024

# Kubernetes supports 150,000 pods and 5,000 nodes in a cluster.
# | Objects of a recording | {} | refused |
MOST_RECORDED = 500_000

# The recording of 100,000 nodes has 10,000,000.
# | Mappings and lists of a recording in JSON | {} | refused |
MOST_BRACKETS = 16_000_000

# Those of an int64. Python itself reads at most 4,300.
# | Digits of a number in a text, such as a count or a weight | {} | it is no number |
MOST_DIGITS = 19


# | Seconds of `lint --isolated` without `--timeout` | {} | ends with what was found, exit code 2 |
ISOLATED_SECONDS = 300
