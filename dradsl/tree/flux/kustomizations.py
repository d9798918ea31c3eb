"""What Kustomizations of Flux build: a folder, changed by the object, with variables put in at the end.

Upstream: fluxcd/pkg kustomize/kustomize_generator.go, kustomize_varsub.go.
"""

from __future__ import annotations

import base64
import binascii
import os
from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence

from dradsl.records import Record, dataclass, replace
from dradsl.text.documents import load
from dradsl.text.files import SETTINGS_BYTES, is_below
from dradsl.text.splitting import has_marks
from dradsl.tree.git.gitignore import IgnoreFile, TooManyPatternsError
from dradsl.tree.kustomize.kustomization import NAMES
from dradsl.tree.kustomize.overlays.overlay import OverlayBuilder, with_settings
from dradsl.tree.kustomize.parts.files import BuildBudget, Files, KustomizeError, TextFile
from dradsl.tree.kustomize.parts.outcome import BuiltObject, Overlay, UnsupportedConstruct
from dradsl.tree.nodes import (
    SourceDocument,
    SourcePlace,
    ValueNode,
    mapping,
    of,
    sequence,
    text_of,
)
from dradsl.tree.variables import evaluate, is_off, parse, variables_in
from dradsl.values import limits
from dradsl.values.limits import MOST_FILES_OF_FLUX
from dradsl.values.plain import mapping_at, member

__all__ = ["VariableSources", "build_flux", "ignored_below", "substitute"]


class VariableSources(Record):
    """The ConfigMaps and Secrets of a tree, by kind and name: their values, once for each that has the name.
    None stands for values that cannot be read, such as encrypted ones."""

    found: Mapping[tuple[str, str], Sequence[Mapping[str, str] | None]]

    @classmethod
    def of_objects(cls, objects: Iterable[object]) -> VariableSources:
        """Those among some objects."""
        found: dict[tuple[str, str], list[Mapping[str, str] | None]] = {}
        for data in objects:
            if not isinstance(data, dict) or data.get("kind") not in ("ConfigMap", "Secret"):
                continue
            name = member(data, "metadata", "name")
            if isinstance(name, str):
                found.setdefault((data["kind"], name), []).append(_values(data))
        return cls(found)


def _values(data: Mapping[str, object]) -> Mapping[str, str] | None:
    if "sops" in data:
        return None
    made: dict[str, str] = {}
    for field in ("data", "stringData"):
        for key, value in mapping_at(data, field).items():
            if not isinstance(value, str) or value.startswith("ENC["):
                return None
            made[key] = value
            if field == "data" and data["kind"] == "Secret":
                try:
                    made[key] = base64.b64decode(value).decode()
                except (binascii.Error, ValueError):
                    return None
    return made


def build_flux(
    builder: OverlayBuilder,
    kustomization: ValueNode,
    tops: Iterable[str],
    sources: VariableSources,
) -> Overlay:
    """What a Kustomization of Flux builds of its folder, which counts from the first top that has it.

    The builder is one that has built nothing and is not `restricted`.
    """
    files = builder.files
    spec = kustomization.get("spec") or mapping({}, kustomization.at)
    path = text_of(spec.get("path")) or "./"
    folder = _folder(files, path, tops)
    if folder is None:
        note = UnsupportedConstruct("path", f"the folder {path} is not in this tree", spec.at)
        return Overlay(path, unknowns=(note,))
    try:
        top = next((each for each in tops if is_below(folder, files.real(each))), folder)
        node, text = _changed(builder, folder, spec, files.real(top))
    except KustomizeError as error:
        return Overlay(folder, rejected=error)
    builder.override_kustomization(folder, node, text)
    overlay = builder.build(folder)
    images = spec.get("images")
    if images is not None and not images.is_empty:
        note = UnsupportedConstruct("images", "images of a Kustomization are not put in", images.at)
        overlay = replace(overlay, unknowns=(*overlay.unknowns, note))
    if overlay.rejected is not None:
        return overlay
    return _substituted(overlay, spec.get("postBuild"), sources, files)


def _folder(files: Files, path: str, tops: Iterable[str]) -> str | None:
    for top in tops:
        found = files.of_source(top, path)
        if found is not None and files.is_folder(found):
            return found
    return None


_FIELDS = {"targetNamespace": "namespace", "namePrefix": "namePrefix", "nameSuffix": "nameSuffix"}


