"""How to migrate: the choices of one run, and the answers to its questions from a file and from the call."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from dradsl.errors import DradslError
from dradsl.migrate.mapping.questions import FOR_ALL, Decisions, decided, texts_of
from dradsl.records import Record, field
from dradsl.values.deadline import NO_DEADLINE, Deadline
from dradsl.values.shown import shown

if TYPE_CHECKING:
    from pathlib import Path

    from dradsl.tree.charts.recipes import Recipe
    from dradsl.tree.kustomize.surrounding import SurroundingKustomizations
    from dradsl.tree.rendering.renderer import Renderer

__all__ = [
    "Answers",
    "AnswersError",
    "Options",
    "answers_in",
    "literal",
    "read_answers",
    "write_answers",
    "written",
]


class AnswersError(DradslError, ValueError):
    """The answers file cannot be used; `str()` says where and why."""


class _Rule(Record):
    """Answers for the workloads whose title, and files whose name, match the patterns."""

    workload: str
    file: str
    answers: Mapping[str, object]

    def matches(self, file: str, workloads: Iterable[str]) -> bool:
        if not fnmatchcase(file, self.file):
            return False
        # What is asked of all pods in a text is answered where one of them is.
        whole = self.workload.partition(" (")[0]
        return any(
            fnmatchcase(each, self.workload) or (" (" not in w and fnmatchcase(each, whole))
            for w in workloads
            for each in _titles(w)
        )


# The place of the namespace in a title, before the name.
_NAMESPACE = re.compile(r"(?:(?<= )|^)(?:[^\s/()]+/)?(?=[^\s/()]+(?: \(|$))")


def _titles(workload: str) -> Iterator[str]:
    """How a workload may be named: as in the report, without the role of the pod (`RayCluster ml/a (head)`), and for
    values also as the object that holds them (`values of HelmRelease ml/a`)."""
    whole = workload.partition(" (")[0]
    for title in (workload, whole):
        yield title
        yield title.removeprefix("values of ")


class Answers(Record):
    """What was decided, for all, and by rules for some. Later rules take precedence."""

    defaults: Mapping[str, object]
    rules: tuple[_Rule, ...] = ()
    _asked: set[tuple[str, tuple[str, ...]]] = field(default_factory=set, compare=False, repr=False)

    def unmatched(self, uses: Iterable[str]) -> Iterator[str]:
        """Sentences on answers that no question asked for; `uses` begin with the resources that are used."""
        asked = [r for r in self.rules if any(r.matches(*each) for each in self._asked)]
        for rule in self.rules:
            # Workloads and files in lists: each has to be there, not each with each.
            item = [each for each in asked if each.answers is rule.answers]
            if rule.workload not in {each.workload for each in item} or rule.file not in {
                each.file for each in item
            }:
                where = "" if rule.file == "*" else f" in {rule.file}"
                yield f"answers for {shown(rule.workload)}{where}: there is no such workload with devices"
        used = tuple(uses)
        every = (self.defaults, *(rule.answers for rule in self.rules))
        named = [each["class"] for each in every if "class" in each]
        classes = (decided(Decisions(), {"class": each}).classes for each in named)
        for resource in dict.fromkeys(name for each in classes for name in each):
            if not any(use.startswith(resource) for use in used):
                yield f"class {resource}: nothing here asks for it"

    def decide(self, file: str, workload: str, namespaces: Iterable[str] = ()) -> Decisions:
        """The decisions for a workload by its title, such as `Deployment ml/server`, and by its titles in further
        `namespaces`: a build gives another namespace to what a file holds, and both name one workload."""
        spaces = [f"{each}/" if each else "" for each in namespaces]
        titles = (workload, *(_NAMESPACE.sub(each, workload, count=1) for each in spaces))
        self._asked.add((file, titles))
        return self._by(rule for rule in self.rules if rule.matches(file, titles))

    @property
    def for_run(self) -> Decisions:
        """The decisions that hold for every workload, and for the run as a whole."""
        return self._by(rule for rule in self.rules if (rule.workload, rule.file) == ("*", "*"))

    def _by(self, rules: Iterable[_Rule]) -> Decisions:
        decisions = decided(Decisions(), self.defaults)
        for rule in rules:
            decisions = decided(decisions, rule.answers)
        return decisions

    def answering(self, pattern: str, question: str, answer: object, file: str = "*") -> Answers:
        """These answers with one more, for workloads of a pattern in files of another; ValueError if
        it is not valid."""
        decided(Decisions(), {question: answer})
        rule = _Rule(pattern, file, {question: answer})
        return Answers(self.defaults, (*self.rules, rule))

    def over(self, given: Mapping[str, object]) -> Answers:
        """These answers with those of the call, which hold for everything, over them; ValueError if
        one is not valid."""
        decided(Decisions(), given)
        rules = (*self.rules, _Rule("*", "*", given)) if given else self.rules
        return Answers(self.defaults, rules)


def answers_in(words: Iterable[str]) -> dict[str, object]:
    """Answers such as `sharing=exclusive`; those of a list may be given several times.

    Raises:
        ValueError: if a word has another form.
    """
    found: dict[str, list[str]] = {}
    for word in words:
        key, sign, value = word.partition("=")
        if not sign:
            raise ValueError(f"{shown(word)}: expected KEY=VALUE")
        found.setdefault(key, []).append(value)
    return {key: all_of if len(all_of) > 1 else all_of[0] for key, all_of in found.items()}


def read_answers(path: Path) -> Answers:
    """The answers in a file, whose format docs/migrate.md describes.

    Raises:
        AnswersError: if the file is not of that format.
        FileError: if it cannot be read.
    """
    from dradsl.text.documents import SETTINGS_LIMITS, load
    from dradsl.text.files import SETTINGS_BYTES, read_bytes

    stream = load(read_bytes(path, SETTINGS_BYTES), SETTINGS_LIMITS)
    for problem in stream.all_problems():
        raise AnswersError(f"{path}:{problem.span.line}: {problem.message}")
    if not stream.documents:
        return Answers({})
    data = stream.documents[0].data
    if not isinstance(data, Mapping):
        raise AnswersError(f"{path}: expected a mapping of answers")
    try:
        return _answers(data, path.parent)
    except ValueError as error:
        raise AnswersError(f"{path}: {error}") from error


def write_answers(path: Path, answers: Answers, known: Answers | None = None) -> None:
    """Write the answers so that `read_answers` gets them back.

    If the file holds the `known` answers, the new ones are added after them, and its comments stay.

    Raises:
        FileError: if the file cannot be written, or not read before that.
    """
    from dradsl.migrate.edits.operations import Append, CannotEditError, edit_text
    from dradsl.text.files import read_bytes
    from dradsl.text.render import render_block
    from dradsl.tree.replacing import write_bytes

    if known is not None and path.exists():
        more = [_written(rule) for rule in answers.rules[len(known.rules) :]]
        try:
            data_there = read_bytes(path)
            text = data_there.decode()
            edits = [Append(("workloads",), rule) for rule in more]
            changed = edit_text(text, [edits])
        except (CannotEditError, UnicodeDecodeError):
            pass  # nothing can be added to this form: the file is written anew
        else:
            write_bytes(path, changed.encode(), expected=data_there)
            return
    write_bytes(path, (render_block(written(answers)) + "\n").encode())


def written(answers: Answers) -> dict[str, object]:
    """Answers as a file holds them."""
    data: dict[str, object] = {"version": 1}
    if answers.defaults:
        data["answers"] = {key: _plain(value) for key, value in answers.defaults.items()}
    if answers.rules:
        data["workloads"] = [_written(rule) for rule in answers.rules]
    return data


def _written(rule: _Rule) -> dict[str, object]:
    return {
        "workload": rule.workload,
        **({"file": rule.file} if rule.file != "*" else {}),
        **{key: _plain(value) for key, value in rule.answers.items()},
    }


def _answers(data: Mapping[str, object], folder: Path) -> Answers:
    unknown = sorted(map(str, data.keys() - {"version", "answers", "workloads"}))
    if unknown:
        raise ValueError(
            f"unknown key {shown(unknown[0])} (there are: version, answers, workloads)"
        )
    if data.get("version", 1) != 1:
        raise ValueError(f"version {shown(data['version'])} is not known; this dradsl reads 1")
    defaults = data.get("answers") or {}
    rules = data.get("workloads") or []
    if not isinstance(defaults, Mapping) or not isinstance(rules, list):
        raise ValueError("answers is a mapping, workloads a list")
    # Recipes are named from the file's own folder.
    recipes = [str(folder / name) for name in decided(Decisions(), defaults).recipes]
    defaults = {**defaults, "recipes": recipes} if recipes else dict(defaults)
    return Answers(defaults, tuple(each for rule in rules for each in _rules(rule)))


def _rules(data: object) -> Iterator[_Rule]:
    """The rules of an item: one for each pattern. An item without an answer is a question that is open."""
    if not isinstance(data, Mapping):
        raise ValueError("an item of workloads is a mapping with `workload`, a pattern")
    answers = {str(k): v for k, v in data.items() if k not in ("workload", "file")}
    for name in FOR_ALL & answers.keys():
        raise ValueError(f"{name} holds for the whole run: it belongs under answers")
    decided(Decisions(), answers)
    workloads, files = (
        texts_of(key, data.get(key, "*"), "a pattern, or a list of patterns")
        for key in ("workload", "file")
    )
    for workload, file in itertools.product(workloads, files) if answers else ():
        yield _Rule(workload, file, answers)


def literal(text: str) -> str:
    """A pattern that matches `text` alone."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in text)


def _plain(value: object) -> object:
    return sorted(map(str, value)) if isinstance(value, frozenset | set | tuple) else value


class Options(Record):
    """How to migrate. `inventory` are recorded objects, `recipes` go before the shipped ones. `around` are the kustomizations on disk
    around the files; without it only those among the files count. `renderer` renders both sides. A run that is not complete at the `deadline` ends without a result."""

    answers: Answers = field(default_factory=lambda: Answers({}))
    kube_version: str | None = None
    inventory: tuple[Mapping[str, object], ...] = ()
    recipes: tuple[Recipe, ...] = ()
    prove: bool = True
    around: SurroundingKustomizations | None = None
    renderer: Renderer | None = None
    deadline: Deadline = NO_DEADLINE

    @property
    def separate(self) -> bool:
        """Whether the manifests stay, and patches are written beside them."""
        return self.answers.for_run.form != "files"

    @property
    def by_class(self) -> bool:
        """Whether DeviceClasses answer the requests, which stay as they are."""
        return self.answers.for_run.asks_by_name
