"""Values of objects that are not known: where they stand, what they may be, and how they are filled.

What is found in an object must hold whatever its unknown values are. So objects with such values are looked
at several times, filled differently (`worlds`), and only what is found each time is said.
"""

from __future__ import annotations

from dradsl.records import once, replace
from dradsl.text import mentions
from dradsl.text.paths import FieldPath, value_at
from dradsl.text.scalars import ScalarError, resolve_plain
from dradsl.text.splitting import has_marks
from dradsl.tree.charts.chart_objects import RELEASE_NAME
from dradsl.tree.manifests.manifest import RESOURCE_GROUP, BuildContext, Manifest
from dradsl.tree.variables import (
    Hole,
    Parts,
    Value,
    can_be,
    evaluate,
    fill,
    is_off,
    parse,
    variables_in,
)
from dradsl.values.limits import MOST_WORLDS
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from dradsl.text.documents import Document
    from dradsl.tree.applied.repository import BuiltBy, Origin, Repository
    from dradsl.tree.inputs.sources import SourceText

__all__ = ["Unknowns", "changed", "is_unknown_field"]

_NOT_WRITTEN = RELEASE_NAME  # in names that charts give
_SHOWN = 3
_SHOWN_CHARACTERS = 80  # characters
# Within an expression of CEL `${` is text, unless the tree shows that variables are replaced.
_EXPRESSION = "expression"
_SIGNS = frozenset("\"'{[&*!|>%@`#")  # a scalar that begins so is no plain one
# What stands for a hole is legal as a name of any kind, of objects and of attributes.
_SAMPLE = "dradslunknown"
_FIRST_SAMPLE = pattern(rf"{_SAMPLE}0x(?P<number>[0-9]+)z")


def is_unknown_field(manifest: Manifest, path: FieldPath) -> bool:
    """Whether the name of a field is not known, or what is above it; its value does not count."""
    return _SAMPLE in str(path[-1]) or manifest.is_unknown(path[:-1])


