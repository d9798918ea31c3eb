"""The configuration of a lint run: what may be set, where it is found, how the call overrides it.

A configuration is `[tool.dradsl]` of a pyproject.toml, or a `.dradsl.yaml`; its keys are those of
`dradsl.lint.settings.options`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from dradsl.diagnostics import Finding, Severity
from dradsl.lint.settings.options import (
    MOST_ENTRIES,
    OPTIONS,
    InvalidValueError,
    Merge,
    expect_known,
    nearest,
)
from dradsl.lint.settings.problems import ConfigError
from dradsl.lint.settings.selection import path_matches, selects
from dradsl.records import Record, field, once, replace
from dradsl.text.files import FileError, StrPath, absolute, relative, work_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal, TypeAlias

    from dradsl.lint.custom.model import CustomRule
    from dradsl.tree.files import Tree

__all__ = [
    "ConfigError",
    "Configs",
    "FailOn",
    "LintConfig",
    "expect_no_links_out",
    "find_config",
    "load_config",
    "merge",
    "read_config",
    "tree_of",
    "unread_configs",
]

FailOn: TypeAlias = "Literal['error', 'warning', 'info', 'never']"


class LintConfig(Record):
    """Every option of a lint run, checked, with paths that hold in the working directory.

    `root` is the folder that path patterns are relative to; `source` is the file it came from,
    if any. `kube_version` are names of releases, none meaning the newest that dradsl knows.
    `severity` is the least severe that is shown, `fail_on` the least that fails the run. `timeout` is in seconds.
    `own` are the rules in the files that `custom_rules` names. With `isolated` no installed package counts.
    """

    root: StrPath
    source: StrPath | None = None
    preset: str = "default"
    select: tuple[str, ...] = ("ALL",)
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    severities: Mapping[str, Severity] = field(default_factory=dict)
    custom_rules: tuple[StrPath, ...] = ()
    severity: Severity = Severity.INFO
    fail_on: FailOn = "warning"
    kube_version: tuple[str, ...] = ()
    feature_gates: Mapping[str, bool] = field(default_factory=dict)
    slices: tuple[StrPath, ...] = ()
    context: tuple[StrPath, ...] = ()
    driver_schema: tuple[StrPath, ...] = ()
    driver_versions: Mapping[str, str] = field(default_factory=dict)
    exclude: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    fail_if_empty: bool = False
    known_classes: bool = True
    node_order: str = "score"
    substitute: tuple[StrPath, ...] = ()
    namespace: str | None = None
    baseline: StrPath | None = None
    output_format: str = "text"
    timeout: float | None = None
    own: tuple[CustomRule, ...] = ()
    isolated: bool = False

    @property
    def outside(self) -> StrPath | None:
        """The tree outside of which installed packages bring driver schemas; None if none of them counts."""
        return None if self.isolated else self.root

    @property
    def reports_all(self) -> bool:
        """Whether every rule is on because nothing is said of any."""
        return self.preset == "default" and self.select == ("ALL",) and not self.ignore

    def enabled(self, code: str, name: str) -> bool:
        """Whether a rule is on: the narrowest selector decides, of equal ones `ignore`.

        What the preset leaves out is on where a selector names it as narrowly.
        """
        chosen = _weight((*self.select, *self.extend_select), code, name)
        if chosen <= _weight(self.ignore, code, name):
            return False
        if self.preset == "default":
            return True
        return self._of_preset(code) != "off" or chosen >= len(code)

    def may_skip(self, code: str, name: str) -> bool:
        """Whether a rule is off, or `per-file-ignores` turns it off for some files."""
        ignored = self.per_file_ignores.values()
        return not self.enabled(code, name) or any(_weight(each, code, name) for each in ignored)

    def severity_of(self, finding: Finding) -> Severity:
        """The severity that a finding gets: by `severities`, else by the preset, else its own."""
        chosen, weight = None, 0
        for selector, severity in self.severities.items():
            found = selects(selector, finding.code, finding.name)
            if found >= weight and found:
                chosen, weight = severity, found
        if chosen is not None:
            return chosen
        given = None if self.preset == "default" else self._of_preset(finding.code)
        return finding.severity if given is None or given == "off" else Severity(given)

    def _of_preset(self, code: str) -> str | None:
        from dradsl.lint.catalogue.presets import presets

        rows = presets()[self.preset].rows
        return next((row.severity for row in rows if row.code == code), None)

    def fails(self, findings: Iterable[Finding]) -> bool:
        """Whether one of the findings fails the run."""
        if self.fail_on == "never":
            return False
        return any(each.severity.rank <= Severity(self.fail_on).rank for each in findings)

    def asks_for(self, code: str, name: str) -> bool:
        """Whether a rule was chosen by more than `ALL`: who did so wants to know why it did not run."""
        return any(
            selector.strip().upper() != "ALL" and selects(selector, code, name) > 0
            for selector in (*self.select, *self.extend_select)
        )

    def ignored_in(self, path: StrPath, code: str, name: str) -> bool:
        """Whether `per-file-ignores` turns the rule off for the file."""
        if not self.per_file_ignores:
            return False
        shown = relative(path, self.root)
        return any(
            _weight(selectors, code, name) > 0 and path_matches(pattern, shown)
            for pattern, selectors in self.per_file_ignores.items()
        )

    def excluded(self, path: StrPath) -> bool:
        """Whether `exclude` leaves the file out."""
        return self._matches(self.exclude, path)

    def included(self, path: StrPath) -> bool:
        """Whether `include` names the file, so that it is read whatever its ending is."""
        return self._matches(self.include, path)

    def _matches(self, patterns: tuple[str, ...], path: StrPath) -> bool:
        if not patterns:
            return False
        shown = relative(path, self.root)
        return any(path_matches(pattern, shown) for pattern in patterns)


def _weight(selectors: tuple[str, ...], code: str, name: str) -> int:
    return max((selects(selector, code, name) for selector in selectors), default=0)


def merge(
    config: LintConfig,
    overrides: Mapping[str, object],
    base: StrPath | None = None,
    known: Sequence[CustomRule] = (),
) -> LintConfig:
    """`config` with what the call says: the same keys and shapes as in the file, None for unset.

    Lists of rules to ignore and of files to exclude grow, tables gain entries, everything else is
    replaced; `select` also sets aside the file's `extend-select`. Paths are relative to `base`,
    the working directory. `known` are rules of a team that the call may name, though `config` has none
    of them.

    Raises:
        ConfigError: for a value that the option does not take; it names the option as --key.
    """
    root = base or os.getcwd()
    # The table of options ties each key to its field and type.
    changes: dict[str, Any] = {}
    if overrides.get("select") is not None:
        changes["extend_select"] = ()
    for key, value in overrides.items():
        if value is None:
            continue
        option = OPTIONS[key]
        try:
            read = option.read(value, root)
        except InvalidValueError as error:
            raise ConfigError(None, f"{_as_flag(key)}: {error}") from error
        old = changes.get(option.field, getattr(config, option.field))
        changes[option.field] = _combined(option.merge, old, read)
    if "custom_rules" in changes:
        changes["own"] = _own_rules(changes["custom_rules"], None, None)
    merged = replace(config, **changes)
    for key, value in overrides.items():
        if value is not None and OPTIONS[key].names_rules:
            try:
                expect_known(getattr(merged, OPTIONS[key].field), (*merged.own, *known))
            except InvalidValueError as error:
                raise ConfigError(None, f"{_as_flag(key)}: {error}") from error
    return merged


def _combined(how: Merge, old: object, new: object) -> object:
    if how == "extend" and isinstance(old, tuple) and isinstance(new, tuple):
        return (*old, *new)
    if how == "update" and isinstance(old, Mapping) and isinstance(new, Mapping):
        return MappingProxyType({**old, **new})
    return new


def _as_flag(key: str) -> str:
    """How a call gives the key."""
    is_option = OPTIONS[key].help is not None or key in ("kube-version", "feature-gates")
    return f"--{key}" if is_option else f"--config {key}"


# --- files ---


def find_config(start: StrPath, known: dict[str, str | None] | None = None) -> str | None:
    """The configuration that holds for files in the folder `start`.

    Folders are searched upwards, up to the one that holds `.git`. In one folder `.dradsl.yaml`
    comes before pyproject.toml, which counts only where it mentions dradsl as a tool. `known` keeps
    what holds for the folders on the way.
    """
    known = {} if known is None else known
    folder, passed = absolute(start), []
    while folder not in known:
        passed.append(folder)
        found = _config_in(folder)
        outer = os.path.dirname(folder)
        if found or outer == folder or os.path.exists(os.path.join(folder, ".git")):
            known[folder] = found
        else:
            folder = outer
    known.update(dict.fromkeys(passed, known[folder]))
    return known[folder]


def _config_in(folder: str) -> str | None:
    """The configuration that stands in a folder."""
    own = os.path.join(folder, ".dradsl.yaml")
    if os.path.isfile(own):
        return own
    project = os.path.join(folder, "pyproject.toml")
    return project if os.path.isfile(project) and _is_ours(project) else None


def unread_configs(start: StrPath, used: StrPath | None) -> Iterator[tuple[str, str]]:
    """Files on the way to the configuration `used` that look like one and are not read, each with the reason."""
    folder = absolute(start)
    last = None if used is None else os.path.dirname(absolute(used))
    while True:
        other = os.path.join(folder, ".dradsl.yml")
        if os.path.isfile(other):
            yield relative(other, start), "the name is .dradsl.yaml"
        if folder == last and os.path.basename(os.fspath(used or "")) == ".dradsl.yaml":
            project = os.path.join(folder, "pyproject.toml")
            if os.path.isfile(project) and _has_table(project):
                yield f"[tool.dradsl] of {relative(project, start)}", ".dradsl.yaml comes before it"
        outer = os.path.dirname(folder)
        if folder in (last, outer) or os.path.exists(os.path.join(folder, ".git")):
            return
        folder = outer


def _has_table(project: str) -> bool:
    """Whether a file that is not read has our table, by its header alone."""
    from dradsl.tree.files import Tree

    try:
        content = Tree.around(os.path.dirname(project)).read(project)
    except FileError:
        return False
    return any(line.strip() == b"[tool.dradsl]" for line in content.splitlines())


def _is_ours(project: str) -> bool:
    """Whether a pyproject.toml has a table for dradsl; one from elsewhere is not looked into further."""
    from dradsl.lint.settings.config_file import speaks_of_dradsl, tool_table
    from dradsl.tree.files import Tree

    if Tree((os.path.realpath(tree_of(project)),)).real(project) is None:
        return speaks_of_dradsl(project)
    return tool_table(project) is not None


def load_config(start: StrPath, explicit: StrPath | None = None) -> LintConfig:
    """The configuration for files in the folder `start`: `explicit` if given, else as found.

    Raises:
        ConfigError: if the file cannot be read or says something unknown.
    """
    if explicit is not None:
        return read_config(explicit)
    path = find_config(start)
    return LintConfig(root=os.getcwd()) if path is None else read_config(path, tree_of(path))


class Configs:
    """Configurations by folder, each file read once; `explicit` holds for all of them."""

    __slots__ = ("_by_file", "_by_folder", "_explicit", "_found")

    def __init__(self, explicit: StrPath | None = None) -> None:
        self._explicit = explicit
        self._found: dict[str, str | None] = {}
        self._by_folder: dict[StrPath, LintConfig] = {}
        self._by_file: dict[StrPath | None, LintConfig] = {}

    def for_folder(self, folder: StrPath) -> LintConfig:
        """As `load_config`; an outer folder's file is not read again for an inner one."""
        return once(self._by_folder, folder, self._load)

    def _load(self, folder: StrPath) -> LintConfig:
        path = self._explicit or find_config(folder, self._found)
        return once(self._by_file, path, lambda _: load_config(folder, self._explicit))


