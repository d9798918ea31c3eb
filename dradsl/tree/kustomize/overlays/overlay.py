"""Overlays: a kustomization with all that it takes in, built in the order of Kustomize.

Upstream: kustomize api/internal/target/kusttarget.go, kusttarget_configplugin.go, api/krusty/kustomizer.go.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from dradsl.text.files import is_below
from dradsl.text.paths import FieldPath
from dradsl.tree.kustomize.kustomization import NAMES
from dradsl.tree.kustomize.parts.files import (
    Files,
    TextFile,
    is_remote,
    objects_in,
)
from dradsl.tree.kustomize.parts.outcome import (
    BuildState,
    BuiltObject,
    Overlay,
    UnsupportedConstruct,
)
from dradsl.tree.kustomize.parts.resources import Resource
from dradsl.tree.kustomize.parts.shape import check_kustomization
from dradsl.tree.kustomize.parts.specs import (
    EMPTY,
    default_config,
    merged,
    read_config,
)
from dradsl.tree.nodes import KustomizeError, SourcePlace, ValueNode, placed, sequence, text_of
from dradsl.values import limits
from dradsl.values.limits import MOST_KUSTOMIZATION_LEVELS

__all__ = ["OverlayBuilder", "with_settings"]

_LOCAL = "config.kubernetes.io/local-config"


class OverlayBuilder:
    """Builds overlays of some trees. What several of them take in is built once."""

    def __init__(self, files: Files, *, restricted: bool = True) -> None:
        """`restricted` takes no file from outside a kustomization's own folder, as the command does; Flux
        and Argo CD do."""
        self.files = files
        self._restricted = restricted
        self._bases: dict[str, BuildState | KustomizeError] = {}
        self._kustomizations: dict[str, tuple[ValueNode, TextFile] | KustomizeError] = {}

    def build(self, folder: str) -> Overlay:
        """The overlay in a folder."""
        real = self.files.real(folder)
        state = BuildState()
        objects: tuple[BuiltObject, ...] = ()
        rejected: KustomizeError | None = None
        try:
            state = self._target(real, state, (real,))
            objects = self._finish(state)
        except KustomizeError as error:
            rejected = error
        except RecursionError:
            rejected = KustomizeError("values are nested too deep")
        return Overlay(real, objects, tuple(state.unknowns), rejected, frozenset(state.files))

    def forget(self, path: str) -> None:
        """Build anew what takes in a file, which has changed."""
        self._kustomizations.pop(os.path.dirname(path), None)
        self._bases = {
            folder: base
            for folder, base in self._bases.items()
            if not isinstance(base, KustomizeError) and path not in base.files
        }

    def override_kustomization(self, folder: str, node: ValueNode, text: TextFile) -> None:
        """Use `node`, read from `text`, as the kustomization of a folder, whatever file is there."""
        self._kustomizations[folder] = (node, text)

    # One kustomization

    def kustomization(self, folder: str) -> tuple[ValueNode, TextFile]:
        """The kustomization of a folder, and its file.

        Raises:
            KustomizeError: if there is none that Kustomize takes.
        """
        found = self._kustomizations.get(folder)
        if found is None:
            try:
                found = self._read(folder)
            except KustomizeError as error:
                found = error
            self._kustomizations[folder] = found
        if isinstance(found, KustomizeError):
            raise found
        return found

    def _read(self, folder: str) -> tuple[ValueNode, TextFile]:
        texts = [
            text
            for name in NAMES
            if (text := self.files.text(self.files.real(os.path.join(folder, name)))) is not None
        ]
        if not texts:
            raise KustomizeError(
                f"unable to find one of {', '.join(NAMES)} in directory '{os.path.basename(folder)}'"
            )
        if len(texts) > 1:
            raise KustomizeError(
                f"Found multiple kustomization files under: {os.path.basename(folder)}"
            )
        documents = texts[0].documents()
        if not documents:
            raise KustomizeError("kustomization.yaml is empty")
        return check_kustomization(documents[0]), texts[0]

    def _target(self, folder: str, state: BuildState, above: tuple[str, ...]) -> BuildState:
        """All that the kustomization of a folder makes of the objects so far."""
        from dradsl.tree.kustomize.overlays.steps import Steps

        node, text = self.kustomization(folder)
        state.files.add(text.file)
        for each in (*_texts(node, "resources"), *_texts(node, "bases")):
            self._take(state, each, folder, above)
        config = default_config()
        own = EMPTY
        for each in _texts(node, "configurations"):
            loaded = self.load(each.text, folder, each.at)
            state.files.add(loaded.file)
            with placed(each.at, "configurations: "):
                for document in loaded.documents()[:1]:
                    own = merged(own, read_config(document.plain()))
        state.config = merged(state.config, merged(config, own))
        for each in _texts(node, "crds"):
            state.unknowns.append(
                UnsupportedConstruct(
                    "crds", "field specs out of the OpenAPI of CRDs are not read", each.at
                )
            )
        steps = Steps(self, state, node, folder)
        steps.generate()
        for each in _texts(node, "components"):
            self._component(each, state, folder, above)
        steps.transform()
        schema = node.get("openapi")
        if schema is not None and schema.get("path") is not None:
            steps.unknown("openapi", "a schema of one's own is not read", schema.at, changes=True)
        for each in (*_texts(node, "vars"),)[:1]:
            steps.unknown("vars", "texts $(NAME) of vars are not replaced", each.at, changes=True)
        self.files.budget.build(len(state.resources), len(state.resources))
        if len(state.resources) > limits.MOST_COPIES:
            self._expect_no_multiplying(state)
        return state

    def _expect_no_multiplying(self, state: BuildState) -> None:
        """Bases of bases that are taken several times on each level double with each level."""
        copies: dict[tuple[int, FieldPath], int] = {}
        for each in state.resources:
            if (at := each.node.at) is not None:
                key = id(at.origin), at.path
                copies[key] = copies.get(key, 0) + 1
        taken = sum(os.path.basename(file) in NAMES for file in state.files)
        allowed = max(limits.MOST_COPIES, limits.MOST_COPIES_EACH * taken)
        if max(copies.values(), default=0) > allowed:
            self.files.budget.reject(
                f"{taken} kustomizations make more than {allowed:,} objects of one", None
            )

    def _local(self, entry: ValueNode, state: BuildState, folder: str, what: str) -> str | None:
        """The real path of a base or component; None, and a note, for one that is not of this tree."""
        path = "" if is_remote(entry.text) else self.files.real(os.path.join(folder, entry.text))
        if path and self.files.is_inside(path):
            return path
        construct = f"{what} outside" if path else f"remote {what}"
        message = f"{entry.text} is {'outside of the tree' if path else 'not of this tree'}"
        state.unknowns.append(
            UnsupportedConstruct(construct, message, entry.at, changes=what == "component")
        )
        state.hidden = True
        return None

    def _take(
        self, state: BuildState, entry: ValueNode, folder: str, above: tuple[str, ...]
    ) -> None:
        path = self._local(entry, state, folder, "base")
        if path is None:
            return
        if self.files.is_folder(path):
            inner = self._base(path, entry, above)
            for resource in inner.resources:
                state.append(resource, entry.at)
            self.files.budget.build(0, len(state.resources))
            state.config = merged(state.config, inner.config)
            state.unknowns += inner.unknowns
            state.files |= inner.files
            state.hidden |= inner.hidden
            return
        text = self.load(entry.text, folder, entry.at)
        state.files.add(text.file)
        for each in objects_in(text):
            state.append(Resource(each), each.at)

    def _base(self, path: str, entry: ValueNode, above: tuple[str, ...]) -> BuildState:
        if any(part not in ("", ".", "..") and ".." in part for part in entry.text.split("/")):
            raise KustomizeError(f"path {entry.text!r} is ambiguous", entry.at)
        if os.path.isabs(entry.text):
            raise KustomizeError(f"new root '{entry.text}' cannot be absolute", entry.at)
        _expect_new_root(entry, path, above)
        known = self._bases.get(path)
        if known is None:
            try:
                node, _ = self.kustomization(path)
                _expect_kind(node, entry, component=False)
                known = self._target(path, BuildState(), (*above, path))
            except KustomizeError as error:
                known = error if error.at is not None else KustomizeError(str(error), entry.at)
            if not (isinstance(known, KustomizeError) and "cycle" in str(known)):
                self._bases[path] = known
        if isinstance(known, KustomizeError):
            raise known
        return known.copy()

    def _component(
        self, entry: ValueNode, state: BuildState, folder: str, above: tuple[str, ...]
    ) -> None:
        path = self._local(entry, state, folder, "component")
        if path is None:
            for resource in state.resources:
                resource.incomplete = True
            return
        if not self.files.is_folder(path):
            raise KustomizeError(f"component {entry.text}: not a directory", entry.at)
        _expect_new_root(entry, path, above)
        node, _ = self.kustomization(path)
        _expect_kind(node, entry, component=True)
        self._target(path, state, (*above, path))

    def load(self, text: str, folder: str, at: SourcePlace | None) -> TextFile:
        """A file that a kustomization names: of its own folder or below.

        Raises:
            KustomizeError: if it cannot be taken.
        """
        path = self.path_of(text, folder, at)
        found = self.files.text(path)
        if found is None:
            raise KustomizeError(f"{text}: no such file or directory", at)
        return found

    def path_of(self, text: str, folder: str, at: SourcePlace | None) -> str:
        """The real path of a file that a kustomization names."""
        if is_remote(text) and "://" in text:
            raise KustomizeError(f"{text}: files of other machines are not read", at)
        path = self.files.real(os.path.join(folder, text))
        if self._restricted and not is_below(path, folder):
            raise KustomizeError(
                f"security; file '{text}' is not in or below the kustomization", at
            )
        return path

    # The last steps

    def _finish(self, state: BuildState) -> tuple[BuiltObject, ...]:
        from dradsl.tree.kustomize.overlays.generators import hash_of
        from dradsl.tree.kustomize.overlays.references import fix_references

        for resource in state.resources:
            if resource.hashed:
                resource.remember()
                resource.rename(f"{resource.name}-{hash_of(resource)}")
        fix_references(state.resources, state.config.references)
        made = []
        for resource in state.resources:
            if resource.strings("annotations").get(_LOCAL, "false") == "false":
                resource.normalize("annotations")
                resource.node.plain()
                first = resource.original_id
                made.append(
                    BuiltObject(resource.node, first.name, first.namespace, resource.incomplete)
                )
        return tuple(made)


def _expect_kind(node: ValueNode, entry: ValueNode, *, component: bool) -> None:
    if (text_of(node.get("kind")) == "Component") != component:
        sign = "" if component else "!= "
        raise KustomizeError(f"expected kind {sign}'Component' for path '{entry.text}'", entry.at)


def _expect_new_root(entry: ValueNode, path: str, above: tuple[str, ...]) -> None:
    """Reject a base or component that is being built already, or lies too deep."""
    if any(is_below(each, path) for each in above):
        raise KustomizeError(
            f"cycle detected: candidate root '{entry.text}' contains a visited root", entry.at
        )
    if len(above) >= MOST_KUSTOMIZATION_LEVELS:
        raise KustomizeError(
            f"kustomizations are nested deeper than {MOST_KUSTOMIZATION_LEVELS} levels", entry.at
        )


def with_settings(
    builder: OverlayBuilder,
    folder: str,
    node: ValueNode,
    own: ValueNode,
    fields: Mapping[str, str],
    *,
    once: bool = False,
) -> ValueNode:
    """The kustomization of a folder as Flux and Argo CD write it before they build: with the `fields` of their own
    object, by the names in that and in the kustomization, and with its patches and components, each `once`."""
    for field, name in fields.items():
        found = own.get(field)
        if found is not None and found.text:
            node = node.with_field(name, found)
    files, is_lenient = builder.files, own.is_true("ignoreMissingComponents")

    def is_taken(component: ValueNode) -> bool:
        path = files.real(os.path.join(folder, component.text))
        there = is_remote(component.text) or files.is_folder(path) or files.is_file(path)
        return there or not is_lenient

    for name in ("patches", "components"):
        more = own.get(name)
        if more is not None and more.is_seq:
            items = node.items_at(name)
            known = {each.text for each in items if once and name == "components"}
            items += [
                each
                for each in more.items
                if name == "patches" or (is_taken(each) and each.text not in known)
            ]
            node = node.with_field(name, sequence(items, more.at))
    return check_kustomization(node)


def _texts(node: ValueNode, name: str) -> Iterable[ValueNode]:
    return [each for each in node.items_at(name) if not each.is_null]
