"""One file of a built wheel: `.ci/zipapp [WHEEL] [--editor] [-o FILE]`, by default of the wheel in dist, as dist/dradsl.pyz.

It runs with every Python from 3.11 on, on every system: it holds the parts of the dependencies that are Python, in the
versions and with the hashes of .ci/lock-wheel.txt. What is compiled stays out: libyaml and rpds, which have stand-ins, and
pydantic, without which `dradsl build` takes no models as parameters. With `--editor` it also holds what `dradsl lsp` needs: the
extension for VS Code brings that file along. The same wheel and the same Python give the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from maintenance.publishing.locks import ROOT, rows

START = ROOT / "packaging" / "onefile" / "__main__.py"
COMPILED = frozenset(
    {"pydantic", "pydantic-core", "annotated-types", "typing-inspection", "rpds-py"}
)
"""The packages of the lock that are left out: those with compiled parts, and what only they need."""

EDITOR = frozenset({"pygls", "lsprotocol", "cattrs", "attrs", "typing-extensions"})
"""The packages of .ci/lock-dev.txt that the language server needs."""

_LEFT_OUT = re.compile(
    r"\.(so|pyd|pyi|dylib)$|(^|/)(__pycache__|_yaml)/"
    r"|\.dist-info/(RECORD|INSTALLER|REQUESTED|direct_url\.json)$"
)


def requirements(*, editor: bool = False) -> str:
    """The rows of the lock that are Python, for every system and every Python."""
    kept = [row for row in rows("lock-wheel.txt") if row.name not in COMPILED]
    if editor:
        there = {row.name for row in kept}
        kept += [row for row in rows("lock-dev.txt") if row.name in EDITOR - there]
    return "".join(
        f"{row.name}=={row.version} {' '.join(f'--hash=sha256:{each}' for each in row.hashes)}\n"
        for row in kept
    )


def install(wheel: Path, site: Path, *, editor: bool = False) -> None:
    """Put the wheel and its dependencies into a folder."""
    call = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    call += ["--no-deps", "--no-compile", "--target", str(site)]
    with tempfile.TemporaryDirectory() as folder:
        needed = Path(folder, "needed.txt")
        needed.write_text(requirements(editor=editor), encoding="utf-8")
        subprocess.run([*call, "--require-hashes", "-r", str(needed)], check=True)
    shutil.rmtree(site / "bin", ignore_errors=True)  # programs of the dependencies
    subprocess.run([*call, str(wheel)], check=True)
    shutil.rmtree(site / "bin", ignore_errors=True)


def pack(wheel: Path, site: Path, target: Path) -> None:
    """Write the archive: times are those of the wheel, the order is that of the names."""
    with zipfile.ZipFile(wheel) as built:
        when = max(each.date_time for each in built.infolist())
    files = {
        f"site/{path.relative_to(site).as_posix()}": path.read_bytes()
        for path in sorted(site.rglob("*"))
        if path.is_file() and not _LEFT_OUT.search(path.relative_to(site).as_posix())
    }
    digest = hashlib.sha256()
    for name, data in files.items():
        digest.update(f"{name}\0{len(data)}\0".encode() + data)
    files["__main__.py"] = START.read_bytes()
    files["CONTENT"] = digest.hexdigest()[:32].encode()
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as out:
        out.write(b"#!/usr/bin/env python3\n")
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
            for name, data in files.items():
                entry = zipfile.ZipInfo(name, when)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o100644 << 16
                packed.writestr(entry, data)
    target.chmod(0o755)


def make(wheel: Path, target: Path, *, editor: bool = False) -> None:
    """Install a wheel into a folder for a moment, and pack that."""
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder, "site")
        install(wheel, site, editor=editor)
        pack(wheel, site, target)


def main() -> None:
    """Make the file that the call asks for."""
    parser = argparse.ArgumentParser(prog=".ci/zipapp", description=__doc__)
    parser.add_argument("wheel", nargs="?", type=Path, help="the wheel (default: that in dist)")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "dist/dradsl.pyz")
    parser.add_argument("--editor", action="store_true", help="with what the server needs")
    given = parser.parse_args()
    wheels = [given.wheel] if given.wheel else sorted((ROOT / "dist").glob("dradsl-*.whl"))
    if len(wheels) != 1 or not wheels[0].is_file():
        sys.exit(
            f".ci/zipapp: one wheel is needed, and there are {len(wheels)}: run .ci/build first"
        )
    make(wheels[0], given.output, editor=given.editor)
    data = given.output.read_bytes()
    print(f"{hashlib.sha256(data).hexdigest()}  {given.output.name} ({len(data) / 1e6:.2f} MB)")


if __name__ == "__main__":
    main()
