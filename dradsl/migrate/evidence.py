"""Evidence on a use from the rest of the input: how devices are handed out, classes, claims, CustomResourceDefinitions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from dradsl.migrate.cluster.clusters import Clusters
from dradsl.migrate.cluster.facts import INTEL, Cluster, Mig, gather_facts, profile_of_layout
from dradsl.migrate.mapping.labels import label_hints
from dradsl.migrate.mapping.resource import ANNOTATIONS, FRACTIONS, Hints, Observed, observe
from dradsl.migrate.places import ContainerAt, PodAt, whole
from dradsl.records import Record, field, replace
from dradsl.text.paths import locate, values_named
from dradsl.tree.manifests.manifest import Manifest, manifests_of
from dradsl.values.limits import MOST_LEVELS
from dradsl.values.plain import list_at, member, string_at

if TYPE_CHECKING:
    from dradsl.text.nodes import Node
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.tree.kustomize.surrounding import SurroundingKustomizations

__all__ = ["Evidence", "find_sharing_hint", "gather", "hints_beside", "hints_for"]

_GPU = "nvidia.com/gpu"
# Words that authors use for GPUs that several independent pods share.
# Labels of NVIDIA's feature discovery end in -SHARED for GPUs with replicas (internal/lm/resource.go); taints follow them.
_SHARING_WORDS = re.compile(
    r"time[-_ ]?slic|(?<![a-z])mps(?![a-z])|(?-i:\b[\w.-]+-SHARED\b)|shared-?dev-?num",
    re.IGNORECASE,
)

ClaimKey: TypeAlias = tuple[str, str | None, str]
# What facts are about: a word, and what identifies the object.
_Subject: TypeAlias = tuple[str | None, ...]


class Evidence(Record):
    """What is found in the run as a whole: how devices are handed out, classes, claims.

    `cluster` is what the files say about the device plugins, and `clusters` which files go to the same cluster. `said` are
    facts on a subject: the classes that claims and claim templates ask for, the names of the DeviceClasses that carry an
    extended resource, the CEL of DeviceClasses, and what CRDs say of a kind. Each is with its file (`""` for recorded
    objects), since it holds for the cluster of that file.
    `observed` is what recorded slices show.
    """

    cluster: Cluster = field(default_factory=Cluster)
    said: Mapping[_Subject, Sequence[tuple[str, Any]]] = field(default_factory=dict)
    observed: Observed = field(default_factory=Observed)
    clusters: Clusters | None = field(default=None, compare=False, repr=False)
    _words: dict[Node, str | None] = field(default_factory=dict, compare=False, repr=False)
    _of_files: dict[str, Cluster] = field(default_factory=dict, compare=False, repr=False)

    def cluster_of(self, name: str) -> Cluster:
        """What holds for the objects of a file; facts from files for other clusters are left out."""
        if self.clusters is None or not self.cluster.facts:
            return self.cluster
        if name not in self._of_files:
            may_share = {
                file: self.clusters.may_share(file, name)
                for file in dict.fromkeys(fact.file for fact in self.cluster.facts)
            }
            facts = tuple(fact for fact in self.cluster.facts if may_share[fact.file])
            self._of_files[name] = Cluster(facts)
        return self._of_files[name]

    def may_share(self, one: str, other: str) -> bool:
        """Whether two files may be for the same cluster."""
        return not one or self.clusters is None or self.clusters.may_share(one, other)

    def claim_classes(self, key: ClaimKey, file: str) -> frozenset[str] | None:
        """The classes that a claim in the cluster of a file asks for; None if no claim of that name is found."""
        found = self._in_cluster(("claim", *key), file)
        return frozenset().union(*found) if found else None

    def classes_for(self, resource: str, file: str) -> tuple[str, ...]:
        """The DeviceClasses that carry an extended resource in the cluster of a file."""
        return tuple(sorted(set(self._in_cluster(("resource", resource), file))))

    def class_selectors(self, name: str, file: str) -> tuple[tuple[str, ...], ...]:
        """The CEL of a DeviceClass in the cluster of a file, once for each way in which it is written."""
        return tuple(dict.fromkeys(self._in_cluster(("class", name), file)))

    def seen_kind(self, group: str, kind: str, file: str) -> SeenKind | None:
        """What the CRD of a kind says in the cluster of a file; of two CRDs the one that drops claims."""
        found = self._in_cluster(("kind", group, kind), file)
        return min(found, key=lambda each: each.keeps, default=None)

    def _in_cluster(self, subject: _Subject, file: str) -> list[Any]:
        facts = self.said.get(subject, ())
        return [value for said_in, value in facts if self.may_share(said_in, file)]

    def words_about(self, pod: PodAt) -> str | None:
        """A sentence if the text of a pod's object mentions shared GPUs."""
        node = _node_of(pod)
        if node not in self._words:  # an object may have many pods, and a pod many containers
            end = node.lines.text.find("\n", node.end)  # a comment follows
            text = node.lines.text[node.start : end if end >= 0 else node.end]
            self._words[node] = find_sharing_hint(text, pod.manifest.path, node)
        return self._words[node]


