"""The product that a nearly right text stands for: `NVIDIA A100-SXM4` for `NVIDIA A100-SXM4-40GB`."""

from __future__ import annotations

import functools
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dradsl.drivers.schema.catalogue import Catalogue

__all__ = [
    "class_named",
    "class_to_add",
    "drivers_named",
    "is_same_model",
    "near_products",
    "tests_of_all",
    "written_parts",
]

_MAKERS = frozenset(("amd", "geforce", "instinct", "intel", "nvidia", "quadro", "radeon", "tesla"))
_FILLERS = frozenset(("card", "core", "gpu", "tensor"))
_FORM = re.compile("sxm[0-9]?|pcie|hbm[0-9]?e?|oam|nvl|gddr[0-9]x?|[0-9]+gb?")
_GENERATIONS = frozenset(
    ("pascal", "volta", "turing", "ampere", "hopper", "ada", "lovelace", "blackwell", "cdna")
)


def near_products(text: str, known: Iterable[str]) -> tuple[str, ...]:
    """The products that `text`, which is none of them, may stand for, the nearest first.

    It is another spelling of them (case, blanks, `-` for a blank), or a part of their names, with or
    without the maker's word. A text with another number is another product: none is near.
    """
    return _near(text, tuple(known))


@functools.lru_cache(256)
def _near(text: str, known: Sequence[str]) -> tuple[str, ...]:
    words = _words(text)
    same = tuple(each for each in known if "".join(_words(each)) == "".join(words))
    if same:
        return same
    own = _telling(words)
    if not any(character.isdigit() for word in own for character in word):
        return ()
    holding = [
        each for each in known if {*own} <= {*_words(each)} or _is_cut_off(words, _words(each))
    ]
    from dradsl.drivers.schema import suggest

    if not holding:
        meant = suggest.closest(text, [each for each in known if is_same_model(each, text)])
        holding = [] if meant is None else [meant]
    holding = holding or _but_for_form({*own}, known)
    return tuple(sorted(holding, key=lambda each: len(_words(each))))


def _but_for_form(own: set[str], known: Sequence[str]) -> list[str]:
    """The products that a text names with a form or an amount that no product of the model says: `H100-SXM5-80GB`."""
    model = {word for word in own if not _FORM.fullmatch(word)}
    named = {each: {*_words(each)} for each in known if model and model <= {*_words(each)}}
    said = {_letters(word) for words in named.values() for word in words}
    return [
        each
        for each, words in named.items()
        if all(_letters(word) not in said for word in own - words)
    ]


def _letters(word: str) -> str:
    return "".join(re.findall("[a-z]+", word)[:1])


def tests_of_all(text: str, meant: Sequence[str], known: Iterable[str]) -> tuple[str, ...]:
    """The calls that let all of the products `meant` through, by the words of `text` as they spell them.

    None where other products that are known would pass: `A100` is in `RTX A1000`.
    """
    spelt = {word for each in meant for word in _words(each)}
    own = [word for word in _telling(_words(text)) if word in spelt] or _telling(_words(text))
    others = [each for each in known if each not in meant]
    for parts in (_spelt([own], meant), _spelt([[word] for word in own], meant)):
        inside = [f"[A-Za-z0-9]{re.escape(part)}|{re.escape(part)}[0-9]" for part in parts]
        held = (each for each in others if all(part in each for part in parts))
        if parts and not any(re.search("|".join(inside), each) for each in held):
            return tuple(f'contains("{part}")' for part in parts)
        heads = {each[: each.find(part)] + part for each in meant for part in parts}
        if len(heads) == 1 and not any(re.match(f"{min(heads)}[0-9]", each) for each in others):
            return (f'startsWith("{min(heads)}")',)
    return ()


def _spelt(parts: Iterable[Sequence[str]], meant: Sequence[str]) -> tuple[str, ...]:
    """How all of some products spell parts of their names; none if they do not spell all parts alike."""
    searches = [re.compile(r"[ _-]*".join(map(re.escape, part)), re.IGNORECASE) for part in parts]
    spelt = [{m[0] if (m := search.search(each)) else "" for each in meant} for search in searches]
    alike = all(len(each) == 1 and all(each) for each in spelt)
    return tuple(map(min, spelt)) if alike else ()


