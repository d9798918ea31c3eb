"""Where the recorded questions come from: tables by hand, real selectors, and the generators."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dradsl.releases import newest_release
from tests.cel.expressions import DEVICES, Generator
from tests.oracle.fuzz import (
    alloc as alloc_fuzz,
    cel as cel_fuzz,
    groups,
    node_resources,
    objects,
    quotas,
    reserved,
    scalars as scalars_fuzz,
    schedule as schedule_fuzz,
    torn,
)
from tests.replay import answer
from tests.verdicts import (
    group_rules,
    mutated_objects,
    mutated_pods,
    node_resource_rules,
    optional_rules,
    plugin_rules,
    rules,
    switch_rules,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["SOURCES", "Question", "questions"]

Question = dict[str, Any]
_INPUTS = Path(__file__).parent / "inputs"


def _cel_rules() -> Iterator[Question]:
    """Every line of inputs/cel.txt: as the API server sees it and as the scheduler does."""
    devices: list[Question] = []
    gates: list[object] = []
    note = ""
    for number, line in enumerate((_INPUTS / "cel.txt").read_text("utf-8").splitlines(), 1):
        if line.startswith("@cel_"):
            found = json.loads((_INPUTS / f"{line[1:]}.json").read_text("utf-8"))
            devices = list(found.values())
            gates = ["defaults", "all"] if line == "@cel_lists" else ["defaults"]
        elif line.startswith("# "):
            note = line[2:]
        elif line.strip():
            expression = json.loads(line[5:]) if line.startswith("json:") else line
            for env, features in itertools.product(("new", "stored"), gates):
                yield {
                    "id": f"{number}-{env}" + ("-all" if features == "all" else ""),
                    "note": note,
                    "expression": expression,
                    "env": env,
                    "features": features,
                    "devices": devices,
                }


def _cel_selectors() -> Iterator[Question]:
    """Selectors that driver projects publish in their examples."""
    devices = list(json.loads((_INPUTS / "cel_devices.json").read_text("utf-8")).values())
    lines = (_INPUTS / "cel_selectors.jsonl").read_text("utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        for env in ("new", "stored"):
            yield {
                "id": f"{number}-{env}",
                "expression": json.loads(line),
                "env": env,
                "features": "defaults",
                "devices": devices,
            }


def _cel_derived() -> Iterator[Question]:
    """Every line of inputs/cel_derived.txt, with and without lists, and what the generator makes."""
    names = ("cel_devices", "cel_lists", "cel_plain")
    files = [json.loads((_INPUTS / f"{name}.json").read_text("utf-8")) for name in names]
    common: Question = {
        "derived": True,
        "devices": [device for file in files for device in file.values()],
    }
    lines = (_INPUTS / "cel_derived.txt").read_text("utf-8").splitlines()
    for number, line in enumerate(lines[1:], 2):
        for env, features in itertools.product(("new", "stored"), ("defaults", "all")):
            more = {"expression": line, "env": env, "features": features}
            yield {"id": f"{number}-{env}-{features}", **common, **more}
    made = cel_fuzz.generate_derived(random.Random(20261122))
    yield from itertools.islice(made, 200)


def _cel_generated() -> Iterator[Question]:
    return itertools.islice(cel_fuzz.generate(random.Random(20261120)), 900)


def _cel_expressions() -> Iterator[Question]:
    """Random expressions by another generator, which knows the libraries better than the devices."""
    groups: list[tuple[str, str, object, int]] = [
        (release, mode, "defaults", 1000 + 2 * place)
        for place, release in enumerate(("1.34", "1.35", "1.36", "1.37"))
        for mode in ("new", "stored")
    ]
    lists = {"DRAListTypeAttributes": True}
    groups += [("1.36", "new", lists, 2000), ("1.37", "new", lists, 2001)]
    for release, mode, features, seed in groups:
        generator = Generator(seed)
        for number in range(300):
            yield {
                "id": f"{release}-{mode}{'' if features == 'defaults' else '-lists'}-{number}",
                "expression": generator.expression(4),
                "env": mode,
                "features": features,
                "devices": DEVICES,
                "releases": [release],
            }


def _by_hand(name: str) -> Callable[[], Iterator[Question]]:
    """Questions written by hand, one a line, most with a note."""

    def read() -> Iterator[Question]:
        for line in (_INPUTS / f"{name}.jsonl").read_text("utf-8").split("\n"):
            if line:
                yield json.loads(line)

    return read


def _cel_table() -> Iterator[Question]:
    """Every line of inputs/cel_table.txt, for the device that the `@` above it names."""
    devices = json.loads((_INPUTS / "cel_table_devices.json").read_text("utf-8"))
    device, note, number = "", "", 0
    gates: tuple[tuple[str, object], ...] = (
        ("", "defaults"),
        ("-lists", {"DRAListTypeAttributes": True}),
    )
    for line in (_INPUTS / "cel_table.txt").read_text("utf-8").split("\n"):
        if line.startswith("# "):
            note = line[2:]
        elif line.startswith("@"):
            device = line[1:]
        elif line:
            expression = json.loads(line[5:]) if line.startswith("json:") else line
            for env in ("new", "stored"):
                for suffix, features in gates:
                    yield {
                        "id": f"t{number}-{env}{suffix}",
                        "note": note,
                        "expression": expression,
                        "env": env,
                        "features": features,
                        "devices": [devices[device]],
                    }
            number += 1


def _alloc_generated() -> Iterator[Question]:
    return itertools.islice(alloc_fuzz.generate(random.Random(20261120)), 1500)


_NEWER = dict.fromkeys(
    ("ConsumableCapacity", "DeviceBindingAndStatus", "FractionalCapacityRange", "ListTypeAttributes",
     "CompatibilityGroups", "DerivedAttributes", "OptionalNodeOperations"), False,
)  # fmt: skip
_FOUR = ("AdminAccess", "PrioritizedList", "PartitionableDevices", "DeviceTaints")


def _alloc_variants() -> Iterator[Question]:
    """Gates under which each of upstream's implementations is taken, in every release."""
    themes = tuple(
        theme for theme in alloc_fuzz.THEMES if theme not in ("derived", "errors", "lists", "many")
    )
    made = alloc_fuzz.generate(random.Random(20261121), themes)
    gates: list[object] = [
        {**dict.fromkeys(_FOUR, True), **_NEWER},
        {**dict.fromkeys(_FOUR, False), **_NEWER},
        {**dict.fromkeys(_FOUR, True), **_NEWER, "ConsumableCapacity": True},
        {**dict.fromkeys(_FOUR, True), **_NEWER, "DeviceBindingAndStatus": True},
    ]
    for number, question in enumerate(itertools.islice(made, 160)):
        yield {**question, "timeoutMS": 300, "features": gates[number % len(gates)]}


