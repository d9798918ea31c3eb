"""Which claims to move so that a pod fits: tried with the allocator, on fleets that are fragmented."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema

from tests.simulate.test_capacity import named
from tests.simulate.test_cli import DRIVER, class_of, slice_of, template
from tests.simulate.test_drains import claim, running
from tests.simulate.test_what_is_there import node_of, run, written

Json = dict[str, Any]
ROOT = "resource.kubernetes.io/pcieRoot"


def gpu(number: int, root: str) -> Json:
    return {
        "name": f"gpu-{number}",
        "attributes": {"model": {"string": "a"}, ROOT: {"string": root}},
    }


def node(name: str) -> list[Json]:
    """A node with two GPUs behind each of two PCIe roots."""
    return [slice_of(name, *(gpu(n, f"root-{n // 2}") for n in range(4))), node_of(name)]


def fragmented(folder: Path, *held: tuple[str, str, int], owner: str = "ReplicaSet") -> str:
    objects = [class_of(), template(), *node("n1"), *node("n2")]
    for name, place, number in held:
        objects += [running(name, place, owner=owner), claim(name, place, f"gpu-{number}")]
    return written(folder, "fleet", *objects)


def pair(folder: Path, count: int = 2, **pod: Any) -> str:
    """A pod that wants GPUs behind one PCIe root."""
    made = template(count=count)
    made["metadata"]["name"] = "pair"
    made["spec"]["spec"]["devices"]["constraints"] = [{"matchAttribute": ROOT, "requests": ["gpu"]}]
    pods = named("w", 1)
    pods["spec"]["template"]["spec"]["resourceClaims"][0]["resourceClaimTemplateName"] = "pair"
    pods["spec"]["template"]["spec"] |= pod
    return written(folder, "pair", made, pods)


def plan(*words: str) -> Json | None:
    report = json.loads(run(*words, "--output-format", "json").stdout)
    schema = Path("schemas/simulate.schema.json").read_text("utf-8")
    jsonschema.validate(report, json.loads(schema))
    found: Json | None = report["pods"][0].get("moves")
    return found


ONE_OF_EACH_ROOT = [("a", "n1", 0), ("b", "n1", 2), ("c", "n2", 0), ("d", "n2", 3)]


def test_an_aligned_set_is_freed_by_one_move(tmp_path: Path) -> None:
    words = [pair(tmp_path), "--slices", fragmented(tmp_path, *ONE_OF_EACH_ROOT)]
    found = plan(*words)
    assert found is not None
    assert found["node"] == "n1"
    assert [move["pod"] for move in found["moves"]] == ["default/a"]
    assert found["moves"][0]["claims"] == ["default/a-gpu-x"]
    assert found["moves"][0]["from"] == "n1"
    text = run(*words).stdout
    assert "or (tried): move default/a (claim default/a-gpu-x) from n1 to " in text
    assert ": then it fits on n1" in text
    page = run(*words, "--output-format", "html").stdout
    assert "or (tried): move default/a" in page
    # The plan carried out: a on n2 (as where it goes is said), and the pair fits.
    goes = found["moves"][0]["to"]
    free = {"n1": 3, "n2": 1}[goes]
    after = fragmented(tmp_path, ("a", goes, free), *ONE_OF_EACH_ROOT[1:])
    assert run(words[0], "--slices", after).exit_code == 0


def test_what_cannot_go_elsewhere_is_not_moved(tmp_path: Path) -> None:
    """All other devices are in use, so that nobody who makes room finds any."""
    held = [(f"p{n}", "n1", n) for n in range(1, 4)] + [(f"q{n}", "n2", n) for n in range(4)]
    assert plan(pair(tmp_path), "--slices", fragmented(tmp_path, *held)) is None


def test_pods_of_daemon_sets_stay(tmp_path: Path) -> None:
    fleet = fragmented(tmp_path, *ONE_OF_EACH_ROOT, owner="DaemonSet")
    assert plan(pair(tmp_path), "--slices", fleet) is None


def test_the_rules_of_nodes_hold_for_those_who_move(tmp_path: Path) -> None:
    """The pods of n1 have to stay there; that of n2 that goes to n1 is the one to move."""
    objects = json.loads((tmp_path / fragmented(tmp_path, *ONE_OF_EACH_ROOT)).read_text("utf-8"))
    for one in objects["items"]:
        if one["kind"] == "Pod" and one["spec"]["nodeName"] == "n1":
            one["spec"]["nodeSelector"] = {"kubernetes.io/hostname": "elsewhere"}
    fleet = written(tmp_path, "pinned", *objects["items"])
    found = plan(pair(tmp_path), "--slices", fleet)
    assert found is not None
    assert [move["pod"] for move in found["moves"]] == ["default/c"]


def test_a_whole_device_is_freed_of_its_partitions(tmp_path: Path) -> None:
    """Two half GPUs are held, one of each GPU: to move one of them frees a whole one."""
    counters = [
        {"name": f"gpu-{number}", "counters": {"slices": {"value": "2"}}} for number in range(2)
    ]
    parts: list[Json] = []
    for number in range(2):
        parts.append({"name": f"whole-{number}", "consumesCounters": _consumes(number, "2")})
        parts += [
            {"name": f"half-{number}-{part}", "consumesCounters": _consumes(number, "1")}
            for part in range(2)
        ]
    for part in parts:
        kind = str(part["name"]).partition("-")[0]
        part["attributes"] = {"kind": {"string": kind}}
    shared = slice_of("n1", count=2)
    shared["metadata"]["name"] = "counters"
    shared["spec"]["sharedCounters"] = counters
    del shared["spec"]["devices"]
    devices = slice_of("n1", *parts, count=2)
    objects: list[Json] = [class_of(), shared, devices, node_of("n1")]
    for name, given in (("a", "half-0-0"), ("b", "half-1-0")):
        held = claim(name, "n1", given)
        held["spec"] = template(selectors=_kind("half"))["spec"]["spec"]
        objects += [running(name, "n1"), held]
    pods = written(tmp_path, "pods", template(selectors=_kind("whole")), named("w", 1))
    found = plan(pods, "--slices", written(tmp_path, "fleet", *objects))
    assert found is not None
    assert [(one["pod"], one["from"], one["to"]) for one in found["moves"]] == [
        ("default/a", "n1", "n1")
    ]


def _consumes(number: int, amount: str) -> list[Json]:
    return [{"counterSet": f"gpu-{number}", "counters": {"slices": {"value": amount}}}]


def _kind(kind: str) -> list[Json]:
    return [{"cel": {"expression": f"device.attributes['{DRIVER}'].kind == '{kind}'"}}]


def test_claims_without_recorded_pods_move_alone(tmp_path: Path) -> None:
    objects = json.loads((tmp_path / fragmented(tmp_path, *ONE_OF_EACH_ROOT)).read_text("utf-8"))
    fleet = written(tmp_path, "bare", *(o for o in objects["items"] if o["kind"] != "Pod"))
    found = plan(pair(tmp_path), "--slices", fleet)
    assert found is not None
    assert found["moves"][0]["pod"] == "default/a-gpu-x"


def test_more_than_three_pods_make_room_for_a_whole_node(tmp_path: Path) -> None:
    objects = [class_of(), template(), *node("n1"), *node("n2")]
    for number in range(4):
        name = f"p{number}"
        objects += [running(name, "n1"), claim(name, "n1", f"gpu-{number}")]
    held = claim("z", "n2", "gpu-0")
    fleet = written(tmp_path, "fleet", *objects, running("z", "n2"), held)
    made = template(count=4)
    made["metadata"]["name"] = "pair"
    pods = named("w", 1)
    pods["spec"]["template"]["spec"]["resourceClaims"][0]["resourceClaimTemplateName"] = "pair"
    given = written(tmp_path, "pods", made, pods)
    # n2 is freed by one; there is no room for it on n1, so that nothing is said.
    assert plan(given, "--slices", fleet) is None
    objects = [one for one in objects if one["metadata"]["name"] != "p3-gpu-x"]
    objects = [one for one in objects if one["metadata"]["name"] != "p3"]
    fleet = written(tmp_path, "fleet", *objects, running("z", "n2"), held)
    found = plan(given, "--slices", fleet)
    assert found is not None
    assert [(one["pod"], one["to"]) for one in found["moves"]] == [("default/z", "n1")]
