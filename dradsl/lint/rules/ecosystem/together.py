"""Whether two objects are of one cluster, as far as the files say."""

from __future__ import annotations

from dradsl.lint.view.index import is_elsewhere
from dradsl.tree.manifests.manifest import Manifest

__all__ = ["are_together"]


def are_together(one: Manifest, other: Manifest) -> bool:
    """Whether two objects are in one file, or are built together; values of charts also in one folder.

    Objects that merely lie in one repository may be examples of their own, or of two clusters.
    """
    if one.path == other.path:
        return True
    if is_elsewhere(one, other):
        return False
    if one.builds and other.builds:
        return True
    values = not one.api_version and not other.api_version
    return values and one.path.rpartition("/")[0] == other.path.rpartition("/")[0]
