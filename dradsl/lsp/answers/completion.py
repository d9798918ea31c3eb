"""What may be written at a place: kinds, fields, names of what the project has, and within selectors CEL."""

from __future__ import annotations

from lsprotocol import types

from dradsl.kube.fields.table import GROUP, KINDS, VERSIONS, Category, fields_of
from dradsl.kube.schemas import description_of
from dradsl.lsp.answers.structure import POD_LISTS, field_text, item_text, pod_list_text
from dradsl.lsp.texts.outline import place_at
from dradsl.lsp.workspace.driver_info import type_of
from dradsl.lsp.workspace.index import CLAIM, CLASS, REQUEST, TEMPLATE
from dradsl.lsp.workspace.markdown import about_class, about_entry, about_field, field_at, values_of
from dradsl.releases import Served
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dradsl.kube.fields.table import FieldType
    from dradsl.lsp.selectors.lookups import Ahead
    from dradsl.lsp.texts.outline import Place
    from dradsl.lsp.workspace.driver_info import DriverInfo
    from dradsl.lsp.workspace.index import Mention
    from dradsl.text.paths import FieldPath

__all__ = ["in_cel", "in_yaml", "item_of"]

Kind = types.CompletionItemKind
Row = tuple[str, types.CompletionItemKind, str, str]
"""Label, kind, detail, documentation."""
Rows = list[Row]

_PODS = {
    "Pod": ("spec",),
    "Deployment": ("spec", "template", "spec"),
    "StatefulSet": ("spec", "template", "spec"),
    "DaemonSet": ("spec", "template", "spec"),
    "ReplicaSet": ("spec", "template", "spec"),
    "Job": ("spec", "template", "spec"),
    "CronJob": ("spec", "jobTemplate", "spec", "template", "spec"),
}
_AMOUNT = pattern(r"([0-9]+(?:\.[0-9]+)?)[A-Za-z]*$")
_UNITS = ("Ki", "Mi", "Gi", "Ti", "k", "M", "G", "T")
_POD_CLAIM_FIELDS = ("name", "resourceClaimTemplateName", "resourceClaimName")
_MACROS = (
    ("has", "has(device.attributes[...].name)"),
    ("cel.bind", "cel.bind(name, value, expression)"),
    ("all", "list.all(x, predicate)"),
    ("exists", "list.exists(x, predicate)"),
)


def in_yaml(
    text: str,
    offset: int,
    knowledge: DriverInfo,
    mentions: Sequence[Mention],
    *,
    snippets: bool = False,
) -> tuple[str, list[types.CompletionItem]]:
    """What is written of a word at a place of YAML, readable or not, and what it may become.

    A field comes with its list, its first item and its required fields; as a snippet if the editor takes those.
    """
    place = place_at(text, offset)
    if place is None:
        return "", []
    top, at = place.top, place.path
    kind, version = top.get("kind", ""), top.get("apiVersion", "")
    texts: dict[str, str] = {}
    if not place.is_key and at in (("kind",), ("apiVersion",)):
        rows = _identity(at[0], kind, version, knowledge)
    elif version.startswith(f"{GROUP}/") and kind in KINDS:
        api = version.partition("/")[2]
        rows = _of_api(place, kind, api, knowledge, mentions)
        if place.is_key:
            texts = _structures(place, offset, kind, api, knowledge.release.name)
            items: Rows = [
                (label, Kind.Struct, "a new item", "") for label in texts if label[0] == "-"
            ]
            rows = [*items, *rows]
    elif kind in _PODS:
        rows = _of_pod(place, _PODS[kind], mentions)
        texts = {name: pod_list_text(name, place.column) for name, *_ in rows if name in POD_LISTS}
    elif not at and place.is_key:
        rows = [(name, Kind.Field, "", "") for name in ("apiVersion", "kind", "metadata", "spec")]
    else:
        rows = []
    if place.is_key:
        rows = [row for row in rows if row[0] not in place.siblings or row[0] == place.word]
    offered = [item_of(row, key=place.is_key) for row in rows]
    for item in offered:
        if item.label in texts:
            _give_structure(item, texts[item.label], snippets)
    return place.word, offered


def _structures(place: Place, offset: int, kind: str, version: str, release: str) -> dict[str, str]:
    """The text that each key at a place brings along, and, as `- NAMES`, that of a new item of the list there."""
    held = field_at(kind, place.path, version, release)[0] if place.path else None
    dash, column, name = "", place.column, kind
    texts: dict[str, str] = {}
    last = next((row for row in reversed(place.rows) if row.start <= offset), None)
    if last is not None and not last.value and last.path[:-1] == place.path:
        # Items of a list may begin in the column of its key.
        above = field_at(kind, last.path, version, release)[0]
        texts = _new_item(above, version, release, column)
    if held is not None and held.category is Category.LIST:
        texts |= _new_item(held, version, release, column)
        held, dash, column = held.item, "- ", column + 2
    if held is not None:
        name = held.name if held.category is Category.STRUCT else ""
    for each in fields_of(name, version, release).values() if name else ():
        texts[each.name] = dash + field_text(each.name, each.type, version, release, column)
    return texts