def _alloc_combined() -> Iterator[Question]:
    """Features that meet, mostly where two devices or more are handed out at some node."""
    made = alloc_fuzz.combined(random.Random(20261122))
    kept = 0
    for number, question in enumerate(made):
        if number % 8 == 0 or _hands_out_several(question):
            kept += 1
            yield {**question, "timeoutMS": 500}
        if kept == 700:
            return


def _hands_out_several(question: Question) -> bool:
    lines = answer("alloc", question, newest_release())
    allocated = [line.get("allocations") or () for line in lines]
    counts = [sum(len(one["devices"].get("results", ())) for one in found) for found in allocated]
    return any(count >= 2 for count in counts)


def _schedule_generated() -> Iterator[Question]:
    return itertools.islice(schedule_fuzz.generate(random.Random(20261120)), 560)


def _schedule_node_resources() -> Iterator[Question]:
    """By hand, and generated; of the latter where a pod gets its devices at some node, or nearly."""
    yield from node_resource_rules.questions()
    made = node_resources.generate(random.Random(20261120))
    for question in itertools.islice(filter(_takes_of_nodes, made), 160):
        yield {**question, "releases": ["1.36", "1.37"]}


def _takes_of_nodes(question: Question) -> bool:
    lines = answer("schedule", question, newest_release())
    nodes = [node for line in lines for node in line.get("nodes", ())]
    rejected = any(
        reason.startswith(("Insufficient", "pod level"))
        for node in nodes
        for reason in node.get("reasons", ())
    )
    return rejected or any("nodeAllocatableResourceClaimStatuses" in line for line in lines)


def _schedule_reserved() -> Iterator[Question]:
    """Of the releases that leave nothing to chance: what one pod gets decides about the next."""
    for question in itertools.islice(reserved.generate(random.Random(20261120)), 300):
        yield {**question, "releases": ["1.36", "1.37"]}


def _alloc_torn() -> Iterator[Question]:
    return itertools.islice(torn.generate(random.Random(20261120)), 200)


def _alloc_zeros() -> Iterator[Question]:
    """Of the releases that leave next to nothing to chance."""
    for question in itertools.islice(alloc_fuzz.zeros(random.Random(20261123)), 300):
        yield {**question, "timeoutMS": 300, "releases": ["1.36", "1.37"]}


