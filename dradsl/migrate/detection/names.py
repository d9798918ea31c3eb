"""Where files name devices without a request for one: labels, tolerations, variables of the runtime.

They are searched in files without a use, so that "no use found" is not read as "no GPU here".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dradsl.drivers.schema.device_plugin import find_labels
from dradsl.migrate.detection.texts import text_uses
from dradsl.migrate.mapping.resource import is_device

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.tree.inputs.sources import SourceText

__all__ = ["names_in"]

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


def names_in(sources: Iterable[SourceText], catalogue: Catalogue) -> Iterator[str]:
    """Sentences on what names devices, each with file and line; every name once a file."""
    for source in sources:
        text = source.stream.text
        found: dict[str, str] = {}
        for use in text_uses(text, catalogue):
            line = text.count("\n", 0, use.start) + 1
            name = use.text.partition(":")[0].replace("~1", "/")
            found.setdefault(name, f"{source.name}:{line} names {name}")
        for number, line_text in enumerate(text.splitlines(), start=1):
            if "/" not in line_text and "nvidia" not in line_text.lower():
                continue
            comment = _COMMENT.search(line_text)
            end = comment.start() if comment is not None else len(line_text)
            for match in _LABEL.finditer(line_text, 0, end):
                name = match["own"] or match["runtime"]
                counted = name.removeprefix("requests.").removeprefix("limits.")  # by quotas
                if match["own"] and _is_label(name, catalogue):
                    found.setdefault(name, f"{source.name}:{number} names the node label {name}")
                elif match["runtime"] or (counted != name and is_device(counted, catalogue)):
                    found.setdefault(name, f"{source.name}:{number} names {name}")
        yield from found.values()


def _is_label(name: str, catalogue: Catalogue) -> bool:
    return _LABELS.fullmatch(name) is not None or bool(find_labels(name, catalogue))
