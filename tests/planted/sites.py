"""Where a claim can be used in a checkout, and the correct text of its use there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

PLACES = ("values", "patch", "release", "manifest", "workload")

DRIVERS = {
    "gpu.intel.com": (
        'device.attributes["gpu.intel.com"].family == "Arc A-Series"',
        'device.capacity["gpu.intel.com"].memory.compareTo(quantity("8Gi")) >= 0',
    ),
    "gpu.nvidia.com": (
        'device.attributes["gpu.nvidia.com"].architecture == "Hopper"',
        'device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("40Gi")) >= 0',
    ),
}


@dataclass(frozen=True)
class Site:
    """A correct use of a claim, as the texts of the files that have it."""

    place: str
    files: dict[str, str]
    """The files as they stand with the use, by path in the checkout."""
    added: dict[str, tuple[int, int]]
    """Of each file the lines that were put there, first and last, from 1."""
    open: frozenset[str]
    """The files in which mistakes are made; the others stay correct."""

    def shifted(self, path: str) -> frozenset[int]:
        """The lines of a file that were there before and moved: nothing new can be said of them."""
        first, last = self.added.get(path, (1, 0))
        count = self.files[path].count("\n") + 1
        return frozenset(line for line in range(1, count + 1) if not first <= line <= last)


def template(name: str, driver: str, indent: int = 0) -> str:
    """A correct ResourceClaimTemplate."""
    model, memory = DRIVERS[driver]
    text = f"""\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata:
  name: {name}
spec:
  spec:
    devices:
      requests:
        - name: accelerator
          exactly:
            deviceClassName: {driver}
            count: 2
            selectors:
              - cel:
                  expression: >-
                    {model} &&
                    {memory}
      constraints:
        - matchAttribute: resource.kubernetes.io/pcieRoot
          requests:
            - accelerator
"""
    return "".join(" " * indent + line + "\n" for line in text.splitlines())


def sites(root: Path, place: str) -> list[Site]:
    """The sites of one place in a checkout, in order of their paths."""
    found = {
        "values": _values,
        "patch": _patches,
        "release": _release_patches,
        "manifest": _manifests,
        "workload": _workloads,
    }[place](root)
    return list(found)


def _yaml_files(root: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(root.rglob("*.yaml")):
        if path.is_file() and not any(part.startswith(".") for part in path.parts[1:]):
            try:
                yield str(path.relative_to(root)), path.read_text("utf-8")
            except (OSError, UnicodeDecodeError):
                continue


def _one_document(text: str) -> dict[str, object]:
    try:
        read = list(yaml.safe_load_all(text))
    except (yaml.YAMLError, ValueError):
        return {}
    objects = [one for one in read if isinstance(one, dict)]
    return objects[0] if len(objects) == 1 else {}


def _listed(root: Path, name: str) -> tuple[str, str] | None:
    """The kustomization beside a file that lists it: its path and text, if its `resources` can be added to."""
    path = root / Path(name).parent / "kustomization.yaml"
    if not path.is_file():
        return None
    text = path.read_text("utf-8")
    data = _one_document(text)
    listed = data.get("resources")
    if not isinstance(listed, list) or "patches" in data or "components" in data:
        return None
    names = [str(one).removeprefix("./") for one in listed]
    if Path(name).name not in names or not re.search(r"^resources:\n( *)- ", text, re.MULTILINE):
        return None
    return str(path.relative_to(root)), text


def _with_resource(text: str, name: str) -> str:
    found = re.search(r"^resources:\n( *)- ", text, re.MULTILINE)
    assert found
    return text.replace("resources:\n", f"resources:\n{found.group(1)}- {name}\n", 1)


def _entry(text: str) -> tuple[int, int]:
    """The line of a kustomization that lists the template."""
    lines = text.splitlines()
    number = next(n for n, line in enumerate(lines, 1) if line.endswith("planted-template.yaml"))
    return number, number


def _put(text: str, after: int, lines: list[str]) -> tuple[str, tuple[int, int]]:
    """The text with lines put after a line (from 1), and where they stand."""
    old = text.splitlines()
    new = old[:after] + lines + old[after:]
    return "\n".join(new) + "\n", (after + 1, after + len(lines))


def _releases(root: Path) -> Iterator[tuple[str, str, tuple[str, str]]]:
    """Flux HelmReleases of app-template that have no claims, listed in a kustomization beside them."""
    for name, text in _yaml_files(root):
        if "kind: HelmRelease" not in text or "resourceClaims" in text:
            continue
        if "app-template" not in text and "chartRef:" not in text:
            continue
        if not re.search(r"^    controllers:$", text, re.MULTILINE) or "claims:" in text:
            continue
        beside = _listed(root, name)
        if beside is not None and _one_document(text):
            yield name, text, beside


def _values(root: Path) -> Iterator[Site]:
    """A claim in the values of a release, and its template in a file beside it."""
    for number, (name, text, (listing, listed)) in enumerate(_releases(root)):
        lines = text.splitlines()
        found = [i for i, line in enumerate(lines) if re.fullmatch(r" +resources:", line)]
        pods = [i for i, line in enumerate(lines) if line == "    defaultPodOptions:"]
        if not found or not pods or not 0 < found[0] < pods[0]:
            continue
        driver = sorted(DRIVERS)[number % len(DRIVERS)]
        own = "planted-accelerator"
        pad = " " * (len(lines[pods[0]]) - len(lines[pods[0]].lstrip()))
        first = len(lines[found[0]]) - len(lines[found[0]].lstrip())
        uses = [
            f"{pad}  resourceClaims:",
            f"{pad}    - name: device",
            f"{pad}      resourceClaimTemplateName: {own}",
        ]
        text2, _ = _put(text, pods[0] + 1, uses)
        inner = " " * first
        claims = [
            f"{inner}  claims:",
            f"{inner}    - name: device",
            f"{inner}      request: accelerator",
        ]
        text3, (start, _) = _put(text2, found[0] + 1, claims)
        end = pods[0] + 1 + len(claims) + len(uses)
        beside = str(Path(name).parent / "planted-template.yaml")
        made = template(own, driver)
        files = {
            name: text3,
            beside: made,
            listing: _with_resource(listed, "./planted-template.yaml"),
        }
        added = {name: (start, end), beside: (1, made.count("\n")), listing: _entry(files[listing])}
        yield Site("values", files, added, frozenset({name, listing}))


def _release_patches(root: Path) -> Iterator[Site]:
    """A claim that a patch brings to the values of a release: the claim to its pod, its use to a container."""
    for number, (name, text, (listing, listed)) in enumerate(_releases(root)):
        data = _one_document(text)
        meta, spec = data.get("metadata"), data.get("spec")
        if not isinstance(meta, dict) or not isinstance(spec, dict):
            continue
        try:
            controller, own = next(iter(spec["values"]["controllers"].items()))
            container = next(iter(own["containers"]))
        except (AttributeError, KeyError, StopIteration, TypeError):
            continue
        driver = sorted(DRIVERS)[number % len(DRIVERS)]
        use = f"""\
