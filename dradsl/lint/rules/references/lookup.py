"""Looking up a referenced object: near names, and objects of the name in another namespace."""

from __future__ import annotations

from bisect import bisect_left

from dradsl.lint.view.index import is_elsewhere

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dradsl.lint.view.view import ClaimView, PodView, Run
    from dradsl.tree.manifests.manifest import Manifest

__all__ = ["claims_of_entry", "elsewhere", "meant", "near_by", "suggest"]

_REACH = 200
_MOST_ASKED = 20


def elsewhere(run: Run, kind: str, name: str, near: Manifest) -> tuple[Manifest, ...]:
    """The objects of that kind and name in whatever namespace, but none that is built apart: another
    environment tells nothing of this one."""
    return tuple(each for each in run.index.named(kind, name) if not is_elsewhere(each, near))


def suggest(run: Run, kind: str, name: str, near: Manifest) -> str:
    """What to do about a name that the run does not hold."""
    renamed = _renamed(run, kind, name, near)
    if renamed is not None:
        return (
            f'there is "{renamed}": if Kustomize changed the name, add a nameReference for this field to its '
            "configurations"
        )
    from difflib import get_close_matches

    def nearest() -> str | None:
        names = tuple(near_by(name, run.index.names(kind)))
        return run.remember(
            ("close", name, names),
            lambda: next(iter(get_close_matches(name, names, n=1)), None),
            by="schemas",
        )

    like = meant(run, (kind, name), nearest)
    if like:
        return f'did you mean "{like}"?'
    return f"add the {kind} to the manifests, or show dradsl where it lives with --context PATH"


def _renamed(run: Run, kind: str, name: str, near: Manifest) -> str | None:
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


def meant(run: Run, key: tuple[str, str], find: Callable[[], str | None]) -> str | None:
    """The name that was probably meant, as `find` says: asked for so many names of a run.

    Comparing takes long, and whoever misses more names than that has not mistyped them.
    """
    answers: dict[tuple[str, str], str | None] = run.remember("names-meant", dict)
    if key not in answers:
        if len(answers) >= _MOST_ASKED:
            return None
        answers[key] = find()
    return answers[key]


def near_by(name: str, names: Sequence[str]) -> Sequence[str]:
    """Of very many sorted names, those near in the alphabet: comparing is slow."""
    if len(names) <= 2 * _REACH:
        return names
    at = bisect_left(names, name)
    return names[max(at - _REACH, 0) : at + _REACH]


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
