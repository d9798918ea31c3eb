"""Every check of one release, in order, over the objects of a run."""

from __future__ import annotations

from dradsl.lint.catalogue.rules import RULES
from dradsl.lint.engine.settle import place
from dradsl.lint.engine.sure.consequences import HIDING, patches_may_fix, without_consequences
from dradsl.lint.rules.api_server import api_server_findings
from dradsl.lint.rules.table import CHECKS
from dradsl.lint.view.index import ObjectIndex
from dradsl.lint.view.view import Run
from dradsl.lint.view.words import hold, words_of
from dradsl.records import dataclass
from dradsl.values.deadline import NO_DEADLINE, TimeIsUp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from typing import TypeAlias

    from dradsl.diagnostics import Finding
    from dradsl.lint.engine.state import RunObjects
    from dradsl.lint.input.manifests import Manifest
    from dradsl.lint.rules.table import Check
    from dradsl.lint.settings.config import LintConfig
    from dradsl.lint.view.rule_finding import RuleFinding
    from dradsl.releases import Release
    from dradsl.text.paths import FieldPath
    from dradsl.values.deadline import Deadline

    _Key: TypeAlias = tuple[str, int, FieldPath]

__all__ = ["ReleaseResult", "check_release", "run_of"]


@dataclass(frozen=True, slots=True)
class ReleaseResult:
    """What one release has to say: findings, the codes of the rules that ran, and notes.

    `objects` that were not looked at, and whether the `rules` on all of them together were left out
    or broken off, are those that came after the time was over. `run` is what they looked at;
    `rendered` are the objects that programs rendered.
    """

    findings: tuple[Finding, ...]
    ran: frozenset[str]
    notes: tuple[str, ...] = ()
    objects: int = 0
    rules: bool = False
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
    """Look at the objects as `release` does, until `deadline`.

    Unless they are `complete`, rules on all objects together stay out: what they do not find may be
    in a file that was not read.

    Rules of whose codes none is `wanted` stay out, but for those whose findings can hide others. A run
    `before` looked at much the same objects. The rules of a team are those of the configuration of each
    file, by `config_of`; without it there are none.

    Raises:
        UnknownGateError: for a gate override that the release does not take.
        ConfigError: for a rule of a team that the release does not take.
    """
    run = run_of(release, state, config)
    is_long = state.is_long
    if before is not None:
        run.take_over(before, mended=True)
    skipped: dict[str, list[str]] = {}
    for rule in RULES.values():
        missing = run.lacks(rule)
        if missing is not None and rule.code in wanted and config.asks_for(rule.code, rule.name):
            skipped.setdefault(missing, []).append(rule.code)
    ran = frozenset(code for code, rule in RULES.items() if run.lacks(rule) is None)
    asked = ran & (wanted | HIDING)
    again_at = state.unknowns is not None and state.unknowns.worlds > 1
    refused: dict[Manifest, list[RuleFinding]] | None = {} if again_at else None
    if is_long:
        from dradsl.lint.engine.portions import check_in_portions

        found, left, stopped = check_in_portions(run, asked, progress, deadline, complete=complete)
    else:
        found, left, stopped = _check(
            run, state.manifests, asked, progress, deadline, complete=complete, refused=refused
        )
    if not is_long and any(each.is_patch for each in state.manifests):
        patches = run_of(release, state, config, of_patches=True)
        patches.take_over(run)
        said, _, cut = _check(patches, (), asked & _OF_VALUES, None, deadline, complete=complete)
        found += [each for each in said if each.manifest.is_patch and each.code in _OF_VALUES]
        stopped = stopped or cut
    if found and state.unknowns is not None and again_at:
        from dradsl.lint.engine.sure.certain import certain

        def again(part: RunObjects, sought: Sequence[RuleFinding]) -> Sequence[RuleFinding]:
            """What is found of `sought` where some objects are others, at their places."""
            codes: dict[str, set[_Key]] = {}
            for each in sought:
                codes.setdefault(each.code, set()).add(each.manifest.key)
            keys = set().union(*codes.values())
            concerned = _of_keys(part.manifests, keys)
            index = run.index.exchanged(_exchanged(state, part))
            other = run_of(release, part, config, index=index)
            other.take_over(run)
            same = other.previous is None and other.same_namespaces(run)
            kept = refused if same else None
            said = _check(other, concerned, codes.keys(), refused=kept, sought=codes)[0]
            if any(each.manifest.is_patch for each in sought):
                patches = run_of(release, part, config, of_patches=True, index=index)
                patches.take_over(run)
                said += _check(patches, (), codes.keys() & _OF_VALUES, sought=codes)[0]
            return said

        found = certain(found, state, state.unknowns, again)
    found = [each for each in found if not patches_may_fix(each)]
    if any(each.manifest.made is not None or each.manifest.is_patch for each in found):
        from dradsl.lint.engine.sure.partial_knowledge import only_certain

        found = list(only_certain(run, found))
    notes: list[str] = []
    rendered = 0

    def of_built(part: RunObjects) -> Sequence[RuleFinding]:
        built = run_of(release, part, config)
        built.take_over(run)
        said = _check(built, part.manifests, asked)[0]
        if not any(each.manifest.made is not None for each in said):
            return said
        from dradsl.lint.engine.sure.partial_knowledge import only_certain

        return list(only_certain(built, said))

    if not is_long and (
        state.unknowns is not None
        or any(each.kind in _RELEASES for each in state.manifests)
        or any(each.made is not None and each.made.host is None for each in state.manifests)
    ):
        from dradsl.lint.engine.sure.built import built_findings

        said, spent = built_findings(state, found, of_built)
        found += said
        notes += spent
    if state.renderer is not None:
        from dradsl.lint.engine.sure.rendered import rendered_findings

        said, more, rendered = rendered_findings(state, state.renderer, of_built)
        found += said
        notes += more
    findings = [place(f, release.name) for f in without_consequences(found)]
    if config_of is not None and any(config_of(each.name).own for each in state.sources):
        from dradsl.lint.policies.judge import policy_findings

        # What is not known they mind themselves, so nothing is tried again for them.
        said_by_own = policy_findings(run, config_of, deadline)
        findings += [place(f, release.name, own) for own, f in said_by_own]
        stopped = stopped or deadline.is_over
    return ReleaseResult(
        tuple(findings),
        # Whether an ignore hides something is only known once all of them have run.
        frozenset() if left or stopped else ran,
        (*(f"{why}: {_span_of(codes)} did not run" for why, codes in skipped.items()), *notes),
        left,
        stopped,
        run,
        rendered,
    )