apiVersion: {data.get("apiVersion")}
kind: HelmRelease
metadata:
  name: {meta.get("name")}
spec:
  values:
    controllers:
      {controller}:
        pod:
          resourceClaims:
            - name: device
              resourceClaimTemplateName: planted-accelerator
        containers:
          {container}:
            resources:
              claims:
                - name: device
                  request: accelerator
"""
        folder = Path(name).parent
        patch, beside = str(folder / "planted-patch.yaml"), str(folder / "planted-template.yaml")
        made = template("planted-accelerator", driver)
        patched = _with_resource(listed, "./planted-template.yaml").rstrip("\n")
        files = {
            patch: use,
            beside: made,
            listing: f"{patched}\npatches:\n  - path: ./planted-patch.yaml\n",
        }
        added = {patch: (1, use.count("\n")), beside: (1, made.count("\n"))}
        added[listing] = _entry(files[listing])
        yield Site("release", files, added, frozenset({patch, listing}))


def _patches(root: Path) -> Iterator[Site]:
    """A claim that a patch adds to a release or workload, and a patch of a template beside it."""
    done = set()
    for number, (name, text) in enumerate(_yaml_files(root)):
        beside = _listed(root, name)
        data = _one_document(text)
        kind = data.get("kind")
        if beside is None or beside[0] in done or "resourceClaims" in text:
            continue
        if kind not in ("Deployment", "StatefulSet", "DaemonSet"):
            continue
        meta, spec = data.get("metadata"), data.get("spec")
        if not isinstance(meta, dict) or not isinstance(spec, dict):
            continue
        try:
            container = spec["template"]["spec"]["containers"][0]["name"]
        except (KeyError, IndexError, TypeError):
            continue
        done.add(beside[0])
        driver = sorted(DRIVERS)[number % len(DRIVERS)]
        folder = Path(name).parent
        namespace = f"\n  namespace: {meta['namespace']}" if meta.get("namespace") else ""
        use = f"""\
apiVersion: apps/v1
kind: {kind}
metadata:
  name: {meta.get("name")}{namespace}
spec:
  template:
    spec:
      containers:
        - name: {container}
          resources:
            claims:
              - name: device
                request: accelerator
      resourceClaims:
        - name: device
          resourceClaimTemplateName: planted-accelerator
