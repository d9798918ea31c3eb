"""Charts that install drivers and device plugins: their keys, and the values that their own templates refuse.

Every row names the files of the chart that were read, and the release. Defaults count only where the values are
complete.
"""

from __future__ import annotations

from collections.abc import Mapping

from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = [
    "CHARTS",
    "ChartRow",
    "Conflict",
    "KeyTest",
    "chart_of_values",
    "named_chart",
    "value_at",
]

MISSING = object()
_EMPTY: tuple[object, ...] = (None, False, "", 0)


@dataclass(frozen=True, slots=True)
class KeyTest:
    """A key of the values and what it must hold: one of `values`, or with `other` anything else.

    `default` is what the chart has where the key is missing.
    """

    key: str
    values: tuple[object, ...]
    default: object = None
    other: bool = False

    def holds(self, data: object) -> bool:
        """Whether the values, with the chart's default, meet this test."""
        value = value_at(data, self.key)
        if value is MISSING:
            value = self.default
        if value in ({}, []):
            value = None  # as templates see it
        return (value in self.values) is not self.other


def _on(key: str, default: object = False) -> KeyTest:
    return KeyTest(key, (True,), default)


def _off(key: str, default: object = False) -> KeyTest:
    return KeyTest(key, _EMPTY, default)


def _set(key: str) -> KeyTest:
    return KeyTest(key, _EMPTY, None, other=True)


@dataclass(frozen=True, slots=True)
class Conflict:
    """Values that exclude each other: the chart's templates refuse them, or the driver does when it starts.

    `not_in` are prefixes of the versions of the chart that do not refuse them yet.
    """

    tests: tuple[KeyTest, ...]
    message: str
    help: str
    source: str
    not_in: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChartRow:
    """A chart: its names, the keys of its values in all releases that were read, and what identifies it.

    Values without the name of their chart belong to it if they have all keys of one of the rows of `signs`. `gates` is
    the key that holds the driver's feature gates, `known_gates` those of all releases. `devices` are what it hands out,
    by a device `plugin` or by DRA.
    """

    title: str
    names: frozenset[str]
    source: str
    keys: frozenset[str]
    signs: tuple[tuple[str, ...], ...]
    conflicts: tuple[Conflict, ...] = ()
    gates: str | None = None
    known_gates: frozenset[str] = frozenset()
    devices: str = ""
    plugin: bool = False


def value_at(data: object, key: str) -> Any:
    """The value under a path of keys with dots between them; `MISSING` if there is none."""
    for part in key.split("."):
        if not isinstance(data, Mapping) or part not in data:
            return MISSING
        data = data[part]
    return data


def named_chart(name: str) -> ChartRow | None:
    """The chart of that name."""
    return next((row for row in CHARTS if name in row.names), None)


def chart_of_values(data: object) -> ChartRow | None:
    """The chart whose signs some values have."""
    for row in CHARTS:
        if any(all(value_at(data, key) is not MISSING for key in sign) for sign in row.signs):
            return row
    return None


# Releases of NVIDIA's driver went from v25.x to v0.x.
_BEFORE_25_12 = ("25.3", "25.8")
_BEFORE_0_4 = ("25.",)
_BEFORE_0_5 = ("25.", "0.4")
_BEFORE_26_7 = ("23.", "24.", "25.", "26.3")


def _gates(prefix: str, first: str, second: str, since: str, not_in: tuple[str, ...]) -> Conflict:
    return Conflict(
        (_on(f"{prefix}.{first}"), _on(f"{prefix}.{second}")),
        f"the gates {first} and {second} exclude each other: the driver does not start",
        f"turn {first} or {second} off",
        f"dra-driver-nvidia-gpu pkg/featuregates/featuregates.go (ValidateFeatureGates), from {since}",
        not_in,
    )


