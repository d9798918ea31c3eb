"""One long stream: `dradsl lint` as a process against one that only composes the same file.

Three lengths, each twice the one before: time and memory must grow as the stream does, and no
stream at the limit of a file may take more than 1 GiB. "Rendered" are workloads with a claim template
each, of 27 forms; "small" are claims of 170 bytes, as many as fit.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.lint import TEMPLATE
from benchmarks.measure import run

if TYPE_CHECKING:
    from collections.abc import Callable

_MIB = 1024 * 1024
_SIZES = (15, 30, 60)

_SMALL = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {{name: claim-{n}}}
spec:
  devices: {{requests: [{{name: gpu, exactly: {{deviceClassName: gpu.nvidia.com}}}}]}}
"""

_COMPOSE = """\
import sys, yaml
for _ in yaml.compose_all(sys.stdin.buffer.read(), Loader=yaml.CSafeLoader):
    pass
"""


def _rendered(n: int) -> str:
    return TEMPLATE.format(n=n, team=n % 7, count=2 + n % 3, size=40 + n % 9, request="gpu")


def _small(n: int) -> str:
    return _SMALL.format(n=n)


def _write(path: Path, document: Callable[[int], str], size: int) -> int:
    """Fill a file; how many times `document` was written."""
    number = written = 0
    with path.open("w") as out:
        while written < size:
            written += out.write("---\n" + document(number))
            number += 1
    return number


def main() -> None:
    lint = [sys.executable, "-m", "dradsl", "lint", "--isolated", "--quiet", "-"]
    compose = [sys.executable, "-c", _COMPOSE]
    print("\none stream              ours             bare C compose      ratio   aim    exit")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stream.yaml"
        for title, document in (("rendered", _rendered), ("small", _small)):
            for size in _SIZES:
                _write(path, document, size * _MIB)
                ours, bare = run(lint, path), run(compose, path)
                print(
                    f"{title:<9} {size:>3} MiB {ours.seconds:7.1f} s {ours.peak_bytes / _MIB:6.0f} MiB"
                    f" {bare.seconds:7.1f} s {bare.peak_bytes / _MIB:6.0f} MiB"
                    f" {ours.seconds / bare.seconds:6.2f}x  <= 3x  {ours.exit_code}"
                )


if __name__ == "__main__":
    main()
