"""The ways through Helm, Kustomize and Argo CD with the tools themselves, where they are installed.

Helm 3 and Helm 4 are looked for under the names helm, helm3 and helm4; a test whose tool is missing
is skipped and says so.
"""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dradsl.lint.engine.run import lint_text
from dradsl.lint.settings.config import LintConfig
from dradsl.migrate.output import rendered_objects
from dradsl.text.documents import expand_list, load
from tests.migrate.runs import INPUTS, data_of, run as migrated

if TYPE_CHECKING:
    from collections.abc import Mapping

POST_RENDER = Path(__file__).parents[2] / "examples" / "migrations" / "post-render"
CHART = POST_RENDER / "chart"
SCRIPT = POST_RENDER / "helm-3" / "dradsl-post-render.sh"
PLUGIN = POST_RENDER / "helm-4" / "dradsl"


@functools.cache
def helm(major: int) -> str | None:
    """The helm of a major version on the search path."""
    for name in ("helm", f"helm{major}"):
        found = shutil.which(name)
        if found is None:
            continue
        said = subprocess.run([found, "version"], capture_output=True, text=True, check=False)
        if re.search(rf"\bv{major}\.", said.stdout):
            return found
    return None


def needs(tool: str | None, name: str) -> str:
    if tool is None:
        pytest.skip(f"{name} is not installed")
    return tool


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A home of its own: helm keeps plugins there."""
    own = {
        f"HELM_{kind}_HOME": str(tmp_path / kind.lower()) for kind in ("DATA", "CACHE", "CONFIG")
    }
    inherited = {key: value for key, value in os.environ.items() if key != "HELM_PLUGINS"}
    return {**inherited, **own, "HOME": str(tmp_path)}


def run(
    *words: str, env: Mapping[str, str], cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, capture_output=True, text=True, check=False, env=dict(env), cwd=cwd
    )


def objects(text: str) -> dict[tuple[str, str], Any]:
    """The objects of a stream by kind and name; all of them read, and lint without an error."""
    stream = load(text.encode())
    assert stream.problems == ()
    report = lint_text(text, "rendered.yaml", LintConfig(root=Path.cwd()))
    assert [f for f in report.findings if f.severity == "error"] == []
    found: dict[tuple[str, str], Any] = {}
    for document in stream.documents:
        data: Any = document.data
        if data is not None:
            found[data["kind"], data["metadata"]["name"]] = data
    return found


def resources_of(workload: Any) -> Any:
    return workload["spec"]["template"]["spec"]["containers"][0]["resources"]


def check_deployment(found: Mapping[tuple[str, str], Any]) -> None:
    """The chart's Deployment asks by a claim for what it asked for by a limit, and lost nothing."""
    deployment = found["Deployment", "r"]
    spec = deployment["spec"]["template"]["spec"]
    assert resources_of(deployment)["limits"] == {"memory": "8Gi"}
    assert spec["runtimeClassName"] == "nvidia"
    (entry,) = spec["resourceClaims"]
    template = found["ResourceClaimTemplate", entry["resourceClaimTemplateName"]]
    (request,) = template["spec"]["spec"]["devices"]["requests"]
    assert request["exactly"] == {"deviceClassName": "gpu.nvidia.com", "count": 2}
    assert ("Service", "r") in found