def gather(
    sources: Iterable[SourceText],
    inventory: Iterable[Mapping[str, object]] = (),
    around: SurroundingKustomizations | None = None,
    outside: Sequence[SourceText] = (),
) -> Evidence:
    """Read the evidence out of every file of a run, and classes out of recorded objects. The kustomizations
    `around`, with those among the files, show which files go to the same cluster. Files `outside` of the run say
    how device plugins of the repository hand out devices."""
    known, recorded = list(sources), tuple(inventory)
    said: dict[_Subject, list[tuple[str, Any]]] = {}
    for source in known:
        for manifest in manifests_of(source):
            for subject, fact in (*_of_object(manifest), *_of_data(manifest.data, manifest)):
                said.setdefault(subject, []).append((source.name, fact))
    for each in recorded:
        for subject, fact in _of_data(each):
            said.setdefault(subject, []).append(("", fact))
    facts = (*gather_facts(known), *(f for f in gather_facts(outside) if f.subject != "taint"))
    return Evidence(Cluster(facts), said, observe(recorded), Clusters((*known, *outside), around))


def _of_object(manifest: Manifest) -> Iterator[tuple[_Subject, Any]]:
    """What claims and classes in files say."""
    kind, name = manifest.kind, manifest.name
    if kind in ("ResourceClaim", "ResourceClaimTemplate") and name:
        asked = frozenset(_texts(manifest.data, "deviceClassName"))
        yield ("claim", kind, manifest.namespace, name), asked
    elif kind == "ComputeDomain":
        # NVIDIA's controller makes a claim template for it.
        made = string_at(manifest.data, "spec", "channel", "resourceClaimTemplate", "name")
        if made is not None:
            subject = ("claim", "ResourceClaimTemplate", manifest.namespace, made)
            yield subject, frozenset({"compute-domain-default-channel.nvidia.com"})
    elif kind == "DeviceClass" and name:
        yield ("class", name), tuple(_texts(manifest.data, "expression"))


def _of_data(
    data: Mapping[str, object], manifest: Manifest | None = None
) -> Iterator[tuple[_Subject, Any]]:
    """What CRDs and classes say, in files or as recorded objects."""
    name = string_at(data, "metadata", "name")
    resource = string_at(data, "spec", "extendedResourceName")
    if data.get("kind") == "CustomResourceDefinition":
        place = "the recorded objects"
        if manifest is not None:
            place = f"{manifest.path}:{manifest.span(('spec',)).line}"
        yield from kinds_in(data, place)
    elif data.get("kind") == "DeviceClass" and name is not None and resource is not None:
        yield ("resource", resource), name


