"""The start of dradsl as one file beside an installed one: `python -m benchmarks.one_file dist/dradsl.pyz ENVIRONMENT`.

ENVIRONMENT has dradsl installed from the same wheel. The third row imports from the archive itself, which keeps no compiled
modules: that is why the file unpacks itself. Processor time of whole processes, medians of pairs.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

from benchmarks.measure import paired_commands

_ROOT = Path(__file__).resolve().parent.parent
_MANIFEST = _ROOT / "examples/manifests/training.yaml"
_FROM_ARCHIVE = "import sys; sys.path.insert(0, {!r}); from dradsl.cli import start; start()"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.one_file", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("environment", type=Path)
    given = parser.parse_args()
    python = str(given.environment / ("Scripts" if os.name == "nt" else "bin") / "python")
    file = str(given.file.resolve())
    with tempfile.TemporaryDirectory() as folder:
        one = Path(folder) / "one.yaml"
        one.write_bytes(_MANIFEST.read_bytes())
        os.environ["XDG_CACHE_HOME"] = str(Path(folder) / "cache")
        calls = (("--version",), ("lint", "--isolated", str(one)))
        print("| | installed | one file | ratio |\n| --- | --- | --- | --- |")
        for words in calls:
            ours, usual, ratio = paired_commands(
                [python, file, *words], [python, "-m", "dradsl", *words]
            )
            title = f"`dradsl {words[0]}`"
            print(f"| {title} | {usual * 1e3:.0f} ms | {ours * 1e3:.0f} ms | {ratio:.2f} |")
        code = _FROM_ARCHIVE.format(f"{file}/site")
        ours, usual, ratio = paired_commands(
            [python, "-c", code, "--version"], [python, "-m", "dradsl", "--version"]
        )
        print(
            f"| `dradsl --version`, imported from the archive | {usual * 1e3:.0f} ms | {ours * 1e3:.0f} ms | {ratio:.2f} |"
        )


if __name__ == "__main__":
    main()
