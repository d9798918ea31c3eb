"""Render the charts of recipes before and after a migration, and record what came of it.

    python -m tests.migrate.charts.record --helm helm --charts DIR

DIR holds the charts, unpacked and with what they depend on, as `NAME-VERSION`. Charts that are not there
keep what was recorded.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from tests.migrate.charts import rendering
from tests.migrate.runs import data_of


def outcome(helm: str, chart: Path, case: Path, version: str) -> dict[str, object]:
    """What Helm makes of a case: its digest, the objects, and what is wrong."""
    values, added = rendering.migrated(case, version)
    (plain,) = data_of(case.read_text())
    with tempfile.TemporaryDirectory() as folder:
        before = rendering.rendered(helm, chart, plain, Path(folder))
        after = rendering.rendered(helm, chart, values, Path(folder))
    return {
        "migrated": rendering.digest(values, added),
        "objects": sorted(f"{kind} {name}" for kind, name in after),
        "problems": sorted(rendering.problems(before, after, added)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Record what Helm makes of migrated values.")
    parser.add_argument("--helm", default="helm")
    parser.add_argument("--charts", type=Path, required=True)
    given = parser.parse_args()
    path = rendering.RECORDED
    known = json.loads(path.read_text()) if path.exists() else {}
    recorded: dict[str, dict[str, object]] = {}
    for case in rendering.CASES:
        chart = rendering.chart_of(case)
        kept = recorded.setdefault(case.stem, {})
        for version in sorted(rendering.recipe_of(case).rendered):
            folder = given.charts / f"{chart}-{version}"
            if folder.is_dir():
                kept[version] = found = outcome(given.helm, folder, case, version)
                sys.stdout.write(f"{case.stem} {version}: {found['problems'] or 'right'}\n")
            elif version in known.get(case.stem, {}):
                kept[version] = known[case.stem][version]
    path.write_text(json.dumps(recorded, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