def _new_item(held: FieldType | None, version: str, release: str, column: int) -> dict[str, str]:
    if held is None or held.category is not Category.LIST or held.item is None:
        return {}
    text = item_text(held.item, version, release, column)
    names = [line.strip(" -").partition(":")[0] for line in text.split("\n")]
    label = ", ".join(name for name in names if name != "\0")
    return {f"- {label}": text} if label else {}


def _give_structure(item: types.CompletionItem, text: str, snippets: bool) -> None:
    """Let an item write a text; `\0` marks what is to be filled in."""
    if snippets:
        first, *rest = text.split("\0")
        text = first + "".join(f"${number}{part}" for number, part in enumerate(rest, 1))
        item.insert_text_format = types.InsertTextFormat.Snippet
    item.insert_text = text.replace("\0", "")
    item.insert_text_mode = types.InsertTextMode.AsIs


def item_of(row: Row, *, key: bool = False) -> types.CompletionItem:
    """A row as the editor takes it."""
    label, kind, detail, documentation = row
    is_field = key and kind is Kind.Field
    return types.CompletionItem(
        label=label,
        kind=kind,
        detail=detail or None,
        documentation=types.MarkupContent(types.MarkupKind.Markdown, documentation)
        if documentation
        else None,
        insert_text=f"{label}: " if is_field else label,
    )


def _identity(field: object, kind: str, version: str, knowledge: DriverInfo) -> Rows:
    release = knowledge.release
    rows: Rows = []
    if field == "kind":
        group, _, each = version.partition("/")
        for name in KINDS:
            served = group in ("", GROUP) and (
                not each or release.serves(each, name) is not Served.NO
            )
            if served and (group == GROUP or not version):
                rows.append((name, Kind.Class, GROUP, ""))
        rows += [(name, Kind.Class, "", "") for name in _PODS if group != GROUP]
        return rows
    for each in VERSIONS:
        kinds = [name for name in KINDS if release.serves(each, name) is not Served.NO]
        if kinds and (kind not in KINDS or kind in kinds):
            rows.append((f"{GROUP}/{each}", Kind.Module, ", ".join(kinds), ""))
    rows += [(each, Kind.Module, "", "") for each in ("v1", "apps/v1", "batch/v1")]
    return rows


def _of_api(
    place: Place,
    kind: str,
    version: str,
    knowledge: DriverInfo,
    mentions: Sequence[Mention],
) -> Rows:
    release = knowledge.release
    held = field_at(kind, place.path, version, release.name)[0] if place.path else None
    if place.is_key:
        if held is not None and held.category is Category.LIST and held.item is not None:
            # `- ` begins an item, or is still to be written.
            held = held.item
            if held.category is not Category.STRUCT:
                return _names(place, mentions, knowledge, held)
        type_name = kind if not place.path else held.name if held is not None else None
        if held is not None and held.category is not Category.STRUCT:
            return _names(place, mentions, knowledge, held)
        rows: Rows = []
        for name, each in fields_of(type_name, version, release.name).items() if type_name else ():
            if name == "status":
                continue
            words = about_field(each, (*place.path, name), release, type_name or kind)
            rows.append((name, Kind.Field, str(each.type), words))
        return rows
    if held is None:
        return []
    if place.in_item and held.item is not None:
        held = held.item
    return _names(place, mentions, knowledge, held)


def _names(
    place: Place,
    mentions: Sequence[Mention],
    knowledge: DriverInfo,
    held: FieldType,
) -> Rows:
    """The values of a field: closed lists, names of what there is."""
    from dradsl.kube.schemas import values_of as closed

    name = next((step for step in reversed(place.path) if isinstance(step, str)), "")
    if name == "deviceClassName":
        return _classes(knowledge, mentions)
    if name == "requests" and ("constraints" in place.path or "config" in place.path):
        return _requests(place)
    if name in ("matchAttribute", "distinctAttribute"):
        return _attributes(knowledge, _class_names(place), match=name == "matchAttribute")
    if name == "driver" and "opaque" in place.path:
        return [(each, Kind.Module, "driver", "") for each in knowledge.drivers.names()]
    if name == "namespace":
        spaces = {str(each.manifest.namespace) for each in mentions if each.manifest.namespace}
        return [(each, Kind.Value, "namespace", "") for each in sorted(spaces)]
    if held.category is Category.BOOL:
        return [(each, Kind.Value, "", "") for each in ("true", "false")]
    return [(each, Kind.EnumMember, held.name, "") for each in closed(held, knowledge.release)]