def _validate_singles() -> Iterator[Question]:
    """One field of a valid object wrong at a time; a seeded share of all that could be."""
    everything = list(objects.singles())
    chosen = set(random.Random(20261120).sample(range(len(everything)), 2600))
    return (question for i, question in enumerate(everything) if i in chosen or i % 40 == 0)


def _validate_generated() -> Iterator[Question]:
    return itertools.islice(objects.generate(random.Random(20261120)), 1200)


def _validate_undefaulted() -> Iterator[Question]:
    return itertools.islice(objects.generate_undefaulted(random.Random(20261121)), 300)


def _pod_generated() -> Iterator[Question]:
    return itertools.islice(objects.generate_pods(random.Random(20261120)), 300)


def _quotas_generated() -> Iterator[Question]:
    return itertools.islice(quotas.generate(random.Random(20261123)), 400)


def _quotas_of_claims() -> Iterator[Question]:
    return itertools.islice(quotas.claims(random.Random(20261123)), 300)


def _groups_generated() -> Iterator[Question]:
    found = itertools.islice(groups.generate(random.Random(20261120)), 1200)
    return map(group_rules.for_its_releases, found)


def _quantities() -> Iterator[Question]:
    """Every operand by itself and with its neighbours of a seeded shuffle."""
    rng = random.Random(20261120)
    texts = [*scalars_fuzz.QUANTITIES, *(scalars_fuzz.quantity(rng) for _ in range(500))]
    others = list(texts)
    rng.shuffle(others)
    for number, (a, b) in enumerate(zip(texts, others, strict=True)):
        yield {"id": f"quantity-{number}", "a": a, "b": b}


def _versions() -> Iterator[Question]:
    rng = random.Random(20261120)
    texts = [*scalars_fuzz.VERSIONS, *(scalars_fuzz.version(rng) for _ in range(150))]
    others = list(texts)
    rng.shuffle(others)
    for number, (a, b) in enumerate(zip(texts, others, strict=True)):
        for normalize in (False, True):
            yield {"id": f"semver-{number}-{normalize}", "a": a, "b": b, "normalize": normalize}


def _yaml() -> Iterator[Question]:
    for number, text in enumerate(scalars_fuzz.YAML):
        yield {"id": f"yaml-{number}", "text": text}


def _yaml_flow() -> Iterator[Question]:
    """Colons and brackets. All releases read with the same module; one oracle is asked."""
    rng = random.Random(20261125)
    texts = dict.fromkeys(scalars_fuzz.flow(rng) for _ in range(1_500))
    for number, text in enumerate(texts):
        yield {"id": f"flow-{number}", "text": text, "releases": ["1.37"]}


SOURCES: dict[str, Callable[[], Iterable[Question]]] = {
    "cel/rules": _cel_rules,
    "cel/selectors": _cel_selectors,
    "cel/derived": _cel_derived,
    "cel/optionals": optional_rules.questions,
    "cel/generated": _cel_generated,
    "cel/expressions": _cel_expressions,
    "cel/table": _cel_table,
    "alloc/facts": _by_hand("alloc_facts"),
    "alloc/same-names": _by_hand("alloc_same_names"),
    "schedule/facts": _by_hand("schedule_facts"),
    "schedule/fractions": _by_hand("schedule_fractions"),
    "alloc/variants": _alloc_variants,
    "alloc/generated": _alloc_generated,
    "alloc/combined": _alloc_combined,
    "alloc/switches": switch_rules.questions,
    "alloc/torn": _alloc_torn,
    "alloc/zeros": _alloc_zeros,
    "schedule/generated": _schedule_generated,
    "schedule/plugin": plugin_rules.questions,
    "schedule/reserved": _schedule_reserved,
    "schedule/nodeallocatable": _schedule_node_resources,
    "validate/rules": rules.validate_rules,
    "validate/yaml": rules.yaml_rules,
    "pod/rules": rules.pod_rules,
    "pod/groups": group_rules.group_rules,
    "pod/groups_generated": _groups_generated,
    "pod/in_groups": group_rules.pods_in_groups,
    "validate/singles": _validate_singles,
    "validate/generated": _validate_generated,
    "validate/undefaulted": _validate_undefaulted,
    "validate/mutated": mutated_objects.questions,
    "pod/generated": _pod_generated,
    "pod/mutated": mutated_pods.questions,
    "quota/generated": _quotas_generated,
    "quota/claims": _quotas_of_claims,
    "quantity/all": _quantities,
    "semver/all": _versions,
    "yaml/scalars": _yaml,
    "yaml/flow": _yaml_flow,
}


def questions(name: str) -> list[Question]:
    """The questions of a corpus file ("cel/rules"), from its source.

    Raises:
        KeyError: for a file that has no source but itself.
    """
    return list(SOURCES[name]())
