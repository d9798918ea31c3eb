"""The files that pages speak of without showing them, so that their calls find something."""

from __future__ import annotations

import gzip
import re
import shutil
from typing import TYPE_CHECKING

from tests.docs.blocks import ROOT, blocks_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

EXAMPLES = ROOT / "examples"

SLICES = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: one}
spec:
  driver: gpu.example.com
  nodeName: node-1
  pool: {name: node-1, generation: 1, resourceSliceCount: 1}
  devices:
  - {name: gpu-0, attributes: {model: {string: a100}}}
  - {name: gpu-1, attributes: {model: {string: t4}}}
"""
BY_INDEX = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: training}
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu.nvidia.com
        selectors:
        - cel: {expression: 'device.attributes["gpu.nvidia.com"].index == 1'}
"""


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def checkout(folder: Path, pages: str) -> None:
    """Of the reader's checkout what the page names."""
    for name in sorted(set(re.findall(r"\bexamples/([\w-]+)", pages))):
        if (EXAMPLES / name).is_dir():
            shutil.copytree(EXAMPLES / name, folder / "examples" / name)


# Blocks `console` ------------------------------------------------------------------------------


def _recorded(folder: Path) -> None:
    write(folder, {"recorded/slices.yaml": SLICES, "deploy/claim.yaml": BY_INDEX})


def _module(folder: Path) -> None:
    page = ROOT / "docs" / "dsl.md"
    first = next(block for block in blocks_of(page) if block.language == "python")
    write(folder, {"training.py": first.text})


def _builders(folder: Path) -> None:
    shutil.copytree(EXAMPLES / "builders", folder, dirs_exist_ok=True)


# What is in the folder before the first command of a page is run.
BEFORE: dict[str, tuple[Callable[[Path], None], ...]] = {
    "docs/cel.md": (_recorded,),
    "docs/driver-schemas.md": (_recorded,),
    "docs/dsl.md": (_module,),
    "examples/builders/pipelines/README.md": (_builders,),
}
VARIABLES = {
    "docs/cel.md": {"SELECTOR": 'device.attributes["gpu.example.com"].model == "a100"'},
}


# Blocks `sh` -----------------------------------------------------------------------------------


def everything(folder: Path) -> None:
    """Whatever calls in blocks `sh` name: they are run one by one, each in such a folder."""
    _recorded(folder)
    _module(folder)
    good = (EXAMPLES / "manifests" / "training.yaml").read_text("utf-8")
    uses = (EXAMPLES / "migrations" / "deployment" / "before").rglob("*.yaml")
    module = (folder / "training.py").read_text("utf-8")
    fleet = EXAMPLES / "inventory" / "gpu.nvidia.com-oke-gb200-full-gpu" / "slices.yaml"
    dump = gzip.decompress((ROOT / "tests" / "why" / "dumps" / "in-use.json.gz").read_bytes())
    factories = [b.text for b in blocks_of(ROOT / "docs" / "dsl.md") if "def make" in b.text]
    (release,) = (EXAMPLES / "migrations" / "flux-release" / "before").rglob("*.yaml")
    write(
        folder,
        {
            "training.yaml": good,
            "claim.yaml": good,
            "README.md": f"```yaml\n{good}```\n",
            "docs/page.md": f"```yaml\n{good}```\n",
            "fleet/slices.yaml": fleet.read_text("utf-8"),
            "slices.yaml": SLICES,
            "slices.json": SLICES + "---\n" + SLICES.replace("gpu.example.com", "npu.example.org"),
            "dump.yaml": dump.decode(),
            "deploy/uses.yaml": next(uses).read_text("utf-8"),
            ".dradsl.yaml": "custom-rules: [rules/acme.yaml]\n",
            "rules/acme.yaml": (EXAMPLES / "custom-rules" / "acme.yaml").read_text("utf-8"),
            ".dradsl-baseline.json": '{"version": 1, "findings": {}}',
            "clusters/main/settings.yaml": "GPU_CLASS: gpu.nvidia.com\n",
            "overlay/kustomization.yaml": "resources: []\n",
            "dist/training.k8s.yaml": good,
            "apps/release.yaml": release.read_text("utf-8"),
            "a.py": module,
            "b.py": module.replace("h100", "h200").replace("training", "serving"),
            "mycompany/__init__.py": "",
            "mycompany/training.py": module,
            "teams/vision.py": module,
            "teams.py": factories[0] if factories else "",
            "environments/prod.yaml": "team: vision\ngpus: 2\n",
            "serve.yaml": good,
            "next-driver/slices.yaml": fleet.read_text("utf-8"),
        },
    )
    chart = EXAMPLES / "migrations" / "post-render" / "chart"
    shutil.copytree(chart, folder / "charts" / "app")
    shutil.copytree(EXAMPLES / "platform", folder / "examples" / "platform")
    for name in ("apps", "acme_dra", "stages"):
        shutil.copytree(EXAMPLES / "platform" / name, folder / name, dirs_exist_ok=True)