class Unknowns:
    """The unknown values of a run's objects.

    `given` are values of variables that the call names; `namespace` is that of objects without one.
    """

    def __init__(
        self,
        repository: Repository | None = None,
        given: Mapping[str, str] | None = None,
        namespace: str | None = None,
    ) -> None:
        self._repository = repository
        self._given = given or {}
        self._namespace = namespace
        self._replaced = bool(given) or (repository is not None and repository.substitutes)
        self._numbers: dict[str, int] = {}
        self._files: dict[str, bool] = {}
        self._documents: dict[Document, bool] = {}
        self._marks: dict[tuple[str, int, FieldPath], _Marks] = {}
        self._missing: dict[str, None] = {}
        self.worlds = 1

    def is_patch(self, name: str) -> bool:
        """Whether a kustomization takes the file for a patch."""
        return self._repository is not None and self._repository.origin(name).is_patch

    @property
    def repository(self) -> Repository | None:
        """What builds the files of the run."""
        return self._repository

    def built_with_claims(self, manifest: Manifest, *, mentions: bool) -> tuple[str | BuiltBy, ...]:
        """The builds that patch an object, and have to do with claims or devices (`Repository`)."""
        if self._repository is None or manifest.name is None or manifest.within is not None:
            return ()
        names = (manifest.name,)
        return self._repository.built_with_claims(
            manifest.path, manifest.kind, names, mentions=mentions
        )

    def fill(self, manifests: Iterable[Manifest]) -> tuple[Manifest, ...]:
        """The objects with what is known of them, their unknown values filled for the first time."""
        found = tuple(manifests)
        if self._repository is None and self._namespace is None:
            files = {each.source.name: each.source for each in found}
            if not any(map(self._has_marks, files.values())) and all(
                m.chart_output is None for m in found
            ):
                return found
        return tuple([self._filled_first(manifest) for manifest in found])

    def in_world(self, manifests: Iterable[Manifest], world: int) -> tuple[Manifest, ...]:
        """The objects that `place` gave, filled for the `world`th time; the first is 0.

        What has no values of its own in that world stays as it was in the first.
        """
        marks = self._marks
        files = {key[0] for key in marks}
        return tuple(
            [
                self._filled(manifest, found, world)
                if manifest.source.name in files
                and (found := marks.get(manifest.key)) is not None
                # In the second world all holes are the same.
                and (world < len(found.sets) or (world == 1 and manifest.build_context.holes))
                else manifest
                for manifest in manifests
            ]
        )

    def note(self) -> str | None:
        """What the run could not see, in one line; None if it saw everything."""
        names = list(self._missing)
        if not names:
            return None
        shown = ", ".join(
            each if len(each) <= _SHOWN_CHARACTERS else f"{each[:_SHOWN_CHARACTERS]}..."
            for each in names[:_SHOWN]
        )
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        return f"values that are not known, so not judged: {shown}{more} (--substitute gives them)"

    def _filled_first(self, manifest: Manifest) -> Manifest:
        origin = None
        if self._repository is not None:
            origin = self._repository.origin(manifest.source.was or manifest.path)
            if not (origin.uses or origin.listed_in):
                origin = None  # nothing is built of it: all that counts is written
        marks = self._find(manifest)
        if marks:
            return self._with_marks(manifest, origin, marks)
        if origin is None and self._namespace is None:
            return manifest
        is_built = origin is not None and bool(origin.uses or origin.is_patch)
        own = _names_of(manifest, origin, None) if is_built else ()
        is_changed = is_built and self._is_completed(manifest, of_claims=False)
        context = BuildContext(
            origin=origin,
            names=(*own, *manifest.build_context.names),
            namespaces=self._namespaces(manifest, origin),
            completed=is_changed and self._is_completed(manifest),  # changes it at all, then
            changed=is_changed,
        )
        return replace(manifest, build_context=context)

    def _namespaces(self, manifest: Manifest, origin: Origin | None) -> tuple[str, ...]:
        """The namespaces that the object may go to; none if one of them is not known."""
        written = manifest.namespace or self._namespace
        found: dict[str, None] = {}
        if manifest.chart_output is not None and not manifest.chart_output.placed:
            origin = None  # the release says it, whatever is built of the file
        if origin is None or not origin.uses:
            return () if written is None or has_marks(written) else (written,)
        if origin.more:
            return ()
        for use in origin.uses:
            namespace = use.namespace or written or use.fallback
            if namespace is None or has_marks(namespace):
                return ()
            found[namespace] = None
        return tuple(found)

    def _is_completed(self, manifest: Manifest, *, of_claims: bool = True) -> bool:
        made = manifest.chart_output
        if made is not None and made.host is not None:
            return self._is_completed(made.host, of_claims=of_claims)
        if self._repository is None or manifest.name is None or manifest.within is not None:
            return False
        names = [manifest.name]
        if manifest.kind == "Namespace":
            names += self._namespaces(manifest, self._repository.origin(manifest.path))
        return self._repository.patches_may_fix(
            manifest.path, manifest.kind, names, of_claims=of_claims
        )

    def _has_marks(self, source: SourceText) -> bool:
        return once(self._files, source.name, lambda _: has_marks(source.stream.text))

    def _find(self, manifest: Manifest) -> _Marks | None:
        """What of an object holds variables or templates; None if nothing does."""
        made = manifest.chart_output
        if made is not None:  # names may hold what no text of the file does
            host = manifest.data if made.host is None else made.host.data
            found = _Marks(manifest.data)
            _collect(manifest.data, (), found, self._replaced, variables=not is_off(host))
            return found if found.texts or found.keys else None
        source, document = manifest.source, manifest.document
        if not self._has_marks(source):
            return None
        if not once(self._documents, document, lambda each: each.masked or has_marks(each.text)):
            return None
        found = _Marks(manifest.data)
        _collect(manifest.data, (), found, self._replaced, variables=not is_off(manifest.data))
        return found if found.texts or found.keys else None

    def _with_marks(self, manifest: Manifest, origin: Origin | None, marks: _Marks) -> Manifest:
        self._set_values(origin, marks)
        self._marks[manifest.key] = marks
        self.worlds = max(self.worlds, len(marks.sets))
        written = marks.texts.get(("metadata", "name"))
        name = manifest.name
        if written is not None:
            values = {marks.value(written, each).text for each in marks.sets}
            only = next(iter(values)) if len(values) == 1 else None
            name = only or name
        namespaces = self._namespaces(manifest, origin)
        written = marks.texts.get(("metadata", "namespace"))
        if written is not None and not namespaces:
            texts = {marks.value(written, each).text for each in marks.sets}
            namespaces = () if None in texts else tuple(sorted(str(text) for text in texts))
        context = BuildContext(
            origin=origin,
            names=(*_names_of(manifest, origin, marks), *manifest.build_context.names),
            namespaces=namespaces,
            completed=self._is_completed(manifest),
            changed=self._is_completed(manifest, of_claims=False),
        )
        filled = self._filled(replace(manifest, name=name, build_context=context), marks, 0)
        if filled.build_context.holes:
            self.worlds = max(self.worlds, 2)
            self._tell(filled)
        return filled

    def _set_values(self, origin: Origin | None, marks: _Marks) -> None:
        """The values of the object's variables, once for each different build."""
        used = {name for parsed in marks.texts.values() for name in variables_in(parsed)}
        uses = () if origin is None or origin.more else origin.uses
        found: dict[tuple[tuple[str, str], ...], None] = {}
        for variables in [each.variables for each in uses] or [{}]:
            values = {k: v for k, v in {**variables, **self._given}.items() if k in used}
            found[tuple(sorted(values.items()))] = None
        marks.sets = tuple(dict(each) for each in found)
        if len(found) > MOST_WORLDS:
            # Too many to try each: what one of them gives is not known of all.
            named = frozenset(name for each in marks.sets for name in each)
            marks.unknown_names = named - set(self._given)
            marks.sets = ({name: value for name, value in self._given.items() if name in used},)

    def _filled(self, manifest: Manifest, marked: _Marks, world: int) -> Manifest:
        known = marked.sets[world if world < len(marked.sets) else 0]
        holes: dict[FieldPath, Parts] = {}
        changes: dict[FieldPath, object] = {}
        altered: set[FieldPath] = set()
        for path, parsed in marked.texts.items():
            value = marked.value(parsed, known)
            text = value.text
            if text:
                changes[path] = _typed(text)
                altered.add(path)
                continue
            holes[path] = value.parts or (Hole(""),)
            samples = [each.text for each in value.parts if isinstance(each, Hole)]
            changes[path] = fill(value.parts, {each: self._sample(each, world) for each in samples})
        keys = [(path, self._sample(str(path[-1]), world)) for path in reversed(marked.keys)]
        for path, key in keys:
            holes[path] = holes[*path[:-1], key] = (Hole(str(path[-1])),)
        context = replace(
            manifest.build_context, holes=holes, altered=frozenset(altered), world=world
        )
        return replace(
            manifest, data=_renamed(changed(marked.data, changes), keys), build_context=context
        )

    def with_value(self, manifest: Manifest, text: str) -> Manifest | None:
        """The object with `text` in each unknown value that can be that; None if none can."""
        fitting = {
            path: text
            for path, parts in manifest.build_context.holes.items()
            if can_be(parts, text) and _is_value(manifest.data, path)
        }
        if not fitting:
            return None
        return replace(manifest, data=changed(manifest.data, fitting))

    def _sample(self, text: str, world: int) -> str:
        """Something to stand for a hole: in the second world all are the same, else each is its own."""
        if world == 1:
            return _SAMPLE
        return f"{_SAMPLE}0x{self._numbers.setdefault(text, len(self._numbers))}z"

    def restored(self, text: str | None) -> str | None:
        """A text in which what stood for holes in the first world is again what the files have."""
        if text is None or _SAMPLE not in text:
            return text
        holes = list(self._numbers)
        return _FIRST_SAMPLE.sub(lambda match: holes[int(match["number"])], text)

    def _tell(self, manifest: Manifest) -> None:
        for path, parts in manifest.build_context.holes.items():
            if manifest.group == RESOURCE_GROUP or any(
                mentions.CLAIM_LISTS.is_in(str(step)) for step in path
            ):
                self._missing.update(
                    (each.text, None)
                    for each in parts
                    if isinstance(each, Hole) and each.text not in ("", _NOT_WRITTEN)
                )


