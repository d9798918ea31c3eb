"""A value of another type in the place of any field: each command answers, with no error of its own.

Each run takes the same sample. `WRONG_TYPES_SEED` and `WRONG_TYPES_CASES` take another, or a larger.
"""

from __future__ import annotations

import copy
import datetime as dt
import importlib
import os
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from click.testing import CliRunner

from tests.spoiled import places, seeds

if TYPE_CHECKING:
    from pathlib import Path

SEED = os.environ.get("WRONG_TYPES_SEED", "1")
CASES = int(os.environ.get("WRONG_TYPES_CASES", "25"))

VALUES: tuple[Any, ...] = (
    None,
    True,
    7,
    0.5,
    "text",
    ["a"],
    [{"a": "b"}],
    {"a": "b"},
    dt.date(2026, 1, 2),
    [],
    {},
    1e308,
)

OBJECTS = """
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: default, labels: {a: b}, annotations: {a: b}}
spec:
  nodeSelector: {nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB}
  tolerations: [{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}]
  resourceClaims: [{name: other, resourceClaimTemplateName: t}]
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions: [{key: nvidia.com/gpu.count, operator: In, values: ["8"]}]
  initContainers:
  - {name: i, image: x, resources: {limits: {nvidia.com/gpu: 1}}}
  containers:
  - name: c
    image: x
    env: [{name: NVIDIA_VISIBLE_DEVICES, value: all}]
    resources: {limits: {nvidia.com/gpu: 1, cpu: 1}, requests: {cpu: 1}, claims: [{name: other}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: d, namespace: default}
spec:
  replicas: 2
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec:
      containers: [{name: c, image: x, resources: {limits: {nvidia.com/mig-1g.5gb: 1}}}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: t, namespace: default}
spec:
  metadata: {labels: {a: b}}
  spec:
    devices:
      requests:
      - name: r
        exactly:
          deviceClassName: gpu.nvidia.com
          allocationMode: ExactCount
          count: 1
          selectors: [{cel: {expression: 'device.driver == "gpu.nvidia.com"'}}]
          tolerations: [{key: a, operator: Equal, value: b, effect: NoSchedule}]
          capacity: {requests: {memory: 1Gi}}
      - name: s
        firstAvailable: [{name: a, deviceClassName: mig.nvidia.com}]
      constraints: [{requests: [r], matchAttribute: gpu.nvidia.com/uuid}]
      config:
      - requests: [r]
        opaque:
          driver: gpu.nvidia.com
          parameters:
            apiVersion: resource.nvidia.com/v1beta1
            kind: GpuConfig
            sharing: {strategy: MPS, mpsConfig: {defaultActiveThreadPercentage: 50}}
"""
RECORDED = """
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: gpu.nvidia.com
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices:
  - name: gpu-0
    attributes: {type: {string: gpu}, index: {int: 0}, ok: {bool: true}, v: {version: 1.2.3}}
    capacity: {memory: {value: 80Gi, requestPolicy: {default: 1Gi, validValues: [1Gi]}}}
    taints: [{key: a, value: b, effect: NoSchedule}]
---
apiVersion: resource.k8s.io/v1beta1
kind: ResourceSlice
metadata: {name: old}
spec:
  driver: gpu.nvidia.com
  nodeName: n2
  pool: {name: n2, generation: 1, resourceSliceCount: 1}
  devices:
  - name: gpu-0
    basic:
      attributes: {type: {string: gpu}}
      capacity: {memory: {value: 80Gi}}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu.nvidia.com}
spec: {selectors: [{cel: {expression: 'device.driver == "gpu.nvidia.com"'}}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c, namespace: default, uid: u}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu.nvidia.com}}]}}
status:
  reservedFor: [{resource: pods, name: p, uid: v}]
  allocation:
    devices: {results: [{request: r, driver: gpu.nvidia.com, pool: n1, device: gpu-0}]}
---
apiVersion: resource.k8s.io/v1alpha3
kind: DeviceTaintRule
metadata: {name: r}
spec: {deviceSelector: {driver: gpu.nvidia.com}, taint: {key: a, value: b, effect: NoSchedule}}
---
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {kubernetes.io/hostname: n1}}
spec: {taints: [{key: a, value: b, effect: NoSchedule}], unschedulable: false}
status: {allocatable: {cpu: "4", pods: "10"}}
"""

