"""Files of users go through `dradsl/tree`: no other module opens, lists or looks behind links itself."""

from __future__ import annotations

import ast
import functools
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "dradsl"

# What opens, lists, or looks at links: functions of modules, and methods of paths.
FUNCTIONS = {
    "open", "io.open", "os.open", "os.walk", "os.scandir", "os.listdir", "os.readlink",
    "os.path.islink", "os.fwalk", "glob.glob", "glob.iglob", "shutil.copytree", "shutil.copy",
    "shutil.copyfile", "shutil.move", "shutil.rmtree",
}  # fmt: skip
METHODS = {
    "rglob", "iterdir", "is_symlink", "read_text", "read_bytes", "write_text", "write_bytes", "readlink",
    "symlink_to", "hardlink_to", "touch",
}  # fmt: skip

INSTALLED = "data that is installed with dradsl"
GENERATOR = "writes modules of dradsl itself, from a checkout"
GIT = "git's own files, which are no part of a tree"
PYTHON = "modules that Python has imported for the user"
# Module -> why it may.
EXCEPTIONS = {
    "text/files.py": "reads what is named, within limits; the tree reads through it",
    "drivers/schema/installed.py": "the metadata of packages that Python has installed",
    "tree/files.py": "the layer",
    "tree/replacing.py": "the layer",
    "migrate/rollout/plugins.py": INSTALLED,
    "migrate/rollout/work_copy.py": "a copy of the tree, in a temporary folder",
    "migrate/rollout/plan.py": "a new folder that the user names",
    "tree/rendering/": "copies for programs, in a temporary folder",
    "lsp/linting/builders.py": "a report in a temporary folder of its own",
    "cli/say.py": "standard output",
    "data.py": INSTALLED,
    "cli/schema_export.py": INSTALLED,
    "tree/charts/recipes.py": INSTALLED,
    "text/shipped.py": INSTALLED,
    "cli/texts.py": INSTALLED,
    "simulate/report/html.py": INSTALLED,
    "drivers/schema/catalogue.py": INSTALLED,
    "lint/catalogue/table.py": INSTALLED,
    "api/remedies.py": INSTALLED,
    "migrate/mapping/questions.py": INSTALLED,
    "drivers/schema/parsed.py": INSTALLED,
    "lint/pages/": INSTALLED,
    "lint/report/text.py": INSTALLED,
    "regexp/classes.py": INSTALLED,
    "kube/pods/types.py": INSTALLED,
    "migrate/mapping/kind_table.py": INSTALLED,
    "scaffolding/recipes.py": INSTALLED,
    "tree/kustomize/parts/resources.py": INSTALLED,
    "confinement.py": "the system's own folders, which a confined program may read",
    "kube/schemas.py": GENERATOR,
    "tree/git/snapshots.py": GIT,
    "tree/git/ignored.py": GIT,
    "dsl/building/factories.py": PYTHON,
    "dsl/building/unused.py": PYTHON,
    "dsl/checking/python_places.py": PYTHON,
    "tree/kustomize/kustomization.py": "a real path, which is read by the tree",
}
# Modules that read a file by its name alone: the user has named it, or it is one of EXCEPTIONS.
NAMED = {
    "api/origins.py",  # its own table
    "cli/cel.py",
    "cli/cluster_objects.py",  # its own table
    "cli/migrate.py", "cli/schema_export.py", "cli/schema_input.py", "cli/to_python.py",
    "drivers/rewriting/conditions.py",  # its own table
    "drivers/schema/read.py", "lint/settings/rule_file.py", "lint/report/baseline.py",
    "lint/settings/config_file.py", "lint/input/reading.py", "recordings.py",
    "tree/git/work_trees.py", "lsp/answers/navigation.py", "lsp/texts/buffers.py",
    "migrate/planning/answers.py", "tree/applied/variable_values.py",
    "testing/__init__.py",
}  # fmt: skip

MODULES = sorted(path for path in PACKAGE.rglob("*.py"))


@functools.cache
def doors(source: str) -> set[str]:
    """What a module calls or imports of those functions and methods."""
    found = set()
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name in FUNCTIONS:
                found.add(name)
            elif isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
                # `Tree.read` and its like are no methods of paths.
                found.add(f".{node.func.attr}")
            elif (
                isinstance(node.func, ast.Attribute)
                and node.func.attr in ("glob", "open")
                and (isinstance(node.func.value, ast.Call | ast.BinOp) or name.startswith("path"))
            ):
                found.add(f".{node.func.attr}")
        elif isinstance(node, ast.ImportFrom) and node.module in (
            "os",
            "os.path",
            "glob",
            "shutil",
        ):
            found |= {f"{node.module}.{each.name}" for each in node.names} & FUNCTIONS
    return found


@functools.cache
def named_reads(source: str) -> bool:
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module == "dradsl.text.files"
        and any(each.name == "read_bytes" for each in node.names)
        for node in ast.walk(ast.parse(source))
    )


def reason_for(path: str) -> str | None:
    return next((why for start, why in EXCEPTIONS.items() if path.startswith(start)), None)


@pytest.mark.parametrize("path", [path.relative_to(PACKAGE).as_posix() for path in MODULES])
def test_a_module_has_no_door_of_its_own(path: str) -> None:
    source = (PACKAGE / path).read_text("utf-8")
    if reason_for(path) is None:
        assert doors(source) == set(), f"{path}: use dradsl/tree"
        assert not named_reads(source) or path in NAMED, f"{path}: use Tree.read"


def test_no_exception_is_without_need() -> None:
    used = {
        start
        for start in EXCEPTIONS
        for path in MODULES
        if (name := path.relative_to(PACKAGE).as_posix()).startswith(start)
        and (
            doors(path.read_text("utf-8")) or named_reads(path.read_text("utf-8")) or "tree" in name
        )
    }
    assert set(EXCEPTIONS) - used == set()
    reading = {
        path.relative_to(PACKAGE).as_posix()
        for path in MODULES
        if named_reads(path.read_text("utf-8"))
    }
    assert NAMED - reading == set()


@pytest.mark.parametrize(
    "text",
    ["open('a')", "os.walk('a')", "Path('a').rglob('*')", "path.read_text()", "os.path.islink(x)",
     "from os import walk", "glob.glob('*')", "(top / 'a').glob('*')", "path.open()"],
)  # fmt: skip
def test_the_test_sees_doors(text: str) -> None:
    assert doors(text)
