"""What an estimate knows of the sizes of values: by node, by variable, and as declared by path.

Follows cel-go `checker/cost.go`, as `dradsl.cel.cost.estimate` does.
"""

from __future__ import annotations

from dradsl.cel.cost.ranges import Estimate, fixed, unknown
from dradsl.cel.syntax.ast import Expr, Ident, ListExpr, Literal, MapExpr
from dradsl.records import Record, dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.cel.checker.check import CheckedExpression
    from dradsl.cel.checker.environment import Environment, Sized
    from dradsl.cel.types import Type

__all__ = ["Argument", "Entries", "Path", "Sizes"]

_ONE = fixed(1)
_SCALARS = frozenset({"bool", "double", "duration", "int", "timestamp", "uint"})


class Path:
    """The way from a variable to a value: `device`, `attributes`, `@values`, ...

    Appending works as on a Go slice: two paths grown from the same one may share their store,
    and then the later overwrites the last step of the earlier. Upstream's numbers have it so.
    """

    __slots__ = ("_length", "_store")

    def __init__(self, store: list[str], length: int) -> None:
        self._store = store
        self._length = length

    @property
    def steps(self) -> list[str]:
        return self._store[: self._length]

    def then(self, step: str) -> Path:
        store = self._store
        if self._length == len(store):
            store = store + [""] * max(self._length, 1)
        store[self._length] = step
        return Path(store, self._length + 1)


def _no_path() -> Path:
    return Path([], 0)


class Entries(Record):
    """Sizes of what a container holds."""

    kind: str
    key: Estimate
    value: Estimate

    def union(self, other: Entries | None) -> Entries | None:
        if other is None:
            return None
        return Entries(self.kind, self.key.union(other.key), self.value.union(other.value))


class _Variable(Record):
    path: Path
    size: Estimate | None
    entries: Entries | None


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a call, or its target: what a cost function may ask about."""

    expr: Expr | None
    type: Type
    path: Path
    computed: Estimate | None

    @property
    def size(self) -> Estimate:
        """The range of its size: characters, bytes or entries; up to the largest uint64 if unknown."""
        return unknown() if self.computed is None else self.computed


class Sizes:
    """Sizes, paths and contents of the nodes of one checked expression, as far as they are known."""

    def __init__(self, checked: CheckedExpression, env: Environment) -> None:
        self.env = env
        self._types = checked.types
        self._references = checked.references
        self._paths: dict[Expr, Path] = {}
        self._sizes: dict[Expr, Estimate] = {}
        self._entries: dict[Expr, Entries] = {}
        self._variables: dict[str, list[_Variable]] = {}

    # -- variables -----------------------------------------------------------------------

    def push(self, name: str, path: Path, size: Estimate | None, entries: Entries | None) -> None:
        self._variables.setdefault(name, []).append(_Variable(path, size, entries))

    def pop(self, name: str) -> None:
        self._variables[name].pop()

    def variable(self, name: str) -> _Variable | None:
        stack = self._variables.get(name)
        return stack[-1] if stack else None

    # -- nodes ---------------------------------------------------------------------------

    def argument(self, node: Expr) -> Argument:
        path = self.path(node)
        steps = path.steps
        if steps and steps[0] in ("@result", "__result__"):
            path = _no_path()
        return Argument(node, self._types[node], path, self.size(node))

    def path(self, node: Expr) -> Path:
        if isinstance(node, Ident):
            variable = self.variable(self._references[node].name)
            if variable is not None:
                return variable.path
        return self._paths.get(node) or _no_path()

    def set_path(self, node: Expr, path: Path) -> None:
        self._paths[node] = path

    def size_or_unknown(self, node: Expr) -> Estimate:
        return self.size(node) or unknown()

    def size(self, node: Expr) -> Estimate | None:
        """How large the value of a node can be; None if nothing is known."""
        found = self._sizes.get(node) or _written_size(node)
        if found is not None:
            return found
        found = self.declared_size(self.path(node))
        if found is not None:
            self._sizes[node] = found
            return found
        if _is_scalar(self._types[node]):
            return _ONE
        if isinstance(node, Ident):
            variable = self.variable(self._references[node].name)
            if variable is not None:
                return variable.size
        return None

    def declared_size(self, path: Path) -> Estimate | None:
        """What the environment says about the size of what is reached by `path`."""
        steps = path.steps
        node: Sized | None = self.env.sizes.get(steps[0]) if steps else None
        for step in steps[1:]:
            if node is None:
                return None
            if step == "@items" or step == "@values":
                node = node.items
            elif step == "@keys":
                node = node.keys
            else:
                node = node.fields.get(step, node.any_field)
        return None if node is None else Estimate(0, node.limit)

    def entries(self, node: Expr) -> Entries | None:
        found = self._entries.get(node)
        if found is None and isinstance(node, Ident):
            variable = self.variable(self._references[node].name)
            return variable.entries if variable else None
        return found

    def set_entries(self, node: Expr, entries: Entries | None) -> None:
        if entries is not None:
            self._entries[node] = entries

    def set_size(self, node: Expr, size: Estimate | None) -> None:
        if size is not None:
            self._sizes[node] = size

    def copy(self, node: Expr, source: Expr) -> None:
        self.set_size(node, self.size(source))
        self.set_entries(node, self.entries(source))


def _written_size(node: Expr) -> Estimate | None:
    if isinstance(node, Literal):
        if isinstance(node.value, str | bytes):
            return fixed(len(node.value))
        return _ONE
    if isinstance(node, ListExpr):
        return fixed(len(node.elements))
    return fixed(len(node.entries)) if isinstance(node, MapExpr) else None


def _is_scalar(type_: Type) -> bool:
    while type_.is_optional:
        type_ = type_.params[0]
    return type_.kind in _SCALARS
