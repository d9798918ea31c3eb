"""`dradsl cel`: check, evaluate, explain and format CEL device selectors."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dradsl.cli.cluster_options import FORMAT, GATES, RELEASE, parse_gates, release_and_features
from dradsl.cli.commands import CommandGroup
from dradsl.cli.errors import InputError
from dradsl.cli.options import choice, flag, options_decorator, string
from dradsl.cli.say import is_quiet, note, put, say, say_json, say_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dradsl.cel.dra import CompiledSelector, DeviceView
    from dradsl.cli.options import OptionValues
    from dradsl.diagnostics import Finding
    from dradsl.kube.server.api_server import ExpressionVerdict
    from dradsl.values.json_types import JsonMapping, JsonObject

__all__ = ["command"]


@click.group("cel", cls=CommandGroup)
def command() -> None:
    """Check, evaluate, explain and format CEL device selectors.

    EXPRESSION is a CEL expression, a file that holds one, or `-` for standard input.
    """


_ENVIRONMENT = (
    RELEASE,
    GATES,
    choice(
        "--mode",
        ("new", "stored"),
        "new: as the API server checks a new expression; stored: as the scheduler reads a stored one.  [default: new]",
        default="new",
    ),
    FORMAT,
)
_CLASS = string(
    "--class",
    "NAME",
    "The selector is of a request for this DeviceClass. Default: of a DeviceClass.",
)


def _read(expression: str) -> str:
    """The expression itself, or what a file or standard input holds."""
    return _read_with_file(expression)[0]


def _read_with_file(expression: str) -> tuple[str, bytes | None]:
    """The expression, and what the file holds if it is one."""
    from dradsl.text.files import FileError, read_bytes, read_standard_input

    path = Path(expression)
    try:
        if expression == "-":
            return read_standard_input().decode().rstrip("\n"), None
        if len(expression) < 256 and "\n" not in expression and path.is_file():
            data = read_bytes(path)
            return data.decode().rstrip("\n"), data
    except (FileError, UnicodeDecodeError, ValueError) as error:
        raise click.UsageError(str(error)) from None
    if path.suffix in (".cel", ".txt", ".yaml") and not any(map(str.isspace, expression)):
        raise InputError(f"no such file or directory: {expression}")
    return expression, None


def _compile(text: str, options: OptionValues) -> CompiledSelector:
    from dradsl.cel.dra import compile_selector

    release, features = release_and_features(options)
    return compile_selector(text, release, features, options["mode"])


@command.command("check")
@click.argument("expression")
@options_decorator((_CLASS, *_ENVIRONMENT))
def check(expression: str, **options: Any) -> None:
    """Say whether the API server accepts a selector, and what `dradsl lint` finds in it.

    Exit code 1 if the API server does not accept it, or if a finding is an error.
    """
    from dradsl.kube.server.api_server import ApiServer

    text = _read(expression)
    judgement = ApiServer(*release_and_features(options)).expression(text, options["mode"])
    rejection = _rejection(judgement)
    found = _findings(text, options["class"], options)
    if options["output_format"] == "json":
        rows = [
            {
                "code": each.code,
                "severity": each.severity.value,
                "line": each.span.line,
                "column": each.span.column,
                "message": each.message,
                "help": each.help,
            }
            for each in found
        ]
        verdict = _verdict(text, judgement, rejection)
        say_json(verdict | {"findings": rows})
    elif rejection is not None:
        say_lines(rejection)
        for advice in () if judgement.fault is None else judgement.fault.advice():
            if advice is not None:
                say_lines(f"help: {advice}")
    else:
        say(f"ok: {judgement.result_type}, cost at most {judgement.cost}")
    if options["output_format"] != "json":
        for each in found:
            if each.code.startswith("DRA1") and rejection is not None:
                continue  # said as the API server says it
            place = f"{each.span.line}:{each.span.column}"
            say_lines(f"{each.severity.value}: {place}: {each.code}: {each.message}")
            if each.help:
                say_lines(f"help: {each.help}")
    wrong = any(each.severity.value == "error" for each in found)
    sys.exit(1 if wrong or rejection is not None else 0)


def _findings(text: str, class_name: str | None, options: OptionValues) -> tuple[Finding, ...]:
    """What lint reports of the selector; of a stored one what the server that stored it accepted."""
    from dradsl.lint.engine.one_selector import findings_of_selector
    from dradsl.lint.settings.config import LintConfig

    release, _ = release_and_features(options)
    gates = parse_gates(options["feature_gates"])
    config = LintConfig(root=".", kube_version=(release.name,), feature_gates=gates)
    found = findings_of_selector(text, config, class_name)
    if options["mode"] == "stored":
        return tuple(each for each in found if each.code.startswith("DRA2"))
    return found


def _rejection(judgement: ExpressionVerdict) -> str | None:
    """Why the API server rejects the selector, None if it takes it."""
    error = judgement.error
    if error is None:
        return None
    if judgement.cost is not None:
        from dradsl.cel.dra import COST_LIMIT

        return f"{error.detail} (estimate {_cost(judgement.cost)}, limit {COST_LIMIT})"
    return error.detail if judgement.fault is not None else error.message


def _verdict(text: str, judgement: ExpressionVerdict, rejection: str | None) -> dict[str, object]:
    from dradsl.cel.checker.display import position

    issues = () if judgement.fault is None else judgement.fault.issues
    return {
        "accepted": rejection is None,
        "rejection": rejection,
        "issues": [
            {
                "line": position(text, issue.start)[0],
                "column": position(text, issue.start)[1],
                "message": issue.message,
                "reason": issue.reason,
            }
            for issue in issues
        ],
        "type": judgement.result_type,
        "maxCost": judgement.cost,
    }


# -- eval ----------------------------------------------------------------------------------


@command.command("eval")
@click.argument("expression")
@click.option(
    "--slices",
    "paths",
    multiple=True,
    required=True,
    type=click.Path(exists=True, path_type=Path),
    help="Files or folders with ResourceSlices. Repeatable.",
)
@options_decorator(_ENVIRONMENT)
def evaluate(expression: str, paths: tuple[Path, ...], **options: Any) -> None:
    """Show which recorded devices match, what each evaluation costs, and which clause fails for the others.

    Exit code 1 if the API server rejects the expression, no device matches, or an evaluation fails.
    """
    from dradsl.kube.server.api_server import ApiServer

    text = _read(expression)
    selector = _compile(text, options)
    judgement = ApiServer(*release_and_features(options)).expression(text, options["mode"])
    rejection = _rejection(judgement)
    if rejection is not None:  # what is only too long or too costly is evaluated all the same
        say_lines(rejection, err=options["output_format"] == "json" and selector.error is None)
        if selector.error is not None:
            sys.exit(1)
    rows = list(_rows(selector, _devices(paths), explains=rejection is None))
    if not rows:
        raise click.UsageError("no ResourceSlice with devices was found")
    if options["output_format"] == "json":
        say_json(rows)
    else:
        _print_rows(rows)
    matched = sum(row["match"] is True for row in rows)
    failed = sum(row["match"] is None for row in rows)
    sys.exit(0 if matched and not failed and rejection is None else 1)


def _rows(
    selector: CompiledSelector, devices: Iterable[tuple[str, DeviceView]], *, explains: bool
) -> Iterator[dict[str, object]]:
    """One row a device. What reads nothing of the device is evaluated once."""
    is_constant = selector.reads == frozenset()
    known: dict[tuple[str | None, str | None], dict[str, object]] = {}
    for name, view in devices:
        if not is_constant:
            yield _row(selector, name, view, explains)
            continue
        kind = (view.problem, view.list_attribute)
        if kind not in known:
            known[kind] = _row(selector, name, view, explains)
        yield {**known[kind], "device": name}


def _devices(paths: tuple[Path, ...]) -> Iterator[tuple[str, DeviceView]]:
    from dradsl.allocator.inventory.slices import InventoryError, SliceReader, slice_in_v1
    from dradsl.recordings import find_recordings, read_recording
    from dradsl.simulate.input.ailments import unread_fields

    reader = SliceReader()
    try:
        for path in paths:
            for file in find_recordings(path):
                for document in read_recording(file):
                    if document.get("kind") == "ResourceSlice":
                        found = slice_in_v1(document)
                        try:
                            reader.read(found)  # says what is wrong, and where
                        except InventoryError as error:
                            raise InventoryError(f"{file}: {error}") from error
                        yield from _devices_of(found.get("spec") or {}, str(file))
    except (ValueError, OSError) as error:
        raise click.UsageError(str(error)) from None
    for one in unread_fields(reader.unread):
        note(f"note: {one.subject}: {one.text}")


def _devices_of(spec: JsonMapping, file: str) -> Iterator[tuple[str, DeviceView]]:
    """The devices of a slice in the shape of v1, which `file` holds."""
    from dradsl.cel.dra import device_view
    from dradsl.values.quantity import QuantityError

    driver, pool = str(spec.get("driver") or ""), (spec.get("pool") or {}).get("name") or ""
    for device in spec.get("devices") or ():
        name = f"{driver}/{pool}/{device.get('name') or ''}"
        try:
            yield name, device_view(driver, device)
        except QuantityError as error:
            raise click.UsageError(f"{file}: device {name}: {error}") from None


def _row(
    selector: CompiledSelector, name: str, view: DeviceView, explains: bool
) -> dict[str, object]:
    from dradsl.cel.runtime.values import CelRuntimeError

    row: dict[str, object] = {"device": name}
    try:
        result, row["cost"] = selector.match_with_cost(view)
        if isinstance(result, CelRuntimeError):
            raise result
        row["match"] = result
    except CelRuntimeError as error:
        row["match"], row["error"] = None, error.message
    # The cost of a clause alone has no limit.
    if row["match"] is not True and view.problem is None and explains:
        row["clauses"] = list(_clauses(selector, view))
    return row


def _clauses(selector: CompiledSelector, view: DeviceView) -> Iterator[dict[str, object]]:
    from dradsl.cel.explain import clauses, shown_value

    if selector.program is None:
        return
    for clause in clauses(selector.program):
        outcome = clause.outcome([view.value])
        yield {
            "clause": clause.text,
            "result": outcome.value if outcome.error is None else None,
            **({"error": outcome.error.message} if outcome.error else {}),
            "seen": {text: shown_value(value) for text, value in outcome.seen},
        }


_MARKS = {True: "yes", False: "no", None: "error"}


def _print_rows(rows: list[JsonObject]) -> None:
    from dradsl.cel.explain import shown_value
    from dradsl.values.counted import plural

    for row in rows:
        cost = f"  cost {row['cost']}" if "cost" in row else ""
        error = f"  {row['error']}" if "error" in row else ""
        say(f"{_MARKS[row['match']]:<5}  {row['device']}{cost}{error}")
        for clause in row.get("clauses", ()):
            result = clause["result"]
            mark = _MARKS.get(result, shown_value(result)) if "error" not in clause else "error"
            say(f"         {mark:<5}  {_flat(clause['clause'])}")
            if result is not True:
                for text, value in clause["seen"].items():
                    say(f"                  {_flat(text)} is {value}")
    matched = sum(row["match"] is True for row in rows)
    failed = sum(row["match"] is None for row in rows)
    trailer = f", {failed} fail" if failed else ""
    if not is_quiet():
        say(f"{matched} of {plural(len(rows), 'device')} match{trailer}")


def _flat(text: str) -> str:
    """A part of an expression on one line."""
    return " ".join(text.split())


# -- explain and fmt -----------------------------------------------------------------------


@command.command("explain")
@click.argument("expression")
@options_decorator(_ENVIRONMENT)
def explain(expression: str, **options: Any) -> None:
    """Show the parts of an expression with their types and costs."""
    from dradsl.cel.explain import parts

    text = _read(expression)
    selector = _compile(text, options)
    if selector.program is None:
        say_lines(selector.error.detail if selector.error else "")
        sys.exit(1)
    rows = [
        {
            "text": " ".join(part.text.split()),
            "level": part.level,
            "type": str(part.type),
            "cost": None if part.cost is None else part.cost.max,
        }
        for part in parts(selector.program)
    ]
    if options["output_format"] == "json":
        say_json(rows)
        return
    for row in rows:
        cost = "" if row["cost"] is None else f"  (cost {_cost(row['cost'])})"
        say(f"{'  ' * int(row['level'] or 0)}{row['text']}: {row['type']}{cost}")
    read = sorted(selector.reads) if selector.reads is not None else None
    shown = "anything" if read is None else ", ".join([".".join(path) for path in read])
    say(f"reads: {shown or 'nothing'}")


def _cost(cost: Any) -> str:
    return "without bound" if cost == 2**64 - 1 else str(cost)


@command.command("fmt")
@click.argument("expression")
@options_decorator(
    (
        flag("--check", "Write nothing. Exit with 1 if the form differs."),
        flag("--write", "Rewrite the file that EXPRESSION names."),
    )
)
def fmt(expression: str, check: bool, write: bool) -> None:
    """Print an expression in one form."""
    from dradsl.cel.checker.display import render
    from dradsl.cel.syntax.parse import CelSyntaxError
    from dradsl.cel.syntax.printer import format_expression
    from dradsl.text.files import FileError
    from dradsl.tree.replacing import write_bytes

    text, before = _read_with_file(expression)
    try:
        formatted = format_expression(text)
    except CelSyntaxError as error:
        say_lines(render(text, [(issue.start, issue.message) for issue in error.issues]))
        say_lines(f"help: {error.help}")
        sys.exit(1)
    if check:
        sys.exit(0 if formatted == text else 1)
    if write:
        if before is None:
            raise click.UsageError("--write needs a file")
        if formatted != text:
            try:
                write_bytes(expression, (formatted + "\n").encode(), expected=before)
            except FileError as error:
                raise click.UsageError(str(error)) from None
        return
    put(f"{formatted}\n")
