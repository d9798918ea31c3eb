"""One `dradsl lint` call as a value: which files, which configuration for each, what to read."""

from __future__ import annotations

import os

from dradsl.lint.settings.config import (
    Configs,
    LintConfig,
    expect_no_links_out,
    merge,
    tree_of,
)
from dradsl.records import Record, cached, field, replace
from dradsl.releases import expect_switches, newest_release, parse_releases
from dradsl.text.files import StrPath, absolute
from dradsl.tree.inputs.sources import OUTSIDE, Input, UsageProblem, find_inputs
from dradsl.values.counted import plural
from dradsl.values.deadline import NO_DEADLINE, Deadline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from dradsl.lint.custom.model import CustomRule
    from dradsl.lint.engine.state import RunInput
    from dradsl.lint.report.model import Report
    from dradsl.text.documents import Stream
    from dradsl.tree.rendering.renderer import Renderer

    Recorded = Callable[[Sequence[StrPath]], tuple[Mapping[str, object], ...]]

__all__ = ["Session", "overrides_of"]


def _in_order(name: str) -> tuple[int, ...]:
    return tuple(int(part) for part in name.split(".") if part.isdigit())


# Options of the call that name rules.
_NAMING = ("select", "extend-select", "ignore")


def overrides_of(**given: Any) -> dict[str, object]:
    """The keys of a configuration that a call gives, on the command line, from Python or in an editor.

    What is empty counts as not given: the configuration files say it then.

    Args:
        given: values by the names of configuration keys, with underscores.

    Raises:
        TypeError: for a name that is no key, and for a feature gate that is neither True nor False.
    """
    from dradsl.lint.settings.options import OPTIONS

    if gates := given.get("feature_gates"):
        expect_switches(gates)
    keys = {name: OPTIONS.get(name.replace("_", "-")) for name in given}
    if unknown := [name for name, key in keys.items() if key is None]:
        raise TypeError(f"no key of a configuration: {', '.join(unknown)}")
    found = {key.key: key.given(given[name]) for name, key in keys.items() if key is not None}
    return {key: value for key, value in found.items() if value is not None}


