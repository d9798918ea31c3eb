"""Kinds of input: manifests, operators, kustomizations, texts, and extended resources that DeviceClasses answer for."""