def _classes(knowledge: DriverInfo, mentions: Iterable[Mention]) -> Rows:
    rows: Rows = []
    for each in mentions:
        if each.kind == CLASS and each.defines:
            rows.append((each.name, Kind.Class, each.manifest.path.rpartition("/")[2], ""))
    known = {row[0] for row in rows}
    for name in sorted(knowledge.drivers.index().classes):
        found = knowledge.drivers.device_class(name)
        if found is not None and name not in known:
            rows.append((name, Kind.Class, found[0].name, about_class(*found)))
    return rows


def _requests(place: Place) -> Rows:
    """The requests of the object at hand, as far as they are written, and their alternatives."""
    names: dict[FieldPath, str] = {}
    for row in place.rows:
        at = row.path
        if len(at) >= 3 and at[-1] == "name" and at[-3] in ("requests", "firstAvailable"):
            names[at[:-1]] = _bare(row.value)
    rows: Rows = []
    for at, name in names.items():
        if at[-2] == "requests":
            rows.append((name, Kind.Reference, "request", ""))
        elif at[:-2] in names:
            rows.append((f"{names[at[:-2]]}/{name}", Kind.Reference, "alternative", ""))
    return rows


def _bare(value: str) -> str:
    return value.split(" #")[0].strip().strip("\"'")


def _class_names(place: Place) -> list[str]:
    return [_bare(row.value) for row in place.rows if row.path[-1:] == ("deviceClassName",)]


def _attributes(knowledge: DriverInfo, classes: Iterable[str], *, match: bool) -> Rows:
    """Attributes for a constraint: first those that every driver of the claim has, standard names before others."""
    drivers = dict.fromkeys(filter(None, map(knowledge.driver_of_class, classes)))
    rows: dict[str, Row] = {}
    having: dict[str, set[str]] = {}
    for driver in drivers or knowledge.drivers.names():
        schema = knowledge.drivers.get(driver)
        for device, entry in schema.attributes() if schema is not None else ():
            if schema is None or (match and entry.unique):
                continue  # no two devices have the same value
            having.setdefault(entry.qualified, set()).add(driver)
            if entry.qualified not in rows:
                words = about_entry([(schema, device, entry)])
                rows[entry.qualified] = (entry.qualified, Kind.Property, driver, words)

    def rank(name: str) -> tuple[int, bool]:
        return -len(having[name]), not name.startswith("resource.kubernetes.io/")

    return [rows[name] for name in sorted(rows, key=rank)]


def _of_pod(place: Place, spec: FieldPath, mentions: Sequence[Mention]) -> Rows:
    at = place.path
    if at[: len(spec)] != spec:
        return []
    inner = at[len(spec) :]
    space = next((_bare(r.value) for r in place.rows if r.path == ("metadata", "namespace")), None)
    if inner[:1] == ("resourceClaims",):
        return _in_pod_claim(place, inner, space, mentions)
    if len(inner) >= 3 and inner[2:] == ("resources",) and place.is_key:
        return _described("ResourceRequirements", ("claims", "limits", "requests"))
    if len(inner) < 4 or inner[2:4] != ("resources", "claims"):
        if not inner and place.is_key:
            return _described("PodSpec", ("resourceClaims",))
        return []
    return _in_container_claim(place, spec, space, mentions)


def _described(type_name: str, fields: Sequence[str]) -> Rows:
    return [(name, Kind.Field, "", description_of(type_name, name) or "") for name in fields]


_SOURCES = {"resourceClaimName": CLAIM, "resourceClaimTemplateName": TEMPLATE}


def _in_pod_claim(
    place: Place, inner: FieldPath, space: str | None, mentions: Sequence[Mention]
) -> Rows:
    """Fields of an entry of the pod's `resourceClaims`, or the objects that one may name."""
    if place.is_key and len(inner) <= 2:
        return _described("PodResourceClaim", _POD_CLAIM_FIELDS)
    kind = _SOURCES.get(str(inner[-1]))
    found = [m for m in mentions if m.kind == kind and m.defines]
    found.sort(key=lambda each: each.manifest.namespace != space)
    return [
        (m.name, Kind.Reference, f"{m.kind} in {m.manifest.namespace or 'no namespace'}", "")
        for m in found
    ]