class Session(Record):
    """Paths and options as the user gave them; configurations are found and merged on the way.

    The command line and `dradsl.lint` both make one, read it, lint what was read, and leave out what the
    baseline accepts. `overrides` are configuration keys given in the call. With `isolated` no configuration file is
    looked for, and a time limit holds if the call has none: the files are a stranger's. `config_file` names the only one. With `each_file` a file that the call names is
    skipped, like one found in a folder, if nothing in it looks like Kubernetes: hooks are handed names
    that were not chosen. `listing` asks for all that is left out. `build_with` names programs that render.
    """

    paths: tuple[str, ...]
    overrides: Mapping[str, object] = field(default_factory=dict)
    config_file: StrPath | None = None
    isolated: bool = False
    stdin_name: str = "<stdin>"
    since: str | None = None
    each_file: bool = False
    listing: bool = False
    build_with: tuple[str, ...] = ()

    @cached
    def _files(self) -> Configs:
        return Configs(self.config_file)

    @cached
    def _by_folder(self) -> dict[str, LintConfig]:
        """The configurations found so far."""
        return {}

    def config_of(self, name: str) -> LintConfig:
        """The configuration for a file, as findings name it.

        Raises:
            ConfigError: if a configuration file or an option of the call cannot be used.
        """
        folder = os.path.dirname(name)
        if folder not in self._by_folder:
            if self.isolated:
                from dradsl.values.limits import ISOLATED_SECONDS

                base = LintConfig(root=os.getcwd(), timeout=ISOLATED_SECONDS, isolated=True)
            else:
                base = self._files.for_folder(absolute(folder))
            self._by_folder[folder] = merge(base, self.overrides, known=self._known(base))
        return self._by_folder[folder]

    def _known(self, base: LintConfig) -> tuple[CustomRule, ...]:
        """The rules of a team that the call may name: those of the run, whichever file is at hand."""
        if self.isolated or not any(self.overrides.get(key) for key in _NAMING):
            return ()
        run = self._files.for_folder(absolute(self._folder))
        return () if run is base else run.own

    @property
    def _folder(self) -> str:
        """The folder whose configuration holds for the run as a whole."""
        if len(self.paths) != 1:
            return ""
        path = self.paths[0]
        if path == "-":
            return os.path.dirname(self.stdin_name)
        return path if os.path.isdir(path) else os.path.dirname(path)

    def config(self) -> LintConfig:
        """The configuration of the run as a whole: that of the one path, or of the working directory.

        Raises:
            ConfigError: as `config_of`.
        """
        return self.config_of(os.path.join(self._folder, "x"))

    def _inventory(self, recorded: Recorded | None) -> tuple[Mapping[str, object], ...]:
        paths = self.config().slices
        if not paths:
            return ()
        from dradsl.recordings import RecordingError, find_recordings, read_recording

        try:
            if recorded is not None:
                return recorded(paths)
            return tuple(
                each
                for path in paths
                for file in find_recordings(path)
                for each in read_recording(file)
            )
        except RecordingError as error:
            raise UsageProblem(f"--slices: {error}") from error

    def _given(self) -> Mapping[str, str]:
        """The values of variables that the call and the configuration give."""
        entries = self.config().substitute
        if not entries:
            return {}
        from dradsl.tree.applied.variable_values import VariablesError, read_variables

        try:
            return read_variables(str(each) for each in entries)
        except VariablesError as error:
            raise UsageProblem(f"--substitute: {error}") from error

    def _renderer(self, deadline: Deadline) -> Renderer | None:
        """What runs the programs that the call names; no configuration can name one."""
        if not self.build_with:
            return None
        from dradsl.tree.rendering.programs import BuildWithError, programs_of
        from dradsl.tree.rendering.renderer import Renderer

        wanted = self.config().kube_version
        releases = parse_releases(",".join(wanted)) if wanted else (newest_release(),)
        try:
            programs = programs_of(self.build_with)
        except BuildWithError as error:
            raise UsageProblem(f"--build-with: {error}") from error
        newest = max((each.name for each in releases), key=_in_order)
        return Renderer(programs, kube_version=newest, deadline=deadline)

    def confined_config(self) -> LintConfig:
        """As `config`; one that was found applies to its own tree only.

        Raises:
            ConfigError: as `config_of`, and for links out of the tree where the configuration leads.
        """
        config = self.config()
        if config.source is not None and self.config_file is None:
            expect_no_links_out(config, tree_of(config.source), self.overrides)
        return config

    def own_files(self) -> list[str]:
        """The files of dradsl itself that the configuration names: they are no manifests."""
        config = self.config()
        return [os.path.realpath(path) for path in (config.baseline, *config.custom_rules) if path]

    def read(
        self,
        deadline: Deadline = NO_DEADLINE,
        *,
        content_of: Callable[[str], bytes] | None = None,
        parse: Callable[[str, bytes], Stream] | None = None,
        recorded: Recorded | None = None,
    ) -> RunInput:
        """Read every file of the call, or those that can be read before `deadline`.

        `content_of` and `parse` are as for `read_inputs`; `recorded` gives the objects in recordings, which
        are read here if it is None.

        Raises:
            ConfigError: as `config_of`, and for links out of the tree where the configuration leads.
            UsageProblem: for a path that does not exist, recorded slices or a state before that
                cannot be read.
        """
        from dradsl.lint.engine.state import RunInput
        from dradsl.lint.input.reading import read_inputs, read_paths

        config = self.confined_config()
        reading = read_paths(
            self.paths,
            self.config_of,
            self.stdin_name,
            filtered=True,
            handed_over=self.each_file,
            listing=self.listing,
            own=self.own_files(),
            included=config.included,
            deadline=deadline,
            content_of=content_of,
            parse=parse,
        )
        context = read_inputs(_context_of(config), context=True, content_of=content_of, parse=parse)
        before = None
        if self.since is not None:
            from dradsl.lint.input.history import read_previous

            before = read_previous(
                self.since,
                reading.sources,
                [each.name for each in reading.skipped if each.reason != OUTSIDE],
            )
        from dradsl.tree.applied.surroundings import look_around, with_variables

        sources = with_variables(reading.sources)
        return RunInput(
            sources=sources,
            context=with_variables(context.sources),
            previous=None if before is None else with_variables(before.sources),
            inventory=self._inventory(recorded),
            failures=(*reading.failures, *context.failures, *(before.failures if before else ())),
            unread=reading.unread,
            skipped=(*reading.skipped, *context.skipped, *(before.skipped if before else ())),
            left_out=reading.left_out,
            notes=reading.notes,
            surroundings=look_around(sources),
            given=self._given(),
            renderer=self._renderer(deadline),
        )

    def lint(
        self,
        work: RunInput,
        *,
        deadline: Deadline = NO_DEADLINE,
        progress: Callable[[int], None] | None = None,
    ) -> Report:
        """What is found in what was read; see `run.lint`."""
        from dradsl.lint.engine.run import lint

        report = lint(
            work,
            self.config(),
            config_of=self.config_of,
            progress=progress,
            each_file=self.each_file,
            deadline=deadline,
        )
        return self.with_switched_off(report)

    def with_switched_off(self, report: Report) -> Report:
        """The report, saying how many rules the configuration files turn off."""
        off = self._switched_off()
        if not off:
            return report
        note = f"the configuration switches off {plural(off, 'rule')}"
        return replace(report, switched_off=off, notes=(*report.notes, note))

    def _switched_off(self) -> int:
        """How many rules the configuration files turn off, and not the call, at least in some files."""
        configs = {id(each): each for each in self._by_folder.values() if each.source is not None}
        if not configs:
            return 0
        from dradsl.lint.catalogue.rules import RULES

        plain = merge(
            LintConfig(root=os.getcwd()), self.overrides, known=self._known(self.config())
        )
        rules = [(rule.code, rule.name) for rule in RULES.values()]
        rules += [(rule.code, rule.name) for each in configs.values() for rule in each.own]
        return len(
            {
                code
                for code, name in rules
                if plain.enabled(code, name)
                and any(each.may_skip(code, name) for each in configs.values())
            }
        )

    def without_known(self, report: Report) -> Report:
        """The report without the findings that the baseline accepts.

        Raises:
            ConfigError: for a baseline that cannot be read.
        """
        path = self.config().baseline
        if path is None:
            return report
        from dradsl.lint.report.baseline import new_findings

        return replace(report, findings=new_findings(path, report.findings, report.sources))


def _context_of(config: LintConfig) -> list[Input]:
    """The files that are only looked into."""
    try:
        return list(find_inputs([str(path) for path in config.context]))
    except UsageProblem as error:
        raise UsageProblem(f"--context: {error}") from error