_RELEASES = frozenset({"HelmRelease", "Application"})

# What rules say of values that a patch writes holds whatever the patch changes.
_OF_VALUES = frozenset(
    {
        *(f"DRA{number}" for number in (*range(201, 211), *range(212, 215), *range(216, 224))),
        *("DRA005", "DRA317", "DRA318", "DRA410", "DRA411", "DRA412", "DRA413", "DRA414", "DRA416"),
        *("DRA801", "DRA802", "DRA803"),
    }
)


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
    features = release.features(_gates_known_to(release, config))
    if state.is_long:
        from dradsl.lint.engine.portions import long_run

        return long_run(state, release, features, config)
    before = None
    if state.previous is not None:
        from dradsl.lint.view.before import PreviousObjects

        before = PreviousObjects(state.previous, state.manifests)
    reported = tuple([each for each in state.manifests if each.is_patch is of_patches])
    return Run(
        release=release,
        features=features,
        config=config,
        manifests=reported,
        reported=reported,
        index=index or ObjectIndex.of((*state.manifests, *state.context), state.given),
        inventory=state.inventory,
        sources=state.sources,
        previous=before,
    )


def _check(
    run: Run,
    manifests: Sequence[Manifest],
    asked: AbstractSet[str],
    progress: Callable[[int], None] | None = None,
    deadline: Deadline = NO_DEADLINE,
    *,
    complete: bool = True,
    refused: dict[Manifest, list[RuleFinding]] | None = None,
    sought: Mapping[str, AbstractSet[_Key]] | None = None,
) -> tuple[list[RuleFinding], int, bool]:
    """What the checks find in a run; of `manifests`, patches too, what the API server refuses.

    What it refuses of each is put into `refused`, and taken from there where it is known. `sought` says for a
    code in which objects alone it is looked for, by their keys.

    Also how many objects `deadline` left out, and whether rules on several objects were. They are if
    the run is not `complete`, too.
    """
    found: list[RuleFinding] = []
    left = 0
    timed = deadline.is_set
    for number, manifest in enumerate(manifests):
        if timed and deadline.is_over:
            left = len(manifests) - number
            break
        said = None if refused is None else refused.get(manifest)
        if said is None:
            try:
                said = list(api_server_findings(run, manifest))
            except TimeIsUp:
                left = len(manifests) - number
                break
            if refused is not None:
                refused[manifest] = said
        found += said
        if progress is not None:
            progress(1)
    stopped = not complete
    every = set().union(*sought.values()) if sought else ()
    concerned = _of_keys(run.reported, every) if every else []
    # Another look is for what was found: the words for it were there.
    words = words_of(run) if sought is None and not stopped else None
    for check, codes, needed in CHECKS:
        if not asked.isdisjoint(codes):
            stopped = stopped or deadline.is_over
            if stopped:
                break
            if sought is None:
                try:
                    found += check()(run) if hold(words, needed) else _left_out(check, run)
                except TimeIsUp:
                    stopped = True
                    break
                continue
            keys = set().union(*(sought.get(code, ()) for code in codes))
            found += check()(run.narrowed([each for each in concerned if each.key in keys]))
    return found, left, stopped


def _of_keys(manifests: Sequence[Manifest], keys: AbstractSet[_Key]) -> list[Manifest]:
    files = {key[0] for key in keys}
    return [each for each in manifests if each.source.name in files and each.key in keys]


def _left_out(_check: Callable[[], Check], _run: Run) -> Iterable[RuleFinding]:
    """What a rule finds in a run without its words: nothing, so it is not loaded. The tests ask it all the same."""
    return ()


def _gates_known_to(release: Release, config: LintConfig) -> dict[str, bool]:
    """A gate that another of the releases asked for knows is no mistake for this one."""
    return {name: on for name, on in config.feature_gates.items() if name in release.gates}


def _span_of(codes: list[str]) -> str:
    return codes[0] if len(codes) == 1 else f"{codes[0]} to {codes[-1]}"
