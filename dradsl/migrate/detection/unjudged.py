"""What is found as text in files that are not YAML, mostly templates of charts; and what may ask for devices in a way that
files do not show: names that templates compute, and values that are not there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dradsl.migrate.cluster.releases import chart_of, places_of_values
from dradsl.migrate.detection.texts import amounts_above, asks_for_device, texts_in
from dradsl.migrate.mapping.resource import BY_CLASS, is_device, no_driver
from dradsl.migrate.places import is_extended
from dradsl.migrate.result import FileMigration, Item, Outcome
from dradsl.text.paths import format_path
from dradsl.text.splitting import speaks_of_helm
from dradsl.tree.charts.go_template import actions_in
from dradsl.tree.charts.installed import Fetched, installed_by
from dradsl.tree.charts.recipes import find, shipped_recipes
from dradsl.tree.kustomize.kustomization import generated, is_kustomization
from dradsl.tree.manifests.manifest import manifests_of
from dradsl.tree.values.values import chart_beside, values_of
from dradsl.values.limits import MOST_HELPERS_WITHIN
from dradsl.values.plain import find_at, list_at, member

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.detection.values import RecipeBook
    from dradsl.text.paths import FieldPath
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.tree.manifests.manifest import Manifest

__all__ = [
    "computed_names",
    "counts_beside_names",
    "named_values",
    "profiles_in",
    "scan_broken",
    "scan_template",
    "values_elsewhere",
]

_ENTRY = re.compile(
    r"""(?:^[ \t-]*|(?<!\{)[{,][ \t]*)(?P<name>["']?(?P<resource>[a-z0-9-]+(?:\.[a-z0-9-]+)+/[A-Za-z0-9._-]+)["']?)"""
    r"""[ \t]*:[ \t]*(?P<value>(?:\{\{[^{}\r\n]*\}\}|[^\r\n#,{}])*)""",
    re.MULTILINE,
)
# Also as a format of `printf`, such as "nvidia.com/mig-%s".
_RESOURCE = re.compile(r"""["']([a-z0-9-]+(?:\.[a-z0-9-]+)+/[A-Za-z0-9._%-]+)["']""")
_OWN = re.compile(r"\{\{- define \"[^\"]*\.deviceClaims\.")
_KINDS = re.compile(r"^kind:[ \t]*[\"']?(\w+)", re.MULTILINE)
_TEXT = (
    "this template renders a text within a ConfigMap or Secret, of which another program makes objects: dradsl does not "
    "migrate such texts, rendered or not. Write claims where that program lets you"
)
# The key of a toleration or of a term of an affinity.
_IS_KEY = re.compile(r"[ \t-]*[\"']?key[\"']?:[ \t]*[\"']?$")
# Files that another program reads, whatever they hold for Helm.
_NOT_OF_HELM = re.compile(r"\.(?:tftpl|j2|jinja2?)(?:\.ya?ml)?$")
_OF_HELM = (
    "helm template ... | dradsl migrate - shows what it would become",
    "dradsl migrate --post-render migrates what helm renders, at every install and upgrade",
    *BY_CLASS,
)
_OF_OTHERS = (
    "render it with the program that it is for (Terraform, Ansible, envsubst), then: dradsl migrate --diff RENDERED.yaml",
    *BY_CLASS,
)


def scan_template(source: SourceText, catalogue: Catalogue) -> FileMigration:
    """The uses in a template, rejected since it is not known what it renders; what no driver has is left."""
    text = source.stream.text
    title, routes = title_and_routes(source)
    reason = f"this is the source of a {title}: what it renders can be migrated, it cannot"
    kinds = set(_KINDS.findall(text))
    if kinds and kinds <= {"ConfigMap", "Secret"}:
        reason, routes = _TEXT, BY_CLASS
    items = tuple(_items(source, catalogue, (0, len(text)), title, reason, routes))
    return FileMigration(source.name, "template", text, text, items)


def title_and_routes(source: SourceText) -> tuple[str, tuple[str, ...]]:
    """What a template is called, and how to migrate what it renders. Other programs have folders `templates`, too: only
    Helm's objects, or a chart around the file, show that it is Helm's."""
    chart, below, _ = source.name.replace("\\", "/").rpartition("templates/")
    of_chart = bool(below) and chart_beside(f"{chart}values.yaml")
    if of_chart or (speaks_of_helm(source.stream.text) and not _NOT_OF_HELM.search(source.name)):
        return "Helm template", _OF_HELM
    return "template", _OF_OTHERS


def scan_broken(source: SourceText, catalogue: Catalogue) -> Iterator[Item]:
    """The uses in documents that cannot be read, rejected with the reason for that."""
    for document in source.stream.documents:
        problem = next((each for each in document.problems if each.fatal), None)
        if problem is not None:
            place = (document.start, document.end)
            reason = f"the document cannot be read: {problem.message}"
            yield from _items(source, catalogue, place, "document", reason, ())


def _items(
    source: SourceText,
    catalogue: Catalogue,
    place: tuple[int, int],
    title: str,
    reason: str,
    routes: tuple[str, ...],
) -> Iterator[Item]:
    lines = source.stream.lines
    for start, end, before, stays in sorted(_uses(source.stream.text, place, catalogue)):
        yield Item(
            source.name,
            lines.span(start, end),
            title,
            f"line {lines.position(start)[0]}",
            before,
            Outcome.LEFT if stays else Outcome.REJECTED,
            stays or reason,
            routes=() if stays else routes,
        )


def _uses(
    text: str, place: tuple[int, int], catalogue: Catalogue
) -> Iterator[tuple[int, int, str, str]]:
    """Start, end and text of each use, and why it stays with its plugin, if so: keys of a mapping, and names that an action
    works with."""
    lines = text.split("\n")
    for found in _ENTRY.finditer(text, *place):
        value = found["value"].strip()
        is_label = value.strip("\"'") in ("", "true", "false")
        resource = found["resource"]
        if is_label or not is_extended(resource):
            continue
        if is_device(resource, catalogue):
            yield *found.span("name"), f"{resource}: {value}", ""
        elif _is_amount(lines, text.count("\n", 0, found.start("name")), resource):
            yield *found.span("name"), f"{resource}: {value}", no_driver(resource)
    for action in actions_in(text, *place):
        if action.is_comment or action.word in ("if", "with", "else"):
            continue  # it only reads the amounts, it does not request
        if _OWN.search(text, text.rfind("{{- define ", 0, action.at), action.at):
            continue  # claims for what the values ask
        if _IS_KEY.match(text, text.rfind("\n", 0, action.start) + 1, action.start):
            continue
        first = len(action.inner.partition(" ")[0])
        for found in _RESOURCE.finditer(text, action.at + first, action.end):
            if asks_for_device(found[1].replace("%s", "1g.5gb"), catalogue):
                yield (
                    *found.span(),
                    f"{found[1]} in {{{{ {action.inner} }}}}",
                    "",
                )


def _is_amount(lines: Sequence[str], number: int, key: str) -> bool:
    """Whether a key in a line is below `limits` or `requests`, on lines of their own or in braces."""
    before = lines[number].partition(key)[0]
    return _IN_BRACES.search(before) is not None or amounts_above(lines, number) is not None


_IN_BRACES = re.compile(r"\b(?:limits|requests)[\"']?:[ \t]*\{[^{}\r\n]*$")
_ACTION = r"\{\{[^{}\r\n]*\}\}"
_KEY = re.compile(rf"[ \t-]*(?P<key>[\"']?[\w./-]*(?:{_ACTION}[\w./-]*)+[\"']?)[ \t]*:(?=[ \t]|$)")
_FLOW = re.compile(
    rf"[\"']?\b(?:limits|requests)[\"']?:[ \t]*\{{(?!\{{).*?(?P<key>[\w./-]*{_ACTION}[\w./-]*)[\"']?[ \t]*:"
)
_AMOUNTS = re.compile(r"[ \t-]*[\"']?(?:limits|requests)[\"']?:[ \t]*(?P<rest>\{\{.*)?(?:#.*)?$")
_RANGED = re.compile(r"range\s+(?P<key>\$\w+)\s*,\s*\$\w+\s*:=\s*\(?\s*\$?\.")
_INCLUDED = re.compile(r"\b(?:include|template)\s+\"([^\"]+)\"")
_VARIABLE = re.compile(r"\btoYaml\s+(\$\w+)|(\$\w+)\s*\|\s*toYaml")
# A name that is no quoted text: the key of a new mapping, or of one that is changed.
_BUILT = r"\b(?:dict\s+(?=[.$(])|set\s+\(?[.$]{name}\)?\s+(?=[.$(]))|\bprintf\s+[\"`][^\"`]*:"
_SET = re.compile(r"\bset\s+\(?[.$][\w.]*(?:imits|equests)\)?\s+(?=[.$(])")
_COMPUTED = (
    "found, not judged: the template computes this name, so it is not known which devices are asked for. Write the name "
    "of the resource into the template, or migrate what is rendered"
)
_WHOLE = re.compile(r"\s*(?:\$\{[^{}]*\}|\$\w+|\{\{.*\}\}|<<.*>>|@\w+@)\s*")
_SIGNS = ("HelmRelease", "Application", "HelmChart")
_PROFILES: Mapping[str, str] = {
    "HardwareProfile": "spec.identifiers.*.identifier",
    "AcceleratorProfile": "spec.identifier",
}
_PROFILE = "a controller writes this request into the pods of workloads that choose the profile, and no claim"
_HOLDERS = ("ConfigMap", "Secret", "ExternalSecret", "SealedSecret")


def computed_names(source: SourceText, helpers: Mapping[str, str]) -> Iterator[Item]:
    """The names of resources that a template computes below limits and requests. `helpers` are named templates."""
    text = source.stream.text
    title, routes = title_and_routes(source)
    ranged = {found["key"] for found in _RANGED.finditer(text)}
    above: list[
        tuple[int, bool]
    ] = []  # the indents of the keys around a line, and whether they hold amounts
    start = 0
    for line in text.splitlines(keepends=True):
        at, start = start, start + len(line)
        plain = line.rstrip("\r\n")
        stripped = plain.strip()
        if not stripped or stripped.startswith(("#", "{{/*", "{{- /*")):
            continue
        indent = len(plain) - len(plain.lstrip(" -"))
        is_action = stripped.startswith(("{{", "{%")) and _KEY.match(plain) is None
        if not is_action:
            while above and above[-1][0] >= indent:
                above.pop()
        inside = bool(above) and above[-1][1]
        amounts = _AMOUNTS.match(plain)
        found = _FLOW.search(plain) or (_KEY.match(plain) if inside else None)
        place: tuple[int, int] | None = None
        if found is not None:
            variable = found["key"].strip("\"'{}- ")
            place = None if variable in ranged else found.span("key")
        elif (is_action and inside) or (amounts is not None and amounts["rest"]):
            first = len(plain) - len(plain.lstrip())
            place = (first, len(plain.rstrip())) if _computes(plain, text, helpers) else None
        elif _SET.search(plain) is not None:
            place = (len(plain) - len(plain.lstrip()), len(plain.rstrip()))
        if not is_action:
            above.append((indent, amounts is not None))
        if place is not None:
            span = source.stream.lines.span(at + place[0], at + place[1])
            yield Item(
                source.name, span, title, f"line {span.line}", stripped, Outcome.REJECTED,
                _COMPUTED, routes=tuple(each for each in routes if each not in BY_CLASS), about="unknown",
            )  # fmt: skip


def _computes(
    line: str, text: str, helpers: Mapping[str, str], depth: int = MOST_HELPERS_WITHIN
) -> bool:
    """Whether what an action writes has names that are computed: in it, in its variables, or in named templates."""
    if re.search(_BUILT.format(name=r"[\w.]*"), line) or re.search(r"\btpl\b", line):
        return True
    for one, other in _VARIABLE.findall(line):
        name = re.escape((one or other).removeprefix("$"))
        made = re.compile(rf"\${name}\s*:?=\s*(.*)")
        if re.search(_BUILT.format(name=name), text):
            return True
        if any(re.search(_BUILT.format(name=r"[\w.]*"), each) for each in made.findall(text)):
            return True
    for name in _INCLUDED.findall(line):
        body = helpers.get(name)
        if body is None or (
            depth and ".deviceClaims." not in name and _writes(body, helpers, depth - 1)
        ):
            return True
    return False


def _writes(body: str, helpers: Mapping[str, str], depth: int) -> bool:
    ranged = {found["key"] for found in _RANGED.finditer(body)}
    for line in body.splitlines():
        key = _KEY.match(line)
        if key is not None and key["key"].strip("\"'{}- ") not in ranged:
            return True
        if "{{" in line and _computes(line, body, helpers, depth):
            return True
    return False


def counts_beside_names(
    source: SourceText, book: RecipeBook, catalogue: Catalogue
) -> Iterator[Item]:
    """The counts in values that are beside the name of a device, of which a chart without a recipe makes a request."""
    for manifest in values_of(source) if _RESOURCE_VALUE.search(source.stream.text) else ():
        known = [spot.path for spot in book.spots(manifest)]
        for path, name in texts_in(manifest.data):
            above = find_at(manifest.data, path[:-1])
            if not isinstance(above, dict) or not asks_for_device(name, catalogue):
                continue
            for key, count in above.items():
                at = (*path[:-1], key)
                full = (*manifest.prefix, *at)
                is_count = _COUNT.search(str(key)) and type(count) in (int, str)
                if (
                    is_count
                    and count not in (0, "0", "")
                    and not any(full[: len(k)] == k for k in known)
                ):
                    yield Item(
                        source.name, manifest.span(at), manifest.title, format_path(at),
                        f"{name}: {count}", Outcome.REJECTED, _APART, routes=_OF_HELM[:2],
                    )  # fmt: skip


_RESOURCE_VALUE = re.compile(r":[ \t]*[\"']?[a-z0-9-]+(?:\.[a-z0-9-]+)+/\w")
_COUNT = re.compile(r"(?i)(?:count|number|quantity|amount|gpus?|limits?)$")
_APART = (
    "the name of the resource and its count are two values here, of which a chart makes a request: it is not known which "
    "pods ask for it"
)


def named_values(sources: Iterable[SourceText]) -> frozenset[str]:
    """The names of the ConfigMaps and Secrets in the files, and of those that are made by these."""
    found: set[str] = set()
    for source in sources:
        if is_kustomization(source.name):
            for document in source.stream.documents:
                found.update(
                    str(each["name"]) for each in generated(document.data) if "name" in each
                )
        for manifest in manifests_of(source):
            if manifest.kind in _HOLDERS:
                found.add(manifest.name or "")
                found.update(str(name) for _, name in find(manifest.data, "spec.target.name"))
    return frozenset(found)


def values_elsewhere(source: SourceText, known: Collection[str]) -> Iterator[Item]:
    """The releases of a file whose values are a variable, or in objects that are not among the `known` ones."""
    text = source.stream.text
    if "releases:" in text and "chart:" in text:
        yield from _of_helmfile(source)
    if not any(sign in text for sign in _SIGNS):
        return
    for manifest in manifests_of(source):
        if manifest.within is not None:
            continue
        for place in places_of_values(manifest):
            for path, value in find(manifest.data, place):
                if isinstance(value, str) and _WHOLE.fullmatch(value):
                    why = "these values are a variable. Give dradsl the file with its value in the place"
                    yield _item(source, manifest, path, value.strip(), why)
        if manifest.kind == "HelmRelease":
            yield from _missing(source, manifest, known)


def _of_helmfile(source: SourceText) -> Iterator[Item]:
    """The releases of charts with recipes in a helmfile, which is not read."""
    known = {chart for recipe in shipped_recipes() for chart in recipe.charts}
    for manifest in values_of(source):
        for index, each in enumerate(list_at(manifest.data, "releases")):
            chart = member(each, "chart")
            if isinstance(chart, str) and chart.rpartition("/")[2] in known:
                why = "dradsl does not read helmfiles. Pipe what it makes: helmfile template | dradsl migrate -"
                yield _item(source, manifest, ("releases", index), f"values of {chart}", why)


def _missing(source: SourceText, manifest: Manifest, known: Collection[str]) -> Iterator[Item]:
    chart = installed_by(manifest.data, ("spec", "values"), Fetched()).chart
    about_devices = bool(chart_of(None, chart) if chart is not None else "")
    for index, each in enumerate(list_at(manifest.data, "spec", "valuesFrom")):
        name = member(each, "name")
        if not isinstance(name, str) or name in known or "$" in name or each.get("targetPath"):
            continue
        # Secrets are seldom in a tree, and hold other values than those that ask for devices.
        if not about_devices and (each.get("kind") != "ConfigMap" or each.get("optional")):
            continue
        kind = str(each.get("kind"))
        why = f"no file of this run has the {kind} {name}. Give dradsl the file with it too"
        yield _item(
            source, manifest, ("spec", "valuesFrom", index), f"values from {kind} {name}", why
        )


def profiles_in(source: SourceText, catalogue: Catalogue) -> Iterator[Item]:
    """The devices of the profiles of OpenShift AI, which its controllers ask for in the workloads that name a profile.

    Fields: opendatahub-io/opendatahub-operator api/infrastructure/v1 (HardwareProfile), and the AcceleratorProfile of
    dashboard.opendatahub.io.
    """
    if "Profile" not in source.stream.text:
        return
    for manifest in manifests_of(source):
        if not manifest.group.endswith("opendatahub.io") or manifest.kind not in _PROFILES:
            continue
        for path, name in find(manifest.data, _PROFILES[manifest.kind]):
            if isinstance(name, str) and is_device(name, catalogue):
                yield Item(
                    source.name, manifest.span(path), manifest.title, ".".join(map(str, path)), name,
                    Outcome.REJECTED, _PROFILE, routes=BY_CLASS,
                )  # fmt: skip


def _item(source: SourceText, manifest: Manifest, path: FieldPath, before: str, why: str) -> Item:
    reason = (
        f"found, not judged: what these values ask for, and what they turn on, is not known: {why}"
    )
    where = ".".join(map(str, path))
    return Item(
        source.name, manifest.span(path), manifest.title, where, before, Outcome.REJECTED, reason,
        about="unknown",
    )  # fmt: skip
