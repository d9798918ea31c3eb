"""The work of each command grows about as its input does: lists and files are made twice as long."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from click.testing import CliRunner

from tests.counting import growth

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MOST = 2.3
"""Where `growth` is 2 for work that grows as its input does, and 4 for work that grows as its square."""

Json = dict[str, Any]


def pod(name: str = "p", **spec: Any) -> Json:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def container(name: str, **limits: Any) -> Json:
    return {"name": name, "image": "x", "resources": {"limits": limits}}


def claim(name: str, version: str = "v1", count: int = 1) -> Json:
    body: Json = {"deviceClassName": "gpu.nvidia.com"}
    requests = [
        {"name": f"r{i}", **({"exactly": body} if version != "v1beta1" else body)}
        for i in range(count)
    ]
    return {
        "apiVersion": f"resource.k8s.io/{version}",
        "kind": "ResourceClaim",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"devices": {"requests": requests}},
    }


def pool(node: str, devices: int = 1, **attributes: Any) -> Json:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": f"s-{node}"},
        "spec": {
            "driver": "gpu.nvidia.com",
            "nodeName": node,
            "pool": {"name": node, "generation": 1, "resourceSliceCount": 1},
            "devices": [
                {"name": f"gpu-{i}", "attributes": {"type": {"string": "gpu"}, **attributes}}
                for i in range(devices)
            ],
        },
    }


def using(name: str, number: int) -> Json:
    claims = [{"name": "c", "resourceClaimName": f"c{number}"}]
    return pod(name, containers=[{"name": "c", "image": "x"}], resourceClaims=claims)


GPU = {"nvidia.com/gpu": 1}

TEMPLATE = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "ResourceClaimTemplate",
    "metadata": {"name": "t", "namespace": "default"},
    "spec": {"spec": claim("c")["spec"]},
}


def stored(number: int, **spec: Any) -> list[Json]:
    """A pod as the API server has it, and the claim that was made for it."""
    uid = f"uid-{number}"
    owner = {
        "apiVersion": "v1",
        "kind": "Pod",
        "name": f"p{number}",
        "uid": uid,
        "controller": True,
    }
    own = claim(f"made-{number}")
    own["metadata"] |= {
        "ownerReferences": [owner],
        "annotations": {"resource.kubernetes.io/pod-claim-name": "c"},
    }
    one = using(f"p{number}", number)
    one["metadata"] |= {"uid": uid, "namespace": "default"}
    one["spec"] |= {"resourceClaims": [{"name": "c", "resourceClaimTemplateName": "t"}], **spec}
    return [own, one]


def replicas(count: int) -> Json:
    template = using("p", 0)["spec"]
    template["resourceClaims"] = [{"name": "c", "resourceClaimTemplateName": "t"}]
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "d", "namespace": "default"},
        "spec": {
            "replicas": count,
            "selector": {"matchLabels": {"app": "d"}},
            "template": {"metadata": {"labels": {"app": "d"}}, "spec": template},
        },
    }


def folder_of(files: int) -> list[Json]:
    """An object for each file, of which some are migrated, converted and linted with findings."""
    each = [
        lambda i: claim(f"c{i}", "v1beta1"),
        lambda i: pod(f"p{i}", containers=[container("c", **GPU)]),
        lambda i: {**claim(f"d{i}"), "specc": {}},
    ]
    return [each[i % 3](i) for i in range(3 * files)]


# Each call, and the objects in a.yaml and s.yaml for a size.
CASES: dict[str, tuple[str, Callable[[int], list[Json]], Callable[[int], list[Json]]]] = {
    "convert, objects": (
        "convert a.yaml --diff",
        lambda n: [claim(f"c{i}", "v1beta1") for i in range(n)],
        lambda _: [],
    ),
    "convert, requests": (
        "convert a.yaml --diff",
        lambda n: [claim("c", "v1beta1", n)],
        lambda _: [],
    ),
    "lint --fix": (
        "lint --isolated --fix --diff --unsafe-fixes a.yaml",
        lambda n: [{**claim(f"c{i}"), "metadatta": {}} for i in range(n)],
        lambda _: [],
    ),
    **{
        f"lint as {form}": (
            f"lint --isolated --output-format={form} a.yaml",
            lambda n: [{**claim(f"c{i}"), "specc": {}} for i in range(n)],
            lambda _: [],
        )
        for form in ("text", "json", "sarif", "junit", "github", "gitlab")
    },
    "migrate, pods": (
        "migrate --diff a.yaml",
        lambda n: [pod(f"p{i}", containers=[container("c", **GPU)]) for i in range(n)],
        lambda _: [],
    ),
    # More devices than a claim holds: up to these the steps of an edit count, one a device.
    "migrate, containers": (
        "migrate --diff a.yaml",
        lambda n: [pod(containers=[container(f"c{i}", **GPU) for i in range(5 * n)])],
        lambda _: [],
    ),
    "migrate, rejected": (
        "migrate --scan a.yaml",
        lambda n: [pod(f"p{i}", containers=[container("c", **GPU)], nodeName="n") for i in range(n)],
        lambda _: [],
    ),
    "to-python": (
        "to-python a.yaml",
        lambda n: [claim(f"c{i}") for i in range(n)],
        lambda _: [],
    ),
    "to-python, requests": ("to-python a.yaml", lambda n: [claim("c", count=n)], lambda _: []),
    "record": ("record s.yaml", lambda _: [], lambda n: [pool(f"n{i}") for i in range(n)]),
    "schema infer": (
        "schema infer s.yaml",
        lambda _: [],
        lambda n: [pool(f"n{i}", name={"string": f"v{i}"}) for i in range(n)],
    ),
    "schema check": ("schema check s.yaml", lambda _: [], lambda n: [pool("n0", n)]),
    "cel eval": (
        "cel eval --slices s.yaml device.driver=='x'",
        lambda _: [],
        lambda n: [pool("n0", n)],
    ),
    "simulate, slices": (
        "simulate --slices s.yaml a.yaml",
        lambda _: [claim("c0"), using("p", 0)],
        lambda n: [pool(f"n{i}") for i in range(n)],
    ),
    "simulate, devices": (
        "simulate --slices s.yaml a.yaml",
        lambda _: [claim("c0"), using("p", 0)],
        lambda n: [pool("n0", n)],
    ),
    "simulate, pods that fit": (
        "simulate --slices s.yaml a.yaml",
        lambda n: [each for i in range(n) for each in (claim(f"c{i}"), using(f"p{i}", i))],
        lambda _: [pool("n0", 128)],
    ),
    "simulate, pods that do not": (
        "simulate --slices s.yaml a.yaml",
        lambda n: [each for i in range(n) for each in (claim(f"c{i}"), using(f"p{i}", i))],
        lambda _: [pool("n0", 1)],
    ),
    "simulate, replicas that fit": (
        "simulate --slices s.yaml a.yaml",
        lambda n: [TEMPLATE, replicas(4 * n)],
        lambda _: [pool(f"n{i}", 16) for i in range(8)],
    ),
    "simulate, pods of the API server": (
        "simulate --slices s.yaml a.yaml",
        lambda n: [TEMPLATE, *(each for i in range(n) for each in stored(i))],
        lambda _: [pool("n0", 128)],
    ),
    "simulate, pods of one name": (
        "simulate --slices s.yaml a.yaml",
        lambda n: [TEMPLATE, *[replicas(1)] * n],
        lambda _: [pool("n0", 128)],
    ),
    "simulate, claims in the recording": (
        "simulate --slices s.yaml a.yaml",
        lambda _: [claim("c0"), using("p", 0)],
        lambda n: [pool("n0"), *(claim(f"x{i}") for i in range(n))],
    ),
}  # fmt: skip

# Each call, of a folder with as many files as a size says.
FOLDERS = {
    "lint": "lint --isolated .",
    "lint as json": "lint --isolated --output-format=json .",
    "lint --context": "lint --isolated --context . ../one",
    "lint --fix": "lint --isolated --fix --diff --unsafe-fixes .",
    "migrate": "migrate --diff .",
    "migrate --scan": "migrate --scan .",
    "migrate --check": "migrate --check .",
    "convert": "convert --diff .",
    "convert --check": "convert --check .",
    "to-python": "to-python FILES",
    "simulate": "simulate --slices ../one .",
    "simulate --slices": "simulate --slices . ../one",
    "record": "record .",
}


@pytest.mark.parametrize("name", FOLDERS)
def test_twice_the_files_are_twice_the_work(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = tmp_path / "one"
    one.mkdir()
    (one / "pod.yaml").write_text(yaml.safe_dump_all([pool("n0"), claim("c0"), using("u", 0)]))

    def make(count: int) -> Path:
        folder = tmp_path / str(count)
        folder.mkdir()
        for number, data in enumerate(folder_of(count)):
            if name in ("simulate --slices", "record"):
                data = pool(f"n{number}")
            (folder / f"{number}.yaml").write_text(yaml.safe_dump(data))
        return folder

    def work(folder: Path) -> None:
        monkeypatch.chdir(folder)
        call(FOLDERS[name].replace("FILES", " ".join(sorted(p.name for p in folder.iterdir()))))

    assert growth(make, work, 5) < MOST


def call(text: str) -> None:
    command, *arguments = text.split()
    run = importlib.import_module(f"dradsl.cli.{command.replace('-', '_')}").command
    result = CliRunner().invoke(run, arguments, catch_exceptions=False)
    assert result.exit_code in (0, 1), result.output


@pytest.mark.parametrize("name", CASES)
def test_twice_the_input_is_twice_the_work(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, objects, recorded = CASES[name]

    def make(count: int) -> Path:
        folder = tmp_path / str(count)
        folder.mkdir()
        for file, data in (("a.yaml", objects(count)), ("s.yaml", recorded(count))):
            (folder / file).write_text(yaml.safe_dump_all(data))
        return folder

    def work(folder: Path) -> None:
        monkeypatch.chdir(folder)
        call(text)

    assert growth(make, work, 8) < MOST
