"""RuleTraits of rules: what the engine must know of a rule to judge its findings in every place.

They are the line `traits:` in the front matter of a rule's document, `CONTRIBUTING.md` explains how to choose them.
"""

from __future__ import annotations

from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

__all__ = ["RuleTraits"]

About: TypeAlias = "Literal['value', 'absence', 'lookup', 'name', 'shape', 'text']"
Hides: TypeAlias = "Literal['nothing', 'names', 'field', 'below', 'level', 'object']"
Compares: TypeAlias = "Literal['nothing', 'fields', 'unknown-fields', 'objects', 'requests', 'pod-claims', 'container-claims']"
Elsewhere: TypeAlias = "Literal['patches', 'values']"
Shown: TypeAlias = "Literal['same', 'info']"
Need: TypeAlias = "Literal['schema', 'classes', 'inventory', 'old']"
Editor: TypeAlias = "Literal['plain', 'unnecessary', 'deprecated']"


@dataclass(frozen=True, slots=True)
class RuleTraits:
    """What the engine must know of a rule.

    `about` is what is wrong: a value, something that is missing, a name of another object that is not found (`lookup`),
    a name of a driver, the shape of a field or expression, or the text of the file. `hides` says which other findings
    follow from this one: those on the same `names`, those at the field and `below` it, also those on what should have
    read it (`field`), or at its right `level`, or all of the `object`. `compares` names what a name is held against; with
    `unknown-fields` a rule has looked itself whether one of these is the field that it misses. What
    is missing may be `elsewhere`: in patches of the object, or in other values of its chart. With `patch` a finding in a
    patch holds whatever the patch changes. `shown` is the severity where the object is shown and not applied, `ignore` whether a
    comment can hide the finding, `editor` how an editor draws it.
    """

    about: About
    hides: Hides
    compares: Compares
    elsewhere: tuple[Elsewhere, ...]
    patch: bool
    shown: Shown
    ignore: bool
    editor: Editor

    @property
    def distorts(self) -> bool:
        """Whether the object is not what its author meant at the field, so that what is said of it follows."""
        return self.hides in ("field", "below", "level")

    @property
    def hides_others(self) -> bool:
        """Whether other mistakes show once this one is fixed."""
        return self.distorts or self.hides == "object" or self.about == "shape"
