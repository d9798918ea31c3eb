"""Inside cdk8s: each object of the app becomes an ApiObject of a chart.

Run with `cdk8s synth`, or as a plain script: it writes dist/dra.k8s.yaml.
"""

from typing import Any

import cdk8s
from training_pair import app as dra


def api_object(scope: Any, data: dict[str, Any]) -> None:
    """Add plain data to a chart. What is not in the manifest's head is set by JSON patch."""
    metadata = data["metadata"]
    made = cdk8s.ApiObject(
        scope,
        "-".join(filter(None, (data["kind"].lower(), metadata.get("namespace"), metadata["name"]))),
        api_version=data["apiVersion"],
        kind=data["kind"],
        metadata=cdk8s.ApiObjectMetadata(
            name=metadata["name"],
            namespace=metadata.get("namespace"),
            labels=metadata.get("labels"),
            annotations=metadata.get("annotations"),
        ),
    )
    for key in data.keys() - {"apiVersion", "kind", "metadata"}:
        made.add_json_patch(cdk8s.JsonPatch.add(f"/{key}", data[key]))


def synthesise(folder: str) -> None:
    """Write the chart to `folder`."""
    cdk = cdk8s.App(outdir=folder)
    chart = cdk8s.Chart(cdk, "dra")
    for data in dra.to_dicts():
        api_object(chart, data)
    cdk.synth()


if __name__ == "__main__":
    synthesise("dist")
