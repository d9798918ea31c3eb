"""Real inputs with lines lost, doubled and broken: an answer always, and one that holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings, strategies as st

from dradsl.cli.migrate import command
from dradsl.lint.engine.run import lint_text
from dradsl.lint.settings.config import LintConfig
from dradsl.text.render import render_block
from dradsl.tree.charts.recipes import shipped_recipes
from tests.migrate import test_recipes as recipes
from tests.migrate.runs import INPUTS, run

SMALL = [path.read_text(encoding="utf-8") for path in INPUTS if path.stat().st_size < 3000]
OLLAMA = recipes.OLLAMA.format(type="nvidia", mig="true")
SMALL += [
    recipes.KSERVE,
    recipes.KUBERAY,
    recipes.NIM,
    recipes.STACK,
    recipes.FLUX,
    recipes.ARGO_CD,
]
SMALL += [recipes.llm_d(), recipes.llm_d(limit="nvidia.com/gpu: 8"), OLLAMA]
VALUES = ['"2"', "0", "1.5", "null", "{}", "[]", "x", "*a", "&a 1", "|", "{{ .Values.x }}"]
CONFIG = LintConfig(root=Path.cwd())
ANSWERS: list[dict[str, object]] = [
    {},
    {"sharing": "consumable-shares", "init-containers": "separate"},
    {"mig-strategy": "single", "mig-profile": "1g.5gb", "visible-devices": "remove"},
    {"fraction-driver": "hami"},
]


@st.composite
def broken(draw: st.DrawFn) -> str:
    lines = draw(st.sampled_from(SMALL)).splitlines()
    for _ in range(draw(st.integers(1, 4))):
        index = draw(st.integers(0, len(lines) - 1))
        kind = draw(st.integers(0, 3))
        if kind == 0 and len(lines) > 1:
            del lines[index]
        elif kind == 1:
            lines.insert(index, draw(st.sampled_from(lines)))
        elif kind == 2:
            lines[index] = f" {lines[index]}"
        else:
            lines[index] = f"{lines[index].split(':')[0]}: {draw(st.sampled_from(VALUES))}"
    return "\n".join(lines)


@settings(max_examples=60, deadline=None)
@given(broken(), st.sampled_from(ANSWERS), st.sampled_from(["claims", "extended-resource"]))
def test_broken_inputs(text: str, answers: dict[str, object], strategy: str) -> None:
    migration = run(text, answers={**answers, "strategy": strategy})
    assert migration.faults == ()
    (file,) = migration.files
    again = run(file.text, answers={**answers, "strategy": strategy})
    assert again.files[0].text == file.text


def _words() -> list[str]:
    """The keys that recipes look for, and what is beside them."""
    found = {"nvidia.com/gpu", "limits", "requests", "claims", "resourceClaims", "name", "image"}
    for recipe in shipped_recipes():
        patterns = [*recipe.values]
        for place in recipe.places:
            patterns += [place.at, *place.containers, *place.enabled_by, *place.claimed_by]
            patterns += [amount.key for amount in place.amounts]
            patterns += [key for key, _ in (*place.when, *place.blocked_if)]
            patterns += [key for pair in place.resources for key in pair]
        found.update(
            word for each in patterns for word in each.strip("/").split(".") if word != "*"
        )
    return sorted(found - {""})


WORDS = _words()
LEAVES = st.sampled_from(
    [1, 2, 0, 1.5, "2", "x", "nvidia", "amd.com/gpu", True, False, None, "{{ a }}"]
)
TREES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=4)
    ),
    max_leaves=25,
)
HEADS = st.sampled_from(
    [
        {},
        *(
            {"apiVersion": f"{kind.partition('.')[2]}/v1", "kind": kind.partition(".")[0]}
            for recipe in shipped_recipes()
            for kind in sorted(recipe.kinds)
        ),
        {"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease"},
    ]
)


@settings(max_examples=150, deadline=None)
@given(HEADS, st.dictionaries(st.sampled_from([*WORDS, "spec", "metadata"]), TREES, max_size=6))
def test_values_and_objects_in_the_words_of_recipes(
    head: dict[str, object], body: dict[str, object]
) -> None:
    """Whatever is where a recipe looks: an answer, one that holds, and lint has one too."""
    text = render_block({**head, **body}) + "\n" if head or body else "{}\n"
    migration = run(text, "values.yaml")
    (file,) = migration.files
    assert migration.faults == ()
    assert run(file.text, "values.yaml").files[0].text == file.text
    lint_text(text, "values.yaml", CONFIG)


@pytest.mark.parametrize("amount", ["1e1999", "1e9991", "-1e9991", "1e-9991", "0e9991"])
def test_an_amount_too_large_to_write_out_is_no_count(amount: str, tmp_path: Path) -> None:
    """A quantity may have an exponent that no exact number can be made of."""
    path = tmp_path / "values.yaml"
    path.write_text(f"/: {amount}\n")
    assert "internal error" not in CliRunner().invoke(command, ["--scan", str(path)]).output
