"""What a file is, by its name and what it holds."""

from __future__ import annotations

import pytest

from dradsl.text.documents import load
from dradsl.tree.applied.roles import Role, role_of


@pytest.mark.parametrize(
    ("path", "text", "role"),
    [
        ("a/kustomization.yaml", "resources: [x.yaml]\n", Role.KUSTOMIZATION),
        ("a/Kustomization", "kind: Kustomization\n", Role.KUSTOMIZATION),
        ("a/kustomization.yml", "kind: Component\n", Role.COMPONENT),
        ("a/Chart.yaml", "apiVersion: v2\nname: a\n", Role.CHART),
        ("a/templates/x.yaml", "kind: {{ .Values.kind }}\n", Role.CHART_TEMPLATE),
        ("helmfile.yaml", "releases: []\n", Role.HELMFILE),
        ("helmfile.d/a.yaml", "releases: []\n", Role.HELMFILE),
        (
            "a/ks.yaml",
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n",
            Role.FLUX,
        ),
        (
            "a/hr.yaml",
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\n",
            Role.HELM_RELEASE,
        ),
        (
            "a/hr.yaml",
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\n"
            "spec: {values: {host: '{{ .Release.Name }}.example.com'}}\n",
            Role.HELM_RELEASE,
        ),
        (
            "a/templates/hr.yaml",
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\n"
            "metadata: {name: '{{ .Release.Name }}'}\n",
            Role.CHART_TEMPLATE,
        ),
        ("helmfile.yaml", "releases: [{name: '{{ .Values.name }}'}]\n", Role.HELMFILE),
        ("a/app.yaml", "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\n", Role.ARGO_CD),
        ("a/app.yaml", "apiVersion: app.k8s.io/v1beta1\nkind: Application\n", Role.MANIFESTS),
        ("a/values.yaml", "replicas: 1\n", Role.VALUES),
        ("a/prod-values.yaml", "replicas: 1\n", Role.VALUES),
        ("a/values.yaml", "apiVersion: v1\nkind: Pod\n", Role.MANIFESTS),
        ("a/x.yaml", "- a\n", Role.OTHER),
        ("a/x.yaml", "kind: [x]\napiVersion: 3\n", Role.OTHER),
    ],
)
def test_roles(path: str, text: str, role: Role) -> None:
    assert role_of(path, load(text.encode())) is role