def _nvidia_gates(prefix: str) -> tuple[Conflict, ...]:
    return (
        _gates(prefix, "DynamicMIG", "PassthroughSupport", "v25.12.0", _BEFORE_25_12),
        _gates(prefix, "DynamicMIG", "NVMLDeviceHealthCheck", "v25.12.0", _BEFORE_25_12),
        _gates(prefix, "DynamicMIG", "MPSSupport", "v25.12.0", _BEFORE_25_12),
        _gates(prefix, "PassthroughSupport", "NVMLDeviceHealthCheck", "v0.4.0", _BEFORE_0_4),
        Conflict(
            (_on(f"{prefix}.DeviceMetadata"), _off(f"{prefix}.PassthroughSupport")),
            "the gate DeviceMetadata needs PassthroughSupport: the driver does not start",
            "turn PassthroughSupport on, or DeviceMetadata off",
            "dra-driver-nvidia-gpu pkg/featuregates/featuregates.go (ValidateFeatureGates), from v0.4.0",
            _BEFORE_0_4,
        ),
        Conflict(
            (
                _on(f"{prefix}.ComputeDomainCliques", True),
                KeyTest(f"{prefix}.IMEXDaemonsWithDNSNames", (False,), True),
            ),
            "the gate ComputeDomainCliques, on by default, needs IMEXDaemonsWithDNSNames: the driver does not start",
            "turn both off, or leave IMEXDaemonsWithDNSNames on",
            "dra-driver-nvidia-gpu pkg/featuregates/featuregates.go (ValidateFeatureGates), from v25.12.0",
            _BEFORE_25_12,
        ),
    )


_NVIDIA_GATES = frozenset(
    {
        "TimeSlicingSettings", "MPSSupport", "IMEXDaemonsWithDNSNames", "PassthroughSupport", "DynamicMIG",
        "NVMLDeviceHealthCheck", "ComputeDomainCliques", "CrashOnNVLinkFabricErrors", "DeviceMetadata",
        "FabricManagerPartitioning", "HostManagedIMEXDaemon", "DRAListTypeAttributes", "ConsumableShares",
        "VGPUSupport", "ContextualLogging", "LoggingAlphaOptions", "LoggingBetaOptions", "AllAlpha", "AllBeta",
    }
)  # fmt: skip

_NAMESPACE = Conflict(
    (_set("namespace"),),
    "the chart refuses the key namespace",
    "leave it out, and install the chart into the namespace",
    "templates/validation.yaml of each chart",
)
_COMMON = (
    "nameOverride", "fullnameOverride", "namespaceOverride", "selectorLabelsOverride", "allowDefaultNamespace",
    "imagePullSecrets", "image", "serviceAccount", "kubeletPlugin",
)  # fmt: skip
_TLS = "webhook.tls"
_VALIDATION = "dra-driver-nvidia-gpu deployments/helm/dra-driver-nvidia-gpu/templates/validation.yaml, v25.8.1 to v0.5"
_IMEX = "dra-driver-nvidia-gpu deployments/helm/dra-driver-nvidia-gpu/templates/_helpers.tpl (validateIMEXConfig), v0.5"

