"""Changes to texts: layout kept, anchors and odd shapes met with care, never with a wrong result."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dradsl.migrate.edits.operations import (
    Append,
    CannotEditError,
    Put,
    Remove,
    edit_text,
    json_patch,
    on_data,
)
from dradsl.migrate.result import Outcome
from tests.migrate.runs import data_of, diff, only, pod, run, with_gpu


def test_comments_and_layout_stay() -> None:
    text = with_gpu().replace("    image: i\n", "    image:   i   # the image\n")
    text = text.replace("nvidia.com/gpu: 1\n", "nvidia.com/gpu: 1\n        cpu: 2 # two\n")
    (file,) = run(f"# head\n\n{text}# tail\n").files
    gone = [line for line in diff(file.before, file.text) if line.startswith("-")]
    assert gone == ["-        nvidia.com/gpu: 1"]


@pytest.mark.parametrize("ending", ["", "\n", "\n\n", "\n# end\n", "\n---\n", "\n...\n"])
def test_any_end_of_file(ending: str) -> None:
    migration = run(with_gpu().rstrip("\n") + ending)
    assert migration.faults == ()
    kinds = [obj["kind"] for obj in data_of(migration.files[0].text)]
    assert kinds == ["Pod", "ResourceClaimTemplate"]


def test_line_ends_of_windows_stay() -> None:
    text = run(with_gpu().replace("\n", "\r\n")).files[0].text
    assert "\n" not in text.replace("\r\n", "")


def test_objects_of_a_list_are_migrated_and_named_apart() -> None:
    items = "".join(
        f"- apiVersion: v1\n  kind: Pod\n  metadata: {{name: {name}}}\n  spec:\n    containers:\n"
        "    - name: c\n      image: i\n      resources: {limits: {nvidia.com/gpu: 1}}\n"
        for name in ("a", "b")
    )
    migration = run(f"apiVersion: v1\nkind: List\nitems:\n{items}")
    assert migration.count(Outcome.TRANSLATED) == 2
    assert migration.faults == ()
    _, *made = data_of(migration.files[0].text)
    names = {obj["metadata"]["name"] for obj in made}
    assert len(names) == 2


def test_json_gets_its_objects_in_a_file_of_their_own() -> None:
    text = (
        '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": '
        '[{"name": "c", "image": "i", "resources": {"limits": {"nvidia.com/gpu": 1}}}]}}\n'
    )
    (file,) = run(text, "a.json").files
    assert [obj["kind"] for obj in file.added] == ["ResourceClaimTemplate"]
    assert json.loads(file.text)["spec"]["resourceClaims"][0]["name"] == "devices"


@pytest.mark.parametrize("indent", [None, 2, 4, "\t"])
def test_json_keeps_its_layout(indent: int | str | None) -> None:
    (data,) = data_of(with_gpu())
    text = json.dumps(data, indent=indent) + "\n"
    (file,) = run(text, "a.json").files
    again = json.loads(file.text)
    assert file.text == json.dumps(again, indent=indent) + "\n"
    assert again["spec"]["containers"][0]["image"] == "i"


def test_json_in_a_layout_of_its_own_is_rejected() -> None:
    (data,) = data_of(with_gpu())
    text = json.dumps(data).replace('"kind"', ' \n "kind"')
    assert "layout" in only(run(text, "a.json")).reason


@pytest.mark.parametrize("as_json", [False, True])
def test_a_list_of_a_krm_function_stays_one_document(as_json: bool) -> None:
    from dradsl.text.render import render_block

    (item,) = data_of(with_gpu())
    kind = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList"}
    data = {**kind, "items": [item, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {}}]}
    text = json.dumps(data) if as_json else render_block(data) + "\n"
    migration = run(text)
    assert migration.faults == ()
    (data,) = data_of(migration.files[0].text)
    kinds = [each["kind"] for each in data["items"]]
    assert kinds == ["Pod", "ConfigMap", "ResourceClaimTemplate"]
    assert not run(migration.files[0].text).changed


ANCHOR = (
    "  containers:\n  - name: main\n    image: i\n    resources:\n      limits: &all\n"
    "        nvidia.com/gpu: 1\n        cpu: 2\n      requests: *all\n"
)


def test_an_anchor_shared_by_limits_and_requests() -> None:
    migration = run(pod(ANCHOR))
    assert only(migration).outcome is Outcome.TRANSLATED
    pod_data = data_of(migration.files[0].text)[0]
    resources = pod_data["spec"]["containers"][0]["resources"]
    assert resources["limits"] == resources["requests"] == {"cpu": 2}


def test_an_anchor_that_would_vanish_below_an_alias_is_rejected() -> None:
    second = "  - name: other\n    image: i\n    resources: {limits: *all}\n"
    text = pod(
        ANCHOR.replace("        cpu: 2\n", "").replace("      requests: *all\n", "") + second
    )
    migration = run(text)
    outcomes = {item.outcome for item in migration.items()}
    assert outcomes == {Outcome.REJECTED} or migration.faults == ()
    if outcomes == {Outcome.REJECTED}:
        assert migration.files[0].text == text


def test_a_merge_is_rejected_rather_than_broken() -> None:
    text = (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nx: &x {limits: {nvidia.com/gpu: 1}}\nspec:\n"
        "  containers:\n  - {name: c, image: i, resources: {<<: *x}}\n"
    )
    migration = run(text)
    if only(migration).outcome is Outcome.REJECTED:
        assert migration.files[0].text == text
    else:
        assert migration.faults == ()


LIST_ITEM = """\
- apiVersion: v1
  kind: Pod
  metadata: {{name: {name}}}
  spec:
    containers:
    - name: main
      image: i
      resources:
        limits:{anchor}
          nvidia.com/gpu: 1
