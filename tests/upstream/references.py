"""What our source says of upstream: every "Upstream: FUNCTION, … (FILE)" in comments and docstrings.

A comment stands directly above a function or class, and speaks of it; anywhere else it speaks of the
module. FUNCTION may be `Type.method`; a star stands for any text. FILE is the end of a recorded path.
"""

from __future__ import annotations

import ast
import fnmatch
import io
import re
import tokenize
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["PACKAGE", "Reference", "named", "references", "references_of"]

PACKAGE = Path(__file__).parents[2] / "dradsl"

_LINE = re.compile(r"Upstream: (?P<functions>[^()]+) \((?P<file>[^()]+)\)")


@dataclass(frozen=True)
class Reference:
    """That something of ours follows functions of a Go file."""

    ours: str
    """Dotted name in dradsl, such as "kube.validation.claim.check_claim"."""
    functions: tuple[str, ...]
    file: str

    def names(self, function: str) -> bool:
        """Whether a function of the file is meant."""
        return any(fnmatch.fnmatchcase(function, pattern) for pattern in self.functions)

    def in_file(self, path: str) -> bool:
        """Whether the recorded file is meant."""
        return fnmatch.fnmatchcase(path, self.file) or fnmatch.fnmatchcase(path, f"*/{self.file}")

    def is_exact(self, function: str) -> bool:
        """Whether the function is named in full, not by a star."""
        return function in self.functions


def references(root: Path = PACKAGE) -> Iterator[Reference]:
    """Every reference in the package."""
    for path in sorted(root.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "Upstream: " in text:
            parts = path.relative_to(root).with_suffix("").parts
            module = ".".join(part for part in parts if part != "__init__")
            yield from references_of(text, module)


def references_of(text: str, module: str) -> Iterator[Reference]:
    """The references in the source of a module."""
    tree = ast.parse(text)
    starts = _starts(tree, module)
    waiting: list[tuple[tuple[str, ...], str]] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            waiting += _read(token.string)
        elif token.type == tokenize.NL and not token.line.strip() and waiting:
            yield from (Reference(module, *each) for each in waiting)
            waiting = []
        elif waiting and token.type not in (tokenize.NL, tokenize.INDENT, tokenize.DEDENT):
            ours = starts.get(token.start[0], module)
            yield from (Reference(ours, *each) for each in waiting)
            waiting = []
    yield from (
        Reference(ours, *each) for ours, doc in _docstrings(tree, module) for each in _read(doc)
    )


def _read(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    for match in _LINE.finditer(" ".join(text.split())):
        yield tuple(name.strip() for name in match["functions"].split(",")), match["file"]


def _starts(tree: ast.Module, module: str) -> dict[int, str]:
    """Line of a function or class, its decorators included -> its dotted name."""
    found = {}
    for name, node in _named_nodes(tree, module):
        decorators = (each.lineno for each in node.decorator_list)
        found[min([node.lineno, *decorators])] = name
    return found


_Definition = ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef


def _named_nodes(tree: ast.Module | _Definition, prefix: str) -> Iterator[tuple[str, _Definition]]:
    for node in tree.body:
        if isinstance(node, _Definition):
            name = f"{prefix}.{node.name}"
            yield name, node
            yield from _named_nodes(node, name)


def _docstrings(tree: ast.Module, module: str) -> Iterator[tuple[str, str]]:
    """Owner and text of docstrings, those after fields of a class too."""
    yield module, ast.get_docstring(tree) or ""
    for name, node in _named_nodes(tree, module):
        for before, each in zip([None, *node.body], node.body, strict=False):
            if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant):
                field = ""
                if isinstance(before, ast.AnnAssign):
                    field = f".{ast.unparse(before.target)}"
                yield name + field, str(each.value.value)


def named(tables: Mapping[str, ast.Module]) -> set[str]:
    """The dotted names of modules, functions and classes in parsed sources."""
    found = set(tables)
    for module, tree in tables.items():
        found |= {name for name, _ in _named_nodes(tree, module)}
    return found
