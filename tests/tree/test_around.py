"""What a run reads of the files around its own, and the values that a call gives."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from dradsl.cli.lint import command
from dradsl.tree.applied import repository
from dradsl.tree.kustomize import kustomization, surrounding

if TYPE_CHECKING:
    from dradsl.text.documents import Stream

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: "${APP}"}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com, count: "${COUNT}"}}]}}
"""
PATCH = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec: {devices: {requests: [{name: gpu, exactly: {count: 2}}]}}
"""
FLUX = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: k}
spec: {path: ./app, postBuild: {substitute: {COUNT: "-1"}}}
"""


@pytest.fixture(autouse=True)
def _tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("tree/.git", "tree/app", "tree/clusters"):
        (tmp_path / folder).mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "tree")


def write(name: str, text: str) -> None:
    Path(name).write_text(text, encoding="utf-8")


def run(*words: str) -> Result:
    return CliRunner().invoke(command, ["--isolated", *words])


def codes(*words: str) -> list[str]:
    result = run(*words, "--output-format", "json")
    assert result.exit_code in (0, 1), result.output
    return [each["code"] for each in json.loads(result.stdout)["findings"]]


def test_a_patch_that_is_named_alone() -> None:
    write("app/patch.yaml", PATCH)
    assert codes("app/patch.yaml") == ["DRA303"]
    write("app/kustomization.yaml", "patches: [{path: patch.yaml}]\n")
    assert codes("app/patch.yaml") == []
    os.chdir("app")
    assert codes("patch.yaml") == []
    assert codes(".") == []


def test_a_patch_far_from_its_kustomization(monkeypatch: pytest.MonkeyPatch) -> None:
    write("app/patch.yaml", PATCH)
    write("clusters/kustomization.yaml", "patches: [{path: ../app/patch.yaml}]\n")
    assert codes("app/patch.yaml") == []
    assert codes("app") == []
    # Nobody looks for it where there is nothing to say.
    looked: list[object] = []
    monkeypatch.setattr(surrounding, "look_around", lambda *names, **_: looked.append(names))
    write("app/patch.yaml", PATCH.replace("count: 2", "deviceClassName: gpu.nvidia.com"))
    assert codes("app/patch.yaml") == []
    assert looked == []


def test_what_flux_builds_stands_elsewhere() -> None:
    write("app/claim.yaml", CLAIM)
    write("clusters/ks.yaml", FLUX)
    assert codes("app/claim.yaml") == ["DRA304"]
    assert codes("app") == ["DRA304"]


def test_nothing_outside_of_the_tree_is_read() -> None:
    Path("../outside").mkdir()
    write("../outside/ks.yaml", FLUX)
    write("../outside/kustomization.yaml", "patches: [{path: ../tree/app/patch.yaml}]\n")
    write("app/claim.yaml", CLAIM)
    write("app/patch.yaml", PATCH)
    Path("clusters/ks.yaml").symlink_to("../../outside/ks.yaml")
    Path("app/kustomization.yaml").symlink_to("../../outside/kustomization.yaml")
    assert codes("app/claim.yaml") == []
    assert codes("app/patch.yaml") == ["DRA303"]


def test_each_kustomization_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        Path(f"o{number}").mkdir()
        write(f"o{number}/kustomization.yaml", "resources: [../app]\n")
    write("app/kustomization.yaml", "resources: [claim.yaml]\n")
    write("app/claim.yaml", CLAIM)
    read: list[str] = []

    def counted(folder: str, stream: Stream) -> kustomization.Kustomization:
        read.append(folder)
        return kustomization.read_kustomization(folder, stream)

    monkeypatch.setattr(repository, "read_kustomization", counted)
    assert codes(".", "--kube-version", "1.35-1.37") == []
    assert len(read) == len(set(read)) == 6


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("COUNT=2",), []),
        (("COUNT=-2",), ["DRA304"]),
        (("APP=A_b", "COUNT=x"), ["DRA006"]),
        (("APP=A_b", "COUNT=1"), ["DRA009"]),
        (("values.env",), ["DRA304"]),
        (("values.env", "COUNT=3"), []),
        (("values.yaml",), ["DRA304"]),
        (("config-map.yaml",), ["DRA304"]),
        (("ks.yaml",), ["DRA304"]),
    ],
)
def test_given_values(given: tuple[str, ...], expected: list[str]) -> None:
    write("app/claim.yaml", CLAIM)
    write("values.env", "# of production\nAPP='a'\nexport COUNT=-1\n")
    write("values.yaml", "APP: a\nCOUNT: -1\n")
    write("config-map.yaml", "kind: ConfigMap\napiVersion: v1\ndata: {COUNT: '-1'}\n")
    write("ks.yaml", FLUX)
    words = [word for each in given for word in ("--substitute", each)]
    assert codes("app/claim.yaml", *words) == expected