"""
# Without its last entry the anchored mapping goes, and the alias has nothing to show.
ALIAS = """\
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: c}
  data: *a
"""


@pytest.mark.parametrize("position", range(5))
def test_an_item_that_cannot_be_edited_leaves_the_others_their_change(position: int) -> None:
    names = [f"p{number}" for number in range(5)]
    items = [
        LIST_ITEM.format(name=name, anchor=" &a" if number == position else "")
        for number, name in enumerate(names)
    ]
    text = "apiVersion: v1\nkind: List\nitems:\n" + "".join(items) + ALIAS
    migration = run(text)
    assert migration.faults == ()
    rejected = {item.object for item in migration.items() if item.outcome is Outcome.REJECTED}
    assert rejected == {f"Pod p{position}"}
    (file,) = migration.files
    assert len(file.workloads) == len(file.patches) == 4
    assert items[position] in file.text
    assert file.text.count("resourceClaimTemplateName") == 4
    again = run(file.text)
    assert not again.changed


def test_where_nothing_can_be_edited_every_use_has_its_reason() -> None:
    items = [LIST_ITEM.format(name=f"p{n}", anchor=f" &a{n}") for n in range(3)]
    aliases = [ALIAS.replace("*a", f"*a{n}") for n in range(3)]
    text = "apiVersion: v1\nkind: List\nitems:\n" + "".join(items + aliases)
    migration = run(text)
    assert migration.files[0].text == text
    assert [item.outcome for item in migration.items()] == [Outcome.REJECTED] * 3
    assert all("cannot be edited safely" in item.reason for item in migration.items())


def test_names_change_with_the_content_and_with_nothing_else() -> None:
    def name(text: str) -> str:
        return str(data_of(run(text).files[0].text)[1]["metadata"]["name"])

    assert name(with_gpu()) == name(with_gpu(rest="  priority: 1\n"))
    assert name(with_gpu()) != name(with_gpu("2"))
    assert len(name(with_gpu().replace("{name: a}", f"{{name: {'a' * 200}}}"))) <= 63
    assert name(with_gpu().replace("{name: a}", "{name: 1a.B}"))


def test_the_toleration_that_an_admission_plugin_added() -> None:
    pool = (
        "---\napiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: gpu}\nspec:\n  template:\n"
        "    spec:\n      taints: [{key: nvidia.com/gpu, effect: NoSchedule}]\n"
    )

    def tolerations(rest: str = "", more: str = "", **answers: object) -> object:
        made = data_of(run(with_gpu(rest=rest) + more, answers=answers).files[0].text)
        return made[0]["spec"].get("tolerations")

    added = [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]
    assert tolerations() is None
    assert tolerations(tolerations="add") == added
    assert tolerations(more=pool) == added
    assert tolerations(more=pool, tolerations="leave") is None
    gke = "  nodeSelector: {cloud.google.com/gke-accelerator: nvidia-l4}\n"
    assert tolerations(gke) == added
    assert tolerations("  tolerations: [{operator: Exists}]\n", pool) == [{"operator": "Exists"}]
    other = [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoExecute"}]
    rest = "  tolerations: [{key: nvidia.com/gpu, operator: Exists, effect: NoExecute}]\n"
    assert tolerations(rest, pool) == other + added


DATA = "a: {b: 1}\nl: [1, 2]\nn:\n"


@pytest.mark.parametrize(
    "operations",
    [
        [Remove(("a", "b"), (("a",),))],
        [Remove(("l", 0)), Remove(("l", 0), (("l",),))],
        [Put(("a", "c"), {"d": [1]})],
        [Put(("x", "y", "z"), 1)],
        [Append(("l",), 3), Append(("m",), {"k": "v"}), Append(("m",), 2)],
        [Append(("n",), 1)],
        [Put(("n", "o"), 1)],
    ],
)
def test_text_and_patch_say_what_the_data_says(operations: list[Remove | Put | Append]) -> None:
    (before,) = data_of(DATA)
    wanted = on_data(before, operations)
    text = edit_text(DATA, [operations])
    assert data_of(text) == [wanted]
    patched = before
    for item in json_patch(before, operations):
        patched = _patched(patched, item)
    assert patched == wanted


def test_something_else_in_the_way_is_told() -> None:
    with pytest.raises(CannotEditError):
        edit_text("a: text\n", [[Put(("a", "b"), 1)]])


def _patched(data: object, item: dict[str, object]) -> Any:
    """RFC 6902, as far as it is used here."""
    from dradsl.kube.fields.defaulting import copy_plain

    patched: Any = copy_plain(data)
    parts = [p.replace("~1", "/").replace("~0", "~") for p in str(item["path"]).split("/")[1:]]
    target = patched
    for part in parts[:-1]:
        target = target[int(part)] if isinstance(target, list) else target[part]
    last = parts[-1]
    if isinstance(target, list):
        if item["op"] == "remove":
            del target[int(last)]
        else:
            target.insert(len(target) if last == "-" else int(last), item["value"])
    elif item["op"] == "remove":
        del target[last]
    else:
        assert item["op"] == "add" or last in target
        target[last] = item["value"]
    return patched
