"""dradsl: lint, write, migrate and simulate Kubernetes DRA manifests."""

from dradsl._version import __version__

__all__ = ["__version__"]