def read_config(path: StrPath, tree: StrPath | None = None) -> LintConfig:
    """Read a configuration file: [tool.dradsl] of a *.toml, else YAML.

    `tree` is given for a file that was found, not named: neither the file nor what its options
    name may lie outside of that folder, also by way of links.

    Raises:
        ConfigError: if it cannot be read, says something unknown, or leads out of `tree`.
    """
    from dradsl.lint.settings.config_file import read_table
    from dradsl.tree.files import Tree
    from dradsl.values.shown import shown

    within = None if tree is None else Tree((os.path.realpath(tree),))
    if within is not None and within.real(path) is None:
        # Nothing is said of what it holds: it may be anything that this user can read.
        raise ConfigError(path, f"is a link out of {tree}; it is read if --config names it")
    data, line_of = read_table(path)
    root = os.path.dirname(absolute(path))
    values: dict[str, Any] = {}
    for key, value in data.items():
        option = OPTIONS.get(key)
        if option is None:
            message = f"unknown option {shown(key)}{nearest(str(key), tuple(OPTIONS))}"
            raise ConfigError(path, message, line_of(key))
        try:
            values[option.field] = read = option.read(value, root)
        except InvalidValueError as error:
            raise ConfigError(path, f"{key}: {error}", line_of(key)) from error
        for named in option.paths_in(read):
            if within is not None and within.real(named) is None:
                message = f"{key}: {shown(named)} is outside {tree}; the call may name it: --{key}"
                raise ConfigError(path, message, line_of(key))
    if values.get("custom_rules"):
        values["own"] = _own_rules(values["custom_rules"], path, line_of("custom-rules"))
    for key in data:
        option = OPTIONS[key]
        if option.names_rules:
            try:
                expect_known(values[option.field], values.get("own", ()))
            except InvalidValueError as error:
                raise ConfigError(path, f"{key}: {error}", line_of(key)) from error
    return LintConfig(root=root, source=path, **values)


