"""Who names whom: classes, claims, templates, the claims of pods, and requests, across files.

A mention is a place in an object that gives a thing its name, or uses that name.
"""

from __future__ import annotations

from dradsl.kube.pods.workloads import pod_specs
from dradsl.lsp.texts.cursor import source_of
from dradsl.records import dataclass
from dradsl.text import mentions
from dradsl.tree.manifests.manifest import RESOURCE_GROUP, manifests_of
from dradsl.values.plain import list_at, member

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping

    from dradsl.diagnostics import Span
    from dradsl.text.documents import Stream
    from dradsl.text.paths import FieldPath
    from dradsl.tree.manifests.manifest import Manifest

__all__ = ["Mention", "Names", "mentions_in"]

CLASS, CLAIM, TEMPLATE = "DeviceClass", "ResourceClaim", "ResourceClaimTemplate"
REQUEST, SUBREQUEST, POD_CLAIM = "request", "subrequest", "claim of the pod"
_LISTS = ("initContainers", "containers", "ephemeralContainers")


@dataclass(frozen=True, slots=True, eq=False)
class Mention:
    """A name at a path of an object. What has the same `key` is the same thing.

    `part` are the characters of the text that are the name, if it is not all of it.
    """

    kind: str
    scope: Hashable
    name: str
    defines: bool
    manifest: Manifest
    path: FieldPath
    part: tuple[int, int] | None = None

    @property
    def key(self) -> tuple[str, Hashable, str]:
        return self.kind, self.scope, self.name

    @property
    def span(self) -> Span:
        """Where the name is in the file; quotes are not part of it."""
        return self.manifest.span(self.path, text=self.part or (0, len(self.name)))


class Names:
    """The mentions of some files; those of a file are collected once, as long as it stays the same."""

    def __init__(self) -> None:
        self._by_file: dict[str, tuple[Stream, tuple[Mention, ...]]] = {}

    def all(self, files: Mapping[str, Stream]) -> list[Mention]:
        """The mentions of all files, with the requests that containers name in them resolved."""
        for path in [path for path in self._by_file if path not in files]:
            del self._by_file[path]
        found: list[Mention] = []
        for path, stream in files.items():
            known = self._by_file.get(path)
            if known is None or known[0] is not stream:
                known = self._by_file[path] = (stream, tuple(mentions_in(path, stream)))
            found += known[1]
        return found


def mentions_in(path: str, stream: Stream) -> Iterator[Mention]:
    """The mentions in one file."""
    if not mentions.DEVICES.is_in(stream.text):
        return
    for manifest in manifests_of(source_of(path, stream)):
        if manifest.group == RESOURCE_GROUP:
            yield from _of_object(manifest)
        else:
            for pod in pod_specs(manifest.data):
                yield from _of_pod(manifest, pod.path, pod.spec)


def _of_object(manifest: Manifest) -> Iterator[Mention]:
    name = member(manifest.data, "metadata", "name")
    space = None if manifest.kind == CLASS else manifest.namespace
    if manifest.kind in (CLASS, CLAIM, TEMPLATE) and isinstance(name, str) and name:
        yield Mention(manifest.kind, space, name, True, manifest, ("metadata", "name"))
    if manifest.kind not in (CLAIM, TEMPLATE):
        return
    prefix = ("spec", "devices") if manifest.kind == CLAIM else ("spec", "spec", "devices")
    devices: object = manifest.data
    for step in prefix:
        devices = member(devices, step)
    if not isinstance(devices, dict):
        return
    # Without a name, the requests are known within the object alone.
    owner: Hashable = (manifest.kind, space, name) if name else (manifest.kind, id(manifest))
    for index, request in _dicts(devices.get("requests")):
        at = (*prefix, "requests", index)
        yield from _of_request(manifest, at, request, owner)
    for field in ("constraints", "config"):
        for index, each in _dicts(devices.get(field)):
            for number, text in _texts(each.get("requests")):
                yield from _used(manifest, (*prefix, field, index, "requests", number), text, owner)


def _of_request(
    manifest: Manifest, at: FieldPath, request: Mapping[str, object], owner: Hashable
) -> Iterator[Mention]:
    name = request.get("name")
    if isinstance(name, str) and name:
        yield Mention(REQUEST, owner, name, True, manifest, (*at, "name"))
    yield from _class(manifest, at, request)
    exactly = request.get("exactly")
    if isinstance(exactly, dict):
        yield from _class(manifest, (*at, "exactly"), exactly)
    for index, sub in _dicts(request.get("firstAvailable")):
        inner = (*at, "firstAvailable", index)
        word = sub.get("name")
        if isinstance(word, str) and word:
            yield Mention(SUBREQUEST, (owner, name), word, True, manifest, (*inner, "name"))
        yield from _class(manifest, inner, sub)


def _class(manifest: Manifest, at: FieldPath, request: Mapping[str, object]) -> Iterator[Mention]:
    name = request.get("deviceClassName")
    if isinstance(name, str) and name:
        yield Mention(CLASS, None, name, False, manifest, (*at, "deviceClassName"))


def _used(manifest: Manifest, path: FieldPath, text: str, owner: Hashable) -> Iterator[Mention]:
    """The request that a text names, and the alternative behind a slash."""
    name, slash, sub = text.partition("/")
    if name:
        yield Mention(REQUEST, owner, name, False, manifest, path, (0, len(name)))
    if slash and sub:
        part = (len(name) + 1, len(text))
        yield Mention(SUBREQUEST, (owner, name), sub, False, manifest, path, part)


def _of_pod(manifest: Manifest, at: FieldPath, spec: Mapping[str, object]) -> Iterator[Mention]:
    pod = (manifest.path, manifest.document.index, manifest.prefix, at)
    owners: dict[str, Hashable] = {}
    for index, each in _dicts(spec.get("resourceClaims")):
        path = (*at, "resourceClaims", index)
        name = each.get("name")
        for field, kind in (("resourceClaimName", CLAIM), ("resourceClaimTemplateName", TEMPLATE)):
            named = each.get(field)
            if isinstance(named, str) and named:
                yield Mention(kind, manifest.namespace, named, False, manifest, (*path, field))
                if isinstance(name, str):
                    owners[name] = (kind, manifest.namespace, named)
        if isinstance(name, str) and name:
            yield Mention(POD_CLAIM, pod, name, True, manifest, (*path, "name"))
    for field in _LISTS:
        for index, container in _dicts(spec.get(field)):
            claims = member(container, "resources", "claims")
            for number, claim in _dicts(claims):
                path = (*at, field, index, "resources", "claims", number)
                name, request = claim.get("name"), claim.get("request")
                if isinstance(name, str) and name:
                    yield Mention(POD_CLAIM, pod, name, False, manifest, (*path, "name"))
                    if isinstance(request, str) and request and name in owners:
                        yield from _used(manifest, (*path, "request"), request, owners[name])


def _dicts(value: object) -> Iterator[tuple[int, Mapping[str, object]]]:
    items: Iterable[object] = list_at(value)
    for index, item in enumerate(items):
        if isinstance(item, dict):
            yield index, item


def _texts(value: object) -> Iterator[tuple[int, str]]:
    items: Iterable[object] = list_at(value)
    for index, item in enumerate(items):
        if isinstance(item, str):
            yield index, item
