"""What a run works on, its objects, how they are read, and looks at them: which are evaluated together, by which rules."""

from __future__ import annotations

from dradsl.records import Record, field
from dradsl.text import mentions
from dradsl.text.splitting import has_marks
from dradsl.tree.manifests.manifest import Manifest, manifests_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Hashable,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
        Set as AbstractSet,
    )

    from dradsl.diagnostics import Finding
    from dradsl.lint.settings.config import LintConfig
    from dradsl.lint.view.rule_finding import RuleFinding
    from dradsl.tree.applied.repository import Repository
    from dradsl.tree.applied.surroundings import Surroundings
    from dradsl.tree.inputs.sources import NotLinted, SourceText
    from dradsl.tree.manifests.embedded import Embedded
    from dradsl.tree.manifests.unknown import Unknowns
    from dradsl.tree.rendering.renderer import Renderer

__all__ = ["Look", "RunInput", "RunObjects", "identity_of", "read_state"]


class RunInput(Record):
    """What a run works on: the files to report on, those only looked into, and the state before.

    `previous` turns on the rules on updates; it holds the files as they were. `inventory` are
    recorded objects (slices above all), plain data. `failures` are findings made while reading (a
    file that could not be read). `skipped` are files that were found and are no manifests, and
    links out of the tree, which were not followed, `left_out` what was not even opened, as far
    as that was asked for. `unread` files are left out because the time of the run was over. `notes`
    are for the reader of the report. `surroundings` are the files around: without them nothing is
    known of what builds the files. `given` are values of variables that the call names;
    `renderer` runs the programs that it names.
    """

    sources: tuple[SourceText, ...]
    context: tuple[SourceText, ...] = ()
    previous: tuple[SourceText, ...] | None = None
    inventory: tuple[Mapping[str, object], ...] = ()
    failures: tuple[Finding, ...] = ()
    unread: int = 0
    skipped: tuple[NotLinted, ...] = ()
    left_out: tuple[NotLinted, ...] = ()
    notes: tuple[str, ...] = ()
    surroundings: Surroundings | None = None
    given: Mapping[str, str] = field(default_factory=dict)
    renderer: Renderer | None = None


class RunObjects(Record):
    """The objects of a run, read once for all releases.

    `by_source` and `embedded` (documents within ConfigMaps) are by the name of the file. `unknowns`
    are the values that are not known. `given` are kinds and names of what templates of charts make.
    `renderer` runs the programs that the caller names.
    """

    manifests: tuple[Manifest, ...]
    context: tuple[Manifest, ...]
    previous: tuple[Manifest, ...] | None = None
    inventory: tuple[Mapping[str, object], ...] = ()
    by_source: Mapping[str, Sequence[Manifest]] = field(default_factory=dict)
    sources: tuple[SourceText, ...] = ()
    embedded: Mapping[str, tuple[Embedded, ...]] = field(default_factory=dict)
    unknowns: Unknowns | None = None
    given: frozenset[tuple[str, str]] = frozenset()
    renderer: Renderer | None = None


class Look(Record):
    """Some objects that rules evaluate together. Producers make looks; `examine.check_release` evaluates them.

    The `objects` carry what is known around them as their context. `codes` are those of the rules. There are five kinds:

    - the objects as they are written;
    - with `patches` the patches among them alone;
    - with `sought` the objects with other values: findings that are not found again there are no findings;
    - with `title` objects that were `made` of the written ones ("built in", "rendered of"). `back` gives the
      findings as those of what was written, and leaves out those that are none there. What several of these looks
      find at one place is one finding with all titles;
    - with `team` the objects as they are written, by the rules of a team: those of the configuration of each file.
    """

    objects: RunObjects
    codes: AbstractSet[str] = frozenset()
    patches: bool = False
    sought: tuple[RuleFinding, ...] = ()
    made: str = ""
    title: str = ""
    back: Callable[[Sequence[RuleFinding]], Iterable[RuleFinding]] | None = None
    team: Callable[[str], LintConfig] | None = None


def identity_of(found: RuleFinding) -> Hashable:
    """What makes two findings of two looks the same one; of a variable, each value has words of its own."""
    message = "" if found.path in found.manifest.build_context.altered else found.message
    return found.code, found.manifest.key, found.path, message


