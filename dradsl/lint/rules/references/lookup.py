"""Looking up a referenced object: near names, objects of the name in another namespace, and those that controllers make."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile

from dradsl.lint.view.index import is_elsewhere, may_share_namespace
from dradsl.lint.view.pods import PodView
from dradsl.lint.view.view import ClaimView, Run
from dradsl.tree.manifests.manifest import RESOURCE_GROUP, Manifest
from dradsl.tree.variables import Parts, can_be
from dradsl.values.limits import MOST_UNKNOWN_NAMES

__all__ = [
    "CHANNEL",
    "claims_of_entry",
    "domains",
    "elsewhere",
    "is_generated",
    "near_name",
    "renamed",
]

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
    for each in _names_in_file(run, kind, near):
        start, end = each.removesuffix(f"-{name}"), each.removeprefix(f"{name}-")
        is_before = start != each and str(near.name).startswith(f"{start}-")
        if is_before or (end != each and str(near.name).endswith(f"-{end}")):
            return each
    return None


def only_one(run: Run, kind: str, near: Manifest) -> str | None:
    """The name of the only object of a kind in the same file."""
    names = _names_in_file(run, kind, near)
    return names[0] if len(names) == 1 else None


def _names_in_file(run: Run, kind: str, near: Manifest) -> Sequence[str]:
    def names() -> Sequence[str]:
        return sorted({each.name for each in run.index.in_file(near, kind) if each.name})[:_REACH]

    return run.remember(("names-in-file", kind, near.path), names)


def near_name(name: str, names: Sequence[str]) -> Iterator[str]:
    """The names that differ from this one by a slip of the keyboard: a letter that is missing, too many or another
    one, or two that changed places.

    Of very many sorted names those near in the alphabet are compared. What differs in a number or a letter at one (a100
    and h100), a word of one letter or a letter of a short word (gpu and npu, amd and arm) differs on purpose.
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
    if mine and theirs and any(map(str.isdigit, one[max(start - 1, 0) : start + 2])):
        return False  # the letter of a product: a100, h100
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


# Templates that a custom resource of the run asks for

CHANNEL = "channel"
"""The one request of a ComputeDomain's template (dra-driver-nvidia-gpu v25.3 to v0.5,
templates/compute-domain-workload-claim-template.tmpl.yaml)."""

_DOMAINS = ("resource.nvidia.com", "ComputeDomain")


def is_generated(run: Run, name: str) -> bool:
    """Whether a template has a name that is under `resourceClaimTemplate.name` of a custom resource.

    NVIDIA's ComputeDomain is one such kind: its controller creates the template of that name. Of these `domains`
    says in which namespace.
    """
    names, open_names = run.remember("generated-templates", lambda: _names(run))
    if name in names or len(open_names) > MOST_UNKNOWN_NAMES:
        return True
    if not open_names:
        return False
    return any(can_be(parts, name) for parts in open_names)


def domains(
    run: Run, name: str, near: Manifest
) -> tuple[tuple[Manifest, ...], tuple[Manifest, ...]]:
    """The ComputeDomains whose template of that name an object may use, and those of other namespaces.

    The template goes to the namespace of the ComputeDomain (cmd/compute-domain-controller/computedomain.go).
    """
    by_name = run.remember("compute-domains", lambda: _domains(run))
    found = [each for each in by_name.get(name, ()) if not is_elsewhere(each, near)]
    here = tuple(each for each in found if may_share_namespace(each, near))
    return here, tuple(each for each in found if each not in here)


def _domains(run: Run) -> dict[str, tuple[Manifest, ...]]:
    found: dict[str, tuple[Manifest, ...]] = {}
    for manifest in run.index.kind(_DOMAINS[1]):
        if manifest.group == _DOMAINS[0]:
            for name in dict.fromkeys(_below(manifest.data)):
                found[name] = (*found.get(name, ()), manifest)
    return found


def _names(run: Run) -> tuple[frozenset[str], tuple[Parts, ...]]:
    names: set[str] = set()
    open_names: list[Parts] = []
    for manifest in run.index.where(_may_name):
        names.update(run.remember_of(manifest, _templates_named))
        holes = manifest.build_context.holes
        open_names += [holes[path] for path in holes if path[-2:] == _PLACE]
    return frozenset(names), tuple(open_names)


_PLACE = ("resourceClaimTemplate", "name")
_OF_PODS = "resourceClaimTemplateName"


def _may_name(manifest: Manifest) -> bool:
    """Whether a custom resource of a file can have a field that is called so."""
    if manifest.group in ("", RESOURCE_GROUP) or "." not in manifest.group:
        return False
    if manifest.chart_output is not None:
        return True
    text = manifest.source.stream.text
    # In quotes its letters may be written as escapes. Fields of pods begin with the same word.
    return text.count(_PLACE[0]) > text.count(_OF_PODS) or "\\" in text


def _templates_named(manifest: Manifest) -> tuple[str, ...]:
    return tuple(_below(manifest.data))


def _below(value: object) -> Iterator[str]:
    pending = [value]
    while pending:
        each = pending.pop()
        if isinstance(each, dict):
            template = each.get(_PLACE[0])
            if isinstance(template, dict) and isinstance(template.get("name"), str):
                yield template["name"]
            pending += [inner for inner in each.values() if isinstance(inner, (dict, list))]
        elif isinstance(each, list):
            pending += each
