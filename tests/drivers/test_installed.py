"""Schemas that an installed package brings: found by the entry point, read as data, and nothing of it runs."""

from __future__ import annotations

import base64
import hashlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

SCHEMA = """\
driver: npu.acme.example.org
vendor: Acme
summary: neural processors
completeness: full
sources: [{note: acme-npu 1.0}]
mistaken: {attributes: {boardType: model}}
deviceTypes:
  npu:
    attributes:
      model: {type: string, values: [A1, A2]}
classes:
- {name: big-npu, by: the package}
"""
CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: npu, namespace: ml}
spec:
  devices:
    requests:
    - name: npu
      exactly:
        deviceClassName: %s
        selectors:
        - cel: {expression: 'device.driver == "npu.acme.example.org" && device.attributes["npu.acme.example.org"].%s'}
"""
RUNS = "import os; open(os.environ['MARK'], 'w').close()\n"
RECIPE = """\
recipe: acme-chart
title: Acme's chart
source: acme-chart 1.0
charts: [acme-chart]
values: [acme.npus]
pods:
- at: acme
  amounts:
  - {key: npus, resource: nvidia.com/gpu}
  set-values: {npus: 0, claimTemplate: '{template}'}
"""
CODE = {
    "acme_npu/__init__.py": RUNS,
    "acme_npu/schemas/__init__.py": RUNS,
    "acme_npu/schemas/npu.acme.example.org.yaml": SCHEMA,
    "acme_npu/schemas/broken.yaml": "driver: [",
    "acme_npu/schemas/acme-chart.yaml": RECIPE,
}


def wheel(folder: Path, files: dict[str, str] = CODE, entry: str = "acme_npu.schemas") -> Path:
    """A wheel with the files and the entry point."""
    info = "acme_npu-1.0.dist-info"
    files = {
        **files,
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: acme-npu\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": f"[dradsl.drivers]\nacme = {entry}\n",
    }
    rows = []
    for name, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=")
        rows.append(f"{name},sha256={digest.decode()},{len(text.encode())}")
    rows.append(f"{info}/RECORD,,")
    path = folder / "acme_npu-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as made:
        for name, text in {**files, f"{info}/RECORD": "\n".join(rows) + "\n"}.items():
            made.writestr(name, text)
    return path


def install(made: Path, target: Path) -> None:
    """What an installer does with a pure wheel and `--target`."""
    with zipfile.ZipFile(made) as archive:
        archive.extractall(target)


class World:
    """A folder with manifests, and packages beside it."""

    def __init__(self, top: Path) -> None:
        self.tree, self.site, self.mark = top / "tree", top / "site", top / "ran"
        self.tree.mkdir()
        install(wheel(top), self.site)

    def write(self, selector: str, name: str = "big-npu") -> None:
        (self.tree / "claim.yaml").write_text(CLAIM % (name, selector))

    def run(self, *call: str, site: Path | None = None) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join([str(site or self.site), str(Path(__file__).parents[2])])
        run = subprocess.run(
            [sys.executable, "-P", *call],
            capture_output=True, text=True, check=False, cwd=self.tree,
            env={**os.environ, "PYTHONPATH": path, "MARK": str(self.mark)},
        )  # fmt: skip
        assert "Traceback" not in run.stderr
        assert not self.mark.exists(), "code of the package ran"
        return run

    def lint(self, *options: str, site: Path | None = None) -> str:
        run = self.run(
            "-m", "dradsl", "lint", ".", "--output-format", "concise", *options, site=site
        )
        return run.stdout


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_lint_knows_the_driver(world: World) -> None:
    world.write('model == "A1"')
    assert "DRA" not in world.lint()
    world.write('model == "A3"')
    assert "DRA209" in world.lint()
    world.write('boardType == "A1"')
    said = world.lint()
    assert "DRA201" in said
    assert "model" in said
    world.write('model == "A1"', name="big-npo")
    assert "DRA412" in world.lint()


def test_isolated_ignores_it(world: World) -> None:
    world.write('model == "A3"')
    said = world.lint("--isolated")
    assert "DRA209" not in said
    assert "DRA412" in said


@pytest.mark.parametrize("where", [".", "vendor", "link"])
def test_nothing_in_the_tree_counts(world: World, where: str, tmp_path: Path) -> None:
    site = world.tree / where
    install(
        tmp_path / "acme_npu-1.0-py3-none-any.whl",
        world.tree / "vendor" if where == "link" else site,
    )
    if where == "link":
        site = tmp_path / "link"
        site.symlink_to(world.tree / "vendor")
    world.write('model == "A3"')
    assert "DRA209" not in world.lint(site=site)


def test_files_outside_of_the_package_do_not_count(world: World, tmp_path: Path) -> None:
    (tmp_path / "other.yaml").write_text(SCHEMA)
    site = tmp_path / "site2"
    install(wheel(tmp_path, {"acme_npu/schemas/__init__.py": RUNS}), site)
    record = site / "acme_npu-1.0.dist-info" / "RECORD"
    record.write_text(
        record.read_text() + "../other.yaml,,\nacme_npu/schemas/../../../other.yaml,,\n"
    )
    (site / "acme_npu/schemas/link.yaml").symlink_to(tmp_path / "other.yaml")
    record.write_text(record.read_text() + "acme_npu/schemas/link.yaml,,\n")
    world.write('model == "A3"')
    assert "DRA209" not in world.lint(site=site)


def test_other_commands_run_nothing(world: World) -> None:
    world.write('model == "A1"')
    assert (
        "neural processors"
        in world.run("-m", "dradsl", "schema", "show", "npu.acme.example.org").stdout
    )
    for call in (("simulate", "."), ("why", ".", "--offline"), ("migrate", "."), ("build", ".")):
        world.run("-m", "dradsl", *call)
    editor = (
        "import os\nfrom dradsl.lint.settings.config import LintConfig\n"
        "from dradsl.lsp.workspace.driver_info import DriverInfo\n"
        "print(DriverInfo(LintConfig(root=os.getcwd())).drivers.get('npu.acme.example.org').vendor)\n"
    )
    assert world.run("-c", editor).stdout == "Acme\n"


def test_recipes_of_the_package(world: World) -> None:
    """A chart that only the package describes is migrated; inside the tree the package does not count."""
    (world.tree / "values.yaml").write_text("acme: {npus: 2}\n")
    call = ("-m", "dradsl", "migrate", ".", "--diff")
    assert "claimTemplate:" in world.run(*call).stdout
    inside = world.tree / "site"
    install(wheel(world.tree.parent), inside)
    assert "claimTemplate" not in world.run(*call, site=inside).stdout


@pytest.mark.parametrize(
    ("driver", "asked"), [("gpu.nvidia.com", False), ("npu.acme.example.org", True)]
)
def test_it_is_looked_up_only_for_an_unknown_driver(world: World, driver: str, asked: bool) -> None:
    text = CLAIM % (driver, 'model == "A1"')
    if not asked:
        text = text.replace("npu.acme.example.org", driver).replace("model ==", "productName ==")
    (world.tree / "claim.yaml").write_text(text)
    run = world.run("-X", "importtime", "-m", "dradsl", "lint", ".")
    assert "DRA" in run.stdout or not asked
    assert ("dradsl.drivers.schema.installed" in run.stderr) == asked
    assert ("importlib.metadata" in run.stderr) == asked
