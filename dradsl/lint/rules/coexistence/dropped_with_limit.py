"""DRA908: what a chart or an operator does only for the limit, or no longer for the claim.

Which charts and operators do what is data: the recipes in dradsl/tree/charts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

from dradsl.diagnostics import FieldPath
from dradsl.lint.rules.coexistence.devices import classes_of, plugin_drivers
from dradsl.lint.rules.drivers.classes import drivers_of_class
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.triggers import CUSTOM, VALUES
from dradsl.lint.view.view import Run
from dradsl.text import mentions
from dradsl.tree.charts.recipes import Drop, Spot, recipes_of
from dradsl.tree.manifests.manifest import RESOURCE_GROUP, Manifest
from dradsl.tree.values.values import values_embedded, values_of
from dradsl.values.plain import mapping_at, member

CODE = "DRA908"
# Kubernetes' own kinds do nothing but what they say.
_PLAIN = frozenset({"", "apps", "batch", RESOURCE_GROUP})
# Kinds that may hold values of a chart: lint.values says where, if there are any.
_INSTALLERS = frozenset({"HelmRelease", "Application", "ApplicationSet"})
WORDS = ((*_INSTALLERS, "ConfigMap", CUSTOM, VALUES),)


def check(run: Run) -> Iterator[RuleFinding]:
    for manifest, spot in _spots(run):
        claim = _claim(spot)
        if claim is None:
            continue
        title = spot.recipe.title
        if not spot.place.carries_claims:
            yield RuleFinding(
                CODE,
                manifest,
                claim,
                f"{title} makes no pod with this claim: {spot.place.blocked}",
                on_key=True,
                help="leave the request for the extended resource in the values and migrate what "
                "the chart renders: dradsl migrate --post-render",
            )
            continue
        asked = _asked(spot)
        for drop in spot.place.drops:
            if _dropped(run, manifest, spot, drop, asked):
                without = f"without {_example(drop.while_[0])} in the limits" if drop.while_ else ""
                yield RuleFinding(
                    CODE,
                    manifest,
                    claim,
                    f"{title}: {without or 'with these values'} there is no {drop.what}",
                    on_key=True,
                    help=drop.instead,
                )


def _spots(run: Run) -> Iterator[tuple[Manifest, Spot]]:
    for manifest in _candidates(run):
        kind = manifest.kind if manifest.api_version else ""
        for recipe in recipes_of(kind, manifest.group):
            for spot in recipe.spots(kind, manifest.group, manifest.data):
                yield manifest, spot


def _candidates(run: Run) -> Iterator[Manifest]:
    """Values, and objects of operators, in files that mention claims at all."""
    speaking = {
        source.name: source
        for source in run.sources
        if mentions.CLAIM_VALUES.is_in(source.stream.text)
    }
    installing: set[str] = set()
    for manifest in run.of_other_groups(_PLAIN):
        if manifest.path in speaking:
            if manifest.kind in _INSTALLERS:
                installing.add(manifest.path)
            yield manifest
    for source in speaking.values():
        if source.stream.is_template:
            continue
        if "ConfigMap" in source.stream.text:
            yield from values_embedded(source)
        if source.holds_values or source.name in installing:
            yield from values_of(source)


def _claim(spot: Spot) -> FieldPath | None:
    """Where a place says that its pods have claims."""
    for key in spot.place.claimed_by:
        for path, value in spot.find(key):
            if value:
                return (*spot.path, *path)
    for path, container in spot.containers(spot.place.containers):
        if member(container, "resources", "claims"):
            return (*path, "resources", "claims")
    if spot.data.get("resourceClaims"):
        return (*spot.path, "resourceClaims")
    return None


def _asked(spot: Spot) -> dict[str, str]:
    """The extended resources in the limits of the place, and what a chart has in their stead."""
    found: dict[str, str] = {}
    for _, container in spot.containers(spot.place.containers):
        resources = mapping_at(container, "resources")
        for section in ("limits", "requests"):
            found |= {k: str(v) for k, v in mapping_at(resources, section).items() if "/" in k}
    for pair in spot.place.resources:
        for key in pair:
            for _, value in spot.find(key):
                found |= {k: str(v) for k, v in mapping_at(value).items() if "/" in k}
    for amount in spot.place.amounts:
        for _, value in spot.find(amount.key):
            found[amount.resource] = str(value)
    return found


def _dropped(
    run: Run, manifest: Manifest, spot: Spot, drop: Drop, asked: Mapping[str, str]
) -> bool:
    def present(key: str) -> bool:
        return any(value for _, value in spot.find(key))

    for name, amount in asked.items():
        if (drop.key or amount != "0") and any(fnmatchcase(name, each) for each in drop.while_):
            return False
    if any(map(present, drop.unless)) or not all(map(present, drop.having)):
        return False
    if not spot.agrees(drop.when):
        return False
    return not drop.while_ or _could_be(run, manifest, spot, drop)


def _could_be(run: Run, manifest: Manifest, spot: Spot, drop: Drop) -> bool:
    """Whether the claims can be for the devices that the limit was for.

    Claims of objects lie beside them as a rule: one that the run does not hold is not judged. Values
    name templates that other files of the chart bring.
    """
    drivers = {driver for name in drop.while_ for driver in plugin_drivers(run, _example(name))}
    found = False
    for name in _claim_names(spot.data):
        claim = next(
            (
                run.claim_of(meant)
                for kind in ("ResourceClaimTemplate", "ResourceClaim")
                if (meant := run.index.find(kind, name, manifest)) is not None
            ),
            None,
        )
        if claim is None:
            continue
        found = True
        if any(drivers_of_class(run, each) & drivers for each in classes_of(claim)):
            return True
    return not found and not manifest.api_version


def _example(pattern: str) -> str:
    """A resource that a pattern of recipes stands for."""
    return pattern.replace("*gpu", "nvidia.com/gpu").replace("mig-*", "mig-1g.5gb")


def _claim_names(value: object) -> Iterator[str]:
    """The claims and templates that are named anywhere below."""
    if isinstance(value, Mapping):
        for key in ("resourceClaimName", "resourceClaimTemplateName"):
            if isinstance(value.get(key), str):
                yield value[key]
        for item in value.values():
            yield from _claim_names(item)
    elif isinstance(value, list):
        for item in value:
            yield from _claim_names(item)
