"""1,000 files of DRA manifests: a lint run against the bare C compose of the same bytes.

Sets of manifests repeat themselves, and the run makes use of that. All claims of the first table
are one of 27 but for their names. In the second each one is unlike any other, since its request has
another name. In the third each request is unlike any other, since it asks for another count: there
is nothing to use again but the selectors.
"""

from __future__ import annotations

import gc
from pathlib import Path

import yaml

from benchmarks.measure import paired_calls

_FILES = 1000

TEMPLATE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata:
  name: claim-{n}
  namespace: team-{team}
spec:
  spec:
    devices:
      requests:
      - name: {request}
        exactly:
          deviceClassName: gpu.nvidia.com
          count: {count}
          selectors:
          - cel:
              expression: |-
                device.attributes["gpu.nvidia.com"].productName == "NVIDIA H100 80GB HBM3" &&
                device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("{size}Gi")) >= 0
      constraints:
      - requests: [{request}]
        matchAttribute: resource.kubernetes.io/pcieRoot
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: worker-{n}
  namespace: team-{team}
spec:
  replicas: 2
  selector:
    matchLabels: {{app: worker-{n}}}
  template:
    metadata:
      labels: {{app: worker-{n}}}
    spec:
      containers:
      - name: main
        image: registry.example.com/worker:{n}
        args: ["--rank", "{n}"]
        resources:
          claims:
          - name: gpu
      resourceClaims:
      - name: gpu
        resourceClaimTemplateName: claim-{n}
"""


def _texts(*, own_names: bool = False, own_counts: bool = False) -> list[bytes]:
    return [
        TEMPLATE.format(
            n=n,
            team=n % 7,
            count=2 + (n if own_counts else n % 3),
            size=40 + n % 9,
            request=f"gpu-{n}" if own_names else "gpu",
        ).encode()
        for n in range(_FILES)
    ]


def main() -> None:
    gc.set_threshold(500_000, 50, 100)  # as the command line does
    for title, texts in (
        ("claims of 27 forms", _texts()),
        ("all claims unlike", _texts(own_names=True)),
        ("all requests unlike", _texts(own_names=True, own_counts=True)),
    ):
        print(f"\n{_FILES} files, {title:<20} ours      bare C compose   ratio   aim")
        _measure(texts)


def _measure(texts: list[bytes]) -> None:
    from dradsl.lint.engine.run import lint
    from dradsl.lint.engine.state import RunInput
    from dradsl.lint.settings.config import LintConfig
    from dradsl.text.documents import load
    from dradsl.tree.inputs.sources import SourceText

    def compose() -> None:
        for text in texts:
            for _ in yaml.compose_all(text, Loader=yaml.CSafeLoader):
                pass

    def read() -> RunInput:
        return RunInput(tuple(SourceText(f"{n}.yaml", load(text)) for n, text in enumerate(texts)))

    # Most counts are above the limit of a claim: a finding for each is not what is measured here.
    ignore = ("DRA319",)
    everything = LintConfig(root=Path.cwd(), ignore=ignore)
    select = ("DRA0", "DRA3", "DRA4", "DRA5", "DRA6")
    structure = LintConfig(root=Path.cwd(), select=select, ignore=ignore)
    rows = (
        ("read into positioned nodes", read, "-"),
        ("structure and validation", lambda: lint(read(), structure), "<= 2x"),
        ("everything", lambda: lint(read(), everything), "-"),
    )
    for title, call, aim in rows:
        ours, bare, ratio = paired_calls(call, compose, runs=15)
        print(f"{title:<30} {ours * 1e3:7.0f} ms {bare * 1e3:11.0f} ms {ratio:9.2f}x  {aim}")


if __name__ == "__main__":
    main()
