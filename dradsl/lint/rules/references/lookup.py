"""Looking up a referenced object: near names, and objects of the name in another namespace."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile

from dradsl.lint.view.index import is_elsewhere
from dradsl.lint.view.view import ClaimView, PodView, Run
from dradsl.tree.manifests.manifest import Manifest

__all__ = ["claims_of_entry", "elsewhere", "near_name", "renamed"]

_REACH = 200


def elsewhere(run: Run, kind: str, name: str, near: Manifest) -> tuple[Manifest, ...]:
    """The objects of that kind and name in whatever namespace, but none that is built apart: another
    environment tells nothing of this one."""
    return tuple(each for each in run.index.named(kind, name) if not is_elsewhere(each, near))


def renamed(run: Run, kind: str, name: str, near: Manifest) -> str | None:
    """The name of an object of the same file that is this one with a prefix or a suffix.

    Kustomize knows no reference to claims and templates (api/internal/konfig/builtinpluginconsts,
    namereference.go): what is built has the old names.
    """
    names = run.remember(("names-of-files", kind), lambda: _names_of_files(run, kind))
    known = names.get(near.path, ())
    found = (each for each in known if each.endswith(f"-{name}") or each.startswith(f"{name}-"))
    return next(found, None)


def _names_of_files(run: Run, kind: str) -> dict[str, list[str]]:
    named: dict[str, set[str]] = {}
    for each in run.index.kind(kind):
        if each.name:
            named.setdefault(each.path, set()).add(each.name)
    return {path: sorted(names)[:_REACH] for path, names in named.items()}


def near_name(name: str, names: Sequence[str]) -> Iterator[str]:
    """The names that differ from this one by a slip of the keyboard: a letter that is missing, too many or another
    one, or two that changed places.

    Of very many sorted names those near in the alphabet are compared. What differs in a number, a word of one
    letter or a letter of a short word (gpu and npu, amd and arm) differs on purpose.
    """
    if len(names) > 2 * _REACH:
        at = bisect_left(names, name)
        names = names[max(at - _REACH, 0) : at + _REACH]
    for each in names:
        if abs(len(each) - len(name)) <= 1 and each != name and _is_slip(name, each):
            yield each


def _is_slip(one: str, other: str) -> bool:
    start = _alike(one, other)
    end = _alike(one[start:][::-1], other[start:][::-1])
    mine, theirs = one[start : len(one) - end], other[start : len(other) - end]
    if len(mine) == len(theirs) == 2:
        return not any(each.isdigit() for each in mine) and mine == theirs[::-1]
    if len(mine) > 1 or len(theirs) > 1 or any(each.isdigit() for each in mine + theirs):
        return False
    longer, first, last = max(one, other, key=len), start, start
    while first and longer[first - 1].isalnum():
        first -= 1
    while last < len(longer) and longer[last].isalnum():
        last += 1
    return last - first > (3 if mine and theirs else 1) or not (mine + theirs).isalpha()


def _alike(one: Iterable[str], other: Iterable[str]) -> int:
    """With how many equal letters two texts begin."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def claims_of_entry(
    run: Run, pod: PodView, entry: Mapping[str, object], *, in_parts: bool = False
) -> Sequence[ClaimView]:
    """The claims or templates of which an entry of a pod's `resourceClaims` means one.

    None if that cannot be said: the run does not hold it, or one of them cannot be read. `in_parts`
    brings patches of them as well, which are not whole.
    """
    for field, kind in (
        ("resourceClaimName", "ResourceClaim"),
        ("resourceClaimTemplateName", "ResourceClaimTemplate"),
    ):
        name = entry.get(field)
        if isinstance(name, str) and name:
            meant = run.index.meant_or_patched if in_parts else run.index.meant
            found = [run.claim_of(each) for each in meant(kind, name, pod.manifest)]
            claims = [claim for claim in found if claim is not None]
            return claims if len(claims) == len(found) else ()
    return ()