class _Marks:
    """What of an object is not plain: parsed texts by their paths, and the paths of fields whose names hold
    variables. `data` is the object as written, `sets` are the values that are known, `unknown_names` those of which
    not even the default counts."""

    __slots__ = ("data", "keys", "sets", "texts", "unknown_names")

    def __init__(self, data: Mapping[str, object]) -> None:
        self.data = data
        self.texts: dict[FieldPath, Any] = {}
        self.keys: list[FieldPath] = []
        self.sets: tuple[Mapping[str, str], ...] = ({},)
        self.unknown_names: frozenset[str] = frozenset()

    def value(self, parsed: Any, known: Mapping[str, str]) -> Value:
        """What a text comes to with some values."""
        return evaluate(parsed, known, self.unknown_names)


def _collect(
    value: object,
    path: FieldPath,
    found: _Marks,
    replaced: bool,
    *,
    variables: bool,
) -> None:
    if isinstance(value, str):
        if has_marks(value):
            parsed = parse(value, variables=variables)
            in_cel = bool(path) and path[-1] == _EXPRESSION
            if parsed is not None and in_cel and not replaced and len(parsed) > 1:
                parsed = parse(value, variables=False)
            if parsed is not None:
                found.texts[path] = parsed
    elif isinstance(value, dict):
        for key, each in value.items():
            if has_marks(key) and parse(key, variables=variables) is not None:
                found.keys.append((*path, key))
            _collect(each, (*path, key), found, replaced, variables=variables)
    elif isinstance(value, list):
        for index, each in enumerate(value):
            _collect(each, (*path, index), found, replaced, variables=variables)


