"""The places in a text that name a device, and whether a request is there: patches, manifests, values, scripts.

Files without a use are searched for labels, tolerations and variables of the runtime too, so that "no use found" is not
read as "no GPU here".
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from dradsl.drivers.schema.device_plugin import find_labels
from dradsl.migrate.mapping.resource import is_device
from dradsl.migrate.places import is_extended
from dradsl.records import Record
from dradsl.text.documents import load
from dradsl.values.limits import MOST_LEVELS_OF_NAMES

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.text.paths import FieldPath
    from dradsl.tree.inputs.sources import SourceText

__all__ = [
    "FIGURES",
    "LABELS",
    "TextUse",
    "amounts_above",
    "asks_for_device",
    "device_keys",
    "indent_of",
    "is_condition",
    "names_device",
    "names_in",
    "only_figures",
    "text_uses",
    "texts_in",
]

# A resource's name, also as a JSON pointer has it (`nvidia.com~1gpu`, RFC 6901) and with dots that
# Helm's --set escapes (`limits.nvidia\.com/gpu`). It begins at the start of a word, so that no search is repeated.
_NAME = re.compile(
    r"(?<![A-Za-z0-9\\_-])(?<![A-Za-z0-9\\_-]\.)(?P<path>(?:[A-Za-z0-9_-]{1,63}\\?\.){1,40}[A-Za-z0-9-]{1,63})"
    r"(?P<slash>/|~1)(?P<name>[A-Za-z0-9][A-Za-z0-9._-]{0,62})"
)
_STEP = re.compile(r"(?<!\\)\.")
_SECTION = re.compile(r"(?:^|\.)(?:limits|requests)\.(?P<domain>[^/]+)$")
# The text after a name that gets an amount: `: 2`, `": "2"`, `=2`, `: {{ .n }}`, `: null`, `: GPUS`.
_AMOUNT = re.compile(
    r"""\\?["'\]]{0,2}[ \t]*(?P<sign>:|=(?!=))[ \t]*(?P<value>\\?["']?(?:[0-9$<{*&%@!]|\[\[|[A-Z]|null\b|~)[^\r\n#,}]*)"""
)
_ASKS_BEFORE = re.compile(
    r"""resources[.\]"']{1,3}\[?["']?(?:limits|requests)["'\]]{0,2}[.\[]\[?["']?$"""
)
# The position of a key that has an amount after a colon: prose has none there.
_KEY_BEFORE = re.compile(r"""(?:^|[\r\n]|[{,\[])[ \t-]*\\?["']?$""")
_COMMENT_LINE = re.compile(r"[ \t]*(?:#|//)")
# Fields that only report, such as the record that kubectl keeps.
_REPORTED = frozenset({"status", "kubectl.kubernetes.io/last-applied-configuration"})
LABELS = frozenset(
    {"labels", "annotations", "podLabels", "podAnnotations", "nodeSelector", "matchLabels"}
)
"""Fields whose keys may have the same name as a resource."""
FIGURES = frozenset({"thresholds", "targetThresholds"})
"""Tables of the descheduler: shares of a node's resources in percent, and no requests."""
_POLICIES = frozenset({"kyverno.io", "policies.kyverno.io"})
# Rules of Kyverno that write into objects; all others only look at them.
_WRITES = frozenset({"mutate", "generate", "mutateExisting", "mutations", "patchStrategicMerge"})


class TextUse(Record):
    """Where a text names a device: offsets in the text, and the text there. `asks` is False where it
    is only named."""

    start: int
    end: int
    text: str
    asks: bool


def texts_in(data: object, path: FieldPath = ()) -> Iterator[tuple[FieldPath, str]]:
    """Every text in plain data that may name a resource."""
    if isinstance(data, str):
        if "/" in data or "~1" in data:
            yield path, data
    elif len(path) > MOST_LEVELS_OF_NAMES:
        return
    elif isinstance(data, Mapping):
        for key, value in data.items():
            if key not in _REPORTED:
                yield from texts_in(value, (*path, key))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from texts_in(value, (*path, index))


