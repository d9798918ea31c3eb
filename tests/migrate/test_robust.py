"""Real inputs with lines lost, doubled and broken: an answer always, and one that holds."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.migrate.runs import INPUTS, run

SMALL = [path.read_text(encoding="utf-8") for path in INPUTS if path.stat().st_size < 3000]
VALUES = ['"2"', "0", "1.5", "null", "{}", "[]", "x", "*a", "&a 1", "|", "{{ .Values.x }}"]
ANSWERS: list[dict[str, object]] = [
    {},
    {"sharing": "consumable-shares", "init-containers": "separate"},
    {"mig-strategy": "single", "mig-profile": "1g.5gb", "visible-devices": "remove"},
    {"fraction-driver": "hami", "operator": "standalone"},
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
    migration = run(text, answers=answers, strategy=strategy)
    assert migration.faults == ()
    (file,) = migration.files
    again = run(file.text, answers=answers, strategy=strategy)
    assert again.files[0].text == file.text
