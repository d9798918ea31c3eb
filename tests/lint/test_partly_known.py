"""A verdict on an object that is known in part holds whatever its unknown values are."""

from __future__ import annotations

import pytest

from dradsl.cel.admission import compile_policy, object_value
from dradsl.cel.runtime.values import CelRuntimeError
from dradsl.lint.policies.partly import UnknownValueError, value_of
from dradsl.text.paths import FieldPath, value_at

WHOLE = {
    "metadata": {"name": "a", "namespace": "ml", "labels": {"x": "y", "z": "w"}},
    "spec": {"n": 3, "l": ["a", "b"], "m": [{"k": "v", "j": "u"}, {"k": "w"}], "q": "2Gi"},
}
PATHS: list[FieldPath] = [
    ("metadata", "name"),
    ("metadata", "namespace"),
    ("metadata", "labels", "x"),
    ("metadata", "labels"),
    ("spec", "n"),
    ("spec", "l", 0),
    ("spec", "m", 0, "k"),
    ("spec", "q"),
]
EXPRESSIONS = [
    "object.metadata.name == 'a'",
    "object.metadata.name == 'a' || true",
    "true || object.metadata.name == 'a'",
    "object.metadata.namespace in ['ml', 'x']",
    "has(object.metadata.labels) && 'x' in object.metadata.labels",
    "has(object.metadata.labels.x)",
    "has(object.metadata.labels.none)",
    "object.metadata.?labels.?x.orValue('') == 'y'",
    "object.metadata.labels == {'x': 'y', 'z': 'w'}",
    "{'x': 'y', 'z': 'w'} == object.metadata.labels",
    "[object.metadata.labels] == [{'x': 'y', 'z': 'w'}]",
    "{'x': 'y', 'z': 'w'} in [object.metadata.labels]",
    "object.metadata.labels in [{'x': 'y', 'z': 'w'}]",
    "object == object",
    "size(object.metadata.labels) == 2",
    "object.metadata.labels.all(k, k in ['x', 'z'])",
    "object.metadata.labels.exists(k, v, v == 'y')",
    "object.metadata.labels.map(k, object.metadata.labels[k]).exists(v, v == 'y')",
    "object.spec.n > 2",
    "type(object.spec.n) == int",
    "object.spec.l.exists(i, i == 'b')",
    "object.spec.l.all(i, i == 'a')",
    "'a' in object.spec.l",
    "object.spec.l == ['a', 'b']",
    "object.spec.l + ['c'] == ['a', 'b', 'c']",
    "size(object.spec.l) == 2",
    "object.spec.l[0] == 'a'",
    "sets.contains(object.spec.l, ['a'])",
    "object.spec.m.exists(i, i.k == 'w')",
    "object.spec.m.all(i, has(i.k))",
    "object.spec.m.map(i, i.?j.orValue('u')) == ['u', 'u']",
    "object.spec.m == [{'k': 'v', 'j': 'u'}, {'k': 'w'}]",
    "object.spec.m.filter(i, i.k == 'v').size() == 1",
    "object.spec.m.distinct().size() == 2",
    "quantity(object.spec.q).isGreaterThan(quantity('1Gi'))",
    "dyn([object.spec.n]).map(x, x) == [3]",
    "[string(object.spec.q), 'x'].join(',') == '2Gi,x'",
    "object.metadata.labels.transformMap(k, v, v + '!') == {'x': 'y!', 'z': 'w!'}",
    "optional.of(object.metadata).value().name == 'a'",
    "string(object.spec.n) == '3'",
]


def filled(data: object, path: FieldPath, value: object) -> object:
    if not path:
        return value
    if isinstance(data, dict):
        return {k: filled(v, path[1:], value) if k == path[0] else v for k, v in data.items()}
    assert isinstance(data, list)
    return [filled(v, path[1:], value) if i == path[0] else v for i, v in enumerate(data)]


def outcome(text: str, value: object) -> object:
    try:
        return compile_policy(text, "1.37").evaluate({"object": value})
    except CelRuntimeError as error:
        return error.message


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_no_verdict_depends_on_what_is_not_known(text: str) -> None:
    for path in PATHS:
        partly = value_of(WHOLE, lambda at, path=path: at == path, lambda _at: False)  # type: ignore[misc] # the default is a path
        try:
            said = outcome(text, partly)
        except UnknownValueError:
            continue
        own = value_at(WHOLE, path)
        others = ["other", "", 7, {"x": "other"}, {}, ["a"], None]
        for value in (own, *others):
            assert outcome(text, object_value(filled(WHOLE, path, value))) == said, (path, value)


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_no_verdict_depends_on_entries_that_may_be_there(text: str) -> None:
    where = ("metadata", "labels")
    partly = value_of(WHOLE, lambda _at: False, lambda at: at == where)
    try:
        said = outcome(text, partly)
    except UnknownValueError:
        return
    metadata = WHOLE["metadata"]
    assert isinstance(metadata, dict)
    labels = metadata["labels"]
    assert isinstance(labels, dict)
    for more in ({}, {"none": "1"}, {"b": "y", "c": ""}):
        assert outcome(text, object_value(filled(WHOLE, where, {**labels, **more}))) == said


def test_what_is_known_decides() -> None:
    partly = value_of(WHOLE, lambda at: at == ("metadata", "name"), lambda _at: False)
    assert outcome("object.spec.n == 3 || object.metadata.name == 'a'", partly) is True
    assert outcome("object.metadata.namespace == 'ml'", partly) is True
    with pytest.raises(UnknownValueError):
        outcome("object.metadata.name == 'a'", partly)
