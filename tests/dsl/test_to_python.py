"""`dradsl to-python`: the module that it writes builds the same objects."""

from __future__ import annotations

import ast
import importlib.util
import re
import shutil
import subprocess
import warnings
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings

from dradsl import (
    App,
    Config,
    DeviceClass,
    Expression,
    FirstAvailable,
    Manifest,
    Opaque,
    Request,
    ResourceClaim,
    distinct,
    from_yaml,
    same,
)
from dradsl.cli.to_python import command
from dradsl.devices.nvidia import gpu
from dradsl.drivers.schema.catalogue import Catalogue
from dradsl.dsl.data.fragment import ManifestError
from dradsl.dsl.expressions.expression import facts_where, to_cel
from dradsl.dsl.expressions.nodes import Is
from dradsl.dsl.expressions.recognise import recognise
from dradsl.dsl.expressions.render import render
from dradsl.dsl.expressions.same import same_cel
from dradsl.dsl.generate.python_text import statement
from dradsl.dsl.generate.selector_text import SelectorText
from dradsl.dsl.generate.to_python import to_python
from tests.dsl.test_objects import everything
from tests.dsl.worlds import Big, Meaning, big, expressions

ROOT = Path(__file__).parents[2]
SAMPLES = Path(__file__).parent / "samples"


def rebuilt(source: str) -> list[Manifest]:
    """What the app of a module builds."""
    namespace: dict[str, Any] = {"__name__": "written"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        exec(compile(source, "written.py", "exec"), namespace)
    app = namespace["app"]
    assert isinstance(app, App)
    return list(app.objects)


def samples() -> list[Path]:
    files = [*SAMPLES.glob("*.yaml"), *(ROOT / "examples" / "manifests").rglob("*.yaml")]
    files += (Path(__file__).parent / "golden").glob("*.yaml")
    return sorted(files)


@pytest.mark.parametrize("path", samples(), ids=lambda path: path.name)
def test_the_same_objects_are_built(path: Path) -> None:
    objects = from_yaml(path.read_text(encoding="utf-8"))
    once = rebuilt(to_python(objects))
    for again in (once, rebuilt(to_python(once))):
        assert sorted(map(str, (one.to_dict() for one in again))) == sorted(
            map(str, (one.to_dict() for one in objects))
        )


# Those that are whole objects; some recordings are a few devices only.
RECORDED = [
    path
    for path in sorted((ROOT / "tests" / "drivers" / "data" / "slices").glob("*.yaml"))
    if "\napiVersion:" in f"\n{path.read_text(encoding='utf-8')}"
]


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.name)
def test_recorded_slices_are_given_back(path: Path) -> None:
    """Real ResourceSlices, as drivers published them: YAML to Python to YAML."""
    objects = from_yaml(path.read_text(encoding="utf-8"))
    as_yaml = from_yaml("---\n".join(obj.to_yaml() for obj in objects))
    assert [obj.to_dict() for obj in as_yaml] == [obj.to_dict() for obj in objects]
    try:
        source = to_python(objects)
    except ManifestError:
        return  # one name twice: no app can hold that
    assert [obj.to_dict() for obj in rebuilt(source)] == [obj.to_dict() for obj in objects]


def test_every_argument_of_every_object() -> None:
    again = rebuilt(to_python(everything()))
    assert sorted(map(repr, again)) == sorted(map(repr, everything()))
    assert all(one in again for one in everything())


def test_rewritten_cel_says_the_same() -> None:
    for path in samples():
        objects = from_yaml(path.read_text(encoding="utf-8"))
        again = {repr(one): one for one in rebuilt(without_old_spelling(to_python(objects)))}
        for one in objects:
            for ours, theirs in zip(_cels(one), _cels(again[repr(one)]), strict=True):
                assert same_cel(ours, theirs)