def _changed(
    builder: OverlayBuilder, folder: str, spec: ValueNode, top: str
) -> tuple[ValueNode, TextFile]:
    """The kustomization of the folder as Flux writes it before it builds."""
    if any(builder.files.text(builder.files.real(os.path.join(folder, name))) for name in NAMES):
        node, text = builder.kustomization(folder)
    else:
        ignored = ignored_below(folder, top, builder.files)
        node, text = _generated(folder, builder.files, spec.at, ignored)
    return with_settings(builder, folder, node, spec, _FIELDS), text


def _generated(
    folder: str, files: Files, at: SourcePlace | None, ignored: _Ignored
) -> tuple[ValueNode, TextFile]:
    """A kustomization of all that a folder holds; a folder with one of its own is taken as such. Other YAML than
    objects is taken too, and rejected, as Flux does it (scanManifests)."""
    found: list[str] = []
    for here, below, names in files.walk(folder):
        below[:] = sorted(each for each in below if each != ".git")
        if here != folder and any(name in names for name in NAMES):
            below.clear()
            # In a source without its kustomization it is a folder of files.
            if all(ignored.holds(os.path.join(here, name)) for name in NAMES if name in names):
                raise KustomizeError("a kustomization is left out of the source", at)
            found.append(os.path.relpath(here, folder))
            continue
        found += [
            os.path.relpath(path, folder)
            for path in (os.path.join(here, name) for name in sorted(names))
            if path.endswith((".yaml", ".yml")) and not ignored.holds(path)
        ]
        if len(found) > MOST_FILES_OF_FLUX:
            raise KustomizeError(f"the folder holds more than {MOST_FILES_OF_FLUX} files", at)
    text = TextFile(os.path.join(folder, NAMES[0]), b"")
    document = TextFile(text.file, b"{}").stream.documents[0]
    place = at or SourcePlace(SourceDocument(text.file, document))
    resources = sequence([of(each, place) for each in sorted(found)], place)
    return mapping({"resources": resources}, place), text


# Files that sources leave out

_IGNORE_FILE = ".sourceignore"
_LEFT_OUT = (
    ".git/,.gitignore,.gitmodules,.gitattributes,"
    "*.jpg,*.jpeg,*.gif,*.png,*.wmv,*.flv,*.tar.gz,*.zip,"
    ".github/,.circleci/,.travis.yml,.gitlab-ci.yml,appveyor.yml,.drone.yml,cloudbuild.yaml,"
    "codeship-services.yml,codeship-steps.yml,**/.goreleaser.yml,**/.sops.yaml,**/.flux.yaml"
)


class _Ignored(Record):
    """Patterns, each with the folder that they count from; the last that fit a file decide."""

    patterns: Sequence[tuple[str, IgnoreFile]]

    def holds(self, path: str) -> bool:
        """Whether a file is left out."""
        for folder, patterns in reversed(self.patterns):
            steps = os.path.relpath(path, folder).replace(os.sep, "/")
            decided = None if steps.startswith("../") else patterns.decide_as_flux(steps)
            if decided is not None:
                return decided
        return False


def ignored_below(folder: str, top: str, files: Files) -> _Ignored:
    """What is left out of a folder of a source: by Flux's own patterns, and by the files above and below.

    Raises:
        KustomizeError: if there are too many patterns.
    """
    above = os.path.relpath(folder, top).split(os.sep)
    folders = [os.path.join(top, *above[:end]) for end in range(len(above)) if above != ["."]]
    for here, below, names in files.walk(folder):
        below[:] = (each for each in below if each != ".git")
        folders += [here] if _IGNORE_FILE in names else []
    found = [(top, IgnoreFile.of(_LEFT_OUT.replace(",", "\n")))]
    for each in folders:
        data = files.read(files.real(os.path.join(each, _IGNORE_FILE)))
        if data is not None and len(data) <= SETTINGS_BYTES:
            try:
                found.append((each, IgnoreFile.of(data.decode("utf-8", "replace"))))
            except TooManyPatternsError as error:
                raise KustomizeError(f"{_IGNORE_FILE} {error}") from error
    return _Ignored(found)


# Variables


