"""What the API server does with the claims of PodGroups and Workloads of group scheduling.k8s.io."""

from __future__ import annotations

from dradsl.kube.errors import DECODING, STRICT_DECODING
from dradsl.kube.fields.decoding import NO_MATCH, split_api_version
from dradsl.kube.pods.pod_groups import (
    KINDS,
    dropped_claims,
    group_errors,
    has_claims,
    no_match,
    stored_group,
)
from dradsl.kube.server.admission import Admission, AdmissionProblem
from dradsl.kube.server.gates import Dropped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.releases import Features

__all__ = ["admit_group", "claim_problems"]

_UNREAD = (DECODING, STRICT_DECODING, NO_MATCH)


def admit_group(
    obj: Mapping[str, object], features: Features, old: Mapping[str, object] | None, *, status: bool
) -> Admission:
    """The server's answer; its `object` is right in the claims. Other kinds are taken as they are.

    `old` is the stored object of an update, `status` says that it is one of the status alone.
    """
    version, kind = split_api_version(obj.get("apiVersion"))[1], str(obj.get("kind"))
    if kind not in KINDS:
        return Admission(version, kind, (), dict(obj))
    mismatch = no_match(obj, features)
    errors = group_errors(obj, features, old) if mismatch is None else [mismatch]
    written = obj
    if status:
        # The status is written, the spec stays as it was: only what cannot be read is rejected.
        errors = [error for error in errors if error.type in _UNREAD]
        written = {**obj, "spec": (old or {}).get("spec")}
    problems = tuple(AdmissionProblem(error, error.path) for error in errors)
    if any(error.type in (DECODING, NO_MATCH) for error in errors):
        return Admission(version, kind, problems)
    dropped = dropped_claims(written, features, old)
    return Admission(
        version,
        kind,
        problems,
        stored_group(written, features, old),
        tuple(Dropped(claims.path, (claims.gate,)) for claims in dropped),
    )


def claim_problems(admission: Admission, obj: Mapping[str, object]) -> tuple[AdmissionProblem, ...]:
    """The problems that concern claims: not that a version without claims in it is unknown."""
    return tuple(
        problem
        for problem in admission.problems
        if problem.error.type != NO_MATCH or has_claims(obj)
    )