def text_uses(text: str, catalogue: Catalogue) -> Iterator[TextUse]:
    """The devices that a text names outside its comments, in order."""
    for found in _NAME.finditer(text):
        resource, in_section = _resource(found)
        if not asks_for_device(resource, catalogue) or _in_comment(text, found.start()):
            continue
        if found["slash"] == "/" and text[found.start() - 1 : found.start()] == "/":
            continue  # part of an address
        amount = _AMOUNT.match(text, found.end())
        if found["slash"] == "~1":
            pointer = text[text.rfind("\n", 0, found.start()) + 1 : found.end()]
            begin = max(pointer.rfind(mark) for mark in " \t\"'=,[{")
            yield TextUse(found.start(), found.end(), pointer[begin + 1 :], True)
        elif amount is not None and ("=" in amount["sign"] or _is_key(text, found.start())):
            value = amount["value"].replace('\\"', '"').strip().strip("\"'")
            yield TextUse(found.start(), found.end(), f"{resource}: {value}", True)
        elif in_section or _ASKS_BEFORE.search(text, max(found.start() - 40, 0), found.start()):
            yield TextUse(found.start(), found.end(), found[0], True)
        else:
            yield TextUse(found.start(), found.end(), resource, False)


def amounts_above(lines: Sequence[str], number: int) -> int | None:
    """The line of the `limits` or `requests` that contain a line of a template."""
    indent = indent_of(lines[number])
    for at in range(number - 1, -1, -1):
        line = lines[at]
        stripped = line.strip()
        if not stripped or stripped.startswith(("#", "{{")) or indent_of(line) >= indent:
            continue
        return at if re.match(r"(limits|requests):\s*(#.*)?$", stripped) else None
    return None


