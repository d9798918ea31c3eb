"""Field specs: which fields a transformer writes, by default and by files under `configurations`.

Upstream: kustomize api/internal/plugins/builtinconfig, api/types/fieldspec.go.
"""

from __future__ import annotations

from dradsl.records import dataclass
from dradsl.repository.build.parts.resources import Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

__all__ = [
    "EMPTY",
    "Config",
    "ConfigError",
    "Spec",
    "default_config",
    "merged",
    "read_config",
    "read_spec",
]

_FIRST = (
    "Namespace",
    "ResourceQuota",
    "StorageClass",
    "CustomResourceDefinition",
    "ServiceAccount",
    "PodSecurityPolicy",
    "Role",
    "ClusterRole",
    "RoleBinding",
    "ClusterRoleBinding",
    "ConfigMap",
    "Secret",
    "Endpoints",
    "Service",
    "LimitRange",
    "PriorityClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Deployment",
    "StatefulSet",
    "CronJob",
    "PodDisruptionBudget",
)
_LAST = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
ORDER: Mapping[str, int] = {
    **{kind: index - len(_FIRST) for index, kind in enumerate(_FIRST)},
    **{kind: index + 1 for index, kind in enumerate(_LAST)},
}
_LISTS = (
    "namePrefix",
    "nameSuffix",
    "namespace",
    "commonLabels",
    "labels",
    "templateLabels",
    "volumeClaimTemplateLabels",
    "commonAnnotations",
    "varReference",
    "images",
    "replicas",
)


class ConfigError(ValueError):
    """A configuration that Kustomize refuses."""


@dataclass(frozen=True, slots=True)
class Spec:
    """A field of objects of a kind; `create` makes it where it is not there."""

    kind: Kind
    path: str
    create: bool = False


@dataclass(frozen=True, slots=True)
class Config:
    """The field specs of each transformer, and who refers to whom by name."""

    lists: Mapping[str, tuple[Spec, ...]]
    references: tuple[tuple[Kind, tuple[Spec, ...]], ...] = ()

    def of(self, name: str) -> tuple[Spec, ...]:
        return self.lists.get(name, ())


EMPTY = Config({})
_default: list[Config] = []


def default_config() -> Config:
    """What Kustomize does by itself."""
    if not _default:
        from dradsl.repository.build.parts.tables import FIELD_SPECS, NAME_REFERENCES

        lists = {
            name: _sorted(Spec(Kind(*row[:3]), row[3], row[4]) for row in rows)
            for name, rows in FIELD_SPECS.items()
        }
        references = tuple(
            (Kind(*kind), tuple(Spec(Kind(*row[:3]), row[3], row[4]) for row in rows))
            for kind, rows in NAME_REFERENCES
        )
        _default.append(Config(lists, _sorted_references(references)))
    return _default[0]


def merged(config: Config, more: Config) -> Config:
    """Both together.

    Raises:
        ConfigError: if they contradict each other.
    """
    if more is config or not (more.lists or more.references):
        return config
    if not (config.lists or config.references):
        return more
    lists = {
        name: _sorted(merged_specs(config.of(name), more.of(name)))
        for name in _LISTS
        if config.of(name) or more.of(name)
    }
    references = list(config.references)
    for kind, specs in more.references:
        found = [index for index, (own, _) in enumerate(references) if own == kind]
        for index in found:
            references[index] = (kind, merged_specs(references[index][1], specs))
        if not found:
            references.append((kind, specs))
    return Config(lists, _sorted_references(references))


def merged_specs(specs: tuple[Spec, ...], more: Iterable[Spec]) -> tuple[Spec, ...]:
    """Specs without those that others already mean."""
    made = list(specs)
    paths: dict[str, list[Spec]] = {}
    for each in made:
        paths.setdefault(each.path, []).append(each)
    for each in more:
        for known in paths.get(each.path, ()):
            if each.kind.selects(known.kind):
                if known.create != each.create:
                    raise ConfigError("conflicting fieldspecs")
                break
        else:
            made.append(each)
            paths.setdefault(each.path, []).append(each)
    return tuple(made)


def read_config(data: object) -> Config:
    """The configuration in a file.

    Raises:
        ConfigError: if it has another shape.
    """
    if data is None:
        return EMPTY
    if not isinstance(data, dict):
        raise ConfigError("expected a mapping")
    lists: dict[str, tuple[Spec, ...]] = {}
    references: list[tuple[Kind, tuple[Spec, ...]]] = []
    for key, value in data.items():
        name = next(
            (each for each in (*_LISTS, "nameReference") if each.lower() == key.lower()), None
        )
        if name is None:
            raise ConfigError(f"unknown field {key!r}")
        rows = value if isinstance(value, list) else [] if value is None else None
        if rows is None or not all(isinstance(row, dict) for row in rows):
            raise ConfigError(f"{key}: expected a list of mappings")
        if name == "nameReference":
            for row in rows:
                specs = row.get("fieldSpecs")
                each = tuple(read_spec(spec) for spec in specs) if isinstance(specs, list) else ()
                references.append((_kind(row), each))
        else:
            lists[name] = _sorted(read_spec(row) for row in rows)
    return Config(lists, _sorted_references(references))


def read_spec(data: Any) -> Spec:
    """A field spec as data.

    Raises:
        ConfigError: if it has another shape.
    """
    if not isinstance(data, dict):
        raise ConfigError("expected a mapping")
    path, create = data.get("path", ""), data.get("create", False)
    if not isinstance(path, str) or not isinstance(create, bool):
        raise ConfigError("path: expected a string, create: expected true or false")
    return Spec(_kind(data), path, create)


def _kind(data: Mapping[str, Any]) -> Kind:
    found = [data.get(name) or "" for name in ("group", "version", "kind")]
    if not all(isinstance(each, str) for each in found):
        raise ConfigError("group, version, kind: expected strings")
    return Kind(*found)


def kind_order(kind: Kind) -> tuple[int, str]:
    """The order in which Kustomize sorts kinds."""
    text = f"{kind.group or '~G'}_{kind.version or '~V'}_{kind.kind or '~K'}"
    return ORDER.get(kind.kind, 0), text


def _sorted(specs: Iterable[Spec]) -> tuple[Spec, ...]:
    return tuple(sorted(specs, key=lambda each: kind_order(each.kind)))


def _sorted_references(
    references: Iterable[tuple[Kind, tuple[Spec, ...]]],
) -> tuple[tuple[Kind, tuple[Spec, ...]], ...]:
    return tuple(sorted(references, key=lambda each: kind_order(each[0])))