CALLS = (
    "cel eval --slices s.yaml true",
    "cel eval --slices s.yaml device.attributes['gpu.nvidia.com'].type=='gpu'",
    "convert a.yaml --diff",
    "convert a.yaml s.yaml --to v1beta1",
    "lint a.yaml s.yaml --isolated --kube-version 1.34-1.37",
    "lint a.yaml --fix --diff --isolated --unsafe-fixes",
    "lint a.yaml --isolated --slices s.yaml",
    "migrate --scan a.yaml",
    "migrate --diff a.yaml",
    "migrate --diff a.yaml --slices s.yaml",
    "migrate --diff a.yaml --set strategy=extended-resource",
    "record s.yaml",
    "schema check s.yaml",
    "schema infer s.yaml",
    "simulate --slices s.yaml a.yaml",
    "simulate --slices s.yaml --fit --replicas 3 a.yaml",
    "to-python a.yaml s.yaml",
)


@cache
def inputs() -> list[tuple[list[Any], list[Any]]]:
    """What the commands read: objects, and what is recorded of a cluster."""
    own = list(yaml.safe_load_all(OBJECTS)), list(yaml.safe_load_all(RECORDED))
    return [own] * 20 + [(objects, own[1]) for objects in seeds()]


def spoiled(random: Random, call: str) -> tuple[list[Any], list[Any]]:
    """The two files with one value replaced in one of them, of those that the call reads."""
    objects, recorded = copy.deepcopy(random.choice(inputs()))
    read = [each for name, each in (("a.yaml", objects), ("s.yaml", recorded)) if name in call]
    chosen = random.choice(read)
    *way, last = random.choice([place for place in places(chosen) if len(place) > 1])
    holder: Any = chosen
    for step in way:
        holder = holder[step]
    holder[last] = copy.deepcopy(random.choice(VALUES))
    return objects, recorded


@pytest.mark.parametrize("call", CALLS)
def test_no_field_of_another_type_breaks(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name, *arguments = call.split()
    command = importlib.import_module(f"dradsl.cli.{name.replace('-', '_')}").command
    random = Random(f"{SEED} {call}")
    for _ in range(CASES):
        objects, recorded = spoiled(random, call)
        for file, data in (("a.yaml", objects), ("s.yaml", recorded)):
            (tmp_path / file).write_text(yaml.safe_dump_all(data, allow_unicode=True))
        result = CliRunner().invoke(command, arguments)
        shown = f"{yaml.safe_dump_all(objects)}\n=== s.yaml\n{yaml.safe_dump_all(recorded)}"
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise AssertionError(shown) from result.exception
        assert result.exit_code in (0, 1, 2, 3), shown
        assert result.exit_code != 2 or result.stderr, shown


@pytest.mark.parametrize(
    "slices",
    [
        "spec: {nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: null, operator: In}]}]}}",
        "spec: {nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: null, operator: null}]}]}}",
        "spec: {devices: [{name: a, attributes: {t: {strings: true}}}]}",
        "spec: {devices: [{name: a, attributes: {t: {strings: a}}}]}",
    ],
)
@pytest.mark.parametrize(
    "call", ["simulate --fit --slices s.yaml a.yaml", "cel eval true --slices s.yaml"]
)
def test_types_that_fuzz_found(
    slices: str, call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yaml").write_text(OBJECTS)
    (tmp_path / "s.yaml").write_text(
        f"apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\n{slices}\n"
    )
    name, *arguments = call.split()
    result = CliRunner().invoke(importlib.import_module(f"dradsl.cli.{name}").command, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit)
