"""One release's evaluation of the objects of a run: looks, one after another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set as AbstractSet

from dradsl.diagnostics import FieldPath, Finding
from dradsl.lint.catalogue.rules import HIDING, RULES
from dradsl.lint.catalogue.table import CHECKS
from dradsl.lint.engine.settle import place
from dradsl.lint.engine.state import Look, RunObjects, identity_of
from dradsl.lint.rules.api_server import api_server_findings
from dradsl.lint.settings.config import LintConfig
from dradsl.lint.view.index import ObjectIndex
from dradsl.lint.view.rule_finding import RuleFinding, patches_may_fix
from dradsl.lint.view.triggers import hold, words_of
from dradsl.lint.view.view import Run
from dradsl.records import Record, replace
from dradsl.releases import Release
from dradsl.tree.manifests.manifest import Manifest
from dradsl.values.deadline import NO_DEADLINE, Deadline, TimeIsUp

__all__ = ["ReleaseResult", "check_of", "check_release", "run_of"]

_Key = tuple[str, int, FieldPath]
Check = Callable[[Run], Iterator[RuleFinding]]


class ReleaseResult(Record):
    """What one release finds, the codes of the rules that ran, and notes.

    When the time was over, some objects were left unchecked, and the rules on all objects together were skipped or
    broken off. `run` is the release's view of the objects; `rendered` counts those that programs rendered.
    """

    findings: tuple[Finding, ...]
    ran: frozenset[str]
    notes: tuple[str, ...] = ()
    unchecked_objects: int = 0
    skipped_run_rules: bool = False
    run: Run | None = None
    rendered: int = 0


def check_release(
    release: Release,
    state: RunObjects,
    config: LintConfig,
    wanted: frozenset[str],
    progress: Callable[[int], None] | None = None,
    deadline: Deadline = NO_DEADLINE,
    *,
    complete: bool = True,
    before: Run | None = None,
    config_of: Callable[[str], LintConfig] | None = None,
) -> ReleaseResult:
    """Evaluate the objects as `release` does, until `deadline`.

    Unless they are `complete`, rules on all objects together stay out: what they do not find may be
    in a file that was not read.

    Rules of whose codes none is `wanted` stay out, but for those whose findings can hide others. A run
    `before` evaluated nearly the same objects. The rules of a team are those of the configuration of each
    file, by `config_of`; without it there are none.

    Raises:
        UnknownGateError: for a gate override that the release does not take.
        ConfigError: for a rule of a team that the release does not take.
    """
    run = run_of(release, state, config)
    if before is not None:
        run.reuse_caches_of(before, objects_changed=True)
    lacking = {code: run.lacks(rule) for code, rule in RULES.items() if rule.needs}
    skipped = {code: missing for code, missing in lacking.items() if missing is not None}
    ran = frozenset(RULES) - skipped.keys()
    asked = ran & (wanted | HIDING)
    notes = [*_notes(config, {c: why for c, why in skipped.items() if c in wanted})]
    examination = _Examination(run, state, progress, deadline, stopped=not complete)
    for look in _plan(examination, asked, notes, config_of):
        examination.settle(look, examination.check(look))
    found = [*examination.all_found()]
    if len(found) > 1:
        from dradsl.lint.engine.certainty.consequences import folded

        found = [*folded(found)]
    found += examination.of_team
    return ReleaseResult(
        tuple([place(each, release.name) for each in found]),
        # Whether an ignore hides something is only known once all of them have run.
        frozenset() if examination.unchecked or examination.stopped else ran,
        tuple(notes),
        examination.unchecked,
        examination.stopped,
        run,
        examination.rendered,
    )


def _notes(config: LintConfig, skipped: Mapping[str, str]) -> Iterator[str]:
    """A note for each thing that the run lacks and that rules need which were asked for by name."""
    by_reason: dict[str, list[str]] = {}
    for code, why in skipped.items():
        if config.asks_for(code, RULES[code].name):
            by_reason.setdefault(why, []).append(code)
    for why, codes in by_reason.items():
        span = codes[0] if len(codes) == 1 else f"{codes[0]} to {codes[-1]}"
        yield f"{why}: {span} did not run"


def _plan(
    examination: _Examination,
    asked: frozenset[str],
    notes: list[str],
    config_of: Callable[[str], LintConfig] | None,
) -> Iterator[Look]:
    """All looks, in order. What comes later depends on what was found by then."""
    state, found = examination.state, examination.found
    yield Look(state, asked)
    if any(each.is_patch for each in state.manifests):
        yield Look(state, _of_patches(asked), patches=True)
    unknowns = state.unknowns
    if found and unknowns is not None and unknowns.worlds > 1:
        from dradsl.lint.engine.certainty.worlds import looks_at_other_values

        yield from looks_at_other_values(found, state, unknowns)
    if found:
        found[:] = [each for each in found if not patches_may_fix(each)]
        found[:] = examination.downgraded(found)
        if unknowns is not None:
            from dradsl.lint.engine.certainty.incomplete import kept_as_texts

            found[:] = kept_as_texts(found, unknowns)
    if (
        unknowns is not None
        or any(each.kind in _RELEASES for each in state.manifests)
        or any(
            each.chart_output is not None and each.chart_output.host is None
            for each in state.manifests
        )
    ):
        from dradsl.lint.engine.certainty.built import looks_at_builds

        yield from looks_at_builds(state, found, asked, notes)
    if state.renderer is not None:
        from dradsl.lint.engine.certainty.rendered import RenderedLooks

        rendered = RenderedLooks(state, state.renderer, asked)
        yield from rendered.looks()
        notes += rendered.notes
        examination.rendered = rendered.objects
    if config_of is not None and any(config_of(each.name).own for each in state.sources):
        # What is not known they mind themselves, so nothing is tried again for them.
        yield Look(state, team=config_of)


_RELEASES = frozenset({"HelmRelease", "Application"})


def _of_patches(codes: AbstractSet[str]) -> frozenset[str]:
    """The rules that hold for a patch itself, whatever the patch changes."""
    return frozenset(code for code in codes if RULES[code].traits.patch)


class _Examination:
    """What was found so far, and how looks are evaluated."""

    def __init__(
        self,
        run: Run,
        state: RunObjects,
        progress: Callable[[int], None] | None,
        deadline: Deadline,
        *,
        stopped: bool,
    ) -> None:
        self.state = state
        self.found: list[RuleFinding] = []
        self.of_team: list[RuleFinding] = []
        self.unchecked = 0
        self.stopped = stopped
        self.rendered = 0
        self._run = run
        self._progress = progress
        self._deadline = deadline
        again = state.unknowns is not None and state.unknowns.worlds > 1
        self._rejected: dict[Manifest, list[RuleFinding]] | None = {} if again else None
        # Findings in what was made, with what it was made in.
        self._made: dict[tuple[object, ...], tuple[RuleFinding, str, dict[str, None]]] = {}

    def all_found(self) -> Iterator[RuleFinding]:
        """The findings in what was written, then those in what was made of it with all titles."""
        from dradsl.values.counted import first_of

        yield from self.found
        for found, made, titles in self._made.values():
            yield replace(found, message=f"{found.message} ({made} {first_of([*titles])})")

    def check(self, look: Look) -> list[RuleFinding]:
        """What the rules find in a look."""
        if look.team is not None:
            from dradsl.lint.policies.judge import policy_findings

            found = [*policy_findings(self._run, look.team, self._deadline)]
            self._is_stopped()
            return found
        if look.sought:
            return self._found_again(look)
        if look.objects is not self.state:
            made = self._other_run(look.objects)
            rejected = [f for m in look.objects.manifests for f in _rejections_of(made, m)]
            return self.downgraded([*rejected, *_of_rules(made, look.codes)], made)
        run = self._run
        if look.patches:
            run = self._other_run(self.state, of_patches=True, index=run.index)
            return [
                each
                for each in _of_rules(run, look.codes, self._is_stopped)
                if each.manifest.is_patch and each.code in look.codes
            ]
        return [*self._rejections_in_time(), *_of_rules(run, look.codes, self._is_stopped)]

    def settle(self, look: Look, findings: list[RuleFinding]) -> None:
        """Take what was found in a look, or leave out what was not found again."""
        if look.back is not None:
            for each in look.back(findings):
                span = each.manifest.span(each.path, on_key=each.on_key, text=each.text)
                key = (each.code, each.manifest.path, span, each.message)
                self._made.setdefault(key, (each, look.made, {}))[2][look.title] = None
        elif look.sought:
            again = {identity_of(each) for each in findings}
            lost = {id(each) for each in look.sought if identity_of(each) not in again}
            self.found[:] = [each for each in self.found if id(each) not in lost]
        else:
            kept = self.found if look.team is None else self.of_team
            kept += findings

    def downgraded(self, found: list[RuleFinding], run: Run | None = None) -> list[RuleFinding]:
        """The findings with the severity that they have in patches and in what is made of values."""
        patches = run is None  # patches are in what is built
        if not any(
            f.manifest.chart_output is not None or (patches and f.manifest.is_patch) for f in found
        ):
            return found
        from dradsl.lint.engine.certainty.incomplete import downgrade_incomplete

        return list(downgrade_incomplete(run or self._run, found))

    def _other_run(
        self, objects: RunObjects, *, of_patches: bool = False, index: ObjectIndex | None = None
    ) -> Run:
        run = run_of(
            self._run.release, objects, self._run.config, of_patches=of_patches, index=index
        )
        run.reuse_caches_of(self._run)
        return run

    def _rejections_in_time(self) -> Iterator[RuleFinding]:
        """What the API server rejects, object by object, until the time is over."""
        manifests, timed = self.state.manifests, self._deadline.is_set
        for number, manifest in enumerate(manifests):
            if timed and self._deadline.is_over:
                self.unchecked = len(manifests) - number
                return
            try:
                rejected = _rejections_of(self._run, manifest, self._rejected)
            except TimeIsUp:
                self.unchecked = len(manifests) - number
                return
            yield from rejected
            if self._progress is not None:
                self._progress(1)

    def _is_stopped(self) -> bool:
        """Whether no more rules are asked."""
        self.stopped = self.stopped or self._deadline.is_over
        return self.stopped

    def _found_again(self, look: Look) -> list[RuleFinding]:
        """What is found of some findings where other objects are in their places."""
        codes: dict[str, set[_Key]] = {}
        for each in look.sought:
            codes.setdefault(each.code, set()).add(each.manifest.key)
        concerned = _of_keys(look.objects.manifests, set().union(*codes.values()))
        index = self._run.index.exchanged(_exchanged(self.state, look.objects))
        run = self._other_run(look.objects, index=index)
        same = run.previous is None and run.same_namespaces(self._run)
        known = self._rejected if same else None
        found = [each for m in concerned for each in _rejections_of(run, m, known)]
        found += _of_rules_again(run, codes)
        if any(each.manifest.is_patch for each in look.sought):
            patches = self._other_run(look.objects, of_patches=True, index=index)
            of_patches = _of_patches(codes.keys())
            found += _of_rules_again(patches, {c: k for c, k in codes.items() if c in of_patches})
        return found


def _rejections_of(
    run: Run, manifest: Manifest, known: dict[Manifest, list[RuleFinding]] | None = None
) -> list[RuleFinding]:
    """What the API server rejects in an object; what is known of it is kept in `known`."""
    rejected = None if known is None else known.get(manifest)
    if rejected is None:
        rejected = list(api_server_findings(run, manifest))
        if known is not None:
            known[manifest] = rejected
    return rejected


def _of_rules(
    run: Run, codes: AbstractSet[str], is_stopped: Callable[[], bool] = lambda: False
) -> Iterator[RuleFinding]:
    """What rules on all objects find, until they are stopped."""
    words = words_of(run)
    for check, own, needed in CHECKS:
        if not codes.isdisjoint(own):
            if is_stopped():
                return
            try:
                found = [*(check_of(check)(run) if hold(words, needed) else _left_out(check, run))]
            except TimeIsUp:
                if not is_stopped():
                    raise
                return
            yield from found


def _of_rules_again(run: Run, sought: Mapping[str, AbstractSet[_Key]]) -> Iterator[RuleFinding]:
    """What rules find in the objects, by their keys, in which they are to find something again."""
    # The words for it were there.
    concerned = _of_keys(run.reported, set().union(*sought.values()))
    for check, own, _ in CHECKS:
        if not sought.keys().isdisjoint(own):
            keys = set().union(*(sought.get(code, ()) for code in own))
            yield from check_of(check)(
                run.narrowed([each for each in concerned if each.key in keys])
            )


def _of_keys(manifests: Sequence[Manifest], keys: AbstractSet[_Key]) -> list[Manifest]:
    files = {key[0] for key in keys}
    return [each for each in manifests if each.source.name in files and each.key in keys]


def check_of(name: str) -> Check:
    """The `check` of a module below `dradsl.lint.rules`, as the table names it."""
    check: Check = __import__(f"dradsl.lint.rules.{name}", fromlist=("check",)).check
    return check


def _left_out(_check: str, _run: Run) -> Iterable[RuleFinding]:
    """What a rule finds in a run without its words: nothing, so it is not loaded. The tests ask it all the same."""
    return ()


def _exchanged(state: RunObjects, part: RunObjects) -> dict[Manifest, Manifest]:
    """The objects that are others now."""
    before, now = ((*each.manifests, *each.context) for each in (state, part))
    return {old: new for old, new in zip(before, now, strict=True) if old is not new}


def run_of(
    release: Release,
    state: RunObjects,
    config: LintConfig,
    *,
    of_patches: bool = False,
    index: ObjectIndex | None = None,
) -> Run:
    """What rules may look at: one release's view of the objects, or of the patches among them.

    `index` is that of the objects, where it is known.
    """
    # A gate that another of the releases asked for knows is no mistake for this one.
    gates = {name: on for name, on in config.feature_gates.items() if name in release.gates}
    before = None
    if state.previous is not None:
        from dradsl.lint.view.before import PreviousObjects

        before = PreviousObjects(state.previous, state.manifests)
    reported = tuple([each for each in state.manifests if each.is_patch is of_patches])
    return Run(
        release=release,
        features=release.features(gates),
        config=config,
        manifests=reported,
        reported=reported,
        index=index or ObjectIndex.of((*state.manifests, *state.context), state.given),
        inventory=state.inventory,
        sources=state.sources,
        previous=before,
    )
