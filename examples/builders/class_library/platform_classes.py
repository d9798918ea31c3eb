"""The DeviceClasses of a platform team: defined once, named by the charts of three other teams."""

from dradsl import App, DeviceClass
from dradsl.devices.nvidia import gpu, mig

TRAINING = DeviceClass(
    "platform-training",
    labels={"team": "platform"},
    select=gpu & gpu.architecture.in_(["Hopper", "Blackwell"]),
)

INFERENCE = DeviceClass(
    "platform-inference",
    labels={"team": "platform"},
    select=gpu & (gpu.memory >= "20Gi") & ~gpu.productName.startswith("Tesla"),
)

NOTEBOOK = DeviceClass(
    "platform-notebook",
    labels={"team": "platform"},
    select=mig & mig.profile.startswith("1g."),
)

app = App(for_release="1.36")
app.extend([TRAINING, INFERENCE, NOTEBOOK])