def without_old_spelling(source: str) -> str:
    """The module without the texts that keep quotes and spaces as they were."""

    class Dropping(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.AST:
            self.generic_visit(node)
            if isinstance(node.func, ast.Attribute) and node.func.attr == "spelled":
                return node.func.value
            return node

    return str(ast.unparse(Dropping().visit(ast.parse(source))))


def _cels(obj: Manifest) -> list[str]:
    def walk(value: Any) -> list[str]:
        if isinstance(value, dict):
            own = [value["cel"]["expression"]] if "cel" in value else []
            return own + [text for item in value.values() for text in walk(item)]
        return [text for item in value for text in walk(item)] if isinstance(value, list) else []

    return walk(obj.to_dict())


A = 'device.attributes["gpu.nvidia.com"]'


@pytest.mark.parametrize(
    ("cel", "python"),
    [
        (f'{A}.productName == "x"', 'gpu.productName == "x"'),
        ("device.attributes['gpu.nvidia.com']['productName']=='x'", 'gpu.productName == "x"'),
        (f'{A}.addressingMode == "HMM"', 'gpu.addressingMode.unguarded == "HMM"'),
        (
            f'has({A}.addressingMode) && {A}.addressingMode == "HMM"',
            'gpu.addressingMode == "HMM"',
        ),
        (f"has({A}.addressingMode)", "gpu.addressingMode.exists()"),
        (f'!({A}.productName in ["x", "y"])', '~gpu.productName.in_(["x", "y"])'),
        (
            f'{A}.driverVersion.compareTo(semver("550.0.0")) >= 0',
            'gpu.driverVersion >= "550.0.0"',
        ),
        (
            'device.capacity["gpu.nvidia.com"].memory.isGreaterThan(quantity("40Gi"))',
            'gpu.memory.unguarded > "40Gi"',
        ),
        # what a handle would not take, or not say so, stays text
        (f'{A}.architecture == "hopper"', f"'{A}.architecture == \"hopper\"'"),
        (
            f'{A}.driverVersion.isLessThan(semver("v1", true))',
            f"'{A}.driverVersion.isLessThan(semver(\"v1\", true))'",
        ),
    ],
)
def test_words_for_selectors(cel: str, python: str) -> None:
    words = SelectorText(Catalogue())
    code, [made] = words.select([cel], (), "gpu.nvidia.com")
    assert code is not None
    assert without_old_spelling(statement(code)) == ast.unparse(ast.parse(python))
    assert same_cel(render(made, known=facts_where(gpu)), cel)


def test_configurations_and_constraints_are_typed() -> None:
    config = {
        "apiVersion": "resource.nvidia.com/v1beta1",
        "kind": "GpuConfig",
        "sharing": {"strategy": "TimeSlicing", "timeSlicingConfig": {"interval": "Long"}},
    }
    unknown = {**config, "sharing": {"strategy": "TimeSlicing", "interval": "Long"}}
    claim = ResourceClaim(
        "c",
        requests=[r := Request("r", "gpu.nvidia.com")],
        constraints=[
            same("resource.kubernetes.io/pcieRoot", r),
            distinct("gpu.nvidia.com/uuid", r),
            same("example.com/rack"),
        ],
        configs=[Opaque("gpu.nvidia.com", config), Opaque("gpu.nvidia.com", unknown)],
    )
    source = to_python([claim])
    assert "from dradsl.devices.nvidia import GpuConfig, TimeSlicing, gpu\n" in source
    assert 'GpuConfig(sharing=TimeSlicing(interval="Long"))' in source
    assert "same(gpu.pcieRoot, r)" in source
    assert "distinct(gpu.uuid, r)" in source
    assert 'same("example.com/rack")' in source
    assert source.count("Opaque(") == 1
    assert rebuilt(source) == [claim]


def test_equal_requests_are_referred_to_as_those_of_the_claim() -> None:
    claim = ResourceClaim(
        "c",
        requests=[
            Request("a", "x.example.com"),
            FirstAvailable("b", big := Request("big", "x.example.com"), Request("s", "y")),
            FirstAvailable("d", Request("big", "x.example.com")),
        ],
        constraints=[
            same("example.com/rack", Request("a", "x.example.com"), Request("s", "y"), "d"),
            distinct("example.com/port", big),
        ],
        configs=[Config(Opaque("d.example.com", {}), Request("a", "x.example.com"))],
    )
    assert claim.to_dict()["spec"]["devices"]["constraints"] == [
        {"requests": ["a", "b/s", "d"], "matchAttribute": "example.com/rack"},
        {"requests": ["b/big"], "distinctAttribute": "example.com/port"},
    ]
    source = to_python([claim])
    assert source.count(":=") == 3
    assert rebuilt(source) == [claim]


def test_cel_text_is_kept_beside_the_handles() -> None:
    text = "device.attributes['gpu.nvidia.com'].type=='gpu'"
    source = to_python([DeviceClass("a", select=f"device.driver == 'gpu.nvidia.com' && {text}")])
    assert "from dradsl.devices.nvidia import gpu\n" in source
    assert "select=gpu.spelled(" in source
    [again] = rebuilt(source)
    assert _cels(again) == [f"device.driver == 'gpu.nvidia.com' && {text}"]


def test_a_class_in_the_file_is_named_and_spares_guards() -> None:
    text = (
        "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: big-gpu}\n"
        'spec: {selectors: [{cel: {expression: \'device.driver == "gpu.nvidia.com" && '
        f'{A}.type == "gpu"\'}}}}]}}\n---\n'
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c}\n"
        "spec: {devices: {requests: [{name: r, exactly: {deviceClassName: big-gpu, "
        f"selectors: [{{cel: {{expression: '{A}.uuid == \"GPU-1\"'}}}}]}}}}]}}}}\n"
    )
    source = to_python(from_yaml(text))
    assert source.count("gpu.spelled(") == 1
    assert "big_gpu = app.add(" in source
    assert 'Request("r", big_gpu, select=gpu.uuid == "GPU-1")' in source