def test_given_values_win_over_those_of_the_tree() -> None:
    write("app/claim.yaml", CLAIM)
    write("clusters/ks.yaml", FLUX)
    assert codes(".", "--substitute", "COUNT=1") == []


def test_given_values_in_the_configuration() -> None:
    write("app/claim.yaml", CLAIM)
    write(".dradsl.yaml", "substitute: [COUNT=-1, values.env]\nnamespace: ml\n")
    write("values.env", "APP=Bad_\n")
    result = CliRunner().invoke(command, ["app", "--output-format", "json"])
    assert [f["code"] for f in json.loads(result.stdout)["findings"]] == ["DRA009", "DRA304"]
    write(".dradsl.yaml", "substitute: [../values.env]\n")
    result = CliRunner().invoke(command, ["app"])
    assert (result.exit_code, "outside" in result.output) == (2, True)


@pytest.mark.parametrize("given", ["missing.env", "app", "list.yaml"])
def test_values_that_cannot_be_read(given: str) -> None:
    write("app/claim.yaml", CLAIM)
    write("list.yaml", "[a, b]\n")
    result = run("app", "--substitute", given)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"--substitute: {given}" in result.stderr


def test_a_run_says_once_what_it_could_not_see() -> None:
    for number in range(3):
        write(f"app/{number}.yaml", CLAIM.replace("APP", f"APP{number}"))
    result = run(".", "--kube-version", "1.36-1.37")
    notes = [line for line in result.stdout.splitlines() if "not judged" in line]
    assert notes == [
        "note: values that are not known, so not judged: ${APP0}, ${COUNT}, ${APP1} and 1 more "
        "(--substitute gives them)"
    ]
    assert (
        "not judged"
        not in run(
            ".",
            "--substitute",
            "COUNT=1",
            *(word for n in range(3) for word in ("--substitute", f"APP{n}=a{n}")),
        ).stdout
    )


def test_fixes_leave_variables_alone() -> None:
    text = CLAIM.replace('"${COUNT}"', '\'${COUNT:="2"}\', adminAccess: "true"')
    write("app/claim.yaml", text)
    assert codes("app") == ["DRA006", "DRA006"]
    run("app", "--fix", "--unsafe-fixes")
    assert Path("app/claim.yaml").read_text(encoding="utf-8") == text.replace('"true"', "true")


def test_a_name_that_kustomize_changed() -> None:
    template = PATCH.replace("ResourceClaim\n", "ResourceClaimTemplate\n").replace(
        "name: c", "name: prod-gpu"
    )
    pod = (
        "---\napiVersion: v1\nkind: Pod\nmetadata: {name: prod-p}\nspec:\n"
        "  containers: [{name: c, image: x, resources: {claims: [{name: g}]}}]\n"
        "  resourceClaims: [{name: g, resourceClaimTemplateName: gpu}]\n"
    )
    result = CliRunner().invoke(command, ["--isolated", "-"], input=template + pod)
    assert 'there is "prod-gpu"' in result.stdout
    assert "nameReference" in result.stdout


def test_templates_that_a_controller_names_by_a_variable() -> None:
    domain = (
        "apiVersion: resource.nvidia.com/v1beta1\nkind: ComputeDomain\nmetadata: {name: d}\n"
        "spec: {numNodes: 2, channel: {resourceClaimTemplate: {name: 'NAME'}}}\n---\n"
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n"
        "  containers: [{name: c, image: x, resources: {claims: [{name: g}]}}]\n"
        "  resourceClaims: [{name: g, resourceClaimTemplateName: test-channel}]\n"
    )
    write("app/d.yaml", domain.replace("NAME", "${X}-channel"))
    assert codes("app/d.yaml") == []
    write("app/d.yaml", domain.replace("NAME", "${X}-other"))
    assert codes("app/d.yaml") == ["DRA410"]


def test_the_namespace_that_allows_no_admin_access_is_shown() -> None:
    write("app/ns.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: ml}\n")
    text = CLAIM.replace('count: "${COUNT}"', "adminAccess: true")
    write("app/claim.yaml", text.replace('"${APP}"', "a, namespace: ml"))
    result = run("app", "--output-format", "json")
    (found,) = json.loads(result.stdout)["findings"]
    assert found["code"] == "DRA315"
    assert [(r["message"], r["path"]) for r in found["related"]] == [
        ("the labels of namespace ml", "app/ns.yaml")
    ]
