"""Records what a real Kustomize makes of the kustomizations under `corpus`: CI compares with that, and needs no Go.

    python -m tests.tree.builds.record --kustomize PATH

A case is a YAML file of file names and texts; the folder `top`, else `over`, is built.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import yaml

from tests.tree.compare_kustomize import real

CASES = Path(__file__).parent / "corpus"
GOLDEN = Path(__file__).parent / "golden.json"


def unpack(case: Path, folder: Path) -> Path:
    """Write the files of a case; the folder that is built."""
    files = yaml.safe_load(case.read_text(encoding="utf-8"))
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    return folder / ("top" if (folder / "top").is_dir() else "over")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kustomize", required=True)
    given = parser.parse_args()
    said = subprocess.run([given.kustomize, "version"], capture_output=True, text=True, check=True)
    cases: dict[str, Any] = {}
    for case in sorted(CASES.glob("*.yaml")):
        with tempfile.TemporaryDirectory() as folder:
            objects, _ = real(given.kustomize, unpack(case, Path(folder)))
        cases[case.stem] = objects
    text = json.dumps(
        {"kustomize": said.stdout.strip(), "cases": cases}, indent=1, ensure_ascii=False
    )
    GOLDEN.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
