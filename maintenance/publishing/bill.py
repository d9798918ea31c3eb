"""The bill of materials of a release: `.ci/sbom [FOLDER]` writes sbom.cdx.json (CycloneDX 1.6) beside the files in dist.

What a wheel brings is what .ci/lock-wheel.txt names; the hashes of dradsl are those of the files. The same files give the
same bytes: the serial number is made of them, and the time is that of the commit.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dradsl._version import __version__
from maintenance.publishing.locks import ROOT, rows
from maintenance.publishing.one_file import COMPILED

NAME = "sbom.cdx.json"


def _when() -> str:
    stamp = os.environ.get("SOURCE_DATE_EPOCH")
    if stamp is None:
        call = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
        stamp = subprocess.run(call, check=True, capture_output=True, text=True).stdout
    return datetime.fromtimestamp(int(stamp), UTC).isoformat().replace("+00:00", "Z")


def _digest(data: bytes) -> list[dict[str, str]]:
    return [{"alg": "SHA-256", "content": hashlib.sha256(data).hexdigest()}]


def bill(folder: Path) -> dict[str, Any]:
    """The bill of the files of this version in a folder."""
    files = sorted(each for each in folder.iterdir() if each.suffix in (".whl", ".gz", ".pyz"))
    if not files:
        raise FileNotFoundError(f"{folder} holds no wheel: run .ci/build first")
    own = f"pkg:pypi/dradsl@{__version__}"
    components: list[dict[str, Any]] = [
        {
            "type": "library",
            "bom-ref": f"pkg:pypi/{row.name}@{row.version}",
            "name": row.name,
            "version": row.version,
            "purl": f"pkg:pypi/{row.name}@{row.version}",
            "properties": [
                *([{"name": "dradsl:for", "value": row.marker}] if row.marker else []),
                {"name": "dradsl:in-one-file", "value": str(row.name not in COMPILED).lower()},
            ],
        }
        for row in rows("lock-wheel.txt")
    ]
    parts: list[dict[str, Any]] = [
        {
            "type": "file",
            "bom-ref": each.name,
            "name": each.name,
            "hashes": _digest(each.read_bytes()),
        }
        for each in files
    ]
    seed = "".join(each["hashes"][0]["content"] for each in parts)
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, seed)}",
        "version": 1,
        "metadata": {
            "timestamp": _when(),
            "component": {
                "type": "application",
                "bom-ref": own,
                "name": "dradsl",
                "version": __version__,
                "purl": own,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
                "components": parts,
            },
        },
        "components": components,
        "dependencies": [{"ref": own, "dependsOn": [each["bom-ref"] for each in components]}],
    }


def main() -> None:
    """Write the bill of the folder that the call names."""
    parser = argparse.ArgumentParser(prog=".ci/sbom", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "dist")
    given = parser.parse_args()
    try:
        text = json.dumps(bill(given.folder), indent=2) + "\n"
    except FileNotFoundError as error:
        sys.exit(f".ci/sbom: {error}")
    (given.folder / NAME).write_text(text, encoding="utf-8")
    print(f"{given.folder / NAME}: {text.count('bom-ref')} parts")


if __name__ == "__main__":
    main()
