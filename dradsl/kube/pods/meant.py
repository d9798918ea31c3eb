"""What the author of a pod meant about its claims, as `resourceClaims` of the pod and `claims` of its containers: lists in
other shapes, under other names and at other places, with the names of the claims and templates that there are."""

from __future__ import annotations

from difflib import get_close_matches

from dradsl.kube.pods.claim_entries import SOURCES, mappings
from dradsl.kube.pods.fields import means_claims
from dradsl.text.render import render_flow
from dradsl.values.names import legal_name
from dradsl.values.plain import list_at, mapping_at, string_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    from dradsl.kube.errors import Path
    from dradsl.values.json_types import JsonObject

    Names: TypeAlias = Callable[[str], Sequence[str]]  # the names of objects of a kind

__all__ = ["remedy_of_pod"]

_KINDS = dict(zip(SOURCES, ("ResourceClaim", "ResourceClaimTemplate"), strict=True))
_PARTS = ("containers", "initContainers", "ephemeralContainers")
_BLANK = "resourceClaimTemplateName: …"
_MOUNTS = ("volumeDevices", "volumeMounts")
_AMOUNTS = ("limits", "requests")
_NEAR = 0.9
_MOST = 20  # containers, and claims of each, that are written out


def remedy_of_pod(
    help_: str | None, path: Path, read: Callable[[Path], object], names: Names
) -> str | None:
    """A remedy at a path of a pod, with the claims or labels that are meant in place of what it leaves open; `read`
    gives what is written at a path. What is not known stays open."""
    if path == ("spec", "selector") and read(path) is None:
        return _selector(read) or help_
    text, value = help_ or "", read(path)
    at = _pod_at(path, read)
    if at is None:
        return help_
    if path[-1] in SOURCES and isinstance(value, str) and "/" in value:
        return f"write {value.rpartition('/')[2]}: a pod has the claims of its own namespace only"
    if not any(each in text for each in ("…", "laims", "resourceClaim", "list")):
        return help_
    if text.startswith("write a ResourceClaimTemplate") or text.endswith(
        _BLANK
    ):  # of a template that is written out before it
        entry = read((*at, *path[len(at) : len(at) + 2]))
        name = entry.get("name") if isinstance(entry, dict) else None
        named = legal_name(str(name), dots=False) if name else None
        head = text.replace("a ResourceClaimTemplate", f"a ResourceClaimTemplate {named}", 1)
        return head.replace(_BLANK, f"resourceClaimTemplateName: {named}") if named else help_
    spec = mapping_at({"": read(at)}, "")
    if any(len(each) > _MOST for each in _lists_of(spec)):
        return help_
    extra = value if isinstance(value, list | dict) else None
    volume = read(path[:-1])
    if path[-3:-2] == ("volumes",) and isinstance(volume, dict):
        extra = [{"name": volume.get("name"), "": extra}]
    meant = _Meant(spec, extra, names)
    return meant.text(path[len(at) :] or path[-1:], value) or help_


def _selector(read: Callable[[Path], object]) -> str | None:
    """The selector of a workload: the labels of its template, or one for both."""
    labels, name = read(("spec", "template", "metadata", "labels")), read(("metadata", "name"))
    if isinstance(labels, dict) and labels:
        return f"write selector: {render_flow({'matchLabels': labels})}"
    if labels or not isinstance(name, str):
        return None
    own = render_flow({"app": name})
    return (
        f"write selector: {{matchLabels: {own}}}, and metadata: {{labels: {own}}} in the template"
    )


def _pod_at(path: Path, read: Callable[[Path], object]) -> Path | None:
    """Where the pod spec is to which a path belongs: around it, or below the mapping that holds its field."""
    ends = [i for i, step in enumerate(path) if step in (*_PARTS, "resourceClaims", "volumes")]
    for at in (path[: ends[0]] if ends else path[:-1], path[:-1]):
        for each in (at, (*at, "template", "spec")):
            value = read(each)
            if isinstance(value, dict) and isinstance(value.get("containers"), list):
                return each if ends or means_claims(path[-1]) else None
    return None


def _lists_of(spec: Mapping[str, object]) -> Iterator[Sequence[object]]:
    yield list_at(spec, "resourceClaims")
    for part in _PARTS:
        yield list_at(spec, part)
    for part in _PARTS:
        for _, each in mappings(spec.get(part)):
            yield list_at(each, "resources", "claims")


