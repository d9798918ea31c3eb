"""Opaque parameters as their driver decodes them: what their author wrote, under the names that there are."""

from __future__ import annotations

import copy

from dradsl.drivers.judge.config_facts import ConfigTypeMissing, UnknownConfigField
from dradsl.drivers.judge.configs import check_config
from dradsl.values.limits import ROUNDS_OF_PARAMETERS
from dradsl.values.plain import find_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dradsl.diagnostics import FieldPath
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.observations import Observation

__all__ = ["written_parameters"]


def written_parameters(
    driver: str, parameters: object, known: Catalogue
) -> tuple[Any, tuple[FieldPath, ...]]:
    """The parameters, and the paths in them of what the driver has no field for, which is left out."""
    written, left = {"parameters": copy.deepcopy(parameters)}, []
    for _ in range(ROUNDS_OF_PARAMETERS):
        for each in check_config(driver, written["parameters"], known):
            if _is_put_right(written, each):
                if each.instead is None and isinstance(each.facts, UnknownConfigField):
                    left.append(each.path[1:])
                break
        else:
            break
    return written["parameters"], tuple(left)


def _is_put_right(written: dict[str, Any], found: Observation) -> bool:
    """Whether one fault of the parameters has one answer, which is written."""
    if isinstance(found.facts, ConfigTypeMissing):
        version, _, kinds = found.facts.known[0].partition(", kind: ")
        own = {"apiVersion": version.partition(": ")[2], "kind": kinds.partition(" or ")[0]}
        written["parameters"] = {**own, **written["parameters"]}
        return True
    *above, name = found.path
    around = find_at(written, tuple(above))
    if not isinstance(around, dict) or name not in around:
        return False
    if not found.on_key and found.instead is not None:
        around[name] = found.instead
    elif found.on_key and (value := around.pop(name)) is not None and found.instead:
        around[found.instead] = value
    elif not around and len(above) > 1:  # an empty mapping asks for nothing
        find_at(written, tuple(above[:-1])).pop(above[-1])
    return found.on_key or found.instead is not None