def _names_of(manifest: Manifest, origin: Origin | None, marks: _Marks | None) -> tuple[Parts, ...]:
    """The names that an object may have: by each set of values, with each prefix and suffix.

    The written name too: references that Kustomize leaves alone have it. A Namespace has the name of the namespace
    that is given to all objects (kustomize api/internal/konfig/builtinpluginconsts/namespace.go).
    """
    name = manifest.name
    if name is None:
        return ()
    uses = origin.uses if origin is not None else ()
    parsed = None if marks is None else marks.texts.get(("metadata", "name"))
    plain: dict[Parts, None] = {(name,): None}
    if marks is not None and parsed is not None:
        plain = dict.fromkeys(marks.value(parsed, each).parts for each in marks.sets)
    if manifest.kind == "Namespace" and any(use.namespace for use in uses):
        given = dict.fromkeys((use.namespace,) for use in uses if use.namespace)
        return (*given, *(plain if not all(use.namespace for use in uses) else ()))
    found = dict(plain)
    for use in uses:
        if use.prefix or use.suffix:
            for parts in plain:
                found[_around(use.prefix, parts, use.suffix)] = None
    return tuple(found)


def _around(prefix: str, parts: Parts, suffix: str) -> Parts:
    made: list[str | Hole] = []
    for part in (prefix, *parts, suffix):
        if isinstance(part, str) and made and isinstance(made[-1], str):
            made[-1] += part
        elif part != "":
            made.append(part)
    return tuple(made)


def _typed(text: str) -> object:
    """A text that takes the place of variables, as YAML reads it there."""
    if "\n" in text:
        return text
    if text[0] in _SIGNS:
        from dradsl.text.documents import load

        documents = load(text.encode("utf-8", "surrogatepass")).documents
        return documents[0].data if len(documents) == 1 and not documents[0].problems else text
    try:
        return resolve_plain(text)
    except ScalarError:
        return text


def _is_value(data: object, path: FieldPath) -> bool:
    """Whether a path leads to a value, and not to a field whose name is not known."""
    try:
        return isinstance(value_at(data, path), str | int)
    except (KeyError, IndexError, TypeError):
        return False


def _renamed(
    data: Mapping[str, object], keys: Sequence[tuple[FieldPath, str]]
) -> Mapping[str, object]:
    """Plain data in which some fields have other names."""
    for path, key in keys:
        mapping = value_at(data, path[:-1])
        named = {key if name == path[-1] else name: value for name, value in mapping.items()}
        data = changed(data, {path[:-1]: named}) if len(path) > 1 else named
    return data


def changed(
    data: Mapping[str, object], changes: Mapping[FieldPath, object]
) -> Mapping[str, object]:
    """Plain data with other values at some paths; what does not change is shared."""
    root: Any = dict(data)
    ours = {id(root)}
    for path, value in changes.items():
        here = root
        for step in path[:-1]:
            below = here[step]
            if id(below) not in ours:
                below = here[step] = dict(below) if isinstance(below, dict) else list(below)
                ours.add(id(below))
            here = below
        if path:
            here[path[-1]] = value
    made: Mapping[str, object] = root
    return made
