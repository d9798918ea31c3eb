"""How many items the API server takes in the lists of a claim or class: what comes after is rejected unread.

Source: kubernetes staging/src/k8s.io/api/resource/v1/types.go at 1.34.10 to 1.37.1.
"""

from __future__ import annotations

__all__ = [
    "MAX_ALTERNATIVES",
    "MAX_CONFIG",
    "MAX_CONSTRAINTS",
    "MAX_REQUESTS",
    "MAX_RESULTS",
    "MAX_SELECTORS",
]

MAX_REQUESTS = 32
"""Requests of a claim."""

MAX_ALTERNATIVES = 8
"""Subrequests of one request (`firstAvailable`)."""

MAX_SELECTORS = 32
"""Selectors of a class, a request or a subrequest."""

MAX_CONSTRAINTS = 32
"""Constraints of a claim."""

MAX_CONFIG = 32
"""Configurations of a claim or a class."""

MAX_RESULTS = 32
"""Devices that a claim can hold."""
