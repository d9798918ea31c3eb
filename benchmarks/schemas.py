"""Schemas for checkers that else get them from the network: those of kubernetes-validate, and of Kubernetes.

kubernetes-validate is a package with JSON schemas of each release, which refer to one file of definitions.
kubeconform reads schemas that stand alone. kubectl-validate reads the OpenAPI documents of Kubernetes
(`api/openapi-spec/v3` of its sources), by other names.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

__all__ = ["for_kubeconform", "for_kubectl_validate", "of_package"]

_DEEPEST = 40  # definitions within definitions; those of custom resources hold themselves


def of_package(program: str, release: str) -> Path | None:
    """The schemas of a release in the package that the program `kubernetes-validate` belongs to."""
    first = Path(program).read_text(errors="replace").partition("\n")[0]
    if not first.startswith("#!"):
        return None
    ask = "import kubernetes_validate; print(kubernetes_validate.__path__[0])"
    words = [*first[2:].split(), "-c", ask]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    found = Path(done.stdout.strip()) / f"kubernetes-json-schema/v{release}-local-strict"
    return found if done.returncode == 0 and found.is_dir() else None


def for_kubeconform(schemas: Path, target: Path) -> str:
    """Write schemas that stand alone below `target`; the location as kubeconform takes it."""
    definitions = json.loads((schemas / "_definitions.json").read_text())["$defs"]

    def whole(value: Any, depth: int = 0) -> Any:
        if isinstance(value, list):
            return [whole(each, depth) for each in value]
        if not isinstance(value, dict):
            return value
        name = str(value.get("$ref", "")).rpartition("/")[2]
        if name:
            return whole(definitions[name], depth + 1) if depth < _DEEPEST else {}
        return {key: whole(each, depth) for key, each in value.items() if key != "description"}

    for path in schemas.glob("*.json"):
        schema = {} if path.name.startswith("_") else json.loads(path.read_text())
        is_object = {"apiVersion", "kind", "metadata"} <= schema.get("properties", {}).keys()
        if is_object and not path.name.startswith("customresource"):
            (target / path.name).write_text(json.dumps(whole(schema)))
    return f"{target}/{{{{ .ResourceKind }}}}{{{{ .KindSuffix }}}}.json"


def for_kubectl_validate(sources: Path, target: Path) -> Path | None:
    """Write the OpenAPI documents in the sources of Kubernetes below `target`, by group and version."""
    found = sorted((sources / "api/openapi-spec/v3").glob("api*__v[0-9]*_openapi.json"))
    for path in found:
        own = target.joinpath(*path.name.removesuffix("_openapi.json").split("__"))
        own.parent.mkdir(parents=True, exist_ok=True)
        own.with_name(f"{own.name}.json").write_bytes(path.read_bytes())
    return target if found else None
