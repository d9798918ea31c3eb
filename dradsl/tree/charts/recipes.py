"""Recipes: data that says where operators and charts hold device requests, and where claims go.

A recipe is a YAML file in `recipes/`; docs/migrate-recipes.md describes its keys. A new chart needs a new
file, no code.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator, Mapping

from dradsl.records import Record, dataclass
from dradsl.text.files import SETTINGS_BYTES, StrPath, read_bytes
from dradsl.text.shipped import parsed_data
from dradsl.tree.charts.installed import Installed, is_before
from dradsl.values.limits import LEVELS_OF_SUBCHARTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dradsl.text.paths import FieldPath

__all__ = [
    "Amount",
    "Computed",
    "Drop",
    "Match",
    "ObjectsAt",
    "Recipe",
    "RecipeError",
    "RecipePlace",
    "Spot",
    "filled",
    "find",
    "first",
    "is_values",
    "read_recipe",
    "recipes_of",
    "shipped_recipes",
]


class Amount(Record):
    """A key that holds a number of devices; their resource is fixed or is the value of a key.

    With `number`, the chart's own default, the key only says that devices are wanted.
    """

    key: str
    resource: str
    resource_key: str | None = None
    number: int | None = None


class Computed(Record):
    """An amount that the chart works out: the product of some keys (1 where one is missing).

    The first of the keys `type` that is there names the kind of device, `default` if none is;
    `resources` map kinds to extended resources, and the values at `overrides` take precedence over them.
    Containers whose image holds `without` get none.
    """

    product: tuple[str, ...]
    type: tuple[str, ...]
    default: str
    resources: Mapping[str, str]
    overrides: str | None = None
    without: str | None = None


class Drop(Record):
    """Something that a chart or operator does only while an extended resource is asked for.

    `while_` are the resources (`*` is any text); with `key` an amount of 0 is enough. Without them the drop
    depends on keys alone: those with the values of `when`, those that are set (`having`) or not (`unless`).
    `what` completes "there is no ...", `instead` says what helps.
    """

    what: str
    instead: str
    while_: tuple[str, ...] = ()
    when: tuple[tuple[str, tuple[object, ...]], ...] = ()
    having: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    key: bool = False


class ObjectsAt(Record):
    """Where values take whole objects: the path `at`, and the `form` that they have there. In both `{name}` is the
    object's name; in the form `{apiVersion}`, `{kind}` and `{spec}` are its fields.

    It holds for chart versions from `since` and before `before`, but not if the values have a key of `unless`.
    """

    at: str
    form: object
    since: str | None = None
    before: str | None = None
    unless: tuple[str, ...] = ()

    def holds(self, version: str, root: object) -> bool:
        """Whether the chart takes objects here, for its version and its values."""
        if self.since is not None and is_before(version, self.since):
            return False
        if self.before is not None and not is_before(version, self.before):
            return False
        return not any(any(find(root, key)) for key in self.unless)


class Match(Record):
    """A recipe that holds for values or an object, and what is known of the chart there.

    `tested` says that a test of the recipe rendered exactly this version of the chart; otherwise
    the recipe is no proof for it.
    """

    recipe: str
    installed: Installed
    tested: bool


@dataclass(frozen=True, slots=True)
class RecipePlace:
    """Pods of a recipe: `at` leads to each of them, everything else is relative to that; a path that
    starts with `/` is relative to the chart's values.

    `pod` leads to the fields of the pod where they are not at `at` itself, `defaults` to those that hold
    where the pod has none of its own (with `merged` its mappings complete the default ones), and `fields` to
    single ones that are elsewhere. `init_containers` are found as `containers` are. With `per_node` there is
    a pod on each node.
    `enabled_by` are keys that, if false, say that nothing is deployed; `unless` are keys in whose
    presence the place does not count, `when` keys with the values that they must have (None: it may
    be missing). `blocked_if` holds keys whose presence blocks claims, each with the reason; `needs` says what
    the chart would need. `claimed_by` are
    keys that, if set, say that the pod has claims, and `carries_claims` is False where the chart
    ignores the claims in its values. `chart_writes_template` says that the chart writes the
    claim template itself, by the count that it works out; `keep_zero_limits` are resources whose key stays in
    the limits with 0, because a controller tests for its presence. `count_fields` are fields that receive the
    device count (`{count}`), because a component used to read it from the limit, of resources `count_resources`.
    """

    at: str
    containers: tuple[str, ...] = ()
    init_containers: tuple[str, ...] = ()
    pod: str | None = None
    defaults: str | None = None
    merged: tuple[tuple[str, tuple[object, ...]], ...] = ()
    fields: tuple[tuple[str, str], ...] = ()
    per_node: tuple[tuple[str, tuple[object, ...]], ...] = ()
    resources: tuple[tuple[str, str], ...] = ()
    amounts: tuple[Amount, ...] = ()
    counts: str | None = None
    computed: Computed | None = None
    enabled_by: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    when: tuple[tuple[str, tuple[object, ...]], ...] = ()
    blocked: str | None = None
    blocked_if: tuple[tuple[str, str], ...] = ()
    needs: tuple[str, ...] = ()
    set_values: tuple[tuple[str, object], ...] = ()
    chart_writes_template: bool = False
    keep_zero_limits: tuple[str, ...] = ()
    count_fields: tuple[tuple[str, str], ...] = ()
    count_resources: tuple[str, ...] = ()
    claimed_by: tuple[str, ...] = ()
    carries_claims: bool = True
    drops: tuple[Drop, ...] = ()
    pod_fields: bool = False
    rendered: bool = True
    notes: tuple[str, ...] = ()

    def counts_for(self, data: object, root: object) -> bool:
        """Whether the place counts, by `when` and `unless`."""
        if any(any(find(data, key, root)) for key in self.unless):
            return False
        return agree(self.when, data, root)


class Recipe(Record):
    """Where one kind of object (`kinds`) or the values of one chart (`values`: paths that they all
    have) hold device requests.

    `charts` are the names of the chart, `rendered` the versions of it that the recipe's test renders.
    Versions before `since` are rejected for the reason `earlier`. `objects` are places for whole objects.
    """

    name: str
    title: str
    source: str
    kinds: frozenset[str]
    values: tuple[str, ...]
    places: tuple[RecipePlace, ...]
    charts: frozenset[str] = frozenset()
    rendered: frozenset[str] = frozenset()
    since: str | None = None
    earlier: str = ""
    objects: tuple[ObjectsAt, ...] = ()

    def match(self, installed: Installed) -> Match:
        """The recipe for a chart, or for what may be one."""
        known = installed.chart in self.charts and installed.version in self.rendered
        return Match(self.name, installed, known)

    def rejected(self, installed: Installed) -> str | None:
        """Why the recipe does not hold for a version of the chart."""
        known = (installed.version,) if installed.version else installed.candidates
        if self.since is None or not known or installed.chart not in self.charts:
            return None
        if not all(is_before(version, self.since) for version in known):
            return None
        return f"{installed.text}: {self.earlier}"

    def doubt(self, installed: Installed) -> str | None:
        """What must be true for a chart whose version is not given."""
        known = installed.version is not None and installed.chart in self.charts
        if self.since is None or known:
            return None
        return f"the version of the chart is not known ({self.title}): {self.earlier}"

    def objects_at(self, installed: Installed, root: object) -> ObjectsAt | None:
        """Where the values take objects, if the version of the chart is known."""
        if installed.version is None or installed.chart not in self.charts:
            return None
        version = installed.version
        return next((each for each in self.objects if each.holds(version, root)), None)

    def roots(self, kind: str, group: str, data: object) -> Iterator[tuple[FieldPath, Any]]:
        """Where the recipe holds: an object of its kinds, or values (`group` and `kind` empty) of its
        chart, those of a subchart too."""
        if kind:
            if f"{kind}.{group}" in self.kinds:
                yield (), data
        elif self.values:
            yield from self._charts(data, LEVELS_OF_SUBCHARTS)

    def spots(
        self,
        kind: str,
        group: str,
        data: object,
        *,
        at: FieldPath = (),
        by_name: bool = False,
    ) -> Iterator[Spot]:
        """The places of the recipe in an object or in values, as `roots`; paths begin with `at`.

        With `by_name` the data are known to be values of the chart, which a recipe without signs holds for.
        """
        roots = [((), data)] if by_name and not self.values else self.roots(kind, group, data)
        for prefix, root in roots:
            start = (*at, *prefix)
            for place in self.places:
                for path, found in find(root, place.at):
                    if isinstance(found, Mapping) and place.counts_for(found, root):
                        yield Spot(self, place, (*start, *path), found, root, start)

    def _charts(self, data: object, depth: int) -> Iterator[tuple[FieldPath, Any]]:
        if all(any(find(data, path)) for path in self.values):
            yield (), data
        elif depth and isinstance(data, Mapping):
            for key, value in data.items():
                for path, found in self._charts(value, depth - 1):
                    yield (key, *path), found


class Spot(Record):
    """A place of a recipe that was found: its data at `path`, within an object or a chart's values, `root`, at
    `root_path`."""

    recipe: Recipe
    place: RecipePlace
    path: FieldPath
    data: Mapping[str, Any]
    root: Any
    root_path: FieldPath

    def find(self, pattern: str) -> Iterator[tuple[FieldPath, Any]]:
        """The values at a path of the place; paths begin at the place."""
        return find(self.data, pattern, self.root)

    def first(self, *patterns: str) -> Any:
        """The first value that is found at one of the paths."""
        return first(self.data, patterns, self.root)

    def agrees(self, conditions: tuple[tuple[str, tuple[object, ...]], ...]) -> bool:
        """Whether keys have one of the values that they must have."""
        return agree(conditions, self.data, self.root)

    def containers(
        self, patterns: tuple[str, ...]
    ) -> Iterator[tuple[FieldPath, Mapping[str, Any]]]:
        """The containers at some paths, each with its own; "." is the place itself."""
        for pattern in patterns:
            for path, value in find(self.data, pattern) if pattern != "." else (((), self.data),):
                if isinstance(value, Mapping):
                    yield (*self.path, *path), value


class RecipeError(ValueError):
    """A file is no recipe; `str()` names it and says why."""


def is_values(data: object) -> bool:
    """Whether a document is a mapping that is no Kubernetes object."""
    is_object = isinstance(data, Mapping) and "apiVersion" in data and "kind" in data
    return isinstance(data, Mapping) and not is_object and not is_suite(data)


def is_suite(data: object) -> bool:
    """Whether a document holds tests of a chart, as the plugin helm-unittest reads them: what they ask for is not installed."""
    return isinstance(data, Mapping) and "suite" in data and "tests" in data


def find(data: object, pattern: str | None, root: object = None) -> Iterator[tuple[FieldPath, Any]]:
    """The values at a path in which `*` is any key or item; "" is the data itself.

    A path with a leading `/` leads from `root`; what it finds has the empty path, since a path
    belongs to `data`. Keys with dots are in double quotes.
    """
    if pattern and pattern.startswith("/"):
        for _, found in find(root, pattern[1:]):
            yield (), found
        return
    if not pattern:
        yield (), data
        return
    head, rest = _split(pattern)
    if head == "*":
        items: Any = ()
        if isinstance(data, Mapping):
            items = data.items()
        elif isinstance(data, list):
            items = enumerate(data)
        for key, value in items:
            for path, found in find(value, rest):
                yield (key, *path), found
    elif isinstance(data, Mapping) and head in data:
        for path, found in find(data[head], rest):
            yield (head, *path), found


def _split(pattern: str) -> tuple[str, str]:
    if pattern.startswith('"'):
        head, _, rest = pattern[1:].partition('"')
        return head, rest.removeprefix(".")
    head, _, rest = pattern.partition(".")
    return head, rest


def first(data: object, patterns: tuple[str, ...], root: object) -> Any:
    """The first value that is found at one of the paths; None if there is none."""
    for pattern in patterns:
        for _, value in find(data, pattern, root):
            if value is not None:
                return value
    return None


def agree(
    conditions: tuple[tuple[str, tuple[object, ...]], ...], data: object, root: object
) -> bool:
    """Whether keys have one of the values that they must have (None: the key may be missing)."""
    return all(first(data, (key,), root) in values for key, values in conditions)


def filled(value: object, names: Mapping[str, object]) -> object:
    """`value` with its placeholders such as `{template}` replaced, in keys too. A text that is only a placeholder becomes its value."""
    if isinstance(value, dict):
        return {filled(key, names): filled(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [filled(item, names) for item in value]
    if not isinstance(value, str) or "{" not in value:
        return value
    if value[:1] == "{" and value[-1:] == "}" and value[1:-1] in names:
        return names[value[1:-1]]
    for name, text in names.items():
        if isinstance(text, str):
            value = value.replace(f"{{{name}}}", text)
    return value


@functools.cache
def shipped_recipes() -> tuple[Recipe, ...]:
    """The recipes that come with dradsl."""
    folder = os.path.join(os.path.dirname(__file__), "recipes")
    names = sorted(name for name in os.listdir(folder) if name.endswith(".yaml"))
    return tuple([_shipped(os.path.join(folder, name)) for name in names])


def _shipped(path: str) -> Recipe:
    data = parsed_data(path)
    return read_recipe(path) if data is None else _recipe(data)


@functools.lru_cache(256)
def recipes_of(kind: str, group: str) -> tuple[Recipe, ...]:
    """The recipes that come with dradsl for objects of a kind, or for values (`kind` empty)."""
    name = f"{kind}.{group}"
    return tuple([r for r in shipped_recipes() if (name in r.kinds if kind else r.values)])


def read_recipe(path: StrPath) -> Recipe:
    """The recipe in a file.

    Raises:
        RecipeError: if the file has another shape.
        FileError: if it cannot be read.
    """
    from dradsl.text.documents import SCHEMA_LIMITS, load
    from dradsl.tree.charts.recipe_file import ShapeError

    stream = load(read_bytes(path, SETTINGS_BYTES), SCHEMA_LIMITS)
    problem = next((each for each in stream.all_problems() if each.fatal), None)
    if problem is not None:
        raise RecipeError(f"{path}:{problem.span.line}: {problem.message}")
    if len(stream.documents) != 1:
        raise RecipeError(f"{path}: a recipe is one document")
    try:
        return _recipe(stream.documents[0].data)
    except ShapeError as error:
        raise RecipeError(f"{path}: no recipe: {error}") from None


def _recipe(data: object) -> Recipe:
    from dradsl.tree.charts.recipe_file import (
        filled_by,
        items,
        mapping,
        object_path,
        pairs,
        record,
        text,
        version,
    )

    texts = items(text)
    amounts = mapping({"limits": text, "requests": text}, "limits", "requests")

    def pair(value: object, at: str) -> tuple[str, str]:
        found = amounts(value, at)
        return found["limits"], found["requests"]

    place = record(
        RecipePlace,
        "at",
        resources=items(pair),
        amounts=items(record(Amount, "key", "resource")),
        computed=record(Computed, "product", "type", "default", "resources"),
        set_values=pairs(filled_by("template")),
        drops=items(record(Drop, "what", "instead")),
    )
    objects = record(
        ObjectsAt,
        "at",
        "form",
        at=object_path,
        form=filled_by("name", "apiVersion", "kind", "spec"),
        since=version,
        before=version,
    )
    since = mapping({"version": version, "earlier": text}, "version", "earlier")
    known = {
        "recipe": text,
        "title": text,
        "source": text,
        "kinds": texts,
        "values": texts,
        "charts": texts,
        "rendered": items(version),
        "since": since,
        "objects": items(objects),
        "pods": items(lambda value, at: _coherent(place(value, at), at)),
    }
    found = mapping(known, "recipe", "title", "source", "pods")(data, "")
    found["name"], found["places"] = found.pop("recipe"), found.pop("pods")
    for key in ("kinds", "charts", "rendered"):
        found[key] = frozenset(found.get(key, ()))
    if "since" in found:
        found |= {"since": found["since"]["version"], "earlier": found["since"]["earlier"]}
    return Recipe(**{"values": (), **found})


def _coherent(place: RecipePlace, at: str) -> RecipePlace:
    """A place whose keys can be used together."""
    from dradsl.tree.charts.recipe_file import ShapeError

    has_containers = bool(place.containers or place.init_containers)
    if not has_containers and (place.pod or place.defaults or place.fields):
        raise ShapeError(f"{at}: pod, defaults and fields go with containers")
    for path, _ in place.set_values:
        last = path.removesuffix("[]").rpartition(".")[2]
        if has_containers and last in ("resourceClaims", "claims"):
            raise ShapeError(
                f"{at}.set-values.{path}: claims of pods and containers are written by themselves; "
                "`pod` and `fields` say where"
            )
    return place
