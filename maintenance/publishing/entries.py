"""What other catalogues want to know of a release: `.ci/entries [--folder dist]` writes it beside the files of the release.

krew's manifest and archive, the formula for Homebrew, the rows for SchemaStore, the metadata of the extension for VS Code and
Open VSX, the notes of the release and the checksums. Each comes from a template in `packaging`. The version is that of
`dradsl/_version.py`; the addresses are those of `dradsl/lint/report/places.py`, unless the call names others for a rehearsal.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import json
import re
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path
from string import Template

from dradsl._version import __version__
from dradsl.lint.report.places import PROJECT_URL, REPOSITORY_URL
from maintenance.publishing.locks import ROOT

PACKAGING = ROOT / "packaging"
EXTENSION = ROOT / "editors" / "vscode" / "package.json"
PLUGIN = "kubectl-dra"


@dataclass(frozen=True)
class Release:
    """What the entries are made of; addresses have no slash at the end."""

    version: str
    repository: str
    site: str

    def address(self, name: str) -> str:
        """Where a file of the release is, once it is published."""
        return f"{self.repository}/releases/download/v{self.version}/{name}"

    def filled(self, template: Path, **more: str) -> str:
        """A template of `packaging` with the values of the release; raises KeyError for a name without a value."""
        values = {
            "VERSION": self.version,
            "REPOSITORY_URL": self.repository,
            "PROJECT_URL": self.site,
            **more,
        }
        return Template(template.read_text(encoding="utf-8")).substitute(values)


def sha256(path: Path) -> str:
    """The checksum of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def plugin_archive(one_file: Path, target: Path) -> None:
    """What krew unpacks: the start script, the one file by another name, and the licence; the same bytes each time."""
    parts = (
        (PLUGIN, (PACKAGING / "krew" / PLUGIN).read_bytes(), 0o755),
        (f"{PLUGIN}.pyz", one_file.read_bytes(), 0o755),
        ("LICENSE", (ROOT / "LICENSE").read_bytes(), 0o644),
    )
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, data, mode in parts:
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(data), mode
            archive.addfile(entry, io.BytesIO(data))
    target.write_bytes(gzip.compress(packed.getvalue(), mtime=0))


def schema_store(release: Release) -> str:
    """Rows for SchemaStore's catalogue."""
    return release.filled(PACKAGING / "schemastore" / "catalog-entries.json")


def extension(release: Release, text: str) -> str:
    """The package.json of the extension with what the marketplaces show besides."""
    metadata = json.loads(text)
    metadata.pop("private", None)
    metadata["version"] = release.version
    metadata["homepage"] = f"{release.site}/editors/"
    metadata["bugs"] = {"url": f"{release.repository}/issues"}
    metadata["repository"] = {
        "type": "git",
        "url": f"{release.repository}.git",
        "directory": "editors/vscode",
    }
    return json.dumps(metadata, indent=2) + "\n"


def notes(version: str, changes: str) -> str:
    """The part of the changelog on a version that readers need: from its heading to the list of all changes."""
    found = re.search(
        rf"^## {re.escape(version)}[^\n]*\n(.*?)(?=^## |\Z)", changes, re.MULTILINE | re.DOTALL
    )
    if found is None:
        raise ValueError(f"CHANGELOG.md has no section for {version}")
    return found[1].partition("\n### All changes")[0].strip() + "\n"


def write(release: Release, folder: Path) -> list[Path]:
    """Write all entries into the folder that holds the files of the release; the paths of what was written."""
    one_file = folder / "dradsl.pyz"
    if not one_file.is_file():
        raise FileNotFoundError(f"{one_file} is not there: run .ci/build and .ci/zipapp first")
    archive = folder / f"{PLUGIN}-{release.version}.tar.gz"
    plugin_archive(one_file, archive)
    texts = {
        "krew/dra.yaml": release.filled(PACKAGING / "krew" / "dra.yaml", SHA256=sha256(archive)),
        "homebrew/dradsl.rb": release.filled(
            PACKAGING / "homebrew" / "dradsl.rb", SHA256=sha256(one_file)
        ),
        "schemastore/catalog-entries.json": schema_store(release),
        "vscode/package.json": extension(release, EXTENSION.read_text(encoding="utf-8")),
        "notes.md": notes(release.version, (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")),
    }
    written = [archive]
    for name, text in texts.items():
        path = folder / "entries" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        written.append(path)
    files = sorted(
        path for path in folder.iterdir() if path.is_file() and path.name != "SHA256SUMS"
    )
    sums = folder / "SHA256SUMS"
    sums.write_text("".join(f"{sha256(each)}  {each.name}\n" for each in files), encoding="utf-8")
    return [*written, sums]


def _release(given: argparse.Namespace) -> Release:
    repository, site = given.repository or REPOSITORY_URL, given.site or PROJECT_URL
    if repository is None or site is None:
        sys.exit(
            ".ci/entries: the project has no address yet: set it in dradsl/lint/report/places.py"
        )
    if given.tag is not None and given.tag != f"v{__version__}":
        sys.exit(f".ci/entries: the tag {given.tag} is not that of version {__version__}")
    return Release(__version__, repository, site)


def main() -> None:
    """Write what the call asks for."""
    parser = argparse.ArgumentParser(prog=".ci/entries", description=__doc__)
    parser.add_argument("--folder", type=Path, default=ROOT / "dist")
    parser.add_argument("--tag", help="the tag that is built: it has to be that of the version")
    parser.add_argument("--repository", help="another address of the repository")
    parser.add_argument("--site", help="another address of the documentation")
    parser.add_argument(
        "--extension", action="store_true", help="only the package.json of the extension, in place"
    )
    given = parser.parse_args()
    release = _release(given)
    if given.extension:
        EXTENSION.write_text(
            extension(release, EXTENSION.read_text(encoding="utf-8")), encoding="utf-8"
        )
        return
    try:
        for path in write(release, given.folder):
            print(path)
    except FileNotFoundError as error:
        sys.exit(f".ci/entries: {error}")


if __name__ == "__main__":
    main()
