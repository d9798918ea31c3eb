"""An error of dradsl itself with one of several files: it is named, and the others go on."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

import dradsl.recordings
from dradsl.cli import main
from dradsl.lint.input import reading as reader
from dradsl.migrate import files as migrating, survey

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NAMES = ("a", "b", "c", "d", "e")
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: NAME}
spec:
  containers: [{name: c, image: x, resources: {limits: {nvidia.com/gpu: 1}}}]
"""
CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: NAME}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu.nvidia.com}}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: NAME}
spec:
  resourceClaims: [{name: c, resourceClaimName: NAME}]
  containers: [{name: c, image: x, resources: {claims: [{name: c}]}}]
"""
SLICE: dict[str, Any] = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "ResourceSlice",
    "metadata": {"name": "s"},
    "spec": {
        "driver": "gpu.nvidia.com",
        "nodeName": "n1",
        "pool": {"name": "n1", "generation": 1, "resourceSliceCount": 1},
        "devices": [
            {"name": f"gpu-{n}", "attributes": {"type": {"string": "gpu"}}} for n in range(8)
        ],
    },
}


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DRADSL_DEBUG", raising=False)
    for folder, text in (("pods", POD), ("claims", CLAIM)):
        (tmp_path / folder).mkdir()
        for name in NAMES:
            (tmp_path / folder / f"{name}.yaml").write_text(text.replace("NAME", name))
    (tmp_path / "fleet").mkdir()
    for name in ("m", "n"):
        spec = {**SLICE["spec"], "nodeName": name, "pool": {**SLICE["spec"]["pool"], "name": name}}
        text = json.dumps({**SLICE, "metadata": {"name": name}, "spec": spec})
        (tmp_path / "fleet" / f"{name}.json").write_text(text)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfd: Any) -> Callable[[str], tuple[int, str, str]]:
    def call(words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["dradsl", *words.split()])
        with pytest.raises(SystemExit) as ended:
            main()
        sys.stdout.flush()
        sys.stderr.flush()
        out, err = capfd.readouterr()
        return int(ended.value.code or 0), out, err

    return call


def break_for(
    monkeypatch: pytest.MonkeyPatch, module: Any, name: str, is_bad: Callable[..., bool]
) -> None:
    """Put a mistake into a function, for some arguments."""
    real = getattr(module, name)

    def broken(*args: Any, **named: Any) -> Any:
        if is_bad(*args, **named):
            raise KeyError("a mistake\n::error::of ours")
        return real(*args, **named)

    monkeypatch.setattr(module, name, broken)


def expect_named(err: str, *names: str) -> None:
    for name in names:
        assert f"{name}: internal error: KeyError" in err
    assert err.count("internal error") == len(names)
    assert "Please report this; DRADSL_DEBUG=1" in err
    assert "Traceback" not in err
    assert not any(line.startswith("::") for line in err.splitlines())


@pytest.mark.parametrize("bad", [("a",), ("c",), ("e",), ("b", "d"), NAMES])
@pytest.mark.parametrize(
    "where", ["gather", "scan_broken", "requests_in_texts"], ids=["evidence", "file", "texts"]
)
@pytest.mark.parametrize("strategy", ["claims", "extended-resource"])
def test_migrate(
    where: str,
    bad: tuple[str, ...],
    strategy: str,
    run: Any,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    if (where, strategy) == ("scan_broken", "extended-resource"):
        where = "is_template"
    stage: Any = survey if where == "gather" else migrating

    def is_bad(given: Any, *_: Any, **__: Any) -> bool:
        sources = [given] if hasattr(given, "name") else given
        return any(f"pods/{name}.yaml" == each.name for each in sources for name in bad)

    break_for(monkeypatch, stage, where, is_bad)
    code, out, err = run(f"migrate --set strategy={strategy} --scan pods")
    assert code == 2
    expect_named(err, *[f"pods/{name}.yaml" for name in bad])
    for name in NAMES:
        assert (f"pods/{name}.yaml" in out) == (name not in bad)


def test_migrate_in_place(run: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = (tmp_path / "pods" / "b.yaml").read_text()
    break_for(
        monkeypatch,
        migrating,
        "requests_in_texts",
        lambda s, *_, **__: s.name == "pods/b.yaml",
    )
    code, _, err = run("migrate --write --slices fleet pods")
    assert code == 2
    expect_named(err, "pods/b.yaml")
    assert (tmp_path / "pods" / "b.yaml").read_text() == before
    for name in ("a", "c", "d", "e"):
        assert f"wrote pods/{name}.yaml" in err
        assert "resourceClaims" in (tmp_path / "pods" / f"{name}.yaml").read_text()


def test_proof_of_one_file(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import dradsl.migrate.proof.prove as proof

    break_for(
        monkeypatch,
        proof._Simulated,
        "compare",
        lambda _, file: file.path == "pods/d.yaml",
    )
    code, out, err = run("migrate --slices fleet pods")
    assert code == 2
    expect_named(err, "pods/d.yaml")
    assert "name: e" in out
    assert "name: d\n" not in out


def test_writing_one_file(run: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import dradsl.migrate.output as output

    break_for(monkeypatch, output, "_writes", lambda file, *_: file.path == "pods/a.yaml")
    code, _, err = run("migrate --write pods")
    assert code == 2
    assert "pods/a.yaml: internal error: KeyError" in err
    assert "please report this" in err
    assert "wrote pods/b.yaml" in err


@pytest.mark.parametrize(
    "call",
    [
        "migrate --scan",
        "migrate --check -q",
        "convert --check --to v1beta1",
        "convert --to v1beta1",
    ],
)
def test_reading_one_file(call: str, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    break_for(monkeypatch, reader, "load", lambda data: b"name: c" in data)
    code, out, err = run(f"{call} claims")
    assert code == 2
    assert "claims/c.yaml: internal error" in err
    assert "please report this" in err
    assert "claims/d.yaml" in err if "check --to" in call else "c.yaml" not in out


@pytest.mark.parametrize("bad", [("a",), ("e",), ("b", "d")])
def test_to_python(bad: tuple[str, ...], run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import dradsl.cli.to_python as to_python

    break_for(
        monkeypatch,
        to_python,
        "_objects",
        lambda name, *_: name in [f"claims/{b}.yaml" for b in bad],
    )
    code, out, err = run("to-python " + " ".join(f"claims/{name}.yaml" for name in NAMES))
    assert code == 2
    expect_named(err, *[f"claims/{name}.yaml" for name in bad])
    for name in NAMES:
        assert (f'"{name}"' in out) == (name not in bad)


def test_to_python_of_an_object(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import dradsl.dsl.generate.to_python as generate

    break_for(monkeypatch, generate, "object_key", lambda data, _: data["metadata"]["name"] == "b")
    code, out, err = run("to-python " + " ".join(f"claims/{name}.yaml" for name in NAMES))
    assert code == 2
    expect_named(err, "claims/b.yaml")
    assert '"c"' in out
    assert '"b"' not in out


def reading(bad: str) -> Callable[[Path], bool]:
    return lambda path: path.name == bad


@pytest.mark.parametrize("more", ["", "--fit --replicas 2", "--output-format json"])
def test_simulate_reading(more: str, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    break_for(monkeypatch, dradsl.recordings, "read_recording", reading("c.yaml"))
    code, out, err = run(f"simulate --slices fleet claims {more}")
    assert code == 2
    expect_named(err, "claims/c.yaml")
    assert "default/d" in out or '"d"' in out
    assert "default/c" not in out


def test_simulate_building(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from dradsl.simulate.cluster import ClusterBuilder

    break_for(
        monkeypatch, ClusterBuilder, "add_manifest", lambda _, __, origin: origin == "claims/b.yaml"
    )
    code, out, err = run("simulate --slices fleet claims")
    assert code == 2
    expect_named(err, "claims/b.yaml")
    assert "default/d" in out


@pytest.mark.parametrize("how", ["", "--fit"])
def test_simulate_placing(how: str, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from dradsl.simulate.attempts import Simulation

    break_for(monkeypatch, Simulation, "place", lambda _, pod, **__: pod.name.startswith("b"))
    code, out, err = run(f"simulate --slices fleet claims {how}")
    assert code == 2
    assert "claims/b.yaml: Pod default/b: internal error: KeyError" in err
    assert "default/d" in out
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "call", ["simulate --slices fleet claims", "record fleet", "record fleet claims -o out.json"]
)
def test_a_fleet_is_whole_or_not_at_all(
    call: str, run: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    break_for(monkeypatch, dradsl.recordings, "read_recording", reading("n.json"))
    code, out, err = run(call)
    assert code == 2
    assert out == ""
    assert "fleet/n.json: internal error: KeyError" in err
    assert "Please report this" in err
    assert not (tmp_path / "out.json").exists()


def test_nobody_is_to_blame(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    break_for(monkeypatch, survey, "gather", lambda *_: True)
    code, _, err = run("migrate --scan pods")
    assert code == 2
    assert err.startswith("dradsl: internal error: KeyError")


def test_failures_are_found_with_few_attempts() -> None:
    from dradsl.values.failing import apart_from_failing

    attempts = 0

    def work(items: Any) -> int:
        nonlocal attempts
        attempts += 1
        if 700 in items or (30 in items and 31 in items):
            raise ValueError
        return int(sum(items))

    total, failed = apart_from_failing(range(1000), work)
    assert [item for item, _ in failed] == [31, 700]
    assert total == sum(range(1000)) - 731
    assert attempts < 40
