"""mypy and pyright reject what they must, on the very lines, and nothing else: no example either."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
WRONG, RIGHT = HERE / "typing" / "wrong.py", HERE / "typing" / "right.py"
BUILDERS = HERE.parents[1] / "examples" / "builders"
EXAMPLES = sorted(
    [*BUILDERS.glob("*.py"), *BUILDERS.glob("class_library/*.py"), *BUILDERS.glob("tasks/*.py")]
)
FILES = [str(path) for path in (WRONG, RIGHT, *EXAMPLES)]


def expected(*marks: str) -> set[tuple[str, int]]:
    """The lines with such a mark: all of them in one file, none in the other."""
    lines = WRONG.read_text(encoding="utf-8").splitlines()
    marked = {(WRONG.name, n) for n, line in enumerate(lines, 1) if line.endswith(marks)}
    assert len(marked) > 20
    assert len(EXAMPLES) > 12
    return marked


def run(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        arguments, capture_output=True, text=True, check=False, cwd=HERE.parents[1]
    )


def test_mypy(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    options = ["--strict", "--enable-error-code", "deprecated", "--no-error-summary"]
    options += ["--cache-dir", str(tmp_path), "--no-explicit-package-bases"]  # folders of scripts
    result = run([sys.executable, "-m", "mypy", *options, *FILES])
    assert result.returncode == 1, result.stdout + result.stderr
    found = re.findall(r"(\w+\.py):(\d+): error", result.stdout)
    assert {(name, int(line)) for name, line in found} == expected("# error")


def pyright(*arguments: str) -> dict[str, Any]:
    """The JSON that pyright prints; it needs Node, which its package may have to fetch."""
    program = Path(sys.executable).parent / "pyright"
    if not program.exists():
        pytest.skip("pyright is not installed")
    result = run([str(program), "--outputjson", *arguments])
    try:
        report: dict[str, Any] = json.loads(result.stdout)
    except json.JSONDecodeError:
        pytest.skip(f"pyright does not run here, is Node there? {result.stderr[:200]}")
    return report


def test_pyright() -> None:
    report = pyright("--pythonpath", sys.executable, *FILES)
    found = {
        (Path(one["file"]).name, one["range"]["start"]["line"] + 1)
        for one in report["generalDiagnostics"]
        if one["severity"] == "error"
    }
    assert found == expected("# error", "# error: pyright")


PUBLIC = [
    "dradsl.api",
    "dradsl.devices",
    "dradsl.dsl",
    "dradsl.integrations",
    "dradsl.testing",
    "dradsl.typing",
]


@pytest.mark.parametrize("package", PUBLIC)
def test_public_packages_are_typed_completely(package: str) -> None:
    """What they export, and all that is reached from there: nothing that checkers would have to infer."""
    report = pyright("--verifytypes", package, "--ignoreexternal")["typeCompleteness"]
    known = report["exportedSymbolCounts"]["withKnownType"]
    assert known >= 10
    assert not report["missingFunctionDocStringCount"] + report["missingClassDocStringCount"]
    assert report["completenessScore"] == 1, [
        one["name"] for one in report["symbols"] if not one["isTypeKnown"]
    ]


def test_the_root_exports_what_is_verified() -> None:
    from dradsl import __all__, api, dsl

    errors = {"BuildError", "DradslError", "ParameterError"}  # of a message alone
    assert {*__all__} - {"__version__"} - errors <= {*api.__all__, *dsl.__all__}


def signatures() -> Iterator[tuple[str, str]]:
    """The annotations of public functions, classes and their methods."""
    from dradsl import api, dsl, testing
    from dradsl.integrations import cdk8s, helm, pulumi

    modules: list[Any] = [api, dsl, testing, cdk8s, helm, pulumi]
    for module in modules:
        for name in module.__all__:
            thing = getattr(module, name)
            members = vars(thing).items() if inspect.isclass(thing) else ()
            public = [(f"{name}.{k}", v) for k, v in members if k == "__init__" or k[0] != "_"]
            for title, one in [(name, thing), *public]:
                function = getattr(one, "__func__", getattr(one, "fget", None) or one)
                for parameter, annotation in getattr(function, "__annotations__", {}).items():
                    yield f"{module.__name__}.{title}, {parameter}", str(annotation)


def test_public_signatures_say_any_for_plain_data_alone() -> None:
    """A manifest as a dict is what `yaml.safe_load` gives; everything else has a type."""
    plain = re.compile(r"(?:dict|Mapping)\[str, Any\]")
    found = list(signatures())
    assert len(found) > 200
    assert [one for one in found if re.search(r"\bAny\b", plain.sub("", one[1]))] == []
