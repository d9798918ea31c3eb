"""ConfigMaps and Secrets that a kustomization makes, and the hashes in their names.

Upstream: kustomize api/internal/generators, api/kv/kv.go, api/hasher/hasher.go.
"""

from __future__ import annotations

import base64
import hashlib
import json
import posixpath
from collections.abc import Callable, Mapping

from dradsl.tree.kustomize.parts.files import KustomizeError
from dradsl.tree.kustomize.parts.resources import Resource
from dradsl.tree.nodes import SourcePlace, ValueNode, mapping, of, scalar
from dradsl.values.plain import mapping_at

__all__ = ["generate", "hash_of", "merge_generated"]

Read = Callable[[str, SourcePlace | None], bytes]
"""The bytes of a file by its entry, or what makes the build fail."""
_SPACE = " \t\n\v\f\r\x85\xa0"


def generate(
    kind: str, args: ValueNode, options: Mapping[str, object] | None, read: Read
) -> Resource:
    """The object that an entry of configMapGenerator or secretGenerator makes.

    Raises:
        KustomizeError: if Kustomize rejects it.
    """
    at = args.at
    name = _string(args, "name")
    if not name:
        raise KustomizeError("a configmap must have a name", at)
    metadata: dict[str, ValueNode] = {"name": scalar(name, _place(args, "name"), "")}
    namespace = _string(args, "namespace")
    if namespace:
        metadata["namespace"] = scalar(namespace, _place(args, "namespace"), "")
    merged = _options(args.get("options"), options)
    for field in ("labels", "annotations"):
        pairs = merged.get(field)
        if isinstance(pairs, dict) and pairs:
            metadata[field] = mapping(
                {key: scalar(str(pairs[key]), at) for key in sorted(pairs)}, at
            )
    fields: dict[str, ValueNode] = {
        "apiVersion": of("v1", at),
        "kind": of(kind, at),
        "metadata": mapping(metadata, at),
    }
    values = _values(args, read)
    if kind == "Secret":
        fields["type"] = scalar(_string(args, "type") or "Opaque", _place(args, "type"))
        fields["data"] = mapping(
            {key: scalar(_base64(values[key][0]), values[key][1]) for key in sorted(values)}, at
        )
    else:
        texts: dict[str, ValueNode] = {}
        binary: dict[str, ValueNode] = {}
        for key in sorted(values):
            data, place = values[key]
            try:
                texts[key] = scalar(data.decode(), place)
            except UnicodeDecodeError:
                binary[key] = scalar(_base64(data), place)
        if texts:
            fields["data"] = mapping(texts, at)
        if binary:
            fields["binaryData"] = mapping(binary, at)
    if merged.get("immutable"):
        fields["immutable"] = of(True, at)
    return Resource(
        mapping(fields, at),
        behavior=_string(args, "behavior") or "unspecified",
        hashed=not merged.get("disableNameSuffixHash"),
    )


def _options(node: ValueNode | None, more: Mapping[str, object] | None) -> dict[str, object]:
    own = node.plain() if node is not None else None
    made: dict[str, object] = dict(own) if isinstance(own, dict) else {}
    for name, value in (more or {}).items():
        if name in ("labels", "annotations"):
            before = made.get(name)
            made[name] = {
                **(value if isinstance(value, dict) else {}),
                **(before if isinstance(before, dict) else {}),
            }
        elif value:
            made[name] = value
    return made


def _string(node: ValueNode, name: str) -> str:
    found = node.get(name)
    if found is None or found.is_null:
        return ""
    if not found.is_scalar or found.tag != "str":
        raise KustomizeError(f"{name}: expected a string", found.at)
    return found.text


def _place(node: ValueNode, name: str) -> SourcePlace | None:
    found = node.get(name)
    return node.at if found is None else found.at


def _values(args: ValueNode, read: Read) -> dict[str, tuple[bytes, SourcePlace | None]]:
    made: dict[str, tuple[bytes, SourcePlace | None]] = {}

    def put(key: str, data: bytes, at: SourcePlace | None) -> None:
        if key in made:
            raise KustomizeError(f"configmap illegally repeats the key `{key}`", at)
        made[key] = (data, at)

    envs = [*_texts(args, "envs")]
    single = args.get("env")
    if single is not None and not single.is_null and single.text:
        envs.append(single)
    for each in envs:
        for key, data in _lines(read(each.text, each.at), each.at):
            put(key, data, each.at)
    for each in _texts(args, "literals"):
        key, equals, value = each.text.partition("=")
        if not key or not equals:
            raise KustomizeError(f"invalid literal source {each.text}, expected key=value", each.at)
        if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
            value = value[1:-1]
        put(key, value.encode("utf-8", "surrogatepass"), each.at)
    for each in _texts(args, "files"):
        key, path = _file(each)
        put(key, read(path, each.at), each.at)
    return made


