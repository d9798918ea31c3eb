"""The mutations of `RULE.md`, in its order: patterns of the places, and what each becomes."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HERE = Path(__file__).parent
BUILDERS = HERE.parents[2] / "examples" / "builders"

_HANDLE = r"\b(?:gpu|mig|nic|neuron|tpu|tensor|grouped|amdgpu|amdgpu_partition|gaudi|cpu)\b"
_OBJECT = r"(?:ResourceClaimTemplate|ResourceClaim|DeviceClass)"


def _swap(word: str, rng: Random) -> str:
    """The word with two unequal neighbours exchanged."""
    places = [at for at in range(1, len(word) - 1) if word[at] != word[at + 1]]
    at = rng.choice(places)
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def _add_left_out(text: str, rng: Random) -> str | None:
    found = list(re.finditer(rf"\bapp\.add\(\s*{_OBJECT}\(", text))
    return None if not found else _without_call(text, rng.choice(found).start())


def _without_call(text: str, start: int) -> str:
    """The text without the call of `app.add` at a place, and with its argument."""
    open_ = text.index("(", start)
    depth = 0
    for at in range(open_, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return text[:start] + "(" + text[open_ + 1 : at] + ")" + text[at + 1 :]
    raise AssertionError(text)


def _added_twice(text: str, rng: Random) -> str | None:
    names = re.findall(rf"^(\w+) = app\.add\(\s*{_OBJECT}\(", text, re.MULTILINE)
    return f"{text}\napp.add({rng.choice(names)})\n" if names else None


def _same_name(text: str, rng: Random) -> str | None:
    if len(re.findall(rf"\b{_OBJECT}\(\s*\"", text)) > 1:
        return None  # two claims may each have a request of one name
    names = re.findall(r'\bRequest\(\s*"([^"]+)"', text)
    if len(set(names)) < 2:
        return None
    first, second = rng.sample(sorted(set(names)), 2)
    return re.sub(rf'(\bRequest\(\s*)"{second}"', rf'\1"{first}"', text)


def _release(text: str, rng: Random) -> str | None:
    return re.sub(
        r"\bApp\((?:for_release=\"[\d.]+\")?",
        f'App(for_release="1.{rng.randrange(50, 99)}"',
        text,
        count=1,
    )


def _namespace(text: str, rng: Random) -> str | None:
    """Another namespace for a claim that a pod of the program names."""
    return _at(r'(\bnamespace="[^"]+)"', lambda m, _: f'{m[1]}x"')(text, rng)


def _at(
    pattern: str, change: Callable[[re.Match[str], Random], str]
) -> Callable[[str, Random], str | None]:
    """One place of a pattern, changed."""

    def made(text: str, rng: Random) -> str | None:
        found = list(re.finditer(pattern, text))
        if not found:
            return None
        match = rng.choice(found)
        return text[: match.start()] + change(match, rng) + text[match.end() :]

    return made


MUTATIONS: dict[int, Callable[[str, Random], str | None]] = {
    1: _at(rf"(?<!\")({_HANDLE}\.)(?!attributes|capacity|exists)(\w{{4,}})", lambda m, r: m[1] + _swap(m[2], r)),
    2: _at(rf'({_HANDLE}\.\w+ == ")([^"]+)[^"]"', lambda m, _: f'{m[1]}{m[2]}"'),
    3: _at(r'"(\d+)([KMGT]i)"', lambda m, _: f'"{m[1]}{m[2].lower()}"'),
    4: _at(rf'({_HANDLE}\.\w+) == (")', lambda m, _: f"{m[1]} >= {m[2]}"),
    5: _at(r"\bcount=(\d+)", lambda m, _: f'count="{m[1]}"'),
    6: _at(r"\bcount=(\d+)", lambda _, __: "count=0"),
    7: _at(r"\b(?:select|requests)=", lambda m, _: {"select=": "selector="}.get(m[0], "request=")),
    8: _at(r'(\bRequest\(\s*"[^"]+",\s*"[^"]+)[^"]"', lambda m, _: f'{m[1]}"'),
    9: _add_left_out,
    10: _at(r'("resourceClaim(?:Template)?Name": "[^"]+)[^"]"', lambda m, _: f'{m[1]}"'),
    11: _at(rf'(\b(?:{_OBJECT}|Request|PodClaim)\(\s*")(\w)', lambda m, _: m[1] + m[2].upper() + "X"),
    12: _at(r"(?<=[\w)]) & (?=[(~]|\w+\.)", lambda _, __: " and "),
    13: _at(rf"& \(({_HANDLE}[^()]+)\)", lambda m, _: f"& {m[1]}"),
    14: lambda text, rng: _namespace(text, rng) if "PodClaim(" in text else None,
    15: _same_name,
    16: _added_twice,
    17: _at(r"\brequests=\[([^\[\]]+?),?\s*\]", lambda m, _: f"requests={m[1].strip()}"),
    18: _at(r"(?<=[(\s])(sharing|interval|defaultActiveThreadPercentage|strategy)(?==)", lambda m, r: _swap(m[1], r)),
    19: _at(r"(\.container\(|\b(?:same|distinct)\([\w.]+, )(\w+)\b", lambda m, _: f'{m[1]}"{m[2]}x"'),
    20: _at(rf'({_HANDLE}\.\w+ (?:==|>=) )"[^"]+"', lambda m, _: f"{m[1]}1.5"),
    21: _at(rf"({_HANDLE}\.\w+) == ", lambda m, _: f"{m[1]} = "),
    22: _at(r'(\b(?:driver\("|attributes\["|Opaque\(\s*"))([\w.-]{4,})', lambda m, r: m[1] + _swap(m[2], r)),
    23: _at(r"\b(ResourceClaimTemplate|PodClaim|DeviceClass)(?=[,)\n ]+(?:\w|\n))(?=[^(]*\n)", lambda m, r: _swap(m[1], r)),
    24: _release,
}  # fmt: skip


def _first_takes_all(text: str, rng: Random) -> str | None:
    """The first of two alternatives of one class without its condition."""
    inner = r'\w*:?=? ?Request\(\s*"[^"]+",\s*([\w".-]+)'
    found = list(
        re.finditer(
            rf"(FirstAvailable\(\s*\"[^\"]+\",\s*{inner}), select=[^\n]*?\),\s*(?={inner})", text
        )
    )
    same = [one for one in found if one[2] == one[3]]
    if not same:
        return None
    one = rng.choice(same)
    return text[: one.start()] + one[1] + "), " + text[one.end() :]


def _second_configuration(text: str, rng: Random) -> str | None:
    """A configuration, and another of its kind with no parameters after it."""
    found = list(re.finditer(r"configs=\[\s*(?:Config\(\s*)?(\w+Config)\(", text))
    if not found:
        return None
    one = rng.choice(found)
    start = text.index("[", one.start())
    end, depth = start, 0
    for at in range(start, len(text)):
        depth += {"[": 1, "]": -1}.get(text[at], 0)
        if depth == 0:
            end = at
            break
    given = text[start + 1 : end].strip().rstrip(",")
    named = re.search(r"\),\s*(\w+)\s*,?\s*\)$", given) if given.startswith("Config(") else None
    more = f"Config({one[1]}(), {named[1]})" if named else f"{one[1]}()"
    return f"{text[: start + 1]}{given}, {more}{text[end:]}"


FRESH = MUTATIONS | {
    25: _at(r'((?:[<>]=?|==) "\d+)Gi"', lambda m, _: f'{m[1]}Ti"'),
    26: _first_takes_all,
    27: _second_configuration,
    28: _at(r'("claims": \[)(?:\w+\.container\(\w*\)|\{"name": "([\w-]+)")', lambda m, _: f'{m[1]}{{"name": "devicesx"' + ("" if m[2] else "}")),
    29: _at(r'"resourceClaims": \[[^\]]*\],?\s*', lambda _, __: ""),
    30: _at(r'"(resourceClaims|claims|resources|containers)":', lambda m, _: f'"{m[1][:-1]}":'),
    31: _at(rf"({_HANDLE}\.\w+ == )(True|False)", lambda m, _: f'{m[1]}"{m[2].lower()}"'),
}  # fmt: skip
"""The mutations of the fresh bases."""
_PLACES = 3


def fresh_samples(
    seeds: tuple[int, int] = (46, 47), size: int = 150
) -> list[list[tuple[str, int, str]]]:
    """Two samples of the fresh bases, that have no program in common."""
    taken: set[str] = set()
    samples: list[list[tuple[str, int, str]]] = []
    for seed in seeds:
        rng = Random(seed)
        made: dict[str, tuple[str, int, str]] = {}
        for name, text in bases("fresh").items():
            for number, change in FRESH.items():
                for _ in range(_PLACES):
                    program = change(text, rng)
                    if program is not None and program != text:
                        made[program] = (name, number, program)
        left = sorted(one for program, one in made.items() if program not in taken)
        chosen = rng.sample(
            left, min(size, len(left) // (2 - len(samples)) if not samples else len(left))
        )
        taken |= {one[2] for one in chosen}
        samples.append(sorted(chosen))
    return samples


def bases(folder: str = "bases") -> dict[str, str]:
    """The correct programs by name."""
    files = [*(HERE / folder).glob("*.py"), *(BUILDERS.glob("*.py") if folder == "bases" else ())]
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(files)}


def sample(seed: int, size: int) -> Iterator[tuple[str, int, str]]:
    """Base, mutation and program: `size` of all pairs, each program once."""
    rng = Random(seed)
    made = {}
    for name, text in bases().items():
        for number, change in MUTATIONS.items():
            program = change(text, rng)
            if program is not None and program != text:
                made[program] = (name, number, program)
    return iter(sorted(rng.sample(sorted(made.values()), size)))
