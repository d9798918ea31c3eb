"""Questions by hand about the claims of PodGroups, of Workloads, and of pods in a group.

Every list of claims is put into every place that takes one, in every API version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.oracle.fuzz import objects
from tests.oracle.fuzz.groups import COMPOSITE, ON, VERSIONS, composite, group, template, workload

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["for_its_releases", "group_rules", "pods_in_groups"]

Json = dict[str, Any]

_A: Json = {"name": "a", "resourceClaimName": "claim"}
_B: Json = {"name": "b", "resourceClaimTemplateName": "template"}
_ALL = {**ON, **COMPOSITE}
_NO_CLAIMS = {"GenericWorkload": True}
_NO_CLAIMS_COMPOSITE = {**_NO_CLAIMS, **COMPOSITE}


def _named(*names: Any) -> list[Json]:
    return [{"name": name, "resourceClaimName": "claim"} for name in names]


def _of_claim(*names: Any) -> list[Json]:
    return [{"name": f"c{number}", "resourceClaimName": name} for number, name in enumerate(names)]


def _of_template(*names: Any) -> list[Json]:
    fields = enumerate(names)
    return [{"name": f"c{number}", "resourceClaimTemplateName": name} for number, name in fields]


_LISTS: dict[str, Any] = {
    "two": [_A, _B],
    "none": [],
    "null": None,
    "four": _named("a", "b", "c", "d"),
    "five": _named("a", "b", "c", "d", "e"),
    "six-alike": _named(*["A"] * 6),
    "twice": [_A, _A],
    "twice-other": [_A, {**_B, "name": "a"}],
    "thrice": _named("a", "b", "a", "a"),
    "two-pairs": _named("b", "a", "a", "b"),
    "twice-nameless": [{"resourceClaimName": "c"}, {"name": "", "resourceClaimName": "c"}],
    "twice-bad": _named("A", "A"),
    "no-source": [{"name": "a"}],
    "both-sources": [{**_A, **_B}],
    "null-sources": [{"name": "a", "resourceClaimName": None, "resourceClaimTemplateName": None}],
    "one-null": [{**_A, "resourceClaimTemplateName": None}],
    "empty-sources": [{"name": "a", "resourceClaimName": "", "resourceClaimTemplateName": ""}],
    "empty-entry": [{}],
    "null-entry": [None, _A, None],
    "names": _named("", None, "a-", "-a"),
    "names-letters": _named("A", "a_b", "é", "a b"),
    "names-dots": _named("a.b", "a..b", ".", "?"),
    "names-long": _named("a" * 63, "b" * 64, "C" * 64, "d." * 40),
    "names-digits": _named("0", "0a", "a0", "9-9"),
    "claim-names": _of_claim("", "a.b", "A", "a_b"),
    "claim-names-long": _of_claim("a" * 253, "b" * 254, "C" * 300, "?"),
    "claim-names-dots": _of_claim("a..b", ".a", "a.", "a.-b"),
    "claim-names-odd": _of_claim("é", "a/b", " a", "0"),
    "template-names": _of_template("", "a.b", "A", "a_b"),
    "template-names-long": _of_template("a" * 253, "b" * 254, "C" * 300, "?"),
    "template-names-odd": _of_template("é", "a/b", "-", "0"),
    "both-bad": [{"name": "A", "resourceClaimName": "B", "resourceClaimTemplateName": "C_"}],
    "unknown": [{**_A, "x": 1}, {**_B, "y": None, "z": {}}],
    "unknown-many": [{**_A, **{f"x{number}": 1 for number in range(102)}}],
    "unknown-case": [{"Name": "a", "resourceclaimname": "c"}],
    "old-source": [{"name": "a", "source": {"resourceClaimName": "c"}}],
    "unknown-and-bad": [{"name": "A", "x": "y"}],
    "list-text": "a",
    "list-mapping": {"name": "a"},
    "list-number": 1,
    "list-truth": False,
    "entry-text": ["a"],
    "entry-number": [_A, 1.5],
    "entry-list": [[_A]],
    "entry-truth": [True],
    "name-number": [{**_A, "name": 1}],
    "name-truth": [{**_A, "name": True}],
    "name-list": [{**_A, "name": ["a"]}],
    "name-mapping": [{**_A, "name": {}}],
    "claim-number": [{"name": "a", "resourceClaimName": 1}],
    "claim-mapping": [{"name": "a", "resourceClaimName": {"name": "b"}}],
    "template-number": [{"name": "a", "resourceClaimTemplateName": 0.5}],
    "two-undecoded": [{"name": {}, "x": 1}, "b", {"name": [], "resourceClaimName": 4}],
}


def _places(version: str, claims: Any) -> Iterator[tuple[str, Json, Json]]:
    """Every place of claims with the gates that it needs."""
    yield "group", group(version, claims), ON
    yield "workload", workload(version, template("t"), template("u", claims)), ON
    if version == "v1alpha2":
        return
    inner = composite("i", template("u", claims))
    yield "both", workload(version, template("t"), composites=(inner,)), _ALL
    yield "composite", workload(version, composites=(inner,)), _ALL
    outer = composite("o", template("t"), inner=(composite("e", template("v")), inner))
    yield "nested", workload(version, composites=(outer,)), _ALL


def _ask(name: str, features: Any, obj: Any, old: Any = None, **more: Any) -> Json:
    question = {"id": name, "default": True, "features": features, "object": obj, **more}
    return question if old is None else {**question, "old": old}


def group_rules() -> Iterator[Json]:
    """Questions of subject `pod` about PodGroups and Workloads."""
    for question in _known_rules():
        yield for_its_releases(question)
    yield from _versions()


def for_its_releases(question: Json) -> Json:
    """The question for the releases that know the API version: the others all say the same."""
    version = str(question.get("object", {}).get("apiVersion") or question["yaml"].split()[1])
    releases = ["1.36"] if version.endswith("/v1alpha2") else ["1.37"]
    return {**question, "releases": releases}


def _known_rules() -> Iterator[Json]:
    for version in VERSIONS:
        for name, claims in _LISTS.items():
            for place, obj, features in _places(version, claims):
                yield _ask(f"{version}-{place}-{name}", features, obj)
        for question in (*_gates(version), *_updates(version), *_templates(version)):
            yield {**question, "id": f"{version}-{question['id']}"}
        if version != "v1alpha2":
            for question in _composites(version):
                yield {**question, "id": f"{version}-{question['id']}"}
        yield from _beside(version)


_BAD = [{"name": "A"}]
_UNREAD = [{"name": 1}]


def _gates(version: str) -> Iterator[Json]:
    """Claims are dropped while their gate is off, unread but decoded."""
    gates: dict[str, Any] = {
        "off": _NO_CLAIMS,
        "off-composite": _NO_CLAIMS_COMPOSITE,
        "on": ON,
        "defaults": "defaults",
        "all": "all",
        "none": "none",
        "unmet": {"DRAWorkloadResourceClaims": True},
    }
    for word, features in gates.items():
        for name, claims in (
            ("good", [_A]),
            ("bad", _BAD),
            ("five", [_A] * 5),
            ("unread", _UNREAD),
        ):
            for place, obj, _ in _places(version, claims):
                yield _ask(f"gate-{word}-{place}-{name}", features, obj)


_CHANGES: dict[str, tuple[Any, Any]] = {
    "same": ([_A, _B], [_A, _B]),
    "same-bad": (_BAD, _BAD),
    "same-five": ([_A] * 5, [_A] * 5),
    "fixed": (_BAD, [_A]),
    "spoilt": ([_A], _BAD),
    "renamed": ([_A], [{**_A, "name": "c"}]),
    "other-claim": ([_A], [{**_A, "resourceClaimName": "c"}]),
    "other-source": ([_A], [{"name": "a", "resourceClaimTemplateName": "claim"}]),
    "added": ([_A], [_A, _B]),
    "first": ([], [_A]),
    "first-bad": (None, _BAD),
    "removed": ([_A, _B], [_A]),
    "emptied": ([_A], []),
    "nulled": ([_A], None),
    "empty-null": ([], None),
    "reordered": ([_A, _B], [_B, _A]),
    "to-five": ([_A], [_A] * 5),
    "nameless": ([{"resourceClaimName": "c"}], [{"name": "", "resourceClaimName": "c"}]),
    "null-source": ([_A], [{**_A, "resourceClaimTemplateName": None}]),
    "empty-source": ([_A], [{**_A, "resourceClaimTemplateName": ""}]),
    "unknown": ([_A], [{**_A, "x": 1}]),
    "unread": ([_A], _UNREAD),
}


def _updates(version: str) -> Iterator[Json]:
    for name, (before, after) in _CHANGES.items():
        old = {place: obj for place, obj, _ in _places(version, before)}
        for place, obj, features in _places(version, after):
            yield _ask(f"update-{place}-{name}", features, obj, old[place])
            off = _NO_CLAIMS_COMPOSITE if features is _ALL else _NO_CLAIMS
            yield _ask(f"update-off-{place}-{name}", off, obj, old[place])
            if features is _ALL:
                yield _ask(f"update-plain-{place}-{name}", ON, obj, old[place])
    status = {"status": {"resourceClaimStatuses": [{"name": "a", "resourceClaimName": "c"}]}}
    new = {**group(version, _BAD), **status}
    yield _ask("status", ON, new, group(version, [_A]), subresource="status")
    yield _ask("status-off", _NO_CLAIMS, new, group(version, [_A]), subresource="status")
    unread = group(version, _UNREAD)
    yield _ask("status-unread", ON, unread, group(version, [_A]), subresource="status")


def _templates(version: str) -> Iterator[Json]:
    """What lists of templates do to the claims below them."""
    for size in (0, 1, 7, 8, 9):
        names = [f"t{number}" for number in range(size)]
        obj = workload(version, *[template(name, _BAD) for name in names])
        yield _ask(f"templates-{size}", ON, obj)
        yield _ask(f"templates-{size}-same", ON, obj, obj)
        better = workload(version, *[template(name, [_A]) for name in names])
        yield _ask(f"templates-{size}-fixed", ON, obj, better)
    good, bad = template("a", [_A]), template("b", _BAD)
    other: Json = {**good, "schedulingPolicy": {"gang": {"minCount": 3}}}
    rows: dict[str, tuple[list[Any], list[Any]]] = {
        "added": ([good], [good, bad]),
        "removed": ([good, bad], [good]),
        "renamed": ([good], [{**good, "name": "c"}]),
        "renamed-bad": ([good], [{**bad, "name": "c"}]),
        "reordered": ([good, bad], [bad, good]),
        "other-policy": ([good, bad], [other, bad]),
        "other-policy-and-claims": ([good, bad], [other, {**bad, "resourceClaims": [_A]}]),
        "one-of-two": ([good, bad], [good, {**bad, "resourceClaims": [_A]}]),
        "doubled": ([good], [good, good]),
        "doubled-bad": ([good], [good, {**bad, "name": "a"}]),
        "undoubled": ([good, {**bad, "name": "a"}], [{**bad, "name": "a"}]),
        "without-claims-first": ([template("a", []), bad], [bad, template("a", [_B])]),
        "null": ([good], [None, good]),
        "all-gone": ([good], []),
        "from-nothing": ([], [good, bad]),
        "nameless": ([{**good, "name": ""}], [{**bad, "name": None}]),
    }
    for name, (before, after) in rows.items():
        for word, features in (("on", ON), ("off", _NO_CLAIMS)):
            old, new = workload(version, *before), workload(version, *after)
            yield _ask(f"list-{name}-{word}", features, new, old)
            yield _ask(f"list-{name}-create-{word}", features, new)
    misplaced = workload(version, good)
    misplaced["spec"]["resourceClaims"] = [_A]
    yield _ask("claims-of-workload", ON, misplaced)


def _composites(version: str) -> Iterator[Json]:
    """Templates of templates: seen with their gate, dropped without, kept if they were there."""
    bad, good = template("t", _BAD), template("t", [_A])
    level = composite("c1", bad)
    for depth in range(2, 7):
        level = composite(f"c{depth}", inner=(level,))
        yield _ask(f"depth-{depth}", _ALL, workload(version, composites=(level,)))
        yield _ask(f"depth-{depth}-off", ON, workload(version, composites=(level,)))
    for size in (8, 9):
        many = tuple(composite(f"c{i}", template(f"t{i}", _BAD)) for i in range(size))
        yield _ask(f"composites-{size}", _ALL, workload(version, composites=many))
        inner = composite("o", inner=many)
        yield _ask(f"composites-in-{size}", _ALL, workload(version, composites=(inner,)))
        plain = [template(f"t{i}", _BAD) for i in range(size)]
        obj = workload(version, composites=(composite("c", *plain),))
        yield _ask(f"templates-in-{size}", _ALL, obj)
    yield _ask("both-kinds", _ALL, workload(version, bad, composites=(composite("c", bad),)))
    holder = {**composite("c", good), "resourceClaims": [_A]}
    yield _ask("claims-of-composite", _ALL, workload(version, composites=(holder,)))
    one, two = composite("x", good), composite("y", template("u", [_A]))
    wrong_x, wrong_y = composite("x", bad), composite("y", template("u", _BAD))
    rows: dict[str, tuple[tuple[Json, ...], tuple[Json, ...]]] = {
        "reordered": ((one, two), (wrong_y, wrong_x)),
        "same-reordered": ((one, two), (two, one)),
        "added": ((one,), (wrong_x, two)),
        "removed": ((one, two), (wrong_x,)),
        "renamed": ((one,), ({**wrong_x, "name": "z"},)),
        "first": ((), (wrong_x,)),
        "gone": ((one,), ()),
        "emptied": ((one,), (composite("x", template("t", [])),)),
        "from-empty": ((composite("x", template("t", [])),), (one,)),
        "doubled": ((one,), (one, wrong_x)),
        "undoubled": ((one, wrong_x), (wrong_x,)),
        "doubled-empty": ((one, composite("x", template("t", []))), (one,)),
        "inner-added": ((one,), (composite("x", good, inner=(wrong_y,)),)),
        "inner-changed": (
            (composite("o", inner=(one, two)),),
            (composite("o", inner=(wrong_x, two)),),
        ),
        "inner-moved": ((composite("x", good, template("u", [])),), (composite("x", template("u", [_A]), good),)),
    }  # fmt: skip
    gates = {"on": _ALL, "plain": ON, "off": _NO_CLAIMS_COMPOSITE, "none": _NO_CLAIMS}
    for name, (before, after) in rows.items():
        for word, features in gates.items():
            old = workload(version, composites=before)
            new = workload(version, composites=after)
            yield _ask(f"composites-{name}-{word}", features, new, old)
    from_plain = workload(version, composites=(composite("c", bad),))
    yield _ask("plain-to-composite", _ALL, from_plain, workload(version, good))


def _beside(version: str) -> Iterator[Json]:
    """What else is wrong with an object does not keep its claims from being judged."""
    bad_name = group(version, _BAD)
    bad_name["metadata"] = {"name": "A_", "namespace": "ns", "labels": {"-": "-"}}
    bad_policy = group(version, _BAD)
    bad_policy["spec"]["schedulingPolicy"] = {"gang": {"minCount": 0}, "basic": {}}
    bad_template = workload(version, {**template("A_", _BAD), "schedulingPolicy": {}})
    unknown = group(version, [_A])
    unknown["spec"]["x"] = {"resourceClaim": 1}
    for name, obj in (
        ("name", bad_name),
        ("policy", bad_policy),
        ("template", bad_template),
        ("field", unknown),
    ):
        yield _ask(f"{version}-beside-{name}", ON, obj)
        for word, old in (("good", [_A]), ("bad", _BAD)):
            if obj["kind"] == "PodGroup":
                yield _ask(f"{version}-beside-{name}-{word}", ON, obj, group(version, old))
    lines = [f"apiVersion: scheduling.k8s.io/{version}", "kind: PodGroup", "metadata: {name: g}"]
    lines += ["spec:", "  schedulingPolicy: {basic: {}}", "  resourceClaims:"]
    entries = ["  - name: yes", "    resourceClaimName: on"], ["  - {name: a, name: b}"]
    for number, entry in enumerate(entries):
        text = "\n".join([*lines, *entry, ""])
        yield {"id": f"{version}-yaml-{number}", "default": True, "features": ON, "yaml": text}


def _versions() -> Iterator[Json]:
    """Every version for every release; and an update across versions."""
    for version in VERSIONS:
        for place, obj, _ in _places(version, [_A]):
            yield _ask(f"version-{version}-{place}", "defaults", obj)
            yield _ask(f"version-{version}-{place}-update", "defaults", obj, obj)
    for version in ("v1alpha1", "v1", "v2", ""):
        yield _ask(f"version-{version}-group", "defaults", group(version))
    for version in ("v1", "v1alpha4"):
        yield _ask(f"version-{version}-workload", "defaults", workload(version, template("t")))
    for claims in ([_A], _BAD):
        for old, new in (("v1alpha3", "v1beta1"), ("v1beta1", "v1alpha3")):
            name = f"across-{new}-{'bad' if claims is _BAD else 'good'}"
            asked = _ask(name, ON, group(new, claims), group(old, [_A]))
            yield for_its_releases(asked)
            later = workload(new, template("t", claims))
            before = workload(old, template("t", [_A]))
            yield for_its_releases(_ask(f"{name}-workload", ON, later, before))
    # 1.35 has Workloads whose groups of pods have no claims yet.
    alpha = workload("v1alpha1")
    alpha["spec"] = {"podGroups": [{"name": "a", "policy": {"basic": {}}}]}
    yield _ask("version-v1alpha1-workload", "defaults", alpha)
    later = workload("v1alpha1", template("t", _UNREAD))
    yield _ask("version-v1alpha1-later-field", "defaults", later)
    early = workload("v1alpha1")
    early["spec"] = {"podGroups": [{"name": "a", "policy": {"basic": {}}, "resourceClaims": [_A]}]}
    yield _ask("version-v1alpha1-claims", "defaults", early)
    later = workload(
        "v1alpha2", template("t"), composites=(composite("c", template("u", _UNREAD)),)
    )
    yield for_its_releases(_ask("version-v1alpha2-later-field", ON, later))


def pods_in_groups() -> Iterator[Json]:
    """Questions of subject `pod` about pods of a PodGroup: 1.36 and later.

    Their claims may be those of the group; that they match is the scheduler's business.
    """
    rows: dict[str, list[Any]] = {
        "of-group": [{"name": "gpu", "resourceClaimTemplateName": "gpu-template"}],
        "of-group-shared": [{"name": "net", "resourceClaimName": "shared.net"}],
        "others": [_A, _B],
        "twice": [_A, _A],
        "no-source": [{"name": "a"}],
        "both-sources": [{**_A, **_B}],
        "bad-names": [{"name": "A", "resourceClaimName": "B"}],
        "group-field": [{"name": "a", "podGroupResourceClaim": "gpu"}],
        "five": _named("a", "b", "c", "d", "e"),
        "empty-source": [{"name": "a", "resourceClaimName": ""}],
    }
    for name, claims in rows.items():
        for word, features in (("on", ON), ("off", _NO_CLAIMS), ("defaults", "defaults")):
            obj = objects.pod()
            obj["spec"]["schedulingGroup"] = {"podGroupName": "group"}
            obj["spec"]["resourceClaims"] = claims
            first = next((one["name"] for one in claims), "a")
            obj["spec"]["containers"][0]["resources"]["claims"] = [{"name": first}]
            obj["spec"]["initContainers"][0]["resources"]["claims"] = [{"name": "gpu"}]
            yield {**_ask(f"{name}-{word}", features, obj), "releases": ["1.36", "1.37"]}