def _texts(node: ValueNode, name: str) -> list[ValueNode]:
    found = node.get(name)
    if found is None or found.is_null:
        return []
    if not found.is_seq or any(not (each.is_scalar and each.tag == "str") for each in found.items):
        raise KustomizeError(f"{name}: expected a list of strings", found.at)
    return list(found.items)


def _file(node: ValueNode) -> tuple[str, str]:
    text = node.text
    count = text.count("=")
    if count == 0:
        return posixpath.basename(text.rstrip("/")) or ".", text
    key, _, path = text.partition("=")
    if count > 1 or not key or not path:
        raise KustomizeError(f"source {text!r}: expected a path, or key=path", node.at)
    return key, path


def _lines(data: bytes, at: SourcePlace | None) -> list[tuple[str, bytes]]:
    made: list[tuple[str, bytes]] = []
    for index, raw in enumerate(data.split(b"\n")):
        line = raw.removesuffix(b"\r")
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            raise KustomizeError(f"line {index + 1} has invalid utf8 bytes", at) from error
        if index == 0:
            text = text.removeprefix("\ufeff")
        text = text.lstrip(_SPACE + "\u1680\u2028\u2029\u202f\u205f\u3000")
        if not text or text.startswith("#"):
            continue
        key, _, value = text.partition("=")
        if key:
            made.append((key, value.encode()))
    return made


_WIDTH = 70


def _base64(data: bytes) -> str:
    text = base64.b64encode(data).decode()
    if len(text) // _WIDTH + 1 == 1:
        return text
    return "".join(f"{text[at : at + _WIDTH]}\n" for at in range(0, len(text), _WIDTH))


# Names with hashes

_LETTERS = str.maketrans({"0": "g", "1": "h", "3": "k", "a": "m", "e": "t"})


def hash_of(resource: Resource) -> str:
    """The hash that Kustomize puts behind the name of a generated object."""
    data = mapping_at(resource.node.plain())
    kind = resource.kind.kind
    made: dict[str, object] = {"kind": kind, "name": "", "data": data.get("data", "")}
    if made["data"] is None:
        made["data"] = "null"
    if kind == "Secret":
        made["type"] = data.get("type", "")
        if isinstance(data.get("stringData"), dict):
            made["stringData"] = data["stringData"]
    elif isinstance(data.get("binaryData"), dict):
        made["binaryData"] = data["binaryData"]
    digest = hashlib.sha256(_go_json(made).encode("utf-8", "surrogatepass")).hexdigest()
    return digest[:10].translate(_LETTERS)


def _go_json(value: object) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    for sign, escape in (
        ("<", "\\u003c"),
        (">", "\\u003e"),
        ("&", "\\u0026"),
        ("\u2028", "\\u2028"),
        ("\u2029", "\\u2029"),
    ):
        text = text.replace(sign, escape)
    return text


def merge_generated(old: Resource, new: Resource, *, replace: bool) -> Resource:
    """A generated object in place of one that is there: `behavior: merge` or `replace`."""
    made = new.copy()
    metadata = made.node.get("metadata") or mapping({}, new.node.at)
    before = old.node.get("metadata")
    for field in ("labels", "annotations"):
        kept = before.get(field) if before is not None else None
        fields = dict(kept.fields) if kept is not None else {}
        own = metadata.get(field)
        fields.update(own.fields if own is not None else {})
        place = own.at if own is not None else before.at if before is not None else None
        metadata = metadata.with_field(
            field, mapping(dict(sorted(fields.items())), place) if fields else None
        )
    for field in ("name", "namespace"):
        metadata = metadata.with_field(field, before.get(field) if before is not None else None)
    node = made.node.with_field("metadata", metadata)
    if not replace:
        node = _merge_values(old.node, node)
    made.node = node
    made.normalize("labels", "annotations")
    made.previous, made.prefixes, made.suffixes = old.previous, old.prefixes, old.suffixes
    made.behavior = old.behavior
    made.hashed = new.hashed and old.hashed
    return made


def _merge_values(old: ValueNode, new: ValueNode) -> ValueNode:
    secret = new.get("kind")
    for field in ("data", "binaryData"):
        found = old.get(field)
        values: dict[str, ValueNode] = dict(found.fields) if found is not None else {}
        if field == "data" and secret is not None and secret.text == "Secret":
            plain = old.get("stringData")
            for key, each in plain.fields.items() if plain is not None else ():
                values[key] = scalar(_base64(each.text.encode("utf-8", "surrogatepass")), each.at)
        own = new.get(field)
        values.update(own.fields if own is not None else {})
        made = {
            key: each if each.tag == "str" else scalar("" if each.is_null else each.text, each.at)
            for key, each in sorted(values.items())
        }
        new = new.with_field(
            field, mapping(made, own.at if own is not None else old.at) if made else None
        )
    return new
