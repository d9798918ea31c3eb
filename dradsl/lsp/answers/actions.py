"""What an editor offers to do about findings: their fixes, ignore comments, another API version; and formatting."""

from __future__ import annotations

from lsprotocol import types

from dradsl.lint.catalogue.rules import traits_of
from dradsl.lint.fixes.ignore_comment import ignore_comment
from dradsl.lsp.texts.cursor import cel_texts, source_of
from dradsl.text.edits import compatible, replace_node
from dradsl.tree.manifests.manifest import RESOURCE_GROUP, manifests_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dradsl.diagnostics import Edit, Finding
    from dradsl.lsp.texts.buffers import Buffer
    from dradsl.lsp.texts.cursor import Cel
    from dradsl.lsp.texts.places import Places
    from dradsl.text.documents import Stream

__all__ = ["KINDS", "actions", "formatted"]

FIX_ALL = "source.fixAll.dradsl"
KINDS = [types.CodeActionKind.QuickFix, types.CodeActionKind.RefactorRewrite, FIX_ALL]


def actions(
    buffer: Buffer,
    stream: Stream,
    findings: Sequence[Finding],
    at: tuple[int, int],
    places: Places,
    diagnostics: Sequence[types.Diagnostic],
    only: Sequence[str] | None,
) -> list[types.CodeAction]:
    """The actions for the part of a text from the first to the second offset."""

    def wants(kind: str) -> bool:
        return only is None or any(kind == each or kind.startswith(f"{each}.") for each in only)

    source = source_of(buffer.path, stream)
    found: list[types.CodeAction] = []
    for finding in findings:
        lines = stream.lines
        start = lines.offset(finding.span.line, finding.span.column)
        end = lines.offset(finding.span.end_line, finding.span.end_column)
        if start > at[1] or end < at[0] or not wants("quickfix"):
            continue
        about = [each for each in diagnostics if each.code == finding.code]
        if finding.fix is not None and finding.fix.edits:
            unsafe = "" if finding.fix.applicability == "safe" else " (changes the meaning)"
            found.append(
                types.CodeAction(
                    f"{finding.code}: {finding.fix.title}{unsafe}",
                    types.CodeActionKind.QuickFix,
                    about or None,
                    is_preferred=not unsafe or None,
                    edit=_edit(buffer, finding.fix.edits, places),
                )
            )
        comment = ignore_comment(source, finding) if traits_of(finding.code).ignore else None
        if comment is not None:
            found.append(
                types.CodeAction(
                    f"{finding.code}: ignore here",
                    types.CodeActionKind.QuickFix,
                    about or None,
                    edit=_edit(buffer, (comment,), places),
                )
            )
    if wants(FIX_ALL):
        fixes = [
            each.fix
            for each in findings
            if each.fix is not None and each.fix.applicability == "safe" and each.fix.edits
        ]
        edits = [edit for fix in compatible(stream.text, fixes) for edit in fix.edits]
        if edits:
            title, edit = "dradsl: apply all safe fixes", _edit(buffer, edits, places)
            found.append(types.CodeAction(title, FIX_ALL, edit=edit))
    if wants("refactor.rewrite"):
        found += _conversions(buffer, stream, at, places)
    return found


def _conversions(
    buffer: Buffer, stream: Stream, at: tuple[int, int], places: Places
) -> Iterator[types.CodeAction]:
    """`convert` of all objects of the file, offered where one of an older version stands."""
    source = source_of(buffer.path, stream)
    here = any(
        manifest.group == RESOURCE_GROUP
        and manifest.version != "v1"
        and manifest.document.start <= at[1]
        and manifest.document.end >= at[0]
        for manifest in manifests_of(source)
    )
    if not here:
        return
    from dradsl.migrate.convert import convert

    conversion = convert(source)
    if conversion.text != stream.text:
        edit = types.TextEdit(places.range(0, len(stream.text)), conversion.text)
        yield types.CodeAction(
            "Convert the objects of this file to resource.k8s.io/v1",
            types.CodeActionKind.RefactorRewrite,
            edit=types.WorkspaceEdit(changes={buffer.uri: [edit]}),
        )


def _edit(buffer: Buffer, edits: Iterable[Edit], places: Places) -> types.WorkspaceEdit:
    changes = [types.TextEdit(places.range_of(each.span), each.new_text) for each in edits]
    return types.WorkspaceEdit(changes={buffer.uri: changes})


def formatted(path: str, stream: Stream, places: Places) -> list[types.TextEdit]:
    """Edits that give each selector the form of `dradsl cel fmt`; what cannot be parsed stays."""
    found = []
    for cel in cel_texts(path, stream):
        edit = _formatted(cel, places)
        if edit is not None:
            found.append(edit)
    return found


def _formatted(cel: Cel, places: Places) -> types.TextEdit | None:
    from dradsl.cel.syntax.parse import CelSyntaxError
    from dradsl.cel.syntax.printer import format_expression

    try:
        text = format_expression(cel.text)
    except CelSyntaxError:
        return None
    if text == cel.text.rstrip("\n") or not cel.ranges or not cel.node.lines.editable:
        return None
    node = cel.node
    if node.style == "|":
        # The lines of the block keep their indentation; what follows the last one stays.
        first, last = cel.ranges[0][0], cel.ranges[len(cel.text.rstrip("\n")) - 1][1]
        column = places.position(first).character
        new = text.replace("\n", "\n" + " " * column)
        if not cel.text[:1].isspace():
            return types.TextEdit(places.range(first, last), new)
        return None
    if node.style == ">" or "\n" in text or node.tag is not None:
        return None
    change = replace_node(node, text)
    return types.TextEdit(places.range(node.start, node.end), change.new_text)
