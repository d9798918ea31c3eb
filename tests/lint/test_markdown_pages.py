"""Fenced manifests in Markdown: found at their place in the page, fixed and ignored there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dradsl.text.fences import split_page
from tests.lint.trees import BAD, GOOD, as_json, lint, places, write

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def indented(text: str, by: str) -> str:
    return "".join(f"{by}{line}" for line in text.splitlines(keepends=True))


PAGE = f"""\
# Claims

```yaml title="a"
{BAD}---
{GOOD}```

1. A list:

   - in a list

     ~~~~yml
{indented(BAD, "     ")}     --- # the next one
{indented(BAD, "     ")}     ~~~~

- ```json
  {{"apiVersion": "resource.k8s.io/v1beta1", "kind": "ResourceClaim",
   "metadata": {{"name": "x", "namespace": "ml"}}, "spec": {{"devics": {{}}}}}}
  ```

Text: `kind: ResourceClaim`.
"""


MISSPELT = ("deviceClassNam:", '"devics"')


def test_places(tmp_path: Path) -> None:
    write(tmp_path, {"page.md": PAGE})
    expected = [
        (number, line.find(word) + 1)
        for number, line in enumerate(PAGE.splitlines(), 1)
        for word in MISSPELT
        if word in line
    ]
    assert len(expected) == 4
    found = [(line, column) for _, line, column, code in places("page.md") if code == "DRA005"]
    assert found == expected
    report = as_json("page.md")
    assert report["summary"]["documents"] == 5
    assert report["findings"][0]["object"]["name"] == "gpu"


def test_fixes(tmp_path: Path) -> None:
    flat = GOOD.replace(
        "      exactly: {deviceClassName: gpu.nvidia.com}\n", "      deviceClassName: x\n"
    )
    page = f"- item\n\n  ```yaml\n{indented(flat, '  ')}  ```\n\ndeviceClassName: x\n"
    write(tmp_path, {"page.md": page})
    assert "fixed 1 finding in 1 file\n" in lint("--fix", "page.md").stderr
    after = (tmp_path / "page.md").read_text()
    nested = "      exactly:\n        deviceClassName: x\n"
    assert after == page.replace("        deviceClassName: x\n", indented(nested, "  "), 1)
    assert as_json("page.md")["summary"]["errors"] == 0


def test_ignores(tmp_path: Path) -> None:
    ignored = BAD.replace("    - name: gpu\n", "    - name: gpu\n      # dradsl: ignore[DRA005]\n")
    prose = "Write `# dradsl: ignore[DRA301]` or `// dradsl: ignore[DRA201]`.\n"
    page = f"{prose}\n```sh\n# dradsl: ignore[DRA301]\n```\n\n```yaml\n{ignored}```\n"
    write(tmp_path, {"page.md": page})
    assert places("page.md") == []
    write(
        tmp_path, {"page.md": page.replace("# dradsl: ignore[DRA005]", "# dradsl: ignore[DRA006]")}
    )
    assert {code for *_, code in places("page.md")} == {"DRA005", "DRA010"}


@pytest.mark.parametrize(
    ("before", "codes"),
    [
        ("<!-- dradsl: ignore[DRA005] -->\n", []),
        ("<!-- dradsl: ignore[DRA005] shows what is wrong -->\n\n", []),
        ("<!-- dradsl: ignore-file[unknown-field] -->\ntext\n\n", []),
        ("<!-- dradsl: ignore[DRA006] -->\n", ["DRA010", "DRA005", "DRA005"]),
        ("<!-- dradsl: ignore[DRA005] -->\ntext\n\n", ["DRA010", "DRA005", "DRA005"]),
        ("<!-- dradsl: ignore -->\n", ["DRA010", "DRA005", "DRA005"]),
        ("<!-- dradsl: ignore[DRA005]\n-->\n", ["DRA005", "DRA005"]),
    ],
)
def test_a_comment_of_html_speaks_for_the_next_block(
    tmp_path: Path, before: str, codes: list[str]
) -> None:
    block = f"```yaml\n---\n{BAD}---\n{BAD}```\n"
    write(tmp_path, {"page.md": f"{before}{block}\n~~~text\n~~~\n"})
    assert [code for *_, code in places("page.md")] == codes
    write(tmp_path, {"page.md": f"{before}{block}\n{block}"})
    more = [] if "ignore-file" in before else ["DRA005", "DRA005"]
    assert [code for *_, code in places("page.md")] == [*codes, *more]


@pytest.mark.parametrize(
    "fragment",
    [
        "spec: {devices: {requests: 7}}\n",
        "kind: ResourceClaim\nspec: {}\n",
        "resources:\n  claims: [{name: x}]\n",
        "- name: gpu\n  resourceClaimName: 7\n",
        "a: [\n",
        "a: 1\na: 2\n",
        "just text\n",
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nspec:\n  ...\n",
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\n# ...\n",
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nspec: {devices: ...}\n",
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nspec:\n  requests: […]\n",
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata:\n  name: <your-name>\n",
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {{ toYaml . }}\n",
    ],
)
def test_parts_of_objects_are_left_alone(tmp_path: Path, fragment: str) -> None:
    write(tmp_path, {"page.md": f"```yaml\n{fragment}```\n"})
    assert places("page.md") == []


def test_a_whole_object_that_is_no_yaml(tmp_path: Path) -> None:
    broken = BAD.replace("metadata: {", "metadata: [")
    write(tmp_path, {"page.md": f"```yaml\n{broken}---\n{BAD}```\n"})
    assert [(line, code) for _, line, _, code in places("page.md")] == [
        (4, "DRA001"),
        (18, "DRA005"),
    ]


@pytest.mark.parametrize(
    "page",
    [
        f"```\n{BAD}```\n",
        f"```python\n{BAD}```\n",
        f"```yaml-ish\n{BAD}```\n",
        f"```yaml\n{BAD}",  # nobody closes it
        f"```yaml\n{BAD}~~~\n",
        f"````yaml\n{BAD}```\n",
        f"```yaml `x`\n{BAD}\n",
        f"<!--\n```yaml\n{BAD}```\n-->\n",
        f"<!-- ```yaml\n{BAD}```\n",
        f"````md\n```yaml\n{BAD}```\n````\n",
        f"\t```yaml\n{BAD}\t```\n",
        BAD,
        "",
        "```",
        "```yaml",
        "```yaml\n```",
    ],
)
def test_what_is_no_fenced_yaml(tmp_path: Path, page: str) -> None:
    write(tmp_path, {"page.md": page})
    assert places("page.md") == []


def test_a_template_on_a_page_hides_nothing_else(tmp_path: Path) -> None:
    template = "apiVersion: v1\nkind: Pod\nmetadata: {{ .Values.x }}\n"
    broken = BAD.replace("metadata: {", "metadata: [")
    fences = "\n".join(f"```yaml\n{text}```\n" for text in (template, "a: [\n", broken, BAD))
    write(tmp_path, {"page.md": fences})
    assert [code for *_, code in places("page.md")] == ["DRA001", "DRA005"]
    assert "note: 1 document is a template, not judged: page.md\n" in lint("page.md").stdout


@pytest.mark.parametrize(
    "page",
    [
        f"``` yaml\n{BAD}```\n",
        f"```YAML\n{BAD}``````\n",
        f"```{{.yaml .numbers}}\n{BAD}```\n",
        f"``` {{ .yml }}\n{BAD}```\n",
        f"   ```yaml\n{BAD}   ```\n",
        f"```yaml\r\n{BAD}```\r\n".replace("\n", "\r\n").replace("\r\r", "\r"),
        f"<!-- a --> b\n\n```yaml\n{BAD}```\n",
        f"text ```yaml`` text\n\n```yaml\n{BAD}```\n",
    ],
)
def test_what_is(tmp_path: Path, page: str) -> None:
    write(tmp_path, {"page.markdown": page})
    assert [code for *_, code in places("page.markdown")] == ["DRA005"]


def test_references_within_a_page(tmp_path: Path) -> None:
    pod = (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: ml}\nspec:\n  containers:\n"
        "  - {name: c, image: x, resources: {claims: [{name: g, request: gpus}]}}\n"
        "  resourceClaims: [{name: g, resourceClaimName: gpu}]\n"
    )
    write(tmp_path, {"page.md": f"```yaml\n{GOOD}```\n\nand\n\n```yaml\n{pod}```\n"})
    assert [(line, code) for _, line, _, code in places("page.md")] == [(20, "DRA414")]


def test_many_fences() -> None:
    page = "```yaml\na: 1\n```\n" * 10_000
    assert sum(1 for _ in split_page(page)) == 10_000
    assert sum(1 for _ in split_page("```yaml\n" * 10_000)) == 0
    assert sum(1 for _ in split_page("```yaml\n---\n---\n" + "a\n---\n" * 10_000 + "```")) == 10_000
    assert not list(split_page("<!--" * 100_000 + "```yaml\n" + " " * 100_000))
    assert not list(split_page("- " * 100_000 + "```yaml\n" + "`" * 100_000))


POD = """\
apiVersion: {version}
kind: Pod
metadata: {{name: p}}
spec:
  containers: [{{name: c, resources: {{claims: [{{name: gpus}}]}}}}]
  resourceClaims: [{{name: gpu, resourceClaimName: a}}]