def _in_container_claim(
    place: Place, spec: FieldPath, space: str | None, mentions: Sequence[Mention]
) -> Rows:
    """Fields of an entry of a container's `resources.claims`; the pod's claims, and their requests."""
    if place.is_key:
        return _described("ContainerClaim", ("name", "request"))
    entries: dict[FieldPath, dict[str, str]] = {}
    for row in place.rows:
        if (
            row.path[: len(spec) + 1] == (*spec, "resourceClaims")
            and len(row.path) == len(spec) + 3
        ):
            entries.setdefault(row.path[:-1], {})[str(row.path[-1])] = _bare(row.value)
    if place.path[-1] == "name":
        return [(e["name"], Kind.Reference, "", "") for e in entries.values() if "name" in e]
    if place.path[-1] != "request":
        return []
    named = (*place.path[:-1], "name")
    mine = next((_bare(r.value) for r in place.rows if r.path == named), None)
    rows: Rows = []
    for entry in entries.values():
        if mine not in (None, entry.get("name")):
            continue
        for field, kind in _SOURCES.items():
            owner = (kind, space, entry.get(field))
            rows += [
                (m.name, Kind.Reference, f"request of {owner[2]}", "")
                for m in mentions
                if m.kind == REQUEST and m.defines and m.scope == owner
            ]
    return rows


# --- CEL ---


def in_cel(ahead: Ahead, knowledge: DriverInfo, near: str | None, seen: Sequence[str]) -> Rows:
    """What may be written in a selector; `near` is the driver that the request is about, `seen` are the values
    that recorded devices have there."""
    way = ahead.way
    if ahead.kind == "key" and len(way) == 2:
        return [
            (_quoted(domain, ahead), Kind.Module, schema.name, schema.summary or "")
            for domain, schema in knowledge.domains(way[1], near).items()
        ]
    if len(way) >= 4 and way[:1] == ("device",) and ahead.kind != "key":
        return _of_entry(ahead, knowledge, near, seen)
    if len(way) == 3 and way[1] in ("attributes", "capacity"):
        return [
            (
                _quoted(name, ahead) if ahead.kind == "key" else name,
                Kind.Property,
                type_of(found[0][2]) or "list",
                about_entry(found),
            )
            for name, found in knowledge.entries(way[1], way[2], near).items()
            if "<" not in name
        ]
    if way == ("device", "driver") and ahead.kind == "value":
        return [(_quoted(n, ahead), Kind.Value, "driver", "") for n in knowledge.drivers.names()]
    if ahead.kind == "member":
        return _members(way, knowledge)
    return _beginnings(knowledge) if ahead.kind == "name" else []


def _members(way: tuple[str, ...], knowledge: DriverInfo) -> Rows:
    """What may follow a dot: fields of the device, functions of a namespace, methods."""
    if way == ("device",):
        fields = knowledge.environment.fields_of("kubernetes.DRADevice") or {}
        return [(name, Kind.Field, str(type_), "") for name, type_ in fields.items()]
    if way == ("cel",):
        return [("bind", Kind.Function, "cel.bind(name, value, expression)", "")]
    return [(n, Kind.Method, s, "") for n, s in knowledge.methods(None).items()]


def _beginnings(knowledge: DriverInfo) -> Rows:
    """What an expression may begin with."""
    rows: Rows = [("device", Kind.Variable, "kubernetes.DRADevice", "")]
    rows += [(name, Kind.Keyword, text, "") for name, text in _MACROS[:2]]
    rows += [(n, Kind.Function, s, "") for n, s in knowledge.globals().items()]
    return [*rows, *((word, Kind.Keyword, "", "") for word in ("true", "false", "in"))]


def _of_entry(ahead: Ahead, knowledge: DriverInfo, near: str | None, seen: Sequence[str]) -> Rows:
    """Methods or values of an attribute or a capacity."""
    found = knowledge.entries(ahead.way[1], ahead.way[2], near).get(ahead.way[3], [])
    if ahead.kind == "member":
        type_ = type_of(found[0][2]) if found else None
        if len(ahead.way) > 4:
            type_ = None
        return [(n, Kind.Method, s, "") for n, s in knowledge.methods(type_).items()]
    details = dict.fromkeys(seen, "recorded")
    for _, _, entry in found:
        for value in values_of(entry):
            details.setdefault(value, f"value of {ahead.way[3]}")
    rows: Rows = []
    for value, detail in details.items():
        if ahead.kind == "amount" or not ahead.quote:
            rows.append((value, Kind.Value, detail, ""))
        elif value.startswith('"'):
            rows.append((value[1:-1], Kind.Value, detail, ""))
    if ahead.kind == "amount" and ahead.way[1] == "capacity":
        number = _AMOUNT.match(ahead.word)
        known = {row[0] for row in rows}
        with_units = [f"{number[1]}{unit}" for unit in _UNITS] if number is not None else []
        rows += [(each, Kind.Unit, "", "") for each in with_units if each not in known]
    return rows


def _quoted(word: str, ahead: Ahead) -> str:
    return word if ahead.quote else f'"{word}"'
