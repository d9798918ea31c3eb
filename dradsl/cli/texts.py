"""What `--help` shows beyond the options themselves: examples of each command, and groups of many options.

Only help reads this, so a run does not pay for it. Keys are the words of a command. Options that no group
names are under "Options".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["EXAMPLES", "LESS_USED", "OPTION_GROUPS"]

# Command -> (what it does, the call).
EXAMPLES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "lint": (
        ("Check all manifests below a folder.", "dradsl lint deploy/"),
        ("Check the output of a program.", "kustomize build . | dradsl lint -"),
        ("Check for two releases of Kubernetes.", "dradsl lint --kube-version 1.34,1.36 deploy/"),
        ("Show the fixes, then apply them.", "dradsl lint --diff deploy/; dradsl lint --fix deploy/"),
        ("Check against recorded devices.", "dradsl lint --slices fleet/ deploy/"),
        ("Print one line for each finding, for logs.", "dradsl lint --output-format concise deploy/"),
        ("Accept the findings of today.", "dradsl lint --baseline baseline.json --write"),
    ),
    "rule": (
        ("Explain a rule by its code.", "dradsl rule DRA201"),
        ("Explain it by its name.", "dradsl rule unknown-attribute"),
        ("List the rules for selectors.", "dradsl rule --select DRA1,DRA2"),
    ),
    "rule test": (
        ("Test the rules that the configuration names.", "dradsl rule test"),
        ("Test the rules of a file.", "dradsl rule test rules/acme.yaml"),
    ),
    "cel": (("Check a selector.", "dradsl cel check 'device.driver == \"gpu.nvidia.com\"'"),),
    "cel check": (
        (
            "Check a selector.",
            "dradsl cel check 'device.attributes[\"gpu.nvidia.com\"].architecture == \"Hopper\"' --class gpu.nvidia.com",
        ),
        ("Check a selector in a file.", "dradsl cel check selector.cel"),
    ),
    "cel eval": (
        (
            "Show the recorded devices that match.",
            "dradsl cel eval 'device.driver == \"gpu.nvidia.com\"' --slices fleet/",
        ),
    ),
    "cel explain": (
        ("Show types and costs.", "dradsl cel explain 'device.driver == \"gpu.nvidia.com\"'"),
    ),
    "cel fmt": (("Format a selector.", "dradsl cel fmt 'device.driver==\"gpu.nvidia.com\"'"),),
    "schema": (
        ("List the drivers, with yours.", "dradsl schema --driver-schema own/"),
    ),
    "schema show": (
        ("Show what a driver publishes.", "dradsl schema show gpu.nvidia.com"),
        ("Show one type of devices, of one version.", "dradsl schema show gpu.nvidia.com@v25.8/gpu"),
    ),
    "schema infer": (
        ("Write a schema from recorded slices, or add to it.", "dradsl schema infer slices.yaml -o fpga.yaml"),
    ),
    "schema check": (
        ("Find what recorded slices have and a schema does not.", "dradsl schema check fleet/"),
        (
            "Find selectors that break with your new version of a schema.",
            "dradsl schema check new.yaml --against gpu.nvidia.com --context deploy/",
        ),
    ),
    "schema export": (
        ("Print a schema as a file to change.", "dradsl schema export gpu.nvidia.com"),
        ("Complete claims in an editor.", "dradsl schema export v1 -o resource-v1.json"),
        ("Write Python handles for a schema.", "dradsl schema export fpga.yaml --as python -o fpga.py"),
    ),
    "simulate": (
        ("Try pods on recorded devices.", "dradsl simulate pods.yaml --slices fleet/"),
        ("Count how many replicas fit.", "dradsl simulate pods.yaml --slices fleet/ --fit"),
        (
            "Add two nodes that you plan to buy.",
            "dradsl simulate pods.yaml --slices fleet/ --shape gpu.nvidia.com/gpu:8 --copies 1",
        ),
    ),
    "why": (
        ("Ask the cluster about a pod.", "dradsl why ml/train --from-cluster"),
        ("Ask a dump.", "dradsl why ml/train dump.yaml"),
        ("List all pods with claims that wait.", "dradsl why --from-cluster"),
    ),
    "devices": (
        ("List the devices of a dump.", "dradsl devices dump.yaml"),
        ("List what is free.", "dradsl devices --from-cluster --free --driver gpu.nvidia.com"),
        ("List the claims of a namespace.", "dradsl devices dump.yaml --by claim -n ml"),
    ),
    "record": (
        (
            "Record the devices of a cluster.",
            "kubectl get resourceslices,deviceclasses,nodes -o json | dradsl record - -o fleet.yaml",
        ),
    ),
    "new": (
        ("List the recipes.", "dradsl new"),
        ("Show the parameters of a recipe.", "dradsl new gpu --help"),
        ("Write a claim and a Deployment.", "dradsl new gpu --set memory=40Gi --set kind=Deployment"),
        ("Offer only what your devices publish.", "dradsl new gpu-pair --slices fleet/"),
        ("Give a claim to a workload.", "dradsl new gpu-pair --for deploy.yaml --write"),
    ),
    "build": (
        ("Print the manifests of a module.", "dradsl build training.py"),
        ("Write one file for each object.", "dradsl build training.py -o out/"),
        ("In CI: fail if somebody forgot to build.", "dradsl build training.py -o out/ --check"),
    ),
    "to-python": (
        ("Turn manifests into a module.", "dradsl to-python claim.yaml -o claim.py"),
    ),
    "migrate": (
        ("Show what asks for devices, and what blocks it.", "dradsl migrate --scan deploy/"),
        ("Show the changes.", "dradsl migrate --diff deploy/"),
        ("Ask every open question in one file.", "dradsl migrate --questions answers.yaml deploy/"),
        ("Make the changes.", "dradsl migrate --answers answers.yaml --write deploy/"),
        ("Prove the changes on recorded devices.", "dradsl migrate --diff --slices fleet/ deploy/"),
        ("Plan the move of a cluster, stage by stage.", "dradsl migrate --plan rollout --slices fleet/ deploy/"),
    ),
    "lsp": (("This is what an editor starts.", "dradsl lsp --stdio"),),
    "convert": (
        ("Find objects of older versions.", "dradsl convert deploy/ --check"),
        ("Show the changes, then make them.", "dradsl convert deploy/ --diff; dradsl convert deploy/ --write"),
    ),
    "completion": (
        ("Write this into ~/.bashrc.", 'eval "$(dradsl completion bash)"'),
        ("Install it for fish.", "dradsl completion fish > ~/.config/fish/completions/dradsl.fish"),
    ),
}  # fmt: skip

_CLUSTER = ("kube_version", "feature_gates")

# Command -> title -> names of parameters.
OPTION_GROUPS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "lint": {
        "Which rules": (
            "preset", "select", "ignore", "severity", "fail_on", "exit_zero",
        ),
        "Which files": (
            "exclude", "stdin_filename", "each_file", "since", "substitute", "build_with",
            "namespace", "show_files",
        ),
        "The cluster": (*_CLUSTER, "slices", "context", "driver_schema"),
        "Output": ("output_format", "output", "color", "quiet"),
        "Fixing": ("fix", "unsafe_fixes", "diff"),
        "Baseline": ("baseline", "write"),
        "Configuration": ("config", "isolated", "show_settings"),
        "Running": ("timeout",),
    },
    "simulate": {
        "The cluster": (
            "recordings", "from_cluster", "kube_context", *_CLUSTER,
        ),
        "What to change": ("additions", "shapes", "copies", "leaving"),
        "The question": (
            "replicas", "fit", "given", "fail_on", "timeout",
        ),
        "Output": ("verbose", "output_format", "output", "color", "quiet"),
        "Configuration": ("config", "isolated"),
    },
    "build": {
        "What to build": (
            "given", "params_files", "params_schema", "timeout", "traceback",
        ),
        "Where to write": ("output", "layout", "check", "diff", "force"),
        "Checking": (
            "ignore", *_CLUSTER, "slices", "context", "driver_schema", "config", "isolated",
        ),
        "Output of findings": ("output_format", "report", "color", "quiet"),
    },
    "migrate": {
        "What to do": (
            "scan", "diff", "check", "write", "output", "plan", "post_render", "force",
        ),
        "Answers": ("questions", "answers", "answered", "interactive"),
        "What to know": ("slices", "build_with", "kube_version", "driver_schema"),
        "Output": ("output_format", "report", "stdin_filename", "timeout", "color", "quiet"),
    },
}  # fmt: skip

# Command -> the parameters that only `--help-all` shows.
LESS_USED: Mapping[str, tuple[str, ...]] = {
    "lint": (
        "severity", "exit_zero", "stdin_filename", "each_file", "since", "substitute", "build_with",
        "namespace", "show_files", "feature_gates", "context", "driver_schema", "color", "quiet",
        "write", "isolated", "show_settings", "timeout",
    ),
    "simulate": (
        "kube_context", "feature_gates", "given", "fail_on", "timeout", "color", "quiet", "config",
        "isolated",
    ),
    "build": (
        "params_schema", "timeout", "traceback", "feature_gates", "context", "driver_schema",
        "config", "isolated", "color", "quiet",
    ),
    "migrate": (
        "post_render", "force", "driver_schema", "stdin_filename", "timeout", "color", "quiet",
    ),
}  # fmt: skip
