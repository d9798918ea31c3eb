"""A law: however a pod asks for devices, its claims hold as many, or the pod was rejected."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings, strategies as st

from dradsl.lint.engine.run import lint_text
from dradsl.lint.settings.config import LintConfig
from dradsl.migrate.places import whole
from dradsl.migrate.result import Outcome
from dradsl.text.render import render_block
from tests.migrate.runs import HERE, data_of, run

RESOURCES = {
    "nvidia.com/gpu": "gpu.nvidia.com",
    "nvidia.com/mig-1g.5gb": "mig.nvidia.com",
    "amd.com/gpu": "gpu.amd.com",
    "gpu.intel.com/xe": "gpu.intel.com",
    "habana.ai/gaudi": "gaudi.intel.com",
}
OTHERS = ("cpu", "memory", "rdma/hca", "example.com/foo", "volcano.sh/vgpu-number")

amounts = st.one_of(
    st.integers(0, 16),
    st.integers(1, 8).map(str),
    st.sampled_from(["1k", "2000m", "1500m", 1.0, 2.5, "x", "-1", None, True]),
)
names = st.sampled_from([*RESOURCES, *OTHERS])
lists = st.dictionaries(names, amounts, max_size=3)


@st.composite
def resources(draw: st.DrawFn) -> dict[str, Any]:
    limits = draw(lists)
    requests = draw(st.one_of(st.just(limits), lists, st.none()))
    result: dict[str, Any] = {"limits": limits} if draw(st.booleans()) or limits else {}
    return result if requests is None else {**result, "requests": requests}


@st.composite
def pod_specs(draw: st.DrawFn) -> dict[str, Any]:
    def containers(prefix: str, low: int, high: int) -> list[dict[str, Any]]:
        found = draw(st.lists(resources(), min_size=low, max_size=high))
        return [
            {"name": f"{prefix}{number}", "image": "i", "resources": each}
            for number, each in enumerate(found)
        ]

    spec: dict[str, Any] = {"containers": containers("main", 1, 3)}
    init = containers("init", 0, 2)
    for each in init:
        if draw(st.booleans()):
            each["restartPolicy"] = "Always"
    return {**spec, "initContainers": init} if init else spec


def counted(spec: dict[str, Any]) -> dict[str, int]:
    """Devices of a pod by resource, as the scheduler adds requests up."""
    mains: dict[str, int] = {}
    peaks: dict[str, int] = {}
    sidecars: dict[str, int] = {}

    def asked(container: dict[str, Any]) -> dict[str, int]:
        both = {
            **(container["resources"].get("requests") or {}),
            **{
                k: v
                for k, v in (container["resources"].get("limits") or {}).items()
                if v is not None
            },
        }
        return {name: whole(value) or 0 for name, value in both.items() if name in RESOURCES}

    for container in spec.get("initContainers", ()):
        for name, amount in asked(container).items():
            running = sidecars.get(name, 0) + amount
            if container.get("restartPolicy") == "Always":
                sidecars[name] = running
            peaks[name] = max(peaks.get(name, 0), running)
    for container in spec["containers"]:
        for name, amount in asked(container).items():
            mains[name] = mains.get(name, 0) + amount
    return {
        name: max(mains.get(name, 0) + sidecars.get(name, 0), peaks.get(name, 0))
        for name in {*mains, *peaks, *sidecars}
    }


@settings(max_examples=60, deadline=None)
@given(pod_specs())
def test_the_number_of_devices_stays_or_the_pod_is_rejected(spec: dict[str, Any]) -> None:
    obj = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": spec}
    text = render_block(obj) + "\n"
    migration = run(text, prove=False)
    (file,) = migration.files
    outcomes = {item.outcome for item in migration.items()}
    if Outcome.TRANSLATED not in outcomes:
        assert file.text == text
        return
    assert Outcome.REJECTED not in outcomes  # a pod is migrated as a whole
    pod, template = data_of(file.text)
    got: dict[str, int] = {}
    for request in template["spec"]["spec"]["devices"]["requests"]:
        exactly = request["exactly"]
        name = exactly["deviceClassName"]
        got[name] = got.get(name, 0) + exactly.get("count", 1)
    wanted = {RESOURCES[name]: n for name, n in counted(spec).items() if n}
    assert got == wanted
    for each in [*pod["spec"]["containers"], *pod["spec"].get("initContainers", ())]:
        for section in ("limits", "requests"):
            left = each["resources"].get(section) or {}
            assert not any(whole(left.get(name)) for name in RESOURCES)
    assert not run(file.text, prove=False).changed


@settings(max_examples=15, deadline=None)
@given(pod_specs())
def test_what_is_migrated_lints_without_errors_of_its_own(spec: dict[str, Any]) -> None:
    obj = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": spec}
    text = render_block(obj) + "\n"
    assert run(text).faults == ()
    report = lint_text(run(text, prove=False).files[0].text, config=LintConfig(root=HERE))
    added = [f for f in report.findings if f.object and f.object.kind == "ResourceClaimTemplate"]
    assert [f for f in added if f.severity == "error"] == []
