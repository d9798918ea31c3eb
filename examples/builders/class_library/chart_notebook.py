"""The chart of the notebook team."""

from platform_classes import NOTEBOOK
from workloads import add_pod

from dradsl import App, Request, ResourceClaimTemplate

app = App(for_release="1.36")

template = app.add(
    ResourceClaimTemplate(
        "notebook",
        namespace="notebook",
        requests=[Request("gpu", NOTEBOOK)],
    )
)

add_pod(app, "notebook", template)
