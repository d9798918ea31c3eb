"""Writes the tables of dradsl/tree/kustomize/parts/tables.json from the source of Kustomize's modules.

    python -m tests.tree.builds.record_tables MODULES

MODULES is the folder that holds `api@VERSION` and `kyaml@VERSION`, as Go keeps modules.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from pathlib import Path
from typing import Any

import yaml

TARGET = Path(__file__).parents[3] / "dradsl/tree/kustomize/parts/tables.json"


def newest(modules: Path, name: str) -> Path:
    return max(modules.glob(f"{name}@*"))


def specs_of(api: Path) -> dict[str, Any]:
    """The default field specs: the constants of builtinpluginconsts, joined as that package does."""
    folder = api / "internal/konfig/builtinpluginconsts"
    texts: dict[str, str] = {}
    for path in folder.glob("*.go"):
        for match in re.finditer(
            r"(\w+)\s*=\s*((?:`[^`]*`|\w+)(?:\s*\+\s*(?:`[^`]*`|\w+))*)", path.read_text()
        ):
            if "`" in match[2]:
                texts[match[1]] = match[2]
    known = {}

    def text(name: str) -> str:
        if name not in known:
            parts = re.findall(r"`[^`]*`|\w+", texts[name]) if "`" in texts[name] else []
            pieces = re.findall(r"`([^`]*)`|\+\s*(\w+)", texts[name])
            known[name] = "".join(a or text(b) for a, b in pieces)
            assert parts
        return known[name]

    result: dict[str, Any] = {}
    for name in texts:
        data = yaml.safe_load(text(name))
        if isinstance(data, dict):
            result.update(data)
    return result


def row(spec: dict[str, Any]) -> tuple[str, str, str, str, bool]:
    return (
        spec.get("group", ""),
        spec.get("version", ""),
        spec.get("kind", ""),
        spec["path"],
        bool(spec.get("create")),
    )


def merge_types(bundle: dict[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    definitions = bundle["definitions"]

    def target(schema: dict[str, Any]) -> str | None:
        if "$ref" in schema:
            return str(schema["$ref"]).rpartition("/")[2]
        if schema.get("type") == "array":
            return target(schema.get("items", {}))
        return None

    rows: dict[str, dict[str, Any]] = {}
    for name, schema in definitions.items():
        for field, each in schema.get("properties", {}).items():
            strategies = each.get("x-kubernetes-patch-strategy", "").split(",")
            keys = None
            if "merge" in strategies and each.get("type") == "array":
                single = each.get("x-kubernetes-patch-merge-key")
                keys = tuple(each.get("x-kubernetes-list-map-keys") or ([single] if single else []))
            rows.setdefault(name, {})[field] = (keys, target(each))
    # Only what leads to a list that is merged.
    useful: set[str] = set()
    while True:
        more = {
            name
            for name, fields in rows.items()
            if any(keys is not None or to in useful for keys, to in fields.values())
        }
        if more == useful:
            break
        useful = more
    types = {
        name: {
            field: (keys, to if to in useful else None)
            for field, (keys, to) in sorted(rows[name].items())
            if keys is not None or to in useful
        }
        for name in sorted(useful)
    }
    short = {name: name.removeprefix("io.k8s.").replace("api.", "", 1) for name in types}
    kinds = {
        f"{each['apiVersion']} {each['kind']}": short[each["definition"]]
        for each in bundle["resources"]
        if each.get("definition") in types
    }
    for name in types:
        for gvk in definitions[name].get("x-kubernetes-group-version-kind", []):
            prefix = f"{gvk['group']}/" if gvk.get("group") else ""
            kinds[f"{prefix}{gvk['version']} {gvk['kind']}"] = short[name]
    return {
        short[name]: {field: (keys, to and short[to]) for field, (keys, to) in fields.items()}
        for name, fields in types.items()
    }, dict(sorted(kinds.items()))


def main(modules: Path) -> None:
    api, kyaml = newest(modules, "api"), newest(modules, "kyaml")
    with gzip.open(next((kyaml / "openapi/kubernetesapi/data").glob("*.json.gz"))) as packed:
        bundle = json.load(packed)
    types, kinds = merge_types(bundle)
    own = json.loads((kyaml / "openapi/kustomizationapi/swagger.json").read_text())["definitions"]
    for name, schema in own.items():
        fields = {
            field: ((each["x-kubernetes-patch-merge-key"],), None)
            for field, each in schema.get("properties", {}).items()
            if each.get("x-kubernetes-patch-strategy") == "merge"
        }
        if fields:
            types[name.rpartition(".")[2]] = fields
            for gvk in schema.get("x-kubernetes-group-version-kind", []):
                kinds[f"{gvk['group']}/{gvk['version']} {gvk['kind']}"] = name.rpartition(".")[2]
    source = (kyaml / "openapi/openapi.go").read_text()
    scopes = {
        f"{version} {kind}": scope == "true"
        for version, kind, scope in re.findall(
            r'\{APIVersion: "([^"]+)", Kind: "([^"]+)"\}:\s+(true|false)', source
        )
    }
    scope_of = {"cluster": False, "namespaced": True}
    for each in bundle["resources"]:
        known = scope_of.get(str(each.get("scope", "")).lower())
        if known is not None:
            scopes.setdefault(f"{each['apiVersion']} {each['kind']}", known)
    cluster = sorted(name for name, namespaced in scopes.items() if not namespaced)
    specs = specs_of(api)
    references = tuple(
        (
            (each.get("group", ""), each.get("version", ""), each["kind"]),
            tuple(row(spec) for spec in each["fieldSpecs"]),
        )
        for each in specs.pop("nameReference")
    )
    rows = {name: tuple(row(spec) for spec in each) for name, each in sorted(specs.items())}
    tables = {
        "types": types,
        "kinds": kinds,
        "clusterScoped": cluster,
        "fieldSpecs": rows,
        "nameReferences": references,
    }
    TARGET.write_text(in_lines(tables))
    print(f"{api.name}, {kyaml.name}: name them in resources.py")  # noqa: T201 - a command


def in_lines(tables: dict[str, Any]) -> str:
    """JSON with one row of each table on a line."""
    parts = []
    for name, table in tables.items():
        if isinstance(table, dict):
            each = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in table.items()]
            opening, closing = "{}"
        else:
            each = [json.dumps(value) for value in table]
            opening, closing = "[]"
        parts.append(f'"{name}": {opening}\n' + ",\n".join(each) + f"\n{closing}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