class _Meant:
    """The claims of one pod; `extra` is a list of them that is outside its spec."""

    def __init__(self, spec: Mapping[str, Any], extra: object, names: Names) -> None:
        self._spec = spec
        self._known = {field: tuple(names(kind)) for field, kind in _KINDS.items()}
        self.entries: list[JsonObject] = []
        self._by_name: dict[str, str] = {}
        lists = [value for key, value in spec.items() if means_claims(key)]
        for each in lists:
            for name, value in _items(each):
                self._add(name, value)
        for name, value in _items(extra) if extra is not None and extra not in lists else ():
            if self._said(value) is not None:
                self._add(name, value)
        self._containers = [(part, i, c) for part in _PARTS for i, c in mappings(spec.get(part))]
        if not self.entries:
            for *_, container in self._containers:
                for name, value in _items(mapping_at(container, "resources").get("claims")):
                    self._add(name, value if isinstance(value, dict) else {})
        self._uses = [[*self._used(c)] for *_, c in self._containers]

    def _add(self, name: str | None, value: object) -> None:
        source = self._said(value) or self._alike(name)
        name = name or (source and source[1])
        legal = legal_name(str(name), dots=False) if name else None
        if legal is None or legal in {each["name"] for each in self.entries}:
            return
        self.entries.append({"name": legal} | ({source[0]: source[1]} if source else {}))
        self._by_name |= {str(name): legal, legal: legal}
        if source is not None:
            self._by_name.setdefault(source[1], legal)

    def _said(self, value: object) -> tuple[str, str] | None:
        """The field and the name of the claim or template that an entry names."""
        said = [*_texts(value)]
        for field in SOURCES:
            for _, text in said:
                if text in self._known[field]:
                    return field, text
        for key, text in said:
            if "emplate" in key or "laim" in key:
                field = SOURCES["emplate" in key]
                known = self._known[field] if len(self._known[field]) <= _MOST else ()
                return field, (*get_close_matches(text, known, 1, _NEAR), text)[0]
        return None

    def _alike(self, name: str | None) -> tuple[str, str] | None:
        """The claim or template that is called like an entry, else the only one, if no other entry is called so."""
        known = [(field, each) for field, listed in self._known.items() for each in listed]
        alike = [each for each in known if each[1] == name]
        only = len(known) == 1 and f"'name': '{known[0][1]}'" not in str(self._spec)
        return alike[0] if alike else known[0] if only else None

    def _used(self, container: Mapping[str, object]) -> Iterator[JsonObject]:
        """The entries of a container's claims: what it lists, and what it names among amounts, devices or mounts."""
        resources = mapping_at(container, "resources")
        lists = [v for k, v in (*resources.items(), *container.items()) if means_claims(k)]
        for each in lists:
            for name, value in _items(each):
                fields = mapping_at({"": value}, "")
                request = fields.get("request", fields.get("requests"))
                if isinstance(request, list) and len(request) == 1:
                    request = request[0]
                of_one = {"request": request} if isinstance(request, str) else {}
                yield {"name": self._named(name, value), **of_one}
        volumes = {string_at(each, "name") for _, each in mappings(self._spec.get("volumes"))}
        mounted = [string_at(e, "name") for key in _MOUNTS for _, e in mappings(container.get(key))]
        amounts = [str(key) for part in _AMOUNTS for key in mapping_at(resources, part)]
        for key in dict.fromkeys([*mounted, *(each.rpartition("/")[2] for each in amounts)]):
            if key in self._by_name and key not in volumes:
                yield {"name": self._by_name[str(key)]}

    def _named(self, name: str | None, value: object) -> str:
        if name in self._by_name:
            return self._by_name[str(name)]
        texts = [self._by_name[text] for _, text in _texts(value) if text in self._by_name]
        named = {
            string_at(each, "name")
            for *_, c in self._containers
            for _, each in mappings(list_at(c, "resources", "claims"))
        }
        all_ = [each["name"] for each in self.entries]
        left = [each for each in all_ if each not in named]
        only = left if len(left) == 1 else all_[: len(all_) == 1]
        return str((*texts, *only, "")[0])

    def text(self, path: Path, value: object) -> str | None:
        """What to write, for a finding about a value at a path of the pod spec."""
        is_mount = any(each in path for each in _MOUNTS)
        name = value if is_mount else path[-1]
        is_other = is_mount or any(each in path[2:4] for each in _AMOUNTS)
        is_whole = all(len(each) > 1 for each in self.entries)
        if not self.entries or (is_other and not (str(name) in self._by_name or "." in str(name))):
            return None
        if not is_whole and path[0] not in _PARTS:
            return None
        if len(self._uses) == 1 and not self._uses[0]:
            self._uses = [[{"name": each["name"]} for each in self.entries]]
        parts = []
        if is_whole and self._spec.get("resourceClaims") != self.entries:
            parts.append(f"resourceClaims: {render_flow(self.entries)} in the spec of the pod")
        for (part, index, container), listed in zip(self._containers, self._uses, strict=True):
            uses = [each for i, each in enumerate(listed) if each not in listed[:i]]
            if not all(each["name"] for each in uses):
                return None
            is_here = path[:2] == (part, index) or part not in path
            if is_here and uses and list_at(container, "resources", "claims") != uses:
                of = container.get("name", part)
                parts.append(f"claims: {render_flow(uses)} under resources of container {of}")
        written = f"write {' and '.join(parts)}" if parts else ""
        if is_other:
            return (
                f"remove it, and {written}" if parts else "remove it: the container has the claim"
            )
        return written or None


def _items(value: object) -> Iterator[tuple[str | None, object]]:
    """The entries of a list of claims in any shape, each with its name if it has one."""
    if isinstance(value, dict) and not {"name", "metadata", *SOURCES} & value.keys():
        for key, each in value.items():
            yield from _items(each) if means_claims(key) else [(str(key), each)]
        return
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, str):
            yield each, {}
        elif isinstance(each, dict):
            name = each.get("name", mapping_at(each, "metadata").get("name"))
            yield (name if isinstance(name, str) else None), each


def _texts(value: object, key: str = "") -> Iterator[tuple[str, str]]:
    """The texts of an entry with their keys, but for its own name; what a devices list holds is none of them."""
    if isinstance(value, str) and key != "":
        yield key, value
    for name, each in value.items() if isinstance(value, dict) else ():
        if name not in ("devices", "request", "requests") and not (name == "name" and not key):
            yield from _texts(each, name)
