"""What the author of an object meant, in the shape of v1: what to write, and what has no place in it."""

from __future__ import annotations

from contextlib import suppress

from dradsl.kube.errors import WrongType
from dradsl.kube.fields.table import GROUP
from dradsl.records import dataclass
from dradsl.text.edits import EditError, delete_entry, insert_entry, replace_value
from dradsl.text.nodes import MappingNode
from dradsl.text.render import render_flow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from dradsl.diagnostics import Edit, FieldPath
    from dradsl.kube.errors import FieldError
    from dradsl.text.nodes import Node
    from dradsl.values.json_types import JsonObject

__all__ = ["IDENTITY", "Meant", "is_of_shape"]

IDENTITY = ("apiVersion", "kind", "metadata")


def is_of_shape(problem: FieldError, path: FieldPath) -> bool:
    """Whether an object has to be written in another shape, as it has an unknown field or no mapping around them."""
    value, name = problem.value, path[-1] if isinstance(problem.data, WrongType) else ""
    is_list = name == "config" and isinstance(value, dict) and "opaque" not in value
    is_mapping = name == "devices" or (name == "exactly" and not isinstance(value, list))
    return problem.reason == "unknown-field" or is_mapping or is_list


@dataclass(frozen=True, slots=True)
class Meant:
    """An object in the shape of v1, and the places of the fields that say nothing there, with why ("": no place).

    `moved` has the expressions as they are written, `spec` with the domains and methods that they lack; `notes` is
    what else is to be said. `is_converted`: `dradsl convert` rewrites it, as it has no field of a shape that is no
    version's.
    """

    written: Mapping[str, object]
    spec: JsonObject
    moved: JsonObject
    left: Mapping[FieldPath, str]
    notes: tuple[str, ...]
    is_converted: bool

    def is_left(self, path: FieldPath) -> bool:
        """Whether the field at a path says nothing in v1."""
        return any(path[: len(each)] == each for each in self.left)

    def fields(self, *, moved: bool = True) -> JsonObject:
        """The fields at the top that are other ones in v1."""
        spec = self.moved if moved else self.spec
        kind = self.written.get("kind")
        kind = "DeviceClass" if kind == "ResourceClass" else kind
        new = {"apiVersion": f"{GROUP}/v1", "kind": kind, "spec": spec}
        return {name: each for name, each in new.items() if self.written.get(name) != each}

    def text(self, own: Collection[FieldPath], told: Mapping[str, str]) -> str:
        """What to write, and about each field that is left what is `told`, but for those with a finding of their `own`."""
        new = [f"{name}: {render_flow(each)}" for name, each in self.fields(moved=False).items()]
        said = [f"write {' and '.join(new)}", *self.notes] if new else []
        kind = (
            str(self.written.get("kind"))
            .replace("ResourceClass", "DeviceClass")
            .removesuffix("Template")
        )
        reasons: dict[str, list[str]] = {}
        for left, why in self.left.items() if new else ():
            if left in own:
                continue
            name = next(str(each) for each in reversed(left) if isinstance(each, str))
            about = told.get(f"{kind}.{name}") or told.get(name) or ""
            if name == left[-1] and not why:
                why = about.replace("{class}", "…").replace("{{", "{").replace("}}", "}")
            reasons.setdefault(why, []).append(name)
        for why, names in reasons.items():
            listed = " and ".join(dict.fromkeys(names))
            nowhere = f"{listed} {'have' if ' and ' in listed else 'has'} no place in it"
            said.append(f"{listed}: {why}" if why else nowhere)
        return "; ".join(dict.fromkeys(said))

    def edits(self, root: Node) -> tuple[Edit, ...]:
        """The edits that move what is written; none where a part of the object is elsewhere in the file."""
        last = root.entry("metadata") if isinstance(root, MappingNode) else None
        if not isinstance(root, MappingNode) or last is None:
            return ()
        edits: list[Edit] = []
        with suppress(EditError):
            for name, each in self.fields().items():
                entry = root.entry(name)
                if entry is None:
                    edits.append(insert_entry(root, name, each, after=last))
                else:
                    edits.append(replace_value(root, entry, each))
            for entry in root.entries:
                if entry.name not in (*IDENTITY, "spec", "status"):
                    edits += delete_entry(root, entry)
            return tuple(edits)
        return ()
