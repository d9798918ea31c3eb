"""One API server: what a release says of objects, pods and expressions. Everybody asks it.

Whoever wants to know whether a server takes something makes an `ApiServer`, tells it the namespaces
that are visible, and asks. The steps behind it (`admission`, `validation`, `pods`) are for this
package alone, so that no caller can leave one out; a test reads the imports.
"""

from __future__ import annotations

from dradsl.kube.context import Context
from dradsl.kube.expressions import Expressions, ExpressionVerdict
from dradsl.kube.server.admission import DEFAULT_NAMESPACE, Admission, AdmissionProblem, admit
from dradsl.releases import validation_of
from dradsl.values.plain import mapping_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dradsl.kube.errors import ExpressionKind, FieldError, Path
    from dradsl.kube.server.gates import Dropped
    from dradsl.kube.server.pod_checks import PodChecks
    from dradsl.kube.server.repeated import Admissions
    from dradsl.releases import Features, Release

__all__ = ["Admission", "AdmissionProblem", "ApiServer", "ExpressionVerdict"]

_FEW = 4  # objects before it is worth remembering what they are made of


class ApiServer:
    """The API server of a release with its feature gates.

    It remembers what it was asked, so that sets of objects that are made of the same parts are
    judged fast; no answer depends on what was asked before. Admissions may share parts of their
    objects: who changes one makes a copy.
    """

    __slots__ = (
        "_admissions",
        "_asked",
        "_context",
        "_decoded",
        "_namespaces",
        "_pods",
        "features",
        "release",
    )

    def __init__(self, release: Release, features: Features) -> None:
        self.release = release
        self.features = features
        judge = Expressions(release, features)
        self._context = Context(features, validation_of(features.release), judge)
        self._admissions: Admissions | None = None
        self._asked = 0
        self._namespaces: dict[str, Mapping[str, str]] = {}
        self._pods: PodChecks | None = None
        # What `workload` said last, and whether it looked into the object.
        self._decoded: tuple[list[FieldError], bool, bool] = ([], False, False)

    def add_namespace(self, document: Mapping[str, object]) -> None:
        """A Namespace object; of two with one name the first counts.

        Admin access depends on the labels of the namespace. In a namespace that the server was not
        told of it cannot be judged, and nothing is said of it.
        """
        metadata = mapping_at(document, "metadata")
        name, labels = metadata.get("name"), metadata.get("labels")
        if isinstance(name, str):
            texts = labels.items() if isinstance(labels, dict) else ()
            known = {k: v for k, v in texts if isinstance(k, str) and isinstance(v, str)}
            self._namespaces.setdefault(name, known)

    def create(
        self,
        obj: object,
        *,
        namespace: str = DEFAULT_NAMESPACE,
        labels: Mapping[str, str] | None = None,
        defaulted: bool = True,
    ) -> Admission:
        """What the server makes of a new object of group resource.k8s.io.

        `namespace` is that of the request, for an object that names none. `labels` are those of the
        namespace, for a caller that knows more of it than `add_namespace` was told. `defaulted`: with
        the defaults that decoding brings, as always in a server.
        """
        labels = self._labels_for(obj, namespace) if labels is None else labels
        if isinstance(obj, dict) and namespace == DEFAULT_NAMESPACE and defaulted:
            self._asked += 1
            if self._asked > _FEW:
                return self._remembering().admit(obj, labels)
        return admit(
            obj,
            self.release,
            self._context,
            namespace=namespace,
            namespace_labels=labels,
            defaulted=defaulted,
        )

    def _remembering(self) -> Admissions:
        if self._admissions is None:
            from dradsl.kube.server.repeated import Admissions

            self._admissions = Admissions(self.release, self._context)
        return self._admissions

    def update(
        self,
        obj: object,
        old: object,
        *,
        labels: Mapping[str, str] | None = None,
        defaulted: bool = True,
    ) -> Admission:
        """What the server makes of an object where `old` is stored, in any served API version.

        `labels` are those of its namespace, as for `create`.
        """
        return self._change(obj, old, None, labels, defaulted=defaulted)

    def update_status(self, obj: object, old: object, *, defaulted: bool = True) -> Admission:
        """What the server makes of the status of an object, written where `old` is stored."""
        return self._change(obj, old, "status", defaulted=defaulted)

    def _change(
        self,
        obj: object,
        old: object,
        subresource: str | None,
        labels: Mapping[str, str] | None = None,
        *,
        defaulted: bool,
    ) -> Admission:
        if labels is None:
            labels = self._labels_for(obj, DEFAULT_NAMESPACE)
        return admit(
            obj,
            self.release,
            self._context,
            namespace=DEFAULT_NAMESPACE,
            namespace_labels=labels,
            old=old,
            subresource=subresource,
            defaulted=defaulted,
        )

    def dropped(self, obj: Mapping[str, object]) -> tuple[Dropped, ...]:
        """The fields that the server drops of a new object, which need not be valid otherwise.

        The object is in any API version that the table of fields knows, the paths are those of v1.
        """
        from dradsl.kube.fields.conversion import to_v1
        from dradsl.kube.server.gates import drop_disabled

        return tuple(drop_disabled(to_v1(dict(obj)), self.features)[1])

    def pod(
        self,
        spec: object,
        annotations: object,
        path: Path,
        *,
        defaulted: bool = False,
        decoded: Sequence[FieldError] = (),
    ) -> list[FieldError]:
        """What the server rejects in the claims and extended resources of a pod spec.

        `annotations` are those of the pod; `path` leads to the spec and starts every path of the
        result. With `defaulted` it says of the requests, which it copies from the limits, again
        what it says of the limits. `decoded` is what `workload` said of the object: it is not said again.
        """
        if not isinstance(spec, dict):
            return []
        known = annotations if isinstance(annotations, dict) else {}
        errors = self._pod_checks().errors(spec, known, path, defaulted=defaulted)
        if not (errors and decoded):
            return errors
        from dradsl.kube.errors import DECODING, STRICT_DECODING

        said = {error.path for error in decoded}
        return [
            e for e in errors if e.path not in said or e.type not in (DECODING, STRICT_DECODING)
        ]

    def _pod_checks(self) -> PodChecks:
        if self._pods is None:
            from dradsl.kube.server.pod_checks import PodChecks

            self._pods = PodChecks(self.features)
        return self._pods

    def workload(self, obj: Mapping[str, object]) -> list[FieldError]:
        """What the decoder rejects in an object of one of Kubernetes' own kinds with pods, as a whole; nothing of
        an object that mentions neither claims nor amounts of resources with a domain."""
        from dradsl.kube.pods.workloads import PLACES

        errors: list[FieldError] = []
        has_nulls = False
        looks = (str(obj.get("apiVersion")), str(obj.get("kind"))) in PLACES
        if looks and self._pod_checks().knows(obj):
            looks = False
        elif looks:
            from dradsl.kube.pods.fields import mentions_claims

            looks = mentions_claims(obj, amounts=True)
            if not looks:
                self._pod_checks().taken(obj)
        if looks:
            from dradsl.kube.pods.decoding import decoding_errors

            errors, has_nulls = decoding_errors(obj, self.release.name)
        self._decoded = (errors, looks, has_nulls)
        return errors

    def workload_values(
        self, obj: Mapping[str, object], decoded: Sequence[FieldError] | None = None
    ) -> list[FieldError]:
        """What validation rejects in a new object of one of Kubernetes' own kinds with pods, besides what `pod` says;
        nothing of an object without claims and devices, or of one that cannot be read: `workload` said `decoded`."""
        if decoded is not self._decoded[0]:
            decoded = decoded or self.workload(obj)
        from dradsl.kube.errors import STRICT_DECODING

        if not self._decoded[1] or any(each.type != STRICT_DECODING for each in decoded):
            return []
        from dradsl.kube.pods.values.workloads import value_errors

        _, _, has_nulls = self._decoded
        errors = value_errors(obj, self.release.name, self._context, has_nulls=has_nulls)
        if not errors and not decoded:
            self._pod_checks().taken(obj)
        errors = [each for each in errors if not any(_may_follow(each, of) for of in decoded)]
        # The server repairs these before it validates.
        return [each for each in errors if each.path[:2] != ("metadata", "managedFields")]

    def group(
        self,
        obj: Mapping[str, object],
        old: Mapping[str, object] | None = None,
        *,
        status: bool = False,
    ) -> Admission:
        """What the server makes of the claims of a PodGroup or Workload of group scheduling.k8s.io.

        `old` is the stored object of an update, `status` says that it is one of the status alone.
        """
        from dradsl.kube.server.groups import admit_group

        return admit_group(obj, self.features, old, status=status)

    def group_problems(
        self, obj: Mapping[str, object], old: Mapping[str, object] | None = None
    ) -> tuple[AdmissionProblem, ...]:
        """The problems of `group`, but none of an object without claims: it is not of our concern."""
        from dradsl.kube.server.groups import claim_problems

        return claim_problems(self.group(obj, old), obj)

    def expression(self, text: str, kind: ExpressionKind) -> ExpressionVerdict:
        """What the server says of a CEL expression."""
        return self._context.expressions.judge(text, kind)

    def _labels_for(self, obj: object, namespace: str) -> Mapping[str, str] | None:
        """The labels of the namespace that an object goes to; None if they are not known."""
        if not self._namespaces:
            return None
        named = mapping_at(obj, "metadata").get("namespace") or namespace
        return self._namespaces.get(named) if isinstance(named, str) else None


# What values of other fields are compared with: an unknown field of such a name may hold them.
_COMPARED = {
    "labels-not-selected": ("label", "matchLabel", "selector", "metadata", "template"),
    "unknown-in-pod": ("volume",),
}


def _may_follow(error: FieldError, unknown: FieldError) -> bool:
    """Whether a value may be rejected only because a field is unknown: it is above or below that, it is the field
    that was meant, or it is compared with others."""
    at, of, meant = error.path, unknown.path, str(unknown.suggestion).split(".")
    between = min(len(at), len(of))
    return (
        at[:between] == of[:between]
        or at[-1] in (of[-1], *meant)
        or (error.reason in _COMPARED and str(of[-1]).rstrip("s") in _COMPARED[error.reason])
    )