"""


def test_a_page_leaves_out_images_and_a_manifest_does_not(tmp_path: Path) -> None:
    text = POD.format(version="v1")
    write(tmp_path, {"page.md": f"```yaml\n{text}```\n", "pod.yaml": text})
    assert "DRA408" in {each[-1] for each in places("pod.yaml")}
    found = {each[-1] for each in places("page.md")}
    assert "DRA403" in found
    assert "DRA408" not in found


@pytest.mark.parametrize("left_out", ['{"...": "..."}', '"..."', "{'…': 1}"])
def test_what_is_left_out_in_quotes_is_left_out(left_out: str, tmp_path: Path) -> None:
    block = f"```yaml\n{BAD}metadata_of_a_page: {left_out}\n```\n"
    assert list(split_page(block)) == []


@pytest.mark.parametrize(("line", "judged"), [("${LIMITS}", False), ("  x: [", True)])
def test_a_variable_for_whole_lines_makes_a_template(
    line: str, judged: bool, tmp_path: Path
) -> None:
    text = f"apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n{line}\n  namespace: ml\nspec:\n  resourceClaims: []\n"
    write(tmp_path, {"pod.yaml": text})
    assert bool(places("pod.yaml")) is judged


def test_a_page_is_read_as_a_page_again_once_a_version_is_replaced(tmp_path: Path) -> None:
    text = (
        "```yaml\napiVersion: resource.k8s.io/v1alpha3\nkind: ResourceClaimTemplate\nmetadata: {name: t}\n"
        "spec: {spec: {devices: {requests: [{name: gpu, deviceClassName: gpu.nvidia.com, count: 0}]}}}\n---\n"
        + "---\n".join(
            POD.format(version="v1")
            .replace("resourceClaimName: a", "resourceClaimTemplateName: t")
            .replace("gpus", "gpu")
            .replace("{name: p}", f"{{name: {name}}}")
            for name in "pqr"
        )
        + "```\n"
    )
    write(tmp_path, {"page.md": text})
    assert [each[-1] for each in places("page.md")] == ["DRA501", "DRA317"]