def _substituted(
    overlay: Overlay, after: ValueNode | None, sources: VariableSources, files: Files
) -> Overlay:
    if after is None or not after.is_map:
        return overlay
    values: dict[str, str] = {}
    unknowns = list(overlay.unknowns)
    complete = True
    for reference in after.items_at("substituteFrom"):
        kind, name = text_of(reference.get("kind")), text_of(reference.get("name"))
        found = sources.found.get((kind, name), ())
        one = found[0] if len(found) == 1 else None
        if one is None:
            complete = False
            values.clear()  # it may replace what came before
            unknowns.append(
                UnsupportedConstruct(
                    "substituteFrom", f"{kind} {name} is not known", reference.at, changes=True
                )
            )
        else:
            complete &= _put(one, values)
    own = after.get("substitute")
    complete &= _put(
        {} if own is None else {k: each.text for k, each in own.fields.items()}, values
    )
    if not values and complete:
        return replace(overlay, unknowns=tuple(unknowns))
    try:
        made = tuple(
            [substitute(each, values, files.budget, complete=complete) for each in overlay.objects]
        )
    except KustomizeError as error:
        return replace(overlay, objects=(), rejected=error)
    return replace(overlay, objects=made, unknowns=tuple(unknowns))


def _put(more: Mapping[str, str], values: dict[str, str]) -> bool:
    """Put values over others; whether all of them are known: the controller above may put some into this very object."""
    for key, text in more.items():
        values[key] = text.replace("\n", "")
        if has_marks(text):
            del values[key]
    return not any(map(has_marks, more.values()))


def substitute(
    built: BuiltObject, values: dict[str, str], budget: BuildBudget, *, complete: bool
) -> BuiltObject:
    """An object with its variables put in. Unless the values are `complete`, what has none stays, and
    the object is incomplete.

    Raises:
        KustomizeError: if the object would be larger than the API server takes, or all objects too large.
    """
    if is_off(built.data):
        return built
    filling = _Filling(values, complete, built.node.at, budget)
    node = filling.filled(built.node)
    return replace(built, node=node, incomplete=built.incomplete or filling.incomplete)


@dataclass(slots=True)
class _Filling:
    """An object while values are put in: `incomplete` says that some are missing, `made` counts characters."""

    values: dict[str, str]
    complete: bool
    at: SourcePlace | None
    budget: BuildBudget
    incomplete: bool = False
    made: int = 0

    def filled(self, node: ValueNode) -> ValueNode:
        """A part of the object with its values."""
        if node.is_map:
            if not _marked(node.plain()):
                return node
            made = {self._key(key): self.filled(each) for key, each in node.fields.items()}
            return mapping(made, node.at)
        if node.is_seq:
            if not _marked(node.plain()):
                return node
            return sequence([self.filled(each) for each in node.items], node.at)
        text = node.plain()
        if not isinstance(text, str) or "$" not in text:
            return node
        new = self._evaluated(text, complete=self.complete)
        if new is None:
            self.incomplete = True
            return node
        if new == text:
            return node
        return of(_read(text, new), node.at)

    def _key(self, key: str) -> str:
        return (self._evaluated(key, complete=True) or key) if "${" in key else key

    def _evaluated(self, text: str, *, complete: bool) -> str | None:
        parsed = parse(text)
        if parsed is None:
            return text.replace("$${", "${") if "$${" in text else text
        known: Mapping[str, str] = self.values
        if complete:
            missing = [name for name in variables_in(parsed) if name not in known]
            known = ChainMap(dict.fromkeys(missing, ""), self.values) if missing else known
        found = evaluate(parsed, known)
        made = found.text
        self.made += len(made or "")
        self.budget.fill(len(made or ""), self.at)
        if found.too_large or self.made > limits.MOST_FILLED:
            most = f"{limits.MOST_FILLED >> 20} MiB, which no API server takes"
            self.budget.reject(f"variables make an object of more than {most}", self.at)
        # Where not all values are known, a default is none: another one may be given elsewhere.
        return None if found.assumed and not complete else made


def _read(text: str, new: str) -> object:
    """What the new text means in YAML: Flux puts values into the text of the object."""
    if (
        "\n" in text
        or ": " in text
        or " #" in text
        or text[:1] in "'\"{[&*!|>%@`-?:,#"
        or text.endswith(":")
    ):
        return new  # it is in quotes or a block there
    documents = load(f"x: {new}\n".encode("utf-8", "surrogatepass")).documents
    data = documents[0].data if len(documents) == 1 else None
    return data["x"] if isinstance(data, dict) and set(data) == {"x"} else new


def _marked(data: object) -> bool:
    if isinstance(data, dict):
        return any("${" in key or _marked(value) for key, value in data.items())
    if isinstance(data, list):
        return any(map(_marked, data))
    return isinstance(data, str) and "$" in data
