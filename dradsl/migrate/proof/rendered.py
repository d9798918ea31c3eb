"""What Helm renders before and after, object by object: each must be as planned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dradsl.migrate.overlays.alike import problem_of, specs_of
from dradsl.migrate.overlays.compare import identity, is_claim
from dradsl.migrate.overlays.planned import Expected, expected_of, manifest_of
from dradsl.records import dataclass
from dradsl.text.documents import expand_list, load
from dradsl.tree.kustomize.parts.outcome import BuiltObject
from dradsl.tree.nodes import of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dradsl.migrate.planning.planner import Planner

__all__ = ["ObjectProof", "compare_objects", "rendered_objects", "source_templates"]


@dataclass(frozen=True, slots=True)
class ObjectProof:
    """A rendered object and what is there `after` the migration: `problem` says what differs from what is expected."""

    built: BuiltObject
    after: Any
    expected: Expected
    problem: str | None

    @property
    def title(self) -> str:
        return " ".join(identity(self.built.data)[1::2])

    @property
    def same(self) -> bool:
        """Whether the object did not change."""
        return bool(self.after == self.built.data)

    @property
    def done(self) -> bool:
        """Whether the object is as planned."""
        return self.problem is None and self.expected.rejection is None

    @property
    def fault(self) -> str | None:
        """What is wrong with an object that changed."""
        rejection = self.expected.rejection
        if self.same:
            return None
        return self.problem if rejection is None else f"cannot be migrated: {rejection.reason}"

    @property
    def is_random(self) -> bool:
        """Whether it differs where charts write a new value each time, or a value that depends on one."""
        before: Any = self.built.data
        if self.problem is None or self.after is None or self.same:
            return False
        if before.get("kind") == "Secret":
            return bool(before.get("metadata") == self.after.get("metadata"))
        return "checksum/" in self.problem


def compare_objects(
    old: Sequence[BuiltObject],
    new: Sequence[BuiltObject],
    claims: Sequence[Any],
    planner: Planner,
    check: Callable[[], None],
    *,
    file: str = "",
    namespace: str | None = None,
) -> Iterator[ObjectProof]:
    """Each object of the state before, which a `file` says how to migrate; `claims` are those that are not rendered."""
    specs = specs_of([*claims, *(e.data for e in new if is_claim(e.data))], namespace)
    others = {identity(each.data): each.data for each in new}
    for built in old:
        check()
        after = others.get(identity(built.data))
        manifest = manifest_of(built, file, namespace)
        expected = Expected(built.data) if manifest is None else expected_of(manifest, planner)
        problem = None
        if expected.rejection is None:
            problem = problem_of(built.data, after, expected, specs)
        yield ObjectProof(built, after, expected, problem)


def rendered_objects(text: bytes) -> list[BuiltObject] | None:
    """The objects that Helm wrote; None if that cannot be read."""
    stream = load(text)
    if any(problem.fatal for problem in stream.all_problems()):
        return None
    return [
        BuiltObject(of(data, None), identity(data)[3], identity(data)[2])
        for document in stream.documents
        for _, data in expand_list(document.data)
        if isinstance(data, dict)
    ]


def source_templates(text: bytes) -> dict[object, str]:
    """The template of each rendered object within its chart, by the object's identity."""
    return {
        identity(data): document.source_comment.partition("/")[2]
        for document in load(text).documents
        if document.source_comment is not None
        for _, data in expand_list(document.data)
        if isinstance(data, dict)
    }
