"""The DeviceClasses that the platform team installs, and what teams may rely on."""

from dradsl import App, DeviceClass
from dradsl.devices.nvidia import gpu, mig

TRAINING = DeviceClass(
    "acme-training",
    labels={"team": "platform"},
    select=gpu & gpu.architecture.in_(["Hopper", "Blackwell"]) & (gpu.memory >= "79Gi"),
)
"""Whole GPUs for training."""

NOTEBOOK = DeviceClass(
    "acme-notebook", labels={"team": "platform"}, select=mig & mig.profile.startswith("1g.")
)
"""Small slices for notebooks."""

app = App(for_release="1.36")
app.extend([TRAINING, NOTEBOOK])