def test_names_do_not_clash() -> None:
    """A request called `gpu`, a class called `gpu`, and handles called `gpu` of two drivers."""
    both = ["gpu.nvidia.com", "gpu.intel.com"]
    objects: list[Manifest] = [
        DeviceClass("gpu", select=f'device.driver == "{both[0]}" && {A}.type == "gpu"'),
        DeviceClass("app", select=f'device.driver == "{both[1]}"'),
    ]
    claim = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c}\nspec:\n  \
devices:\n    requests: [{name: gpu, exactly: {deviceClassName: gpu}}]\n    constraints: \
[{requests: [gpu], matchAttribute: a.io/b}]\n"
    objects += from_yaml(claim)
    source = to_python(objects)
    assert "gpu as nvidia_gpu" in source
    assert "gpu as intel_gpu" in source
    assert [one.to_dict() for one in rebuilt(source)] == [one.to_dict() for one in objects]


@settings(max_examples=150, deadline=None)
@given(expressions())
def test_expressions_are_recognised_in_their_cel(written: tuple[Expression, Meaning]) -> None:
    """CEL to expression and back is the same tree of CEL."""
    members = [getattr(Big, name)._operand for name in dir(Big) if hasattr(Big, name) and
               hasattr(getattr(Big, name), "_operand")]  # fmt: skip

    def words(source: str, domain: str, name: str) -> Any:
        known = [m for m in members if (m.source, m.domain, m.name) == (source, domain, name)]
        return known[0] if known else None

    text = to_cel(written[0])
    kind = big.__node__()
    assert isinstance(kind, Is)
    found = recognise(text, words, [kind])
    assert found is not None
    assert same_cel(render(found), text)


