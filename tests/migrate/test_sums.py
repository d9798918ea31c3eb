"""A law: however a pod asks for devices, its claims hold as many, or the pod was rejected."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings, strategies as st

from dradsl.lint.engine.run import lint_text
from dradsl.lint.settings.config import LintConfig
from dradsl.migrate.places import whole
from dradsl.migrate.result import Outcome
from dradsl.text.render import render_block
from tests.migrate.runs import HERE, data_of, only, pod, run, with_gpu

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
    made, *templates = data_of(file.text)
    got: dict[str, int] = {}
    for template in templates:
        requests = template["spec"]["spec"]["devices"]["requests"]
        assert sum(each["exactly"].get("count", 1) for each in requests) <= 32
        for exactly in (each["exactly"] for each in requests):
            name = exactly["deviceClassName"]
            got[name] = got.get(name, 0) + exactly.get("count", 1)
    wanted = {RESOURCES[name]: n for name, n in counted(spec).items() if n}
    assert got == wanted
    for each in [*made["spec"]["containers"], *made["spec"].get("initContainers", ())]:
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


def test_more_devices_than_a_claim_holds_are_in_several() -> None:
    """A claim holds 32 devices (resource.k8s.io AllocationResultsMaxSize); a pod may have several claims."""
    text = pod(
        "  containers:\n  - name: main\n    image: i\n    resources: {limits: {nvidia.com/gpu: 8, vpc.amazonaws.com/efa: 32}}\n"
        "  - name: side\n    image: i\n    resources: {limits: {nvidia.com/gpu: 2}}\n",
        "  resourceClaims: [{name: devices, resourceClaimTemplateName: other}]\n",
    )
    migration = run(
        text, answers={"accept": ["vpc.amazonaws.com/efa"], "existing-claims": "other-devices"}
    )
    assert (migration.faults, migration.count(Outcome.TRANSLATED)) == ((), 3)
    made, *templates = data_of(migration.files[0].text)
    spec = made["spec"]
    assert [each["name"] for each in spec["resourceClaims"]] == [
        "devices",
        "devices-2",
        "devices-3",
    ]
    named = {each["name"]: each["resourceClaimTemplateName"] for each in spec["resourceClaims"]}
    holds = {
        template["metadata"]["name"]: [
            each["name"] for each in template["spec"]["spec"]["devices"]["requests"]
        ]
        for template in templates
    }
    claims = [each["resources"]["claims"] for each in spec["containers"]]
    assert [len(each) for each in claims] == [2, 1]
    for each in (one for some in claims for one in some):
        assert each["request"] in holds[named[each["name"]]]


def test_values_of_a_chart_bring_all_claim_templates() -> None:
    release = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: p}
spec:
  chart: {spec: {chart: app-template, version: 5.0.1}}
  values:
    controllers: {p: {containers: {app: {resources: {limits: {nvidia.com/gpu: 8, amd.com/gpu: 32}}}}}}
"""
    (obj,) = data_of(run(release).files[0].text)
    values = obj["spec"]["values"]
    entries = values["controllers"]["p"]["pod"]["resourceClaims"]
    assert {each["resourceClaimTemplateName"] for each in entries} == values["rawResources"].keys()
    assert len(entries) == 2


def test_a_request_above_the_limit_is_rejected() -> None:
    assert "at most 32" in only(run(with_gpu("33"))).reason
