"""What a start of the command line may import: each module here is a cost that every run pays."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import dradsl

PACKAGE = Path(dradsl.__file__).parent

# Modules that only few runs need, and that need more than the names.
AT_RUN_TIME = {
    "kube/fields/models.py",
    "kube/fields/typed_dicts.py",
    "kube/pods/typed_dicts.py",
    "kube/schemas.py",
    "lint/pages/documents.py",
    "lint/report/sarif.py",
    "values/json_types.py",
}

MANIFEST = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: gpu
  namespace: ml
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu.nvidia.com
        selectors:
        - cel:
            expression: device.attributes["gpu.nvidia.com"].architecture == "Hopper"
"""
WRONG = MANIFEST.replace("Hopper", "hopper").replace("deviceClassName", "deviceClass")

# Runs dradsl as its console script does, then tells which modules that brought in.
SCRIPT = """\
import json, sys
before = set(sys.modules)
from dradsl.cli import main
try:
    main()
except SystemExit as end:
    assert end.code in (None, 0, 1), end.code
with open("modules.json", "w") as file:
    json.dump(sorted(set(sys.modules) - before), file)
"""

# Packages that are not of the standard library, by what is run.
STARTED = {"click", "dradsl"}
LINTED = {"dradsl", "yaml"}  # a plain call is read without click

# Heavy parts of the standard library that nothing on the way needs, and our own heavy parts.
NEVER = {
    "asyncio",
    "bz2",
    "concurrent",
    "email",
    "hashlib",
    "http",
    "logging",
    "lzma",
    "multiprocessing",
    "random",
    "socket",
    "sqlite3",
    "ssl",
    "subprocess",
    "tempfile",
    "tomllib",
    "unittest",
    "xml",
}

# What click, a real dataclass, names for type checkers or Path objects bring: a lint run has none.
NEVER_LINTED = NEVER | {
    "ast",
    "dataclasses",
    "decimal",
    "dis",
    "fnmatch",
    "fractions",
    "gettext",
    "inspect",
    "ipaddress",
    "pathlib",
    "threading",
    "tokenize",
    "typing",
    "urllib",
    "uuid",
}

# Parts of ours that look at something, or show something, that the manifest below does not have.
NEEDLESS = {
    "dradsl.cel.checker.advice",
    "dradsl.cel.checker.display",
    "dradsl.cel.evaluation.compiler",
    "dradsl.cel.explain",
    "dradsl.cel.syntax.macros",
    "dradsl.cel.syntax.printer",
    "dradsl.cel.library.netip",
    "dradsl.cel.library.standard",
    "dradsl.cel.cost.actual",
    "dradsl.cel.runtime.operations",
    "dradsl.tree.charts",
    "dradsl.drivers.abstract.conversions",
    "dradsl.drivers.judge.configs",
    "dradsl.drivers.judge.constraints",
    "dradsl.drivers.schema.infer",
    "dradsl.drivers.schema.recorded",
    "dradsl.drivers.schema.yaml_data",
    "dradsl.kube.equality",
    "dradsl.kube.fields.models",
    "dradsl.kube.schemas",
    "dradsl.kube.server.repeated",
    "dradsl.kube.validation.configs",
    "dradsl.kube.validation.device",
    "dradsl.kube.validation.taints",
    "dradsl.lint.report.baseline",
    "dradsl.lint.pages.documents",
    "dradsl.lint.engine.rewriting.fixing",
    # Rules that speak of what is not in the manifest.
    "dradsl.lint.rules.coexistence.quota_below",
    "dradsl.lint.rules.drivers.configs",
    "dradsl.lint.rules.ecosystem.kueue",
    "dradsl.lint.rules.references.lookup",
    "dradsl.lint.rules.requests.admin_access",
    "dradsl.lint.rules.requests.tolerations",
    "dradsl.lint.rules.slices.pools",
    "dradsl.text.comments",
    "dradsl.text.json_text",
    "dradsl.tree.replacing",
}

# Parts that speak of findings: a run that finds nothing has none of them.
FOR_FINDINGS = {
    "dradsl.cel.checker.errors",
    "dradsl.drivers.judge.name_causes",
    "dradsl.drivers.judge.request_facts",
    "dradsl.drivers.judge.selector_facts",
    "dradsl.drivers.schema.device_plugin",
    "dradsl.lint.report.excerpt",
    "dradsl.lint.fixes.shape",
    "dradsl.lint.engine.suppress",
    "dradsl.lint.catalogue.server_words",
    "dradsl.text.ignores",
    "dradsl.values.quantity",
    "unicodedata",
}