def test_output_is_formatted(tmp_path: Path) -> None:
    ruff = shutil.which("ruff")
    if ruff is None:
        pytest.skip("ruff is not installed")
    for path in SAMPLES.glob("*.yaml"):
        target = tmp_path / f"{path.stem}.py"
        target.write_text(to_python(from_yaml(path.read_text(encoding="utf-8"))), encoding="utf-8")
    result = subprocess.run(
        [ruff, "format", "--diff", "--isolated", "--line-length", "100", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.stdout == ""


def test_command(tmp_path: Path) -> None:
    path, target = tmp_path / "in.yaml", tmp_path / "out.py"
    path.write_text(DeviceClass("größe".replace("ö", "oe").replace("ß", "ss")).to_yaml())
    runner = CliRunner()
    result = runner.invoke(command, [str(path)])
    assert result.exit_code == 0
    assert result.output.startswith("from dradsl import App, DeviceClass\n")
    assert runner.invoke(command, ["-"], input=path.read_text()).output == result.output
    assert runner.invoke(command, [str(path), "-o", str(target)]).exit_code == 0
    assert target.read_text(encoding="utf-8") == result.output
    spec = importlib.util.spec_from_file_location("out", target)
    assert spec is not None


def test_documents_that_are_no_objects_are_left_out(tmp_path: Path) -> None:
    """As kubectl does: the rest is used, what is not is named, and the exit code tells."""
    path, target = tmp_path / "in.yaml", tmp_path / "out.py"
    path.write_text(f"kind: Pod\n---\n{DeviceClass('a').to_yaml()}---\nx: [\n")
    result = CliRunner().invoke(command, [str(path), "-o", str(target)])
    assert result.exit_code == 1
    assert [
        line.removeprefix(f"dradsl to-python: {path}: ") for line in result.stderr.splitlines()
    ] == [
        "line 1: the document has no apiVersion: no Kubernetes object: left out",
        "line 10: did not find expected node content while parsing a flow node that begins on "
        "line 10: left out",
    ]
    assert rebuilt(target.read_text(encoding="utf-8")) == [DeviceClass("a")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [", "line 1"),
        ("a: b", "no apiVersion"),
        ("- x", "no mapping"),
        ("\x00", "in.yaml"),
        (f"{DeviceClass('a').to_yaml()}---\n{DeviceClass('a').to_yaml()}", "a is there 2 times"),
    ],
)
def test_files_that_cannot_be_used(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "in.yaml"
    path.write_text(text)
    result = CliRunner().invoke(command, [str(path)])
    assert result.exit_code == 2
    assert message in result.output
    assert CliRunner().invoke(command, [str(tmp_path / "none.yaml")]).exit_code == 2


PODS = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: p, namespace: ml}
spec:
  template:
    spec:
      containers:
      - {name: a, image: i, resources: {claims: [{name: d, request: gpus}]}}
      - {name: b, image: i, resources: {claims: [{name: d}, {name: other}]}}
      resourceClaims:
      - {name: d, resourceClaimTemplateName: pair}
      - {name: other, resourceClaimName: of-others}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: pair, namespace: ml}
spec:
  spec:
    devices:
      requests:
      - name: gpus
        exactly: {deviceClassName: mig.nvidia.com, count: 2}
      constraints: [{requests: [], matchAttribute: gpu.nvidia.com/parentUUID}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: pair, namespace: elsewhere}
spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu.nvidia.com}}]}}}
"""


def test_pods_name_claims_as_objects() -> None:
    """So that renaming a template or a request cannot break the pod."""
    objects = from_yaml(PODS)
    text = to_python(objects, for_release="1.36")
    assert 'app = App(for_release="1.36")' in text
    assert 'd = PodClaim("d", pair)' in text
    assert '"resources": {"claims": [d.container(gpus)]}' in text
    assert "d.to_dict()," in text
    assert '{"name": "other", "resourceClaimName": "of-others"}' in text
    # A handle stands for the class that its driver installs for it.
    assert re.search(r'"gpus",\s+mig,', text) or '"gpus", mig, ' in text
    assert 'Request("r", gpu)' in text
    built = rebuilt(text)
    by_key = {obj.key: obj.to_dict() for obj in objects}
    assert {obj.key: obj.to_dict() for obj in built} == by_key
    # An empty list of requests says as much as none.
    assert "same(mig.parentUUID)" in text


@pytest.mark.parametrize("request_", ["{me: nic}", "[nic]", "1", "null"])
@pytest.mark.parametrize("place", ["c", "spec"])
def test_requests_of_pods_that_are_no_names_are_kept(
    request_: str, place: str, tmp_path: Path
) -> None:
    pod = (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: ml}\n"
        f"{place}:\n  claims: [{{name: nic, request: {request_}}}]\n"
        "  resourceClaims: [{name: nic, resourceClaimName: x}]\n"
    )
    claim = (
        "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: x, namespace: ml}\n"
        "spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: g}}]}}\n"
    )
    path = tmp_path / "a.yaml"
    path.write_text(pod + claim)
    result = CliRunner().invoke(command, [str(path)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert "'request'" in result.output or '"request"' in result.output


def test_comparisons_with_true_are_told_to_linters() -> None:
    cel = "device.driver == 'dra.net' && device.attributes['dra.net'].rdma == true"
    text = to_python([DeviceClass("c", select=cel)])
    assert "nic.rdma.unguarded == True" in text
    assert text.startswith("# ruff: noqa: E712")


def test_comments_are_kept(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text(
        "# Built by dradsl build from x.py:app; change the Python module instead.\n"
        "# For the notebooks.\n"
        "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: a}  # of ours\n"
        "spec: {selectors: [{cel: {expression: 'device.driver == \"a#b\"'}}]}\n"
        "---\n# A pod.\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
    )
    run = CliRunner().invoke(command, [str(tmp_path / "c.yaml")])
    assert run.exit_code == 0, run.output
    text = run.stdout
    assert [line for line in text.splitlines() if line.startswith("#")] == [
        "# For the notebooks.",
        "# of ours",
        "# A pod.",
    ]
    assert (
        text.index("# For the notebooks.") < text.index('DeviceClass("a"') < text.index("# A pod.")
    )
    assert len(rebuilt(text)) == 2


def test_the_release_of_the_app(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text(PODS)
    run = CliRunner().invoke(command, [str(tmp_path / "p.yaml"), "--kube-version", "1.36"])
    assert 'App(for_release="1.36")' in run.stdout
    wrong = CliRunner().invoke(command, [str(tmp_path / "p.yaml"), "--kube-version", "9.9"])
    assert wrong.exit_code == 2


OLDER = """\
apiVersion: resource.k8s.io/v1beta1
kind: DeviceClass
metadata: {name: c}
spec:
  selectors:
  - cel: {expression: "device.driver == 'dra.net' && device.attributes['dra.net'].rdma == true"}
"""


def test_older_versions_are_named(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text(OLDER)
    result = CliRunner().invoke(command, [str(tmp_path / "c.yaml")])
    assert "note: resource.k8s.io/v1beta1 became v1; App(for_release=...)" in result.stderr
    assert result.exit_code == 0
    (tmp_path / "c.yaml").write_text(OLDER.replace("v1beta1", "v1"))
    assert CliRunner().invoke(command, [str(tmp_path / "c.yaml")]).stderr == ""
