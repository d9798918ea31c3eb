"""Inside cdk8s: each object of the app becomes an ApiObject of a chart.

Run with `cdk8s synth`, or as a plain script: it writes dist/dra.k8s.yaml.
"""

import cdk8s
from training_pair import app as dra

from dradsl.integrations.cdk8s import add


def synthesise(folder: str) -> None:
    """Write the chart to `folder`."""
    cdk = cdk8s.App(outdir=folder)
    add(cdk8s.Chart(cdk, "dra"), dra)
    cdk.synth()


if __name__ == "__main__":
    synthesise("dist")