def _own_rules(
    files: Sequence[StrPath], path: StrPath | None, line: int | None
) -> tuple[CustomRule, ...]:
    """The rules in the files that `custom-rules` names.

    Raises:
        ConfigError: for a file that cannot be used, and for rules with the same name.
    """
    from dradsl.lint.catalogue.rules import RULES
    from dradsl.lint.settings.rule_file import read_rule_file

    names = {rule.name: rule.code for rule in RULES.values()}
    found: dict[str, CustomRule] = {}
    for file in files:
        for rule in read_rule_file(file):
            other = names.setdefault(rule.name, rule.code)
            if rule.code in found:
                where = f"{found[rule.code].source}:{found[rule.code].line}"
                raise ConfigError(file, f"the code {rule.code} is used in {where} too", rule.line)
            if other != rule.code:
                raise ConfigError(file, f"the name {rule.name} is that of {other}", rule.line)
            found[rule.code] = rule
    if len(found) > MOST_ENTRIES:
        raise ConfigError(
            path, f"custom-rules: {len(found)} rules; the limit is {MOST_ENTRIES}", line
        )
    return tuple(found.values())


def tree_of(path: StrPath) -> str:
    """The tree that a configuration which was found is for: its git work tree, else its folder."""

    folder = os.path.dirname(absolute(path))
    return work_tree(folder) or folder


def expect_no_links_out(config: LintConfig, tree: StrPath, call: Mapping[str, object]) -> None:
    """Reject links out of `tree` in what a configuration that was found names, but not the `call`.

    Raises:
        ConfigError: with the first such link; the message does not name its target.
    """
    from dradsl.tree.files import Tree
    from dradsl.values.shown import shown

    for option in OPTIONS.values():
        named = getattr(config, option.field)
        if call.get(option.key) is not None:
            continue
        for path in option.paths_in(named):
            for link in _links_out(path, Tree((os.path.realpath(tree),))):
                message = f"{option.key}: {shown(link)} is a link out of {tree}"
                raise ConfigError(config.source, f"{message}; the call may name it: --{option.key}")


def _links_out(path: str, tree: Tree) -> Iterator[str]:
    """The links out of a tree at a path, below it, and among what a pattern finds."""
    for each in tree.glob(path) if not os.path.lexists(path) else [path]:
        if tree.real(each) is None:
            yield each
        elif os.path.isdir(each):
            yield from (link for link in tree.files(each) if tree.real(link) is None)