_NVIDIA_DRA = ChartRow(
    "NVIDIA's DRA driver",
    frozenset({"nvidia-dra-driver-gpu", "dra-driver-nvidia-gpu"}),
    "dra-driver-nvidia-gpu deployments/helm/*/values.yaml, v25.3.2 to v0.5",
    frozenset(
        {
            *_COMMON,
            "nvidiaDriverRoot",
            "nvidiaCDIHookPath",
            "altProcDevices",
            "gpuResourcesEnabledOverride",
            "consumableShares",
            "resourceApiVersion",
            "resources",
            "featureGates",
            "logVerbosity",
            "webhook",
            "controller",
            "nvidiaCtkPath",
            "namespace",
            "maskNvidiaDriverParams",
        }
    ),
    (
        ("gpuResourcesEnabledOverride",),
        ("resources.gpus.enabled", "resources.computeDomains"),
        ("resources.computeDomains.enabled",),
        ("nvidiaDriverRoot", "kubeletPlugin"),
        ("nvidiaDriverRoot", "controller"),
    ),
    (
        Conflict(
            (_on("resources.gpus.enabled", True), _off("gpuResourcesEnabledOverride")),
            "resources.gpus.enabled without gpuResourcesEnabledOverride: the chart refuses to render",
            "set gpuResourcesEnabledOverride: true where no device plugin runs on these nodes, or "
            "resources.gpus.enabled: false",
            "dra-driver-nvidia-gpu deployments/helm/*/templates/validation.yaml, v25.3.2 to v0.5",
        ),
        _NAMESPACE,
        Conflict(
            (_set("nvidiaCtkPath"),),
            "the chart refuses the key nvidiaCtkPath",
            "leave it out",
            "dra-driver-nvidia-gpu deployments/helm/*/templates/validation.yaml, v25.3.2 to v0.5",
        ),
        Conflict(
            (
                _on("webhook.enabled"),
                KeyTest(f"{_TLS}.mode", ("cert-manager", "secret"), "cert-manager", other=True),
            ),
            "webhook.tls.mode is neither cert-manager nor secret: the chart refuses to render",
            "set webhook.tls.mode to cert-manager or secret",
            _VALIDATION,
            ("25.3",),
        ),
        Conflict(
            (
                _on("webhook.enabled"),
                KeyTest(f"{_TLS}.mode", ("cert-manager",), "cert-manager"),
                KeyTest(
                    f"{_TLS}.certManager.issuerType",
                    ("selfsigned", "clusterissuer", "issuer"),
                    "selfsigned",
                    other=True,
                ),
            ),
            "webhook.tls.certManager.issuerType is not one of selfsigned, clusterissuer, issuer: the chart refuses to render",
            "take one of these",
            _VALIDATION,
            ("25.3",),
        ),
        Conflict(
            (
                _on("webhook.enabled"),
                KeyTest(f"{_TLS}.mode", ("cert-manager",), "cert-manager"),
                KeyTest(
                    f"{_TLS}.certManager.issuerType", ("clusterissuer", "issuer"), "selfsigned"
                ),
                _off(f"{_TLS}.certManager.issuerName", ""),
            ),
            "an issuer without a name: the chart refuses to render",
            "set webhook.tls.certManager.issuerName",
            _VALIDATION,
            ("25.3",),
        ),
        Conflict(
            (
                _on("webhook.enabled"),
                KeyTest(f"{_TLS}.mode", ("secret",), "cert-manager"),
                _off(f"{_TLS}.secret.name", ""),
            ),
            "the TLS secret of the webhook has no name: the chart refuses to render",
            "set webhook.tls.secret.name",
            _VALIDATION,
            ("25.3",),
        ),
        Conflict(
            (
                KeyTest("resources.computeDomains.imex.mode", ("hostManaged",), "driverManaged"),
                _off("featureGates.HostManagedIMEXDaemon"),
            ),
            "imex.mode hostManaged without the gate HostManagedIMEXDaemon: the chart refuses to render",
            "set featureGates.HostManagedIMEXDaemon: true",
            _IMEX,
            _BEFORE_0_5,
        ),
        Conflict(
            (
                KeyTest(
                    "resources.computeDomains.imex.mode",
                    ("hostManaged", "driverManaged"),
                    "driverManaged",
                    other=True,
                ),
            ),
            "imex.mode is neither driverManaged nor hostManaged: the chart refuses to render",
            "take one of these",
            _IMEX,
            _BEFORE_0_5,
        ),
        Conflict(
            (
                KeyTest(
                    "resources.computeDomains.imex.isolation", ("domain", ""), "domain", other=True
                ),
            ),
            "imex.isolation other than domain: the chart refuses to render",
            "leave it at domain",
            _IMEX,
            _BEFORE_0_5,
        ),
        Conflict(
            (
                KeyTest("consumableShares", ("disabled", "", None), "", other=True),
                _off("featureGates.ConsumableShares"),
            ),
            "consumableShares without the gate ConsumableShares: the driver does not start",
            "set featureGates.ConsumableShares: true",
            "dra-driver-nvidia-gpu cmd/gpu-kubelet-plugin/main.go, v0.5",
            _BEFORE_0_5,
        ),
        *_nvidia_gates("featureGates"),
    ),
    "featureGates",
    _NVIDIA_GATES,
    devices="GPUs of NVIDIA",
)

_OPERATOR_VALIDATIONS = "gpu-operator deployments/gpu-operator/templates/validations.yaml, v26.7.0"

