"""Builders: what they become, what they reject, and how they are read again."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings, strategies as st

import dradsl
from dradsl import (
    Config,
    Device,
    DeviceClass,
    DeviceTaintRule,
    DroppedFieldsError,
    FirstAvailable,
    KubernetesObject,
    Manifest,
    ManifestError,
    Opaque,
    PodClaim,
    Pool,
    Request,
    ResourceClaim,
    ResourceClaimTemplate,
    ResourceSlice,
    Taint,
    Toleration,
    distinct,
    from_dict,
    from_yaml,
    same,
)
from dradsl.devices.amd import amdgpu
from dradsl.devices.cpu import grouped
from dradsl.devices.dranet import nic
from dradsl.devices.google import tpu
from dradsl.devices.nvidia import GPU_NVIDIA_COM, MPS, GpuConfig, TimeSlicing, gpu, mig
from dradsl.values.semver import Semver

if TYPE_CHECKING:
    from collections.abc import Callable

    from dradsl.typing import Capacity


def pair() -> ResourceClaimTemplate:
    h100 = DeviceClass("h100", select=gpu & (gpu.productName == "NVIDIA H100 80GB HBM3"))
    return ResourceClaimTemplate(
        "training-pair",
        namespace="ml",
        requests=[gpus := Request("gpus", h100, count=2, select=gpu.memory >= "70Gi")],
        constraints=[same(gpu.pcieRoot, gpus)],
    )


def everything() -> list[Manifest]:
    """One object of each kind with every argument."""
    common: Any = {
        "labels": {"team": "ml"},
        "annotations": {"note": "yes"},
        "metadata": {"finalizers": ["example.com/keep"]},
    }
    amounts: dict[Capacity | str, str | int] = {gpu.memory: "10Gi", "shares": 1}
    big = Request(
        "big",
        "gpu.nvidia.com",
        select=[gpu.productName.startswith("NVIDIA H"), "device.driver != 'x'"],
        count=2,
        tolerations=[Toleration(key="a", operator="Exists", effect="NoExecute", seconds=30)],
        capacity=amounts,
    )
    small = Request("small", mig, allocation_mode="All", derived_attributes={"x.io/a": "1 == 1"})
    watch = Request("watch", "gpu.nvidia.com", admin_access=True)
    choice = FirstAvailable("choice", big, small)
    claim: Any = {
        "namespace": "ml",
        "requests": [choice, watch],
        "constraints": [same(gpu.pcieRoot, big, watch), distinct("gpu.nvidia.com/uuid")],
        "configs": [
            GpuConfig(sharing=TimeSlicing(interval="Long")),
            Config(Opaque("gpu.nvidia.com", {"a": [1, None, {"b": True}]}), watch),
        ],
    }
    device = Device(
        "gpu-0",
        attributes={
            gpu.productName: "NVIDIA L4",
            gpu.driverVersion: "550.0.0",
            "index": 0,
            "ok": True,
            "fw": Semver.parse("1.2.3"),
            "x.io/list": {"strings": ["a"]},
        },
        capacity={gpu.memory: "24Gi", "n": {"value": 4}},
        taints=[Taint("k", "NoSchedule", value="v", time_added="2026-01-01T00:00:00Z")],
        other={"allowMultipleAllocations": True},
    )
    return [
        DeviceClass(
            "big",
            select=gpu,
            configs=[GpuConfig(sharing=MPS(defaultActiveThreadPercentage=50))],
            extended_resource_name="example.com/gpu",
            **common,
        ),
        ResourceClaim("claim", status={"reservedFor": []}, **claim, **common),
        ResourceClaimTemplate(
            "template", claim_labels={"a": "b"}, claim_annotations={"c": "d"}, **claim, **common
        ),
        ResourceSlice(
            "slice",
            driver="gpu.nvidia.com",
            pool=Pool("node-1", generation=3, slices=2),
            node_name="node-1",
            devices=[device],
            other={"sharedCounters": []},
            **common,
        ),
        DeviceTaintRule(
            "rule", taint=Taint("k", "NoExecute"), driver="d.io", pool="p", device="x", **common
        ),
        KubernetesObject({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}),
    ]


def test_a_template() -> None:
    assert pair().to_yaml() == (
        "apiVersion: resource.k8s.io/v1\n"
        "kind: ResourceClaimTemplate\n"
        "metadata:\n"
        "  name: training-pair\n"
        "  namespace: ml\n"
        "spec:\n"
        "  spec:\n"
        "    devices:\n"
        "      requests:\n"
        "      - name: gpus\n"
        "        exactly:\n"
        "          deviceClassName: h100\n"
        "          selectors:\n"
        "          - cel:\n"
        "              expression: |-\n"
        '                has(device.capacity["gpu.nvidia.com"].memory) &&\n'
        '                device.capacity["gpu.nvidia.com"].memory'
        '.compareTo(quantity("70Gi")) >= 0\n'
        "          count: 2\n"
        "      constraints:\n"
        "      - requests:\n"
        "        - gpus\n"
        "        matchAttribute: resource.kubernetes.io/pcieRoot\n"
    )


@pytest.mark.parametrize("version", ["v1", "v1beta2", "v1beta1", "resource.k8s.io/v1beta1"])
def test_everything_is_read_again(version: str) -> None:
    for obj in everything():
        if obj.to_dict()["apiVersion"].startswith("resource."):
            data = obj.to_dict(version)
            assert data["apiVersion"] == f"resource.k8s.io/{version.rpartition('/')[2]}"
        else:
            data = obj.to_dict()
        again = from_dict(data)
        assert again == obj
        assert type(again) is type(obj)
        assert from_yaml(obj.to_yaml()) == [obj]


def test_v1beta1_is_flat() -> None:
    [request] = pair().to_dict("v1beta1")["spec"]["spec"]["devices"]["requests"]
    assert request["deviceClassName"] == "h100"
    assert "exactly" not in request


def test_objects_are_equal_by_what_they_become() -> None:
    assert pair() == pair()
    assert hash(pair()) == hash(pair())
    assert pair() != dataclasses.replace(pair(), namespace="other")
    assert Request("a", gpu) == Request("a", "gpu.nvidia.com") == Request("a", GPU_NVIDIA_COM)
    assert Request("a", gpu) != Request("b", gpu)
    assert GpuConfig() != Opaque("gpu.nvidia.com", {})


def test_nothing_can_be_changed() -> None:
    labels = {"a": "b"}
    obj = DeviceClass("c", labels=labels)
    labels["a"] = "changed"
    changed: Any = obj
    assert obj.to_dict()["metadata"]["labels"] == {"a": "b"}
    with pytest.raises(dataclasses.FrozenInstanceError):
        changed.name = "d"
    with pytest.raises(TypeError):
        changed.labels["a"] = "x"
    obj.to_dict()["metadata"]["labels"]["a"] = "x"
    assert obj.to_dict()["metadata"]["labels"] == {"a": "b"}


def test_copies_are_the_same() -> None:
    assert copy.deepcopy([pair()]) == [pair()]
    assert copy.copy(one := pair()) is one
    assert dataclasses.replace(one, labels={"a": "b"}).to_dict()["metadata"]["labels"] == {"a": "b"}


def test_constraints_follow_their_requests() -> None:
    """A request is referred to as an object: its name is in one place only."""
    for name in ("gpus", "renamed"):
        gpus = Request(name, gpu)
        best, rest = Request("best", gpu), Request("rest", mig)
        claim = ResourceClaim(
            "c",
            requests=[gpus, FirstAvailable("other", best, rest)],
            constraints=[same(gpu.pcieRoot, gpus, best)],
            configs=[Config(GpuConfig(), rest)],
        )
        devices = claim.to_dict()["spec"]["devices"]
        assert devices["constraints"][0]["requests"] == [name, "other/best"]
        assert devices["config"][0]["requests"] == ["other/rest"]


def test_capacity_requests_are_spelled_as_the_driver_publishes() -> None:
    claim = Request("cpus", "dra.cpu", capacity={grouped.cpu: 4})
    assert claim.details()["capacity"] == {"requests": {"dra.cpu/cpu": 4}}


def test_pod_fragments() -> None:
    template, shared = pair(), ResourceClaim("shared", requests=[r := Request("r", gpu)])
    assert PodClaim("gpus", template).to_dict() == {
        "name": "gpus",
        "resourceClaimTemplateName": "training-pair",
    }
    claim = PodClaim("gpu", shared)
    assert claim.to_dict() == {"name": "gpu", "resourceClaimName": "shared"}
    assert claim.container() == {"name": "gpu"}
    assert claim.container(r) == {"name": "gpu", "request": "r"}
    with pytest.raises(ValueError, match="not among the requests"):
        claim.container(Request("s", gpu))
    one = Request("one", gpu)
    chosen = PodClaim("x", ResourceClaim("y", requests=[FirstAvailable("z", one)]))
    with pytest.raises(ValueError, match="whole request"):
        chosen.container(one)


def test_a_release_that_drops_fields_is_told() -> None:
    claim = ResourceClaim("c", requests=[Request("r", gpu, capacity={gpu.memory: "1Gi"})])
    with pytest.raises(DroppedFieldsError) as caught:
        claim.to_dict(for_release="1.34")
    assert caught.value.fields == ("spec.devices.requests[0].exactly.capacity",)
    assert "Kubernetes 1.34 drops from ResourceClaim c" in str(caught.value)
    assert "DRAConsumableCapacity" in str(caught.value)
    assert claim.to_dict(for_release="1.36") == claim.to_dict()


# The package, for calls that type checkers reject.
unchecked: Any = dradsl


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        (lambda: DeviceClass("Big"), ValueError, "the name of a DeviceClass: 'Big'"),
        (lambda: DeviceClass("größe"), ValueError, "the name of a DeviceClass"),
        (lambda: unchecked.DeviceClass(3), TypeError, "is a string"),
        (lambda: DeviceClass("a", extended_resource_name="gpu"), ValueError, "extended resource"),
        (lambda: Request("a.b", gpu), ValueError, "the name of a request"),
        (lambda: Request("a", "Gpu"), ValueError, "the class of request a"),
        (lambda: Request("a", gpu, count=0), ValueError, "at least 1"),
        (lambda: unchecked.Request("a", gpu, count="2"), TypeError, "is an integer"),
        (lambda: Request("a", gpu, count=2, allocation_mode="All"), ValueError, "besides"),
        (lambda: Request("a", gpu, capacity={gpu.memory: "1GB"}), ValueError, "no quantity"),
        (lambda: unchecked.Request("a", gpu, capacity={gpu.uuid: "1"}), TypeError, "no capacity"),
        (
            lambda: unchecked.Device("a", attributes={gpu.memory: "1"}),
            TypeError,
            "no attribute of a device",
        ),
        (
            lambda: unchecked.Device("a", capacity={gpu.uuid: "1"}),
            TypeError,
            "no capacity of a device",
        ),
        (lambda: unchecked.Device("a", attributes={"x": 1.5}), TypeError, "cannot be 1.5"),
        (lambda: Request("a", grouped), ValueError, "ships no class"),
        (lambda: unchecked.Request("a", gpu, select=3), TypeError, "select of request a"),
        (lambda: FirstAvailable("a"), ValueError, "no alternatives"),
        (
            lambda: FirstAvailable("a", Request("b", gpu, admin_access=True)),
            ValueError,
            "cannot have admin access",
        ),
        (
            lambda: ResourceClaim("c", requests=[Request("a", gpu), Request("a", mig)]),
            ValueError,
            "a is there twice",
        ),
        (
            lambda: ResourceClaim("c", constraints=[same(gpu.uuid, Request("a", gpu))]),
            ValueError,
            "'a' is not among the requests",
        ),
        (lambda: unchecked.ResourceClaim("c", requests=Request("a", gpu)), TypeError, "are a list"),
        (lambda: unchecked.DeviceClass("c", configs=GpuConfig()), TypeError, "are a list"),
        (lambda: ResourceClaim("c", namespace="a.b"), ValueError, "the namespace of c"),
        (lambda: DeviceClass("c").to_dict("v2"), ValueError, "has no version 'v2'"),
        (
            lambda: unchecked.ResourceClaim("c", requests=[gpu]),
            TypeError,
            "requests of ResourceClaim c",
        ),
        (lambda: unchecked.same(gpu.memory), TypeError, "compare attributes"),
        (lambda: same("pcieRoot"), ValueError, "needs its domain"),
        (lambda: unchecked.same(gpu.uuid, 3), TypeError, "over requests"),
        (lambda: Opaque("x.io", {"a": object()}), TypeError, "no plain data"),
        (lambda: Opaque("x.io", {"a": float("nan")}), ValueError, "no number"),
        (lambda: unchecked.Opaque("x.io", {1: 2}), TypeError, "no string"),
        (lambda: KubernetesObject({"kind": "Pod"}), ManifestError, "needs apiVersion"),
        (lambda: DeviceClass.from_dict(pair().to_dict()), ManifestError, "DeviceClass can hold"),
        (lambda: DeviceClass.from_yaml(""), ManifestError, "0 objects"),
        # the shape of the API, down to the last field
        (
            lambda: unchecked.DeviceClass("a", labels={"a": 1}),
            ManifestError,
            r"metadata.labels\[a\]: expected a string",
        ),
        (lambda: DeviceClass("a", metadata={"x": 1}), ManifestError, "metadata.x: no such field"),
        (lambda: unchecked.ResourceClaim("a", namespace=3), TypeError, "the namespace of a"),
        (
            lambda: ResourceClaim("a", requests=[unchecked.Request("r", gpu, admin_access=1)]),
            ManifestError,
            r"requests\[0\].exactly.adminAccess: expected True or False, not 1",
        ),
        (
            lambda: ResourceSlice("a", driver="d.io", pool="p", other={"nodeNme": "x"}),
            ManifestError,
            r"spec.nodeNme: no such field; did you mean nodeName\?",
        ),
        (lambda: from_yaml("a: b\na: c"), ManifestError, "line 2"),
        (lambda: from_yaml("a: [b"), ManifestError, "line 1"),
        (lambda: from_yaml("- a"), ManifestError, "no mapping"),
    ],
)
def test_wrong_objects_are_rejected(
    wrong: Callable[[], Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        wrong()


def test_data_that_holds_itself_is_rejected() -> None:
    loop: dict[str, Any] = {}
    loop["again"] = loop
    with pytest.raises(ValueError, match="holds itself"):
        Opaque("x.io", loop)
    with pytest.raises(ValueError, match="holds itself"):
        DeviceClass("a", metadata=loop)


def test_models_of_pydantic() -> None:
    model: Any = pair().model()
    assert model.spec.spec.devices.requests[0].exactly.count == 2
    pod = KubernetesObject({"apiVersion": "v1", "kind": "Pod"})
    with pytest.raises(ManifestError, match="is no object of"):
        pod.model()


def test_recordings_may_leave_out_what_servers_fill_in() -> None:
    owner = {"apiVersion": "v1", "kind": "Node", "name": "n"}
    data = ResourceSlice("a", driver="d.io", pool="p", all_nodes=True).to_dict()
    data["metadata"]["ownerReferences"] = [owner]
    assert isinstance(from_dict(data), ResourceSlice)


def test_what_no_builder_holds_stays_as_it_is() -> None:
    data = pair().to_dict()
    data["spec"]["spec"]["devices"]["constraints"][0]["matchAtribute"] = "x/y"
    read = from_dict(data)
    assert isinstance(read, KubernetesObject)
    assert read.to_dict() == data


JUNK: list[Any] = [
    None,
    0,
    -1,
    1.5,
    True,
    "",
    "x",
    [],
    {},
    [None],
    {"a": None},
    [[]],
    2**70,
    "\ud800",
]


@settings(max_examples=120, deadline=None)
@given(st.data())
def test_malformed_objects_are_read_or_rejected(data: st.DataObject) -> None:
    """Whatever is in a manifest: it is given back as it was, or rejected with a reason."""
    obj = data.draw(st.sampled_from(everything())).to_dict()
    for _ in range(data.draw(st.integers(1, 3))):
        where: Any = obj
        while isinstance(where, dict | list) and where:
            keys = list(where) if isinstance(where, dict) else list(range(len(where)))
            key = data.draw(st.sampled_from(keys))
            if data.draw(st.booleans()) or not isinstance(where[key], dict | list):
                where[key] = copy.deepcopy(data.draw(st.sampled_from(JUNK)))
                break
            where = where[key]
    try:
        read = from_dict(obj)
    except ManifestError:
        return
    assert read.to_dict() == obj
    assert [one.to_dict() for one in from_yaml(read.to_yaml())] == [read.to_dict()]


def test_a_class_reads_what_it_holds() -> None:
    claim = pair()
    assert type(claim).from_dict(claim.to_dict("v1beta1")) == claim
    assert type(claim).from_yaml(claim.to_yaml()) == claim
    assert KubernetesObject.from_dict(claim.to_dict()).to_dict() == claim.to_dict()
    assert isinstance(KubernetesObject.from_yaml(claim.to_yaml()), KubernetesObject)


def test_lists_are_read_item_by_item() -> None:
    items = {"apiVersion": "v1", "kind": "List", "items": [one.to_dict() for one in everything()]}
    assert from_yaml(json.dumps(items)) == everything()


@pytest.mark.parametrize(
    "text",
    ["yes", "on", "null", "~", "010", "1e3", "1_000", "0x1f", "-", "a: b", "# c", " a", "", "é",
     "a\nb", "a\n", "\na", "a \nb", "\tx\ny", "2026-01-01", "=", "<<", "a\u0085b", "a\r\nb", "\x07",
     "{{ x }}", "'", '"', "a\n\n\nb\n\n", "|", ">", "!x", "&a", "*a", "%x", "@x", "`x"],
)  # fmt: skip
def test_yaml_gives_every_text_back(text: str) -> None:
    obj = KubernetesObject({"apiVersion": "v1", "kind": "ConfigMap", "data": {"k": text}})
    [again] = from_yaml(obj.to_yaml())
    assert again.to_dict()["data"] == {"k": text}


def test_places_are_those_of_the_calls() -> None:
    obj = pair()
    [(path, place), _] = obj.parts()
    assert obj.place is not None
    assert place is not None
    assert path == ("spec", "spec", "devices", "requests", 0)
    assert place.path == obj.place.path == __file__
    assert place.span.line == obj.place.span.line + 3


def test_handles_of_another_driver_in_a_slice() -> None:
    from dradsl import ResourceSlice
    from dradsl.devices.dranet import nic

    def slice_of(driver: str, device: Device) -> ResourceSlice:
        return ResourceSlice("s", driver=driver, pool="n", node_name="n", devices=[device])

    with pytest.raises(
        ValueError, match=r"published by the driver dra\.net, and the slice is of gpu"
    ):
        slice_of("gpu.nvidia.com", Device("d", attributes={nic.rdma: True}))
    # As text, for a driver that nobody knows, and for one that takes attributes of any domain.
    slice_of("gpu.nvidia.com", Device("d", attributes={"dra.net/rdma": True}))
    slice_of("fpga.acme.io", Device("d", attributes={nic.rdma: True}))
    slice_of("dra.net", Device("d", attributes={gpu.productName: "NVIDIA L4"}))


def test_handles_cannot_be_changed() -> None:
    for name, value in (("productName", "NVIDIA L4"), ("memory", gpu.multiprocessors), ("foo", 3)):
        with pytest.raises(AttributeError, match=f"==`: .{name} == "):
            setattr(gpu, name, value)
    with pytest.raises(AttributeError):
        dradsl.driver("gpu.example.com").memory = 1  # type: ignore[attr-defined]
    with pytest.raises(AttributeError):
        dradsl.App().for_release = "9.99"  # type: ignore[misc]


@pytest.mark.parametrize("key", ["name", "namespace", "labels", "annotations"])
def test_metadata_repeats_no_parameter(key: str) -> None:
    with pytest.raises(ValueError, match=f"holds {key}: give the parameter {key}="):
        ResourceClaimTemplate("x", requests=[Request("g", gpu)], metadata={key: "z"})
    with pytest.raises(ValueError, match=f"give the parameter {key}="):
        DeviceClass("x", select=gpu, metadata={key: {}})


def untyped(value: object) -> Any:
    """What a caller without a type checker gives."""
    return value


def built() -> list[Any]:
    """One of each that can be built."""
    share = Request("share", gpu, select=gpu.memory >= "40Gi", capacity={gpu.memory: "10Gi"})
    first = FirstAvailable("any", Request("a", mig), Request("b", gpu))
    template = ResourceClaimTemplate(
        "t",
        requests=[share, first],
        constraints=[same(gpu.pcieRoot, share)],
        labels={"a": "b"},
    )
    slices = ResourceSlice(
        "s", driver="gpu.nvidia.com", pool=Pool("p"), devices=[Device("d")], node_name="n"
    )
    return [
        gpu,
        dradsl.driver("gpu.example.com"),
        gpu.memory >= "40Gi",
        share,
        first,
        template,
        DeviceClass("c", select=gpu & (gpu.productName == "NVIDIA L4")),
        ResourceClaim("r", requests=[share]),
        PodClaim("p", template),
        KubernetesObject({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}}),
        slices,
    ]


@pytest.mark.parametrize("thing", built(), ids=lambda one: type(one).__name__)
def test_what_is_built_can_be_pickled(thing: Any) -> None:
    for again in (pickle.loads(pickle.dumps(thing)), copy.deepcopy(thing)):
        assert type(again).__qualname__ == type(thing).__qualname__
        assert repr(again) == repr(thing)
        if hasattr(thing, "to_dict"):
            assert again == thing
            assert hash(again) == hash(thing)
            assert again.to_dict() == thing.to_dict()


def test_an_app_can_be_pickled() -> None:
    app = dradsl.App(name="ml", for_release="1.36")
    app.extend(one for one in built() if isinstance(one, Manifest))
    again = pickle.loads(pickle.dumps(app))
    assert again.to_yaml() == app.to_yaml()
    assert again.lint() == app.lint()
    assert repr(again) == f"<App ml with {len(app)} objects for Kubernetes 1.36>"
    assert [*again] == [*app]
    assert dradsl.App()  # empty, and an app all the same


def test_plain_data_in_objects_cannot_be_changed() -> None:
    labels = ResourceClaim("r", requests=[Request("g", gpu)], labels={"a": "b"}).labels
    changes: list[Callable[[Any], object]] = [
        lambda data: data.update(a="c"),
        lambda data: data.pop("a"),
        lambda data: data.clear(),
        lambda data: data.setdefault("b", "c"),
        lambda data: data.__setitem__("a", "c"),
        lambda data: data.__delitem__("a"),
        lambda data: data.popitem(),
        lambda data: data.__ior__({"a": "c"}),
    ]
    for change in changes:
        with pytest.raises(TypeError, match="cannot be changed"):
            change(labels)
    assert labels == {"a": "b"}


def test_a_capacity_of_another_driver() -> None:
    with pytest.raises(ValueError, match=r"gpu\.amd\.com/memory of request g is of another driver"):
        Request("g", gpu, capacity={amdgpu.memory: "10Gi"})
    Request("g", gpu, capacity={gpu.memory: "10Gi", "bandwidth": "1G"})
    Request("g", gpu, capacity={dradsl.driver("x.example.com").capacity["memory"]: "1Gi"})


@pytest.mark.parametrize(
    ("wrong", "remedy"),
    [
        (lambda: gpu.memory >= "40gi", 'did you mean "40Gi"?'),
        (lambda: gpu.memory >= "40 Gi", 'did you mean "40Gi"?'),
        (lambda: gpu.memory >= "40960MiB", 'did you mean "40960Mi"?'),
        (lambda: gpu.memory >= "40GB", 'did you mean "40Gi" (powers of 1024) or "40G" (of 1000)?'),
        (lambda: gpu.memory >= "5kb", 'did you mean "5Ki" (powers of 1024) or "5k" (of 1000)?'),
        (lambda: Request("gpu_0", gpu), 'did you mean "gpu-0"?'),
        (
            lambda: Request("g", gpu, select=untyped(gpu.memory is not None)),
            "for `is not None` write .exists()",
        ),
        (lambda: dradsl.App().extend(untyped(DeviceClass("c"))), "one is added by add(...)"),
        (
            lambda: dradsl.App().add(untyped([DeviceClass("c")])),
            "several objects are added by extend([...])",
        ),
        (
            lambda: FirstAvailable("g", untyped([Request("a", gpu)])),
            "one by one, as in FirstAvailable('g', first, second)",
        ),
    ],
)
def test_what_to_write_instead(wrong: Callable[[], object], remedy: str) -> None:
    with pytest.raises((TypeError, ValueError)) as raised:
        wrong()
    assert remedy in str(raised.value)
    assert len(str(raised.value)) < 300


@pytest.mark.parametrize("wrong", [lambda: tpu.tpuGen == "v7e", lambda: untyped(nic).bandwidth])
def test_no_suggestion_of_another_thing(wrong: Callable[[], object]) -> None:
    with pytest.raises((AttributeError, ValueError)) as raised:
        wrong()
    assert "did you mean" not in str(raised.value)


def test_an_app_uses_one_app() -> None:
    platform = dradsl.App()
    platform.add(DeviceClass("c"))
    assert dradsl.App(uses=platform).uses == (platform,)
