"""Cold start: `dradsl` as a whole process against `python -c pass`, in processor time.

The first run of each, not counted, lets Python keep the compiled modules. Where the project is
installed in place (`pip install -e`), hooks of other packages slow both sides down: an environment
that holds nothing else shows what a user sees.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.measure import paired_commands

_ROOT = Path(__file__).resolve().parent.parent
_MANIFEST = _ROOT / "examples/manifests/training.yaml"
_BUILDER = _ROOT / "examples/builders/gpu_nic_aligned.py"


def main() -> None:
    peer = [sys.executable, "-c", "pass"]
    with tempfile.TemporaryDirectory() as folder:
        one = Path(folder) / "one.yaml"
        one.write_bytes(_MANIFEST.read_bytes())
        rows = (
            ("dradsl --version", ["-m", "dradsl", "--version"], 5),
            ("dradsl --help", ["-m", "dradsl", "--help"], 5),
            ("dradsl lint one.yaml", ["-m", "dradsl", "lint", str(one)], 7),
            ("import dradsl.devices.nvidia", ["-c", "import dradsl.devices.nvidia"], 7.5),
            ("build gpu_nic_aligned.py", ["-m", "dradsl", "build", str(_BUILDER)], None),
        )
        print("cold start                      ours      python -c pass   ratio   aim")
        for title, words, aim in rows:
            ours, bare, ratio = paired_commands([sys.executable, *words], peer)
            wanted = "-" if aim is None else f"<= {aim}x"
            print(f"{title:<28} {ours * 1e3:7.1f} ms {bare * 1e3:11.1f} ms {ratio:9.1f}x  {wanted}")


if __name__ == "__main__":
    main()