_OPERATOR = ChartRow(
    "NVIDIA's GPU operator",
    frozenset({"gpu-operator"}),
    "gpu-operator deployments/gpu-operator/values.yaml, v25.10.1 to v26.7.0",
    frozenset(
        {
            "platform",
            "nfd",
            "psa",
            "cdi",
            "sandboxWorkloads",
            "hostPaths",
            "daemonsets",
            "validator",
            "operator",
            "mig",
            "driver",
            "toolkit",
            "devicePlugin",
            "dcgm",
            "dcgmExporter",
            "gfd",
            "migManager",
            "nodeStatusExporter",
            "gds",
            "gdrcopy",
            "vgpuManager",
            "vgpuDeviceManager",
            "vfioManager",
            "kataManager",
            "sandboxDevicePlugin",
            "kataSandboxDevicePlugin",
            "ccManager",
            "clusterPolicy",
            "gpuCluster",
            "draDriver",
            "extraObjects",
            "node-feature-discovery",
            "fullnameOverride",
            "nameOverride",
        }
    ),
    (
        ("devicePlugin", "toolkit"),
        ("devicePlugin", "dcgmExporter"),
        ("driver", "toolkit"),
        ("clusterPolicy.deployCR",),
        ("gpuCluster.deployCR",),
        ("dcgmExporter", "migManager"),
    ),
    (
        Conflict(
            (_on("clusterPolicy.deployCR", True), _on("gpuCluster.deployCR")),
            "clusterPolicy.deployCR and gpuCluster.deployCR both true: the chart refuses to render",
            "for DRA set clusterPolicy.deployCR: false",
            _OPERATOR_VALIDATIONS,
            _BEFORE_26_7,
        ),
        Conflict(
            (
                _on("gpuCluster.deployCR"),
                _on("driver.enabled", True),
                KeyTest("driver.nvidiaDriverCRD.enabled", (False,), False),
            ),
            "gpuCluster.deployCR with a driver that no NVIDIADriver object installs: the chart refuses to render",
            "set driver.nvidiaDriverCRD.enabled: true, or driver.enabled: false",
            _OPERATOR_VALIDATIONS,
            _BEFORE_26_7,
        ),
        Conflict(
            (KeyTest("cdi.enabled", (False,), True), _on("cdi.nriPluginEnabled")),
            "cdi.nriPluginEnabled without cdi.enabled: the chart refuses to render",
            "set cdi.enabled: true",
            _OPERATOR_VALIDATIONS,
            ("23.", "24.", "25."),
        ),
        Conflict(
            (KeyTest("toolkit.enabled", (False,), True), _on("cdi.nriPluginEnabled")),
            "cdi.nriPluginEnabled without the Container Toolkit: the chart refuses to render",
            "set toolkit.enabled: true",
            _OPERATOR_VALIDATIONS,
            _BEFORE_26_7,
        ),
        Conflict(
            (_on("devicePlugin.config.create"), _off("devicePlugin.config.data")),
            "devicePlugin.config.create without data: the chart refuses to render",
            "set devicePlugin.config.data",
            _OPERATOR_VALIDATIONS,
            _BEFORE_26_7,
        ),
        Conflict(
            (_on("devicePlugin.config.create"), _off("devicePlugin.config.name", "")),
            "devicePlugin.config.create without a name: the chart refuses to render",
            "set devicePlugin.config.name",
            _OPERATOR_VALIDATIONS,
            _BEFORE_26_7,
        ),
        *_nvidia_gates("draDriver.featureGates"),
    ),
    "draDriver.featureGates",
    _NVIDIA_GATES,
    devices="GPUs of NVIDIA",
    plugin=True,
)

_NVIDIA_PLUGIN = ChartRow(
    "NVIDIA's device plugin",
    frozenset({"nvidia-device-plugin"}),
    "k8s-device-plugin deployments/helm/nvidia-device-plugin/values.yaml, v0.20.0",
    frozenset(
        {
            *_COMMON,
            "config",
            "compatWithCPUManager",
            "migStrategy",
            "failOnInitError",
            "deviceListStrategy",
            "deviceIDStrategy",
            "nvidiaDriverRoot",
            "gdrcopyEnabled",
            "gdsEnabled",
            "mofedEnabled",
            "deviceDiscoveryStrategy",
            "updateStrategy",
            "podAnnotations",
            "podSecurityContext",
            "securityContext",
            "resources",
            "nodeSelector",
            "affinity",
            "tolerations",
            "priorityClassName",
            "runtimeClassName",
            "devicePlugin",
            "gfd",
            "nfd",
            "mps",
            "cdi",
            "namespace",
            "noTimestamp",
            "nvidiaDevRoot",
            "sleepInterval",
        }
    ),
    (
        ("migStrategy", "deviceListStrategy"),
        ("migStrategy", "failOnInitError"),
        ("deviceListStrategy", "gfd"),
    ),
    (
        _NAMESPACE,
        Conflict(
            (_set("config.name"), KeyTest("config.map", _EMPTY, None, other=True)),
            "config.name and config.map together: the chart refuses to render",
            "take one of them",
            "k8s-device-plugin deployments/helm/nvidia-device-plugin/templates/validation.yml, v0.20.0",
        ),
    ),
    devices="GPUs of NVIDIA",
    plugin=True,
)