def hints_for(pod: PodAt, container: ContainerAt, resource: str, evidence: Evidence) -> Hints:
    """The evidence that holds for one container of a pod."""
    found = dict(label_hints(pod)) if resource.startswith("nvidia.com/") else {}
    beside = hints_beside(pod.manifest.path, "", resource, evidence)
    shared, mig = beside.shared, beside.mig
    if resource == _GPU or resource in INTEL:
        shared = found.get("shared") or shared or evidence.words_about(pod)
        mig = _on_layout(mig, found.get("layout"))
    elif resource == f"{_GPU}.shared":
        shared = shared or evidence.cluster_of(pod.manifest.path).sharing(_GPU)
    fractions = {
        use.resource: amount
        for use in container.uses
        if use.resource in FRACTIONS and (amount := whole(use.amount)) is not None
    }
    annotation = next((name for name in ANNOTATIONS if name in pod.annotations), None)
    hami = f"annotation {annotation} speaks to HAMi's scheduler" if annotation else None
    return replace(
        beside,
        shared=shared,
        mig=mig,
        hami=hami,
        profile=found.get("profile"),
        fractions=fractions,
        annotations=pod.annotations,
    )


def hints_beside(
    name: str, text: str, resource: str, evidence: Evidence, parts: Mapping[str, int] | None = None
) -> Hints:
    """The evidence that holds for a resource in a file whose pods are not read, with its `text`; `parts` are HAMi's amounts in it."""
    cluster = evidence.cluster_of(name)
    shared, mig = cluster.sharing(resource), Mig()
    if resource == _GPU:
        shared = shared or find_sharing_hint(text, name)
        mig = cluster.mig()
    return Hints(
        shared,
        cluster.unshared(resource),
        mig,
        fractions=parts or {},
        observed=evidence.observed,
    )


def _on_layout(mig: Mig, layout: str | None) -> Mig:
    """What nvidia.com/gpu is on nodes that the pod selects by their MIG layout. A layout may have any
    name, so a profile in its name is only proposed."""
    if layout is None or mig.differ:
        return mig
    label = f"node label nvidia.com/mig.config={layout} is that of divided GPUs"
    single = mig.single or f"{label}: nvidia.com/gpu is a MIG device there"
    return Mig(single=single, layout=profile_of_layout(layout) or mig.layout)


def find_sharing_hint(text: str, name: str = "the file", node: Node | None = None) -> str | None:
    """A sentence if a text mentions shared GPUs."""
    found = _SHARING_WORDS.search(text)
    if found is None:
        return None
    if node is not None:
        offset = node.start + found.start()
        name = f"{name}:{node.lines.span(offset, offset).line}"
    return f"{name} speaks of shared GPUs ({found[0]!r})"


def _texts(data: object, name: str) -> Iterator[str]:
    return (value for value in values_named(data, name) if isinstance(value, str))


def _node_of(pod: PodAt) -> Node:
    """The object, or in values the pod's part of them."""
    root = pod.manifest.document.root
    if not pod.manifest.api_version and root is not None:
        return locate(root, pod.path).node
    return pod.manifest.node


# Other fields that a schema with containers has if it is the schema of a pod.
_OF_PODS = ("nodeSelector", "tolerations", "restartPolicy", "volumes")


class SeenKind(Record):
    """A kind by its CRD at a `place`: whether all its pods keep claims."""

    place: str
    keeps: bool


def kinds_in(data: Mapping[str, object], place: str) -> Iterator[tuple[_Subject, SeenKind]]:
    """The kind that a CRD at a place defines, by group and name, if it holds pods and its schema lists their fields."""
    group, kind = member(data, "spec", "group"), member(data, "spec", "names", "kind")
    found = [
        keeps
        for version in list_at(data, "spec", "versions")
        for keeps in _pods(member(version, "schema", "openAPIV3Schema"), 0)
    ]
    if isinstance(group, str) and isinstance(kind, str) and found:
        yield ("kind", group, kind), SeenKind(place, all(found))


def _pods(schema: object, depth: int) -> Iterator[bool]:
    if not isinstance(schema, Mapping) or depth > MOST_LEVELS:
        return
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        if "containers" in properties and any(name in properties for name in _OF_PODS):
            kept = schema.get("x-kubernetes-preserve-unknown-fields") is True
            yield kept or "resourceClaims" in properties
            return
        for each in properties.values():
            yield from _pods(each, depth + 1)
    for key in ("items", "additionalProperties"):
        yield from _pods(schema.get(key), depth + 1)
