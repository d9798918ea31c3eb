"""Semantic versions: `semver("1.2.3")` (apiserver `pkg/cel/library/semverlib.go`)."""

# Upstream: * (k8s.io/apiserver/pkg/cel/library/semverlib.go)

from __future__ import annotations

from dradsl.cel.runtime.values import INT_MAX, CelRuntimeError
from dradsl.values.semver import Semver, SemverError

__all__ = ["FUNCTIONS"]


def _parse(text: str, normalize: bool = False) -> Semver:
    try:
        return Semver.parse(text, normalize)
    except SemverError as error:
        raise CelRuntimeError(str(error)) from None


def _is_semver(text: str, normalize: bool = False) -> bool:
    try:
        Semver.parse(text, normalize)
    except SemverError:
        return False
    return True


def _int64(number: int) -> int:
    """An unsigned number as upstream's cast to int64 leaves it."""
    return number if number <= INT_MAX else number - 2**64


FUNCTIONS = {
    "string_to_semver": _parse,
    "string_bool_to_semver": _parse,
    "is_semver_string": _is_semver,
    "is_semver_string_bool": _is_semver,
    "semver_is_greater_than": lambda left, right: left.cmp(right) > 0,
    "semver_is_less_than": lambda left, right: left.cmp(right) < 0,
    "semver_compare_to": Semver.cmp,
    "semver_major": lambda version: _int64(version.major),
    "semver_minor": lambda version: _int64(version.minor),
    "semver_patch": lambda version: _int64(version.patch),
}