def test_helm_3(environment: dict[str, str]) -> None:
    tool = needs(helm(3), "Helm 3")
    done = run(
        tool, "template", "r", str(CHART), "-n", "search", "--post-renderer", str(SCRIPT),
        env=environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = objects(done.stdout)
    check_deployment(found)
    # Helm 3 gives hooks to no post-renderer: docs/migrate.md says so.
    assert resources_of(found["Job", "r-warmup"])["limits"]["nvidia.com/gpu"] == 1


def test_helm_3_shows_why_a_release_fails(environment: dict[str, str]) -> None:
    tool = needs(helm(3), "Helm 3")
    done = run(
        tool, "template", "r", str(CHART), "--set", "gpus=1.5", "--post-renderer", str(SCRIPT),
        env=environment,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stdout == ""
    assert "1.5 is no whole number of devices" in done.stderr


def test_helm_3_passes_options_on(environment: dict[str, str], tmp_path: Path) -> None:
    tool = needs(helm(3), "Helm 3")
    answers = tmp_path / "answers.yaml"
    answers.write_text("version: 1\nanswers:\n  mig-strategy: single\n  mig-profile: 1g.10gb\n")
    words = ("template", "r", str(CHART), "--post-renderer", str(SCRIPT))
    given = run(tool, *words, f"--post-renderer-args=--answers={answers}", env=environment)
    assert given.returncode == 0, given.stderr
    assert "deviceClassName: mig.nvidia.com" in given.stdout
    by_variable = run(tool, *words, env={**environment, "DRADSL_ANSWERS": str(answers)})
    assert by_variable.stdout == given.stdout


def test_helm_4(environment: dict[str, str]) -> None:
    tool = needs(helm(4), "Helm 4")
    installed = run(tool, "plugin", "install", str(PLUGIN), env=environment)
    assert installed.returncode == 0, installed.stderr
    words = ("template", "r", str(CHART), "-n", "search", "--post-renderer", "dradsl")
    done = run(tool, *words, env=environment)
    assert done.returncode == 0, done.stderr
    found = objects(done.stdout)
    check_deployment(found)
    check_hook(found)
    assert "postrenderer.helm.sh" not in done.stdout
    answered = run(
        tool, *words, "--post-renderer-args=--set=mig-strategy=single",
        "--post-renderer-args=--set=mig-profile=1g.10gb", env=environment,
    )  # fmt: skip
    assert answered.returncode == 0, answered.stderr
    assert "deviceClassName: mig.nvidia.com" in answered.stdout
    report = Path(environment["HOME"]) / "report.txt"
    rejected = run(
        tool, *words, "--set", "gpus=1.5", f"--post-renderer-args=--report={report}",
        env=environment,
    )  # fmt: skip
    assert rejected.returncode == 1
    assert rejected.stdout == ""
    # Helm 4 shows nothing of what a plugin says.
    assert "no whole number" not in rejected.stderr
    assert "1.5 is no whole number of devices" in report.read_text()


def check_hook(found: Mapping[tuple[str, str], Any]) -> None:
    """A hook's claim template comes before the hook, which would wait for it in vain."""
    job = found["Job", "r-warmup"]
    assert resources_of(job)["limits"] == {"cpu": 1}
    (entry,) = job["spec"]["template"]["spec"]["resourceClaims"]
    template = found["ResourceClaimTemplate", entry["resourceClaimTemplateName"]]
    assert template["metadata"]["annotations"] == {
        "helm.sh/hook": "pre-install",
        "helm.sh/hook-weight": "-1",
    }


def test_kustomize(environment: dict[str, str], tmp_path: Path) -> None:
    """What --set form=kustomize --output writes is what is in the example, and builds under a name prefix."""
    example = POST_RENDER / "kustomize"
    base = example / "base.yaml"
    words = [
        sys.executable,
        "-m",
        "dradsl",
        "migrate",
        "-q",
        "--set",
        "form=kustomize",
        "--output",
        "component",
    ]
    work = tmp_path / "work"
    work.mkdir()
    shutil.copy(base, work)
    shutil.copy(example / "kustomization.yaml", work)
    assert run(*words, "base.yaml", env=environment, cwd=work).returncode == 0
    written = {path.name: path.read_text() for path in (work / "component").iterdir()}
    assert written == {path.name: path.read_text() for path in (example / "component").iterdir()}
    tool = needs(shutil.which("kustomize"), "kustomize")
    done = run(tool, "build", str(work), env=environment)
    assert done.returncode == 0, done.stderr
    found = objects(done.stdout)
    deployment = found["Deployment", "lab-encoder"]
    (entry,) = deployment["spec"]["template"]["spec"]["resourceClaims"]
    assert ("ResourceClaimTemplate", entry["resourceClaimTemplateName"]) in found
    assert entry["resourceClaimTemplateName"].startswith("lab-encoder-")
    assert resources_of(deployment) == {"claims": [{"name": "devices", "request": "gpu"}]}


ANSWERS = {
    "sharing": "exclusive",
    "fraction-driver": "hami",
    "accept": [
        "aws.amazon.com/neuron",
        "vpc.amazonaws.com/efa",
        "ClusterTrainingRuntime.trainer.kubeflow.org",
    ],
}


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.stem)
def test_patches_make_what_the_edits_make(
    path: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    """Kustomize gets the same objects by the patches as are in the migrated text."""
    tool = needs(shutil.which("kustomize"), "kustomize")
    (file,) = migrated(path.read_text(), answers=ANSWERS, prove=False).files
    (apart,) = migrated(
        path.read_text(), answers={**ANSWERS, "form": "kustomize"}, prove=False
    ).files
    if not apart.patches:
        return  # rejected, or values
    base = tmp_path / "base"
    base.mkdir()
    (base / "base.yaml").write_text(path.read_text())
    (base / "claims.yaml").write_text(rendered_objects(apart.added))
    patches = [
        {"target": dict(patch.target), "patch": json.dumps(list(patch.operations))}
        for patch in apart.patches
    ]
    kustomization = {"resources": ["base.yaml", "claims.yaml"], "patches": patches}
    (base / "kustomization.yaml").write_text(json.dumps(kustomization))
    done = run(tool, "build", str(base), env=environment)
    assert done.returncode == 0, done.stderr
    assert by_name(done.stdout) == by_name(file.text)


def by_name(text: str) -> dict[tuple[str, str], object]:
    found: dict[tuple[str, str], object] = {}
    for document in load(text.encode()).documents:
        for _, data in expand_list(document.data):
            if isinstance(data, dict):
                found[str(data["kind"]), str(data["metadata"].get("name"))] = data
    return found


# argoproj/argo-cd v3.6.1 cmpserver/plugin/config.go.
ARGO_SPEC = {
    "version", "init", "generate", "discover", "parameters", "preserveFileMode", "provideGitCreds",
}  # fmt: skip


def argo_plugin() -> Any:
    (plugin,) = data_of((POST_RENDER / "argocd" / "plugin.yaml").read_bytes())
    return plugin


def test_the_plugin_of_argo_cd_has_the_fields_of_its_kind() -> None:
    plugin = argo_plugin()
    assert plugin.keys() == {"apiVersion", "kind", "metadata", "spec"}
    assert (plugin["apiVersion"], plugin["kind"]) == (
        "argoproj.io/v1alpha1",
        "ConfigManagementPlugin",
    )
    spec = plugin["spec"]
    assert spec.keys() <= ARGO_SPEC
    assert spec["generate"].keys() == {"command", "args"}
    (application,) = data_of((POST_RENDER / "argocd" / "application.yaml").read_bytes())
    named = application["spec"]["source"]["plugin"]["name"]
    assert named == f"{plugin['metadata']['name']}-{spec['version']}"


@pytest.mark.parametrize("major", [3, 4])
def test_what_the_plugin_of_argo_cd_generates(
    environment: dict[str, str], tmp_path: Path, major: int
) -> None:
    """Its command, run as the plugin server does: in the application's folder, with its variables."""
    tool = needs(helm(major), f"Helm {major}")
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "helm").symlink_to(tool)
    generate = argo_plugin()["spec"]["generate"]
    env = {
        **environment,
        "PATH": f"{tools}:{environment['PATH']}",
        "ARGOCD_APP_NAME": "r",
        "ARGOCD_APP_NAMESPACE": "search",
        "KUBE_VERSION": "1.36.0",
    }
    done = run(*generate["command"], *generate["args"], env=env, cwd=CHART)
    assert done.returncode == 0, done.stderr
    found = objects(done.stdout)
    check_deployment(found)
    check_hook(found)
    missing = run(
        *generate["command"],
        *generate["args"],
        env={**env, "ARGOCD_ENV_VALUES": "no.yaml"},
        cwd=CHART,
    )
    assert (missing.returncode, missing.stdout) == (1, "")
