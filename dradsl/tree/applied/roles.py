"""What a file of a repository is, by its name and by what it holds.

Names: kustomize api/konfig (RecognizedKustomizationFileNames), helm pkg/chart and pkg/chartutil
(Chart.yaml, values.yaml, templates), helmfile (helmfile.yaml and files below helmfile.d).
"""

from __future__ import annotations

from enum import Enum

from dradsl.tree.applied.builders import is_flux
from dradsl.tree.kustomize.kustomization import is_kustomization

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.text.documents import Stream

__all__ = ["Role", "is_helmfile", "role_of"]


class Role(Enum):
    """What a file is. Of several the first in this order counts."""

    PATCH = "patch"
    KUSTOMIZATION = "kustomization"
    COMPONENT = "component"
    CHART = "chart metadata"
    CHART_TEMPLATE = "chart template"
    HELMFILE = "helmfile"
    FLUX = "Flux Kustomization"
    HELM_RELEASE = "HelmRelease"
    ARGO_CD = "Argo CD application"
    VALUES = "Helm values"
    MANIFESTS = "manifests"
    OTHER = "other"


_BY_KIND = {
    "HelmRelease": ("helm.toolkit.fluxcd.io/", Role.HELM_RELEASE),
    "Application": ("argoproj.io/", Role.ARGO_CD),
    "ApplicationSet": ("argoproj.io/", Role.ARGO_CD),
}


def is_helmfile(path: str) -> bool:
    """Whether a file has a name under which helmfile looks for its state."""
    folder, _, name = path.replace("\\", "/").rpartition("/")
    return name.partition(".")[0] == "helmfile" or folder.rpartition("/")[2] == "helmfile.d"


def role_of(path: str, stream: Stream) -> Role:
    """The role of a file; which files are patches, only a kustomization can say."""
    folder, _, name = path.replace("\\", "/").rpartition("/")
    documents = [d.data for d in stream.documents if isinstance(d.data, dict)]
    if is_kustomization(name):
        component = any(data.get("kind") == "Component" for data in documents)
        return Role.COMPONENT if component else Role.KUSTOMIZATION
    if name == "Chart.yaml":
        return Role.CHART
    if stream.is_template and "templates" in folder.split("/"):
        return Role.CHART_TEMPLATE
    if is_helmfile(path):
        return Role.HELMFILE
    objects = False
    for data in documents:
        kind, version = data.get("kind"), data.get("apiVersion")
        if is_flux(data):
            return Role.FLUX
        group, role = _BY_KIND.get(kind, ("", None)) if isinstance(kind, str) else ("", None)
        if role is not None and isinstance(version, str) and version.startswith(group):
            return role
        objects |= isinstance(kind, str) and isinstance(version, str)
    if stream.is_template:
        return Role.CHART_TEMPLATE
    if objects:
        return Role.MANIFESTS
    return Role.VALUES if documents and "values" in name.lower() else Role.OTHER
