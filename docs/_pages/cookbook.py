"""The cookbook: a page for each recipe of `dradsl new`, made of its data and of what the command writes."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from docs._pages.cells import cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.scaffolding.writing import Scaffold

__all__ = ["cookbook_example", "cookbook_index", "cookbook_names", "cookbook_page"]


def cookbook_names() -> tuple[str, ...]:
    """The recipes, a page each."""
    from dradsl.scaffolding.recipes import recipe_names

    return recipe_names()


def cookbook_index() -> Iterator[str]:
    """What recipes there are."""
    from dradsl.scaffolding.recipes import recipe_named

    yield "# Cookbook\n"
    yield "Manifests to copy, for what people want most. [`dradsl new`](../new.md) writes each of them for your devices,"
    yield "and gives the claim to a workload that you have. The tests lint every manifest here for its releases of"
    yield "Kubernetes, and place it on recorded devices.\n"
    yield "| Recipe | What the pods get | Kubernetes |"
    yield "| --- | --- | --- |"
    for name in cookbook_names():
        recipe = recipe_named(name)
        yield f"| [{name}]({name}.md) | {cell(recipe['summary'])} | {recipe['since']}+ |"
    yield "\nFor a stack: [vLLM](../how-to/vllm.md), [KServe](../how-to/kserve.md), [Ray](../how-to/ray.md),"
    yield "[Kueue](../how-to/kueue.md).\n"


def cookbook_example(name: str) -> tuple[Scaffold, str, str]:
    """A recipe with the first values of its `try`: what writes it, the command, and its manifest."""
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.output import rendered_objects
    from dradsl.scaffolding.recipes import recipe_named
    from dradsl.scaffolding.writing import Scaffold

    recipe = recipe_named(name)
    given = {key: str(value) for key, value in recipe["try"][0]["set"].items()}
    scaffold = Scaffold(recipe, dict(given), Catalogue())
    words = "".join(f" --set {shlex.quote(f'{key}={value}')}" for key, value in given.items())
    manifest = rendered_objects([*scaffold.objects(), scaffold.workload()])
    return scaffold, f"dradsl new {name}{words}", manifest


def cookbook_page(name: str) -> Iterator[str]:
    """The page of a recipe."""
    scaffold, command, manifest = cookbook_example(name)
    recipe = scaffold.recipe
    yield f"# {name}: {recipe['summary']}\n"
    yield f"Kubernetes {recipe['since']} or newer.\n"
    yield f"{recipe['explain']}"
    yield "```sh"
    yield command
    yield f"{command} --for deploy.yaml   # for a workload that you have"
    yield "```\n"
    yield f"```yaml\n{manifest}```\n"
    yield "## Parameters\n"
    yield "| `--set` | What it is | Values |"
    yield "| --- | --- | --- |"
    for key, parameter in recipe["parameters"].items():
        what = parameter["what"] + ("; required" if "required" in parameter else "")
        yield f"| `{key}` | {cell(what)} | {_values(scaffold, key)} |"
    yield ""
    yield from _other_drivers(scaffold)
    yield "Every value is one that the schema of the driver has, or with `--slices` one that your devices publish.\n"


def _values(scaffold: Scaffold, key: str) -> str:
    parameter, offer = scaffold.recipe["parameters"][key], scaffold.offer(key)
    words = [f"default `{parameter['default']}`"] if "default" in parameter else []
    if parameter["type"] == "number":
        words.append(f"{parameter['least']} to {parameter['most']}")
    if offer is not None and offer.values:
        words.append(offer.words)
    meaning = offer.known.meaning if offer is not None and offer.known is not None else None
    return cell("; ".join([*words, *([meaning] if meaning else [])]))


def _other_drivers(scaffold: Scaffold) -> Iterator[str]:
    """The selectors for each other driver."""
    choices = scaffold.recipe["parameters"].get("driver", {}).get("choices", [])
    for driver in choices[1:]:
        scaffold.given = {"driver": driver}
        wanted = [
            key
            for key, parameter in scaffold.recipe["parameters"].items()
            if parameter["type"] in ("attribute", "capacity")
            and (offer := scaffold.offer(key)) is not None
            and offer.values
        ]
        for key in wanted:
            scaffold.given[key] = str(scaffold.offer(key).values[0])  # type: ignore[union-attr]
        expressions = list(_expressions(scaffold.objects()))
        if expressions:
            yield f"With `--set driver={driver}`, the selectors are such as:\n"
            yield "\n".join(["```text", *expressions, "```\n"])


def _expressions(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("expression"), str):
            yield value["expression"]
        for each in value.values():
            yield from _expressions(each)
    for each in value if isinstance(value, list) else ():
        yield from _expressions(each)
