"""Objects spoiled on purpose: the examples of the rule documents with strange parts in them."""

from __future__ import annotations

import copy
from functools import cache
from typing import TYPE_CHECKING, Any

from dradsl.lint.pages.documents import all_documents
from dradsl.text.documents import load
from maintenance.rule_examples import examples_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

# What nobody expects at a place: each has broken some program that reads manifests.
STRANGE: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    10**30,
    1.5,
    float("1e308"),
    "",
    " ",
    "x",
    "a/b/c",
    "\u0000",
    "ü" * 70,
    "(" * 300,
    "1Gi",
    "All",
    [],
    {},
    [None],
    [[]],
    [{}],
    {"": ""},
    {"a": {"b": []}},
    {"name": {"a": "b"}},
    [{"name": ["x"]}],
)


@cache
def seeds() -> list[list[Any]]:
    """The objects of every example of every rule document, with what the example brings along."""
    found = []
    for document in all_documents():
        for example in examples_of(document):
            texts = [example.source, *(one.text for one in example.attachments)]
            objects = [
                each.data
                for text in texts
                for each in load(text.encode("utf-8", "replace")).documents
                if isinstance(each.data, dict) and "kind" in each.data
            ]
            if objects:
                found.append(objects)
    return found


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield (*at, key)
            yield from places(value[key], (*at, key))


def spoil(objects: list[Any], random: Random) -> list[Any]:
    """The objects after a few changes: something strange, a copy of something else, or nothing."""
    objects = copy.deepcopy(objects)
    for _ in range(random.randint(1, 4)):
        every = [place for place in places(objects) if len(place) > 1]
        if not every:
            break
        *way, last = random.choice(every)
        holder: Any = objects
        for step in way:
            holder = holder[step]
        match random.randrange(4):
            case 0:
                del holder[last]
            case 1:
                other: Any = objects
                for step in random.choice(every):
                    other = other[step]
                holder[last] = copy.deepcopy(other)
            case 2:
                holder[last] = [holder[last]] if random.random() < 0.5 else {"name": holder[last]}
            case _:
                holder[last] = copy.deepcopy(random.choice(STRANGE))
    return objects
