"""The declarative rules that come with the API types: enforced from 1.37 on (pool requests: 1.36).

They run on the object in the client's API version, next to the hand-written checks. Where both
report the same kind of error for the same field and rule, the hand-written error goes and the
declarative one, often in other words, stays.

The rules are those of `declarative_rules`. Source: apimachinery pkg/api/validate and apiserver
pkg/registry/rest/validate.go at 0.37.2.
"""

from __future__ import annotations

from dradsl.kube.errors import (
    FieldError,
    MapKey,
    Path,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
    too_long,
    too_many,
)
from dradsl.kube.fields.conversion import path_to_v1
from dradsl.kube.fields.table import Category
from dradsl.kube.validation.declarative_rules import declared_rules
from dradsl.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from dradsl.kube.context import Context
    from dradsl.kube.fields.table import Field
    from dradsl.kube.validation.declarative_rules import DeclarativeRule, FieldRules

__all__ = ["check_declaratively", "merge"]


# Upstream: Validate_* (pkg/apis/resource/v*/zz_generated.validations.go)
# Upstream: *.DeclarativeValidationConfig (pkg/registry/resource/*/strategy.go)
def check_declaratively(
    obj: Mapping[str, object], old: Mapping[str, object] | None, version: str, context: Context
) -> list[FieldError]:
    """What the declarative rules say about an object in API `version`, those in force only."""
    kind = str(obj.get("kind"))
    beta = context.rules.declarative and "DeclarativeValidationBeta" in context.features
    engine = _Engine(context, version, kind, beta)
    engine.struct(obj, old, kind, ())
    return engine.errors


def merge(
    errors: list[FieldError], declared: list[FieldError], kind: str, version: str
) -> list[FieldError]:
    """Hand-written errors without those that a declarative one stands for, then the declarative."""
    beta = {
        (error.type, path, error.origin)
        for error in declared
        if not error.covered  # `covered` on a declarative error marks a stable rule
        for path in (error.path, path_to_v1(error.path, kind, version))
    }

    def superseded(error: FieldError) -> bool:
        if not error.covered or (error.type == "FieldValueInvalid" and not error.origin):
            return False
        return (error.type, error.path, error.origin) in beta

    return [error for error in errors if not superseded(error)] + declared