def read_state(work: RunInput, config: LintConfig) -> RunObjects:
    """The objects of a run, with what is known of them."""
    by_source: dict[str, Sequence[Manifest]] = {}
    embedded: dict[str, tuple[Embedded, ...]] = {}
    for source in work.sources:
        own = (*manifests_of(source), *_loose(source))
        if any(manifest.kind == "ConfigMap" for manifest in own):
            from dradsl.tree.manifests.embedded import embedded_in, manifests_embedded

            embedded[source.name] = inside = embedded_in(source)
            own = (*own, *manifests_embedded(inside))
        by_source[source.name] = own
    inline = _inline_patches(work)
    repository = None
    if work.surroundings is not None:
        repository = work.surroundings.repository(work.sources)
    context = tuple(m for source in work.context for m in manifests_of(source))
    previous = work.previous
    before = (
        None if previous is None else tuple(m for source in previous for m in manifests_of(source))
    )
    made = _made_of_values(work.sources, work)
    context = (*context, *_made_of_values(work.context, work))
    if before is not None and previous is not None:
        before = (*before, *_made_of_values(previous, work))
    changed = [each for each in work.sources if _may_be_json_patch(each)]
    if changed:
        from dradsl.tree.manifests.patches import json_patches

        every = [*(m for found in by_source.values() for m in found), *context]
        targets_of = (lambda _name: ()) if repository is None else repository.targets
        inline = (*inline, *json_patches(changed, every, targets_of))
    unknowns = _unknowns(work, config, made, repository)
    if unknowns is not None:
        by_source = {name: unknowns.fill(found) for name, found in by_source.items()}
        inline = unknowns.fill(inline)
        made = unknowns.fill(made)
        context = unknowns.fill(context)
        before = None if before is None else unknowns.fill(before)
    return RunObjects(
        manifests=(*(m for found in by_source.values() for m in found), *inline, *made),
        context=context,
        previous=before,
        inventory=work.inventory,
        by_source=by_source,
        sources=work.sources,
        embedded=embedded,
        unknowns=unknowns,
        given=_given_by_charts(work),
        renderer=work.renderer,
    )


def _given_by_charts(work: RunInput) -> frozenset[tuple[str, str]]:
    """Kinds and names of claims, templates and classes that templates of charts make."""
    texts = [
        source.stream.text
        for source in (*work.sources, *work.context)
        if source.stream.is_template and "resource.k8s.io" in source.stream.text
    ]
    if not texts:
        return frozenset()
    from dradsl.tree.charts.chart_templates import names_given

    return frozenset(each for text in texts for each in names_given(text))


def _loose(source: SourceText) -> Iterator[Manifest]:
    """The objects in documents that are none themselves."""
    for document in source.stream.documents:
        data = document.data
        if isinstance(data, list) or (isinstance(data, dict) and "kind" not in data):
            from dradsl.tree.manifests.loose import loose_manifests

            yield from loose_manifests(source, document)


def _inline_patches(work: RunInput) -> tuple[Manifest, ...]:
    """The patches with claims or devices that stand as texts in what builds others."""
    found: list[Manifest] = []
    for source in work.sources:
        text = source.stream.text
        if (
            mentions.PATCHES.is_in(text)
            and mentions.CLAIM_LISTS.is_in(text)
            and mentions.KUSTOMIZE.is_in(text + source.name)
        ):
            from dradsl.tree.manifests.patches import patches_in_texts

            found += patches_in_texts(source)
    return tuple(found)


def _may_be_json_patch(source: SourceText) -> bool:
    """Whether a file may hold a JSON patch that has to do with claims or devices."""
    text = source.stream.text
    return "/spec" in text and "path" in text and "op" in text and mentions.DEVICES.is_in(text)


def _made_of_values(sources: Sequence[SourceText], work: RunInput) -> tuple[Manifest, ...]:
    """What charts make of the values in some files of the run, as far as it has claims."""
    speaking = [source for source in sources if _may_hold_values(source)]
    if not speaking:
        return ()
    from dradsl.tree.values.chart_objects import objects_of_values
    from dradsl.tree.values.values import NAMING

    signs = ("source.toolkit.fluxcd.io/", *NAMING)
    every = (*work.sources, *work.context)
    others = [each for each in every if any(map(each.stream.text.__contains__, signs))]
    return tuple(objects_of_values(speaking, others))


def _may_hold_values(source: SourceText) -> bool:
    """Whether a file mentions claims, and holds something else than objects, or one that holds values."""
    text = source.stream.text
    if not mentions.CLAIM_LISTS.is_in(text):
        return False
    return source.holds_values or any(map(text.__contains__, _WITH_VALUES))


_WITH_VALUES = ("HelmRelease", "argoproj.io/", "ConfigMap", "helmCharts")


def _unknowns(
    work: RunInput, config: LintConfig, made: Sequence[Manifest], repository: Repository | None
) -> Unknowns | None:
    """What is not known of the objects; None where all is: no text has variables, and nothing is built."""
    given = work.given
    every = (*work.sources, *work.context, *(work.previous or ()))
    marked = any(has_marks(source.stream.text) for source in every)
    marked = marked or any("{{" in (each.name or "") for each in made)
    if not (repository or marked or given or config.namespace):
        return None
    from dradsl.tree.manifests.unknown import Unknowns

    return Unknowns(repository, given, config.namespace)