"""
        made = template("planted-accelerator", driver)
        if namespace:
            made = made.replace("planted-accelerator\n", f"planted-accelerator{namespace}\n", 1)
        change = made.replace("            count: 2\n", "            count: 4\n")
        plain = re.sub(
            r"            selectors:.*?(?=      constraints:)", "", made, flags=re.DOTALL
        )
        files = {
            str(folder / "planted-patch.yaml"): use,
            str(folder / "planted-change.yaml"): change,
            str(folder / "planted-template.yaml"): plain,
            beside[0]: _with_resource(beside[1], "./planted-template.yaml").rstrip("\n")
            + "\npatches:\n  - path: planted-patch.yaml\n  - path: planted-change.yaml\n",
        }
        ours = {
            one: (1, files[one].count("\n"))
            for one in files
            if one.endswith(("patch.yaml", "change.yaml"))
        }
        ours[beside[0]] = _entry(files[beside[0]])
        yield Site("patch", files, ours, frozenset(ours))


def _manifests(root: Path) -> Iterator[Site]:
    """A pod with a claim and its template as manifests in a folder that has a kustomization."""
    done = set()
    for number, (name, text) in enumerate(_yaml_files(root)):
        beside = _listed(root, name)
        if beside is None or beside[0] in done or "claims:" in text:
            continue
        listing, listed = beside
        done.add(listing)
        driver = sorted(DRIVERS)[number % len(DRIVERS)]
        folder = Path(name).parent
        pod = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: planted-job
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: main
          image: registry.example.com/planted:1
          resources:
            claims:
              - name: device
                request: accelerator
      resourceClaims:
        - name: device
          resourceClaimTemplateName: planted-accelerator
"""
        made = template("planted-accelerator", driver)
        job = str(folder / "planted-job.yaml")
        claim = str(folder / "planted-template.yaml")
        listed = _with_resource(listed, "./planted-template.yaml")
        listed = _with_resource(listed, "./planted-job.yaml")
        files = {job: pod, claim: made, listing: listed}
        added = {one: (1, files[one].count("\n")) for one in (job, claim)}
        added[listing] = _entry(files[listing])
        yield Site("manifest", files, added, frozenset(added))


_WORKLOADS = ("Deployment", "StatefulSet", "DaemonSet", "Job", "Pod")


def _workloads(root: Path) -> Iterator[Site]:
    """A claim written into a workload of the tree, and its template in a file beside it: one in a folder."""
    done = set()
    for number, (name, text) in enumerate(_yaml_files(root)):
        folder = Path(name).parent
        found = _with_claim(text)
        if found is None or folder in done:
            continue
        changed, lines, namespace = found
        beside = _listed(root, name)
        above = (root / folder, *list((root / folder).parents)[: len(folder.parts)])
        if beside is None and any((each / "kustomization.yaml").is_file() for each in above):
            continue  # what it applies is another's
        done.add(folder)
        made = template("planted-accelerator", sorted(DRIVERS)[number % len(DRIVERS)])
        if namespace:
            said = f"planted-accelerator\n  namespace: {namespace}\n"
            made = made.replace("planted-accelerator\n", said, 1)
        claim = str(folder / "planted-template.yaml")
        files, added = {name: changed, claim: made}, {name: lines, claim: (1, made.count("\n"))}
        if beside is not None:
            files[beside[0]] = _with_resource(beside[1], "planted-template.yaml")
            added[beside[0]] = _entry(files[beside[0]])
        yield Site("workload", files, added, frozenset(added))


def _with_claim(text: str) -> tuple[str, tuple[int, int], str] | None:
    """The text of a workload with the use of a claim, the lines around it, and its namespace."""
    data = _one_document(text)
    meta = data.get("metadata")
    if data.get("kind") not in _WORKLOADS or not isinstance(meta, dict) or "claims" in text.lower():
        return None
    lines = text.splitlines()
    lists = [n for n, line in enumerate(lines) if re.fullmatch(r" +containers:", line)]
    images = [n for n, line in enumerate(lines) if re.match(r" +(- )?image:", line)]
    if len(lists) != 1 or not images or images[0] < lists[0] or "{{" in text:
        return None
    pad = " " * (len(lines[lists[0]]) - len(lines[lists[0]].lstrip()))
    start = re.match(r" +(- )?", lines[images[0]])
    assert start
    inner = " " * len(start[0])
    here = [n for n, line in enumerate(lines) if line == f"{inner}resources:" and n > lists[0]]
    if not here and re.search(r"^ +resources:", text, re.MULTILINE):
        return None
    uses = [f"{inner}  claims:", f"{inner}    - name: device", f"{inner}      request: accelerator"]
    at = here[0] if here else images[0]
    changed = lines[: at + 1] + ([] if here else [f"{inner}resources:"]) + uses + lines[at + 1 :]
    claim = [
        f"{pad}resourceClaims:",
        f"{pad}  - name: device",
        f"{pad}    resourceClaimTemplateName: planted-accelerator",
    ]
    changed[lists[0] : lists[0]] = claim
    last = at + 1 + len(claim) + len(uses) + (0 if here else 1)
    made = "\n".join(changed) + "\n"
    if not _one_document(made):  # Helm writes `resources:` and `{}` below it
        return None
    return made, (lists[0] + 1, last), str(meta.get("namespace") or "")
