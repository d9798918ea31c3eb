"""Look-up of the run's objects by kind, namespace and name, `--context` included."""

from __future__ import annotations

from collections import defaultdict

from dradsl.records import cached, dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dradsl.lint.input.manifests import Manifest

__all__ = ["DEFAULT_NAMESPACE", "Index"]

# What kubectl fills in when a manifest names no namespace and the user gave none.
DEFAULT_NAMESPACE = "default"

_CLUSTER_SCOPED = frozenset(
    {
        "DeviceClass",
        "ResourceSlice",
        "DeviceTaintRule",
        "ResourcePoolStatusRequest",
        "Namespace",
        "Node",
    }
)


@dataclass(frozen=True, slots=True)
class Index:
    """All objects of a run. Objects without a namespace may land in any: they match every one."""

    _by_key: Mapping[tuple[str, str], tuple[Manifest, ...]]  # (kind, name)
    _by_kind: Mapping[str, tuple[Manifest, ...]]
    _placed: Mapping[tuple[str, str | None, str], Manifest]  # (kind, namespace, name): the first

    @cached
    def _names(self) -> dict[str, tuple[str, ...]]:
        """The names of a kind that were asked for so far."""
        return {}

    @classmethod
    def of(cls, manifests: Iterable[Manifest]) -> Index:
        by_key: defaultdict[tuple[str, str], list[Manifest]] = defaultdict(list)
        by_kind: defaultdict[str, list[Manifest]] = defaultdict(list)
        placed: dict[tuple[str, str | None, str], Manifest] = {}
        for manifest in manifests:
            by_kind[manifest.kind].append(manifest)
            if manifest.name is not None:
                by_key[manifest.kind, manifest.name].append(manifest)
                placed.setdefault((manifest.kind, manifest.namespace, manifest.name), manifest)
        return cls(
            {key: tuple(found) for key, found in by_key.items()},
            {kind: tuple(found) for kind, found in by_kind.items()},
            placed,
        )

    def __iter__(self) -> Iterator[Manifest]:
        """Every object, in file order of each kind."""
        for found in self._by_kind.values():
            yield from found

    def kind(self, kind: str) -> tuple[Manifest, ...]:
        """Every object of a kind, in file order."""
        return self._by_kind.get(kind, ())

    def named(self, kind: str, name: str) -> tuple[Manifest, ...]:
        """Every object of that kind and name, whatever its namespace."""
        return self._by_key.get((kind, name), ())

    def find(self, kind: str, namespace: str | None, name: str) -> Manifest | None:
        """The object that a reference from `namespace` means, if the run holds it.

        A manifest without a namespace is put where `kubectl apply -n` says, so on either side a
        missing namespace matches any; an exact match goes first.
        """
        if kind in _CLUSTER_SCOPED or namespace is None:
            exact = None if kind in _CLUSTER_SCOPED else self._placed.get((kind, None, name))
            return exact or next(iter(self.named(kind, name)), None)
        return self._placed.get((kind, namespace, name)) or self._placed.get((kind, None, name))

    def names(self, kind: str) -> tuple[str, ...]:
        """The names in use for a kind, sorted and each once."""
        if kind not in self._names:
            self._names[kind] = tuple(sorted({m.name for m in self.kind(kind) if m.name}))
        return self._names[kind]
