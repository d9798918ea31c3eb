"""Kinds of input: manifests, operators, kustomizations, texts, extended resources for DeviceClasses; no decisions."""
