"""An app collects the objects that a Python module builds, for `dradsl build` and other tools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, TypeVar

from dradsl.dsl.checking.held import register
from dradsl.dsl.data.fragment import Hinting
from dradsl.dsl.data.frozen import Open
from dradsl.dsl.data.places import note_made, place_of_caller
from dradsl.dsl.objects.manifest import GROUP, Manifest, describe, reject_dropped
from dradsl.errors import DradslError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.dsl.checking.results import LintResult
    from dradsl.dsl.data.places import PythonPlace
    from dradsl.releases import ReleaseName
    from dradsl.values.json_types import JsonMapping, JsonObject

__all__ = ["App", "DuplicateObjectError", "object_key"]

M = TypeVar("M", bound=Manifest)

_Key = tuple[str, str, str, str]


class DuplicateObjectError(DradslError, ValueError):
    """Two objects of one kind, namespace and name."""


class App(Hinting):
    """The objects of one module, in the order in which they were added.

    Args:
        for_release: the Kubernetes release that they are for, such as "1.36": an object with a
            field that it would drop is rejected, and lint checks for it.
        feature_gates: gates that differ from the release's defaults.
        name: tells the builds of one factory apart, such as a team or an environment. Without it,
            the factory's parameters do.
        uses: apps whose objects this one names and that are applied elsewhere, such as the platform's
            classes: lint looks into them, and does not ask for them here.
    """

    def __init__(
        self,
        *,
        for_release: ReleaseName | None = None,
        feature_gates: Mapping[str, bool] | None = None,
        name: str | None = None,
        uses: App | Iterable[App] = (),
    ) -> None:
        if feature_gates:
            from dradsl.releases import expect_switches

            expect_switches(feature_gates)
        if for_release is not None:
            from dradsl.releases import get_release

            if not isinstance(for_release, str):
                raise TypeError(f'for_release is a text like "1.36", not {for_release!r}')
            get_release(for_release).features(feature_gates)  # raises for unknown ones
        self._for_release = for_release
        self.feature_gates: dict[str, bool] = dict(feature_gates or {})
        self.name: str | None = name
        self.uses: tuple[App, ...] = (uses,) if isinstance(uses, App) else tuple(uses)
        for one in self.uses:
            if not isinstance(one, App):
                raise TypeError(f"uses holds apps, not {one!r}")
        self.place: PythonPlace | None = place_of_caller()
        note_made(self)
        register(self)
        self._objects: dict[_Key, Manifest] = {}
        self._open: dict[_Key, Open] = {}

    @property
    def for_release(self) -> str | None:
        """The Kubernetes release that the objects are for."""
        return self._for_release

    def add(self, obj: M, *, when: bool = True) -> M:
        """Add an object, and hand it back.

        Args:
            obj: the object.
            when: whether it is there; of a value of a chart, the template asks, and checks see the object.

        Raises:
            DuplicateObjectError: if there is one of that kind, namespace and name.
            DroppedFieldsError: if `for_release` would drop a field of it.
        """
        if not isinstance(obj, Manifest):
            raise TypeError(
                f"{obj!r} is no object; plain data is KubernetesObject({{...}}), and several objects "
                "are added by extend([...])"
            )
        switch: object = when
        if switch is False:
            return obj
        data = obj.to_dict()
        if self.for_release is not None and data["apiVersion"].startswith(f"{GROUP}/"):
            reject_dropped(data, self.for_release, self.feature_gates)
        key = object_key(data, len(self._objects))
        other = self._objects.get(key)
        if other is not None:
            where = "" if other.place is None else f", built at {other.place}"
            raise DuplicateObjectError(f"{describe(data)} is there already{where}")
        self._objects[key] = obj
        if isinstance(switch, Open):
            self._open[key] = switch
        return obj

    def extend(self, objects: Iterable[Manifest]) -> None:
        """Add each of `objects`; errors as of `add`."""
        if isinstance(objects, Manifest):
            raise TypeError("extend() takes several objects: one is added by add(...)")
        for obj in objects:
            self.add(obj)

    @property
    def objects(self) -> tuple[Manifest, ...]:
        """What was added, in that order."""
        return tuple(self._objects.values())

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        register(self)  # a copy or an unpickled app holds its objects too

    def __iter__(self) -> Iterator[Manifest]:
        return iter(self.objects)

    def __len__(self) -> int:
        return len(self._objects)

    def __bool__(self) -> bool:
        return True  # an app without objects is an app

    def __repr__(self) -> str:
        name = "" if self.name is None else f" {self.name}"
        release = "" if self.for_release is None else f" for Kubernetes {self.for_release}"
        return f"<App{name} with {len(self)} objects{release}>"

    def lint(
        self,
        *,
        kube_version: ReleaseName | Sequence[str] | None = None,
        feature_gates: Mapping[str, bool] | None = None,
        select: Iterable[str] = (),
        ignore: Iterable[str] = (),
    ) -> LintResult:
        """What `dradsl build` would find; findings are at the Python lines. See `dradsl.lint`.

        Args:
            kube_version: the release or releases to check for; the app's own if None.
            feature_gates: gates that differ from the release's defaults.
            select: report these rules only, by code, beginning of a code, or name.
            ignore: do not report these rules.
        """

        from dradsl.dsl.checking.check import check_apps
        from dradsl.dsl.checking.results import LintResult
        from dradsl.lint.engine.session import Session, overrides_of

        releases = [kube_version] if isinstance(kube_version, str) else list(kube_version or ())
        overrides = overrides_of(
            kube_version=releases, feature_gates=feature_gates, select=select, ignore=ignore
        )
        config = Session((), overrides).confined_config()
        return LintResult.of(check_apps([self], config, releases_of_config=bool(releases)))

    def to_dicts(self) -> list[JsonObject]:
        """The objects as plain data, in the API versions that the release serves."""
        return [self._data(obj) for obj in self._objects.values()]

    def to_yaml(self) -> str:
        """The objects as one stream of YAML documents."""
        from dradsl.dsl.objects.yaml_text import to_yaml

        return to_yaml(self.to_dicts())

    def files(self) -> dict[str, str]:
        """File name -> YAML, one file an object."""
        from dradsl.dsl.objects.yaml_text import to_yaml

        data = self.to_dicts()
        return dict(zip(_file_names(data), (to_yaml([one]) for one in data), strict=True))

    def templates(self) -> tuple[dict[str, str], frozenset[str]]:
        """File name -> template of a Helm chart, and what is filled in there, such as ".Values.gpus".

        Braces of the objects are escaped. See `dradsl.integrations.helm`.
        """
        from dradsl.dsl.expressions.placeholders import as_templates, filled_in, marked
        from dradsl.dsl.objects.yaml_text import to_yaml

        files: dict[str, str] = {}
        used: frozenset[str] = frozenset()
        with as_templates():
            data = self.to_dicts()
            rows = zip(self._objects, _file_names(data), data, strict=True)
            for key, name, one in rows:
                text, filled = filled_in(to_yaml([marked(one)]))
                when = self._open.get(key)
                if when is not None:
                    text = f"{{{{- if {when.template} }}}}\n{text}{{{{- end }}}}\n"
                    used |= {when.template}
                files[name] = text
                used |= filled
        return files, used

    def _data(self, obj: Manifest) -> dict[str, object]:
        data = obj.to_dict()
        version = self._version(data)
        return data if version is None else obj.to_dict(api_version=version)

    def _version(self, data: JsonMapping) -> str | None:
        """The newest API version that the release knows for a kind whose v1 it does not."""
        if self.for_release is None or data["apiVersion"] != f"{GROUP}/v1":
            return None
        from dradsl.kube.fields.table import VERSIONS
        from dradsl.releases import Served, get_release

        release = get_release(self.for_release)
        known = (v for v in VERSIONS if release.serves(v, data["kind"]) is not Served.NO)
        newest = next(known, "v1")
        return None if newest == "v1" else newest


def object_key(data: JsonMapping, number: int) -> _Key:
    """Group, kind, namespace and name, which no two objects of a cluster share.

    `number` tells objects apart whose name the server makes up.
    """
    metadata = data.get("metadata")
    metadata = metadata if isinstance(metadata, Mapping) else {}
    # An object that gets its name from the server is never a duplicate.
    name = metadata.get("name") or f"({number})"
    group, _, _ = data["apiVersion"].rpartition("/")
    return group, data["kind"], str(metadata.get("namespace") or ""), str(name)


def _file_names(data: list[dict[str, object]]) -> Iterator[str]:
    """One name an object: `deviceclass_h100.yaml`; `_` is in no name, so no two are alike."""
    from urllib.parse import quote

    keys = [object_key(one, number) for number, one in enumerate(data)]
    plain = ["_".join(part for part in key[1:] if part).lower() for key in keys]
    for key, name in zip(keys, plain, strict=True):
        unique = name if plain.count(name) == 1 else f"{name}_{key[0] or 'core'}"
        yield f"{quote(unique, safe='')}.yaml"