def drivers_named(text: str, drivers: Catalogue) -> tuple[str, ...]:
    """The driver whose devices a text names by a product (`h100-80gb`), or by kind and maker (`nvidia-gpu`).

    A guess for remedies; none where several makers' drivers are named.
    """
    words = {*re.findall(r"[a-z]*[0-9]+[a-z0-9]*|[a-z]+", text.lower())}
    found = {each for each in drivers.names() if {*each.split(".")[:2]} <= words}
    marked = [
        word for word in sorted(words) if re.search("[a-z]", word) and re.search("[0-9]{2}", word)
    ]
    for name in drivers.names() if marked and not found else ():
        schema = drivers.get(name)
        entries = (a for k in schema.device_types for a in k.attributes.values()) if schema else ()
        known = [p for each in entries if each.products is not None for p in each.products.names]
        makers = (p.split()[0].lower() for word in marked for p in near_products(word, known)[:1])
        if any(maker in name for maker in makers):
            found.add(name)
    return tuple(found) if len(found) == 1 else ()


def class_named(text: str, drivers: Catalogue) -> str | None:
    """The class that the driver installs whose devices a text names; `mig` and the like choose among several."""
    words = {*re.findall("[a-z]+", text.lower())}
    text = f"gpu-{text}" if text.isalpha() else text  # the maker alone
    for driver in map(drivers.get, drivers_named(text, drivers)):
        names = [each.name for each in driver.classes] if driver is not None else []
        for own in sorted(names, key=lambda each: each in drivers.names()):
            if own.partition(".")[0] in words:
                return own
        return driver.name if driver is not None and driver.name in names else None
    return None


def class_to_add(name: str, help_: str, drivers: Catalogue) -> str:
    """The remedy of a class that is not there, where its name is that of a driver, else `help_`."""
    name = drivers.index().mistaken.get(name, name)
    driver = drivers.get(name) if name in drivers.names() else None
    if driver is None:
        return help_
    own = [each.name for each in driver.classes if each.by is None]
    if own:
        return f"write a class that the driver installs: {', '.join(own)}"
    return (
        f"add a DeviceClass of this name with selectors: [{{cel: {{expression: 'device.driver == \"{name}\"'}}}}], "
        "as the driver installs none"
    )


def _is_cut_off(words: Sequence[str], of: Sequence[str]) -> bool:
    """Whether the last word lacks its end, and those before it name the model: `H100 80GB HBM`."""
    whole, last = words[:-1], words[-1]
    numbers = [word for word in whole if not word.isalpha() and word not in _GENERATIONS]
    return (
        bool(numbers) and whole == of[: len(whole)] and "".join(of[len(whole) :]).startswith(last)
    )


def is_same_model(one: str, other: str) -> bool:
    """Whether the words with a number agree: they tell products and generations apart (v5e, v6e)."""
    models = [[w for w in _words(each) if not w.isalpha()] for each in (one, other)]
    bare = [re.sub(r"[^a-z0-9]", "", each.lower()) for each in (one, other)]
    return models[0] == models[1] or bare[0] == bare[1]


def written_parts(part: str, known: Iterable[str]) -> tuple[str, ...]:
    """How products spell what `part` says, apart from case and separators: `h100-80gb` is `H100 80GB`."""
    words = _words(part)
    if not words:
        return ()
    search = re.compile(r"[ _-]*".join(map(re.escape, words)), re.IGNORECASE)
    found = dict.fromkeys(found[0] for each in known if (found := search.search(each)))
    return () if part in found else tuple(found)


def _telling(words: Iterable[str]) -> list[str]:
    """The words that tell a product from others of its maker."""
    return [word for word in words if word not in _MAKERS | _GENERATIONS | _FILLERS]


@functools.lru_cache(2048)
def _words(text: str) -> Sequence[str]:
    """The words of a name; a number and its unit are one (`80 GB`)."""
    joined = re.sub(r"([0-9]) +(?=gb?\b)", r"\1", text.lower())
    return re.findall(r"[^ _\-\[\]()]+", joined)