class _Engine:
    """One run of the rules over an object and, for an update, the stored one."""

    def __init__(self, context: Context, version: str, kind: str, beta: bool) -> None:
        self.context = context
        self.release = context.release
        self.version = version
        self.kind = kind
        self.beta = beta
        self.errors: list[FieldError] = []

    def struct(
        self, new: Mapping[str, object], old: Mapping[str, object] | None, name: str, path: Path
    ) -> None:
        """The rules of a type; `old` is None if there is no stored value to compare with."""
        found = declared_rules(name, self.kind, self.version, self.release, self.beta)
        if found is None:
            return
        union, fields = found
        if union is not None:
            self.errors += self._union(new, old, name, union, path)
        for each in fields:
            field = each.field
            value, before = new.get(field.name), None
            if old is None:
                if value is None and each.silent:
                    continue
            else:
                before = old.get(field.name)
                from dradsl.kube import equality

                if equality.field_equal(value, before, field, self.release, self.version):
                    continue
            self._field(value, before, old is not None, each, name, (*path, field.name))

    def _field(
        self, new: Any, old: Any, has_old: bool, each: FieldRules, owner: str, path: Path
    ) -> None:
        stopped = self._is_unset(new, each.field)
        for rule in each.first:
            error = self._short_circuit(rule, new, old, has_old, each.field, path)
            if error is not None:
                stopped = True
                if rule.stable or self.beta:
                    self.errors.append(self._finish(error, rule, owner))
        if stopped:
            return
        for rule in each.rest:
            for error in self._apply(rule, new, old, each.field, path):
                self.errors.append(self._finish(error, rule, owner))
        if each.inner is not None:
            self._below(new, old, each, each.inner, path)

    def _finish(self, error: FieldError, rule: DeclarativeRule, owner: str) -> FieldError:
        from dradsl.kube.validation.declarative_reasons import reason_of

        name = next((e for e in reversed(error.path) if isinstance(e, str)), "")
        if error.path == ("metadata", "name"):
            name = "metadata.name"
        reason = error.reason or reason_of(owner, name, rule.name)
        return replace(error, reason=reason, declarative=True, covered=rule.stable)

    def _is_unset(self, value: Any, field: Field) -> bool:
        """Whether there is nothing to check: absent, or zero where the type is no pointer."""
        category = field.type.category
        if category is Category.STRUCT and not field.type.pointer:
            return False
        if field.type.pointer or category is Category.QUANTITY:
            return value is None
        return not value

    def _short_circuit(
        self, rule: DeclarativeRule, new: Any, old: Any, has_old: bool, field: Field, path: Path
    ) -> FieldError | None:
        if rule.name == "required":
            return required(path, "") if self._is_unset(new, field) else None
        if rule.name == "immutable":
            if not has_old:
                return None
            return invalid(path, "", None, "field is immutable").with_origin("immutable")
        if rule.name == "no-modify":
            if not has_old or new is None or old is None:
                return None
            detail = "field cannot be modified once set"
            return invalid(path, "", None, detail).with_origin("update")
        if rule.name == "gated":
            is_off = new is not None and rule.argument not in self.context.features
            return forbidden(path, "", "") if is_off else None
        if len(new or ()) > int(rule.argument):
            return too_many(path, "", len(new), int(rule.argument)).with_origin("maxItems")
        return None

    def _apply(
        self, rule: DeclarativeRule, new: Any, old: Any, field: Field, path: Path
    ) -> Iterator[FieldError]:
        if rule.name == "unique":
            yield from self._unique(new, rule.argument, field, path)
        elif rule.name == "enum":
            if new not in rule.argument.split(","):
                yield not_supported(path, "", new, rule.argument.split(","))
        elif rule.name in ("each-enum", "each-short-name"):
            yield from self._each(rule, new, old or (), path)
        elif rule.name == "keys-short-name":
            for key in sorted(set(new) - set(old or ())):
                yield from self._format("short-name", key, path)
        elif rule.name == "max-length":
            if len(new) > int(rule.argument):
                error = too_long(path, "", int(rule.argument), "characters")
                yield error.with_origin("maxLength")
        elif rule.name == "max-bytes":
            if len(new.encode(errors="surrogatepass")) > int(rule.argument):
                yield too_long(path, "", int(rule.argument)).with_origin("maxBytes")
        elif rule.name == "minimum":
            if new < int(rule.argument):
                detail = f"must be greater than or equal to {rule.argument}"
                yield invalid(path, "", new, detail).with_origin("minimum")
        elif rule.name == "maximum":
            if new > int(rule.argument):
                detail = f"must be less than or equal to {rule.argument}"
                yield invalid(path, "", new, detail).with_origin("maximum")
        else:
            yield from self._format(rule.name, new, path)

    def _format(self, name: str, text: str, path: Path) -> Iterator[FieldError]:
        from dradsl.kube.validation.declarative_formats import FORMATS

        return FORMATS[name](text, path, self.context)

    def _unique(self, items: Any, keys: str, field: Field, path: Path) -> Iterator[FieldError]:
        names = keys.split(",") if keys else None
        seen = set()
        for index, item in enumerate(items):
            key = item if names is None else tuple(item.get(name) or "" for name in names)
            if key in seen:
                from dradsl.kube.validation.shown import in_order

                (shown,) = in_order([item], field.type, self.version, self.release)
                yield duplicate((*path, index), "", shown)
            seen.add(key)

    def _each(self, rule: DeclarativeRule, new: Any, old: Any, path: Path) -> Iterator[FieldError]:
        allowed = rule.argument.split(",")
        for index, item in enumerate(new):
            if item in old:
                continue
            if rule.name == "each-short-name":
                yield from self._format("short-name", item, (*path, index))
            elif item not in allowed:
                yield not_supported((*path, index), "", item, allowed)

    def _below(self, new: Any, old: Any, each: FieldRules, inner: str, path: Path) -> None:
        """The rules of the types of a field's value."""
        category = each.field.type.category
        if category is Category.STRUCT:
            self.struct(new or {}, old, inner, path)
        elif category is Category.MAP:
            for key in sorted(new):
                before = (old or {}).get(key)
                if before is None or not self._same(new[key], before, inner):
                    self.struct(new[key], before, inner, (*path, MapKey(key)))
        else:
            for index, value in enumerate(new):
                before = _matching(value, old or (), each.keys) if each.keys else None
                if before is None or not self._same(value, before, inner):
                    self.struct(value, before, inner, (*path, index))

    def _same(self, new: Any, old: Any, name: str) -> bool:
        from dradsl.kube import equality

        return equality.semantic_equal(new, old, name, self.release, self.version)

    def _union(
        self,
        new: Mapping[str, object],
        old: Mapping[str, object] | None,
        owner: str,
        rule: DeclarativeRule,
        path: Path,
    ) -> Iterator[FieldError]:
        members = rule.argument.split(",")

        def chosen(value: Mapping[str, object]) -> list[str]:
            return [name for name in members if value.get(name) not in (None, [])]

        is_set = chosen(new)
        if old is not None and is_set == chosen(old):
            return
        if len(is_set) == 1:
            return
        names = ", ".join(f"`{name}`" for name in members)
        if is_set:
            value = f"{{{', '.join(is_set)}}}"
            error = invalid(path, "", value, f"must specify exactly one of: {names}")
        else:
            error = invalid(path, "", "", f"must specify one of: {names}")
        reason = "attribute-ambiguous" if is_set else "attribute-without-value"
        if owner != "DeviceAttribute":
            reason = "node-resource-incomplete"
        error = replace(error, reason=reason, declarative=True, covered=rule.stable)
        yield error.with_origin("union")


def _matching(item: Any, old: Any, keys: Any) -> Any:
    def key(value: Mapping[str, object]) -> list[Any]:
        return [value.get(name) or "" for name in keys]

    return next((before for before in old if key(before) == key(item)), None)