def indent_of(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def is_condition(group: str, path: FieldPath) -> bool:
    """Whether what is at a path of an object only looks at the requests of others: a policy that writes none."""
    return group in _POLICIES and not any(step in _WRITES for step in path)


def only_figures(text: str, number: int, catalogue: Catalogue) -> bool:
    """Whether the `number` requests that a text seems to hold are all thresholds in percent."""
    if not any(key in text for key in FIGURES):
        return False
    found = [
        path
        for document in load(text.encode("utf-8", "replace")).documents
        for path, _ in device_keys(document.data, catalogue)
    ]
    return len(found) == number and all({*path[-2:-1]} & FIGURES for path in found)


def names_device(data: object, catalogue: Catalogue) -> bool:
    """Whether plain data has a device's resource as a key, or names one in a text."""
    if any(True for _ in device_keys(data, catalogue)):
        return True
    return any(True for _, text in texts_in(data) for use in text_uses(text, catalogue) if use.asks)


def device_keys(
    data: object, catalogue: Catalogue, path: FieldPath = ()
) -> Iterator[tuple[FieldPath, str]]:
    """The keys in plain data that are a device's resource with an amount, or with null: the paths, and
    the text there."""
    if len(path) > MOST_LEVELS_OF_NAMES:
        return
    if isinstance(data, Mapping):
        for key, value in data.items():
            if key in _REPORTED or key in LABELS:
                continue
            if value is None or (isinstance(value, int | float | str) and value != ""):
                if isinstance(key, str) and "/" in key and asks_for_device(key, catalogue):
                    yield (*path, key), f"{key}: {'null' if value is None else value}"
            else:
                yield from device_keys(value, catalogue, (*path, key))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from device_keys(value, catalogue, (*path, index))


def _resource(found: re.Match[str]) -> tuple[str, bool]:
    """The resource's name, and whether the text has it in limits or requests."""
    path, name = found["path"], found["name"].rstrip(".")
    if "\\" in path:  # a name with escaped dots is one step of the path
        steps = _STEP.split(path)
        domain = steps[-1].replace("\\", "")
        return f"{domain}/{name}", len(steps) > 1 and steps[-2] in ("limits", "requests")
    section = _SECTION.search(path)
    if section is not None and "resources." in path:
        return f"{section['domain']}/{name}", True
    return f"{path}/{name}", False


@functools.lru_cache(maxsize=4096)
def asks_for_device(resource: str, catalogue: Catalogue) -> bool:
    """Whether a resource is an extended one whose name is known to stand for devices."""
    return is_extended(resource) and is_device(resource, catalogue)


def _is_key(text: str, position: int) -> bool:
    before = _KEY_BEFORE.search(text, max(position - 200, 0), position)
    return before is not None and ("," not in before[0] or "\n" in text or "{" in text)


def _in_comment(text: str, position: int) -> bool:
    start = text.rfind("\n", 0, position) + 1
    if _COMMENT_LINE.match(text, start):
        return True
    return " #" in text[start:position] or "\t#" in text[start:position]


# Labels of nodes whose names show that they describe devices: of feature discovery, GKE, EKS and Karpenter.
_LABEL = re.compile(
    r"(?<![\w./~-])(?:(?P<own>[a-z0-9.-]+/[A-Za-z0-9._-]+)"
    r"|(?P<runtime>NVIDIA_VISIBLE_DEVICES|runtimeClassName:[ \t]*[\"']?nvidia\b))"
)
_LABELS = re.compile(
    r"nvidia\.com/(?:gpu|mig|cuda|vgpu|gfd)[.-].+|amd\.com/gpu\..+|gpu\.intel\.com/.+"
    r"|cloud\.google\.com/gke-(?:accelerator|gpu|tpu).*|k8s\.amazonaws\.com/accelerator"
    r"|karpenter\.k8s\.aws/instance-(?:gpu|accelerator)-.+"
)
_COMMENT = re.compile(r"(?:^|[ \t])#")


# Numbers of GPUs in the words of other programs: OSMO, SkyPilot, dstack, values of charts.
_OWN_WORDS = re.compile(
    r"^[ \t-]*((?:num_?|n_?)?(?:gpus?|accelerators)(?:_?count)?:[ \t]*(?![0{\[]|false\b|null\b|true\b)[\w\"'].*?)[ \t]*(?:#.*)?$",
    re.MULTILINE | re.IGNORECASE,
)


def names_in(
    sources: Iterable[SourceText], told: Container[str], catalogue: Catalogue
) -> Iterator[str]:
    """Sentences on what names devices, each with file and line; every name once a file. Of files whose uses are `told`
    only the numbers of devices in other words."""
    for source in sources:
        text = source.stream.text
        quiet = "" if source.name in told else text
        found: dict[str, str] = {}
        for use in text_uses(quiet, catalogue):
            line = text.count("\n", 0, use.start) + 1
            name = use.text.partition(":")[0].replace("~1", "/")
            found.setdefault(name, f"{source.name}:{line} names {name}")
        for number, line_text in enumerate(quiet.splitlines(), start=1):
            if "/" not in line_text and "nvidia" not in line_text.lower():
                continue
            comment = _COMMENT.search(line_text)
            end = comment.start() if comment is not None else len(line_text)
            for match in _LABEL.finditer(line_text, 0, end):
                name = match["own"] or match["runtime"]
                counted = name.removeprefix("requests.").removeprefix("limits.")  # by quotas
                is_label = _LABELS.fullmatch(name) is not None or bool(find_labels(name, catalogue))
                if match["own"] and is_label:
                    found.setdefault(name, f"{source.name}:{number} names the node label {name}")
                elif match["runtime"] or (counted != name and is_device(counted, catalogue)):
                    found.setdefault(name, f"{source.name}:{number} names {name}")
        for document in source.stream.documents:
            if isinstance(document.data, dict) and "kind" not in document.data:
                for own in _OWN_WORDS.finditer(text, document.start, document.end):
                    line = text.count("\n", 0, own.start(1)) + 1
                    said = f"{source.name}:{line} has {own[1]}, which is no request of a pod here: a chart or another program reads it"
                    found.setdefault(own[1], said)
        yield from found.values()