def modules(folder: Path, *arguments: str) -> set[str]:
    command = [sys.executable, "-c", SCRIPT, *arguments]
    subprocess.run(command, cwd=folder, capture_output=True, check=True)
    return set(json.loads((folder / "modules.json").read_text()))


def foreign(names: set[str]) -> set[str]:
    """The packages from outside; what compiled code registers for itself is not an import of ours."""
    tops = {name.partition(".")[0] for name in names}
    return {t for t in tops if t not in sys.stdlib_module_names and "cython" not in t}


@pytest.mark.parametrize("arguments", [["--version"], ["--help"]])
def test_start(tmp_path: Path, arguments: list[str]) -> None:
    found = modules(tmp_path, *arguments)
    assert foreign(found) <= STARTED
    assert {name for name in found if name.startswith("dradsl")} <= {
        "dradsl",
        "dradsl._version",
        "dradsl.cli",
        "dradsl.cli.commands",
        "dradsl.cli.group",
        "dradsl.cli.say",
        "dradsl.cli.stopping",
    }
    # click asks shutil for the width of the terminal, and that knows archives.
    assert not (found & NEVER) - ({"bz2", "lzma"} if "shutil" in found else set())


@pytest.mark.parametrize("text", [MANIFEST, WRONG], ids=["clean", "with findings"])
def test_lint(tmp_path: Path, text: str) -> None:
    (tmp_path / "claim.yaml").write_text(text)
    found = modules(tmp_path, "lint", "--isolated", "claim.yaml")
    assert foreign(found) <= LINTED
    assert not found & NEVER_LINTED
    assert not found & NEEDLESS
    assert text != MANIFEST or not found & FOR_FINDINGS
    parts = {
        name.split(".")[1] for name in found if name.count(".") >= 1 and name.startswith("dradsl.")
    }
    assert not parts & {"allocator", "devices", "dsl", "migrate", "replay"}


def test_claims_without_expressions_need_no_compiler(tmp_path: Path) -> None:
    text = MANIFEST[: MANIFEST.index("        selectors:")]
    (tmp_path / "claim.yaml").write_text(text)
    found = modules(tmp_path, "lint", "--isolated", "claim.yaml")
    assert "dradsl.kube.server.api_server" in found
    assert "dradsl.cel.dra" not in found


def test_handles_need_no_models() -> None:
    """Every module of handles holds device classes; only what a program builds is checked by models."""
    names = sorted(path.stem for path in (PACKAGE / "devices").glob("[a-z]*.py"))
    assert "nvidia" in names
    imports = "; ".join(f"import dradsl.devices.{name}" for name in names)
    script = f"import sys; before = set(sys.modules); {imports}; print(*set(sys.modules) - before)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=True, text=True
    )
    found = set(done.stdout.split())
    assert foreign(found) <= {"dradsl", "typing_extensions"}
    assert not found & {"dradsl.kube.fields.models", "difflib", "ipaddress", "urllib.parse"}


def test_names_for_type_checkers_are_not_imported() -> None:
    """Also where the manifests above do not lead: see "The start" in docs/design/speed.md."""
    found = {
        path.relative_to(PACKAGE).as_posix()
        for part in ("cel", "drivers", "kube", "lint", "text", "values")
        for path in (PACKAGE / part).rglob("*.py")
        if re.search(r"^(from|import) (typing|pathlib)\b", path.read_text("utf-8"), re.MULTILINE)
    }
    assert found == AT_RUN_TIME


def test_a_configuration_costs_only_its_own_reader(tmp_path: Path) -> None:
    (tmp_path / "claim.yaml").write_text(MANIFEST)
    (tmp_path / "pyproject.toml").write_text('[tool.dradsl]\nignore = ["DRA9"]\n')
    assert foreign(modules(tmp_path, "lint", "claim.yaml")) <= LINTED
    (tmp_path / ".dradsl.yaml").write_text("ignore: [DRA9]\nslices: []\n")
    assert not modules(tmp_path, "lint", "claim.yaml") & NEVER_LINTED
