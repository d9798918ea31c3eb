"""Names that refer to other objects follow them where a build gives these another name.

Upstream: kustomize api/filters/nameref, api/internal/accumulator/namereferencetransformer.go. What no field spec names
stays: `resourceClaimTemplateName` is among none of Kustomize's own.
"""

from __future__ import annotations

from collections.abc import Sequence

from dradsl.tree.kustomize.parts.fields import change_field
from dradsl.tree.kustomize.parts.resources import GroupVersionKind, Resource, ResourceId
from dradsl.tree.kustomize.parts.specs import FieldSpec
from dradsl.tree.nodes import KustomizeError, SourcePlace, ValueNode, placed, scalar

__all__ = ["fix_references"]


class _Known:
    """Properties of an object that are read often. Names do not change while references do."""

    __slots__ = ("first", "id", "names", "previous", "resource")

    def __init__(self, resource: Resource) -> None:
        self.resource = resource
        self.id: ResourceId = resource.id
        self.previous = resource.previous_ids
        self.first = self.previous[0] if self.previous else self.id
        self.names = {each.name for each in self.previous}


def fix_references(
    resources: Sequence[Resource],
    references: Sequence[tuple[GroupVersionKind, tuple[FieldSpec, ...]]],
) -> None:
    """Write the names of now where objects refer to others by former ones.

    Raises:
        KustomizeError: if a name may mean several objects of different names.
    """
    known = [_Known(each) for each in resources]
    by_name: dict[str, list[_Known]] = {}
    for each in known:
        for name in each.names:
            by_name.setdefault(name, []).append(each)
    if not by_name:
        return
    targets = [
        (kind, specs)
        for kind, specs in references
        if any(kind.selects(old.kind) for each in known for old in each.previous)
    ]
    for referrer in known:
        for kind, specs in targets:
            for spec in specs:
                if not spec.kind.selects(referrer.first.kind):
                    continue
                own = FieldSpec(referrer.id.kind, spec.path, spec.create)
                fixer = _Fixer(referrer, kind, spec.path, by_name, known)
                where = f"'{spec.path}' of {referrer.id.kind.kind} {referrer.id.name}"
                with placed(referrer.resource.node.at, f"updating name reference in {where}: "):
                    change_field(referrer.resource, own, fixer.change, None)


class _Fixer:
    __slots__ = ("by_name", "every", "kind", "path", "referrer")

    def __init__(
        self,
        referrer: _Known,
        kind: GroupVersionKind,
        path: str,
        by_name: dict[str, list[_Known]],
        every: Sequence[_Known],
    ) -> None:
        self.every = every
        self.referrer = referrer
        self.kind = kind
        self.path = path
        self.by_name = by_name

    def change(self, node: ValueNode) -> ValueNode:
        if node.is_seq:
            return node.with_items([self.one(item) for item in node.items])
        return self.one(node)

    def one(self, node: ValueNode) -> ValueNode:
        if node.is_null:
            return node
        if node.is_map:
            return self.mapping(node)
        if node.is_seq:
            raise KustomizeError("expected to be either a string or a map of string")
        found = self.select(node.text, None, both=False)
        if found is None or found.id.name == node.text:
            return node
        return scalar(found.id.name, self.source(found), "", like=node)

    def mapping(self, node: ValueNode) -> ValueNode:
        name = node.get("name")
        if name is None:
            raise KustomizeError("path config error; no 'name' field in node")
        namespace = node.get("namespace")
        found = self.select(name.text, namespace, both=True)
        if found is None or (found.id.name == name.text and not found.id.namespace):
            return node
        at = self.source(found)
        if found.id.name != name.text:
            node = node.with_field("name", scalar(found.id.name, at, "", like=name))
        if found.id.namespace and (namespace is None or namespace.text != found.id.namespace):
            place = found.resource.node.get("metadata", "namespace")
            node = node.with_field(
                "namespace",
                scalar(found.id.namespace, place.at if place else at, "", like=namespace),
            )
        return node

    def source(self, found: _Known) -> SourcePlace | None:
        name = found.resource.node.get("metadata", "name")
        return None if name is None else name.at

    def candidates(self, name: str, namespace: ValueNode | None) -> list[_Known]:
        """The objects that the referrer can mean by a name, of a namespace if one is written."""
        found = [each for each in self.by_name.get(name, ()) if self.is_visible(each)]
        if namespace is None:
            return found
        wanted = namespace.text
        # Kustomize asks whether anything at all was in the namespace before.
        first = [each for each in found if each.first.effective_namespace == wanted]
        was_there = any(
            each.first.effective_namespace == wanted and self.is_visible(each)
            for each in (self.every if found and not first else ())
        )
        if first or was_there:
            return first
        return [each for each in found if each.id.effective_namespace == wanted]

    def is_visible(self, other: _Known) -> bool:
        own = self.referrer
        return (
            own.id.cluster
            or other.id.cluster
            or own.id.effective_namespace == other.id.effective_namespace
            or other.id.namespace in _bound_namespaces(own)
        )

    def select(self, name: str, namespace: ValueNode | None, *, both: bool) -> _Known | None:
        found = [
            each
            for each in self.candidates(name, namespace)
            if any(self.kind.selects(old.kind) for old in each.previous)
        ]
        role = self.role()
        if role is not None:
            found = [each for each in found if any(role.selects(o.kind) for o in each.previous)]
        found = [each for each in found if self.same_namespace(each)]
        if len(found) == 1:
            return found[0]
        found = [each for each in found if self.same_affixes(each, lenient=True)]
        if len(found) > 1:
            found = [each for each in found if self.same_affixes(each, lenient=False)]
        if len(found) <= 1:
            return found[0] if found else None
        first = found[0].id
        if all(
            each.id.name == first.name and (not both or each.id.namespace == first.namespace)
            for each in found
        ):
            return found[0]
        names = ", ".join(f"{each.id.kind.kind} {each.id.name}" for each in found)
        raise KustomizeError(
            f"found multiple possible referrals: {names}", self.referrer.resource.node.at
        )

    def role(self) -> GroupVersionKind | None:
        if not self.path.endswith("roleRef/name"):
            return None
        group = self.referrer.resource.node.get("roleRef", "apiGroup")
        kind = self.referrer.resource.node.get("roleRef", "kind")
        if group is None or kind is None:
            return None
        return GroupVersionKind(group.text, "", kind.text)

    def same_namespace(self, other: _Known) -> bool:
        own = self.referrer.id
        return (
            own.cluster
            or other.id.cluster
            or other.id.kind.kind == "ServiceAccount"
            or own.effective_namespace == other.id.effective_namespace
        )

    def same_affixes(self, other: _Known, *, lenient: bool) -> bool:
        one, two = self.referrer.resource, other.resource
        return _same_end(one.prefixes, two.prefixes, lenient=lenient) and _same_end(
            one.suffixes, two.suffixes, lenient=lenient
        )


def _same_end(one: tuple[str, ...], two: tuple[str, ...], *, lenient: bool) -> bool:
    if lenient and not (one and two):
        return True
    shorter = min(len(one), len(two))
    if not (one and two):
        return one == two
    return one[-shorter:] == two[-shorter:]


def _bound_namespaces(referrer: _Known) -> set[str]:
    if referrer.id.kind.kind != "RoleBinding":
        return set()
    made = set()
    for each in referrer.resource.node.items_at("subjects"):
        kind, namespace = each.get("kind"), each.get("namespace")
        if kind is not None and kind.text == "ServiceAccount" and namespace is not None:
            made.add(namespace.text)
    return made