_AMD = ChartRow(
    "AMD's DRA driver",
    frozenset({"k8s-gpu-dra-driver"}),
    "ROCm/k8s-gpu-dra-driver helm-charts-k8s/values.yaml, main of 2025-10-06",
    frozenset({*_COMMON, "controller", "webhook", "namespace"}),
    (),
    (_NAMESPACE,),
    devices="GPUs of AMD",
)

_AMD_PLUGIN = ChartRow(
    "AMD's device plugin",
    frozenset({"amd-gpu"}),
    "ROCm/k8s-device-plugin helm/amd-gpu/values.yaml, 0.21.0",
    frozenset(
        {
            *("nfd", "labeller", "dp", "lbl", "imagePullSecrets", "securityContext", "tolerations"),
            *(
                "node_selector_enabled",
                "node_selector",
                "nameOverride",
                "fullnameOverride",
                "namespaceOverride",
            ),
        }
    ),
    (),
    devices="GPUs of AMD",
    plugin=True,
)

_INTEL_KEYS = (
    *_COMMON, "enableDRAExtendedResources", "extendedResourceName", "openshift", "cdi", "nodeFeatureRules", "nfd",
    "xpumdEnabled", "xpumd",
)  # fmt: skip
_INTEL = tuple(
    ChartRow(
        title,
        frozenset({f"{name}-chart", name}),
        f"intel-resource-drivers-for-kubernetes charts/{name}/values.yaml, main of 2026-08-11",
        frozenset(_INTEL_KEYS),
        (("enableDRAExtendedResources", "nodeFeatureRules"), ("xpumdEnabled",))
        if "gpu" in name
        else (),
        (
            Conflict(
                (
                    _on("xpumdEnabled"),
                    KeyTest("kubeletPlugin.healthMonitoring.enabled", (False,), True),
                ),
                "xpumdEnabled without kubeletPlugin.healthMonitoring.enabled: the chart refuses to render",
                "turn health monitoring on, or xpumd off",
                "intel-resource-drivers-for-kubernetes charts/intel-gpu-resource-driver/templates/validate.yaml, "
                "main of 2026-08-11",
            ),
        )
        if "gpu" in name
        else (),
        devices=devices,
    )
    for title, name, devices in (
        ("Intel's DRA driver of GPUs", "intel-gpu-resource-driver", "GPUs of Intel"),
        ("Intel's DRA driver of Gaudi", "intel-gaudi-resource-driver", "Gaudi cards"),
        ("Intel's DRA driver of QAT", "intel-qat-resource-driver", "QAT devices"),
    )
)

_INTEL_PLUGINS = tuple(
    ChartRow(
        title,
        frozenset({name}),
        f"intel/helm-charts charts/{name.rpartition('-')[2]}-device-plugin/values.yaml, 0.36.0",
        frozenset(
            {
                "name",
                "image",
                "initImage",
                "logLevel",
                "nodeSelector",
                "tolerations",
                "nodeFeatureRule",
                *keys,
            }
        ),
        (),
        devices=devices,
        plugin=True,
    )
    for title, name, devices, keys in (
        (
            "Intel's device plugin of GPUs",
            "intel-device-plugins-gpu",
            "GPUs of Intel",
            (
                *("sharedDevNum", "enableMonitoring", "allocationPolicy", "allowIDs", "denyIDs"),
                *("bypathMode", "monitoringMode", "resourceManager"),
            ),
        ),
        (
            "Intel's device plugin of QAT",
            "intel-device-plugins-qat",
            "QAT devices",
            ("dpdkDriver", "kernelVfDrivers", "maxNumDevices", "provisioningConfig"),
        ),
    )
)

CHARTS: Sequence[ChartRow] = (
    *(_NVIDIA_DRA, _OPERATOR, _NVIDIA_PLUGIN, _AMD, _AMD_PLUGIN),
    *(*_INTEL, *_INTEL_PLUGINS),
)
